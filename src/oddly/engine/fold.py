# SPDX-License-Identifier: Apache-2.0
"""A table of decisions becomes a diagram: from the last attribute upward, equal rows are one node."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.canonical import unique_rows
from oddly.runtime import Watch

Level = NDArray[np.uint32]

DENSE = 8  # times as many possible keys as there are keys are still looked up in a table rather than sorted


def fold(
    decisions: NDArray[Any], arities: Sequence[int], labels: int, watch: Watch | None = None
) -> tuple[list[Level], int]:
    """The levels and the root of the diagram that decides as the table does; the last attribute changes fastest.

    >>> levels, root = fold(np.array([0, 1, 0, 1]), [2, 2], 2)
    >>> [level.tolist() for level in levels], root
    ([[[0, 0]], [[0, 1]]], 0)
    """
    levels: list[Level] = []
    nodes, below = decisions, labels
    for arity in reversed(arities):
        level, nodes = _distinct(nodes.reshape(-1, arity), below)
        below = len(level)
        levels.append(level)
        if watch is not None:
            watch.nodes(below)
    return levels[::-1], int(nodes[0])


def with_idle(
    levels: Sequence[Level], root: int, idle: Sequence[bool], arities: Sequence[int]
) -> tuple[list[Level], int]:
    """The diagram with levels put in for attributes that decide nothing: every value leads to the same node below.

    >>> found, root = with_idle([np.array([[0, 1]], np.uint32)], 0, [True, False, True], [2, 2, 3])
    >>> [level.tolist() for level in found]
    [[[0, 0]], [[0, 1]], [[0, 0, 0], [1, 1, 1]]]
    """
    waiting, found = list(levels), list[Level]()
    labels = np.unique(waiting[-1]) if waiting else np.array([root])
    for skip, arity in zip(reversed(idle), reversed(arities), strict=True):
        if skip:
            nodes = np.arange(len(found[-1])) if found else labels
            found.append(np.repeat(nodes[:, None], arity, axis=1).astype(np.uint32))
        else:
            level = waiting.pop()
            above_labels = found and len(waiting) == len(levels) - 1  # now its children are one of a level each
            found.append(np.searchsorted(labels, level).astype(np.uint32) if above_labels else level)
    return found[::-1], 0 if found else root


def _distinct(rows: NDArray[Any], below: int) -> tuple[Level, NDArray[Any]]:
    """The distinct rows, and which of them each row is; entries are under `below`."""
    span = below ** rows.shape[1]
    if span >= 1 << 62:
        return unique_rows(rows.astype(np.uint32))
    key = np.zeros(len(rows), np.int64 if span > 1 << 31 else np.int32)
    for column in rows.T:
        key = key * below + column
    if span > DENSE * len(key) + (1 << 16):
        found, where = np.unique(key, return_inverse=True)
        return _columns(found, below, rows.shape[1]), where
    seen = np.zeros(span, bool)
    seen[key] = True
    number = np.cumsum(seen, dtype=np.int32) - 1
    return _columns(np.flatnonzero(seen), below, rows.shape[1]), number[key]


def _columns(keys: NDArray[np.integer[Any]], below: int, arity: int) -> Level:
    """The rows that the keys stand for."""
    rows = np.empty((len(keys), arity), np.uint32)
    for i in reversed(range(arity)):
        keys, rows[:, i] = np.divmod(keys, below)
    return rows
