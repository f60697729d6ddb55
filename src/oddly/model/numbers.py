# SPDX-License-Identifier: Apache-2.0
"""Numbers, taken exactly as they were written: "0.87" is 87/100, "1/3" is a third, a float is its exact binary value.

In fewer digits they are rounded one by one, probabilities so that their row keeps its sum.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import exp, inf, lcm
from numbers import Integral, Rational, Real

import numpy as np

from oddly.errors import ModelError, Unsupported

Number = str | int | float | Fraction | Decimal

MOST_DIGITS = 4000  # of a number as written; more is a mistake or an attack, and would only cost time

_TOO_LARGE = 10**MOST_DIGITS
_WRITTEN = re.compile(r"\s*[+-]?(?:\d+\s*/\s*\d+|(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?)\s*", re.ASCII)


def exact(number: object, where: str) -> Fraction:
    """The number as a fraction; `where` is the place an error names.

    >>> exact("0.87", "prior"), exact("1/3", "prior"), exact(0.5, "prior")
    (Fraction(87, 100), Fraction(1, 3), Fraction(1, 2))
    >>> exact("a lot", "prior of yes")
    Traceback (most recent call last):
    oddly.errors.ModelError: prior of yes: expected a number, found 'a lot'
    """
    if isinstance(number, str) or (isinstance(number, Decimal) and number.is_finite()):
        return _from_text(str(number), where)
    if isinstance(number, bool) or not isinstance(number, Real):
        raise ModelError(f"{where}: expected a number, found {number!r}")
    if isinstance(number, Rational | Integral):
        return Fraction(int(number.numerator), int(number.denominator))
    try:
        return Fraction(float(number))
    except (ValueError, OverflowError):
        raise ModelError(f"{where}: expected a finite number, found {number!r}") from None


def probability(number: object, where: str) -> Fraction:
    """The number as a fraction between 0 and 1."""
    value = exact(number, where)
    if not 0 <= value <= 1:
        raise ModelError(f"{where}: expected a probability, found {number}")
    return value


def portion(number: object, where: str) -> Fraction:
    """A part of a whole: a probability, or a text in per cent.

    >>> portion("0.1%", "changed"), portion(0.25, "changed")
    (Fraction(1, 1000), Fraction(1, 4))
    """
    if isinstance(number, str) and number.strip().endswith("%"):
        return probability(exact(number.strip()[:-1], where) / 100, where)
    return probability(number, where)


def whole(number: object, where: str, least: int = 0, what: str = "a whole number") -> int:
    """A whole number from the least one on, checked."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise ModelError(f"{where}: expected {what} from {least} on, found {number!r}")
    return number


def as_written(number: Number) -> Number:
    """A float as the shortest decimal that reads back as it: how a table's cell is meant, and what a file would say."""
    return repr(float(str(number))) if isinstance(number, float | np.floating) else number


def written(number: Fraction) -> str:
    """A text that reads back as exactly this number: a decimal where there is a short one.

    >>> written(Fraction(87, 100)), written(Fraction(1, 3)), written(Fraction(-5))
    ('0.87', '1/3', '-5')
    """
    places = places_of(number.denominator)
    if max(abs(number.numerator), number.denominator) >= _TOO_LARGE:
        raise ModelError(f"a number of more than {MOST_DIGITS} digits cannot be written")
    fraction = f"{number.numerator}/{number.denominator}"
    if places is None or places > len(fraction):
        return fraction
    whole = abs(number.numerator) * 10**places // number.denominator
    return fraction if whole >= _TOO_LARGE else pointed(number, str(whole), places)


def places_of(denominator: int) -> int | None:
    """The digits after the point that a fraction of this denominator needs, if they end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def pointed(number: Fraction, digits: str, places: int) -> str:
    """The number's digits, with its sign, and a point before the last few."""
    digits = digits.rjust(places + 1, "0")
    return ("-" if number < 0 else "") + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def brief(number: Fraction) -> str:
    """A number in a sentence: as written where that is short, else to a few digits, however small it is.

    >>> brief(Fraction(9, 10)), brief(Fraction("1e-4000")), brief(Fraction(10**30 + 1, 3))
    ('0.9', '1e-4000', '3.33333e+29')
    """
    short = max(abs(number.numerator), number.denominator) < 10**12 and len(text := written(number)) <= 8
    return text if short else f"{Decimal(number.numerator) / Decimal(number.denominator):.6g}"


def as_float(number: Fraction) -> float:
    """The nearest float; infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def from_log_odds(log_odds: float) -> float:
    """The probability with these log-odds.

    >>> from_log_odds(0.0), round(from_log_odds(-30.0), 20), from_log_odds(inf)
    (0.5, 9.357623e-14, 1.0)
    """
    return 1 / (1 + exp(-log_odds)) if log_odds >= 0 else exp(log_odds) / (1 + exp(log_odds))


def _from_text(text: str, where: str) -> Fraction:
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise ModelError(f"{where}: expected a number, found {text[:40]!r}")
    exponent = match["exponent"] or "0"
    if len(text) > 2 * MOST_DIGITS + 2 or len(exponent) > 5 or abs(int(exponent)) > MOST_DIGITS:
        raise ModelError(f"{where}: a number of more than {MOST_DIGITS} digits, {text[:20]}…")
    try:
        return Fraction("".join(text.split()))
    except (ZeroDivisionError, ValueError):
        raise ModelError(f"{where}: expected a number, found {text[:40]!r}") from None


def in_whole(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """The rows times their common denominator, in whole numbers; and that denominator."""
    scale = lcm(*(p.denominator for row in rows for p in row))
    return [[p.numerator * (scale // p.denominator) for p in row] for row in rows], scale


def unit_of(digits: int, least: int = 1) -> Fraction:
    """One in the last of so many digits after the point; of points, which may be whole numbers, the `least` is 0."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not least <= digits <= MOST_DIGITS:
        raise ModelError(f"digits: expected a number from {least} to {MOST_DIGITS}, found {digits!r}")
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
            lost = f"{where}: {float(p):.3g} would be rounded to zero"
            raise Unsupported(f"{lost}, which is another model.  Keep more digits.")
    return [units * unit for units in down]
