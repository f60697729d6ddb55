# SPDX-License-Identifier: Apache-2.0
"""How a user of a BDD library builds a threshold function: find the nodes in Python, then store them bottom-up.

The nodes are found by the paper's recursion, where a sum that decides all the rest goes straight to a sink, as in Abío
et al., "A New Look at BDDs for Pseudo-Boolean Constraints", 2012. Binary attributes only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from benchmarks.problems import Problem

Function = TypeVar("Function")  # whatever the library calls a root

FALSE, TRUE = 0, 1  # places 0 and 1 of every level are the sinks; its nodes follow
INFINITY = 1 << 62


@dataclass(frozen=True)
class Nodes:
    """A diagram as plain numbers: at each level the places of the children, and the root's own place."""

    levels: list[list[tuple[int, int]]]
    root: int

    def __len__(self) -> int:
        return sum(map(len, self.levels))


def find_nodes(problem: Problem) -> Nodes:
    """Which nodes does the diagram need?

    >>> find_nodes(Problem(-2, [[0, 1], [0, 1]]))
    Nodes(levels=[[(0, 2)], [(0, 1)]], root=2)
    """
    weights = problem.weights
    sure = _suffix_sums(-min(row) for row in reversed(weights))
    hopeless = _suffix_sums(-max(row) for row in reversed(weights))
    levels: list[list[tuple[int, int]]] = [[] for _ in weights]
    lows = [array("q") for _ in weights]  # sorted; bisect takes half the time it would on a list
    rest: list[dict[int, tuple[int, int]]] = [{} for _ in weights]  # low: (high, place)

    def find_or_build(k: int, v: int) -> tuple[int, int, int]:
        if v >= sure[k]:
            return sure[k], INFINITY, TRUE
        if v < hopeless[k]:
            return -INFINITY, hopeless[k], FALSE
        rank = bisect_right(lows[k], v)
        if rank:
            low = lows[k][rank - 1]
            high, place = rest[k][low]
            if v < high:
                return low, high, place
        w0, w1 = weights[k]
        low0, high0, child0 = find_or_build(k + 1, v + w0)
        low1, high1, child1 = find_or_build(k + 1, v + w1)
        low, high = max(low0 - w0, low1 - w1), min(high0 - w0, high1 - w1)  # Theorem 3.1
        place = len(levels[k]) + 2
        levels[k].append((child0, child1))
        lows[k].insert(rank, low)
        rest[k][low] = high, place
        return low, high, place

    _, _, root = find_or_build(0, problem.prior)
    return Nodes(levels, root)


def store(
    nodes: Nodes,
    variables: Sequence[Function],
    ite: Callable[[Function, Function, Function], Function],
    false: Function,
    true: Function,
) -> Function:
    """The same diagram in a library: one ``ite`` per node, children first."""
    below = [false, true]
    for variable, level in zip(reversed(variables), reversed(nodes.levels), strict=True):
        below = [false, true] + [ite(variable, below[one], below[zero]) for zero, one in level]
    return below[nodes.root]


def _suffix_sums(from_the_end: Iterable[int]) -> list[int]:
    return list(accumulate(from_the_end, initial=0))[::-1]
