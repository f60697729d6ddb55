# SPDX-License-Identifier: Apache-2.0
"""How many instances get which decision, and how likely is each?"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack, overload

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import Count, Scope, ScopedAnswer, as_features, percent
from oddly.answers.blocks import Block, Facts
from oddly.answers.blocks import Table as Rows
from oddly.compiler import as_diagram
from oddly.diagram import ODD, Pair
from oddly.diagram.passes.sweep import path_sums
from oddly.distribution.coarse import Between
from oddly.distribution.enclose import outside
from oddly.distribution.masses import label_shares, masses_within
from oddly.distribution.measure import DataRows, Measure, Probability, known_places, measure_of, share, shown, uniform
from oddly.runtime import LimitArguments, limited


@dataclass(frozen=True, repr=False)
class Counts(ScopedAnswer):
    """How many and how likely, by decision; all of it given what is known."""

    counts: Mapping[str, Count]
    """The number of instances of each label, exactly."""
    instances: Count
    """How many instances there are, within the domain, that agree with what is known."""
    known: Mapping[str, str]
    under: str
    """The distribution of all the probabilities."""
    probability: Mapping[str, Probability] | None
    """Of each label; None where what is known is impossible."""
    class_name: str | None
    """The variable that the distribution has classes of, if it has any."""
    by_class: Mapping[str, Mapping[str, Probability]] | None
    """Pr(decision | class) for each possible class value, where the distribution has classes."""
    accuracy: Probability | None
    """How often the decision is the class, if the distribution is the truth."""
    evidence: Probability
    """How probable is what is known."""

    def __getitem__(self, label: str) -> int:
        return self.counts[label]

    def sentence(self) -> str:
        """How many of each decision, how likely, and how often right."""
        scope = _given(self.scope, self.known)
        one = "" if self.instances == 1 else "s"
        counts = ", ".join(f"{found:,} {label}" for label, found in reversed(list(self.counts.items())))
        text = f"Of {self.instances:,} instance{one}{scope}: {counts}."
        if self.probability is None:
            return f"{text} Under {self.under} {self._none()}."
        text += f" Under {self.under}: {_listed(self.probability)}"
        for value, chances in (self.by_class or {}).items():
            text += f"; where {self.class_name}={value}: {_listed(chances)}"
        if self.accuracy is not None:
            text += f". If {self.under} is true, {shown(self.accuracy)} of the decisions are right"
        return f"{text}. {self.scope.note()}".rstrip()

    def _none(self) -> str:
        return "they are impossible" if self.instances else "there is none"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        facts = [("instances", f"{self.instances:,}{_given(self.scope, self.known)}")]
        given = f"; what is known has probability {shown(self.evidence)}" if self.known else ""
        given = (
            given
            if self.probability is not None
            else f"; {as_features(self.known) + ' is impossible' if self.known else self._none()}"
        )
        facts.append(("under", self.under + given))
        if self.accuracy is not None:
            facts.append(("right", f"{shown(self.accuracy)} of the decisions, if {self.under} is true"))
        if self.scope.note():
            facts.append(("impossible", self.scope.note()))
        chances = {} if self.probability is None else {"probability": self.probability}
        chances |= {f"where {self.class_name}={value}": row for value, row in (self.by_class or {}).items()}
        rows = tuple(
            (label, f"{n:,}", percent(n, self.instances), *(shown(row[label]) for row in chances.values()))
            for label, n in reversed(list(self.counts.items()))
        )
        head = ("decision", "instances", "part of all", *chances)
        return Facts("The inputs", tuple(facts)), Rows("By decision", head, rows, tuple(range(1, len(head))))


@dataclass(frozen=True, repr=False)
class CountBounds(ScopedAnswer):
    """At least and at most how many, and how likely, by decision: what two diagrams around a classifier settle."""

    least: Mapping[str, Count]
    """The number of instances that surely get each label."""
    most: Mapping[str, Count]
    """The number of instances that perhaps get it."""
    instances: Count
    """How many instances there are, within the domain, that agree with what is known."""
    known: Mapping[str, str]
    under: str
    """The distribution of all the probabilities."""
    between: Mapping[str, Between]
    """Where the probability of each label lies; of none where what is known is impossible."""

    def sentence(self) -> str:
        """Where each share lies."""
        about = _given(self.scope, self.known)
        one = "" if self.instances == 1 else "s"
        counts = ", ".join(f"{self.least[x]:,} to {self.most[x]:,} {x}" for x in reversed(list(self.least)))
        text = f"Of {self.instances:,} instance{one}{about}: {counts}."
        if not self.between:
            return f"{text} Under {self.under} they are impossible."
        ends = reversed(list(self.between.items()))
        chances = ", ".join(f"{label} {shown(p.low)} to {shown(p.high)}" for label, p in ends)
        return f"{text} Under {self.under}: {chances}. {self.scope.note()}".rstrip()


@overload
def count(
    odd_or_model: Pair,
    label: str | None = None,
    *,
    given: Mapping[str, str] | None = None,
    under: Any = None,
    within: Within = None,
    exact: bool = False,
    **limits: Unpack[LimitArguments],
) -> CountBounds: ...
@overload
def count(
    odd_or_model: Any,
    label: str | None = None,
    *,
    given: Mapping[str, str] | None = None,
    under: Any = None,
    within: Within = None,
    exact: bool = False,
    **limits: Unpack[LimitArguments],
) -> Counts: ...
def count(
    odd_or_model: Any,
    label: str | None = None,
    *,
    given: Mapping[str, str] | None = None,
    under: Any = None,
    within: Within = None,
    exact: bool = False,
    **limits: Unpack[LimitArguments],
) -> Counts | CountBounds:
    """How many instances get which decision, and how likely is that?

    Of all instances, or of those that agree with `given`, and of those `within` a domain (`oddly.algebra.domain`: an
    expression, a file, a diagram, "possible"); of one label, or of each. Counts are exact at any size.
    Probabilities are those under the model ("model", the default if it has any), the "uniform" distribution,
    another naive Bayes model, or a table of rows: floats whose error `oddly.distribution.measure` states, or with
    `exact` the very fractions. Of a `Pair` all of it lies between two ends. Cost: one pass to count, and one per class to weigh.

    >>> import oddly
    >>> count(oddly.examples.pregnancy(), given={"S": "-ve"}, under="uniform")
    Of 4 instances with S=-ve: 1 yes, 3 no. Under the uniform distribution: yes 0.25, no 0.75.
    """
    with limited(limits):
        if isinstance(odd_or_model, Pair):
            sides = [_counts(odd, label, given, under, within, exact) for odd in odd_or_model.sides]
            return _bounds(odd_or_model, *sides)
        return _counts(as_diagram(odd_or_model), label, given, under, within, exact)


def _counts(
    odd: ODD, label: str | None, given: Mapping[str, str] | None, under: Any, within: Within, exact: bool
) -> Counts:
    labels = odd.labels if label is None else (odd.labels[odd.label_index(label)],)
    known = known_places(given, odd)
    measure = measure_of(odd, under)
    domain = domain_of(within, odd)
    every = dict(zip(odd.labels, counted(domain.product, known), strict=False))  # and not what is outside
    counts, instances = {name: every[name] for name in labels}, sum(every.values())
    evidence, chances, by_class, accuracy = _weighed(domain, measure, known, exact)
    chances = chances and {name: chances[name] for name in labels}
    by_class = by_class and {c: {name: row[name] for name in labels} for c, row in by_class.items()}
    said = {odd.variables[i].name: odd.variables[i].values[j] for i, j in known.items()}
    about = counts, instances, said, measure.name, chances, getattr(measure, "class_name", None)
    return Counts(*about, by_class, accuracy, evidence, scope=domain.scope_given(known))


def _bounds(pair: Pair, surely: Counts, perhaps: Counts) -> CountBounds:
    """What lies between the counts of both diagrams; a negative label has the more, the less is positive."""
    ends = {x: (surely, perhaps)[:: 1 if pair.labels.index(x) else -1] for x in surely.counts}
    least, most = ({x: by[side].counts[x] for x, by in ends.items()} for side in (0, 1))
    between = {}
    if surely.probability is not None and perhaps.probability is not None:
        chances = {x: [side.probability[x] for side in by if side.probability is not None] for x, by in ends.items()}
        between = {x: outside(low, high, pair.lower) for x, (low, high) in chances.items()}
    return CountBounds(least, most, surely.instances, surely.known, surely.under, between, scope=surely.scope)


def counted(odd: ODD, known: Mapping[int, int] | None = None) -> list[int]:
    """The number of instances of each label that agree with what is known: a sum over ones."""
    rows, _ = uniform(odd.variables).products[0].knowing(known or {}).integers()
    return path_sums(odd.levels, odd.root, len(odd.labels), rows)


Chances = dict[str, Probability]


def _weighed(
    domain: Domain, measure: Measure, known: Mapping[int, int], exact: bool
) -> tuple[Probability, Chances | None, dict[str, Chances] | None, Probability | None]:
    """The probability of what is known; then, given it, of each label, of each in each class, and of being right."""
    odd, conditional = domain.odd, measure.knowing(known)
    if not conditional.mass:  # under impossible evidence all that is known is impossible
        return Fraction(0) if exact else 0.0, None, None, None
    joint, total = masses_within(domain, conditional, exact)
    if not total:
        return Fraction(0) if exact else 0.0, None, None, None
    whole = measure.mass if domain.members is None else masses_within(domain, measure, exact)[1] if known else total
    evidence = share(total, whole, exact)
    chances = dict(zip(odd.labels, label_shares(joint, total, exact), strict=True))
    if isinstance(conditional, DataRows) or conditional.class_name is None:
        return evidence, chances, None, None
    by_class = dict(zip(conditional.classes, joint, strict=True))
    accuracy = None
    if odd.source is not None and not by_class.keys().isdisjoint(odd.labels):
        right = {c: odd.labels.index(c) if c in odd.labels else 0 for c in by_class}  # the first stands for all others
        accuracy = share(sum(masses[right[c]] for c, masses in by_class.items()), total, exact)
    shares = {c: [share(mass, sum(masses), exact) for mass in masses] for c, masses in by_class.items() if sum(masses)}
    return evidence, chances, {c: dict(zip(odd.labels, row, strict=True)) for c, row in shares.items()}, accuracy


def _given(scope: Scope, known: Mapping[str, str]) -> str:
    """Which instances are counted, in words."""
    inside = f" within {scope.within}" if scope.within is not None else ""
    return f"{inside}{f' with {as_features(known)}' if known else ''}"


def _listed(chances: Mapping[str, Probability]) -> str:
    return ", ".join(f"{label} {shown(p)}" for label, p in reversed(list(chances.items())))
