# SPDX-License-Identifier: Apache-2.0
"""How good can a card with small points be?  A search for points up to a budget that change the least probable decisions.

The best card of a budget is hard to find, and `least` has to prove it. Yet one attribute at a time it is easy,
and mostly leads there. Carry down the diagram how probable each (node, points so far) is, and up from the sinks how probable each
(points still to come) are with either decision. For one attribute, the sum of products of the two over its edges says, for
every value and for every number of points it might need, how probable right decisions would be; given the
cut-off the values do not disturb each other, so the best points of all of them, and the best cut-off, are read off.
Going through the attributes until none improves, from many starts, is the search.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.passes.semirings import Semiring
from oddly.diagram.passes.sweep import by_depth, up
from oddly.distribution.joint import Joint
from oddly.distribution.measure import Mixture
from oddly.lowering.score import ALWAYS, IMPOSSIBLE, NEVER, Score
from oddly.model.numbers import as_float
from oddly.questions.scorecard.cases import Unknowns
from oddly.runtime import stopped

Floats = NDArray[np.float64]
Points = list[NDArray[np.int64]]
"""By depth and value."""
WithCutoff = tuple[Points, int]

SCALES = (0.5, 0.65, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0)  # of the weights, against the budget: what sticks out is clipped
MOST_WORK = 60_000_000  # numbers held at a time
NOISE = 1e-14  # an improvement that floats cannot tell from none
LEAST = 1e-300  # what anything possible weighs, in floats


class CardSearch:
    """Cards for one diagram, under one distribution."""

    def __init__(self, odd: ODD, measure: Mixture | Joint, seed: int = 0) -> None:
        self.starts = list(_weights(odd))
        self.random = np.random.default_rng(seed)
        self.odd, self.products = numbered(odd, measure)
        self.groups = [[grouped(column) for column in level.T] for level in self.odd.levels]

    def best(self, budget: int, known: Sequence[Points], deadline: float) -> WithCutoff:
        """The best points up to a budget that were found, and their cut-off; `known` are cards to start from too."""
        most = budget * len(self.odd.levels) + 1
        if self.odd.size * most * len(self.products) > MOST_WORK:
            raise stopped(f"{self.odd.size:,} nodes times {most:,} sums of points are too many to search through", "")
        champion: tuple[float, Points, int] = (-inf, [], 0)
        starts = [*known, *(_scaled(w, budget, scale) for w in self.starts for scale in SCALES)]
        for start in {np.concatenate([*one, []]).tobytes(): one for one in starts}.values():  # each only once
            champion = max(champion, self._descended(start, budget), key=lambda found: found[0])
            if monotonic() > deadline:
                break
        return champion[1:]

    def nearby(self, budget: int, card: WithCutoff, tries: int, deadline: float) -> WithCutoff:
        """The same, from random starts near a good card."""
        champion = self._descended(card[0], budget)
        for _ in range(tries):
            found = self._descended(self._kicked(champion[1], budget), budget)
            if found[0] > champion[0] + NOISE:
                champion = found
            if monotonic() > deadline:
                break
        return champion[1:]

    def _kicked(self, points: Points, budget: int) -> Points:
        """Some points changed by one, at random: a new start near a good card."""
        steps = [self.random.integers(-1, 2, len(row)) * (self.random.random(len(row)) < 0.4) for row in points]
        return [np.clip(row + step, 0, budget) for row, step in zip(points, steps, strict=True)]

    def _descended(self, points: Points, budget: int) -> tuple[float, Points, int]:
        """One attribute after another set to its best, until none gets better: (how right, points, cut-off)."""
        points = [row.copy() for row in points]
        best, cutoff = -inf, 0
        if not points:
            return 0.0, points, 1 - self.odd.root
        while True:
            before = best
            rest = self._to_come(points)
            so_far = [np.eye(self.odd.widths[0])[:, [self.odd.root]] for _ in self.products]
            for depth in range(len(points)):
                right = self._right(depth, so_far, rest)
                best, points[depth], cutoff = _best_row(right, points[depth], budget)
                below = self.odd.widths[depth + 1], self.groups[depth], points[depth]
                both = zip(so_far, self.products, strict=True)
                so_far = [_carried(f, rows[depth], *below) for f, (rows, _) in both]
            least = [int(row.min()) for row in points]  # 0, from now on
            points = [row - low for row, low in zip(points, least, strict=True)]
            cutoff = max(cutoff - sum(least), 0)
            if best <= before + NOISE:
                return best, points, cutoff

    def _to_come(self, points: Points) -> list[list[Floats]]:
        """By product and depth: for each node and each number of points still to come, Pr(yes) − Pr(no)."""
        every = (list(zip(rows, points, strict=True)) for rows, _ in self.products)
        return [by_depth(up(self.odd.levels, [[-1.0], [1.0]], rows, EARNED)) for rows in every]

    def _right(self, depth: int, so_far: list[Floats], rest: list[list[Floats]]) -> Floats:
        """For each value and number of points needed from the others: Pr(yes) − Pr(no) of those that have them."""
        level = self.odd.levels[depth]
        above, below = so_far[0].shape[1], rest[0][depth + 1].shape[1]
        found = np.zeros((level.shape[1], above + below))
        places = np.add.outer(np.arange(above), np.arange(below)).ravel()
        for f, depths, (rows, weight) in zip(so_far, rest, self.products, strict=True):
            for value, p in enumerate(rows[depth].T):
                if p.any():
                    both = (p[:, None] * f).T @ depths[depth + 1][level[:, value]]
                    found[value] += weight * np.bincount(places, both.ravel(), above + below)
        return np.cumsum(found[:, ::-1], axis=1)[:, ::-1]


@dataclass(frozen=True)
class _ByPoints(Semiring):
    """Floats by node and number of points, which add up along a path: a row is probabilities, and points by value."""

    def gather(self, below: Floats, level: NDArray[Any], row: tuple[Floats, NDArray[np.int64]]) -> Floats:
        sums = below.shape[1]
        above = np.zeros((len(level), sums + int(row[1].max())))
        for column, p, e in zip(level.T, row[0].T, row[1], strict=True):
            above[:, e : e + sums] += p[:, None] * below[column]
        return above


EARNED = _ByPoints(np.add, np.multiply, 0, 1, np.float64)


def _best_row(right: Floats, now: NDArray[np.int64], budget: int) -> tuple[float, NDArray[np.int64], int]:
    """The best points of one attribute's values and the best cut-off, given all others."""
    values, most = right.shape
    needed = np.arange(most + budget)[None, :] - np.arange(budget + 1)[:, None]  # from the others, by own points
    gains = right[:, np.clip(needed, 0, most - 1)]  # by value, points and cut-off; the last one nobody reaches
    gains += NOISE / 100 * (np.arange(budget + 1)[None, :] == now[:, None])[:, :, None]  # of equals, what is there
    cutoff = int(np.argmax(gains.max(axis=1).sum(axis=0)))
    row = gains[:, :, cutoff].argmax(axis=1)
    score = float(right[np.arange(values), np.clip(cutoff - row, 0, most - 1)].sum())
    return score, row.astype(np.int64), cutoff


