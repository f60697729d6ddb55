# SPDX-License-Identifier: Apache-2.0
"""Two diagrams around a score that is too large for one of its own: what one accepts is surely accepted, and what the other refuses surely refused.

Positive iff start + the chosen weights >= 0. Every level has a *grid* of at most so many sums. Reading a value leads
from a sum of one grid to the sum that it makes, rounded to the next grid: down in the lower diagram, up in the upper
one. What follows a smaller sum accepts less, so lower <= score <= upper, whatever the grids. Where a level has few sums
they are the grid, and where it has few breakpoints (`two_ended`) these are: between two neighbours all sums decide alike,
so both diagrams go to the greatest breakpoint at most the sum, and nothing is lost. Logarithms were rounded when they
became whole numbers, and the most that this can have moved any sum is taken off the lower start and added to the upper.

A sum that is decided already, by the least and the greatest rest, is one of two nodes, *no* and *yes*, of a level. They are
no constants: a probability of zero may still rule a side out. Those states are three more nodes (`oddly.lowering.score`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.canonical import canonical
from oddly.lowering.score import ALWAYS, FINITE, IMPOSSIBLE, NEVER, Score, Term
from oddly.runtime import Watch

Sums = NDArray[np.int64]
Floats = NDArray[np.float64]
Nodes = NDArray[np.int64]
Side = Literal["lower", "upper"]

SPREAD = 0.02  # of a grid's points lie evenly, where the normal distribution sees nothing
MESH = 1 << 12  # places at which the density of a grid is worked out
BYTES = 64  # that an edge may take while its level is made
RULED_OUT = (NEVER, ALWAYS, IMPOSSIBLE)


@dataclass(frozen=True)
class Likely:
    """Independent values, about as probable as they are: where sums will lie."""

    weight: float
    rows: Sequence[Floats]
    """Per attribute, in the score's order, a probability per value."""


@dataclass(frozen=True)
class SumGrid:
    """The sums of one level that have a node each, and where they stop to be decided."""

    sums: Sums
    low: int
    """Sums below it are decided: no."""
    high: int
    """And those from it on: yes."""
    exact: bool
    """Whether they are breakpoints, so that rounding down loses nothing."""

    @property
    def yes(self) -> int:
        """The node of sums that are decided so; that of the others is 0, and the states follow."""
        return len(self.sums) + 1

    @property
    def width(self) -> int:
        return self.yes + 1 + len(RULED_OUT)

    def nodes(self, sums: Sums, side: Side) -> Nodes:
        """Where sums lead in a diagram of this side."""
        if side == "lower" or self.exact:
            found = np.searchsorted(self.sums, sums, side="right")
        else:
            found = np.searchsorted(self.sums, sums, side="left") + 1
        return np.where(sums < self.low, 0, np.where(sums >= self.high, self.yes, found))


def around(score: Score, points: int, likely: Sequence[Likely], watch: Watch | None = None) -> tuple[ODD, ODD]:
    """The diagrams below and above a score of 64 bits, with at most so many sums a level; cost: a search per edge."""
    watch = watch or Watch()
    watch.attributes = 2 * len(score.variables)
    return _side(score, "lower", points, likely, watch), _side(score, "upper", points, likely, watch)


def _side(score: Score, side: Side, points: int, likely: Sequence[Likely], watch: Watch) -> ODD:
    grids = _grids(score, outward(score, side), points, likely)
    levels: list[NDArray[np.uint32]] = []
    for terms, (here, below) in zip(score.terms, pairwise(grids), strict=True):
        watch.lists(len(levels), BYTES * here.width * len(terms) + 8 * sum(level.size for level in levels), 0)
        levels.append(_level(terms, here, below, side))
        watch.nodes(len(levels[-1]))
    ends = np.array([0, 1, *(score.outcomes[state] for state in RULED_OUT)], np.uint32)
    root = _root(score, grids[0], side)
    if not levels:
        return ODD(score.variables, score.labels, (), int(ends[root]), score.places)
    levels[-1] = ends[levels[-1]]
    found, root = canonical(levels, root, 2, [None] * len(levels))
    return ODD(score.variables, score.labels, found, root, score.places)


def outward(score: Score, side: Side) -> int:
    """The start, moved by as much as rounding can have moved any sum: a true sum is sum − error."""
    low, high = score.error
    return score.start - high.__ceil__() if side == "lower" else score.start + (-low).__ceil__()


def _root(score: Score, first: SumGrid, side: Side) -> int:
    if score.prior.state != FINITE:
        return first.yes + score.prior.state
    return int(first.nodes(np.array([outward(score, side)]), side)[0])


def _level(terms: Sequence[Term], here: SumGrid, below: SumGrid, side: Side) -> NDArray[np.uint32]:
    """The children of every node: no, the grid's sums, yes, and the states."""
    rows = np.empty((here.width, len(terms)), np.uint32)
    for value, term in enumerate(terms):
        if term.state == FINITE:
            rows[0, value], rows[here.yes, value] = 0, below.yes
            rows[1 : here.yes, value] = below.nodes(here.sums + term.weight, side)
        else:
            rows[: here.yes + 1, value] = below.yes + term.state
        for state in RULED_OUT:
            rows[here.yes + state, value] = below.yes + (state | term.state)
    return rows


# ---- grids ----


