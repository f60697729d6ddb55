# SPDX-License-Identifier: Apache-2.0
"""Numbers in fewer digits: points one by one, probabilities so that their row keeps its sum."""

from collections.abc import Sequence
from fractions import Fraction

from oddly.errors import ModelError, Unsupported
from oddly.model.numbers import MOST_DIGITS


def unit_of(digits: int) -> Fraction:
    """One in the last of so many digits after the point."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise ModelError(f"digits: expected a number from 1 to {MOST_DIGITS}, found {digits!r}")
    return Fraction(1, 10**digits)


def nearest(number: Fraction, unit: Fraction) -> Fraction:
    """The nearest multiple of the unit; halfway, the even one."""
    return round(number / unit) * unit


def rounded_row(row: Sequence[Fraction], unit: Fraction, zeros: bool, where: str) -> list[Fraction]:
    """The row in whole units that sum to what it did: rounded down, the largest remainders up."""
    down = [p // unit for p in row]
    short = round(sum(row, Fraction(0)) / unit) - sum(down)
    by_remainder = sorted(range(len(row)), key=lambda i: (-(row[i] / unit - down[i]), i))
    for i in by_remainder[:short]:
        down[i] += 1
    for p, units in zip(row, down, strict=True):
        if p and not units and not zeros:
            raise Unsupported(
                f"{where}: {float(p):.3g} would be rounded to zero, which is another model.  Keep more digits."
            )
    return [units * unit for units in down]
