# SPDX-License-Identifier: Apache-2.0
"""Algorithms 1 and 2 of Chan and Darwiche (2003), as printed, on exact whole numbers.

The oracle of the tests, never the default. The threshold is 0, so I[1-SINK] = [0, ∞) and I[0-SINK] = (−∞, 0).
What the paper leaves out, probabilities of zero, is added: a prefix that has ruled out a side has a *state* in
place of a log-odds (see `oddly.lowering.score`), its own entry in the cache, and shares the node of any prefix with the
same children.
"""

import sys
from bisect import bisect_right
from dataclasses import dataclass, field
from math import inf

import numpy as np

from oddly.engine.two_ended import Level
from oddly.lowering.score import ALWAYS, FINITE, IMPOSSIBLE, NEVER, Score
from oddly.runtime import Watch


@dataclass(eq=False)
class ReferenceNode:
    """A node, its children by value, and its equivalence interval [low, high)."""

    children: list["ReferenceNode"] = field(default_factory=list)
    low: float = -inf
    high: float = inf
    states: set[int] = field(default_factory=set)
    label: int = -1


class Cache:
    """The nodes of one depth, indexed by their equivalence intervals, or by the state of their prefix."""

    def __init__(self) -> None:
        self.lows: list[float] = []
        self.nodes: list[ReferenceNode] = []
        self.by_state: dict[int, ReferenceNode] = {}
        self.by_children: dict[tuple[int, ...], ReferenceNode] = {}

    def find(self, v: int, state: int) -> ReferenceNode | None:
        if state != FINITE:
            return self.by_state.get(state)
        at = bisect_right(self.lows, v) - 1
        return self.nodes[at] if at >= 0 and v < self.nodes[at].high else None

    def store(self, node: ReferenceNode, state: int) -> None:
        node.states.add(state)
        if state != FINITE:
            self.by_state[state] = node
            return
        at = bisect_right(self.lows, node.low)
        self.lows.insert(at, node.low)
        self.nodes.insert(at, node)


def build(score: Score, watch: Watch) -> tuple[list[Level], int]:
    """Algorithm 1, BUILD-ODD: the levels of the diagram, and its root."""
    n = len(score.terms)
    caches = [Cache() for _ in range(n + 1)]
    one_sink = ReferenceNode(low=0, label=1)
    zero_sink = ReferenceNode(high=0, label=0)
    for sink in (one_sink, zero_sink):
        caches[n].store(sink, FINITE)
    for state in (NEVER, ALWAYS, IMPOSSIBLE):
        caches[n].store(one_sink if score.outcomes[state] else zero_sink, state)

    def build_sub_odd(k: int, v: int, state: int) -> ReferenceNode:
        """Algorithm 2, BUILD-SUB-ODD."""
        node = ReferenceNode()
        for term in score.terms[k]:
            v_child, state_child = v + term.weight, state | term.state
            child = caches[k + 1].find(v_child, state_child)
            if child is None:
                child = build_sub_odd(k + 1, v_child, state_child)
            node.children.append(child)
            if term.state == FINITE:
                node.low = max(node.low, _offset(child.low, -term.weight))  # OFFSET(I[child], −w)
                node.high = min(node.high, _offset(child.high, -term.weight))
        watch.nodes(1, levels=0)
        twin = caches[k].by_children.setdefault(tuple(map(id, node.children)), node)
        if state == FINITE:
            twin.low, twin.high = node.low, node.high
        caches[k].store(twin, state)
        return twin

    watch.attributes = n
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 2 * n + 1000))
    root = caches[0].find(score.start, score.prior.state) if n == 0 else None
    root = root or build_sub_odd(0, score.start, score.prior.state)
    return _levels(score, caches, root), max(root.label, 0)


def _offset(end: float, by: int) -> float:
    return end if end in (-inf, inf) else end + by  # whole numbers may be too large to meet an infinite float


def _levels(score: Score, caches: list[Cache], root: ReferenceNode) -> list[Level]:
    """The nodes as arrays: in a level, states that refuse, finite sums ascending, states that accept."""
    levels: list[Level] = []
    below = {id(node): node.label for node in caches[-1].nodes}
    for k in range(len(score.terms) - 1, -1, -1):
        nodes = sorted(caches[k].by_children.values(), key=lambda node: _rank(score, node))
        rows = [[below[id(child)] for child in node.children] for node in nodes]
        levels.append(np.array(rows, np.uint32).reshape(len(nodes), len(score.terms[k])))
        below = {id(node): i for i, node in enumerate(nodes)}
    return levels[::-1]


def _rank(score: Score, node: ReferenceNode) -> tuple[int, float]:
    if FINITE in node.states:
        return 0, node.low
    order = {IMPOSSIBLE: -2, NEVER: -1, ALWAYS: 2}
    if score.outcomes[IMPOSSIBLE]:
        order[IMPOSSIBLE] = 1
    return min(order[s] for s in node.states), 0.0
