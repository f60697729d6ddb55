# SPDX-License-Identifier: Apache-2.0
"""Tables with named axes, and which of them hidden variables tie together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def times(a: Potential, b: Potential) -> Potential:
    names = (*a.names, *(name for name in b.names if name not in a.names))
    found = Potential(names, a.table, a.bound * b.bound, a.denominator * b.denominator)
    left, right = (roomy(replace(p, bound=found.bound)) for p in (a, b))
    return replace(found, table=np.asarray(aligned(left, names) * aligned(right, names)))


def roomy(p: Potential) -> Potential:
    """Python's own integers where 64 bits might not hold the bound."""
    return replace(p, table=p.table.astype(object)) if p.bound >= WORD and p.table.dtype.kind == "i" else p


def aligned(p: Potential, names: Sequence[str]) -> NDArray[Any]:
    """The table with its axes in this order; an axis that it lacks has length one."""
    present = [name for name in names if name in p.names]
    table = p.table.transpose([p.names.index(name) for name in present])
    shape = iter(table.shape)
    return table.reshape([next(shape) if name in p.names else 1 for name in names])
