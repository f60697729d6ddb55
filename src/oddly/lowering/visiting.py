# SPDX-License-Identifier: Apache-2.0
"""In which order do attributes that are tied together leave the least to remember?

What must be remembered at a depth is its frontier (see `steps`). Either the next attribute is always the one that
leaves the fewest contexts, or all are visited depth first, the largest branch last: on a tree that keeps the frontier
logarithmic, on a chain it is one attribute. Of both kinds, from every possible start, the order with the smallest
bound on its diagram wins.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import prod

STARTS = 64  # attributes to start from; among more, those of least impact


def smallest_frontier(arities: Sequence[int], scopes: Sequence[Sequence[int]], impact: Sequence[float]) -> list[int]:
    """Places of the attributes; those that nothing ties together stand in the order of their impact.

    >>> smallest_frontier([2] * 4, [(0, 3), (1, 3), (2, 3)], [1, 2, 3, 4])
    [0, 3, 1, 2]
    """
    by_impact = sorted(range(len(arities)), key=lambda a: impact[a])
    tied = [0] * len(arities)  # for each attribute, as bits, those it shares a scope with
    for scope in scopes:
        together = sum(1 << a for a in scope)
        for a in scope:
            tied[a] |= together
    starts = [a for a in by_impact if tied[a] & ~(1 << a)]
    if not starts:
        return by_impact
    orders = [_greedy(start, by_impact, arities, tied) for start in [None, *starts[:STARTS]]]
    orders += [_depth_first(start, by_impact, tied) for start in starts[:STARTS]]
    return min(orders, key=lambda order: _bound(order, arities, tied))


def _greedy(start: int | None, by_impact: Sequence[int], arities: Sequence[int], tied: Sequence[int]) -> list[int]:
    """Always the attribute that multiplies the contexts by the least; of equals, the one of least impact."""
    rank = {a: i for i, a in enumerate(by_impact)}
    waiting = [tied[a] & ~(1 << a) for a in range(len(arities))]  # for each, as bits, those it will be remembered for
    ends = [1] * len(arities)  # for each, the values of all that need no longer be remembered once it is placed
    heap = [(_growth(a, arities, waiting, ends), rank[a], a) for a in by_impact]
    heapify(heap)
    order: list[int] = []
    placed = 0
    while len(order) < len(arities):
        if start is not None and not order:
            best = start
        else:
            growth, _, best = heappop(heap)
            if placed >> best & 1 or growth != _growth(best, arities, waiting, ends):
                continue  # placed before, or written before something changed
        order.append(best)
        placed |= 1 << best
        changed = waiting[best] & ~placed
        if waiting[best].bit_count() == 1:
            ends[waiting[best].bit_length() - 1] *= arities[best]
        for a in _bits(tied[best] & ~(1 << best)):
            waiting[a] &= ~(1 << best)
            if placed >> a & 1 and waiting[a].bit_count() == 1:
                last = waiting[a].bit_length() - 1
                ends[last] *= arities[a]
                changed |= 1 << last
        for a in _bits(changed):
            heappush(heap, (_growth(a, arities, waiting, ends), rank[a], a))
    return order


def _growth(a: int, arities: Sequence[int], waiting: Sequence[int], ends: Sequence[int]) -> float:
    """By what placing an attribute multiplies the contexts: its own values, unless nothing waits for it, less what ends."""
    return (arities[a] if waiting[a] else 1) / ends[a]


def _bits(places: int) -> Iterator[int]:
    while places:
        last = places.bit_length() - 1
        yield last
        places ^= 1 << last


def _depth_first(start: int, by_impact: Sequence[int], tied: Sequence[int]) -> list[int]:
    """From the start, then from what it does not reach; of several branches the largest comes last."""
    branches: dict[int, list[int]] = {}
    found: list[int] = []
    for root in (start, *by_impact):
        waiting = [(root, root)]
        while waiting:  # the branches first, as they are met depth first
            a, parent = waiting.pop()
            if a not in branches:
                branches[a] = []
                found.append(a)
                if a != root:
                    branches[parent].append(a)
                waiting += [(b, a) for b in _bits(tied[a]) if b not in branches]
    size = dict.fromkeys(found, 1)
    for a in reversed(found):
        size[a] += sum(size[b] for b in branches[a])
    inner = {b for below in branches.values() for b in below}
    waiting_roots = [a for a in reversed(found) if a not in inner]
    order: list[int] = []
    while waiting_roots:
        a = waiting_roots.pop()
        order.append(a)
        waiting_roots += sorted(branches[a], key=lambda b: -size[b])
    return order


def _contexts(front: Sequence[int], placed: int, arities: Sequence[int], tied: Sequence[int]) -> int:
    """How many combinations of values must be told apart once these are placed."""
    return prod(arities[a] for a in front if tied[a] & ~placed)


def _bound(order: Sequence[int], arities: Sequence[int], tied: Sequence[int]) -> int:
    """A bound on the nodes of a two-class diagram: a depth's prefixes, or its contexts times what can follow."""
    above, below, total, placed = 1, prod(arities), 0, 0
    front: list[int] = []
    for a in order:
        total += min(above, _contexts(front, placed, arities, tied) * (below + 1))
        above, below = above * arities[a], below // arities[a]
        placed |= 1 << a
        front = [b for b in (*front, a) if tied[b] & ~placed]
    return total
