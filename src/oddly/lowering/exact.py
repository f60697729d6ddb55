# SPDX-License-Identifier: Apache-2.0
"""Logarithms of fractions as integers whose sums never break a true tie.

All the integers that occur are written over a base of pairwise coprime ones. Such a representation is unique:
a product of powers of the base is 1 only if every exponent is 0. Each base element's logarithm is rounded
*once* to fixed point, and the logarithm of a fraction is the integer combination of those, so two products
that are exactly equal get the same integer, however they were formed. What the rounding may have cost is
known for every fraction, to a small part of a unit.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

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
    powers = _powers(groups, base)
    bits = room - _magnitude(groups)
    fine = [_fixed_point_log(g, bits + GUARD) for g in base]
    coarse = [_rounded(log, GUARD) for log in fine]
    places = _witnesses(powers)
    most = sum(max((abs(e) for f in group for e in powers[f].values()), default=0) for group in groups)
    width = (4 * most + 1).bit_length()  # so that exponents that do not cancel cannot seem to

    def log(f: Fraction) -> FixedLog:
        power = powers[f]
        value = sum(e * coarse[i] for i, e in power.items())
        error = (value << GUARD) - sum(e * fine[i] for i, e in power.items())
        slop = sum(abs(e) for e in power.values())  # the fine logarithms are within one of the truth
        exponents = sum(e << width * places[i] for i, e in power.items() if i in places)
        return FixedLog(value, error - slop, error + slop, exponents)

    logs = {f: log(f) for f in powers}
    return [[logs[f] for f in group] for group in groups], bits


def plain_logs(groups: Sequence[Sequence[Fraction]], room: int) -> tuple[list[list[FixedLog]], int]:
    """The same for fractions too many for a coprime base: each is rounded by itself, and true ties leave no trace."""
    bits = room - _magnitude(groups)
    half = (1 << (GUARD - 1)) + 2  # half a unit, and what the fine logarithm may be off
    fine_bits = bits + GUARD
    context = Context(prec=30 + int((abs(bits) + GUARD) * 0.302))
    scale = context.divide(Decimal(1 << max(fine_bits, 0)), Decimal(1 << max(-fine_bits, 0)))

    def log(f: Fraction) -> FixedLog:
        quotient = context.divide(Decimal(f.numerator), Decimal(f.denominator))
        fine = int(context.multiply(context.ln(quotient), scale).to_integral_value())
        return FixedLog(_rounded(fine, GUARD), -half, half, 0)

    return [[log(f) for f in group] for group in groups], bits


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers over which all the given positive ones are products of powers.

    >>> coprime_base([12, 18, 35, 49])
    [2, 3, 5, 7]
    >>> coprime_base([1009 * 2003, 2003 * 3001])
    [1009, 2003, 3001]
    """
    distinct = sorted(set(numbers))
    primes = _primes(MANY_PRIMES if len(distinct) > MANY else FEW_PRIMES)
    base, small = _Coprime(), set[int]()
    for number in distinct:
        for prime in primes.dividing(number):
            small.add(prime)
            number = _without(number, prime)[0]
        base.refine(number)
    return sorted(small) + sorted(base.elements())


class _Coprime:
    """Pairwise coprime numbers in buckets, each with its product: one gcd shows that a bucket has no common factor."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.buckets: list[list[int]] = [[]]
        self.products = [1]
        for number in numbers:
            self._add(number)

    def elements(self) -> list[int]:
        return [g for bucket in self.buckets for g in bucket]

    def dividing(self, number: int) -> list[int]:
        """The elements that divide a number."""
        found: list[int] = []
        for bucket, product in zip(self.buckets, self.products, strict=True):
            if math.gcd(number, product % number) > 1:
                found += [g for g in bucket if number % g == 0]
        return found

    def refine(self, number: int) -> None:
        """Add a number, splitting what shares a factor with it."""
        waiting = [number]
        while waiting:
            x = waiting.pop()
            place = self._sharing(x) if x > 1 else None
            if place is not None:
                bucket, i = place
                g = self.buckets[bucket][i]
                if g != x:
                    common = math.gcd(x, g)
                    del self.buckets[bucket][i]
                    self.products[bucket] //= g
                    waiting += [x // common, g // common, common]
            elif x > 1:
                self._add(x)

    def _sharing(self, x: int) -> tuple[int, int] | None:
        """Where an element stands that has a factor in common with x."""
        for b, (bucket, product) in enumerate(zip(self.buckets, self.products, strict=True)):
            common = math.gcd(x, product % x)
            if common > 1:
                return b, next(i for i, g in enumerate(bucket) if math.gcd(common, g) > 1)
        return None

    def _add(self, number: int) -> None:
        if len(self.buckets[-1]) >= BUCKET:
            self.buckets.append([])
            self.products.append(1)
        self.buckets[-1].append(number)
        self.products[-1] *= number


def _powers(groups: Sequence[Sequence[Fraction]], base: Sequence[int]) -> dict[Fraction, dict[int, int]]:
    """For every fraction its exponents over the base, by place; zeros are left out."""
    place, coprime = {g: i for i, g in enumerate(base)}, _Coprime(base)
    return {
        f: {
            place[g]: sign * _without(number, g)[1]
            for number, sign in ((f.numerator, 1), (f.denominator, -1))
            for g in coprime.dividing(number)
        }
        for f in dict.fromkeys(f for group in groups for f in group)
    }


def _witnesses(powers: Mapping[Fraction, Mapping[int, int]]) -> dict[int, int]:
    """Elements of the base whose exponents show that all cancel, numbered: of those in proportion, the first.

    A sum of exponents of one element is zero iff that of any other is whose exponents are a multiple of its own.
    """
    columns: dict[int, list[tuple[int, int]]] = {}
    for row, power in enumerate(powers.values()):
        for i, e in power.items():
            columns.setdefault(i, []).append((row, e))
    found: dict[tuple[tuple[int, int], ...], int] = {}
    for i in sorted(columns):
        common = math.gcd(*(e for _, e in columns[i])) * (1 if columns[i][0][1] > 0 else -1)
        found.setdefault(tuple((row, e // common) for row, e in columns[i]), i)
    return {i: place for place, i in enumerate(found.values())}


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


MANY = 1000  # numbers, from which on larger primes are looked for: nearly all factors in common are small
FEW_PRIMES, MANY_PRIMES = 1 << 8, 1 << 16
BUCKET = 256


@cache
def _primes(below: int) -> _Coprime:
    sieve = bytearray([1]) * below
    for p in range(2, math.isqrt(below) + 1):
        if sieve[p]:
            sieve[p * p :: p] = bytes(len(range(p * p, below, p)))
    return _Coprime(p for p in range(2, below) if sieve[p])
