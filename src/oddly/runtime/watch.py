# SPDX-License-Identifier: Apache-2.0
"""How far is a build?  What it tells the limits while it runs, and what stops it with a clear word."""

from dataclasses import dataclass, field

from oddly.errors import TooLarge
from oddly.runtime.limits import NOISE, Limits, current, more_memory, stopped
from oddly.runtime.memory import in_bytes, memory_taken

LISTS_PER_NODE = 32  # with `max_nodes`, lists that outgrow it this often are given up early


@dataclass
class Watch:
    """What a build reports to, and what may stop it."""

    attributes: int = 0
    limits: Limits = field(default_factory=current)
    searches: bool = True
    """Whether another order could be searched for."""
    workers: int = 1
    """How many builds share the memory, side by side."""
    held: int = field(init=False)
    """Bytes that the question took before this build; of several side by side nobody knows whose they are."""
    found: int = 0
    grown: int = 0
    finished: int = 0

    def __post_init__(self) -> None:
        self.held = max(memory_taken() - self.limits.before - NOISE, 0) if self.workers == 1 else 0

    @property
    def max_memory(self) -> int:
        """What this build may take."""
        return max(self.limits.max_memory - self.held, 0) // self.workers

    def lists(self, grown: int, memory: int, entries: int) -> None:
        """The sums and breakpoints of so many levels are there; with the next ones they take so much."""
        if memory > self.max_memory:
            needed = f"{in_bytes(memory + self.held)} needed after attribute {grown} of {self.attributes}"
            allowed = in_bytes(self.limits.max_memory // self.workers)
            raise self._stopped(needed, allowed, more_memory(2 * (memory + self.held) * self.workers))
        most = self.limits.max_nodes
        if most is not None and entries > LISTS_PER_NODE * most + (1 << 22):
            found = f"{entries:,} partial sums after attribute {grown} of {self.attributes}"
            raise self._stopped(f"{found}, far more than max_nodes={most:,}", "", f"max_nodes={2 * entries:_}")
        self.grown = grown
        self._tell("sums")

    def nodes(self, count: int, levels: int = 1) -> None:
        """So many more nodes of the diagram are there, and so many more levels with them."""
        self.found += count
        self.grown = self.attributes
        self.finished += levels
        self._bounded(self.found, f" with {self.finished} of {self.attributes} levels finished", 4)
        self._tell("nodes")

    def done(self, size: int) -> None:
        """The diagram is there, with its sinks."""
        self._bounded(size, "", 1)

    def _bounded(self, nodes: int, where: str, times: int) -> None:
        most = self.limits.max_nodes
        if most is not None and nodes > most:
            raise self._stopped(f"{nodes:,} nodes{where}", f"{most:,}", f"max_nodes={times * nodes:_}")

    def _tell(self, what: str) -> None:
        self.limits.poll(what, self.grown + self.finished, 2 * self.attributes)

    def _stopped(self, needed: str, allowed: str, raised: str) -> TooLarge:
        search = "order=oddly.best_of(100)"
        search = search if self.limits.orders else f"oddly.compile(model, {search}) first"
        return stopped(needed, allowed, search if self.searches else "", raised)
