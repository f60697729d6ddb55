# SPDX-License-Identifier: Apache-2.0
"""Variables summed out of many tables, two tables at a time: the one home of it, whatever the numbers.

Whatever no other table has is summed out in the step that multiplies two: that is one product of matrices, or one for
each value of what stays, and never a table over everything at once. NumPy does it for floats, for whole numbers of 64
bits or any width, for fractions and for truth values, where it says whether any product is true.

Which two come next is opt_einsum's greedy search (Smith and Gray, 2018), and then the same with a little chance (Gray
and Kourtis, *Hyper-optimized tensor network contraction*, 2021), of which the cheapest is taken. Measured once on ALARM,
Andes, Hailfinder, Hepar II, Insurance, Pathfinder and Win95pts, against variables summed out one by one by min-fill: an
order is found sooner on nearly all (Andes, 219 tables: 11 ms against 94), and what a step leaves is no larger than what
min-fill multiplies out. The first order often takes more products, though (all of Andes' attributes summed out: 3.8
million against 0.7), so where many are ahead others are tried. Each is priced, in entries, work and roundings.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import copysign, log, log2, prod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import TooLarge, listed
from oddly.model.numbers import in_whole
from oddly.runtime import more_memory, stopped

WORD = 1 << 62  # smaller whole numbers are held in 64 bits
ROW = ""  # the axis of many rows at once; no variable has this name


@dataclass(frozen=True, eq=False)
class Potential:
    """A table with named axes. Of whole numbers, none is above `bound`; floats and truth values need none."""

    names: tuple[str, ...]
    table: NDArray[Any]
    bound: int = 1
    denominator: int = 1
    """What whole numbers are divided by."""

    @classmethod
    def whole(cls, names: tuple[str, str], fractions: Sequence[Sequence[Fraction]]) -> "Potential":
        """Rows of fractions as whole numbers over one denominator; many share them, so nobody may write there."""
        rows, scale = in_whole(fractions)
        bound = max(max(row) for row in rows)
        table = np.array(rows, np.int64 if bound < WORD else object)
        table.flags.writeable = False
        return cls(names, table, bound, scale)

    def at(self, known: Mapping[str, int]) -> "Potential":
        """The part of the table where these variables have these values; they are removed."""
        if known.keys().isdisjoint(self.names):
            return self
        table = self.table[tuple(known.get(name, slice(None)) for name in self.names)]
        return replace(self, names=tuple(n for n in self.names if n not in known), table=np.asarray(table))

    def possible(self) -> "Potential":
        """Where the table is not zero."""
        return Potential(self.names, np.asarray(self.table > 0, bool))

    def in_floats(self) -> "Potential":
        """Whole numbers as the floats of what they stand for."""
        return Potential(self.names, np.asarray(self.table / self.denominator, np.float64))

    def aligned(self, names: Sequence[str]) -> NDArray[Any]:
        """The table with its axes in this order; an axis that it lacks has length one."""
        table = self.table.transpose([self.names.index(name) for name in names if name in self.names])
        shape = iter(table.shape)
        return table.reshape([next(shape) if name in self.names else 1 for name in names])

    def __mul__(self, other: "Potential") -> "Potential":
        names = (*self.names, *(name for name in other.names if name not in self.names))
        found = Potential(names, self.table, self.bound * other.bound, self.denominator * other.denominator)
        left, right = (roomy(replace(p, bound=found.bound)) for p in (self, other))
        return replace(found, table=np.asarray(left.aligned(names) * right.aligned(names)))


def axis_sizes(potentials: Iterable[Potential]) -> dict[str, int]:
    """How many values each name has."""
    return {name: size for p in potentials for name, size in zip(p.names, p.table.shape, strict=True)}


def blocks(potentials: Sequence[Potential], kept: Collection[str]) -> list[list[Potential]]:
    """The tables in groups: those that share a variable which is not kept, directly or through others."""
    groups: list[tuple[set[str], list[Potential]]] = []
    for p in potentials:
        hidden, members = set(p.names) - set(kept), [p]
        apart = []
        for names, group in groups:
            if names & hidden:
                hidden |= names
                members = group + members
            else:
                apart.append((names, group))
        groups = [*apart, (hidden, members)]
    return [group for _, group in groups]


def roomy(p: Potential) -> Potential:
    """Python's own integers where 64 bits might not hold the bound."""
    return replace(p, table=p.table.astype(object)) if p.bound >= WORD and p.table.dtype.kind == "i" else p


