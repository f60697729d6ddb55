# SPDX-License-Identifier: Apache-2.0
"""Attributes that depend on each other: a network's own distribution, and its passes over a diagram.

Under a network an attribute's probability depends on others that were read before it. A diagram is *unfolded* so
that this becomes a number on an edge: its nodes are split by the values of the *frontier*, the attributes above
that share an unfinished factor with one below. On the unfolded diagram every pass is as simple as under independent
attributes, with a number per node and value instead of one per value. Hidden variables that would tie many attributes
together are carried along with the class: the distribution is then a sum of more *parts* than there are classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.errors import TooLarge, listed
from oddly.lowering import distinct
from oddly.model import NetworkClassifier, Variable
from oddly.model.contraction import Potential, summed_out
from oddly.model.elimination import MOST_FLOATS, Factor, cutset, joint_factors
from oddly.model.shared import lying_in
from oddly.runtime import current, stopped

Numbers = NDArray[Any]
Known = Mapping[int, int]

COIN = "\0coin"  # before the name of a class that stands beside a network which has none; no variable is called so
TINY = Fraction(1, 1 << 900)  # a probability next to what floats can hold: its parts would underflow


@dataclass(frozen=True, eq=False)
class NetworkTables:
    """A network's factors over a diagram's attributes, in its order, with their values in its order."""

    model: NetworkClassifier
    variables: tuple[Variable, ...]

    @cached_property
    def exact(self) -> list[Factor]:
        """In whole numbers."""
        return [self._reordered(f) for f in joint_factors(self.model, self._names, self._carried)]

    @cached_property
    def floats(self) -> list[Factor]:
        """In floats; the same numbers where the whole ones are not too large."""
        try:
            found = self.exact
        except TooLarge:
            found = [self._reordered(f) for f in joint_factors(self.model, self._names, self._carried, exact=False)]
        return [Factor(f.scope, f.floats(), Fraction(1)) for f in found]

    @property
    def _names(self) -> list[str]:
        return [v.name for v in self.variables]

    @cached_property
    def _carried(self) -> tuple[str, ...]:
        return cutset(self.model, self._names)

    def _reordered(self, factor: Factor) -> Factor:
        table = factor.table
        for axis, attribute in enumerate(factor.scope):
            v = self.variables[attribute]
            place = lying_in(v, self.model.network.node(v.name).variable)
            known = np.array([at >= 0 for at in place]).reshape([-1 if i == axis else 1 for i in range(table.ndim)])
            table = table.take(place, axis)
            table = table if known.all() else table * known.astype(table.dtype)
        return replace(factor, table=table)


@dataclass(frozen=True, eq=False)
class Joint:
    """A network's distribution over a diagram's attributes and the class; probabilities are shares of its mass."""

    name: str
    tables: NetworkTables
    known: Known

    @property
    def class_name(self) -> str | None:
        return None if self.tables.model.class_name.startswith(COIN) else self.tables.model.class_name

    @property
    def classes(self) -> tuple[str, ...]:
        return self.tables.model.class_values

    @cached_property
    def mass(self) -> Fraction:
        """What all instances weigh together: exactly, where the tables are not too large for that."""
        try:
            found = self._factors(exact=True)
        except TooLarge:
            found = [_knowing(f, self.known) for f in self.tables.floats]
        everything = [Potential((*map(str, f.scope), ""), f.table) for f in found]
        return Fraction(summed_out(everything, (), MOST_FLOATS).table.item()) * _scale(found)

    def knowing(self, known: Known) -> "Joint":
        """The same with every other value of the known attributes impossible."""
        return replace(self, known={**self.known, **known}) if known else self

    def unfolded(self, odd: ODD, exact: bool = False) -> "Unfolded":
        """The diagram with a number on every edge, for each class: floats, or whole numbers."""
        found = self._factors(exact)
        return _unfolded(odd, [(f.scope, f.table) for f in found], len(self.classes), _scale(found))

    def _factors(self, exact: bool) -> list[Factor]:
        if exact:
            return [_knowing(f, self.known) for f in self.tables.exact]
        if 0 < self.mass < TINY:
            return [_in_floats(_knowing(f, self.known)) for f in self.tables.exact]
        return [_knowing(f, self.known) for f in self.tables.floats]


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A diagram whose nodes know the values that the numbers on their edges depend on; equal nodes are not merged."""

    odd: ODD
    rows: list[list[Numbers]]
    """By part and depth: a number per node and value. A part is a class, with some values of hidden variables."""
    weights: list[Any]
    """By part: what every instance is multiplied by."""
    scale: Fraction
    """And in every part."""
    classes: int
    """The parts of a class come one after the other, as many for each."""


