# SPDX-License-Identifier: Apache-2.0
"""Whole numbers of any size to sweep a diagram with, exact and at about the speed of floats.

A number is a column of digits of 20 bits, least first, and an array of numbers is [digits, …, numbers] in float64: that
holds the product of two digits, and the sum of 2^13 such products, without rounding. Adding and multiplying are then
vectorised, with a sweep of carries where sums could pass 2^53, and the sum of many products of two numbers is a product
of matrices. How many digits a depth needs is known beforehand: no sum of paths passes the product of the largest row
sums on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes.semirings import Row, by_value

Digits = NDArray[np.float64]
"""[digits, …, numbers], the least digit first."""
Places = NDArray[np.intp]

BITS = 20
BASE = float(1 << BITS)
ROOM = 1 << 53 - BITS  # digits that can be added without rounding
CHUNK = ROOM >> BITS  # products of two digits that can


@dataclass(frozen=True, eq=False)
class Wide:
    """Numbers by their digits, and what none of them passes."""

    digits: Digits
    bound: int


class WideSums:
    """Sums of products of whole numbers of any size, none below zero; see `semirings.System`."""

    one = 1

    def of(self, numbers: Any) -> Wide:
        """Numbers below the base."""
        found = np.asarray(numbers, np.float64)
        return Wide(found[None], max(int(found.max(initial=1)), 1))

    def at(self, place: int, size: int) -> Wide:
        return self.of(np.arange(size) == place)

    def gather(self, below: Wide, level: NDArray[Any], row: Row) -> Wide:
        bound = below.bound * _largest(level, row)
        above = np.empty((_digits(bound), *below.digits.shape[1:-1], len(level)))
        edges = [(column, p) for column, p in by_value(level, row, 1) if p is not None]
        for part in _parts(len(level)):
            sums = _DigitSum(above[..., part].shape)
            for column, p in edges:
                sums.add(below.digits.take(column[part], axis=-1), p[part] if np.ndim(p) else p)
            above[..., part] = sums.carried()
        return Wide(above, bound)

    def scatter(self, above: Wide, level: NDArray[Any], row: Row, width: int) -> Wide:
        bound = above.bound * _largest(level, row)
        below = _DigitSum((_digits(bound), width))
        for column, p in by_value(level, row, 1):
            if p is not None and np.any(p):
                numbers, factor = (above.digits, p) if np.ndim(p) == 0 else (_times(above.digits, p), 1)
                _arrive(below, numbers, factor, column.astype(np.intp))
        return Wide(below.carried(), bound)

    def total(self, above: Wide, column: NDArray[Any], number: Any, below: Wide) -> Any:
        kinds = below.digits.reshape(len(below.digits), -1, below.digits.shape[-1]).swapaxes(0, 1)
        found = _paired(above.digits, kinds, column.astype(np.intp), 0 if number is None else number)
        return found if below.digits.ndim > 2 else found[0]

    def read(self, found: Wide, node: int) -> Any:
        digits = found.digits[..., node]
        return sum((d.astype(np.int64).astype(object) << BITS * i for i, d in enumerate(digits)), start=0)


DIGITS = WideSums()


def _arrive(below: "_DigitSum", above: Digits, factor: Any, column: Places) -> None:
    """Add what goes over the edges of a value."""
    width = below.digits.shape[1]
    reached = None
    if 4 * len(column) < width:  # few of many: the others are not to be looked at
        reached, column = np.unique(column, return_inverse=True)
        width = len(reached)
    most = int(np.bincount(column).max())
    for place, digit in enumerate(above):
        sums = np.bincount(column, digit, width).astype(np.float64, copy=False)
        below.add(sums[None], factor, most, place, reached)


def _paired(above: Digits, below: NDArray[np.float64], column: Places, p: Any) -> list[int]:
    """By kind of ends, the sum over the edges of a value: what lies above, on and below each."""
    if not np.any(p):
        return [0] * len(below)
    if np.ndim(p):
        above, p = _times(above, p), 1
    found: list[Any] = [np.zeros((len(above), len(sums)), object) for sums in below]
    for part in _parts(len(column)):
        for total, sums in zip(found, below, strict=True):
            total += (above[:, part] @ sums[:, column[part]].T).astype(np.int64)
    return [int(p) * sum(int(n) << BITS * (i + j) for (i, j), n in np.ndenumerate(total)) for total in found]


class _DigitSum:
    """Numbers that are added up, their digits carried before any could pass what floats hold."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.digits = np.zeros(shape)
        self.full = [0] * len(self.digits)  # times the base: what no digit there passes

    def add(self, numbers: Digits, factor: Any, most: int = 1, place: int = 0, reached: Places | None = None) -> None:
        """Numbers, to be overwritten, whose digits are below `most` times the base, times a factor or one each.

        Their first digit has a place, and they are for all numbers here or for those `reached`.
        """
        split = list(_split(factor))
        if most * max((size for _, size in split), default=0) >= ROOM >> 1:
            numbers, most = _carried(numbers, len(numbers) + _digits(most)), 1
        for shift, (digit, size) in enumerate(split, place):
            last = shift == len(split) - 1 + place
            part = np.multiply(numbers, digit, out=numbers if last else None)
            kept = slice(shift, min(shift + len(part), len(self.full)))  # further ones are zero
            if max(self.full[kept], default=0) + most * size > ROOM:
                self.digits, self.full = self.carried(), [1] * len(self.full)
            here = self.digits[kept] if reached is None else self.digits[kept, reached]
            here += part[: kept.stop - kept.start]
            if reached is not None:
                self.digits[kept, reached] = here
            self.full[kept] = [full + most * size for full in self.full[kept]]

    def carried(self) -> Digits:
        return _carried(self.digits, len(self.digits))


def _times(numbers: Digits, factor: Any) -> Digits:
    found = _DigitSum((len(numbers) + _digits(int(np.max(factor))), *numbers.shape[1:]))
    found.add(numbers.copy(), factor)
    return found.carried()


def _split(factor: Any) -> Iterator[tuple[Any, int]]:
    """The digits of a whole number, or of an array of them, and the largest at each place."""
    rest = factor if np.ndim(factor) else int(factor)
    while np.any(rest):
        digit = rest & ((1 << BITS) - 1)
        yield np.asarray(digit, np.float64), int(np.max(digit))
        rest = rest >> BITS


def _carried(sums: Digits, digits: int) -> Digits:
    """The same numbers in so many digits, each below the base; in place where they are as many."""
    found = sums if digits == len(sums) else np.zeros((digits, *sums.shape[1:]))
    carry: Any = 0.0
    for i in range(digits):
        total = sums[i] + carry if i < len(sums) else carry
        carry = np.floor(total / BASE)
        found[i] = total - carry * BASE
    return found


def _parts(size: int) -> Iterator[slice]:
    """Numbers few enough for a sum of products of their digits, and for the cache."""
    return (slice(start, start + CHUNK) for start in range(0, size, CHUNK))


def _digits(bound: int) -> int:
    """How many digits numbers up to a bound need."""
    return max(-(-bound.bit_length() // BITS), 1)


def _largest(level: NDArray[Any], row: Row) -> int:
    """The largest sum of a row, and at least one."""
    if row is None:
        return int(level.shape[1])
    numbers = np.array([p or 0 for p in row], object) if isinstance(row, list | tuple) else row.astype(object)
    return max(int(np.max(numbers.sum(axis=-1))), 1)
