# SPDX-License-Identifier: Apache-2.0
"""Logarithms of fractions as integers whose sums never break a true tie.

All the integers that occur are written over a base of pairwise coprime ones. Such a representation is unique:
a product of powers of the base is 1 only if every exponent is 0. Each base element's logarithm is rounded
*once* to fixed point, and the logarithm of a fraction is the integer combination of those, so two products
that are exactly equal get the same integer, however they were formed. What the rounding may have cost is
known for every fraction, to a small part of a unit.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

GUARD = 32  # extra bits to which the rounding error itself is known


@dataclass(frozen=True)
class FixedLog:
    """The logarithm of a fraction, in units of 2^-bits.

    value − error is the true logarithm, with error in [low, high]; low and high count units of 2^-(bits+GUARD).
    `exponents` encodes the exponents over the base as one integer that is additive: a sum of logarithms is truly
    zero iff the sum of their `exponents` is.
    """

    value: int
    low: int
    high: int
    exponents: int


def fixed_logs(groups: Sequence[Sequence[Fraction]], room: int) -> tuple[list[list[FixedLog]], int]:
    """Logarithms of positive fractions, as precise as `room` allows, and the number of bits after the point.

    A sum takes one fraction of each group. The largest sum of absolute values stays below 2^room.
    """
    base = coprime_base(n for group in groups for f in group for n in (f.numerator, f.denominator))
    powers = [[_exponents(f, base) for f in group] for group in groups]
    bits = room - _magnitude(groups)
    fine = [_fixed_point_log(g, bits + GUARD) for g in base]
    coarse = [_rounded(log, GUARD) for log in fine]
    most = sum(max((abs(e) for p in group for e in p.values()), default=0) for group in powers)
    radix = 2 * most + 1  # so that exponents that do not cancel cannot seem to

    def log(power: dict[int, int]) -> FixedLog:
        value = sum(e * coarse[i] for i, e in power.items())
        error = (value << GUARD) - sum(e * fine[i] for i, e in power.items())
        slop = sum(abs(e) for e in power.values())  # the fine logarithms are within one of the truth
        return FixedLog(value, error - slop, error + slop, sum(e * radix**i for i, e in power.items()))

    return [[log(p) for p in group] for group in powers], bits


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers over which all the given positive ones are products of powers.

    >>> coprime_base([12, 18, 35, 49])
    [2, 3, 5, 7]
    >>> coprime_base([1009 * 2003, 2003 * 3001])
    [1009, 2003, 3001]
    """
    base: list[int] = []
    small: set[int] = set()
    for number in sorted(set(numbers)):
        for prime in _SMALL_PRIMES:
            if number % prime == 0:
                small.add(prime)
                number = _without(number, prime)[0]
        _refine(base, number)
    return sorted(small) + sorted(base)


def _refine(base: list[int], number: int) -> None:
    """Add a number to a coprime base, splitting what shares a factor with it."""
    waiting = [number]
    while waiting:
        x = waiting.pop()
        if x == 1:
            continue
        for i, g in enumerate(base):
            if g == x:
                break
            common = math.gcd(x, g)
            if common > 1:
                del base[i]
                waiting += [x // common, g // common, common]
                break
        else:
            base.append(x)


def _exponents(fraction: Fraction, base: list[int]) -> dict[int, int]:
    """The exponents of a fraction over the base, by place; zeros are left out."""
    found: dict[int, int] = {}
    for number, sign in ((fraction.numerator, 1), (fraction.denominator, -1)):
        for i, g in enumerate(base):
            if number == 1:
                break
            number, exponent = _without(number, g)
            if exponent:
                found[i] = sign * exponent
    return found


def _without(number: int, factor: int) -> tuple[int, int]:
    """The number with a factor divided out, and how often it was."""
    exponent = 0
    while number % factor == 0:
        number, exponent = number // factor, exponent + 1
    return number, exponent


def _fixed_point_log(number: int, bits: int) -> int:
    """ln(number) · 2^bits, to within one unit."""
    digits = 20 + int((abs(bits) + number.bit_length().bit_length()) * 0.302)
    context = Context(prec=max(digits, 28))
    log = Fraction(context.ln(Decimal(number)))
    return round(log * Fraction(2) ** bits)


def _rounded(number: int, bits: int) -> int:
    return (number + (1 << (bits - 1))) >> bits


def _magnitude(groups: Sequence[Sequence[Fraction]]) -> int:
    """A number of bits that the largest sum of absolute logarithms is sure to fit in."""
    total = sum(max((_log_bound(f) for f in group), default=0) for group in groups)
    return max(total, 1).bit_length()


def _log_bound(fraction: Fraction) -> int:
    """A whole number that is at least |ln(fraction)|, and less than it + 3."""
    # ln(m · 2^k) ≤ (k + 1) ln 2 for 1 ≤ m < 2, and a fraction near 1 is within its own distance of 0
    if Fraction(1, 2) <= fraction <= 2:
        return 1
    doublings = abs(fraction.numerator.bit_length() - fraction.denominator.bit_length()) + 1
    return math.ceil(doublings * 0.6931471806)


_SMALL_PRIMES = [p for p in range(2, 256) if all(p % d for d in range(2, math.isqrt(p) + 1))]
