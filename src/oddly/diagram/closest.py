# SPDX-License-Identifier: Apache-2.0
"""Which instance comes closest to the threshold, among those that have a given value?  For all values at once.

Theorem 2.3 of Chan and Darwiche (2003) needs, for every value of an attribute, the least log-odds of a positive
instance that has it and the greatest of a negative one. The paper puts the attribute first and rebuilds the
diagram. Any order will do: an instance with that value is a path over an edge u → x labelled with it, so the least
is, over those edges, (least sum from the root to u) + weight + (least sum from x to the sink). One pass up and
one down serve every value of every attribute, and a walk in both directions names the instance.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.passes import FAR, FARTHER, Ints, Levels, Weights, shortest
from oddly.lowering.score import FINITE, Score

Instance = tuple[int, ...]
"""The places of its values, attribute by attribute in the diagram's order."""


def closest(odd: ODD, score: Score, label: int) -> list[list[Instance | None]]:
    """By attribute and value: the instance of this label nearest to the threshold; None if there is none.

    Instances that a probability of zero decides are at no distance, and never meant. Cost: O(edges).
    """
    if score.prior.state != FINITE:
        return [[None] * len(terms) for terms in score.terms]
    weights = _signed(score, 1 if label else -1)
    after = shortest(odd.levels, weights, label, 2)
    before = _from_root(odd.levels, weights, odd.root, after[0])
    edges = _best_edges(odd.levels, weights, before, after)
    instances = iter(_paths(odd.levels, weights, before, after, [e for row in edges for e in row if e is not None]))
    return [[None if edge is None else next(instances) for edge in row] for row in edges]


Edge = tuple[int, int, int]
"""(depth, node, value)"""


def _best_edges(levels: Levels, weights: Weights, before: list[Ints], after: list[Ints]) -> list[list[Edge | None]]:
    """For each value the edge that a nearest instance takes."""
    far = _far(after[0])
    found: list[list[Edge | None]] = []
    for depth, (level, ws) in enumerate(zip(levels, weights, strict=True)):
        nodes = np.flatnonzero(before[depth] < far // 2)
        here = before[depth][nodes]
        row: list[Edge | None] = []
        for value, w in enumerate(ws):
            edge = None
            if w is not None and len(nodes):
                sums = here + after[depth + 1][level[nodes, value]]
                best = int(np.argmin(sums))
                edge = (depth, int(nodes[best]), value) if sums[best] < far // 2 else None
            row.append(edge)
        found.append(row)
    return found


def _from_root(levels: Levels, weights: Weights, root: int, like: Ints) -> list[Ints]:
    """For every node above the sinks the least sum of weights on a path from the root."""
    far = _far(like)
    found: list[Ints] = [np.full(len(level), far, like.dtype) for level in levels]
    if found:
        found[0][root] = 0
    for level, ws, here, below in zip(levels, weights, found, found[1:], strict=False):
        for children, w in zip(level.T, ws, strict=True):
            if w is not None:
                _take_least(below, children, here + w)
    return found


def _take_least(least: Ints, nodes: NDArray[np.uint32], sums: Ints) -> None:
    """least[node] = min(least[node], all its sums)."""
    if np.any(nodes[1:] < nodes[:-1]):  # as built, a column of children ascends; after `restrict` it need not
        by_node = np.argsort(nodes, kind="stable")
        nodes, sums = nodes[by_node], sums[by_node]
    first = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
    least[nodes[first]] = np.minimum(least[nodes[first]], np.minimum.reduceat(sums, first))


def _paths(
    levels: Levels, weights: Weights, before: list[Ints], after: list[Ints], edges: Sequence[Edge]
) -> list[Instance]:
    """A nearest instance through each edge, all of them level by level together."""
    depths, nodes, values = np.array(edges, np.intp).reshape(len(edges), 3).T
    codes = np.empty((len(edges), len(levels)), np.intp)
    codes[np.arange(len(edges)), depths] = values
    at = nodes.copy()
    for depth in range(len(levels) - 2, -1, -1):
        up = np.flatnonzero(depths > depth)
        parent, by_value = _parents(levels[depth], weights[depth], before[depth], before[depth + 1])
        codes[up, depth] = by_value[at[up]]
        at[up] = parent[at[up]]
    at = nodes.copy()
    for depth, (level, ws) in enumerate(zip(levels, weights, strict=True)):
        down = np.flatnonzero(depths < depth)
        if len(down):
            sums = [np.full(len(down), _far(after[0]), after[0].dtype) for _ in ws]
            for value, w in enumerate(ws):
                if w is not None:
                    sums[value] = after[depth + 1][level[at[down], value]] + w
            codes[down, depth] = np.argmin(sums, axis=0)
        on = np.flatnonzero(depths <= depth)
        at[on] = level[at[on], codes[on, depth]]
    return [tuple(row) for row in codes.tolist()]


def _parents(
    level: NDArray[np.uint32], ws: Sequence[int | None], here: Ints, below: Ints
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For every node of the depth below a node, and the value, by which its least sum arrives."""
    parent, by_value = np.zeros(len(below), np.intp), np.zeros(len(below), np.intp)
    for value, w in enumerate(ws):
        if w is not None:
            arriving = np.flatnonzero(here + w == below[level[:, value]])
            parent[level[arriving, value]] = arriving
            by_value[level[arriving, value]] = value
    return parent, by_value


def _signed(score: Score, sign: int) -> list[list[int | None]]:
    """The finite weights; negated, the greatest sum is the least."""
    return [[sign * t.weight if t.state == FINITE else None for t in terms] for terms in score.terms]


def _far(sums: Ints) -> int:
    return FARTHER if sums.dtype == object else FAR
