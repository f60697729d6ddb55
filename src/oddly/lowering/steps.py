# SPDX-License-Identifier: Apache-2.0
"""Families read attribute by attribute: what must be remembered on the way, and what each value adds.

The *frontier* at a depth is the attributes above it that share an unfinished family with one below. Their values are
the *context*: with it, the sums so far say all that matters. A family's numbers are added with its last attribute.
Contexts after which the same follows are one.

An order leaves the least to remember if the next attribute is always the one that leaves the fewest contexts, or all are
visited depth first, the largest branch last: on a tree that keeps the frontier logarithmic, on a chain it is one
attribute. Of both kinds, from every possible start, the order with the smallest bound on its diagram wins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import listed
from oddly.lowering.distinct import distinct
from oddly.runtime import in_bytes, stopped

if TYPE_CHECKING:
    from oddly.lowering.families import Families

PLAIN, WITNESSED = 48, 112  # bytes that an entry may take while it is made, without a witness of ties and with one
Places = Sequence[int]
FEW = 1 << 10  # contexts that always fit
STARTS = 64  # attributes to start from; among more, those of least impact
MOST = 1 << 32  # bytes of a depth's contexts, whatever else is allowed


@dataclass(frozen=True, eq=False)
class AttributeStep:
    """One attribute: for every context above it and each of its values, the next context and what is added."""

    following: NDArray[np.int64]
    """[contexts, values]"""
    weights: NDArray[Any]
    """[contexts, values, classes]"""
    alive: NDArray[np.bool_]
    """[contexts, values, classes]: false where the value makes the class impossible."""
    exact: NDArray[Any] | None
    """[contexts, values, classes]: additive witnesses, where there are any."""

    @property
    def contexts(self) -> int:
        return len(self.following)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """What follows, weights and what is possible, as the kernels take them."""
        following, weights, alive = map(np.ascontiguousarray, (self.following, self.weights, self.alive))
        return following, weights, alive.view(np.uint8)


def frontiers(scopes: Sequence[Sequence[int]], depths: int) -> list[list[int]]:
    """For each depth, the attributes above it that must be remembered."""
    last: dict[int, int] = {}
    for scope in scopes:
        for place in scope:
            last[place] = max(last.get(place, 0), max(scope))
    return [[a for a in range(k) if last.get(a, 0) >= k] for k in range(depths + 1)]


def check_contexts(families: "Families", memory: int) -> None:
    """TooLarge if the contexts of some depth would not fit, with the attributes that would have to be remembered."""
    arities = [len(v.values) for v in families.variables]
    each = families.classes * (WITNESSED if families.witnessed else PLAIN)
    for k, front in enumerate(frontiers(families.scopes, len(arities))[:-1]):
        contexts = prod(arities[a] for a in front)
        if contexts * (arities[k] * each + 8 * len(front)) > memory and contexts > FEW:
            names = listed(families.names[a] for a in front)
            needed = f"{contexts:,} combinations of the values of {names} to be told apart at attribute {k + 1} of "
            needed += f"{len(arities)}, more than {in_bytes(memory)} hold"
            raise stopped(needed, "", "order='auto'", "fewer attributes")


def steps(families: "Families") -> list[AttributeStep]:
    """The steps of all depths; contexts that make no difference are merged, unless they are to be kept apart."""
    check_contexts(families, MOST)
    arities = [len(v.values) for v in families.variables]
    fronts = frontiers(families.scopes, len(arities))
    found: list[AttributeStep] = []
    merged = np.zeros(1, np.int64)  # for each context of the depth below, the one that stands for it
    for k in range(len(arities) - 1, -1, -1):
        step = _step(families, k, arities, fronts[k], fronts[k + 1])
        following = merged[step.following]
        first, merged = (np.arange(step.contexts),) * 2 if families.apart else _alike(following, step)
        exact = None if step.exact is None else step.exact[first]
        found.append(AttributeStep(following[first], step.weights[first], step.alive[first], exact))
    return found[::-1]


def _step(families: "Families", k: int, arities: Places, here: Places, below: Places) -> AttributeStep:
    """The step of depth k, with a context for every combination of the frontier's values."""
    contexts = prod(arities[a] for a in here)
    grid = np.indices([arities[a] for a in here]).reshape(len(here), contexts)
    value = dict(zip(here, grid[:, :, None], strict=True)) | {k: np.arange(arities[k])[None, :]}
    following = np.zeros((contexts, arities[k]), np.int64)
    for a in below:
        following = following * arities[a] + value[a]
    shape = (contexts, arities[k], families.classes)
    weights, alive = np.zeros(shape, families.kind), np.ones(shape, bool)
    exact = np.zeros(shape, object) if families.witnessed else None
    for family in families.families:
        if family.scope[-1] == k:
            at = tuple(value[a] for a in family.scope)
            weights = weights + family.weights[at]
            alive &= family.alive[at]
            if exact is not None and family.exact is not None:
                exact = exact + family.exact[at]
    return AttributeStep(following, weights, alive, exact)


def _alike(following: NDArray[np.int64], step: AttributeStep) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contexts after which the same follows: the first of each kind, and the kind of every context."""
    if len(following) == 1:
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    tables = [following, step.weights, step.alive] + ([] if step.exact is None else [step.exact])
    return distinct([column for table in tables for column in table.reshape(len(following), -1).T])


# ---- in which order is the least to be remembered? ----


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
