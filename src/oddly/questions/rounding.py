# SPDX-License-Identifier: Apache-2.0
"""May I round?  For one digit, two, three…: whether any decision changes, how many, how likely.

Or for one rounding that is asked for: so many digits, of points whole numbers or multiples of a number too. Then the changed
cases are shown, each from what it was to what it becomes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import log
from typing import Annotated, Any, Self, Unpack

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import (
    UNTOLD,
    Answer,
    Block,
    Count,
    JsonName,
    Paragraph,
    ScopedAnswer,
    Table,
    of_instances,
    percent,
    told,
)
from oddly.answers.blocks import MOST_CASES
from oddly.compiler import as_diagram, as_model
from oddly.distribution.measure import shown
from oddly.errors import ModelError, Unsupported
from oddly.model import Model, NaiveBayes, Number, Points, Scorecard
from oddly.model.numbers import brief, exact, nearest, whole, written
from oddly.questions.compare.difference import Difference
from oddly.questions.compare.question import compare
from oddly.runtime import LimitArguments, limited

MOST_DIGITS = 12


@dataclass(frozen=True, repr=False)
class Rounded(Answer):
    """What rounding to some digits, or to multiples, changes."""

    digits: int | None
    """After the point; None where it is to multiples."""
    to: Fraction | None
    """Points are rounded to multiples of this; None where it is to digits."""
    equivalent: bool
    count: Count
    """How many decisions change."""
    directions: Mapping[str, Count]
    """How many in each direction, such as {"no → yes": 2}: from the model's decision to the rounded one's."""
    instances: Count
    probability: float | None
    """How likely an instance is whose decision changes, under the model; None for points."""
    model: Annotated[Model, UNTOLD]
    """The rounded model."""

    @classmethod
    def of(cls, found: Difference, model: Model, digits: int | None, to: Fraction | None = None) -> Self:
        """What the difference between a model and its rounded self says."""
        source = found.sides[0].source
        likely = found.probability("a") if source is not None and source.model.probabilistic else None
        return cls(digits, to, found.equivalent, found.count, found.directions, found.instances, likely, model)

    @property
    def share(self) -> float:
        """What part of all decisions changes."""
        return self.count / max(self.instances, 1)

    @property
    def name(self) -> str:
        """What it is rounded to."""
        if self.to is not None:
            return f"multiples of {brief(self.to)}"
        return {0: "whole numbers", 1: "1 digit"}.get(self.digits or 0, f"{self.digits} digits")

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        change = f"{self.name} {'changes' if self.digits == 1 else 'change'}"
        if self.equivalent:
            return f"{change} nothing"
        likely = "" if self.probability is None else f", probability {self.probability:.3g}"
        return f"{change} {of_instances(self.count, self.instances)}{likely}"

    def ways(self) -> str:
        """The directions in which decisions change."""
        return ", ".join(f"{found:,} {way}" for way, found in self.directions.items() if found)

    def cells(self) -> tuple[str, str, str, str]:
        """The digits, how many decisions change, what part of all, and how probable that is."""
        likely = "–" if self.probability is None else shown(self.probability)
        to = str(self.digits) if self.to is None else self.name
        return to, f"{self.count:,}", percent(self.count, self.instances), likely


@dataclass(frozen=True)
class ChangedCase:
    """A case whose decision changes."""

    case: Mapping[str, str]
    """Its values, by attribute."""
    before: Annotated[str, JsonName("from")]
    """What the model decides."""
    after: Annotated[str, JsonName("to")]
    """What the rounded model decides."""


@dataclass(frozen=True, repr=False)
class Rounding(ScopedAnswer):
    """Rounding the probabilities (or points), and rounding the weights: digit by digit until nothing changes."""

    probabilities: tuple[Rounded, ...]
    weights: tuple[Rounded, ...]
    """Empty where there are none: points are weights already, zeros have no finite weight, and of a network or of more
    than two classes there is more than one weight per value."""
    difference: Annotated[Difference | None, UNTOLD] = field(default=None, compare=False)
    """Of the one rounding that was asked for: the model beside its rounded self. None where digit by digit is tried."""

    @property
    @told
    def fewest(self) -> int | None:
        """The fewest digits tried of the probabilities (or points) that change no decision."""
        return _fewest(self.probabilities)

    @property
    @told
    def fewest_of_weights(self) -> int | None:
        """The fewest digits tried of the weights that change no decision."""
        return _fewest(self.weights)

    @told
    def changed(self, most: int = MOST_CASES) -> list[ChangedCase]:
        """Of one rounding that was asked for, cases whose decision changes, the most probable first."""
        return [] if self.difference is None else [ChangedCase(*found) for found in self.difference.decided(most)]

    def verdict(self) -> bool:
        return self.probabilities[-1].equivalent

    def parts(self) -> dict[str, tuple[Rounded, ...]]:
        """What was rounded, and what that changes digit by digit."""
        own = "points" if self.probabilities[0].model.unit == "points" else "probabilities"
        return {own: self.probabilities} | ({"weights": self.weights} if self.weights else {})

    def sentence(self) -> str:
        told = (f"Of the {what}, {'; '.join(map(repr, steps))}." for what, steps in self.parts().items())
        return self.scope.said(" ".join(told))

    def summary(self) -> str:
        last = self.probabilities[-1]
        if last.equivalent:
            after = " after the point" if last.digits else ""
            return f"{last.name.capitalize()}{after} {'is' if last.digits == 1 else 'are'} enough."
        if self.difference is not None:
            said = last.sentence()
            return f"{said[0].upper()}{said[1:]}: {last.ways()}."
        return f"More than {len(self.probabilities)} digits are needed."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((what, *step.cells()) for what, steps in self.parts().items() for step in steps)
        to = "digits" if self.probabilities[0].to is None else "to"
        head = ("rounded", to, "decisions that change", "part of all", "probability")
        caption = "What rounding changes" + ("" if self.difference is not None else ", digit by digit")
        table = Table(caption, head, rows, (1, 2, 3, 4))
        return Paragraph(self.scope.said(self.summary())), table, *self._cases(MOST_CASES if most is None else most)

    def _cases(self, most: int) -> Iterator[Block]:
        return iter(()) if self.difference is None else self.difference.cases(most)


def rounding(
    model: Any,
    most: int = MOST_DIGITS,
    *,
    digits: int | None = None,
    to: Number | None = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Rounding:
    """May the numbers be rounded?  To one digit after the point, two…, until no decision changes.

    Probabilities are rounded row by row so that a row still sums to one (largest remainders); weights are log-odds.
    `within` a domain only decisions on its inputs count. With `digits` only that many are tried, of points 0 too, and with
    `to` points and intercept are rounded to multiples of it; then the answer has the cases that change.

    >>> import oddly
    >>> rounding(oddly.examples.pregnancy())
    Of the probabilities, 1 digit changes nothing. Of the weights, 1 digit changes nothing.
    >>> card = oddly.Scorecard([oddly.Points("A", ["x", "y"], [3, 0]), oddly.Points("B", ["x", "y"], [4, 1])], cutoff=7)
    >>> rounding(card, to=5)
    Of the points, multiples of 5 change nothing.
    """
    if digits is not None and to is not None:
        raise ModelError("rounding: expected digits or to, found both")
    with limited(limits):
        model = as_model(model)
        model, most = model.naive or model, whole(most, "rounding", 1, "a number of digits")
        domain = domain_of(within, as_diagram(model))
        if digits is None and to is None:
            every = range(1, most + 1)
            return Rounding(
                _tried(model.rounded, every, domain), _tried_weights(model, every, domain), scope=domain.scope
            )
        digits = None if digits is None else whole(digits, "digits", 0, "a number of digits")
        other = _rounded(model, digits, to)
        difference = compare(domain.odd, other, within=domain)
        step = Rounded.of(difference, other, digits, None if to is None else exact(to, "to"))
        weights = _tried_weights(model, (digits,), domain) if digits else ()
        return Rounding((step,), weights, difference, scope=domain.scope)


def _rounded(model: Model, digits: int | None, to: Number | None) -> Model:
    """The model in so many digits, or if none are said in multiples."""
    if digits:
        return model.rounded(digits)
    unit = Fraction(1) if digits == 0 else exact(to, "to")
    if unit <= 0:
        raise ModelError(f"to: expected a number above 0, found {written(unit)}")
    return model.in_multiples(unit)


def rounded_weights(model: NaiveBayes, digits: int) -> Scorecard:
    """The model as a scorecard whose points are its weights of evidence, rounded; of two classes."""
    assert model.positive is not None
    unit = Fraction(1, 10**digits)
    rows = [model.prior, *(row for a in model.attributes for row in a.given.values())]
    if model.certain or any(0 in row for row in rows):
        raise Unsupported("probabilities of zero, and thresholds of 0 and 1, have no finite weight to round")

    def weight(positive: Fraction, other: Fraction) -> Fraction:
        ratio = positive / other
        return nearest(Fraction(log(ratio.numerator) - log(ratio.denominator)), unit)

    weights = [[weight(*sides) for sides in model.given_sides(a)] for a in model.attributes]
    points = [Points(a.name, a.values, row, a.bins) for a, row in zip(model.attributes, weights, strict=True)]
    positive, other = model.sides(model.prior)
    intercept = weight(positive / other * (1 - model.threshold), model.threshold)
    return Scorecard(points, 0, intercept, model.class_name, model.class_values, model.positive, model.ties)


def _tried(change: Callable[[int], Model], every: Iterable[int], domain: Domain) -> tuple[Rounded, ...]:
    """These digits, one after the other until nothing changes."""
    found: list[Rounded] = []
    for digits in every:
        try:
            other = change(digits)
        except Unsupported:
            return ()
        found.append(Rounded.of(compare(domain.odd, other, within=domain), other, digits))
        if found[-1].equivalent:
            break
    return tuple(found)


def _tried_weights(model: Model, every: Iterable[int], domain: Domain) -> tuple[Rounded, ...]:
    naive = model.naive
    return _tried(partial(rounded_weights, naive), every, domain) if naive and naive.additive else ()


def _fewest(tried: Sequence[Rounded]) -> int | None:
    return tried[-1].digits if tried and tried[-1].equivalent else None
