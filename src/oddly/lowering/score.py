# SPDX-License-Identifier: Apache-2.0
"""The one form every model lowers to: whole numbers that are added up and held against zero.

An instance is positive iff prior + the weights of its values >= 0. A probability of zero is a weight of ±∞: it
makes the instance impossible under one of the two sides. Which sides are already ruled out is the *state* of
a prefix, a set of two bits, so that reading one more value is a bitwise or:

    FINITE 0      the sum decides
    NEVER 1       impossible under the positive class: log-odds −∞
    ALWAYS 2      impossible under the negative class: log-odds +∞
    IMPOSSIBLE 3  impossible under both: there is no posterior, and the caller chooses
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from functools import cached_property, singledispatch
from math import inf, lcm, log
from typing import Literal

from oddly.errors import ModelError, UnknownName, Unsupported
from oddly.lowering.exact import GUARD, FixedLog, fixed_logs
from oddly.model import Model, NaiveBayes, Scorecard, Variable
from oddly.model.numbers import as_float

FINITE, NEVER, ALWAYS, IMPOSSIBLE = 0, 1, 2, 3

Impossible = Literal["negative", "positive"]

PRECISIONS = tuple(64 << i for i in range(8))  # bits; no model met so far needed more than a few hundred
HEADROOM = 4  # bits kept free, so that sums of sums and sentinels never overflow


@dataclass(frozen=True)
class Term:
    """What one value adds: a whole number, or a side it rules out."""

    weight: int
    state: int = FINITE
    error_low: int = 0  # weight − error is the true weight; errors count units of 2^-GUARD
    error_high: int = 0
    exact: int = 0  # additive, and a sum of them is zero iff the true weights cancel


class Arranged:
    """Attributes in some order."""

    variables: tuple[Variable, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    def index(self, name: str) -> int:
        """Where an attribute stands."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName.among("attribute", name, self.names) from None


@dataclass(frozen=True)
class Score(Arranged):
    """A classifier as integers, its attributes in some order.

    `unit` is what an integer step is worth: log-odds for probabilities, points for a card. `places` says which
    column of the model each attribute is.
    """

    model: Model
    impossible: Impossible
    bits: int
    prior: Term
    terms: tuple[tuple[Term, ...], ...]
    variables: tuple[Variable, ...]
    places: tuple[int, ...]
    unit: Fraction
    against: Fraction | float
    """What the sum is held against, in the model's own terms: log-odds, or points. Infinite: sums do not matter."""
    rounded: bool
    """Whether the weights were rounded, so that the certificate has something to show."""
    outcomes: tuple[int, int, int, int] = field(default=(-1, 0, 1, 0))
    """The label of an instance that ends in each state; that of FINITE is its sum's sign."""

    witnessed = True
    """True ties can be told from sums that rounding made equal: the terms' `exact` show them."""

    @property
    def threshold(self) -> float:
        """What the sum is held against, as a float."""
        return as_float(self.against) if isinstance(self.against, Fraction) else self.against

    @property
    def labels(self) -> tuple[str, ...]:
        return self.model.labels

    @property
    def start(self) -> int:
        """The prior as the engines take it: positive iff start + weights >= 0, strict comparisons included."""
        return self.prior.weight - (self.model.ties == "negative")

    @cached_property
    def error(self) -> tuple[Fraction, Fraction]:
        """The least and greatest rounding error any instance's sum can have, in units."""
        groups = [(self.prior,), *self.terms]
        low = sum(min((t.error_low for t in g if t.state == FINITE), default=0) for g in groups)
        high = sum(max((t.error_high for t in g if t.state == FINITE), default=0) for g in groups)
        return Fraction(low, 1 << GUARD), Fraction(high, 1 << GUARD)

    @cached_property
    def finite(self) -> bool:
        """Whether no side is ever ruled out."""
        return not (self.prior.state or any(t.state for terms in self.terms for t in terms))

    @cached_property
    def impact(self) -> tuple[float, ...]:
        """Max − min weight of each attribute over its possible values; infinite where a side can be ruled out."""
        return tuple(inf if any(t.state in (NEVER, ALWAYS) for t in terms) else _spread(terms) for terms in self.terms)

    @cached_property
    def finite_impact(self) -> tuple[float, ...]:
        """The same over finite weights alone."""
        return tuple(_spread(terms) for terms in self.terms)

    def in_order(self, order: Sequence[int]) -> "Score":
        """The same score with its attributes rearranged."""
        variables, places = tuple(self.variables[i] for i in order), tuple(self.places[i] for i in order)
        return dataclass_replace(self, terms=tuple(self.terms[i] for i in order), variables=variables, places=places)


