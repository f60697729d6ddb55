# SPDX-License-Identifier: Apache-2.0
"""The smallest whole-number points that decide as a diagram does.

The points of every positive case must reach the cut-off, and those of no negative one: a mixed-integer programme
with as many rows as there are cases. A diagram need not write them all down. A few cases are enough to solve it for;
the diagram then names the cases that the solution gets wrong, and they join the few, until there are none. (Two
potentials per node would say the same in as many rows as the diagram has edges; the few cases are fewer.) Linear
programmes come first, and mostly their solution is whole; HiGHS branches and bounds where it is not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.errors import Unsupported
from oddly.questions.scorecard.cases import NEGATIVE, POSITIVE, Case, Unknowns, nearest
from oddly.questions.scorecard.proof import CaseLimits, PointBounds, conflict, least_largest, refuted, separating

Points = NDArray[np.int64]
"""The value of each unknown."""
Solved = NDArray[np.float64]  # the same, not yet whole

OUT_OF_TIME = "time ran out"
MOST_SEARCHED = 100_000  # points beyond which branching is hopeless, and floats no longer tell whole numbers
MOST_POINTS = 1 << 53  # beyond which floats cannot hold them
SCALES = 200  # how many multiples of a fractional solution are tried as whole numbers


@dataclass(frozen=True)
class Solution:
    """What the search came to."""

    points: Points | None
    bound: int
    """No exact card has its largest points below this: proven in whole numbers."""
    smallest: bool
    """Whether it is proven that no card has less for its largest points, and of those none less in all."""
    conflict: list[tuple[int, Case]] | None = None
    """Why there is no card at all."""
    gave_up: str = ""
    """What stopped the search, if something did."""


@dataclass
class Programme:
    """The unknowns, and the cases met so far."""

    unknowns: Unknowns
    deadline: float
    cases: tuple[list[Case], list[Case]] = field(default_factory=lambda: ([], []))
    """The negative ones, the positive ones."""
    seen: set[tuple[int, bytes]] = field(default_factory=set)

    def meet(self, label: int, cases: Iterable[Case]) -> int:
        """Write down cases; those that earn the same unknowns are one. How many were new?"""
        before = len(self.seen)
        for case in cases:
            key = (label, self.unknowns.uses_of(case).tobytes())
            if key not in self.seen:
                self.seen.add(key)
                self.cases[label].append(case)
        return len(self.seen) - before

    def limits(self) -> CaseLimits:
        size = len(self.unknowns.uses)
        rows = [np.array([self.unknowns.uses_of(c) for c in side], object).reshape(-1, size) for side in self.cases]
        return CaseLimits(self.unknowns.uses.astype(object), rows[POSITIVE], rows[NEGATIVE])


def smallest_points(odd: ODD, most: int | None, deadline: float) -> Solution:
    """The least largest points, then the least in all, with which a card decides as a diagram of two labels."""
    programme = Programme(Unknowns.of(odd), deadline)
    if not len(programme.unknowns.uses):  # every case is decided alike
        return Solution(np.zeros(0, np.int64), 0, True)
    _need_scipy()
    for positive, negative in programme.unknowns.steps():
        programme.meet(POSITIVE, [positive])
        programme.meet(NEGATIVE, [negative])
    fractional = _least(programme, whole=False)
    if fractional is None:
        return _none_at_all(programme)
    return _largest_then_total(programme, fractional, most)


def _largest_then_total(programme: Programme, fractional: Solved, most: int | None) -> Solution:
    points = _made_whole(programme, fractional)
    bound = least_largest(programme.limits(), int(fractional.max(initial=0)))
    if points is None:
        return Solution(None, bound, False, gave_up="points this large are beyond floating point")
    if most is not None and bound > most:
        return Solution(None, bound, True)
    if points.max() > bound:
        points, bound = _branched(programme, points, bound, most)
    why = "points this large are too many to search" if bound > MOST_SEARCHED else OUT_OF_TIME
    if most is not None and points.max() > most:
        return Solution(None, bound, bound > most, gave_up="" if bound > most else why)
    if points.max() > bound:
        return Solution(points, bound, False, gave_up=why)
    points, smallest = _least_in_all(programme, points)
    return Solution(points, bound, smallest, gave_up="" if smallest else OUT_OF_TIME)


def _branched(programme: Programme, points: Points, bound: int, most: int | None) -> tuple[Points, int]:
    """Less than these largest points, by branching; and the bound that was proven on the way."""
    if bound > MOST_SEARCHED:
        return points, bound
    found = _least(programme, whole=True, cap=int(points.max()))
    if found is not None:
        points = found.astype(np.int64)
    bound = max(bound, least_largest(programme.limits(), int(points.max())))
    while points.max() > bound:  # HiGHS says so in floats; now in whole numbers
        lower = min(int(points.max()) - 1, most if most is not None else int(points.max()))
        better = _searched(programme, PointBounds((0,) * len(points), (lower,) * len(points)))
        if better is None:
            break
        if isinstance(better, bool):
            bound = lower + 1
            break
        points = better
    return points, bound


def _least_in_all(programme: Programme, points: Points) -> tuple[Points, bool]:
    """The least sum of all points with the same largest ones, and whether that is proven."""
    uses, cap = programme.unknowns.uses, int(points.max())
    if cap > MOST_SEARCHED:
        return points, False
    for whole in (False, True):
        found = _least(programme, whole=whole, cap=cap, in_all=True)
        if found is not None and np.allclose(found, np.round(found), atol=1e-6):
            candidate = np.round(found).astype(np.int64)
            if programme.unknowns.cutoff(candidate) is not None:
                points = candidate if uses @ candidate < uses @ points else points
                break
    while True:
        box = PointBounds((0,) * len(points), (cap,) * len(points), int(uses @ points) - 1)
        better = _searched(programme, box)
        if better is None or isinstance(better, bool):
            return points, better is not None
        points = better


def _searched(programme: Programme, box: PointBounds) -> Points | bool | None:
    """Exact points in a box; True if there are none, proven; None if time ran out."""
    while True:
        found = refuted(programme.limits(), box, programme.deadline)
        if isinstance(found, bool):
            return found or None
        if programme.unknowns.cutoff(found) is not None:
            return found
        _meet_nearest(programme, found)


def _none_at_all(programme: Programme) -> Solution:
    """The linear programme has no solution: show why, exactly. Points of either sign must be ruled out for that."""
    while monotonic() < programme.deadline:
        closest = separating(programme.limits())
        if closest is None or not _meet_nearest(programme, closest):
            break
    found = conflict(programme.unknowns, programme.cases[POSITIVE], programme.cases[NEGATIVE])
    why = "" if found else OUT_OF_TIME if monotonic() > programme.deadline else "floating point does not settle it"
    return Solution(None, 0, found is not None, found, gave_up=why)


# ---- solving, and asking the diagram ----


def _least(programme: Programme, whole: bool, cap: int | None = None, in_all: bool = False) -> Solved | None:
    """The unknowns that minimise the largest points, or their sum; None if there are none, or time ran out.

    Every solution is held against the diagram, and the cases that it gets wrong are added.
    """
    while monotonic() < programme.deadline:
        found = _solved(programme, whole, cap, in_all)
        if found is None:
            return None
        found = np.round(found) if whole else found
        slack = 1e-6 + 1e-9 * float(found.max(initial=0))  # a fraction is forgiven what a solver does not see
        if not _meet_nearest(programme, found, 1 - slack):
            return found
    return None


def _solved(programme: Programme, whole: bool, cap: int | None, in_all: bool) -> Solved | None:
    """HiGHS on the cases met so far. Its variables are the unknowns, the cut-off and the largest points."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    limits, size = programme.limits(), len(programme.unknowns.uses)
    positive, negative = (np.asarray(rows, float) for rows in (limits.positive, limits.negative))
    parts = (positive, -1, 0), (-negative, 1, 0), (-np.eye(size), 0, 1)
    rows = np.vstack([np.hstack([part, np.tile([float(a), b], (len(part), 1))]) for part, a, b in parts])
    at_least = np.concatenate([np.zeros(len(positive)), np.ones(len(negative)), np.zeros(size)])
    cost = np.append(programme.unknowns.uses, [0, 0]) if in_all else np.append(np.zeros(size + 1), 1)
    bounds = Bounds(0, np.append(np.full(size, np.inf if cap is None else cap), [np.inf, np.inf]))
    limit, integral = {"time_limit": max(programme.deadline - monotonic(), 0.1)}, np.full(size + 2, int(whole))
    must = LinearConstraint(rows, at_least, np.inf)
    answer = milp(cost, constraints=must, integrality=integral, bounds=bounds, options=limit)
    return None if answer.x is None else np.maximum(answer.x[:size], 0)


