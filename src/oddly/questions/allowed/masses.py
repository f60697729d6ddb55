# SPDX-License-Identifier: Apache-2.0
"""How much of each instance's probability goes through each entry of a variable's table?

Pr(class, instance) is a sum over hidden variables of products, one factor from each table, so a row and a value of one
table have their part of it: Pr(class, instance, parents, value). All parts of a table come from one elimination that
keeps the hidden ones of the variable and its parents. In certified floats for many instances, in whole numbers for few.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.engine.slices import COPIES, MOST_WORK, PASSES, Slices
from oddly.engine.table import MOST_INSTANCES, that_matter
from oddly.errors import Unsupported
from oddly.model import NetworkClassifier, Node
from oddly.model.contraction import CACHED, LARGE, OVERHEAD, Contraction, Potential, axis_sizes, too_large
from oddly.model.elimination import in_every_row, row_plan
from oddly.questions.allowed.ranges import Block
from oddly.runtime import stopped

OPERATIONS = 40  # on arrays, for each entry of a table

Places = NDArray[np.intp]
Read = Callable[[str, Places], NDArray[np.integer[Any]]]


@dataclass(frozen=True, eq=False)
class NetworkFamily:
    """A variable with its parents, in the block of tables that hidden variables tie it to."""

    node: Node
    block: int
    hidden: tuple[str, ...]
    """Those of them that are summed out, the variable itself last."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Some instances, and what is known of each."""

    places: Places
    labels: NDArray[np.integer[Any]]
    masses: NDArray[Any]
    """By the hidden ones of a family, by class and by instance."""
    possible: NDArray[np.bool_]
    """By class and instance: where the mass is truly not zero."""

    @cached_property
    def totals(self) -> NDArray[Any]:
        """By class and instance."""
        return np.asarray(self.masses.sum(axis=_hidden(self.masses)))


@dataclass(frozen=True, eq=False)
class Blocks:
    """The tables of a classifier that bear on its class, tied together by hidden variables."""

    classifier: NetworkClassifier
    slices: Slices
    families: list[NetworkFamily]

    @classmethod
    def of(cls, classifier: NetworkClassifier, order: Sequence[int], memory: int) -> "Blocks":
        """With the attributes in this order; those that decide nothing are left out."""
        matters = that_matter(classifier)
        slices = Slices(classifier, tuple(i for i in order if classifier.attributes[i] in matters), memory)
        kept, sizes = {classifier.class_name, *slices.names}, axis_sizes(slices.tables)
        block_of = {id(p): b for b, block in enumerate(slices.blocks) for p in block}
        families = []
        for node, p in zip(classifier.relevant.nodes, slices.tables, strict=True):
            if id(p) in block_of and any(classifier.class_name in q.names for q in slices.blocks[block_of[id(p)]]):
                hidden = tuple(name for name in (*node.parents, node.name) if name in sizes and name not in kept)
                families.append(NetworkFamily(node, block_of[id(p)], hidden))
        return cls(classifier, slices, families)

    @property
    def whole(self) -> list[list[Potential]]:
        return self.slices.blocks

    @cached_property
    def support(self) -> list[list[Potential]] | None:
        """Where tables are not zero; None where floats say that as well."""
        return [[p.possible() for p in block] for block in self.whole] if self.slices.floor else None

    @cached_property
    def scopes(self) -> list[tuple[str, ...]]:
        """The attributes of each block."""
        return [tuple(name for name in self.slices.names if name in axis_sizes(block)) for block in self.whole]

    @property
    def weights(self) -> int:
        """How many numbers are added up for an instance: one for each group of attributes, and the prior."""
        return 1 + len({self.scopes[family.block] for family in self.families} - {()})

    def rows(
        self, blocks: Sequence[Sequence[Potential]], read: Read, places: Places, family: NetworkFamily | None
    ) -> NDArray[Any]:
        """By the family's hidden ones, by class and by instance: the masses of single instances."""
        target = self.classifier.class_name
        kinds = {p.table.dtype.kind for block in blocks for p in block}
        found: NDArray[Any] = np.ones((), object if kinds & {"i", "O"} else float if "f" in kinds else bool)
        for b, block in enumerate(blocks):
            also = family.hidden if family and family.block == b else ()
            found = found * in_every_row(block, {name: read(name, places) for name in self.scopes[b]}, target, also)
        shape = (*found.shape[:-2], len(self.classifier.class_values), len(places))
        return np.broadcast_to(found, shape)