MOST_ENTRIES = 1 << 22  # of a table of whole numbers
BYTES_EACH = 64  # that such an entry takes: the number, its place, and a part of what it is made of
SMALL = 256  # products of a matrix product that is faster done entry by entry
SPEED = 8  # products of numbers within a matrix product that take the time of one entry read and written
CACHED = 1 << 19  # entries up to which a table stays in the processor's cache, and is worked on twice as fast
LARGE = 1 << 22  # entries from which on it is slower again, by as much
OVERHEAD = 1 << 14  # entries that could be worked out in the time that one more operation takes
NOISE = (0.1, 0.3, 0.6, 1.0, 1.5)  # how much chance has a say, from start to start
SAVED = (1.0, 0.5, 0.1)  # how much the size of what disappears counts
MORE = 8  # orders that are tried before tables are called too large, or much is multiplied
WORTH_MORE = 1 << 16  # products of whole numbers that take as long as to look for these orders

Scopes = Sequence[Collection[str]]
Sets = Sequence[frozenset[int]]
Pair = tuple[int, ...]


@dataclass(frozen=True)
class Contraction:
    """Which two tables are multiplied next, by place, and over what; results stand behind all other tables."""

    steps: tuple[tuple[int, int, frozenset[str]], ...]
    kept: frozenset[str]
    largest: int = 1
    """Entries of the largest table."""
    peak: int = 1
    """Entries of all tables that are held at a time."""
    products: int = 0
    """Of two numbers."""
    work: int = 0
    """For floats, in entries read or written."""
    roundings: int = 0

    def __call__(self, tables: Sequence[Potential], *, truth: bool = False) -> Potential:
        """What is left of the tables' product; with `truth`, 1 where that is not zero."""
        waiting: dict[int, Potential] = dict(enumerate(tables))
        for place, (a, b, needed) in enumerate(self.steps, len(tables)):
            found = _multiplied(waiting.pop(a), waiting.pop(b), needed)
            waiting[place] = Potential(found.names, (found.table > 0).astype(float)) if truth else found
        return _summed(waiting.popitem()[1], self.kept)


def summed_out(block: Sequence[Potential], kept: Collection[str], limit: int = MOST_ENTRIES) -> Potential:
    """The product of a block's tables, with all that is not kept summed out; TooLarge beyond so many entries."""
    return within(limit, [p.names for p in block], kept, axis_sizes(block))(block)


def within(limit: int, scopes: Scopes, kept: Collection[str], sizes: Mapping[str, int]) -> Contraction:
    """The contraction of the fewest products that makes no table of more entries than this; TooLarge without any."""
    outcome = prod(sizes[name] for name in {name for scope in scopes for name in scope} if name in kept)
    if outcome > limit:  # whatever the order
        raise too_large(scopes, kept, outcome, limit)
    least = planned(scopes, kept, sizes)
    if least.largest > limit or least.products > WORTH_MORE:
        every = _contractions(scopes, kept, sizes, MORE)
        least = min(every, key=lambda found: (max(found.largest, limit), found.products))
    if least.largest > limit:
        raise too_large(scopes, kept, least.largest, limit)
    return least


def too_large(scopes: Scopes, kept: Collection[str], entries: int, limit: int) -> TooLarge:
    """What is too large, and what ties it together."""
    names = dict.fromkeys(name for scope in scopes for name in scope)
    hidden = [name for name in names if name not in kept]
    stays = [name for name in names if name in kept and name != ROW]
    needed = f"a table of {entries:,} entries to sum {listed(hidden)} out of what ties {listed(stays)} together"
    more = more_memory(2 * BYTES_EACH * entries) if entries <= MOST_ENTRIES else ""
    return stopped(needed, f"{limit:,}", "fewer of these as attributes", more)


def touched(entries: int) -> int:
    """What it takes to read or write a table of so many entries, in entries that stay in the processor's cache."""
    return entries * (1 if entries <= CACHED else 2 if entries <= LARGE else 4)


def planned(scopes: Scopes, kept: Collection[str], sizes: Mapping[str, int], tries: int = 1) -> Contraction:
    """The contraction of the least work among so many; the first one leaves nothing to chance."""
    return min(_contractions(scopes, kept, sizes, tries), key=lambda found: found.work)


# ---- two tables ----


def _multiplied(left: Potential, right: Potential, needed: Collection[str]) -> Potential:
    """The product of two tables, over what is needed."""
    left, right = _summed(left, {*needed, *right.names}), _summed(right, {*needed, *left.names})
    both = [n for n in left.names if n in right.names]
    batch, inner = [n for n in both if n in needed], [n for n in both if n not in needed]
    rows, columns = [n for n in left.names if n not in both], [n for n in right.names if n not in both]
    bound = left.bound * right.bound * _size(left, inner)
    left, right = (roomy(replace(p, bound=bound)) for p in (left, right))
    found = Potential((*batch, *rows, *columns), left.table, bound, left.denominator * right.denominator)
    if _size(left, [*rows, *inner]) * _size(right, columns) <= SMALL:
        axes = (*found.names, *inner)
        product = left.aligned(axes) * right.aligned(axes)
        return replace(found, table=_added(product, range(len(found.names), len(axes))))
    a, b = _matrices(left, batch, rows, inner), _matrices(right, batch, inner, columns)
    shape = [_size(p, [n]) for p, some in ((left, batch), (left, rows), (right, columns)) for n in some]
    return replace(found, table=np.matmul(a, b).reshape(shape))


