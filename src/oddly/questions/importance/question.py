# SPDX-License-Identifier: Apache-2.0
"""Which attributes matter?  Overall, and for the decision on one instance.

Overall an attribute matters as often as changing it alone changes the decision; quantifying it away leaves a diagram
of exactly the contexts where it does. For one instance `coalitions` shares
out the probability of its decision among its attributes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from oddly.algebra.combine import combine
from oddly.algebra.hinges import HINGES, hinges
from oddly.answers import Answer, Count, Rounded, as_features, of_instances, percent, signed
from oddly.answers.blocks import Block, Facts, Paragraph, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.masses import probability_of
from oddly.distribution.measure import Measure, Mixture, measure_of, shown
from oddly.errors import UnknownName, Unsupported, listed
from oddly.questions.explain.question import known_values
from oddly.questions.importance.coalitions import Game
from oddly.runtime import LimitArguments, within

MOST_EXACT = 3_000_000  # edges times passes: beyond that fractions take too long, and floats serve


@dataclass(frozen=True)
class Influence:
    """How often one attribute alone can change the decision."""

    attribute: str
    count: Count
    """In how many instances."""
    probability: float
    """How probable such an instance is."""


@dataclass(frozen=True, repr=False)
class Importance(Answer):
    """How often each attribute alone can change the decision, the most often first."""

    attributes: tuple[Influence, ...]
    instances: Count
    label: str | None
    """The decision that is gained or lost; None if any change counts."""
    under: str
    _odd: ODD = field(compare=False)
    _under: Any = field(compare=False)

    def __getitem__(self, attribute: str) -> Influence:
        for found in self.attributes:
            if found.attribute == attribute:
                return found
        raise UnknownName.among("attribute", attribute, [a.attribute for a in self.attributes])

    def of(self, instance: Mapping[str, object], exact: bool | None = None) -> "Contributions":
        """What each attribute's value contributes to the decision on an instance."""
        return contributions(self._odd, instance, label=self.label, under=self._under, exact=exact)

    def sentence(self) -> str:
        if not self.attributes:
            return "There are no attributes, so nothing can change the decision."
        top = self.attributes[0]
        if not top.count:
            return f"No attribute matters: {of_instances(self.instances, self.instances)} are decided alike."
        never = [a.attribute for a in self.attributes if not a.count]
        text = (
            f"{top.attribute} matters most: changing it alone changes {self._what()} in {of_instances(top.count, self.instances)}, "
            f"probability {shown(top.probability)} under {self.under}."
        )
        if len(self.attributes) > 1:
            rest = [f"{a.attribute} {shown(a.probability)}" for a in self.attributes[1:] if a.count]
            text += f" Then {listed(rest, 8)}." if rest else ""
        return text + (f" Never: {listed(never, 8)}." if never else "")

    def _what(self) -> str:
        return "the decision" if self.label is None else f"whether it is {self.label}"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple(
            (a.attribute, f"{a.count:,}", percent(a.count, self.instances), shown(a.probability))
            for a in self.attributes
        )
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
        for found in self.contributions:
            if found.attribute == attribute:
                return found
        raise UnknownName.among("attribute", attribute, [c.attribute for c in self.contributions])

    def sentence(self) -> str:
        parts = ", ".join(f"{c.attribute}={c.value} {signed(c.shapley)}" for c in self.contributions)
        case = as_features(self.instance)
        return (
            f"{case or 'The only case'} is decided {self.decision}. With nothing known {self.label} has probability "
            f"{shown(self.expected)} under {self.under}; Shapley values make up the difference: {parts or 'there is none'}."
        )

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        facts = [
            ("instance", as_features(self.instance)),
            ("decided", self.decision),
            ("expected", f"{self.label} with probability {shown(self.expected)}, with nothing known"),
            ("under", self.under),
        ]
        rows = tuple((f"{c.attribute}={c.value}", signed(c.shapley), signed(c.banzhaf)) for c in self.contributions)
        caption = f"What each value adds to the probability of {self.label}"
        table = Table(caption, ("value", "Shapley", "Banzhaf"), rows, (1, 2)).cut(most)
        return (Facts("The decision", tuple(facts)), *([table] if rows else []))


