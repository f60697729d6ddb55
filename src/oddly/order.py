# SPDX-License-Identifier: Apache-2.0
"""In which order should the diagram read the attributes?

Any order gives the same decisions; the size differs. The width at a depth depends only on the *set* of attributes
above it, so a search remembers the sets it has seen and builds only what lies between them.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from oddly.engine import Engine, Progress, Watch, widths
from oddly.errors import ModelError, UnknownName
from oddly.score import Score


@dataclass(frozen=True)
class BestOf:
    """The smallest of many orders: ascending, descending and `tries` random ones, as in the paper's Table 2."""

    tries: int = 100
    seed: int = 0
    jobs: int = -1


Order = str | Sequence[str] | BestOf

NAMED = ("ascending", "descending", "ascending-finite", "as-given", "random", "best-of")


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


def arrange(score: Score, order: Order, engine: Engine = "auto", progress: Progress | None = None) -> list[int]:
    """The places of the score's attributes in the order asked for.

    By name: "ascending" or "descending" impact (ties by column), "ascending-finite" (infinite impacts ranked by what
    is finite in them), "as-given", "random" or "random:SEED", "best-of" or "best-of:TRIES". Or the names themselves.
    """
    if isinstance(order, BestOf):
        return list(search(score, order, engine, progress)[0].order)
    if not isinstance(order, str):
        return _by_names(score, order)
    name, _, argument = order.partition(":")
    places = range(len(score.terms))
    if name == "ascending":
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
        return arrange(score, best_of(_whole(argument or "100", order)), engine, progress)
    raise UnknownName.among("order", order, NAMED)


def search(
    score: Score,
    plan: BestOf,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> list[Tried]:
    """Every order of the plan with its size, smallest first."""
    orders = {name: tuple(arrange(score, name)) for name in ("ascending", "descending")}
    for i in range(plan.tries):
        orders[f"random:{plan.seed + i}"] = tuple(_shuffled(len(score.terms), plan.seed + i))
    seen = _Seen(score)
    sizes = seen.sizes(list(orders.values()), plan.jobs, engine, progress)
    tried = [Tried(size, name, order) for (name, order), size in zip(orders.items(), sizes, strict=True)]
    return sorted(tried, key=lambda t: t.size)


@dataclass
class _Seen:
    """The widths of the sets of attributes seen so far."""

    score: Score
    width: dict[frozenset[int], int] = field(default_factory=dict)
    stopped: bool = False

    def sizes(
        self,
        orders: Sequence[tuple[int, ...]],
        jobs: int,
        engine: Engine,
        progress: Progress | None,
    ) -> list[int]:
        """The sizes of the diagrams; builds run side by side, in rounds between which the memory is shared."""
        from joblib import Parallel, delayed

        found: list[int] = []
        with Parallel(n_jobs=jobs, prefer="threads") as pool:
            for start in range(0, len(orders), ROUND):
                batch = orders[start : start + ROUND]
                spans = [self._unseen(order) for order in batch]
                try:
                    pool(
                        delayed(self._learn)(order, span, engine)
                        for order, span in zip(batch, spans, strict=True)
                        if span is not None
                    )
                except BaseException:
                    self.stopped = True  # builds still under way on other threads see it at their next level
                    raise
                found += [sum(self.width[above] for above in _sets(order)) for order in batch]
                if progress is not None:
                    progress("orders", len(found), len(orders))
        return found

    def _go_on(self, *_: object) -> None:
        if self.stopped:
            raise InterruptedError("another build of this search was stopped")

    def _unseen(self, order: tuple[int, ...]) -> tuple[int, int] | None:
        new = [depth for depth, above in enumerate(_sets(order)) if above not in self.width]
        return (new[0], new[-1]) if new else None

    def _learn(self, order: tuple[int, ...], span: tuple[int, int], engine: Engine) -> None:
        first, last = span
        found = widths(self.score.in_order(order), first, last, Watch(progress=self._go_on), engine)
        self.width.update(zip(_sets(order)[first : last + 1], found, strict=True))


ROUND = 16  # orders built before what they taught is used


def _sets(order: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(order[:k]) for k in range(len(order) + 1)]


def _by_names(score: Score, names: Sequence[str]) -> list[int]:
    places = [score.index(name) for name in names]
    if len(set(places)) != len(places) or len(places) != len(score.terms):
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
