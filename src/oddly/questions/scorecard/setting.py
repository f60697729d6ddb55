# SPDX-License-Identifier: Apache-2.0
"""A diagram and a distribution, made ready for a proof about all cards: the weightiest attributes first, in floats.

Where one product of whole numbers weighs the instances, as the uniform distribution does, the floats are whole
numbers too, and nothing is rounded. Which points need an attribute's values be tried with?  Some card that changes the
least has them, if any has.

*One attribute.* Given all others and the cut-off, the values of an attribute do not disturb each other: each chooses how
many points the others must bring, and what a choice changes is weighed by how probable the others are with that value.
Take the largest of a value's best points. If two values leave the others' probabilities alike (independent attributes
do) and one accepts whatever the other does, then it earns at least as much. Under the own distribution of a naive
Bayes model of two classes, the value that speaks more for the positive class does: with it, the others are shifted
towards that class and more of them are accepted, so that wherever the other would rather have a range of them accepted, it would too.

*Two attributes* next to each other that are equally distributed in every class. Suppose that accepting (high, low) of
them is never less right than accepting (low, high). Then a card that gives more to the second's values does no worse
with the points of the two exchanged, since it accepts one of both exactly when it should rather accept the other.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.diagram.passes.sweep import path_sums
from oddly.distribution.joint import Joint
from oddly.distribution.measure import Mixture, of_model
from oddly.errors import TooLarge
from oddly.lowering.score import Score
from oddly.questions.scorecard.cases import Unknowns
from oddly.questions.scorecard.endings import Endings, Floats, Independent, endings, read_backwards
from oddly.questions.scorecard.search import by_node, grouped, numbered
from oddly.runtime import stopped

ROUNDING = 2.0**-50  # of one step: four times what it is
MOST_ROWS = 20_000  # of points for one attribute
MOST_PAIRS = 50_000_000  # differences compared to find which rows can be exchanged

Whole = NDArray[np.int64]
Above = NDArray[np.bool_]
"""By value and value: whether the first need never earn less than the second."""


class Setting:
    """What a proof about all cards looks at."""

    def __init__(self, odd: ODD, measure: Mixture | Joint) -> None:
        odd, measure = _weightiest_first(odd, measure)
        self.whole, (self.odd, self.parts) = _numbers(odd, measure)
        self.ends = endings(self.odd, self.parts, isinstance(measure, Mixture))
        self.rules = CardRules(self.odd, measure, self.ends)
        self.groups = [[grouped(column) for column in level.T] for level in self.odd.levels]
        sums = (path_sums(self.odd.levels, self.odd.root, 2, rows)[0] * weight for rows, weight in self.parts)
        self.rejected = float(sum(sums))  # what the instances that the classifier rejects weigh

    def start(self) -> Floats:
        return np.tile(np.arange(self.odd.widths[0]) == self.odd.root, len(self.parts)).astype(float)[None, None]

    def step(self, depth: int, value: int, so_far: Floats) -> Floats:
        """How probable the beginnings are one attribute further down, if that has a value."""
        by_class = so_far.reshape(*so_far.shape[:2], len(self.parts), -1)
        by_child, first, children = self.groups[depth][value]
        numbers = np.stack([rows[depth][:, value] for rows, _ in self.parts])
        found = np.zeros((*by_class.shape[:3], self.odd.widths[depth + 1]))
        found[..., children] = np.add.reduceat((by_class * numbers)[..., by_child], first, axis=3)
        return found.reshape(*so_far.shape[:2], -1)

    def slack(self, budget: int) -> float:
        """More than rounding can have moved a bound, which is a sum of positive and negative shares of the whole."""
        if self.whole is not None:
            return 0.0
        sizes = [len(self.parts) * width for width in self.odd.widths]
        groups = [ends.groups for ends in self.ends]
        levels = sum(arity + 20 for arity in self.odd.arities)
        return float(ROUNDING * (levels + max(sizes) + max(groups) + budget * len(self.odd.levels) + 20))


def _weightiest_first(odd: ODD, measure: Mixture | Joint) -> tuple[ODD, Mixture | Joint]:
    """The same with its attributes in an order in which bounds grow early, where there is one at hand."""
    if isinstance(measure, Joint):
        return odd, measure
    again, score = None, odd.source
    if isinstance(score, Score):
        with suppress(TooLarge):
            again = compile(score.model, "descending", impossible=score.impossible, max_nodes=4 * odd.size + 1000)
    else:
        spreads = [(max(row) - min(row)) * len(row) for row in Unknowns.of(odd).positives]
        half = len(spreads) // 2
        if half and sum(spreads[-half:]) > sum(spreads[:half]):  # the last attributes decide more than the first ones
            again = read_backwards(odd)
    if again is None or sorted(again.order) != sorted(odd.order):
        return odd, measure
    places = [odd.order.index(name) for name in again.order]
    products = [replace(p, rows=tuple(p.rows[i] for i in places)) for p in measure.products]
    return again, replace(measure, products=tuple(products))


def _numbers(odd: ODD, measure: Mixture | Joint) -> tuple[int | None, tuple[ODD, list[tuple[list[Floats], float]]]]:
    """What all instances weigh together, if in whole numbers that floats can hold, and the weights of `numbered`."""
    if isinstance(measure, Mixture):
        products = [p for p in measure.products if p.mass]
        rows = products[0].integers()[0]
        whole = prod(int(sum(row)) for row in rows)
        if len(products) == 1 and whole < 1 << 53:
            return whole, (odd, [(by_node([row.astype(float) for row in rows], odd), 1.0)])
    return None, numbered(odd, measure)


# ---- which points to try ----


@dataclass(frozen=True, eq=False)
class Rows:
    """The points to be tried for an attribute."""

    points: Whole
    """By row and value; the least is 0."""
    after: NDArray[np.bool_] | None = None
    """By row of the attribute before, and own row: whether both need be tried together; None for always."""


class CardRules:
    """What the points of a best card keep to, whatever the budget."""

    def __init__(self, odd: ODD, measure: Mixture | Joint, ends: Sequence[Endings]) -> None:
        self.odd, self.ends = odd, ends
        self.above = [np.eye(arity, dtype=bool) for arity in odd.arities]
        self.ranked: list[list[int]] = [list(range(arity)) for arity in odd.arities]
        self.given: list[list[tuple[Fraction, ...]]] = []
        if isinstance(measure, Joint):
            return
        self.given = [list(zip(*rows, strict=True)) for rows in zip(*_rows(measure), strict=True)]
        own = _is_own(odd, measure)
        for depth, given in enumerate(self.given):
            self.above[depth] = _by_odds(given, own) if own is not None else self._by_decisions(depth)
            fewest = list(zip(self.above[depth].sum(axis=1).tolist(), given, strict=True))  # that a value is above
            self.ranked[depth] = sorted(range(len(given)), key=fewest.__getitem__)

    def rows(self, budget: int) -> list[Rows]:
        """By depth, the points up to a budget that need be tried."""
        points = [_allowed(above, ranked, budget) for above, ranked in zip(self.above, self.ranked, strict=True)]
        later = [Rows(here, self._exchanged(k, before, here)) for k, (before, here) in enumerate(pairwise(points), 1)]
        return [*map(Rows, points[:1]), *later]

    def _by_decisions(self, depth: int) -> Above:
        """Values that leave the others' probabilities alike, by what they accept."""
        above, given, ends = self.above[depth], self.given[depth], self.ends[depth]
        assert isinstance(ends, Independent)
        accepts = [ends.signs[column] for column in self.odd.levels[depth].T]
        for v, w in np.argwhere(~above).tolist():
            pairs = combinations(zip(given[v], given[w], strict=True), 2)
            proportional = all(a * d == b * c for (a, b), (c, d) in pairs)
            above[v, w] = proportional and bool((accepts[v] >= accepts[w]).all())
        return _with_impossible(above, given)

    def _exchanged(self, depth: int, before: Whole, here: Whole) -> NDArray[np.bool_] | None:
        """Of an attribute and the one before it, the pairs of rows to be tried: of those that can be exchanged, one."""
        first, second = self.ranked[depth - 1], self.ranked[depth]
        if not self.given or [self.given[depth - 1][v] for v in first] != [self.given[depth][v] for v in second]:
            return None
        before, here = before[:, first], here[:, second]
        if not np.array_equal(before, here):
            return None
        least, most = self._compared(depth, first, second)
        pairs = list(combinations(range(len(first)), 2))
        if not least or len(here) ** 2 * len(pairs) > MOST_PAIRS:
            return None
        spread = np.array([[row[j] - row[i] for i, j in pairs] for row in here]).reshape(len(here), -1)
        if most:  # entirely alike: rows that never rise by their place in the list, which is by how far they spread
            place = np.argsort(np.lexsort((*here.T, spread.sum(axis=1))))
            return np.asarray(place[:, None] >= place[None, :])
        wider = (spread[None, :, :] >= spread[:, None, :]).all(axis=2) & (spread[None] != spread[:, None]).any(axis=2)
        return np.asarray(~wider)

    def _compared(self, depth: int, first: list[int], second: list[int]) -> tuple[bool, bool]:
        """Whether (high, low) of two attributes accepts at least, and at most, what (low, high) accepts."""
        ends = self.ends[depth]
        assert isinstance(ends, Independent)
        two = self.odd.levels[depth][self.odd.levels[depth - 1]][:, first][:, :, second]
        least = most = True
        for i, j in combinations(range(len(first)), 2):
            ours, theirs = ends.signs[two[:, j, i]], ends.signs[two[:, i, j]]
            least, most = least and bool((ours >= theirs).all()), most and bool((ours <= theirs).all())
        return least, most


