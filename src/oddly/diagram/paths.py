# SPDX-License-Identifier: Apache-2.0
"""Which paths lead to a label, the cheapest first?

Each edge has a price, the same for all edges of one value. One pass upward finds the least that each node still has to
pay, so the search goes straight from one answer to the next.
"""

import heapq
from collections.abc import Iterator

from oddly.diagram.passes.semirings import SOME, Levels, Weights, least_for
from oddly.diagram.passes.sweep import by_depth, up

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