def lower(model: Model, bits: int = 64, impossible: Impossible = "negative") -> Score:
    """The model as integers that fit `bits` bits with room, in the model's own order of attributes."""
    if impossible not in ("negative", "positive"):
        raise ModelError(f"impossible: expected 'negative' or 'positive', found {impossible!r}")
    return _sum_of(model, bits, impossible)


@singledispatch
def _sum_of(model: Model, bits: int, impossible: Impossible) -> Score:
    """Each kind registers its own way."""
    raise Unsupported(f"no sum of one weight per attribute decides between two labels here: {model!r}")


@_sum_of.register
def _lower_naive_bayes(model: NaiveBayes, bits: int, impossible: Impossible) -> Score:
    if not model.additive:
        raise Unsupported(f"no sum of one weight per attribute decides between two labels here: {model!r}")
    if model.certain:
        return _lower_at_the_edge(model, bits, impossible)
    p = model.threshold
    positive, negative = model.sides(model.prior)
    groups = [[(positive * (1 - p), negative * p)]] + [model.given_sides(a) for a in model.attributes]
    finite = [[a / b for a, b in group if a and b] for group in groups]
    logs, fraction_bits = fixed_logs(finite, bits - HEADROOM)
    terms = []
    for group, group_logs in zip(groups, logs, strict=True):
        found = iter(group_logs)
        terms.append(tuple(_term(next(found)) if a and b else Term(0, _state(a, b)) for a, b in group))
    threshold = _log_odds(p)
    return _score(model, bits, impossible, terms, Fraction(1, 2) ** fraction_bits, threshold, rounded=True)


def _lower_at_the_edge(model: NaiveBayes, bits: int, impossible: Impossible) -> Score:
    """Threshold 0 or 1: every finite sum decides alike, and only what is ruled out matters.

    Pr >= 0 holds of everything possible, Pr > 0 of what is possible under the positive class; Pr >= 1 holds of
    what is impossible under the negative class, Pr > 1 of nothing.
    """
    strict = model.ties == "negative"
    positive = model.threshold == 0
    groups = [[model.sides(model.prior)]] + [model.given_sides(a) for a in model.attributes]
    terms = [tuple(Term(0, _state(a, b)) for a, b in group) for group in groups]
    terms[0] = (Term(2 if positive else -2, terms[0][0].state),)  # any sum on that side, and no tie
    never, always = (not strict, True) if positive else (False, not strict)
    score = _score(model, bits, impossible, terms, Fraction(1), -inf if positive else inf, rounded=False)
    return dataclass_replace(score, outcomes=(-1, int(never), int(always), score.outcomes[IMPOSSIBLE]))


@_sum_of.register
def _lower_scorecard(model: Scorecard, bits: int, impossible: Impossible) -> Score:
    """Points times their common denominator; rounded, with the error known, where that would not fit."""
    groups = [[model.intercept - model.cutoff]] + [list(a.points) for a in model.attributes]
    scale = lcm(*(p.denominator for group in groups for p in group))
    room = bits - HEADROOM
    reach = sum(max((abs(p) for p in group), default=Fraction(0)) for group in groups)
    rounded = reach * scale >= 1 << room
    unit = Fraction(1, scale)
    if rounded:
        unit = Fraction(2) ** (int(reach).bit_length() + len(groups).bit_length() - room)

    def term(p: Fraction) -> Term:
        weight = round(p / unit)
        error = (weight - p / unit) * (1 << GUARD)
        return Term(weight, FINITE, error.__floor__(), error.__ceil__(), int(p * scale))

    terms = [tuple(map(term, group)) for group in groups]
    return _score(model, bits, impossible, terms, unit, model.cutoff, rounded)


def _score(
    model: Model,
    bits: int,
    impossible: Impossible,
    terms: list[tuple[Term, ...]],
    unit: Fraction,
    against: Fraction | float,
    rounded: bool,
) -> Score:
    """The first group of terms is the prior's; the rest are the attributes', in the model's order."""
    outcomes = (-1, 0, 1, int(impossible == "positive"))
    order = tuple(range(len(terms) - 1))
    return Score(
        model, impossible, bits, terms[0][0], tuple(terms[1:]), model.variables, order, unit, against, rounded, outcomes
    )


def _state(positive: Fraction, negative: Fraction) -> int:
    return NEVER * (positive == 0) + ALWAYS * (negative == 0)


def _term(log: FixedLog) -> Term:
    return Term(log.value, FINITE, log.low, log.high, log.exponents)


def _spread(terms: Sequence[Term]) -> int:
    weights = [t.weight for t in terms if t.state == FINITE]
    return max(weights) - min(weights) if weights else 0


def _log_odds(p: Fraction) -> float:
    return log(p.numerator) - log(p.denominator - p.numerator)
