# SPDX-License-Identifier: Apache-2.0
"""The two-ended algorithm on sorted arrays: the engine's readable specification and fallback, beside its twin in C++.

Positive iff start + the chosen weights >= 0. Theorem 2.1 of Chan and Darwiche (2003) read as arrays: let T be
the *breakpoints* of a level, the negated sums of everything below it. Two sums a < b reached at that level
have the same sub-diagram iff no breakpoint t has a < t <= b, so a node is a gap between neighbouring
breakpoints that some sum hits. Sums grow from the top, breakpoints from the bottom, whichever list is shorter,
until they meet at a level m; below m a node is the place of a sum among the breakpoints, above m neighbouring
sums with equal children are one node.

Lists are kept short by *covers*, supersets of what a level can hold as a few closed intervals: sums with no
possible breakpoint between them are one sum, and of the breakpoints between two neighbouring stretches of
possible sums only the first and the last can matter. With one interval per level that is plain clipping: a sum
that is already decided, a breakpoint that no sum reaches.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.runtime import Watch, stopped

Sums = NDArray[Any]  # 64-bit integers, or Python's where those would overflow
Level = NDArray[np.uint32]
Weights = Sequence[Sequence[int]]
"""The distinct weights of each attribute."""
Built = tuple[list[Level], int]
"""The levels of a diagram, and its root."""
Cover = tuple[Sums, Sums]  # the lower and the upper ends of disjoint closed intervals, ascending

BYTES = 40  # that an entry may take by the time its level is done
LONG = 1 << 18  # a list longer than this is worth a finer cover


def build(start: int, weights: Weights, watch: Watch) -> Built:
    """The diagram of [start + Σ weights >= 0], level by level, and its root.

    weights[k] are the distinct weights of attribute k. Level k has a row of children per node, ascending by the
    sums that reach it; the children of the last level are 0 (negative) and 1 (positive).
    """
    top, bottom = _grow(start, weights, watch)
    below, ids = _below(top[-1], bottom[::-1], weights[len(top) - 1 :], watch)
    above, root = _above(top, ids, weights, watch)
    return above + below, root


def _grow(start: int, weights: Weights, watch: Watch) -> tuple[list[Sums], list[Sums]]:
    """Sums of levels 0, 1, … m and breakpoints of levels n, n-1, … m."""
    n = len(weights)
    kind = np.int64 if _fits(start, weights) else object
    top: list[Sums] = [np.array([start], kind)]
    bottom: list[Sums] = [np.array([0], kind)]
    most, limit = 1, LONG
    sums_cover, breaks_cover = _covers(start, weights, most, kind)
    while len(top) + len(bottom) < n + 2:
        from_top = len(top[-1]) <= len(bottom[-1])
        list_, ws = (top[-1], weights[len(top) - 1]) if from_top else (bottom[-1], weights[n - len(bottom)])
        entries = sum(map(len, top + bottom))
        watch.lists(len(top) + len(bottom) - 2, BYTES * (entries + len(list_) * len(ws)), entries)
        if from_top:
            level = len(top)
            grown = np.unique(np.concatenate([top[-1] + w for w in weights[level - 1]]))
            top.append(thin_sums(grown, breaks_cover[level]))
        else:
            level = n - len(bottom)
            grown = np.unique(np.concatenate([bottom[-1] - w for w in weights[level]]))
            bottom.append(thin_breakpoints(grown, sums_cover[level]))
        longest = max(len(top[-1]), len(bottom[-1]))
        if longest > limit:
            most, limit = longest // 16, 4 * limit
            sums_cover, breaks_cover = _covers(start, weights, most, kind)
    return top, bottom


def thin_sums(sums: Sums, cover: Cover) -> Sums:
    """The sums, but of those in one gap of the breakpoints' cover only the first."""
    inside, gap = _place(sums, cover)
    first = np.append(True, gap[1:] != gap[:-1])
    kept: Sums = sums[inside | first]
    return kept


def thin_breakpoints(breakpoints: Sums, cover: Cover) -> Sums:
    """The breakpoints, but of those in one gap of the sums' cover only the first and the last."""
    inside, gap = _place(breakpoints, cover)
    change = gap[1:] != gap[:-1]
    kept: Sums = breakpoints[inside | np.append(True, change) | np.append(change, True)]
    return kept


