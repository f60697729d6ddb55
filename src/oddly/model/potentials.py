# SPDX-License-Identifier: Apache-2.0
"""Tables with named axes: their products, and variables summed out of these in a good order."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import TooLarge, listed

MOST_ENTRIES = 1 << 22  # of a table of whole numbers; each takes some 50 bytes
WORD = 1 << 62  # smaller whole numbers are held in 64 bits
ROW = ""  # the axis of many rows at once; no variable has this name

_Cost = Callable[[str, Mapping[str, set[str]], Mapping[str, int]], int]


@dataclass(frozen=True, eq=False)
class Potential:
    """A table with named axes. Of whole numbers, none is above `bound`; floats and truth values need none."""

    names: tuple[str, ...]
    table: NDArray[Any]
    bound: int = 1
    denominator: int = 1
    """What whole numbers are divided by."""

    def at(self, known: Mapping[str, int]) -> "Potential":
        """The part of the table where these variables have these values; they are removed."""
        if known.keys().isdisjoint(self.names):
            return self
        table = self.table[tuple(known.get(name, slice(None)) for name in self.names)]
        return replace(self, names=tuple(n for n in self.names if n not in known), table=np.asarray(table))


def possible(p: Potential) -> Potential:
    """Where the table is not zero."""
    return Potential(p.names, np.asarray(p.table > 0, bool))


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


def eliminated(
    block: Sequence[Potential],
    kept: Collection[str],
    limit: int = MOST_ENTRIES,
    order: Sequence[str] | None = None,
) -> Potential:
    """The product of a block's tables, with all that is not kept summed out."""
    if order is None:
        plan = elimination_order([p.names for p in block], kept, axis_sizes(block))
        if plan.peak > limit:
            raise TooLarge(too_large(block, kept, plan.peak, limit))
        order = plan.order
    waiting = list(block)
    for name in order:
        inside = sorted((p for p in waiting if name in p.names), key=lambda p: p.table.size)
        waiting = [p for p in waiting if name not in p.names]
        waiting.append(_without(product(inside), name))
    return product(sorted(waiting, key=lambda p: p.table.size))


@dataclass(frozen=True)
class Plan:
    """An order in which to sum variables out, the entries of the largest table that needs, and of all together."""

    order: tuple[str, ...]
    peak: int
    work: int


def elimination_order(scopes: Iterable[Iterable[str]], kept: Collection[str], sizes: Mapping[str, int]) -> Plan:
    """The better of two greedy orders: least new ties between what remains (min-fill), or smallest table first."""
    tied: dict[str, set[str]] = {}
    for scope in scopes:
        inside = set(scope)
        for name in inside:
            tied.setdefault(name, set()).update(inside)
    plans = [_greedy({name: set(others) for name, others in tied.items()}, kept, sizes, cost) for cost in COSTS]
    return min(plans, key=lambda plan: plan.work)


def _greedy(tied: dict[str, set[str]], kept: Collection[str], sizes: Mapping[str, int], cost: _Cost) -> Plan:
    """Always the variable of the least cost; `tied` says with which it shares a table, itself among them."""
    waiting = sorted(tied.keys() - set(kept))
    costs: dict[str, int] = {}
    order, tables = [], [1]
    while waiting:
        for name in waiting:
            if name not in costs:
                costs[name] = cost(name, tied, sizes)
        best = min(waiting, key=costs.__getitem__)
        joined = tied.pop(best)
        tables.append(prod(sizes[name] for name in joined))
        joined.discard(best)
        for name in joined:
            tied[name].discard(best)
            tied[name] |= joined
        for name in joined.union(*(tied[name] for name in joined)):
            costs.pop(name, None)
        waiting.remove(best)
        order.append(best)
    tables.append(prod(sizes[name] for name in tied))
    return Plan(tuple(order), max(tables), sum(tables))


def _table(name: str, tied: Mapping[str, set[str]], sizes: Mapping[str, int]) -> int:
    return prod(sizes[other] for other in tied[name])


def _new_ties(name: str, tied: Mapping[str, set[str]], sizes: Mapping[str, int]) -> int:
    return sum(sizes[a] * sum(sizes[b] for b in tied[name] - tied[a]) for a in tied[name])


COSTS: tuple[_Cost, ...] = (_new_ties, _table)


def too_large(block: Sequence[Potential], kept: Collection[str], peak: int, limit: int) -> str:
    names = dict.fromkeys(name for p in block for name in p.names)
    hidden = [name for name in names if name not in kept]
    stays = [name for name in names if name in kept and name != ROW]
    return (
        f"a table of {peak:,} entries, {limit:,} allowed, to sum {listed(hidden)} out of what ties "
        f"{listed(stays)} together.  Try fewer of these as attributes."
    )


def product(potentials: Sequence[Potential]) -> Potential:
    found = potentials[0]
    for p in potentials[1:]:
        found = times(found, p)
    return found


def times(a: Potential, b: Potential) -> Potential:
    names = (*a.names, *(name for name in b.names if name not in a.names))
    found = Potential(names, a.table, a.bound * b.bound, a.denominator * b.denominator)
    left, right = (_roomy(replace(p, bound=found.bound)) for p in (a, b))
    return replace(found, table=np.asarray(aligned(left, names) * aligned(right, names)))


def _without(p: Potential, name: str) -> Potential:
    """The variable summed out; of truth values, whether any is true."""
    axis = p.names.index(name)
    rest = tuple(n for n in p.names if n != name)
    if p.table.dtype == bool:
        return Potential(rest, np.asarray(p.table.any(axis)))
    wide = _roomy(replace(p, bound=p.bound * p.table.shape[axis]))
    return replace(wide, names=rest, table=np.asarray(wide.table.sum(axis)))


def _roomy(p: Potential) -> Potential:
    """Python's own integers where 64 bits might not hold the bound."""
    return replace(p, table=p.table.astype(object)) if p.bound >= WORD and p.table.dtype.kind == "i" else p


def aligned(p: Potential, names: Sequence[str]) -> NDArray[Any]:
    """The table with its axes in this order; an axis that it lacks has length one."""
    present = [name for name in names if name in p.names]
    table = p.table.transpose([p.names.index(name) for name in present])
    shape = iter(table.shape)
    return table.reshape([next(shape) if name in p.names else 1 for name in names])
