# SPDX-License-Identifier: Apache-2.0
"""Tables over all instances, from which attributes are summed out one after the other: what leaving them out costs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.masses import Part, parts
from oddly.distribution.measure import Mixture
from oddly.model import Probabilistic

Floats = NDArray[np.float64]

TINY = 1e-13  # more than rounding can have moved any entry
SLACK = 1e-9  # and any sum of them


@dataclass(frozen=True, eq=False)
class SubsetTables:
    """Over the attributes that are left, an axis each after the first."""

    decided: Floats
    """By label: how probable the values are together with this final decision; of two labels, the difference."""
    leads: Floats
    """By class: how probable they are together with it; or the lead of the positive class over its threshold."""

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
            return float(middle - open_) - SLACK, float(middle + open_) + SLACK
        first = self.leads.argmax(axis=0)[None]  # the first of equal ones
        rest = self.leads.copy()
        np.put_along_axis(rest, first, -1.0, 0)
        close = self.leads.max(axis=0) - rest.max(axis=0) <= TINY
        middle = np.take_along_axis(self.decided, first, 0).sum()
        open_ = self.decided.max(axis=0)[close].sum()
        return float(middle - open_) - SLACK, float(middle + open_) + SLACK


def tables_of(odd: ODD, model: Probabilistic, measure: Mixture | Joint) -> SubsetTables:
    """The tables of all attributes that have more than one value."""
    joint = np.zeros((len(model.class_values), odd.instances))
    for part in parts(odd, measure, exact=False):
        products, labels = _unrolled(part)
        joint[part.place] += products * float(part.weight / measure.mass)
    everywhere = joint.sum(axis=0)
    decided = np.where(labels == np.arange(len(odd.labels))[:, None], everywhere, 0.0)
    if len(odd.labels) == 2:
        decided = decided[1:] - decided[:1]
    leads = joint
    if model.positive is not None:
        leads = joint[[model.class_values.index(model.positive)]] - float(model.threshold) * everywhere
    shape = [arity for arity in odd.arities if arity > 1]
    return SubsetTables(decided.reshape(-1, *shape), leads.reshape(-1, *shape))


def _unrolled(part: Part) -> tuple[Floats, NDArray[np.uint32]]:
    """For every instance the product of the numbers on its path, and its label."""
    products, nodes = np.ones(1), np.array([part.odd.root], np.uint32)
    for level, row in zip(part.odd.levels, part.rows, strict=True):
        products = (products[:, None] * (row[nodes] if row.ndim == 2 else row)).reshape(-1)
        nodes = level[nodes].reshape(-1)
    return products, nodes