def _place(numbers: Sums, cover: Cover) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which numbers a cover contains, and a key that numbers in the same interval or the same gap share."""
    low, high = cover
    ahead = np.searchsorted(high, numbers)
    inside = (ahead < len(low)) & np.asarray(low[np.minimum(ahead, len(low) - 1)] <= numbers, bool)
    return inside, 2 * ahead + inside


def _covers(start: int, weights: Weights, most: int, kind: type) -> tuple[list[Cover], list[Cover]]:
    """For each level, intervals that contain all its sums, and intervals that contain all its breakpoints."""
    sums: list[Cover] = [(np.array([start], kind), np.array([start], kind))]
    for ws in weights:
        sums.append(_union(sums[-1], ws, most))
    breaks: list[Cover] = [(np.array([0], kind), np.array([0], kind))]
    for ws in reversed(weights):
        breaks.append(_union(breaks[-1], [-w for w in ws], most))
    return sums, breaks[::-1]


def _union(cover: Cover, shifts: Sequence[int], most: int) -> Cover:
    """The shifted copies of a cover together, as at most `most` intervals: the narrowest gaps are filled."""
    low = np.concatenate([cover[0] + s for s in shifts])
    high = np.concatenate([cover[1] + s for s in shifts])
    by_low = np.argsort(low, kind="stable")
    low, high = low[by_low], np.maximum.accumulate(high[by_low])
    gaps = np.asarray(low[1:] - high[:-1])
    cuts = np.flatnonzero(gaps > 0)
    if len(cuts) >= most:
        widest = np.argsort(gaps[cuts], kind="stable")[len(cuts) - (most - 1) :]
        cuts = np.sort(cuts[widest])
    return low[np.append(0, cuts + 1)], high[np.append(cuts, len(high) - 1)]


def _below(
    sums: Sums, breakpoints: list[Sums], weights: Weights, watch: Watch
) -> tuple[list[Level], NDArray[np.int64]]:
    """The levels from the meeting level down, and the node of each sum there.

    The place of a sum is the number of breakpoints at most it. The node at place j > 0 is represented by its
    lower end, breakpoint j-1; place 0 lies below every breakpoint, and so do its children.
    """
    places = _places(breakpoints[0], sums)
    reached = np.unique(places) if weights else np.arange(2)
    ids = np.searchsorted(reached, places)
    levels: list[Level] = []
    for (here, below), ws in zip(pairwise(breakpoints), weights, strict=True):
        lowest = int(reached[0] == 0)
        ends = here[reached[lowest:] - 1]
        children = np.zeros((len(reached), len(ws)), np.int64)
        for column, w in enumerate(ws):
            children[lowest:, column] = _places(below, ends + w)
        last = len(levels) == len(weights) - 1
        reached = np.arange(2) if last else np.unique(children)
        levels.append(np.searchsorted(reached, children).astype(np.uint32))
        watch.nodes(len(levels[-1]))
    return levels, ids


def _above(sums: list[Sums], ids: NDArray[np.int64], weights: Weights, watch: Watch) -> Built:
    """The levels above the meeting level, and the root."""
    levels: list[Level] = []
    for level in range(len(sums) - 2, -1, -1):
        here, below = sums[level], sums[level + 1]
        rows = np.stack([ids[_places(below, here + w) - 1] for w in weights[level]], axis=1)
        new = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
        ids = np.cumsum(new) - 1
        levels.append(rows[new].astype(np.uint32))
        watch.nodes(len(levels[-1]))
    return levels[::-1], int(ids[0])


def _places(sorted_list: Sums, numbers: Sums) -> NDArray[np.int64]:
    """For each number, how many of the list are at most it."""
    return np.searchsorted(sorted_list, numbers, side="right")


def _fits(start: int, weights: Weights) -> bool:
    """Whether 64 bits hold every sum, with room."""
    return abs(start) + sum(max(map(abs, ws)) for ws in weights) < 1 << 61


# ---- the same in C++ ----


def native_build(start: int, weights: Weights, watch: Watch) -> Built:
    """As `build`, in C++, for at least one attribute and sums below 2^124."""
    with too_long():
        return native.kernels.build(*native_arguments(start, weights), watch), 0


def native_widths(start: int, weights: Weights, first: int, last: int, watch: Watch) -> list[int]:
    """The widths of the levels first..last; those of other levels may read 0."""
    with too_long():
        return native.kernels.widths(*native_arguments(start, weights), first, last, watch)


@contextmanager
def too_long() -> Iterator[None]:
    """The kernels number what they find in 32 bits."""
    try:
        yield
    except ValueError as error:
        if "2^32" not in str(error):
            raise
        raise stopped(str(error), "", "order=oddly.best_of(100)") from None


def native_arguments(start: int, weights: Weights) -> tuple[NDArray[np.uint64], NDArray[np.uint64], list[int], bool]:
    flat = native.halves([w for ws in weights for w in ws])
    return native.halves([start]), flat, [len(ws) for ws in weights], not _fits(start, weights)
