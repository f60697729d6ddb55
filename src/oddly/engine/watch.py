# SPDX-License-Identifier: Apache-2.0
"""Limits and progress of a build: what stops it with a clear word, and what it tells while it runs."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from oddly.errors import TooLarge

Progress = Callable[[str, int, int], None]
"""Called with (what, done, total) now and then; an exception it raises stops the work."""

LISTS_PER_NODE = 32  # with `max_nodes`, lists that outgrow it this often are given up early


@dataclass
class Watch:
    """What a build reports to, and what may stop it."""

    attributes: int = 0
    max_nodes: int | None = None
    max_memory: int = field(default_factory=lambda: free_memory() * 3 // 4)
    progress: Progress | None = None
    searches: bool = True
    """Whether another order could be searched for."""
    found: int = 0
    grown: int = 0
    finished: int = 0

    def lists(self, grown: int, memory: int, entries: int) -> None:
        """The sums and breakpoints of so many levels are there; with the next ones they take so much."""
        if memory > self.max_memory:
            raise TooLarge(
                f"{_bytes(memory)} needed after attribute {grown} of {self.attributes}, "
                f"{_bytes(self.max_memory)} allowed.  {self._advice(f'max_memory={2 * memory:_}')}"
            )
        if self.max_nodes is not None and entries > LISTS_PER_NODE * self.max_nodes + (1 << 22):
            raise TooLarge(
                f"{entries:,} partial sums after attribute {grown} of {self.attributes}, far more than "
                f"max_nodes={self.max_nodes:,}.  {self._advice(f'max_nodes={2 * entries:_}')}"
            )
        self.grown = grown
        self._tell("sums")

    def nodes(self, count: int, levels: int = 1) -> None:
        """So many more nodes of the diagram are there, and so many more levels with them."""
        self.found += count
        self.grown = self.attributes
        self.finished += levels
        if self.max_nodes is not None and self.found > self.max_nodes:
            raise TooLarge(
                f"{self.found:,} nodes with {self.finished} of {self.attributes} levels finished, "
                f"{self.max_nodes:,} allowed.  {self._advice(f'max_nodes={4 * self.found:_}')}"
            )
        self._tell("nodes")

    def done(self, size: int) -> None:
        """The diagram is there, with its sinks."""
        if self.max_nodes is not None and size > self.max_nodes:
            raise TooLarge(f"{size:,} nodes, {self.max_nodes:,} allowed.  {self._advice(f'max_nodes={size:_}')}")

    def _tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, self.grown + self.finished, 2 * self.attributes)

    def _advice(self, raised: str) -> str:
        return f"Try order=oddly.best_of(100), or {raised}." if self.searches else f"Try {raised}."


def _bytes(count: int) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e8 else f"{count / 1e6:.3g} MB"


def free_memory() -> int:
    """Bytes that can be taken without anything being killed: what is free, within the control group's limit."""
    free = _meminfo()
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            free = min(free, int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue  # no such group, or "max": no limit
    return max(free, 1 << 26)


def _meminfo() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
