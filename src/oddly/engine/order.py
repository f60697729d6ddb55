# SPDX-License-Identifier: Apache-2.0
"""In which order should the diagram read the attributes?

Any order gives the same decisions; the size differs. The width at a depth depends only on the *set* of attributes
above it, so a search remembers the sets it has seen and builds only what lies between them.
"""

import os
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from oddly.engine import Engine, widths
from oddly.errors import ModelError, TooLarge, UnknownName, Unsupported
from oddly.lowering import Families, Outline, smallest_frontier
from oddly.lowering.score import Score
from oddly.runtime import LimitArguments, Watch, current, limited, more_memory, stopped


@dataclass(frozen=True)
class BestOf:
    """The smallest of many orders: ascending, descending and `tries` random ones, as in the paper's Table 2."""

    tries: int = 100
    seed: int = 0
    jobs: int = -1


Order = str | Sequence[str] | BestOf

NAMED = ("auto", "ascending", "descending", "ascending-finite", "as-given", "random", "best-of")


def best_of(tries: int = 100, seed: int = 0, jobs: int = -1) -> BestOf:
    """An order for `compile`: the smallest of ascending, descending and `tries` random ones.

    >>> import oddly
    >>> oddly.compile(oddly.examples.tic_tac_toe(), order=oddly.best_of(300)).size
    58
    """
    if tries < 0:
        raise ModelError(f"best_of: a number of tries is not negative, found {tries}")
    return BestOf(tries, seed, jobs)


@dataclass(frozen=True)
class Tried:
    """An order that was tried, and the size of its diagram."""

    size: int
    name: str
    order: tuple[int, ...]


def is_search(order: Order) -> bool:
    """Whether an order is to be found by building diagrams."""
    return isinstance(order, BestOf) or (isinstance(order, str) and order.partition(":")[0] == "best-of")


def arrange(score: Score | Families | Outline, order: Order, engine: Engine = "auto") -> list[int]:
    """The places of the score's attributes in the order asked for.

    By name: "auto" (ascending impact; attributes that a network ties together: the smallest frontier, which is the
    fewest of them to be remembered at a time), "ascending" or "descending" impact (ties by column), "ascending-finite" (infinite impacts ranked by what
    is finite in them), "as-given", "random" or "random:SEED", "best-of" or "best-of:TRIES". Or the names themselves.
    """
    if isinstance(order, BestOf):
        if isinstance(score, Outline):
            raise Unsupported("a search for an order needs a model's sums, and this one is decided case by case")
        return list(search(score, order, engine)[0].order)
    if not isinstance(order, str | Sequence):
        raise ModelError(f"order: expected a name, a list of attributes or best_of(…), found {order!r}")
    if not isinstance(order, str):
        return _by_names(score, order)
    name, _, argument = order.partition(":")
    places = range(len(score.variables))
    if name == "auto" and not isinstance(score, Score):
        return smallest_frontier([len(v.values) for v in score.variables], score.scopes, score.impact)
    if name in ("auto", "ascending"):
        return sorted(places, key=lambda i: score.impact[i])
    if name == "descending":
        return sorted(places, key=lambda i: -score.impact[i])
    if name == "ascending-finite":
        return sorted(places, key=lambda i: (score.impact[i] == float("inf"), score.finite_impact[i]))
    if name == "as-given":
        return list(places)
    if name == "random":
        return _shuffled(len(places), _whole(argument or "0", order))
    if name == "best-of":
        return arrange(score, best_of(_whole(argument or "100", order)), engine)
    raise UnknownName.among("order", order, NAMED)