def _matrices(p: Potential, *axes: Sequence[str]) -> NDArray[Any]:
    """The table with some of its axes as one, in three groups."""
    return p.aligned([name for group in axes for name in group]).reshape([_size(p, group) for group in axes])


def _size(p: Potential, names: Collection[str]) -> int:
    return prod(size for name, size in zip(p.names, p.table.shape, strict=True) if name in names)


def _summed(p: Potential, needed: Collection[str]) -> Potential:
    """What is needed of a table, the rest summed out."""
    gone = [axis for axis, name in enumerate(p.names) if name not in needed]
    if not gone:
        return p
    wide = roomy(replace(p, bound=p.bound * prod(p.table.shape[axis] for axis in gone)))
    return replace(wide, names=tuple(n for n in p.names if n in needed), table=_added(wide.table, gone))


def _added(table: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    """The sum along some axes; of truth values, whether any is true."""
    return np.asarray(table.any(axis=tuple(axes)) if table.dtype == bool else table.sum(axis=tuple(axes)))


# ---- in which order ----


def _contractions(scopes: Scopes, kept: Collection[str], sizes: Mapping[str, int], tries: int) -> Iterator[Contraction]:
    names = sorted({name for scope in scopes for name in scope})
    number = {name: i for i, name in enumerate(names)}  # sets of numbers are gone through alike in every process
    tables = [frozenset(number[name] for name in scope) for scope in scopes]
    output = frozenset(number[name] for name in names if name in kept)
    arities = {number[name]: sizes[name] for name in names}
    for path in _paths(tables, output, arities, tries):
        yield _priced(path, tables, output, arities, names)


def _paths(tables: Sets, output: frozenset[int], sizes: dict[int, int], tries: int) -> Iterator[Sequence[Pair]]:
    if len(tables) < 3:
        yield [(0, 1)] * (len(tables) - 1)
        return
    from opt_einsum.paths import ssa_greedy_optimize

    chance = Random(0)
    yield ssa_greedy_optimize(tables, output, sizes)
    for _ in range(tries - 1):
        cost = partial(_cost, chance, chance.choice(NOISE), chance.choice(SAVED))
        yield ssa_greedy_optimize(tables, output, sizes, cost_fn=cost)


def _cost(chance: Random, noise: float, saved: float, made: int, left: int, right: int, *_: object) -> float:
    """The size of a product against what it replaces, with some noise."""
    more = made - saved * (left + right)
    return copysign(log2(1 + abs(more)), more) - noise * log(-log(chance.random() or 0.5))


def _priced(
    path: Sequence[Pair], tables: Sets, kept: frozenset[int], sizes: Mapping[int, int], names: Sequence[str]
) -> Contraction:
    """What it costs to multiply tables in this order."""

    def size(scope: Collection[int]) -> int:
        return prod(sizes[name] for name in scope)

    waiting, steps = dict(enumerate(tables)), []
    holders = Counter(name for scope in tables for name in scope)
    held = peak = sum(map(size, tables))
    largest = max(map(size, tables))
    products, work, roundings = 0, 0, 2 * len(tables)  # from whole numbers to floats, and a division
    for place, (a, b) in enumerate(path, len(tables)):
        left, right = waiting.pop(a), waiting.pop(b)
        holders.subtract(left)
        holders.subtract(right)
        needed = frozenset(name for name in left | right if name in kept or holders[name])
        alone = (left ^ right) - needed  # summed out before they are multiplied
        joined = (left | right) - alone
        every, made, sides = size(joined), size(needed), size(left) + size(right)
        small = every // size(left & right & needed) <= SMALL
        products += every
        work += 2 * touched(every) if small else every // SPEED
        work += 2 * (touched(size(left)) + touched(size(right))) + touched(made) + OVERHEAD
        roundings += size(joined - needed) + size(left & alone) + size(right & alone)
        most = every if small else made
        largest, peak = max(largest, most), max(peak, held + sides + most)
        held += made - sides
        holders.update(needed)
        waiting[place] = needed
        steps.append((a, b, frozenset(names[i] for i in needed)))
    last = next(iter(waiting.values()))
    roundings += size(last - kept)
    return Contraction(tuple(steps), frozenset(names[i] for i in kept), largest, peak, products, work, roundings)
