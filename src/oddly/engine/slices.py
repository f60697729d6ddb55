# SPDX-License-Identifier: Apache-2.0
"""The joint probability of class and attributes for every instance, a slice of the table at a time.

In float64, with a bound on what rounding can have done; and for single instances in whole numbers. All terms are
positive or zero, so nothing cancels: with k roundings on the way a number is within k·2^-53 of the truth, relatively,
unless it underflows. All numbers are up to a factor that the classes have in common.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import NetworkClassifier
from oddly.model.contraction import OVERHEAD, Contraction, Potential, axis_sizes, planned, touched
from oddly.model.elimination import bearing, in_every_row, whole_potentials
from oddly.runtime import more_memory, stopped

MOST_WORK = 1 << 38  # table entries over all slices: some minutes
PASSES = 20  # over the finished slice, to decide its instances
COPIES = 8  # of the finished slice that are held at a time
ENOUGH = 4  # times the least work so far: no number of attributes in common beyond this one is looked at
TRIED = 3  # numbers of attributes in common for which more contractions are tried
MOST_TRIES = 64
WORTH_A_TRY = 1 << 27  # entries that could be worked out in the time of a try
HUGE = 900  # exponents of two up to which nothing overflows
TINY = -900  # exponents of two from here on are taken for underflow


@dataclass(frozen=True, eq=False)
class Slice:
    """The instances that agree in the first attributes; all others change, the last one fastest."""

    start: int
    """The place of the first instance in the table."""
    joint: NDArray[np.float64]
    """By class and instance; before that, by the hidden variables that are kept."""
    possible: NDArray[np.bool_]
    """By class and instance: where that is truly not zero."""


@dataclass(frozen=True, eq=False)
class Slices:
    """A classifier's table, its attributes in some order of places."""

    classifier: NetworkClassifier
    order: tuple[int, ...]
    memory: int

    @cached_property
    def names(self) -> list[str]:
        return [self.classifier.attributes[i] for i in self.order]

    @cached_property
    def arities(self) -> list[int]:
        return [len(self.classifier.variables[i].values) for i in self.order]

    @property
    def instances(self) -> int:
        return prod(self.arities)

    @cached_property
    def tables(self) -> list[Potential]:
        """One for every variable that bears on class, attributes and evidence."""
        return whole_potentials(self.classifier)

    @cached_property
    def blocks(self) -> list[list[Potential]]:
        """Those of them that bear on the class, tied together by hidden variables."""
        kept = {self.classifier.class_name, *self.names}
        return bearing(self.tables, kept, self.classifier.class_name)

    @cached_property
    def floats(self) -> list[list[Potential]]:
        """Scaled; all zero where nothing they could say would be trusted."""
        found = [[scaled(p) for p in block] for block in self.blocks]
        if self.floor < inf:
            return found
        return [[Potential(p.names, np.zeros_like(p.table)) for p in block] for block in found]

    @cached_property
    def hidden(self) -> dict[str, int]:
        """The variables that are summed out, and how many values each has."""
        kept = {self.classifier.class_name, *self.names}
        return {name: n for block in self.blocks for name, n in axis_sizes(block).items() if name not in kept}

    # ---- how far the numbers can be trusted ----

    @cached_property
    def roundings(self) -> int:
        """How many roundings lie between the probabilities as written and a number of a slice: the blocks' own, and a
        product each."""
        return sum(plan.roundings + 1 for plan in self.plan[1])

    @cached_property
    def floor(self) -> float:
        """A number below which underflow may show; zero where no product of probabilities comes near that, and
        infinite where sums could overflow."""
        if sum(_growth(p) for block in self.blocks for p in block if p.names and p.names[-1] in self.hidden) > HUGE:
            return inf
        if sum(_exponent(p) for block in self.blocks for p in block) + self._edge > TINY:
            return 0.0
        # each product may lose 2^-1074; so many of them meet in an entry, and are multiplied by so much at most
        many = 2 * prod(self.hidden.values()).bit_length() + sum(map(len, self.blocks)).bit_length()
        lost = many + 60 - 1074
        return 2.0**lost if lost < 0 else inf

    @cached_property
    def _edge(self) -> float:
        """The binary logarithm of the lesser part of a threshold."""
        edge = min(self.classifier.threshold, 1 - self.classifier.threshold)
        return log2(edge.numerator) - log2(edge.denominator) if edge and self.classifier.positive is not None else 0.0

    # ---- slice by slice ----

    def __iter__(self) -> Iterator[Slice]:
        return self.parts(*self.plan)

    def parts(self, fixed: int, plans: Sequence[Contraction], also: Sequence[str] = ()) -> Iterator[Slice]:
        """The slices with so many of the first attributes in common; by the hidden variables in `also` too."""
        support = [[scaled(p.possible()) for p in block] for block in self.blocks] if self.floor else None
        in_truth = self.plans(fixed) if also and support else plans
        size = prod(self.arities[fixed:])
        for place, prefix in enumerate(np.ndindex(*self.arities[:fixed])):
            known = dict(zip(self.names, prefix, strict=False))
            joint = self.joint(self.floats, known, plans, also)
            can = joint if support is None else self.joint(support, known, in_truth, truth=True)
            yield Slice(place * size, joint, np.asarray((can > 0).any(axis=tuple(range(can.ndim - 2)))))

    @cached_property
    def plan(self) -> tuple[int, list[Contraction]]:
        """How many of the first attributes a slice has in common, and how each block's hidden variables are summed out.

        Of all numbers that the memory allows, that with the least work; more is tried where much work is ahead.
        """
        found = list[tuple[int, int, list[Contraction]]]()
        entries, least = 0, inf
        for fixed in range(len(self.names) + 1):
            entries, work, plans = self._planned(fixed)
            if 8 * entries <= self.memory:
                found.append((work, fixed, plans))
            least = min(least, work)
            if found and work > ENOUGH * least:
                break  # smaller slices would only be more
        found.sort(key=_work)
        for work, fixed, _ in found[:TRIED]:
            entries, work, plans = self._planned(fixed, min(MOST_TRIES, 1 + work // WORTH_A_TRY))
            if 8 * entries <= self.memory:
                found.append((work, fixed, plans))
        best = min(found, key=_work, default=None)
        if best is None or best[0] > MOST_WORK:
            need = f"tables of {entries:,} entries" if best is None else f"{best[0]:,} steps, {MOST_WORK:,} allowed,"
            needed = f"{self.instances:,} instances, and {need} to sum {len(self.hidden)} hidden variables out"
            raise stopped(needed, "", "fewer attributes", "" if best else more_memory(16 * entries))
        return best[1], best[2]

    def _planned(self, fixed: int, tries: int = 1) -> tuple[int, int, list[Contraction]]:
        """The entries held at a time, the work of all slices, and how one of them is worked out."""
        plans = self.plans(fixed, tries=tries)
        table = len(self.classifier.class_values) * prod(self.arities[fixed:])
        work = sum(plan.work for plan in plans) + PASSES * (touched(table) + OVERHEAD)
        entries = max([COPIES * table, *(table + plan.peak for plan in plans)])
        return entries, work * prod(self.arities[:fixed]), plans

    def plans(self, fixed: int, also: Sequence[str] = (), tries: int = 1) -> list[Contraction]:
        """How each block is summed out where the first attributes are known; hidden variables in `also` stay."""
        known, kept = set(self.names[:fixed]), {self.classifier.class_name, *self.names[fixed:], *also}
        return [planned([set(p.names) - known for p in b], kept, axis_sizes(b), tries) for b in self.blocks]

    def joint(
        self,
        blocks: Sequence[Sequence[Potential]],
        known: Mapping[str, int],
        plans: Sequence[Contraction],
        also: Sequence[str] = (),
        truth: bool = False,
    ) -> NDArray[Any]:
        """By what is `also` kept, by class and instance of a slice: the product of all blocks.

        Those of the last attributes come first, so that most products are of small tables.
        """
        axes = (*also, self.classifier.class_name, *self.names[len(known) :])
        each = zip(blocks, plans, strict=True)
        parts = [plan([p.at(known) for p in block], truth=truth).aligned(axes) for block, plan in each]
        found = np.ones([1] * len(axes))
        for part in sorted(parts, key=_first, reverse=True):
            found = found * part
        front = (*found.shape[: len(also)], len(self.classifier.class_values))
        return np.broadcast_to(found, (*front, *self.arities[len(known) :])).reshape(*front, -1)

    # ---- single instances ----

    def exactly(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """By instance and class, in whole numbers: each block once for all instances that agree in it."""
        codes = dict(zip(self.names, np.unravel_index(places, self.arities or [1]), strict=False))
        found = np.ones((len(self.classifier.class_values), len(places)), object)
        for block in self.blocks:
            found *= in_every_row(block, codes, self.classifier.class_name)
        return found.T


def _work(plan: tuple[int, int, list[Contraction]]) -> tuple[int, int]:
    return plan[:2]


def _first(table: NDArray[Any]) -> int:
    """The first attribute that a table with the class in front depends on."""
    return next((axis for axis, size in enumerate(table.shape) if axis and size > 1), table.ndim)


def scaled(p: Potential) -> Potential:
    """The same numbers as floats, none above one."""
    return Potential(p.names, np.asarray(p.table / max(p.bound, 1), np.float64))


def _growth(p: Potential) -> float:
    """The binary logarithm of what summing out a table's own variable makes of numbers up to one, at most.

    It is summed out with every table that has it, and all others of these are at most one.
    """
    return max(0.0, log2(scaled(p).table.sum(axis=-1).max() or 1.0))


def _exponent(p: Potential) -> float:
    """The binary logarithm of the least positive number, once the table is scaled."""
    if p.table.dtype == bool or not np.any(p.table > 0):
        return 0.0
    return log2(int(p.table[p.table > 0].min())) - log2(p.bound)
