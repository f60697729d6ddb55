# SPDX-License-Identifier: Apache-2.0
"""Which attributes matter?  Overall, and for the decision on one instance.

Overall an attribute matters as often as changing it alone changes the decision; quantifying it away leaves a diagram
of exactly the contexts where it does.

The attributes of one instance are the players of a game: a coalition is worth the probability of a decision when its
attributes are known and all others are drawn, each by itself. Let each of the other players join with
probability q. What a player then adds on average, D(q), is two passes over the diagram: down from the root for how
probable each node is, up from the sinks for how probable the decision is from there. The Banzhaf value is D(1/2), and
the Shapley value the integral of D from 0 to 1 (Owen, 1972), a polynomial in q of lower degree than there are players:
from n points of q it is exact in fractions, and from half as many of Gauss's it is good to 1e-12 in floats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm, prod
from typing import Any, Unpack

import numpy as np

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.algebra.hinges import HINGES, hinges_within
from oddly.answers import Answer, Count, Rounded, ScopedAnswer, as_features, of_instances, percent
from oddly.answers.blocks import Block, Facts, Paragraph, Table
from oddly.answers.words import decided_alike, signed
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.passes.semirings import Numbers
from oddly.diagram.passes.sweep import sums_for, through
from oddly.diagram.rows import known_values
from oddly.distribution.masses import measure_within, probability_of
from oddly.distribution.measure import Known, Measure, Mixture, Product, in_fractions, possible_under, shown
from oddly.errors import UnknownName, listed, look_up
from oddly.runtime import LimitArguments, limited

Values = tuple[list[Any], list[Any], Any]
"""The Banzhaf and the Shapley values by depth, and the probability of the label with nothing known."""


@dataclass(frozen=True)
class Influence:
    """How often one attribute alone can change the decision."""

    attribute: str
    count: Count
    """In how many instances."""
    probability: float
    """How probable such an instance is."""


@dataclass(frozen=True, repr=False)
class Importance(ScopedAnswer):
    """How often each attribute alone can change the decision, the most often first."""

    attributes: tuple[Influence, ...]
    instances: Count
    label: str | None
    """The decision that is gained or lost; None if any change counts."""
    under: str
    _odd: ODD = field(compare=False)
    _under: Any = field(compare=False)

    def __getitem__(self, attribute: str) -> Influence:
        return look_up({a.attribute: a for a in self.attributes}, attribute)

    def of(self, instance: Mapping[str, object], exact: bool | None = None) -> "Contributions":
        """What each attribute's value contributes to the decision on an instance."""
        return contributions(self._odd, instance, label=self.label, under=self._under, exact=exact)

    def sentence(self) -> str:
        if not self.attributes:
            return "There are no attributes, so nothing can change the decision."
        top = self.attributes[0]
        if not top.count:
            alike = "no two of these that differ in one attribute are decided differently"
            alike = decided_alike(self.instances) if self.scope.within is None else alike
            return self.scope.said(f"No attribute matters: {alike}.")
        rest = [f"{a.attribute} {shown(a.probability)}" for a in self.attributes[1:] if a.count]
        never = [a.attribute for a in self.attributes if not a.count]
        return self.scope.said(
            f"{top.attribute} matters most: changing it alone changes {self._what()} in "
            f"{of_instances(top.count, self.instances)}, probability {shown(top.probability)} under {self.under}."
            f"{f' Then {listed(rest, 8)}.' if rest else ''}{f' Never: {listed(never, 8)}.' if never else ''}"
        )

    def _what(self) -> str:
        return "the decision" if self.label is None else f"whether it is {self.label}"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        every, found = self.instances, self.attributes
        rows = tuple((a.attribute, f"{a.count:,}", percent(a.count, every), shown(a.probability)) for a in found)
        caption = f"In how many instances changing an attribute alone changes {self._what()}, the most first"
        head = ("attribute", "instances", "part of all", f"probability under {self.under}")
        table = Table(caption, head, rows, (1, 2, 3)).cut(most)
        return (Paragraph(self.sentence()), *([table] if rows else []))


@dataclass(frozen=True)
class Contribution:
    """What one attribute's value adds to the probability of a decision."""

    attribute: str
    value: str
    shapley: Rounded
    banzhaf: Rounded