def search(
    score: Score | Families, plan: BestOf, engine: Engine = "auto", **limits: Unpack[LimitArguments]
) -> list[Tried]:
    """Every order of the plan with its size, smallest first. Those that would exceed the memory are left out."""
    with limited(limits) as door:
        orders = {name: tuple(arrange(score, name)) for name in ("ascending", "descending")}
        if isinstance(score, Families):
            orders["auto"] = tuple(arrange(score, "auto"))
        for i in range(plan.tries):
            orders[f"random:{plan.seed + i}"] = tuple(_shuffled(len(score.variables), plan.seed + i))
        sizes = _OrderSearch(score, engine, plan.jobs).sizes(list(orders.values()))
        found = zip(sizes, *zip(*orders.items(), strict=True), strict=True)
        tried = [Tried(size, name, order) for size, name, order in found if size is not None]
        if not tried:
            needed, more = f"none of {len(orders)} orders fits into {door.max_memory:,} bytes", 4 * door.max_memory
            raise stopped(needed, "", more_memory(more), "jobs=1")
        return sorted(tried, key=lambda t: t.size)


class _OrderSearch:
    """Sizes of diagrams, built side by side, with the widths of the sets of attributes seen so far."""

    def __init__(self, score: Score | Families, engine: Engine, jobs: int) -> None:
        self.score, self.engine, self.jobs = score, engine, jobs
        self.limits, self.workers = current(), os.cpu_count() or 1 if jobs < 0 else jobs
        self.width: dict[frozenset[int], int] = {}
        self.stopped = False
        self.building = 0
        self.idle = threading.Condition()

    def sizes(self, orders: Sequence[tuple[int, ...]]) -> list[int | None]:
        """In rounds, between which what was learned is shared; None where a build was too large."""
        from joblib import Parallel, delayed

        found: list[int | None] = []
        with Parallel(n_jobs=self.jobs, require="sharedmem") as pool:  # what one learns, the others use
            for start in range(0, len(orders), ROUND):
                batch = orders[start : start + ROUND]
                spans = [(order, self._unseen(order)) for order in batch]
                try:
                    pool(delayed(self._learn)(order, span) for order, span in spans if span is not None)
                    found += [self._size(order) for order in batch]
                    self.limits.poll("orders", len(found), len(orders))
                except BaseException:
                    self._stop()
                    raise
        return found

    def _stop(self) -> None:
        """Let the builds that are under way on other threads end, so that none outlives the search."""
        self.stopped = True
        with self.idle:
            self.idle.wait_for(lambda: self.building == 0, timeout=60)

    def _go_on(self, *_: object) -> None:
        if self.stopped:
            raise InterruptedError("another build of this search was stopped")

    def _unseen(self, order: tuple[int, ...]) -> tuple[int, int] | None:
        new = [depth for depth, above in enumerate(_sets(order)) if above not in self.width]
        return (new[0], new[-1]) if new else None

    def _size(self, order: tuple[int, ...]) -> int | None:
        widths = [self.width.get(above) for above in _sets(order)]
        return None if None in widths else sum(w for w in widths if w is not None)

    def _learn(self, order: tuple[int, ...], span: tuple[int, int]) -> None:
        with self.idle:
            self._go_on()
            self.building += 1
        try:
            first, last = span
            each = replace(self.limits, max_nodes=None, progress=self._go_on)  # which may fit only in the order found
            watch = Watch(limits=each, workers=self.workers)
            found = widths(self.score.in_order(order), first, last, watch, self.engine)
            self.width.update(zip(_sets(order)[first : last + 1], found, strict=True))
        except TooLarge:
            pass  # another order may fit
        finally:
            with self.idle:
                self.building -= 1
                self.idle.notify_all()


ROUND = 16  # orders built before what they taught is used


def _sets(order: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(order[:k]) for k in range(len(order) + 1)]


def _by_names(score: Score | Families | Outline, names: Sequence[str]) -> list[int]:
    places = [score.index(name) for name in names]
    if len(set(places)) != len(places) or len(places) != len(score.variables):
        missing = [name for name in score.names if name not in names]
        twice = [name for name in names if list(names).count(name) > 1]
        fault = f"{twice[0]} stands twice" if twice else f"{missing[0]} is missing"
        raise ModelError(f"order: every attribute stands in it once, but {fault}")
    return places


def _shuffled(count: int, seed: int) -> list[int]:
    places = list(range(count))
    random.Random(seed).shuffle(places)
    return places


def _whole(text: str, order: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ModelError(f"order {order!r}: expected a whole number after the colon") from None
