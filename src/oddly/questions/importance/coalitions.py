# SPDX-License-Identifier: Apache-2.0
"""What does each player add to a coalition?  Banzhaf and Shapley values on a diagram.

The attributes of an instance are the players of a game: a coalition is worth the probability of a decision when its
attributes are known and all others are drawn, each by itself. Let each of the other players join with
probability q. What a player then adds on average, D(q), is two passes over the diagram: down from the root for how
probable each node is, up from the sinks for how probable the decision is from there. The Banzhaf value is D(1/2), and
the Shapley value the integral of D from 0 to 1 (Owen, 1972), a polynomial in q of lower degree than there are players:
from n points of q it is exact in fractions, and from half as many of Gauss's it is good to 1e-12 in floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np

from oddly.diagram import ODD
from oddly.diagram.passes import Numbers, sums_for, through
from oddly.distribution.masses import probability_of
from oddly.distribution.measure import Known, Mixture, Product

Rows = Sequence[Sequence[Fraction]]
Values = tuple[list[Any], list[Any], Any]
"""The Banzhaf and the Shapley values by depth, and the probability of the label with nothing known."""


@dataclass(frozen=True)
class Game:
    """Attributes that are known or not, and the probability of a label."""

    odd: ODD
    instance: Known
    label: int
    marginals: Rows

    def values_exactly(self) -> Values:
        n = len(self.odd.levels)
        points = [Fraction(j, max(n - 1, 1)) for j in range(n)]
        added = [self._added_exactly(q) for q in points]
        weights = _exact_weights(points)
        shapley = [sum((w * d[k] for w, d in zip(weights, added, strict=True)), Fraction(0)) for k in range(n)]
        return self._added_exactly(Fraction(1, 2)), shapley, self._expected(exact=True)

    def values_in_floats(self) -> Values:
        n = len(self.odd.levels)
        points, weights = np.polynomial.legendre.leggauss(n // 2 + 1)
        plain = [np.array([float(p) for p in row]) for row in self.marginals]
        added = np.array([self._added(plain, [1.0] * n, self._mixed(plain, q)) for q in (points + 1) / 2])
        shapley = (weights / 2) @ added.reshape(len(points), n)
        banzhaf = self._added(plain, [1.0] * n, self._mixed(plain, 0.5))
        return [float(b) for b in banzhaf], [float(s) for s in shapley], self._expected(exact=False)

    def _mixed(self, plain: list[Numbers], q: float) -> list[Numbers]:
        """By value: known with probability q, drawn otherwise."""
        return [(1 - q) * row + q * (np.arange(len(row)) == self.instance[k]) for k, row in enumerate(plain)]

    def _added_exactly(self, q: Fraction) -> list[Fraction]:
        """What each attribute adds on average if every other one is known with probability q."""
        scales = [lcm(*(p.denominator for p in row)) for row in self.marginals]
        plain = [[int(p * scale) for p in row] for row, scale in zip(self.marginals, scales, strict=True)]
        a, m = q.numerator, q.denominator
        mixed = [
            [(m - a) * p + a * scale * (v == self.instance[k]) for v, p in enumerate(row)]
            for k, (row, scale) in enumerate(zip(plain, scales, strict=True))
        ]
        whole = prod(m * scale for scale in scales)
        kind: Any = np.int64 if whole < 1 << 62 else object
        sums = self._added([np.array(row, kind) for row in plain], scales, [np.array(row, kind) for row in mixed])
        return [Fraction(int(s) * m, whole) for s in sums]

    def _added(self, plain: Sequence[Numbers], known: Sequence[Any], mixed: Sequence[Numbers]) -> list[Any]:
        """By depth: how probable the label is if all others are mixed, known − not known."""
        if not self.odd.levels:
            return []
        ones = [np.ones(len(row), np.int64) for row in mixed]
        ends = np.arange(len(self.odd.labels)) == self.label
        met = through(self.odd.levels, self.odd.root, ends, mixed, sums_for(self.odd.levels, mixed), on=ones)
        return [
            known[k] * sums[self.instance[k]] - sum(p * s for p, s in zip(plain[k], sums, strict=True))
            for k, sums in enumerate(met)
        ]

    def _expected(self, exact: bool) -> Any:
        drawn = Mixture("", (Product(Fraction(1), tuple(tuple(row) for row in self.marginals)),))
        return probability_of(self.odd, self.odd.labels[self.label], drawn, exact)


def _exact_weights(points: Sequence[Fraction]) -> list[Fraction]:
    """∫ f from 0 to 1 is the sum of weight · f(point), for every polynomial f of a lower degree than there are points."""
    found = []
    for j, own in enumerate(points):
        basis = [Fraction(1)]  # coefficients of Π (q − other)/(own − other), from the constant up
        for i, other in enumerate(points):
            if i != j:
                shifted = [Fraction(0), *basis]
                basis = [(s - other * c) / (own - other) for s, c in zip(shifted, [*basis, Fraction(0)], strict=True)]
        found.append(sum((c / (k + 1) for k, c in enumerate(basis)), Fraction(0)))
    return found
