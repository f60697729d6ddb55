# SPDX-License-Identifier: Apache-2.0
"""One node per function per level: merging what decides alike, dropping what is not reached."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes.semirings import Levels
from oddly.lowering.distinct import as_met

Level = NDArray[np.uint32]


def canonical(levels: Levels, root: int, labels: int, fixed: Sequence[int | None]) -> tuple[tuple[Level, ...], int]:
    """The diagram with some attributes fixed to a value and removed, and its new root.

    From the bottom up, equal rows become one node; from the top down, what is no longer reached is dropped.
    """
    merged: list[Level] = []
    node = np.arange(labels)  # where each node of the depth below has gone
    for level, value in zip(reversed(levels), reversed(fixed), strict=True):
        if value is not None:
            node = node[level[:, value]]
            continue
        rows, node = as_met(node[level].astype(np.uint32))
        merged.append(rows)
    return _reached(merged[::-1], int(node[root]), labels)


def _reached(levels: Sequence[Level], root: int, labels: int) -> tuple[tuple[Level, ...], int]:
    found: list[Level] = []
    nodes = np.array([root])
    for k, level in enumerate(levels):
        rows = level[nodes]
        seen = np.ones(labels, bool)
        if k < len(levels) - 1:
            seen = np.zeros(len(levels[k + 1]), bool)  # marks are faster than a sort
            seen[rows] = True
        nodes = np.flatnonzero(seen)
        found.append((np.cumsum(seen, dtype=np.uint32) - np.uint32(1))[rows])
    return tuple(found), 0 if levels else root


def same_function(levels: Levels, root: int, others: Levels, other_root: int) -> bool:
    """Whether two diagrams of equal widths decide alike: their nodes must pair off from the root down."""
    if not levels:
        return root == other_root
    pair = np.zeros(1, np.int64)
    for k, (level, other) in enumerate(zip(levels, others, strict=True)):
        matched = other[pair]
        below = int(max(level.max(), other.max())) + 1
        if k == len(levels) - 1:
            return bool(np.array_equal(level, matched))
        pair = np.zeros(below, np.int64)
        pair[level] = matched
        if not np.array_equal(pair[level], matched):
            return False
    raise AssertionError("unreachable")
