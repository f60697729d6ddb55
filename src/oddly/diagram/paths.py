# SPDX-License-Identifier: Apache-2.0
"""Which paths lead to a label, the cheapest first?

Each edge has a price, the same for all edges of one value. One pass upward finds the least that each node still has to
pay, so the search goes straight from one answer to the next.
"""

import heapq
from collections.abc import Iterator

import numpy as np

from oddly.diagram.passes import FAR, FARTHER, Ints, Levels, Weights, shortest

Path = tuple[int, ...]
"""The value taken at each depth."""


def cheapest(levels: Levels, root: int, prices: Weights, label: int, labels: int) -> Iterator[tuple[int, Path]]:
    """All paths to a label with their prices, the cheapest first; of equal prices, in the order of their values.

    Whole prices, none of them negative; an edge whose price is None cannot be taken. Cost: one pass, then some steps
    per depth and path.
    """
    remaining = shortest(levels, prices, label, labels)
    least = _price(remaining[0], root)
    heap: list[tuple[int, Path, int, int]] = [] if least is None else [(least, (), root, 0)]
    while heap:
        price, path, node, paid = heapq.heappop(heap)
        depth = len(path)
        if depth == len(levels):
            yield price, path
            continue
        for value, (child, own) in enumerate(zip(levels[depth][node].tolist(), prices[depth], strict=True)):
            rest = _price(remaining[depth + 1], child)
            if own is not None and rest is not None:
                heapq.heappush(heap, (paid + own + rest, (*path, value), child, paid + own))


def in_turn(levels: Levels, root: int, label: int, labels: int) -> Iterator[Path]:
    """All paths to a label in the order of their values, a few steps per depth from one to the next."""
    alive = _alive(levels, label, labels)
    waiting: list[tuple[Path, int]] = [((), root)] if alive[0][root] else []
    while waiting:
        path, node = waiting.pop()
        depth = len(path)
        if depth == len(levels):
            yield path
            continue
        steps = [((*path, value), child) for value, child in enumerate(levels[depth][node].tolist())]
        waiting += [(path, child) for path, child in reversed(steps) if alive[depth + 1][child]]


def _price(remaining: Ints, node: int) -> int | None:
    far = FARTHER if remaining.dtype == object else FAR
    return None if remaining[node] > far // 2 else int(remaining[node])


def _alive(levels: Levels, label: int, labels: int) -> list[Ints]:
    """For every node of every depth, whether it leads to the label at all."""
    found = [np.arange(labels) == label]
    for level in reversed(levels):
        found.append(found[-1][level].any(axis=1))
    return found[::-1]
