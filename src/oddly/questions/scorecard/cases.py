# SPDX-License-Identifier: Apache-2.0
"""Which cases say what points must be?

A card decides as a diagram does iff the least points of any positive case reach the cut-off and the greatest of any
negative one do not. Those cases are shortest and longest paths, so for given points one pass up and one down find,
for every value, the case that has it and comes closest: the only ones worth writing down as constraints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.measure import downward, uniform, upward

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
        positives = tuple(tuple(row) for row in _positives(odd))
        numbers: list[tuple[int, ...]] = []
        next_number = 0
        for level, row in zip(odd.levels, positives, strict=True):
            fewest = level[:, row.index(min(row))].tobytes()
            known = {fewest: LEAST}
            for column in level.T:
                if column.tobytes() not in known:
                    known[column.tobytes()] = next_number
                    next_number += 1
            numbers.append(tuple(known[column.tobytes()] for column in level.T))
        return cls(odd, tuple(numbers), positives)

    @cached_property
    def uses(self) -> NDArray[np.int64]:
        """How many values share each unknown."""
        flat = np.array([i for row in self.numbers for i in row if i != LEAST], np.int64)
        return np.bincount(flat, minlength=0)

    def points(self, found: Sequence[Any] | NDArray[Any]) -> list[Sums]:
        """By depth and value, from the values of the unknowns."""
        padded = np.append(np.asarray(found), np.zeros(1, np.asarray(found).dtype))  # LEAST is the last
        return [padded[list(row)] for row in self.numbers]

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
        paths = _paths_to_positive(self.odd)
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
    signed = [row if label == POSITIVE else -row for row in points]
    after = _to_sink(odd, signed, label)
    best = after[0][odd.root]
    if not odd.levels or best >= _far(after[0]) // 2:
        return (None if best >= _far(after[0]) // 2 else best * 0), []
    before = _from_root(odd, signed)
    cases = set(_through_edges(odd, signed, before, after))
    return (best if label == POSITIVE else -best), sorted(cases)


def cutoff_of(odd: ODD, points: Sequence[Sums]) -> int | None:
    """The least cut-off with which whole-number points decide as the diagram does; None if there is none."""
    low = _to_sink(odd, points, POSITIVE)[0][odd.root]
    high = -_to_sink(odd, [-row for row in points], NEGATIVE)[0][odd.root]
    far = _far(np.zeros(0, np.int64)) // 2
    if high <= -far:
        return 0
    return int(high) + 1 if low > high else None


# ---- paths ----


def _to_sink(odd: ODD, points: Sequence[Sums], label: int) -> list[Sums]:
    """For every node of every depth the least sum on a path to a label."""
    kind = points[0].dtype if points else np.dtype(np.int64)
    found = [np.full(len(odd.labels), _far(np.zeros(0, kind)), kind)]
    found[0][label] = 0
    for level, row in zip(reversed(odd.levels), reversed(points), strict=True):
        found.append(np.min([found[-1][column] + p for column, p in zip(level.T, row, strict=True)], axis=0))
    return found[::-1]


def _from_root(odd: ODD, points: Sequence[Sums]) -> list[Sums]:
    """For every node above the sinks the least sum on a path from the root."""
    found = [np.full(width, _far(points[0]), points[0].dtype) for width in odd.widths[:-1]]
    found[0][odd.root] = 0
    for level, row, here, below in zip(odd.levels, points, found, found[1:], strict=False):
        for column, p in zip(level.T, row, strict=True):
            np.minimum.at(below, column, here + p)
    return found


def _through_edges(odd: ODD, points: Sequence[Sums], before: list[Sums], after: list[Sums]) -> list[Case]:
    """For every value a best case over an edge that is labelled with it."""
    arriving = [_parents(odd, points, before, depth) for depth in range(len(odd.levels) - 1)]
    found = []
    for depth, (level, row) in enumerate(zip(odd.levels, points, strict=True)):
        for value, p in enumerate(row):
            sums = before[depth] + p + after[depth + 1][level[:, value]]
            node = int(np.argmin(sums))
            if sums[node] < _far(sums) // 2:
                head = _up(arriving[:depth], node)
                found.append((*head, value, *_down(odd, points, after, depth + 1, int(level[node, value]))))
    return found


Arrivals = tuple[NDArray[np.intp], NDArray[np.intp]]


def _parents(odd: ODD, points: Sequence[Sums], before: list[Sums], depth: int) -> Arrivals:
    """For every node of the next depth, a node and a value by which its least sum arrives."""
    parent, by_value = np.zeros((2, odd.widths[depth + 1]), np.intp)
    for value, (column, p) in enumerate(zip(odd.levels[depth].T, points[depth], strict=True)):
        nodes = np.flatnonzero(before[depth] + p == before[depth + 1][column])
        parent[column[nodes]] = nodes
        by_value[column[nodes]] = value
    return parent, by_value


def _up(arriving: Sequence[Arrivals], node: int) -> list[int]:
    """The values on the best way from the root to a node."""
    values = []
    for parent, by_value in reversed(arriving):
        values.append(int(by_value[node]))
        node = int(parent[node])
    return values[::-1]


def _down(odd: ODD, points: Sequence[Sums], after: list[Sums], depth: int, node: int) -> list[int]:
    """The values on the best way from a node to the sink."""
    values = []
    for k in range(depth, len(odd.levels)):
        children = odd.levels[k][node]
        values.append(int(np.argmin(after[k + 1][children] + points[k])))
        node = int(children[values[-1]])
    return values


def _far(like: Sums) -> Any:
    """More than any sum: a distance that adding all points to leaves recognisable."""
    return 1 << 62 if like.dtype == np.int64 else 1e300


# ---- counts ----


def _paths_to_positive(odd: ODD) -> list[Sums]:
    """For every node of every depth, how many of its paths are positive."""
    rows = _ones(odd)
    sinks = np.zeros(len(odd.labels), rows[0].dtype if rows else np.int64)
    sinks[POSITIVE] = 1
    return list(upward(odd.levels, sinks, rows))[::-1]


def _positives(odd: ODD) -> list[list[int]]:
    """By depth and value, how many cases are positive."""
    if not odd.levels:
        return []
    ways = zip(downward(odd, _ones(odd)), _paths_to_positive(odd)[1:], odd.levels, strict=False)
    return [[int((here * below[column]).sum()) for column in level.T] for here, below, level in ways]


def _ones(odd: ODD) -> list[Sums]:
    return uniform(odd.variables).products[0].integers()[0]


def _step(odd: ODD, paths: list[Sums], depth: int, low: int, high: int) -> tuple[Case, Case]:
    """A case that is positive with one value of an attribute and negative with another."""
    level = odd.levels[depth]
    node = int(np.argmax(paths[depth + 1][level[:, high]] > paths[depth + 1][level[:, low]]))
    head = _any_way(odd, depth, node)
    better, worse = int(level[node, high]), int(level[node, low])
    tail = []
    for k in range(depth + 1, len(odd.levels)):
        gains = paths[k + 1][odd.levels[k][better]] - paths[k + 1][odd.levels[k][worse]]
        tail.append(int(np.argmax(gains > 0)))
        better, worse = (int(odd.levels[k][n, tail[-1]]) for n in (better, worse))
    return (*head, high, *tail), (*head, low, *tail)


def _any_way(odd: ODD, depth: int, node: int) -> list[int]:
    values = []
    for level in reversed(odd.levels[:depth]):
        node, value = (int(i[0]) for i in np.nonzero(level == node))
        values.append(value)
    return values[::-1]
