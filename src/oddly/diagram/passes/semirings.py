# SPDX-License-Identifier: Apache-2.0
"""What are paths worth?  A semiring adds where paths meet and multiplies along them; a sweep needs no more.

Sums of products count and weigh, least sums find the nearest instance, truth values say what can be reached: the
algebraic path problem (Lehmann, 1977) on a diagram, whose paths never return, so that one pass solves it. An edge has
a number per value, or one per node and value; it is left out where that is None, or the semiring's zero everywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Levels = Sequence[NDArray[Any]]
"""By depth, [nodes, values]: the places of the children among the nodes below."""
Numbers = NDArray[Any]
"""float64, int64, or Python's integers where those would not do."""
Ints = NDArray[Any]
"""64-bit integers, or Python's where those would not do."""
Row = Any
"""A number per value (None: it cannot be taken), an array [nodes, values], or None where every edge is worth one."""
Rows = Sequence[Row]
Weights = Sequence[Sequence[int | None]]
"""By attribute and value; None where the edge cannot be taken."""

FAR = 1 << 62  # no path: adding all weights, below 2^61 together, leaves it recognisable
FARTHER = 1 << 20_000  # the same where the weights are wide
BOUND = 1 << 62  # of whole numbers that 64 bits hold with room


def by_value(level: NDArray[Any], row: Row, one: Any) -> Iterator[tuple[NDArray[Any], Any]]:
    """The edges of a level value by value: their children, and their number or one for each."""
    numbers = [one] * level.shape[1] if row is None else row.T if isinstance(row, np.ndarray) else row
    return zip(level.T, numbers, strict=True)


class System(Protocol):
    """What a sweep asks of its numbers."""

    @property
    def one(self) -> Any:
        """Of the empty path."""

    def of(self, numbers: Any) -> Any:
        """Numbers to start from, nodes along the last axis."""

    def at(self, place: int, size: int) -> Any:
        """One at a place, and zero elsewhere."""

    def gather(self, below: Any, level: NDArray[Any], row: Row) -> Any:
        """For every node of a level, the sum over its edges of the edge's number times what is below it."""

    def scatter(self, above: Any, level: NDArray[Any], row: Row, width: int) -> Any:
        """For every node below a level, the sum over its edges of what is above times the edge's number."""

    def total(self, above: Any, column: NDArray[Any], number: Any, below: Any) -> Any:
        """The sum over the edges of one value: what is above, on and below each."""

    def read(self, found: Any, node: int) -> Any:
        """What one node has."""


@dataclass(frozen=True)
class Semiring:
    """Numbers in arrays. Cost of a step: a few operations per edge, all vectorised."""

    plus: np.ufunc
    times: np.ufunc
    zero: Any
    """Of no path."""
    one: Any
    """Of the empty path."""
    kind: Any

    def of(self, numbers: Any) -> Numbers:
        found = np.asarray(numbers)
        whole = self.kind == np.dtype(object) != found.dtype  # an object must be an integer, not a float or truth value
        return found.astype(np.int64 if whole else self.kind).astype(self.kind, copy=False)

    def at(self, place: int, size: int) -> Numbers:
        found = np.full(size, self.zero, self.kind)
        found[place] = self.one
        return found

    def gather(self, below: Numbers, level: NDArray[Any], row: Row) -> Numbers:
        above = np.full((*below.shape[:-1], len(level)), self.zero, self.kind)
        for _, column, number in self.edges(level, row):
            self.plus(above, self.along(below.take(column, axis=-1), number), out=above)
        return above

    def scatter(self, above: Numbers, level: NDArray[Any], row: Row, width: int) -> Numbers:
        below = np.full(width, self.zero, self.kind)
        for _, column, number in self.edges(level, row):
            self.plus.at(below, column, self.along(above, number))
        return below

    def total(self, above: Numbers, column: NDArray[Any], number: Any, below: Numbers) -> Any:
        if number is None:
            return np.full(below.shape[:-1], self.zero, self.kind)
        if self.zero:  # twice as far as nowhere is out of bounds
            met = self.reached(above)
            above, column, number = above[met], column[met], number[met] if np.ndim(number) else number
        every = self.times(below.take(column, axis=-1), self.along(above, number))
        return self.plus.reduce(every, axis=-1, initial=self.zero)

    def read(self, found: Numbers, node: int) -> Any:
        return found[..., node]

    def edges(self, level: NDArray[Any], row: Row) -> Iterator[tuple[int, NDArray[Any], Any]]:
        """The edges that can be taken, value by value: (value, children, number)."""
        for value, (column, number) in enumerate(by_value(level, row, self.one)):
            if number is not None and (
                (number != self.zero).any() if isinstance(number, np.ndarray) else number != self.zero
            ):
                yield value, column, number

    def along(self, numbers: Numbers, number: Any) -> Numbers:
        """Numbers, each one edge further."""
        same = not isinstance(number, np.ndarray) and number == self.one
        return numbers if same else np.asarray(self.times(numbers, number))

    def reached(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Where there is a path at all."""
        if self.zero == 0:
            return np.asarray(numbers != 0, bool)
        most = abs(self.zero)
        return np.asarray(abs(numbers) < (most if most == inf else most // 2), bool)

    def over(self, kind: Any) -> "Semiring":
        """The same over another kind of numbers."""
        if self.zero == 0:
            return replace(self, kind=kind)
        far = FARTHER if kind == np.dtype(object) else FAR if np.dtype(kind).kind == "i" else inf
        return replace(self, kind=kind, zero=far if self.zero > 0 else -far)

    def holding(self, most: int) -> "Semiring":
        """The same in 64 bits where all numbers stay below such a bound and it fits, and in Python's integers otherwise."""
        return self.over(np.int64 if most < BOUND else object)


WHOLES = Semiring(np.add, np.multiply, 0, 1, np.int64)
"""Sums of products of whole numbers that stay below 2^63: counts, if all edges are worth one."""
FLOATS = WHOLES.over(np.float64)
MAX_TIMES = Semiring(np.maximum, np.multiply, 0, 1, np.int64)
"""The largest product of numbers from zero on."""
MIN_PLUS = Semiring(np.minimum, np.add, FAR, 0, np.int64)
"""The least sum: shortest paths."""
MAX_PLUS = Semiring(np.maximum, np.add, -FAR, 0, np.int64)
SOME = Semiring(np.maximum, np.minimum, 0, 1, np.uint8)
"""Whether there is a path, as 0 or 1: NumPy scatters bytes faster than truth values."""


def least_for(weights: Weights) -> Semiring:
    """Least sums in 64 bits where all weights together fit with room, and in Python's integers otherwise."""
    most = sum(max((abs(w) for w in ws if w is not None), default=0) for ws in weights)
    return MIN_PLUS.holding(2 * most)
