# SPDX-License-Identifier: Apache-2.0
"""How far may a question go?  The four limits, made once at the door, and the words for what was needed and what helps.

A public question opens a door, `with within(limits):`, and everything it calls finds them in `current()`: a pass over a
diagram needs no argument to be stopped. A question asked inside another has the limits of the outer one; those it is
given itself hold for its own part.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import inf
from operator import length_hint
from time import monotonic
from typing import Any, TypedDict, TypeVar

from oddly.errors import ModelError, TooLarge
from oddly.runtime.memory import free_memory, in_bytes, memory_taken

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
GLANCE = 0.005  # seconds between two looks at the memory taken; filling what is missed meanwhile takes as long


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
    before: int = field(default_factory=memory_taken)
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
def within(arguments: LimitArguments, *, orders: bool = False, least: float = 0) -> Iterator[Limits]:
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
    with within({**_checked(arguments), "seconds": None}) as limits:
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
