# SPDX-License-Identifier: Apache-2.0
"""Passes over the levels of a diagram: counting, and shortest paths to a sink."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Levels = Sequence[NDArray[np.uint32]]
Ints = NDArray[np.int64] | NDArray[np.object_]

FAR = 1 << 62  # no path; far enough that adding all weights, below 2^61 together, leaves it recognisable


def count(levels: Levels, root: int, label: int, labels: int, instances: int) -> int:
    """How many paths lead from the root to a label: one upward pass, exact."""
    kind: Any = np.int64 if instances < 1 << 62 else object
    paths = np.zeros(labels, kind)
    paths[label] = 1
    for level in reversed(levels):
        paths = sum((paths[column] for column in level.T), start=np.zeros(len(level), kind))
    return int(paths[root])


def shortest(levels: Levels, weights: Sequence[Sequence[int | None]], label: int, labels: int) -> list[Ints]:
    """For every node of every depth the least sum of weights on a path to a label; FAR where there is none.

    An edge whose weight is None cannot be taken.
    """
    total = sum(max((abs(w) for w in ws if w is not None), default=0) for ws in weights)
    kind: Any = np.int64 if total < 1 << 61 else object
    far = FAR if total < 1 << 61 else 4 * total
    found: list[Ints] = [np.full(labels, far, kind)]
    found[0][label] = 0
    for level, ws in zip(reversed(levels), reversed(weights), strict=True):
        best = np.full(len(level), far, kind)
        for column, w in zip(level.T, ws, strict=True):
            if w is not None:
                np.minimum(best, found[-1][column] + w, out=best)
        best[best > far // 2] = far
        found.append(best)
    return found[::-1]


def second_shortest(
    levels: Levels, weights: Sequence[Sequence[int | None]], nearest: Sequence[Ints]
) -> int | None:
    """The second smallest distinct sum on paths from the root, given the smallest of every node."""
    far = 4 * max(abs(int(nearest[0][0])), FAR)
    second = np.full(len(nearest[-1]), far, object)
    for level, ws, best, below in zip(
        reversed(levels), reversed(weights), reversed(nearest[:-1]), reversed(nearest[1:]), strict=True
    ):
        found = np.full(len(level), far, object)
        for column, w in zip(level.T, ws, strict=True):
            if w is None:
                continue
            for sums in (below[column].astype(object) + w, second[column] + w):
                found = np.where(sums > best, np.minimum(found, sums), found)
        second = found
    root = int(second[0])
    return root if root < FAR // 2 or (nearest[0].dtype == object and root < far // 2) else None


def tight_paths(
    levels: Levels,
    weights: Sequence[Sequence[int | None]],
    nearest: Sequence[Ints],
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
