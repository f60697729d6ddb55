# SPDX-License-Identifier: Apache-2.0
"""May I round?  For one digit, two, three…: whether any decision changes, how many, how likely."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import log
from typing import Annotated, Any, Unpack

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import UNTOLD, Answer, Block, Count, Paragraph, ScopedAnswer, Table, of_instances, percent, told
from oddly.compiler import as_diagram, as_model
from oddly.distribution.measure import shown
from oddly.errors import Unsupported
from oddly.model import Model, NaiveBayes, Points, Scorecard
from oddly.model.numbers import nearest, whole
from oddly.questions.compare.question import compare
from oddly.runtime import LimitArguments, limited

MOST_DIGITS = 12


@dataclass(frozen=True, repr=False)
class Rounded(Answer):
    """What rounding to some digits changes."""

    digits: int
    equivalent: bool
    count: Count
    """How many decisions change."""
    instances: Count
    probability: float | None
    """How likely an instance is whose decision changes, under the model; None for points."""
    model: Annotated[Model, UNTOLD]
    """The rounded model."""

    @property
    def share(self) -> float:
        """What part of all decisions changes."""
        return self.count / max(self.instances, 1)

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        digits = "1 digit changes" if self.digits == 1 else f"{self.digits} digits change"
        if self.equivalent:
            return f"{digits} nothing"
        likely = "" if self.probability is None else f", probability {self.probability:.3g}"
        return f"{digits} {of_instances(self.count, self.instances)}{likely}"

    def cells(self) -> tuple[str, str, str, str]:
        """The digits, how many decisions change, what part of all, and how probable that is."""
        likely = "–" if self.probability is None else shown(self.probability)
        return str(self.digits), f"{self.count:,}", percent(self.count, self.instances), likely


@dataclass(frozen=True, repr=False)
class Rounding(ScopedAnswer):
    """Rounding the probabilities (or points), and rounding the weights: digit by digit until nothing changes."""

    probabilities: tuple[Rounded, ...]
    weights: tuple[Rounded, ...]
    """Empty where there are none: points are weights already, zeros have no finite weight, and of a network or of more
    than two classes there is more than one weight per value."""

    @property
    @told
    def fewest(self) -> int | None:
        """The fewest digits of the probabilities (or points) that change no decision."""
        return _fewest(self.probabilities)

    @property
    @told
    def fewest_of_weights(self) -> int | None:
        """The fewest digits of the weights that change no decision."""
        return _fewest(self.weights)

    def verdict(self) -> bool:
        return self.fewest is not None

    def parts(self) -> dict[str, tuple[Rounded, ...]]:
        """What was rounded, and what that changes digit by digit."""
        own = "points" if self.probabilities[0].model.unit == "points" else "probabilities"
        return {own: self.probabilities} | ({"weights": self.weights} if self.weights else {})

    def sentence(self) -> str:
        told = (f"Of the {what}, {'; '.join(map(repr, steps))}." for what, steps in self.parts().items())
        return self.scope.said(" ".join(told))

    def summary(self) -> str:
        if self.fewest is None:
            return f"More than {len(self.probabilities)} digits are needed."
        digits = "1 digit after the point is" if self.fewest == 1 else f"{self.fewest} digits after the point are"
        return f"{digits} enough."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((what, *step.cells()) for what, steps in self.parts().items() for step in steps)
        head = ("rounded", "digits", "decisions that change", "part of all", "probability")
        return Paragraph(self.scope.said(self.summary())), Table(
            "What rounding changes, digit by digit", head, rows, (1, 2, 3, 4)
        )


def rounding(
    model: Any, most: int = MOST_DIGITS, *, within: Within = None, **limits: Unpack[LimitArguments]
) -> Rounding:
    """May the numbers be rounded?  To one digit after the point, two…, until no decision changes.

    Probabilities are rounded row by row so that a row still sums to one (largest remainders); weights are log-odds.
    `within` a domain only decisions on its inputs count.

    >>> import oddly
    >>> rounding(oddly.examples.pregnancy())
    Of the probabilities, 1 digit changes nothing. Of the weights, 1 digit changes nothing.
    """
    with limited(limits):
        model = as_model(model)
        naive, most = model.naive, whole(most, "rounding", 1, "a number of digits")
        domain = domain_of(within, as_diagram(naive or model))
        weights = _tried(naive, partial(rounded_weights, naive), most, domain) if naive and naive.additive else ()
        return Rounding(_tried(naive or model, (naive or model).rounded, most, domain), weights, scope=domain.scope)


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


def _tried(model: Model, change: Callable[[int], Model], most: int, domain: Domain) -> tuple[Rounded, ...]:
    found: list[Rounded] = []
    for digits in range(1, most + 1):
        try:
            other = change(digits)
        except Unsupported:
            return ()
        difference = compare(domain.odd, other, within=domain)
        likely = difference.probability("a") if model.probabilistic else None
        found.append(Rounded(digits, difference.equivalent, difference.count, difference.instances, likely, other))
        if difference.equivalent:
            break
    return tuple(found)


def _fewest(tried: Sequence[Rounded]) -> int | None:
    return tried[-1].digits if tried and tried[-1].equivalent else None
