# SPDX-License-Identifier: Apache-2.0
"""Hidden variables summed out of many tables by products of matrices.

Tables are multiplied two at a time, and whatever no other table has is summed out in the same step: that is one product
of matrices, or one for each value of what stays, and never a table over everything at once. In which order is found
greedily, with a little chance, from several starts (Gray and Kourtis, *Hyper-optimized tensor network contraction*,
2021). All is in floats, and counted: how many roundings a number of the result has seen at most.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import copysign, log, log2, prod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model.potentials import Potential, aligned

SMALL = 256  # products of a matrix product that is faster done entry by entry
SPEED = 8  # products of numbers within a matrix product that take the time of one entry read and written
OVERHEAD = 1 << 14  # entries that could be worked out in the time that one more operation takes
NOISE = (0.1, 0.3, 0.6, 1.0, 1.5)  # how much chance has a say, from start to start
SAVED = (1.0, 0.5, 0.1)  # how much the size of what disappears counts


@dataclass(frozen=True)
class Contraction:
    """Which two tables are multiplied next, by place, and over what; results stand behind all other tables."""

    steps: tuple[tuple[int, int, frozenset[str]], ...]
    kept: frozenset[str]
    work: int
    """In entries read or written."""
    peak: int
    """Entries of all tables that are held at a time."""
    roundings: int

    def __call__(self, tables: Sequence[Potential], *, truth: bool = False) -> Potential:
        """What is left of the tables' product; with `truth`, 1 where that is not zero."""
        waiting: dict[int, Potential] = dict(enumerate(tables))
        for place, (a, b, needed) in enumerate(self.steps, len(tables)):
            found = _contracted(waiting.pop(a), waiting.pop(b), needed)
            waiting[place] = Potential(found.names, (found.table > 0).astype(float)) if truth else found
        return _summed(waiting.popitem()[1], self.kept)


def planned(
    scopes: Sequence[Collection[str]], kept: Collection[str], sizes: Mapping[str, int], tries: int = 1
) -> Contraction:
    """The contraction of the least work among so many; the first one leaves nothing to chance."""
    chance = Random(0)
    found = [_Greedy(scopes, kept, sizes).run()]
    while len(found) < tries:
        found.append(_Greedy(scopes, kept, sizes, chance, chance.choice(NOISE), chance.choice(SAVED)).run())
    return min(found, key=lambda contraction: contraction.work)


def _contracted(left: Potential, right: Potential, needed: Collection[str]) -> Potential:
    """The product of two tables, over what is needed."""
    left, right = _summed(left, {*needed, *right.names}), _summed(right, {*needed, *left.names})
    both = [n for n in left.names if n in right.names]
    batch, inner = [n for n in both if n in needed], [n for n in both if n not in needed]
    rows, columns = [n for n in left.names if n not in both], [n for n in right.names if n not in both]
    names = (*batch, *rows, *columns)
    if _size(left, [*rows, *inner]) * _size(right, columns) <= SMALL:
        axes = (*names, *inner)
        product = aligned(left, axes) * aligned(right, axes)
        return Potential(names, np.asarray(product.sum(axis=tuple(range(len(names), len(axes))))))
    a, b = _matrices(left, batch, rows, inner), _matrices(right, batch, inner, columns)
    shape = [_size(p, [n]) for p, some in ((left, batch), (left, rows), (right, columns)) for n in some]
    return Potential(names, np.matmul(a, b).reshape(shape))


def _matrices(p: Potential, *axes: Sequence[str]) -> NDArray[Any]:
    """The table with some of its axes as one, in three groups."""
    table = aligned(p, [name for group in axes for name in group])
    return table.reshape([_size(p, group) for group in axes])


def _size(p: Potential, names: Collection[str]) -> int:
    return prod(size for name, size in zip(p.names, p.table.shape, strict=True) if name in names)


def _summed(p: Potential, needed: Collection[str]) -> Potential:
    """What is needed of a table, the rest summed out."""
    gone = tuple(axis for axis, name in enumerate(p.names) if name not in needed)
    if not gone:
        return p
    return Potential(tuple(n for n in p.names if n in needed), np.asarray(p.table.sum(axis=gone)))