def _allowed(above: Above, ranked: Sequence[int], budget: int) -> Whole:
    """All points up to a budget that keep to the order of the values, by how far they spread."""
    found, too_many = (
        np.zeros((1, len(above)), np.int64),
        f"more than {MOST_ROWS:,} ways to give points to one attribute",
    )
    for place, value in enumerate(ranked):
        if len(found) * (budget + 1) > MOST_ROWS * 10:
            raise stopped(too_many, "")
        found = np.repeat(found, budget + 1, axis=0)
        found[:, value] = np.tile(np.arange(budget + 1), len(found) // (budget + 1))
        for other in ranked[:place]:
            for high, low in ((value, other), (other, value)):
                found = found[found[:, high] >= found[:, low]] if above[high, low] else found
    found = found[found.min(axis=1) == 0]
    if len(found) > MOST_ROWS:
        raise stopped(too_many, "")
    return np.asarray(found)


# ---- which value earns more ----


def _rows(measure: Mixture) -> list[tuple[tuple[Fraction, ...], ...]]:
    return [product.rows for product in measure.products if product.mass]


def _is_own(odd: ODD, measure: Mixture) -> int | None:
    """The positive class's place, if decisions are a naive Bayes model's of two classes, under its own distribution."""
    model = odd.source.model if isinstance(odd.source, Score) else None
    if model is None or model.naive is None or len(_rows(measure)) != 2:
        return None
    own = of_model(model, odd.variables)
    assert isinstance(own, Mixture)
    names = [product.name for product in own.products]
    return names.index(odd.labels[1]) if own.products == measure.products else None


def _by_odds(given: Sequence[tuple[Fraction, ...]], positive: int) -> Above:
    pairs = [(row[positive], row[1 - positive]) for row in given]
    found = [[p * r >= q * s for s, r in pairs] for p, q in pairs]
    return _with_impossible(np.array(found, bool), given)


def _with_impossible(above: Above, given: Sequence[tuple[Fraction, ...]]) -> Above:
    """Values without probability earn what some other value does, since it does not matter."""
    possible = [v for v, row in enumerate(given) if any(row)]
    for v, row in enumerate(given):
        if not any(row) and possible:
            above[v], above[:, v] = above[possible[0]], above[:, possible[0]]
            above[v, v] = True
    return above
