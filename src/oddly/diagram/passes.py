# SPDX-License-Identifier: Apache-2.0
"""Passes over the levels of a diagram: counting, and shortest paths to a sink."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Levels = Sequence[NDArray[np.uint32]]
Ints = NDArray[Any]
"""64-bit integers, or Python's where those would not do."""
Weights = Sequence[Sequence[int | None]]
"""By attribute and value; None where the edge cannot be taken."""

FAR = 1 << 62  # no path: adding all weights, below 2^61 together, leaves it recognisable
FARTHER = 1 << 20_000  # the same where the weights are wide


def count(levels: Levels, root: int, label: int, labels: int, instances: int) -> int:
    """How many paths lead from the root to a label: one upward pass, exact."""
    kind: Any = np.int64 if instances < 1 << 62 else object
    paths = np.zeros(labels, kind)
    paths[label] = 1
    for level in reversed(levels):
        paths = sum((paths[column] for column in level.T), start=np.zeros(len(level), kind))
    return int(paths[root])


def shortest(levels: Levels, weights: Weights, label: int, labels: int) -> list[Ints]:
    """For every node of every depth the least sum of weights on a path to a label; see `near`.

    An edge whose weight is None cannot be taken.
    """
    narrow = sum(max((abs(w) for w in ws if w is not None), default=0) for ws in weights) < 1 << 61
    kind: Any = np.int64 if narrow else object
    far = FAR if narrow else FARTHER
    found: list[Ints] = [np.full(labels, far, kind)]
    found[0][label] = 0
    for level, ws in zip(reversed(levels), reversed(weights), strict=True):
        best = np.full(len(level), far, kind)
        for column, w in zip(level.T, ws, strict=True):
            if w is not None:
                np.minimum(best, found[-1][column] + w, out=best)
        found.append(best)
    return found[::-1]


def near(sums: Ints) -> int | None:
    """The first of the least sums, or None if there is no path."""
    far = FARTHER if sums.dtype == object else FAR
    return None if sums[0] > far // 2 else int(sums[0])


def second_shortest(levels: Levels, weights: Weights, nearest: Sequence[Ints]) -> int | None:
    """The second smallest distinct sum on paths from the root, given the smallest of every node."""
    far = FARTHER if nearest[0].dtype == object else FAR
    second: Ints = np.full(len(nearest[-1]), FARTHER, object)
    for level, ws, best, below in zip(
        reversed(levels), reversed(weights), reversed(nearest[:-1]), reversed(nearest[1:]), strict=True
    ):
        found = np.full(len(level), FARTHER, object)
        for column, w in zip(level.T, ws, strict=True):
            if w is not None:
                reached = below[column].astype(object)
                reached[reached > far // 2] = FARTHER
                for sums in (reached + w, second[column] + w):
                    found = np.where(sums > best, np.minimum(found, sums), found)
        second = found
    return near(second)


def tight_paths(
    levels: Levels, weights: Weights, nearest: Sequence[Ints]
) -> Iterator[tuple[int, int, NDArray[np.intp], NDArray[np.uint32]]]:
    """The edges of all shortest paths from the root, from the top down: (depth, value, nodes, children)."""
    on_path = np.array([True])
    for depth, ((here, below), level, ws) in enumerate(zip(pairwise(nearest), levels, weights, strict=True)):
        nodes = np.flatnonzero(on_path)
        on_path = np.zeros(len(below), bool)
        for value, w in enumerate(ws):
            if w is None:
                continue
            children = level[nodes, value]
            tight = np.asarray(below[children] + w == here[nodes], bool)
            on_path[children[tight]] = True
            yield depth, value, nodes[tight], children[tight]
