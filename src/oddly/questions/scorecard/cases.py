# SPDX-License-Identifier: Apache-2.0
"""Which cases say what points must be?

A card decides as a diagram does iff the least points of any positive case reach the cut-off and the greatest of any
negative one do not. Those cases are shortest and longest paths, so for given points one pass up and one down find,
for every value, the case that has it and comes closest: the only ones worth writing down as constraints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.passes.best import BestPaths
from oddly.diagram.passes.semirings import MIN_PLUS, WHOLES
from oddly.diagram.passes.sweep import by_depth, up, value_counts
from oddly.model import Points, Scorecard

Sums = NDArray[Any]
"""Float64 for points that are still fractions, int64 for whole ones."""
Case = tuple[int, ...]
"""The places of a case's values, attribute by attribute in the diagram's order."""
NEGATIVE, POSITIVE = 0, 1
LEAST = -1  # the number of the values that earn nothing


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The points to be found: one unknown for all values of an attribute that lead every node to the same child.

    Such values can share their points, since a card that decides rightly with one of them does so with the
    others. If a card exists, then the more of the cases with a value are positive, the more points it earns; so the
    value with the fewest is known, and may earn 0, the others counting from there.
    """

    odd: ODD
    numbers: tuple[tuple[int, ...], ...]
    """By depth and value; LEAST for the values that earn nothing."""
    positives: tuple[tuple[int, ...], ...]
    """By depth and value: how many cases with that value are positive."""

    @classmethod
    def of(cls, odd: ODD) -> "Unknowns":
        counts = value_counts(odd.levels, odd.root, POSITIVE, len(odd.labels), odd.instances)
        numbers, fresh = [], count()
        for level, row in zip(odd.levels, counts, strict=True):
            columns = [column.tobytes() for column in level.T]
            known = {columns[row.index(min(row))]: LEAST}
            numbers.append(tuple(known[c] if c in known else known.setdefault(c, next(fresh)) for c in columns))
        return cls(odd, tuple(numbers), tuple(map(tuple, counts)))

    @cached_property
    def uses(self) -> NDArray[np.int64]:
        """How many values share each unknown."""
        return np.bincount(np.array([i for row in self.numbers for i in row if i != LEAST], np.int64))

    def points(self, found: Sequence[Any] | NDArray[Any]) -> list[Sums]:
        """By depth and value, from the values of the unknowns."""
        padded = np.append(np.asarray(found), np.zeros(1, np.asarray(found).dtype))  # LEAST is the last
        return [padded[list(row)] for row in self.numbers]

    def cutoff(self, found: Sequence[Any] | NDArray[Any]) -> int | None:
        """The least cut-off with which these whole numbers decide as the diagram does; None if there is none."""
        return cutoff_of(self.odd, self.points(found))

    def uses_of(self, case: Case) -> NDArray[np.int64]:
        """For each unknown, whether the case earns it."""
        found = np.zeros(len(self.uses) + 1, np.int64)
        found[[row[value] for row, value in zip(self.numbers, case, strict=True)]] = 1
        return found[:-1]

    def steps(self) -> list[tuple[Case, Case]]:
        """Pairs of cases (positive, negative) that differ in one attribute only: who earns more than whom.

        One pair for each two values of an attribute that are neighbours by how many cases they make positive. Counts
        lead the way: where more paths are positive from one node than from another, so they are from a child.
        """
        many = WHOLES.holding(self.odd.instances)
        paths = by_depth(up(self.odd.levels, many.at(POSITIVE, len(self.odd.labels)), None, many))
        found = []
        for depth, (row, numbers) in enumerate(zip(self.positives, self.numbers, strict=True)):
            ranked = sorted({number: v for v, number in enumerate(numbers)}.values(), key=row.__getitem__)
            for low, high in pairwise(ranked):
                if row[low] < row[high]:
                    found.append(_step(self.odd, paths, depth, low, high))
        return found


def nearest(odd: ODD, points: Sequence[Sums], label: int) -> tuple[Any, list[Case]]:
    """The least points of a positive case (or the greatest of a negative one; None if there is none), and for every
    value the case that has it and comes closest."""
    best = _best(odd, [row if label == POSITIVE else -row for row in points], label)
    least = best.after[0][odd.root]
    if not odd.levels or not best.least.reached(least):
        return (least * 0 if best.least.reached(least) else None), []
    cases = set(map(tuple, best.paths([e for row in best.edges() for e in row if e is not None]).tolist()))
    return (least if label == POSITIVE else -least), sorted(cases)


def cutoff_of(odd: ODD, points: Sequence[Sums]) -> int | None:
    """The least cut-off with which whole-number points decide as the diagram does; None if there is none."""
    low = _best(odd, points, POSITIVE).after[0][odd.root]
    high = -_best(odd, [-row for row in points], NEGATIVE).after[0][odd.root]
    if not MIN_PLUS.reached(high):
        return 0
    return int(high) + 1 if low > high else None


def _best(odd: ODD, points: Sequence[Sums], label: int) -> BestPaths:
    least = MIN_PLUS.over(points[0].dtype if points else np.int64)
    return BestPaths(odd.levels, odd.root, least.at(label, len(odd.labels)), points, least)


def as_scorecard(odd: ODD, points: Sequence[Any], cutoff: int) -> Scorecard:
    """A card in the model's order of attributes."""
    earned = [[Fraction(int(p)) for p in row] for row in points]
    attributes = [Points(v.name, v.values, row, v.bins) for v, row in zip(odd.variables, earned, strict=True)]
    in_columns = [attributes[depth] for depth in np.argsort(odd.places).tolist()]
    values = odd.source.model.class_values if odd.source else ()
    names = tuple(values) if set(values) == set(odd.labels) else odd.labels[::-1]
    return Scorecard(in_columns, cutoff, 0, class_name(odd), names, odd.labels[1])


def class_name(odd: ODD) -> str:
    """What is decided: the model's class, if there is a model."""
    name = odd.source.model.class_name if odd.source else "decision"
    while name in odd.order:
        name += "'"
    return name


# ---- who earns more ----


def _step(odd: ODD, paths: list[Sums], depth: int, low: int, high: int) -> tuple[Case, Case]:
    """A case that is positive with one value of an attribute and negative with another."""
    level = odd.levels[depth]
    node = int(np.argmax(paths[depth + 1][level[:, high]] > paths[depth + 1][level[:, low]]))
    better, worse = int(level[node, high]), int(level[node, low])
    head, tail = list[int](), list[int]()
    for above in reversed(odd.levels[:depth]):  # any way to the node
        node, value = (int(i[0]) for i in np.nonzero(above == node))
        head.insert(0, value)
    for k in range(depth + 1, len(odd.levels)):
        gains = paths[k + 1][odd.levels[k][better]] - paths[k + 1][odd.levels[k][worse]]
        tail.append(int(np.argmax(gains > 0)))
        better, worse = (int(odd.levels[k][n, tail[-1]]) for n in (better, worse))
    return (*head, high, *tail), (*head, low, *tail)