@dataclass(frozen=True, repr=False)
class Contributions(Answer):
    """What each attribute's value contributes to the decision on an instance, the most first."""

    instance: Mapping[str, str]
    decision: str
    label: str
    """The decision whose probability is shared out."""
    under: str
    """How the attributes that are not known are drawn."""
    expected: Rounded
    """The probability of the label if nothing is known; the Shapley values make up what is missing."""
    contributions: tuple[Contribution, ...]
    exact: bool
    """Whether the numbers are fractions; if not, they are floats whose error is below 1e-12."""

    def __getitem__(self, attribute: str) -> Contribution:
        return look_up({c.attribute: c for c in self.contributions}, attribute)

    def sentence(self) -> str:
        parts = ", ".join(f"{c.attribute}={c.value} {signed(c.shapley)}" for c in self.contributions)
        return (
            f"{as_features(self.instance) or 'The only case'} is decided {self.decision}. With nothing known {self.label} has probability "
            f"{shown(self.expected)} under {self.under}; Shapley values make up the difference: {parts or 'there is none'}."
        )

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        expected = f"{self.label} with probability {shown(self.expected)}, with nothing known"
        facts = (("instance", as_features(self.instance)), ("decided", self.decision), ("expected", expected))
        rows = tuple((f"{c.attribute}={c.value}", signed(c.shapley), signed(c.banzhaf)) for c in self.contributions)
        caption = f"What each value adds to the probability of {self.label}"
        table = Table(caption, ("value", "Shapley", "Banzhaf"), rows, (1, 2)).cut(most)
        return (Facts("The decision", (*facts, ("under", self.under))), *([table] if rows else []))


def importance(
    odd_or_model: Any,
    *,
    label: str | None = None,
    under: Any = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Importance:
    """Which attributes matter overall?  In what share of instances does changing one alone change the decision?

    Counts are exact; probabilities are those under the model (the default if it has any), the "uniform"
    distribution, another model or a table of rows. With `label`, only gaining or losing that decision counts; `within` a
    domain only its inputs do, and changes to others of these.
    Cost: for each attribute two diagrams and their product for a sum of weights, else products of the diagrams that fix it.

    >>> import oddly
    >>> importance(oddly.examples.pregnancy(), under="uniform")
    S matters most: changing it alone changes the decision in 6 of 8 instances, probability 0.75 under the uniform
    distribution. Then U 0.25, B 0.25.
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        label = None if label is None else odd.labels[odd.label_index(label)]
        decided = odd if label is None or len(odd.labels) == 2 else odd.is_(label)
        domain = domain_of(within, odd)
        measure, inside = measure_within(domain, under), domain_of(domain, decided)
        found = [_influence(inside, name, measure) for name in odd.columns]
        found.sort(key=lambda a: (-a.probability, -a.count))
        return Importance(tuple(found), domain.scope.inputs, label, measure.name, odd, under, scope=domain.scope)


def contributions(
    odd_or_model: Any,
    instance: Mapping[str, object],
    *,
    label: str | None = None,
    under: Any = None,
    exact: bool | None = None,
    **limits: Unpack[LimitArguments],
) -> Contributions:
    """What does each attribute's value contribute to the decision on an instance?  Shapley and Banzhaf values.

    Attributes that are not in a coalition are drawn independently: uniformly, or by their shares under the model.
    The Shapley values sum to 1 minus what was expected (to 0 minus that, for a `label` it is not decided as).
    Fractions for diagrams of moderate size, floats beyond, or as `exact` says.

    >>> import oddly
    >>> contributions(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "+ve"}, under="uniform")
    U=-ve, B=-ve, S=+ve is decided yes. With nothing known yes has probability 0.625 under the uniform distribution;
    Shapley values make up the difference: S=+ve +0.4583, U=-ve -0.04167, B=-ve -0.04167.
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        known = known_values(odd, instance)
        for name in odd.columns:
            if name not in known:
                raise UnknownName(f"the instance has no value for {name}")
        places = {depth: known[name] for depth, name in enumerate(odd.order)}
        own = odd.instance_of(known[name] for name in odd.order)
        decision = str(odd.classify([own])[0])
        label = decision if label is None else odd.labels[odd.label_index(label)]
        measure = possible_under(odd, under)
        game = Game(odd, places, odd.labels.index(label), _marginals(measure, odd))
        (banzhaf, shapley, expected), exact = in_fractions(game.values, exact, [odd], len(odd.levels) + 1)
        found = [Contribution(odd.order[k], own[odd.order[k]], shapley[k], banzhaf[k]) for k in np.argsort(odd.places)]
        found.sort(key=lambda c: abs(float(c.shapley)), reverse=True)
        return Contributions(own, decision, label, _independent(measure), expected, tuple(found), exact)