class Listed:
    """Single instances: their values by attribute, and their labels."""

    def __init__(self, blocks: Blocks, codes: Mapping[str, NDArray[np.integer[Any]]], labels: Any) -> None:
        self.blocks, self.codes = blocks, codes
        self.labels: NDArray[np.integer[Any]] = np.asarray(labels, np.intp)
        self.inside = np.ones(len(self.labels), bool)  # what is outside a domain counts as impossible

    def read(self, name: str, places: Places) -> NDArray[np.integer[Any]]:
        return self.codes[name][places]

    def cases(self, family: NetworkFamily | None) -> Iterator[Cases]:
        """In floats."""
        step = max(1, CACHED // (len(self.blocks.classifier.class_values) * self.combinations(family)))
        for start in range(0, len(self.labels), step):
            places = np.arange(start, min(start + step, len(self.labels)))
            masses = self.blocks.rows(self.blocks.slices.floats, self.read, places, family)
            yield Cases(places, self.labels[places], masses, self._possible(masses, places))

    def combinations(self, family: NetworkFamily | None) -> int:
        """Of the values of a family's hidden ones."""
        return prod(axis_sizes(self.blocks.whole[family.block])[name] for name in family.hidden) if family else 1

    def roundings(self, family: NetworkFamily | None) -> int:
        """How many lie between the probabilities as written and a mass: the blocks' own, and a product each."""
        return sum(plan.roundings + 1 for plan in self._plans_for(family))

    def _plans_for(self, family: NetworkFamily | None) -> list[Contraction]:
        """How hidden variables are summed out of each block."""
        target, scopes = self.blocks.classifier.class_name, self.blocks.scopes
        also = [family.hidden if family and family.block == b else () for b in range(len(scopes))]
        return [row_plan(*each) for each in zip(self.blocks.whole, scopes, ((target, *a) for a in also), strict=True)]

    def _possible(self, masses: NDArray[Any], places: Places) -> NDArray[np.bool_]:
        if self.blocks.support is not None:
            return self.blocks.rows(self.blocks.support, self.read, places, None)
        return np.asarray(masses.any(axis=_hidden(masses)), bool)

    def exactly(self, places: Places, family: NetworkFamily | None) -> Cases:
        """In whole numbers."""
        masses = self.blocks.rows(self.blocks.whole, self.read, places, family)
        can = np.asarray(masses.sum(axis=_hidden(masses)) > 0, bool) & self.inside[places]
        return Cases(places, self.labels[places], masses, can)

    def block(self, place: int, becomes: str) -> Block:
        """An instance that stops a number; of what decides nothing it has the first value."""
        at, inside = np.array([place]), self.blocks.slices.names
        every = self.blocks.classifier.variables
        return Block({v.name: v.values[self.read(v.name, at)[0] if v.name in inside else 0] for v in every}, becomes)


class InstanceTable(Listed):
    """All instances of a diagram, apart from attributes that decide nothing, in its order."""

    def __init__(self, odd: ODD, classifier: NetworkClassifier, memory: int) -> None:
        blocks = Blocks.of(classifier, odd.places, memory)
        names, arities = blocks.slices.names, blocks.slices.arities
        many = blocks.slices.instances
        if many > (most := min(MOST_INSTANCES, memory // 16)):
            needed = f"to see how far each number may move: {many:,} instances to look at one by one"
            raise stopped(needed, f"{most:,}", "fewer attributes")
        super().__init__(blocks, {}, ())
        labels = _unfolded(odd, set(names))
        self.inside = labels < len(classifier.labels)
        self.labels = np.where(self.inside, labels, 0)
        strides = [prod(arities[k + 1 :]) for k in range(len(names))]
        self.strides = dict(zip(names, zip(strides, arities, strict=True), strict=True))
        self.planned = cache(self._planned)

    def read(self, name: str, places: Places) -> NDArray[np.integer[Any]]:
        stride, arity = self.strides[name]
        return places // stride % arity

    def check_work(self) -> None:
        """TooLarge if all families together take more than some minutes."""
        work = sum(self.planned(family)[2] for family in self.blocks.families)
        if work > MOST_WORK:
            many = self.blocks.slices.instances
            needed = f"{many:,} instances and {len(self.blocks.families)} tables: {work:,} steps to see how far each "
            raise stopped(f"{needed}number may move", f"{MOST_WORK:,}", "fewer attributes")

    def cases(self, family: NetworkFamily | None) -> Iterator[Cases]:
        fixed, plans, _ = self.planned(family)
        for part in self.blocks.slices.parts(fixed, plans, family.hidden if family else ()):
            places = np.arange(part.start, part.start + part.joint.shape[-1])
            yield Cases(places, self.labels[places], part.joint, part.possible & self.inside[places])

    def _planned(self, family: NetworkFamily | None) -> tuple[int, list[Contraction], int]:
        """How many of the first attributes are the same throughout a slice, in which order hidden variables are summed
        out, and the work of it all."""
        slices, combinations = self.blocks.slices, self.combinations(family)
        entries = sum(map(len, family.node.table)) if family else 1
        operations = len(slices.hidden) + sum(map(len, slices.blocks)) + OPERATIONS * entries
        best: tuple[int, list[Contraction], int] | None = None
        peak = 0
        for fixed in range(len(slices.names) + 1):
            table = len(self.blocks.classifier.class_values) * prod(slices.arities[fixed:])
            if table * combinations > LARGE and fixed < len(slices.names):
                continue
            plans = slices.plans(fixed, family.hidden if family else ())
            peak = max([table * combinations, *(plan.largest for plan in plans)])
            slow = 1 if peak <= CACHED else 2
            work = (sum(plan.products for plan in plans) + table * (combinations + PASSES + entries)) * slow
            work = (work + operations * OVERHEAD) * prod(slices.arities[:fixed])
            if 8 * COPIES * peak <= slices.memory and (best is None or work < best[2]):
                best = fixed, plans, work
            if peak <= CACHED:
                break  # smaller slices would only be more
        if best is None:
            scopes = [p.names for b in self.blocks.whole for p in b]
            raise too_large(scopes, slices.names, peak, slices.memory // 64)
        return best

    def _plans_for(self, family: NetworkFamily | None) -> list[Contraction]:
        return self.planned(family)[1]


def _hidden(masses: NDArray[Any]) -> tuple[int, ...]:
    """The axes before class and instance."""
    return tuple(range(masses.ndim - 2))


def _unfolded(odd: ODD, matters: set[str]) -> NDArray[np.integer[Any]]:
    """The label of every instance, the last attribute changing fastest; what decides nothing is left out."""
    found = np.array([odd.root], np.uint32)
    for variable, level in zip(odd.variables, odd.levels, strict=True):
        if variable.name not in matters and (level != level[:, :1]).any():
            raise Unsupported(
                f"the domain reads {variable.name}, which bears on no decision; leave it out of the domain"
            )
        found = (level if variable.name in matters else level[:, :1])[found].reshape(-1)
    return found.astype(np.uint8 if len(odd.labels) <= 256 else np.uint16)
