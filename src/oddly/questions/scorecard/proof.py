# SPDX-License-Identifier: Apache-2.0
"""Why there is no smaller card, or none at all: proofs that are checked in whole numbers.

Weigh some positive cases, and some negative ones, each side with whole weights λ and μ that sum to Λ and N. If a card
separates them by at least one point, then its weighted sums do as well: for g = N·Σλx − Λ·Σμy, with x and y the
values of the cases, Σ g·points >= Λ·N. Points between two bounds cannot make that sum larger than what the better
bound of each gives; if that is too little, there is no such card. If g = 0 there is none at all: the two sides
have every value equally often, so every card gives both the same. A linear programme in floats finds the weights; what
they prove is then worked out exactly, and holds however the weights were found. Where the bounds are not enough,
they are split at a whole number, and both halves are refuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.questions.scorecard.cases import Case, Unknowns

GRAIN = 1 << 64  # weights are rounded to this part of one
Whole = NDArray[Any]
"""Python's integers: nothing here may overflow."""


@dataclass(frozen=True)
class PointBounds:
    """Bounds on every unknown, and on the points of all values together."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    total: int | None = None

    def split(self, unknown: int, at: int) -> tuple["PointBounds", "PointBounds"]:
        """The part with up to `at` points for this unknown, and the part with more."""
        low, high = list(self.low), list(self.high)
        high[unknown], low[unknown] = at, at + 1
        return PointBounds(self.low, tuple(high), self.total), PointBounds(tuple(low), self.high, self.total)


@dataclass(frozen=True, eq=False)
class CaseLimits:
    """The cases that were met so far, as they limit the unknowns: one row per case."""

    uses: Whole
    """How many values share each unknown."""
    positive: Whole
    negative: Whole


def least_largest(limits: CaseLimits, about: int) -> int:
    """A number that the largest points of no exact card are below, proven; `about` says what to expect."""
    size = len(limits.uses)
    if not (size and len(limits.positive) and len(limits.negative)):
        return 0
    needed, g, _ = _weighed(limits, PointBounds((0,) * size, (max(about, 1),) * size)) or (0, [], None)
    reach = sum(x for x in g if x > 0)
    return -(-needed // reach) if reach else 0


def refuted(limits: CaseLimits, box: PointBounds, deadline: float) -> bool | NDArray[np.int64]:
    """Whether no whole-number points in a box separate the cases.

    True if proven; points that do separate them, if some were met; False if time ran out.
    """
    waiting = [box]
    while waiting:
        if monotonic() > deadline:
            return False
        box = waiting.pop()
        if box.total is not None and sum(u * p for u, p in zip(limits.uses.tolist(), box.low, strict=True)) > box.total:
            continue
        weighed = _weighed(limits, box)
        if weighed is None:
            return False
        needed, g, x = weighed
        if sum(max(a * low, a * high) for a, low, high in zip(g, box.low, box.high, strict=True)) < needed:
            continue  # that is the largest Σ g·points in the box
        unknown = int(np.argmax(np.abs(x - np.round(x))))
        if abs(x[unknown] - round(x[unknown])) < 1e-6:
            whole = np.round(x).astype(np.int64)
            low, high = (side @ whole.astype(object) for side in (limits.positive, limits.negative))
            if low.min(initial=1 << 99) > high.max(initial=-(1 << 99)):
                return whole
            open_ones = [i for i, (a, b) in enumerate(zip(box.low, box.high, strict=True)) if a < b]
            if not open_ones:
                return False
            unknown = open_ones[0]
        at = min(max(int(np.floor(x[unknown])), box.low[unknown]), box.high[unknown] - 1)
        waiting += box.split(unknown, at)
    return True


def separating(limits: CaseLimits) -> NDArray[np.float64] | None:
    """Points between −1 and 1 that separate the cases as widely as possible; None where nothing is to be separated."""
    size = len(limits.uses)
    weighed = _weighed(limits, PointBounds((-1,) * size, (1,) * size))
    return None if weighed is None else weighed[2]


def conflict(unknowns: Unknowns, positive: Sequence[Case], negative: Sequence[Case]) -> list[tuple[int, Case]] | None:
    """Cases, and how often each, such that both sides have every value equally often: negative ones count below zero.

    No points whatever separate them. None if these cases have no such conflict, or floats did not find it.
    """
    if not (positive and negative):
        return None
    cases = [*positive, *negative]
    rows = [unknowns.uses_of(case) for case in cases]
    signs = np.array([1] * len(positive) + [-1] * len(negative))
    weights = _balance(np.array(rows).reshape(len(rows), -1), signs)
    used = [i for i, w in enumerate(weights) if w > 1e-9]
    equations = [[int(signs[i]) * int(c) for c in (*rows[i], 1)] for i in used]
    times = _null_vector([list(column) for column in zip(*equations, strict=True)])
    if times is None or any(t <= 0 for t in times):
        return None
    return [(int(signs[i]) * t, cases[i]) for i, t in zip(used, times, strict=True)]


# ---- weights, from a linear programme ----


def _weighed(limits: CaseLimits, box: PointBounds) -> tuple[int, list[int], NDArray[np.float64]] | None:
    """The Λ·N and the g of weights that prove the most about a box, and the points that come closest in it.

    With a bound on all points together, its own weight ν is taken off g and off Λ·N here, so that what remains to
    be shown has the same form.
    """
    from scipy.optimize import linprog

    k, many = len(limits.uses), len(limits.positive)
    rows = [[*(-x), 1, 0] for x in limits.positive]  # cut-off − points <= 0
    rows += [[*y, -1, 1] for y in limits.negative]  # points − cut-off + gap <= 0
    right = [0] * len(rows)
    if box.total is not None:
        rows.append([*limits.uses, 0, 0])
        right.append(box.total)
    cost = np.zeros(k + 2)
    cost[-1] = -max(box.high, default=1)  # so that the weights of large points stay above a solver's tolerance
    bounds = [*zip(box.low, box.high, strict=True), (None, None), (None, None)]
    found = linprog(cost, A_ub=np.array(rows, float), b_ub=right, bounds=bounds, method="highs-ds")
    if found.status != 0:
        return None
    duals = [max(round(-float(d) * GRAIN), 0) for d in found.ineqlin.marginals]
    ours, theirs = duals[:many], duals[many : many + len(limits.negative)]
    all_ours, all_theirs = sum(ours), sum(theirs)
    if not (all_ours and all_theirs):
        return None
    g = all_theirs * _sum(ours, limits.positive) - all_ours * _sum(theirs, limits.negative)
    needed = all_ours * all_theirs
    if box.total is not None:
        extra = duals[-1] * all_ours  # a weight beside those of the negative side, in the units of g
        g = g - extra * limits.uses
        needed -= extra * box.total
    return needed, g.tolist(), found.x[:k]


def _sum(weights: list[int], rows: Whole) -> Whole:
    return np.asarray(np.sum([w * row for w, row in zip(weights, rows, strict=True) if w], axis=0))


def _balance(rows: NDArray[np.int64], signs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weights of all cases for which both sides weigh one and come closest to having every value equally often."""
    from scipy.optimize import linprog

    cases, k = rows.shape
    # Σ ± weight·row = over − under, and over + under is what is to be least
    equal = np.hstack([(rows * signs[:, None]).T.reshape(k, cases), -np.eye(k), np.eye(k)])
    sides = [np.append((signs == side).astype(float), np.zeros(2 * k)) for side in (1, -1)]
    cost, right = np.append(np.zeros(cases), np.ones(2 * k)), np.append(np.zeros(k), [1, 1])
    found = linprog(cost, A_eq=np.vstack([equal, *sides]), b_eq=right, method="highs-ds")
    return np.zeros(cases) if found.status != 0 else np.asarray(found.x[:cases])


def _null_vector(equations: list[list[int]]) -> list[int] | None:
    """The whole numbers that solve homogeneous equations, if they do up to a factor; by elimination in fractions."""
    rows = [[Fraction(c) for c in row] for row in equations]
    unknowns = len(rows[0]) if rows else 0
    pivots: list[int] = []
    for column in range(unknowns):
        at = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if at is None:
            continue
        here = len(pivots)
        rows[here], rows[at] = rows[at], rows[here]
        rows[here] = [c / rows[here][column] for c in rows[here]]
        for i, row in enumerate(rows):
            if i != here and row[column]:
                rows[i] = [c - row[column] * d for c, d in zip(row, rows[here], strict=True)]
        pivots.append(column)
    free = [c for c in range(unknowns) if c not in pivots]
    if len(free) != 1:
        return None
    solution = [Fraction(0)] * unknowns
    solution[free[0]] = Fraction(1)
    for i, column in enumerate(pivots):
        solution[column] = -rows[i][free[0]]
    scale = lcm(*(c.denominator for c in solution))
    return [int(c * scale) for c in solution]
