# SPDX-License-Identifier: Apache-2.0
"""The fewest attributes that will do, by branch and bound over the sets to remove.

Attributes are removed one after the other from tables over all instances, which shrink by as much each time. The tables
are floats, used only where they are far from the limit; what comes close is settled in exact fractions. Where the work
has to stop, the answer is the largest set found, with a number of attributes that no set goes below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.domain import Domain
from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.joint import Joint
from oddly.distribution.masses import Part, label_masses, masses_within, parts
from oddly.distribution.measure import Mixture
from oddly.model import Probabilistic
from oddly.runtime import poll

Floats = NDArray[np.float64]
Places = tuple[int, ...]
"""Attributes, by their places in the diagram's order."""

TINY = 1e-13  # more than rounding can have moved any entry
SLACK = 1e-9  # and any sum of them


@dataclass(frozen=True, eq=False)
class Agreement:
    """A diagram, its model, the model's distribution, and the share of cases in which both are to decide alike."""

    domain: Domain
    model: Probabilistic
    measure: Mixture | Joint
    share: Fraction

    @property
    def odd(self) -> ODD:
        return self.domain.odd

    @cached_property
    def mass(self) -> Fraction:
        """How probable it is to be inside the domain."""
        whole = self.domain.members is None
        return self.measure.mass if whole else Fraction(masses_within(self.domain, self.measure)[1])

    def reached(self, removed: Places) -> bool:
        """Whether the share is reached without these: in floats where that is clear."""
        poll("subsets", 0, 0)
        nearly = self._without(removed, exact=False)
        return nearly > self.share if abs(nearly - self.share) > SLACK else self.exactly(removed) >= self.share

    def exactly(self, removed: Places) -> Fraction:
        """The agreement without these, in exact fractions."""
        return Fraction(self._without(removed, exact=True))

    def _without(self, removed: Places, exact: bool) -> Any:
        order = [name for place, name in enumerate(self.odd.order) if place not in removed]
        small = compile(self.model.restricted([name for name in self.odd.columns if name in order]), order)
        alike = combine(self.domain.product, small, lambda i, j: int(i == j), ("otherwise", "alike"))
        found = sum(masses[1] for masses in label_masses(alike, self.measure, exact))
        return found / (self.mass if exact else float(self.mass))


@dataclass(frozen=True, eq=False)
class SubsetTables:
    """Over the attributes that are left, an axis each after the first."""

    decided: Floats
    """By label: how probable the values are together with this final decision; of two labels, the difference."""
    leads: Floats
    """By class: how probable they are together with it; or the lead of the positive class over its threshold."""

    @classmethod
    def of(cls, agreement: Agreement) -> "SubsetTables":
        """The tables of all attributes that have more than one value."""
        odd, model, measure = agreement.odd, agreement.model, agreement.measure
        joint = np.zeros((len(model.class_values), odd.instances))
        for part in parts(agreement.domain.product, measure, exact=False):
            products, labels = _unrolled(part)  # what is outside the domain agrees with nothing
            joint[part.place] += products * float(part.weight / agreement.mass)
        everywhere = joint.sum(axis=0)
        decided = np.where(labels == np.arange(len(odd.labels))[:, None], everywhere, 0.0)
        if len(odd.labels) == 2:
            decided = decided[1:] - decided[:1]
        leads = joint
        if model.positive is not None:
            leads = joint[[model.class_values.index(model.positive)]] - float(model.threshold) * everywhere
        shape = [arity for arity in odd.arities if arity > 1]
        return cls(decided.reshape(-1, *shape), leads.reshape(-1, *shape))

    def without(self, axis: int) -> "SubsetTables":
        return SubsetTables(self.decided.sum(axis=axis + 1), self.leads.sum(axis=axis + 1))

    def best(self, axis: int) -> float:
        """What the best rule agrees, once one more axis is summed out."""
        table = self.decided.sum(axis=axis + 1)
        return float((1 + np.abs(table).sum()) / 2 if len(table) == 1 else table.max(axis=0).sum())

    def own(self, ties: int) -> tuple[float, float]:
        """What the model's own decisions agree, at least and at most: some are too close to tell."""
        if len(self.leads) == 1:
            lead, gain = self.leads[0], self.decided[0]
            sign = np.where((lead > 0) | ((lead == 0) & bool(ties)), 1.0, -1.0)
            middle, open_ = (1 + (sign * gain).sum()) / 2, np.abs(gain[np.abs(lead) <= TINY]).sum()
        else:
            first = self.leads.argmax(axis=0)[None]  # the first of equal ones
            rest = self.leads.copy()
            np.put_along_axis(rest, first, -1.0, 0)
            close = self.leads.max(axis=0) - rest.max(axis=0) <= TINY
            middle, open_ = np.take_along_axis(self.decided, first, 0).sum(), self.decided.max(axis=0)[close].sum()
        return float(middle - open_) - SLACK, float(middle + open_) + SLACK


