# SPDX-License-Identifier: Apache-2.0
"""How probable is it that a model decides alike without some of its attributes?"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oddly.algebra.combine import combine
from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Mixture
from oddly.model import Probabilistic
from oddly.questions.subset.tables import SLACK
from oddly.runtime import poll

Places = tuple[int, ...]
"""Attributes, by their places in the diagram's order."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """A diagram, its model, the model's distribution, and the share of cases in which both are to decide alike."""

    odd: ODD
    model: Probabilistic
    measure: Mixture | Joint
    share: Fraction

    def reached(self, removed: Places) -> bool:
        """Whether the share is reached without these: in floats where that is clear."""
        self.tell()
        nearly = self._without(removed, exact=False)
        return nearly > self.share if abs(nearly - self.share) > SLACK else self.exactly(removed) >= self.share

    def exactly(self, removed: Places) -> Fraction:
        """The agreement without these, in exact fractions."""
        return Fraction(self._without(removed, exact=True))

    def tell(self, done: int = 0, total: int = 0) -> None:
        poll("subsets", done, total)

    def _without(self, removed: Places, exact: bool) -> Any:
        """Both diagrams walked together."""
        names = [name for name in self.odd.columns if self.odd.order.index(name) not in removed]
        order = [name for name in self.odd.order if name in names]
        small = compile(self.model.restricted(names), order)
        alike = combine(self.odd, small, lambda i, j: int(i == j), ("otherwise", "alike"))
        found = sum(masses[1] for masses in label_masses(alike, self.measure, exact))
        return found / (self.measure.mass if exact else float(self.measure.mass))