def _influence(domain: Domain, attribute: str, measure: Measure) -> Influence:
    """How often an attribute tips the decision: whatever its value, where the others leave it a choice."""
    _, tips = hinges_within(domain, [attribute])
    found = tips.count(HINGES)
    return Influence(attribute, found, float(probability_of(tips, HINGES, measure, among=domain)) if found else 0.0)


# ---- for one instance ----


def _marginals(measure: Measure, odd: ODD) -> list[list[Fraction]]:
    """By depth and value: its share under a distribution, all others summed out."""
    every = enumerate(map(range, odd.arities))
    return [[measure.knowing({depth: value}).mass / measure.mass for value in values] for depth, values in every]


def _independent(measure: Measure) -> str:
    if isinstance(measure, Mixture) and len(measure.products) == 1:
        return measure.name
    return f"{measure.name}, each attribute by itself"


@dataclass(frozen=True)
class Game:
    """Attributes that are known or not, and the probability of a label."""

    odd: ODD
    instance: Known
    label: int
    marginals: Sequence[Sequence[Fraction]]

    def values(self, exact: bool) -> Values:
        n = len(self.odd.levels)
        if not exact:
            at, by = np.polynomial.legendre.leggauss(n // 2 + 1)
            nearly = np.array([self._added_nearly(float(q)) for q in (at + 1) / 2]).reshape(len(at), n)
            return self._added_nearly(0.5), ((by / 2) @ nearly).tolist(), self._expected(exact)
        points = [Fraction(j, max(n - 1, 1)) for j in range(n)]
        added = [self._added_exactly(q) for q in points]
        weights = _exact_weights(points)
        shapley = [sum((w * d[k] for w, d in zip(weights, added, strict=True)), Fraction(0)) for k in range(n)]
        return self._added_exactly(Fraction(1, 2)), shapley, self._expected(exact)

    def _added_exactly(self, q: Fraction) -> list[Fraction]:
        """What each attribute adds on average if every other one is known with probability q."""
        scales = [lcm(*(p.denominator for p in row)) for row in self.marginals]
        plain = [[int(p * scale) for p in row] for row, scale in zip(self.marginals, scales, strict=True)]
        a, m = q.numerator, q.denominator
        each = [(row, scale, self.instance[k]) for k, (row, scale) in enumerate(zip(plain, scales, strict=True))]
        mixed = [[(m - a) * p + a * scale * (v == own) for v, p in enumerate(row)] for row, scale, own in each]
        whole = prod(m * scale for scale in scales)
        kind: Any = np.int64 if whole < 1 << 62 else object
        sums = self._added([np.array(row, kind) for row in plain], scales, [np.array(row, kind) for row in mixed])
        return [Fraction(int(s) * m, whole) for s in sums]

    def _added_nearly(self, q: float) -> list[float]:
        """The same in floats."""
        plain = [np.array([float(p) for p in row]) for row in self.marginals]
        mixed = [(1 - q) * row + q * (np.arange(len(row)) == self.instance[k]) for k, row in enumerate(plain)]
        return [float(b) for b in self._added(plain, [1.0] * len(plain), mixed)]

    def _added(self, plain: Sequence[Numbers], known: Sequence[Any], mixed: Sequence[Numbers]) -> list[Any]:
        """By depth: how probable the label is if all others are mixed, known − not known."""
        if not self.odd.levels:
            return []
        ones = [np.ones(len(row), np.int64) for row in mixed]
        ends = np.arange(len(self.odd.labels)) == self.label
        met = through(self.odd.levels, self.odd.root, ends, mixed, sums_for(self.odd.levels, mixed), on=ones)
        drawn = [sum(p * s for p, s in zip(*each, strict=True)) for each in zip(plain, met, strict=True)]
        return [known[k] * sums[self.instance[k]] - drawn[k] for k, sums in enumerate(met)]

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