class _Greedy:
    """Always the two tables whose product is smallest against what it replaces. Sets of variables are bits."""

    def __init__(
        self,
        scopes: Sequence[Collection[str]],
        kept: Collection[str],
        sizes: Mapping[str, int],
        chance: Random | None = None,
        noise: float = 0.0,
        saved: float = 1.0,
    ) -> None:
        names = sorted({name for scope in scopes for name in scope})
        place = {name: 1 << i for i, name in enumerate(names)}
        self.sizes = [sizes[name] for name in names]
        self.names, self.chance, self.noise, self.saved = names, chance, noise, saved
        self.kept = sum(place[name] for name in names if name in kept)
        self.tables = {i: sum(place[name] for name in set(scope)) for i, scope in enumerate(scopes)}
        self.given = len(self.tables)
        self.holders: list[set[int]] = [set() for _ in names]
        self.heap: list[tuple[float, int, int]] = []
        self.known: dict[int, int] = {0: 1}
        self.steps: list[tuple[int, int, frozenset[str]]] = []
        self.work, self.roundings = 0, 0
        self.held = self.peak = sum(self.size(scope) for scope in self.tables.values())

    def run(self) -> Contraction:
        roundings = 2 * self.given  # from whole numbers to floats, and a division
        for a in list(self.tables):
            self._enter(a)
        while len(self.tables) > 1:
            if self.heap:
                _, a, b = heappop(self.heap)
            else:  # nothing in common: the smallest first
                a, b = sorted(self.tables, key=lambda i: (self.size(self.tables[i]), i))[:2]
            if a in self.tables and b in self.tables:
                self._multiply(a, b)
        last = next(iter(self.tables.values()))
        roundings += self.roundings + self.size(last & ~self.kept)
        return Contraction(tuple(self.steps), self._named(self.kept), self.work, self.peak, roundings)

    def size(self, scope: int) -> int:
        """How many entries a table has."""
        if scope not in self.known:
            self.known[scope] = prod(self.sizes[i] for i in _bits(scope))
        return self.known[scope]

    def _named(self, scope: int) -> frozenset[str]:
        return frozenset(self.names[i] for i in _bits(scope))

    def _enter(self, a: int) -> None:
        """Pair a table with those it shares a variable with, among those that are there."""
        beside = set().union(*(self.holders[i] for i in _bits(self.tables[a])))
        for i in _bits(self.tables[a]):
            self.holders[i].add(a)
        for b in beside:
            heappush(self.heap, (self._cost(b, a), b, a))

    def _needed(self, a: int, b: int) -> int:
        """What the product of two tables must still have."""
        joined = self.tables[a] | self.tables[b]
        gone = sum(1 << i for i in _bits(joined & ~self.kept) if self.holders[i] <= {a, b})
        return joined & ~gone

    def _cost(self, a: int, b: int) -> float:
        less = self.saved * (self.size(self.tables[a]) + self.size(self.tables[b]))
        more = self.size(self._needed(a, b)) - less
        cost = copysign(log2(1 + abs(more)), more)
        return cost if self.chance is None else cost - self.noise * log(-log(self.chance.random() or 0.5))

    def _multiply(self, a: int, b: int) -> None:
        needed, left, right = self._needed(a, b), self.tables[a], self.tables[b]
        alone = (left ^ right) & ~needed  # summed out before they are multiplied
        joined = (left | right) & ~alone
        inner = joined & ~needed
        each = self.size(joined) // self.size(left & right & needed)
        sides = self.size(left) + self.size(right)
        found = self.size(needed)
        small = each <= SMALL
        self.work += 2 * self.size(joined) if small else self.size(joined) // SPEED
        self.work += 2 * sides + found + OVERHEAD
        self.roundings += self.size(inner) + sum(self.size(side & alone) for side in (left, right))
        self.peak = max(self.peak, self.held + sides + (self.size(joined) if small else found))
        self.held += found - sides
        for i in _bits(left | right):
            self.holders[i] -= {a, b}
        del self.tables[a], self.tables[b]
        place = self.given + len(self.steps)
        self.steps.append((a, b, self._named(needed)))
        self.tables[place] = needed
        self._enter(place)


def _bits(scope: int) -> list[int]:
    found = []
    while scope:
        last = scope.bit_length() - 1
        found.append(last)
        scope ^= 1 << last
    return found
