# SPDX-License-Identifier: Apache-2.0
"""The range of one number: where it may lie, where it lies now, and the instance that blocks each end."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from oddly.answers import as_features
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
    now: float
    low: float
    high: float
    includes_low: bool
    includes_high: bool
    below: Block | None
    """What blocks the low end."""
    above: Block | None
    """What blocks the high end."""
    probability: "Range | None"
    """The same as a probability, where the number is the log-odds of one."""
    _ends: tuple[Real, Real]

    @classmethod
    def between(cls, low: End, high: End, now: Real, unit: Unit, probability: "Range | None" = None) -> "Range":
        return cls(
            unit,
            _float(now),
            _float(low.at),
            _float(high.at),
            low.included,
            high.included,
            low.block,
            high.block,
            probability,
            (low.at, high.at),
        )

    @property
    def exact(self) -> tuple[Real, Real]:
        """The ends without rounding: as fractions, but for logarithms and infinities."""
        return self._ends

    @property
    def any(self) -> bool:
        """Whether nothing blocks it."""
        return self.below is None and self.above is None

    def __contains__(self, number: Number) -> bool:
        x = exact(number, "a number in a range")
        low, high = self._ends
        return (low < x or (self.includes_low and x == low)) and (x < high or (self.includes_high and x == high))

    def interval(self) -> str:
        """The range as mathematicians write it."""
        low, high, _ = self.texts()
        return f"{'[' if self.includes_low else '('}{low}, {high}{']' if self.includes_high else ')'}"

    def blocks(self) -> list[str]:
        """What happens past each end that something blocks."""
        low, high, _ = self.texts()
        found = []
        if self.below is not None:
            found.append(f"{'below' if self.includes_low else 'from'} {low}{self._down()} {self.below}")
        if self.above is not None:
            found.append(f"{'above' if self.includes_high else 'from'} {high} {self.above}")
        return found

    def __repr__(self) -> str:
        place = "anything" if self.any else f"in {self.interval()}"
        return "; ".join([f"{place}, now {self.texts()[2]}", *self.blocks()])

    def texts(self) -> tuple[str, str, str]:
        """Low, high and now, to as many digits as it takes to tell them apart."""
        edges = (0.0, 1.0) if self.unit == "probability" else ()
        numbers = (self.low, self.high, self.now, *edges)
        for digits in range(3, 17):
            texts = [self._text(x, digits) for x in numbers]
            if len(set(texts)) == len(set(numbers)):
                break
        return texts[0], texts[1], self._as_written(texts[2])

    def _text(self, number: float, digits: int) -> str:
        if number in (0, 1) and self.unit == "probability":
            return str(int(number))
        fixed = self.unit != "points" and abs(number) < 1e6
        return f"{number:.{digits}f}" if fixed else f"{number:.{digits + 4}g}"

    def _as_written(self, now: str) -> str:
        """A probability as it was written, where that is short: 0.87, not 0.870."""
        short = f"{self.now:.6g}"
        return short if self.unit == "probability" and float(short) == self.now else now

    def _down(self) -> str:
        return "" if self.includes_low else " down"


def part_of(odds: End, total: Fraction) -> End:
    """The part of a total that has these odds."""
    part = total if odds.at == math.inf else total * Fraction(odds.at) / (1 + Fraction(odds.at))
    return End(part, odds.included, odds.block)


def _float(number: Real) -> float:
    return as_float(number) if isinstance(number, Fraction) else float(number)


def log(ratio: Fraction) -> float:
    """The logarithm of a fraction: accurate near one, and beyond what floats can hold."""
    if 2 * abs(ratio - 1) < 1:
        return math.log1p(float(ratio - 1))
    return math.log(ratio.numerator) - math.log(ratio.denominator)
