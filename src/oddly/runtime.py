# SPDX-License-Identifier: Apache-2.0
"""How far may work go?  Nodes, memory and seconds, made once at the door, whom to tell on the way, and the words for what was
needed and what helps.

A public question opens a door, `with limited(limits):`, and everything it calls finds them in `current()`: a pass over a
diagram needs no argument to be stopped. A question asked inside another has the limits of the outer one; those it is
given itself hold for its own part.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import inf
from operator import length_hint
from pathlib import Path
from time import monotonic
from typing import Any, TypedDict, TypeVar

from oddly.errors import ModelError, TooLarge

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (what, done, total) now and then; an exception it raises stops the work."""


class LimitArguments(TypedDict, total=False):
    """The keyword arguments that every question takes."""

    max_nodes: int | None
    """The most nodes of a diagram; None: as many as memory holds."""
    max_memory: int | None
    """The most bytes by which the process may grow; None: three quarters of what is free."""
    seconds: float | None
    """The longest it may take, looked at wherever progress is told; None: any time."""
    progress: Progress | None
    """Called with (what, done, total) now and then; an exception it raises stops the work."""


NOISE = 32 << 20  # bytes that a process grows by without anyone's asking: modules imported, blocks kept for later
TRIFLE = 1 << 20  # bytes that are taken without a look
PAGE = os.sysconf("SC_PAGE_SIZE")
GLANCE = 0.005  # seconds between two looks at the memory taken; filling what is missed meanwhile takes as long
LISTS_PER_NODE = 32  # with `max_nodes`, lists that outgrow it this often are given up early


@dataclass(frozen=True)
class Limits:
    """What may stop work, and whom to tell how far it is."""

    max_nodes: int | None = None
    max_memory: int = field(default_factory=lambda: free_memory() * 3 // 4)
    seconds: float | None = None
    progress: Progress | None = None
    orders: bool = True
    """Whether whoever asked could name another order."""
    deadline: float = inf
    before: int = field(default_factory=lambda: memory_taken())
    """Bytes that the process had at the door."""

    def poll(self, what: str, done: int, total: int) -> None:
        """Tell how far the work is; stop it if that took too long, or too much memory."""
        self.look()
        if self.progress is not None:
            self.progress(what, done, total)

    def look(self) -> None:
        """Stop the work if it took too long, or too much memory."""
        now = monotonic()
        if now > self.deadline and self.seconds is not None:
            raise stopped(f"it took more than {self.seconds:g} seconds", "", f"seconds={max(4 * self.seconds, 1):g}")
        if now > _LOOKED[0] + GLANCE:
            _LOOKED[0] = now
            self.need(-NOISE)

    def need(self, more: int, where: str = "", *others: str) -> None:
        """Stop before so many more bytes are taken, if they are too many."""
        needed = memory_taken() - self.before + more
        if needed > self.max_memory:
            raise stopped(
                f"{in_bytes(needed)} needed{where}", in_bytes(self.max_memory), *others, more_memory(2 * needed)
            )


_NOW: ContextVar[Limits | None] = ContextVar("limits", default=None)
_LOOKED = [0.0]


@contextmanager
def limited(arguments: LimitArguments, *, orders: bool = False, least: float = 0) -> Iterator[Limits]:
    """Open the door to a question: inside, these are the limits.

    `orders`: it can be asked with another order. `least`: seconds that it has at least.
    """
    around = _NOW.get()
    given: dict[str, Any] = {name: value for name, value in _checked(arguments).items() if value is not None}
    limits = Limits(orders=orders) if around is None else around
    if given:
        limits = replace(limits, **given)
    if "seconds" in given:
        limits = replace(limits, deadline=min(limits.deadline, monotonic() + max(given["seconds"], least)))
    with handed(limits):
        yield limits


@contextmanager
def in_time(arguments: LimitArguments, usual: float) -> Iterator[float]:
    """A door to a search that stops by itself with what it has: the moment when it should, after `usual` seconds."""
    with limited({**_checked(arguments), "seconds": None}) as limits:
        yield min(limits.deadline, monotonic() + (arguments.get("seconds") or usual))


@contextmanager
def handed(limits: Limits) -> Iterator[None]:
    """Work under limits that another made: on another thread, or for a part."""
    token = _NOW.set(limits)
    try:
        yield
    finally:
        _NOW.reset(token)


def current() -> Limits:
    """The limits of the question that is being answered; outside of any, the usual ones."""
    return _NOW.get() or Limits()


def poll(what: str, done: int, total: int) -> None:
    """Say how far the work on the question is, if there is one; its limits may stop it here."""
    limits = _NOW.get()
    if limits is not None:
        limits.poll(what, done, total)


def room(more: int) -> None:
    """Stop before so many more bytes are taken, if a question is being answered and its limits forbid them."""
    limits = _NOW.get()
    if limits is not None and more > TRIFLE:
        limits.need(more - NOISE)


def polled(things: Iterable[T], what: str) -> Iterator[T]:
    """The same things, one after the other, with a look at the limits before each."""
    total = length_hint(things)
    for done, thing in enumerate(things):
        poll(what, done, total)
        yield thing


def stopped(needed: str, allowed: str, *remedies: str) -> TooLarge:
    """The one sentence about work that stopped: what it needed, the limit, and what helps.

    >>> print(stopped("2,000,000 nodes at attribute 14 of 36", "", "order=oddly.best_of(100)", "max_nodes=8_000_000"))
    2,000,000 nodes at attribute 14 of 36.  Try order=oddly.best_of(100), or max_nodes=8_000_000.
    """
    limit, kept = f", {allowed} allowed" if allowed else "", [r for r in remedies if r]
    last = f"{', '.join(kept[:-1])}, or {kept[-1]}" if kept[1:] else "".join(kept)
    return TooLarge(f"{needed}{limit}.  Try {last}." if kept else f"{needed}{limit}")


def more_memory(needed: int) -> str:
    """The remedy for too little memory: a limit that this machine has, or another machine."""
    return f"max_memory={needed:_}" if needed <= free_memory() else f"a machine with {in_bytes(needed)} free"


def _checked(arguments: LimitArguments) -> LimitArguments:
    for name, value in arguments.items():
        if name not in LimitArguments.__annotations__:
            raise TypeError(f"unexpected keyword argument {name!r}")
        number = isinstance(value, int | float if name == "seconds" else int) and not isinstance(value, bool)
        if value is not None and not (callable(value) if name == "progress" else number):
            raise ModelError(f"{name}: expected a {'function' if name == 'progress' else 'number'}, found {value!r}")
    seconds = arguments.get("seconds")
    if seconds is not None and not seconds > 0:
        raise ModelError(f"seconds: expected some time, found {seconds!r}")
    return arguments


# ---- how much memory is free, and how much this process has ----


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


def memory_taken() -> int:
    """Bytes of its own that this process holds just now: files it has mapped do not count. 0 where nobody knows."""
    try:
        with open("/proc/self/statm", "rb") as file:
            _, resident, shared = file.read().split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE


def in_bytes(count: float) -> str:
    """A size of memory in words.

    >>> in_bytes(300_000_000), in_bytes(1_000_000)
    ('0.3 GB', '1 MB')
    """
    return f"{count / 1e9:.3g} GB" if count >= 1e8 else f"{count / 1e6:.3g} MB"


def _meminfo() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return PAGE * os.sysconf("SC_PHYS_PAGES") // 2


# ---- what a build reports to ----


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