def _grids(score: Score, start: int, points: int, likely: Sequence[Likely]) -> list[SumGrid]:
    """The grid of every depth, the end included, where every sum is decided."""
    weights = [
        np.unique(np.array([t.weight for t in terms if t.state == FINITE] or [0], np.int64)) for terms in score.terms
    ]
    least, most = ([int(end(ws)) for ws in weights] for end in (np.min, np.max))
    lowest, highest = (list(accumulate(ends, initial=start)) for ends in (least, most))
    reach = list(zip(lowest, highest, strict=True))
    ends = [(highest[k] - highest[-1], lowest[k] - lowest[-1]) for k in range(len(reach))]
    sums = _few_sums(start, weights, ends, points)
    breakpoints = _few_breakpoints(weights, reach, points)
    curves = _Curves(score, start, likely)
    found = []
    for k, (low, high) in enumerate(ends):
        if k < len(sums):
            found.append(SumGrid(sums[k], low, high, False))
        elif len(ends) - 1 - k < len(breakpoints):
            turns = breakpoints[len(ends) - 1 - k]
            found.append(SumGrid(turns[(turns >= low) & (turns < high)], low, high, True))
        else:
            span = max(low, lowest[k]), min(high - 1, highest[k])
            found.append(SumGrid(curves.grid(k, *span, points), low, high, False))
    return found


def _few_sums(start: int, weights: Sequence[Sums], ends: Sequence[tuple[int, int]], points: int) -> list[Sums]:
    """The undecided sums of the first depths, while they are few."""
    found: list[Sums] = []
    reached = np.array([start], np.int64)
    for (low, high), ws in zip(ends, [*weights, np.zeros(1, np.int64)], strict=True):
        reached = reached[(reached >= low) & (reached < high)]
        if len(reached) > points:
            break
        found.append(reached)
        reached = np.unique((reached[:, None] + ws).ravel())
    return found


def _few_breakpoints(weights: Sequence[Sums], reach: Sequence[tuple[int, int]], points: int) -> list[Sums]:
    """The breakpoints of the last depths, from the end up, while they are few: those that some sum can meet, and the one
    before these."""
    found = [np.zeros(1, np.int64)]
    for ws, (lowest, highest) in zip(reversed(weights), reversed(reach[:-1]), strict=True):
        turns = np.unique((found[-1][:, None] - ws).ravel())
        before = max(int(np.searchsorted(turns, lowest, side="right")) - 1, 0)
        turns = turns[before : max(int(np.searchsorted(turns, highest, side="right")), before + 1)]
        if len(turns) > points:
            break
        found.append(turns)
    return found


class _Curves:
    """Where the sums of a depth, and its breakpoints, lie: normal distributions by mean and variance.

    Rounding across a gap costs the share of prefixes in it times that of suffixes, so points are as dense as the root
    of the product of both densities, added up over the parts of the distribution.
    """

    def __init__(self, score: Score, start: int, likely: Sequence[Likely]) -> None:
        self.weights = [part.weight for part in likely]
        by_part = [_moments(score, part) for part in likely]
        self.above = [(np.cumsum([start, *means]), np.cumsum([0.0, *spans])) for means, spans in by_part]
        self.below = [(-_rest(means), _rest(spans)) for means, spans in by_part]

    def grid(self, depth: int, low: int, high: int, points: int) -> Sums:
        """At most so many sums from low to high, both of them among these."""
        if high < low:
            return np.zeros(0, np.int64)
        if high - low < points:
            return np.arange(low, high + 1, dtype=np.int64)
        at = np.linspace(0.0, 1.0, MESH)
        dense = self._density(depth, low + at * float(high - low))
        dense = SPREAD / MESH + (1 - SPREAD) * dense / max(float(dense.sum()), np.finfo(float).tiny)
        share = np.append(0.0, np.cumsum((dense[1:] + dense[:-1]) / 2))
        where = np.interp(np.linspace(0.0, share[-1], max(points, 2)), share, at)
        inner = np.clip(low + (where * float(high - low)).astype(np.int64), low, high)  # ascending, as where is
        inner[0], inner[-1] = low, high
        kept: Sums = inner[np.append(True, inner[1:] != inner[:-1])]
        return kept

    def _density(self, depth: int, at: Floats) -> Floats:
        found = np.zeros(len(at))
        for weight, above, below in zip(self.weights, self.above, self.below, strict=True):
            found += weight * _bell(at, above[0][depth], above[1][depth]) * _bell(at, below[0][depth], below[1][depth])
        return np.asarray(np.sqrt(found))


def _moments(score: Score, part: Likely) -> tuple[Floats, Floats]:
    """The mean and the variance of each attribute's finite weights."""
    means, spans = [], []
    for terms, row in zip(score.terms, part.rows, strict=True):
        finite = np.array([t.state == FINITE for t in terms])
        weights, shares = np.array([float(t.weight) for t in terms])[finite], row[finite]
        shares = shares / shares.sum() if shares.sum() > 0 else np.full(len(shares), 1 / max(len(shares), 1))
        means.append(float(shares @ weights))
        spans.append(float(shares @ (weights - means[-1]) ** 2))
    return np.array(means), np.array(spans)


def _rest(numbers: Floats) -> Floats:
    """What follows each depth, added up."""
    return np.append(np.cumsum(numbers[::-1])[::-1], 0.0)


def _bell(at: Floats, mean: float, variance: float) -> Floats:
    """A normal density, up to a factor per depth that all parts share only roughly: it places points and proves nothing."""
    spread = max(float(np.sqrt(variance)), float(np.ptp(at)) / MESH, 1.0)
    return np.asarray(np.exp(-(((at - mean) / spread) ** 2) / 2) / spread)
