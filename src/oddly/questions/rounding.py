# SPDX-License-Identifier: Apache-2.0
"""May I round?  For one digit, two, three…: whether any decision changes, how many, how likely."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

from oddly.answers import Answer, of_instances
from oddly.compiler import as_model
from oddly.errors import ModelError, Unsupported
from oddly.model import CPT, Additive, NaiveBayes, Points, Scorecard
from oddly.questions.compare import compare
from oddly.questions.diagrams import as_diagram

MOST_DIGITS = 12


@dataclass(frozen=True, repr=False)
class Rounded(Answer):
    """What rounding to some digits changes."""

    digits: int
    equivalent: bool
    count: int
    """How many decisions change."""
    instances: int
    probability: float | None
    """How likely an instance is whose decision changes, under the model; None for a scorecard."""
    model: Additive
    """The rounded model."""

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        digits = "1 digit changes" if self.digits == 1 else f"{self.digits} digits change"
        if self.equivalent:
            return f"{digits} nothing"
        likely = "" if self.probability is None else f", probability {self.probability:.3g}"
        return f"{digits} {of_instances(self.count, self.instances)}{likely}"

    def to_json(self) -> dict[str, Any]:
        return {
            "digits": self.digits,
            "equivalent": self.equivalent,
            "count": str(self.count),
            "instances": str(self.instances),
            "probability": self.probability,
        }


@dataclass(frozen=True, repr=False)
class Rounding(Answer):
    """Rounding the probabilities (or points), and rounding the weights: digit by digit until nothing changes."""

    probabilities: tuple[Rounded, ...]
    weights: tuple[Rounded, ...]
    """Empty where there are none: a scorecard's points are its weights, and zeros have no finite weight."""

    @property
    def fewest(self) -> int | None:
        """The fewest digits of the probabilities (or points) that change no decision."""
        return _fewest(self.probabilities)

    @property
    def fewest_of_weights(self) -> int | None:
        """The fewest digits of the weights that change no decision."""
        return _fewest(self.weights)

    def verdict(self) -> bool:
        return self.fewest is not None

    def sentence(self) -> str:
        what = (
            "points" if self.probabilities and isinstance(self.probabilities[0].model, Scorecard) else "probabilities"
        )
        parts = [f"Of the {what}, {'; '.join(map(repr, self.probabilities))}."]
        if self.weights:
            parts.append(f"Of the weights, {'; '.join(map(repr, self.weights))}.")
        return " ".join(parts)

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "fewest": self.fewest, "fewest_of_weights": self.fewest_of_weights}


def rounding(model: Any, most: int = MOST_DIGITS) -> Rounding:
    """May the numbers be rounded?  To one digit after the point, two…, until no decision changes.

    Probabilities are rounded row by row so that a row still sums to one (largest remainders); weights are log-odds.

    >>> import oddly
    >>> rounding(oddly.examples.pregnancy())
    Of the probabilities, 1 digit changes nothing. Of the weights, 1 digit changes nothing.
    """
    model = as_model(model)
    if not isinstance(model, NaiveBayes | Scorecard):
        raise Unsupported(f"rounding: a naive Bayes or a scorecard is rounded, not {model!r}")
    if most < 1:
        raise ModelError(f"rounding: expected a number of digits, found {most}")
    by_weights = () if isinstance(model, Scorecard) else _tried(model, rounded_weights, most)
    return Rounding(_tried(model, rounded, most), by_weights)


def rounded(model: Additive, digits: int) -> Additive:
    """The model with every probability, or every point, rounded to so many digits after the point."""
    unit = Fraction(1, 10**digits)
    if isinstance(model, Scorecard):
        points = [
            Points(a.name, a.values, [_nearest(p, unit) for p in a.points], a.bins) for a in model.attributes
        ]
        return model.replace(attributes=points, intercept=_nearest(model.intercept, unit))
    attributes = [
        CPT(a.name, a.values, {c: _row(row, unit) for c, row in a.given.items()}, a.bins) for a in model.attributes
    ]
    return model.replace(prior=_row(model.prior, unit), attributes=attributes)


def rounded_weights(model: Additive, digits: int) -> Scorecard:
    """The model as a scorecard whose points are its weights of evidence, rounded."""
    assert isinstance(model, NaiveBayes)
    assert model.positive is not None
    unit = Fraction(1, 10**digits)
    negative = next(c for c in model.class_values if c != model.positive)
    if (
        model.threshold in (0, 1)
        or 0 in model.prior
        or any(0 in row for a in model.attributes for row in a.given.values())
    ):
        raise Unsupported("probabilities of zero, and thresholds of 0 and 1, have no finite weight to round")

    def weight(positive: Fraction, other: Fraction) -> Fraction:
        return _nearest(Fraction(_log(positive / other)), unit)

    at = model.class_values.index(model.positive)
    odds = model.prior[at] / model.prior[1 - at] * (1 - model.threshold) / model.threshold
    points = [
        Points(
            a.name,
            a.values,
            [weight(p, q) for p, q in zip(a.given[model.positive], a.given[negative], strict=True)],
            a.bins,
        )
        for a in model.attributes
    ]
    return Scorecard(
        points,
        0,
        _nearest(Fraction(_log(odds)), unit),
        model.class_name,
        model.class_values,
        model.positive,
        model.ties,
    )


def _tried(model: Additive, change: Callable[[Additive, int], Additive], most: int) -> tuple[Rounded, ...]:
    odd = as_diagram(model)
    found: list[Rounded] = []
    for digits in range(1, most + 1):
        try:
            other = change(model, digits)
        except Unsupported:
            return ()
        difference = compare(odd, other)
        likely = None if isinstance(model, Scorecard) else difference.probability("a")
        found.append(Rounded(digits, difference.equivalent, difference.count, difference.instances, likely, other))
        if difference.equivalent:
            break
    return tuple(found)


def _row(row: Sequence[Fraction], unit: Fraction) -> list[Fraction]:
    """The row in whole units that still sum to one: rounded down, the largest remainders up."""
    down = [p // unit for p in row]
    short = int(1 / unit) - sum(down)
    by_remainder = sorted(range(len(row)), key=lambda i: (-(row[i] / unit - down[i]), i))
    for i in by_remainder[: max(short, 0)]:
        down[i] += 1
    return [n * unit for n in down]


def _nearest(number: Fraction, unit: Fraction) -> Fraction:
    return round(number / unit) * unit


def _log(ratio: Fraction) -> float:
    return log(ratio.numerator) - log(ratio.denominator)


def _fewest(tried: Sequence[Rounded]) -> int | None:
    return tried[-1].digits if tried and tried[-1].equivalent else None
