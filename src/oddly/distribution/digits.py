# SPDX-License-Identifier: Apache-2.0
"""Exact passes over a diagram for whole numbers of any size, at about the speed of floats.

A number is a column of digits of 20 bits, least first, and an array of numbers is [digits, numbers] in float64: that
holds the product of two digits, and the sum of 2^13 such products, without rounding. Adding and multiplying are then
vectorised, with a sweep of carries where sums could pass 2^53, and the sum of many products of two numbers is a product
of matrices. How many digits a depth needs is known beforehand: no sum of paths passes the product of the largest row
sums on the way.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD

Digits = NDArray[np.float64]
"""[digits, numbers], the least digit first."""
Places = NDArray[np.intp]
Rows = Sequence[NDArray[Any]]
"""By depth: a whole number per value, or per node and value."""

BITS = 20
BASE = float(1 << BITS)
ROOM = 1 << 53 - BITS  # digits that can be added without rounding
CHUNK = ROOM >> BITS  # products of two digits that can


def sink_sums(odd: ODD, rows: Rows) -> list[int]:
    """For each label, the sum over all paths to it of the product of the numbers on their edges."""
    (found,) = deque(downward(odd, rows), maxlen=1)
    return _numbers(found)


def edge_sums(odd: ODD, rows: Rows) -> list[list[list[int]]]:
    """By depth, value and label: the same over the paths that take the value."""
    whole = _wholes(rows)
    below = [list(upward(odd, label, rows))[-2::-1] for label in range(len(odd.labels) - (whole is not None))]
    found = []
    for depth, (above, level, row) in enumerate(zip(downward(odd, rows), odd.levels, rows, strict=False)):
        values = zip(_columns(level), row.T, strict=True)
        found.append([_paired(above, [sums[depth] for sums in below], column, p) for column, p in values])
    if whole is not None:
        found = [
            [[*sums, total - sum(sums)] for sums, total in zip(by_value, totals, strict=True)]
            for by_value, totals in zip(found, whole, strict=True)
        ]
    return found


def _wholes(rows: Rows) -> list[list[int]] | None:
    """By depth and value, the sum over all paths that take the value: the last label has what the others leave.

    None where the numbers depend on more than the value.
    """
    if any(row.ndim > 1 for row in rows):
        return None
    sums = [sum(map(int, row)) for row in rows]
    return [[int(p) * prod(sums[:i] + sums[i + 1 :]) for p in row] for i, row in enumerate(rows)]


def downward(odd: ODD, rows: Rows) -> Iterator[Digits]:
    """From the root to the sinks: for every node of a depth, the sum over the paths that reach it."""
    found = np.zeros((1, odd.widths[0]))
    found[0, odd.root] = 1
    yield found
    bound = 1
    for level, row, width in zip(odd.levels, rows, odd.widths[1:], strict=True):
        bound *= _largest(row)
        below = _Sum(_digits(bound), width)
        for column, p in zip(_columns(level), row.T, strict=True):
            if np.any(p):
                above, factor = (found, p) if np.ndim(p) == 0 else (_times(found, p), 1)
                _arrive(below, above, factor, column)
        found = below.carried()
        yield found


def _arrive(below: "_Sum", above: Digits, factor: Any, column: Places) -> None:
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


def upward(odd: ODD, label: int, rows: Rows) -> Iterator[Digits]:
    """From the sinks to the root: for every node of a depth, the sum over its paths to a label."""
    found = np.zeros((1, len(odd.labels)))
    found[0, label] = 1
    yield found
    bound = 1
    for level, row in zip(reversed(odd.levels), reversed(rows), strict=True):
        bound *= _largest(row)
        above = np.empty((_digits(bound), len(level)))
        columns = _columns(level)
        for part in _parts(len(level)):
            sums = _Sum(len(above), len(level[part]))
            for column, p in zip(columns, row.T, strict=True):
                sums.add(found[:, column[part]], p[part] if np.ndim(p) else p)
            above[:, part] = sums.carried()
        found = above
        yield found


def _paired(above: Digits, below: Sequence[Digits], column: Places, p: Any) -> list[int]:
    """By label, the sum over the edges of a value: what lies above, on and below each."""
    if not np.any(p):
        return [0] * len(below)
    if np.ndim(p):
        above, p = _times(above, p), 1
    found: list[Any] = [np.zeros((len(above), len(sums)), object) for sums in below]
    for part in _parts(len(column)):
        for total, sums in zip(found, below, strict=True):
            total += (above[:, part] @ sums[:, column[part]].T).astype(np.int64)
    return [int(p) * sum(int(n) << BITS * (i + j) for (i, j), n in np.ndenumerate(total)) for total in found]


class _Sum:
    """Numbers that are added up, their digits carried before any could pass what floats hold."""

    def __init__(self, digits: int, width: int) -> None:
        self.digits = np.zeros((digits, width))
        self.full = [0] * digits  # times the base: what no digit there passes

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
    found = _Sum(len(numbers) + _digits(int(np.max(factor))), numbers.shape[1])
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
    """The same numbers in so many digits, each below the base."""
    found = np.zeros((digits, sums.shape[1]))
    carry: Any = 0.0
    for i in range(digits):
        total = sums[i] + carry if i < len(sums) else carry
        carry = np.floor(total / BASE)
        found[i] = total - carry * BASE
    return found


def _columns(level: NDArray[np.uint32]) -> list[Places]:
    """The children by value, each next to its neighbours in memory."""
    return [column.astype(np.intp) for column in level.T]


def _parts(size: int) -> Iterator[slice]:
    """Numbers few enough for a sum of products of their digits, and for the cache."""
    return (slice(start, start + CHUNK) for start in range(0, size, CHUNK))


def _digits(bound: int) -> int:
    """How many digits numbers up to a bound need."""
    return max(-(-bound.bit_length() // BITS), 1)


def _largest(row: NDArray[Any]) -> int:
    """The largest sum of a row, and at least one."""
    return max(int(np.max(row.astype(object).sum(axis=-1))), 1)


def _numbers(digits: Digits) -> list[int]:
    return [sum(int(d) << BITS * i for i, d in enumerate(column)) for column in digits.T]
