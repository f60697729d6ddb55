# SPDX-License-Identifier: Apache-2.0
"""The range of one number: where it may lie, where it lies now, and the instance that blocks each end."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from oddly.answers import Unbounded, as_features
from oddly.model.numbers import Number, as_float, exact

Unit = Literal["log-odds", "points", "probability"]
Real = Fraction | float
"""A fraction where the number is rational, and a float where it is a logarithm or infinite."""


@dataclass(frozen=True, repr=False)
class Block:
    """The instance that is the first to be decided otherwise when a number moves past an end."""

    instance: Mapping[str, str]
    becomes: str
    """What it is decided as from there on."""

    def __repr__(self) -> str:
        case = f"the case {as_features(self.instance)}" if self.instance else "every case"
        return f"{case} becomes {self.becomes}"


@dataclass(frozen=True)
class End:
    """One end of a range."""

    at: Real
    included: bool = False
    block: Block | None = None


@dataclass(frozen=True, repr=False)
class Range:
    """Which values of a number leave every decision as it is, while all other numbers stay?

    An end that nothing blocks has no block; it is infinite, or 0 or 1 for a probability. `x in range` is exact
    for points and probabilities.
    """

    unit: Unit
    now: Unbounded
    low: Unbounded
    high: Unbounded
    includes_low: bool
    includes_high: bool
    below: Block | None
    """What blocks the low end."""
    above: Block | None
    """What blocks the high end."""
    probability: "Range | None"
    """The same as a probability, where the number is the log-odds of one."""
    _exact: tuple[Real, Real, Real]
    """The ends and where it is now."""

    @classmethod
    def between(cls, low: End, high: End, now: Real, unit: Unit, probability: "Range | None" = None) -> "Range":
        exact = (low.at, high.at, now)
        ends = (_float(low.at), _float(high.at), low.included, high.included, low.block, high.block)
        return cls(unit, _float(now), *ends, probability, exact)

    @property
    def exact(self) -> tuple[Real, Real]:
        """The ends without rounding: as fractions, but for logarithms and infinities."""
        return self._exact[:2]

    @property
    def exact_now(self) -> Real:
        """Where it is now, without rounding."""
        return self._exact[2]

    @property
    def any(self) -> bool:
        """Whether nothing blocks it."""
        return self.below is None and self.above is None

    @property
    def room(self) -> float:
        """How far the nearest case is that stops it; infinite if none does."""
        ends = ((self.below, self.now - self.low), (self.above, self.high - self.now))
        return min((away for block, away in ends if block is not None), default=math.inf)

    def __contains__(self, number: Number) -> bool:
        x = exact(number, "a number in a range")
        low, high = self.exact
        return (low < x or (self.includes_low and x == low)) and (x < high or (self.includes_high and x == high))

    def interval(self) -> str:
        """The range as mathematicians write it."""
        low, high, _ = self.texts()
        return f"{'[' if self.includes_low else '('}{low}, {high}{']' if self.includes_high else ')'}"

    def stops(self) -> list[str]:
        """What happens past each end that something blocks."""
        low, high, _ = self.texts()
        found = []
        if self.below is not None:
            found.append(f"below {low} {self.below}" if self.includes_low else f"from {low} down {self.below}")
        if self.above is not None:
            found.append(f"{'above' if self.includes_high else 'from'} {high} {self.above}")
        return found

    def __repr__(self) -> str:
        place = "anything" if self.any else f"in {self.interval()}"
        return "; ".join([f"{place}, now {self.texts()[2]}", *self.stops()])

    def texts(self) -> tuple[str, str, str]:
        """Low, high and now, to as many digits as it takes to tell them apart; what is not 0, nor a probability of 1,
        does not look like it."""
        for digits in range(3, 17):
            texts = [self._text(x, digits) for x in self._exact]
            if len(set(texts)) == len(set(self._exact)):
                break
        return texts[0], texts[1], self._as_written(texts[2])

    def _text(self, number: Real, digits: int) -> str:
        if number == 0:
            return "0"
        if self.unit == "probability":
            return _probability_text(Fraction(number), digits)
        near = _float(number)
        fixed = self.unit == "log-odds" and 0.001 <= abs(near) < 1e6
        return f"{near:.{digits}f}" if fixed else f"{near:.{digits + (self.unit == 'points') * 4}g}"

    def _as_written(self, now: str) -> str:
        """A probability as it was written, where that is short: 0.87, not 0.870."""
        short = f"{self.now:.6g}"
        whole = self.now in (0, 1) and self.now != self._exact[2]  # only nearly
        return short if self.unit == "probability" and float(short) == self.now and not whole else now


def part_of(odds: End, total: Fraction) -> End:
    """The part of a total that has these odds."""
    part = total if odds.at == math.inf else total * Fraction(odds.at) / (1 + Fraction(odds.at))
    return End(part, odds.included, odds.block)


def _probability_text(p: Fraction, digits: int) -> str:
    """To so many places, and more if it would look like 0 or 1.

    >>> [_probability_text(Fraction(p), 3) for p in ("0.87", "0.00002", "0.99998", "1e-999", "1", "1.00002")]
    ['0.870', '0.00002', '0.99998', '1e-999', '1', '1.00002']
    >>> _probability_text(1 - Fraction("1e-30"), 3)
    '1-1e-30'
    """
    missing = abs(1 - p)
    if missing == 0:
        return "1"
    if p < LOW:
        return _few(p, digits)
    if missing < LOW:
        places = -math.floor(log(missing) / math.log(10))
        if places >= 16:
            return f"1{'-' if p < 1 else '+'}{_few(missing, digits)}"
        digits = max(digits, places)
    return f"{float(p):.{digits}f}"


LOW = Fraction(1, 1000)


def _few(number: Fraction, digits: int) -> str:
    """A small number, beyond what floats can hold."""
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.{digits}g}"


def _float(number: Real) -> float:
    return as_float(number) if isinstance(number, Fraction) else float(number)


def log(ratio: Fraction) -> float:
    """The logarithm of a fraction: accurate near one, and beyond what floats can hold."""
    if 2 * abs(ratio - 1) < 1:
        return math.log1p(float(ratio - 1))
    return math.log(ratio.numerator) - math.log(ratio.denominator)
