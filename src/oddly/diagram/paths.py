# SPDX-License-Identifier: Apache-2.0
"""Which paths lead to a label, the cheapest first, and which comes closest to the threshold?

Each edge has a price, the same for all edges of one value. One pass upward finds the least that each node still has to
pay, so the search goes straight from one answer to the next.
"""

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING

from oddly.diagram.passes.best import BestPaths
from oddly.diagram.passes.semirings import SOME, Levels, Weights, least_for
from oddly.diagram.passes.sweep import by_depth, up
from oddly.lowering.score import FINITE, Score

if TYPE_CHECKING:
    from oddly.diagram.odd import ODD

Path = tuple[int, ...]
"""The value taken at each depth."""


def cheapest(levels: Levels, root: int, prices: Weights, label: int, labels: int) -> Iterator[tuple[int, Path]]:
    """All paths to a label with their prices, the cheapest first; of equal prices, in the order of their values.

    Whole prices, none of them negative; an edge whose price is None cannot be taken. Cost: one pass, then some steps
    per depth and path.
    """
    least = least_for(prices)
    remaining = by_depth(up(levels, least.at(label, labels), prices, least))
    alive = [least.reached(sums) for sums in remaining]
    heap: list[tuple[int, Path, int, int]] = [(int(remaining[0][root]), (), root, 0)] if alive[0][root] else []
    while heap:
        price, path, node, paid = heapq.heappop(heap)
        depth = len(path)
        if depth == len(levels):
            yield price, path
            continue
        for value, (child, own) in enumerate(zip(levels[depth][node].tolist(), prices[depth], strict=True)):
            if own is not None and alive[depth + 1][child]:
                rest = int(remaining[depth + 1][child])
                heapq.heappush(heap, (paid + own + rest, (*path, value), child, paid + own))


def in_turn(levels: Levels, root: int, label: int, labels: int) -> Iterator[Path]:
    """All paths to a label in the order of their values, a few steps per depth from one to the next."""
    alive = by_depth(up(levels, SOME.at(label, labels), None, SOME))
    waiting: list[tuple[Path, int]] = [((), root)] if alive[0][root] else []
    while waiting:
        path, node = waiting.pop()
        depth = len(path)
        if depth == len(levels):
            yield path
            continue
        steps = [((*path, value), child) for value, child in enumerate(levels[depth][node].tolist())]
        waiting += [(path, child) for path, child in reversed(steps) if alive[depth + 1][child]]


def closest(odd: "ODD", score: Score, label: int) -> list[list[Path | None]]:
    """By attribute and value: the instance of this label nearest to the threshold; None if there is none.

    Theorem 2.3 of Chan and Darwiche (2003) needs, for every value of an attribute, the least log-odds of a positive
    instance that has it and the greatest of a negative one. The paper puts the attribute first and rebuilds the diagram.
    Any order will do: best paths through every edge serve every value of every attribute (`passes.best`). Instances
    that a probability of zero decides are at no distance, and never meant. Cost: O(edges).
    """
    if score.prior.state != FINITE or not odd.levels:
        return [[None] * len(terms) for terms in score.terms]
    sign = 1 if label else -1  # negated, the greatest sum is the least
    weights = [[sign * t.weight if t.state == FINITE else None for t in terms] for terms in score.terms]
    least = least_for(weights)
    best = BestPaths(odd.levels, odd.root, least.at(label, len(odd.labels)), weights, least)
    edges = best.edges()
    instances = iter(map(tuple, best.paths([e for row in edges for e in row if e is not None]).tolist()))
    return [[None if edge is None else next(instances) for edge in row] for row in edges]