def _meet_nearest(programme: Programme, found: NDArray[Any], enough: float = inf) -> int:
    """Add the cases that come closest, unless the two sides are far enough apart: how many are new?"""
    points, odd = programme.unknowns.points(found), programme.unknowns.odd
    (high, negative), (low, positive) = (nearest(odd, points, label) for label in (NEGATIVE, POSITIVE))
    if low is None or high is None or low - high >= enough:
        return 0
    return programme.meet(POSITIVE, positive) + programme.meet(NEGATIVE, negative)


def _made_whole(programme: Programme, fractional: NDArray[np.float64]) -> Points | None:
    """The smallest multiple of a solution, among those tried, that is exact when rounded to whole numbers."""
    for scale in (*range(1, SCALES), *(SCALES << k for k in range(12))):
        if fractional.max(initial=0) * scale * len(programme.unknowns.odd.levels) > MOST_POINTS:
            return None
        for part in (1, 2) if scale % 2 else (1,):  # halves do where all fractions are halves
            points: Points = np.round(fractional * scale / part).astype(np.int64)
            if programme.unknowns.cutoff(points) is not None:
                return points
    return None


def _need_scipy() -> None:
    try:
        import scipy.optimize  # noqa: F401
    except ImportError:
        raise Unsupported("a scorecard is found with SciPy.  Install it with: pip install scipy") from None