Group = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint32]]
"""Nodes by their child, where each child's begin, and the children."""


def grouped(column: NDArray[np.uint32]) -> Group:
    by_child = np.argsort(column, kind="stable")
    first = np.flatnonzero(np.diff(column[by_child].astype(np.int64), prepend=-1))
    return by_child, first, column[by_child][first]


def _carried(here: Floats, row: Floats, width: int, groups: list[Group], earned: NDArray[np.int64]) -> Floats:
    """How probable each (node, points so far) is one attribute further down."""
    sums = here.shape[1]
    below = np.zeros((width, sums + int(earned.max())))
    for (by_child, first, children), p, e in zip(groups, row.T, earned, strict=True):
        below[children, e : e + sums] += np.add.reduceat((p[:, None] * here)[by_child], first, axis=0)
    return below


def _scaled(weights: list[Floats], budget: int, scale: float) -> Points:
    times = scale * budget / (max((float(np.ptp(row)) for row in weights), default=0) or 1)
    return [np.clip(np.round((row - row.min()) * times), 0, budget).astype(np.int64) for row in weights]


def numbered(odd: ODD, measure: Mixture | Joint) -> tuple[ODD, list[tuple[list[Floats], float]]]:
    """The diagram, and for every class a probability per depth, node and value, and its own."""
    if isinstance(measure, Joint):
        unfolded = measure.unfolded(odd)
        scale = float(unfolded.scale / measure.mass)
        weights = [float(weight) * scale for weight in unfolded.weights]
        return unfolded.odd, [(rows, w) for rows, w in zip(unfolded.rows, weights, strict=True) if w]
    rows = [by_node([np.array([_float(q) for q in row]) for row in p.rows], odd) for p in measure.products]
    weights = [_float(p.weight / measure.mass) for p in measure.products]
    return odd, [(own, w) for own, w in zip(rows, weights, strict=True) if w]


def by_node(rows: Sequence[Floats], odd: ODD) -> list[Floats]:
    """A number per node and value, from one per value."""
    return [np.broadcast_to(row, level.shape) for row, level in zip(rows, odd.levels, strict=True)]


def _float(p: Fraction) -> float:
    return max(float(p), LEAST) if p else 0.0


# ---- where to start ----


def _weights(odd: ODD) -> Iterator[list[Floats]]:
    """Weights that decide about as the diagram does: the model's own, and how many cases each value makes positive."""
    source, infinite = odd.source, {NEVER: -inf, ALWAYS: inf, IMPOSSIBLE: 0.0}
    if isinstance(source, Score):
        terms = [source.terms[source.index(name)] for name in odd.order]
        rows = [[infinite[t.state] if t.state else as_float(t.weight * source.unit) for t in row] for row in terms]
        finite = [abs(w) for row in rows for w in row if abs(w) < inf]
        cap = 2 * max(finite, default=1.0) + 1  # what is infinite is more than all that is finite
        yield [np.clip(row, -cap, cap) for row in rows]
    yield [np.array([n * len(row) / odd.instances for n in row], float) for row in Unknowns.of(odd).positives]