def _unrolled(part: Part) -> tuple[Floats, NDArray[np.uint32]]:
    """For every instance the product of the numbers on its path, and its label."""
    products, nodes = np.ones(1), np.array([part.odd.root], np.uint32)
    for level, row in zip(part.odd.levels, part.rows, strict=True):
        products = (products[:, None] * (row[nodes] if row.ndim == 2 else row)).reshape(-1)
        nodes = level[nodes].reshape(-1)
    return products, nodes


class _OutOfEffort(Exception):
    """The work was as much as was allowed."""


class SubsetSearch:
    """Branch and bound, within so many table entries looked at."""

    def __init__(self, agreement: Agreement, max_work: int) -> None:
        self.agreement, self.share = agreement, agreement.share
        self.work, self.max_work = 0, max_work
        self.best: Places = ()

    def run(self) -> tuple[Places, int]:
        """A largest set of attributes that can be removed, and how many are needed at least."""
        needed, arities = 0, self.agreement.odd.arities
        tables = SubsetTables.of(self.agreement)
        left = tuple(i for i, arity in enumerate(arities) if arity > 1)
        idle = self.best = tuple(i for i, arity in enumerate(arities) if arity == 1)  # their values say nothing
        try:
            alone = [self._bound(tables, axis) for axis in range(len(left))]
            needed = sum(bound < self.share - SLACK for bound in alone)
            self._dive(idle, tables, left)
            self._branch(idle, tables, left, left)
        except _OutOfEffort:
            return self.best, needed
        return self.best, len(arities) - len(self.best)

    def _dive(self, removed: Places, tables: SubsetTables, left: Places) -> None:
        """A first answer: always remove what costs least."""
        while left:
            cost, axis = max((self._bound(tables, axis), axis) for axis in range(len(left)))
            if cost < self.share - SLACK:
                return
            removed, left, tables = (*removed, left[axis]), left[:axis] + left[axis + 1 :], tables.without(axis)
            self._offer(removed, tables)

    def _branch(self, removed: Places, tables: SubsetTables, left: Places, candidates: Sequence[int]) -> None:
        """All ways to remove some of the candidates as well; the tables are over what is left."""
        if len(removed) + len(candidates) <= len(self.best):
            return
        bounds = [(self._bound(tables, left.index(i)), i) for i in candidates]
        open_ = [i for bound, i in sorted(bounds) if bound >= self.share - SLACK]
        for place, i in enumerate(open_):
            if len(removed) + len(open_) - place <= len(self.best):
                return
            axis = left.index(i)
            below, more = tables.without(axis), (*removed, i)
            self._offer(more, below)
            self._branch(more, below, left[:axis] + left[axis + 1 :], open_[place + 1 :])

    def _bound(self, tables: SubsetTables, axis: int) -> float:
        self.work += tables.decided.size
        if self.work > self.max_work:
            raise _OutOfEffort
        poll("subsets", self.work, self.max_work)
        return tables.best(axis)

    def _offer(self, removed: Places, tables: SubsetTables) -> None:
        if len(removed) <= len(self.best):
            return
        least, most = tables.own(self.agreement.model.ties == "positive")
        if least >= self.share or (most >= self.share and self.agreement.exactly(removed) >= self.share):
            self.best = removed
