# SPDX-License-Identifier: Apache-2.0
"""Two diagrams over the same attributes in the same order, as one: any operation on their decisions.

The pairs of nodes that some instance reaches at once, level by level; then one node per function. O(s·s') at worst.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import kernels
from oddly.diagram.canonical import canonical
from oddly.diagram.passes import Levels
from oddly.runtime import Watch, room

Nodes = NDArray[np.int64]


def combine(
    left: Levels,
    left_root: int,
    right: Levels,
    right_root: int,
    outcome: NDArray[np.unsignedinteger[Any]],
    labels: int,
    watch: Watch,
) -> tuple[Sequence[NDArray[np.uint32]], int]:
    """The levels and the root of the diagram that maps labels (i, j) to outcome[i, j]."""
    if not left:
        return (), int(outcome[left_root, right_root])
    room(4 * sum(map(len, (*left, *right))))
    if kernels.AVAILABLE and outcome.dtype == np.uint8:  # more labels than a byte can tell apart are rare
        return kernels.combine(left, left_root, right, right_root, outcome, labels, watch), 0
    levels: list[NDArray[np.uint32]] = []
    ours, theirs = np.array([left_root]), np.array([right_root])
    entries = 0
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        entries += len(ours)
        watch.lists(k, 64 * a.shape[1] * entries, entries)
        if k == len(left) - 1:
            levels.append(outcome[a[ours], b[theirs]].astype(np.uint32))
            break
        children, ours, theirs = pair_up(a[ours], b[theirs])
        levels.append(children)
    merged, root = canonical(levels, 0, labels, [None] * len(levels))
    for level in merged:
        watch.nodes(len(level))
    return merged, root


def pair_up(ours: NDArray[np.uint32], theirs: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], Nodes, Nodes]:
    """Pairs of children as places among the distinct ones, and the two nodes of each of those."""
    keys, places = np.unique((ours.astype(np.int64) << 32) | theirs, return_inverse=True)
    return places.reshape(ours.shape).astype(np.uint32), keys >> 32, keys & 0xFFFFFFFF