def of_network(model: NetworkClassifier, variables: Sequence[Variable], name: str) -> Joint:
    """A network's distribution over these variables, given its evidence; all others are summed out."""
    more = [v.name for v in variables if v.name not in model.attributes]
    wider = model.replace(attributes=[*model.attributes, *more]) if more else model
    return Joint(name, NetworkTables(wider, tuple(variables)), {})


def _scale(found: Sequence[Factor]) -> Fraction:
    return prod((f.scale for f in found), start=Fraction(1))


def _in_floats(factor: Factor) -> Factor:
    """The factor in floats, the largest of its numbers near one, however small it is."""
    large = max((int(n) for n in factor.table.flat), default=0).bit_length()
    share = Fraction(1, 1 << large)
    return Factor(factor.scope, replace(factor, scale=share).floats(), factor.scale / share)


def _knowing(factor: Factor, known: Known) -> Factor:
    table = factor.table
    for axis, attribute in enumerate(factor.scope):
        if attribute in known:
            kept = np.arange(table.shape[axis]) == known[attribute]
            table = table * kept.astype(table.dtype).reshape([-1 if i == axis else 1 for i in range(table.ndim)])
    return replace(factor, table=table)


# ---- a diagram's nodes, split by what they must remember ----

_Numbered = tuple[tuple[int, ...], Numbers]
"""A factor's scope and numbers."""
_Context = dict[int, NDArray[Any]]
"""Values of attributes, by place, one for each node."""


def _unfolded(odd: ODD, tables: Sequence[_Numbered], classes: int, scale: Fraction) -> Unfolded:
    (_, start), *tables = tables
    arities = odd.arities
    last = {a: max(max(s) for s, _ in tables if a in s) for s, _ in tables for a in s}
    nodes = np.array([odd.root])
    context: _Context = {}
    levels, rows, room = [], [], current().max_memory
    for k, level in enumerate(odd.levels):
        room -= level[nodes].size * (4 + 8 * len(start) + 8 * (len(context) + 3))
        if room < 0:
            raise _too_large(odd, context, k, len(nodes))
        children = level[nodes]
        values = {a: column[:, None] for a, column in context.items()} | {k: np.arange(arities[k])[None, :]}
        rows.append(_edges(tables, values, k, start, children.shape))
        context = {a: np.broadcast_to(v, children.shape).reshape(-1) for a, v in values.items() if last.get(a, 0) > k}
        if k + 1 < len(odd.levels):
            first, which = distinct([children.reshape(-1), *context.values()])
            nodes, context = children.reshape(-1)[first], {a: column[first] for a, column in context.items()}
            children = which.reshape(children.shape).astype(np.uint32)
        levels.append(children)
    copy = ODD(odd.variables, odd.labels, tuple(levels), 0 if levels else odd.root, odd.places)
    by_part = [[row[:, :, part] for row in rows] for part in range(len(start))]
    return Unfolded(copy, by_part, list(start), scale, classes)


def _edges(tables: Sequence[_Numbered], values: _Context, k: int, start: Numbers, shape: tuple[int, ...]) -> Numbers:
    """The numbers of all factors that attribute k completes, for every node, value and class."""
    found = np.ones((1, 1, len(start)), start.dtype)
    for scope, table in tables:
        if scope[-1] == k:
            found = found * table[tuple(values[a] for a in scope)]
    return np.broadcast_to(found, (*shape, len(start)))


def _too_large(odd: ODD, context: _Context, k: int, states: int) -> TooLarge:
    names = listed(odd.order[a] for a in context)
    needed = f"{states:,} combinations of a node and the values of {names} at attribute {k + 1} of {len(odd.levels)}"
    return stopped(f"{needed}, too many for the memory there is", "", "under='uniform'", "another order")