def importance(
    odd_or_model: Any,
    *,
    label: str | None = None,
    under: Any = None,
    **limits: Unpack[LimitArguments],
) -> Importance:
    """Which attributes matter overall?  In what share of instances does changing one alone change the decision?

    Counts are exact; probabilities are those under the model (the default if it has any), the "uniform"
    distribution, another model or a table of rows. With `label`, only gaining or losing that decision counts.
    Cost: for each attribute two diagrams and their product for a sum of weights, else products of the diagrams that fix it.

    >>> import oddly
    >>> importance(oddly.examples.pregnancy(), under="uniform")
    S matters most: changing it alone changes the decision in 6 of 8 instances, probability 0.75 under the uniform
    distribution. Then U 0.25, B 0.25.
    """
    with within(limits):
        odd = as_diagram(odd_or_model)
        label = None if label is None else odd.labels[odd.label_index(label)]
        decided = odd if label is None or len(odd.labels) == 2 else odd.is_(label)
        measure = measure_of(odd, under)
        found = [_influence(decided, depth, measure) for depth in np.argsort(odd.places).tolist()]
        found.sort(key=lambda a: (-a.probability, -a.count))
        return Importance(tuple(found), odd.instances, label, measure.name, odd, under)


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
    with within(limits):
        odd = as_diagram(odd_or_model)
        known = known_values(odd, instance)
        for name in odd.columns:
            if name not in known:
                raise UnknownName(f"the instance has no value for {name}")
        places = {depth: known[name] for depth, name in enumerate(odd.order)}
        own = {name: odd.variables[odd.order.index(name)].values[known[name]] for name in odd.columns}
        decision = str(odd.classify([own])[0])
        label = decision if label is None else odd.labels[odd.label_index(label)]
        measure = measure_of(odd, under)
        marginals = _marginals(measure, odd)
        edges = sum(level.size for level in odd.levels)
        exact = edges * (len(odd.levels) + 1) <= MOST_EXACT if exact is None else exact
        game = Game(odd, places, odd.labels.index(label), marginals)
        banzhaf, shapley, expected = game.values_exactly() if exact else game.values_in_floats()
        found = [Contribution(odd.order[k], own[odd.order[k]], shapley[k], banzhaf[k]) for k in np.argsort(odd.places)]
        found.sort(key=lambda c: abs(float(c.shapley)), reverse=True)
        return Contributions(own, decision, label, _independent(measure), expected, tuple(found), exact)


# ---- overall ----


def _influence(odd: ODD, depth: int, measure: Measure) -> Influence:
    """How often an attribute tips the decision: whatever its value, where the others leave it a choice."""
    everywhere = ODD(odd.variables, ("",), tuple(np.zeros((1, b), np.uint32) for b in odd.arities), 0, odd.places)
    contexts = hinges(odd, [odd.order[depth]])
    tips = combine(everywhere, contexts, lambda _, found: found, contexts.labels)  # over all attributes again
    found = tips.count(HINGES)
    return Influence(odd.order[depth], found, float(probability_of(tips, HINGES, measure)) if found else 0.0)


# ---- for one instance ----


def _marginals(measure: Measure, odd: ODD) -> list[list[Fraction]]:
    """By depth and value: its share under a distribution, all others summed out."""
    if not measure.mass:
        raise Unsupported(f"nothing is possible under {measure.name}, so it has no probabilities")
    return [
        [measure.knowing({depth: value}).mass / measure.mass for value in range(arity)]
        for depth, arity in enumerate(odd.arities)
    ]


def _independent(measure: Measure) -> str:
    if isinstance(measure, Mixture) and len(measure.products) == 1:
        return measure.name
    return f"{measure.name}, each attribute by itself"
