# SPDX-License-Identifier: Apache-2.0
"""How is a sum of independent weights distributed, if one attribute is left out?  For every one of them at once.

Weights are put on a grid, one of each attribute exactly, and what that may have moved a sum by is kept: `least` and `most`.
SumMasses of all attributes but one are made by halves: to go through one half, the other is added to what lies outside of
both. So an attribute is added log2(n) times, and log2(n) distributions are held at a time. All terms are positive or
zero, so floats lose nothing to cancellation: (b + 1) roundings for each attribute of b values, and those of a tail.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from oddly.runtime import poll, room

Floats = NDArray[np.float64]
Weight = tuple[Fraction, Fraction]
"""A weight lies between these two."""

BLOCK = 1 << 10  # numbers that are added up one after the other; a tail has so many roundings, and one per block
TRIES = 64  # steps that are tried for one on which the weights lie well
GUARD = 1 / 256  # of a step, by which all that is said of floats is widened


@dataclass(frozen=True)
class Grid:
    """Weights as whole steps from the first of their attribute, which is taken as it is."""

    step: Fraction
    first: tuple[Fraction, ...]
    """By attribute: the weight that is exact."""
    steps: tuple[tuple[int | None, ...], ...]
    """By attribute and value: None if its weight is infinite."""
    off: tuple[tuple[float, float], ...]
    """By attribute: the least and the most by which a true weight is more than its steps say, in steps."""

    @property
    def loss(self) -> float:
        """How far apart two sums may truly lie that are the same here, in steps."""
        return sum(most - least for least, most in self.off)


def grid(weights: Sequence[Sequence[Weight | None]], cells: int) -> Grid:
    """Weights on a grid of so many cells, or some more: of several steps, the one that loses least."""
    span = sum((_span(row) for row in weights), Fraction(0))
    if not span:
        return _on(weights, Fraction(1))
    usual = Fraction(float(span / cells)) or span / cells
    steps = [usual * (1 - Fraction(k, 4 * TRIES)) for k in range(TRIES)]
    rows = [np.array([float((w[0] - row[0][0]) / usual) for w in row]) for row in map(_finite, weights) if row]
    return _on(weights, min(steps, key=lambda step: _loss(rows, float(step / usual)) * step))


def _loss(rows: Sequence[Floats], step: float) -> float:
    """About how much such a step would lose, in steps."""
    off = [row / step - np.round(row / step) for row in rows]
    return float(sum(x.max() - x.min() for x in off))


def _on(weights: Sequence[Sequence[Weight | None]], step: Fraction) -> Grid:
    first, steps, off = [], [], []
    for row in weights:
        start = next((low for low, _ in filter(None, row)), Fraction(0))
        places = [None if w is None else round((w[0] - start) / step) for w in row]
        ends = [
            (nextafter(float((w[0] - start) / step - at), -1e9), nextafter(float((w[1] - start) / step - at), 1e9))
            for w, at in zip(row, places, strict=True)
            if w is not None and at is not None
        ]
        first.append(start)
        steps.append(tuple(places))
        off.append((min((low for low, _ in ends), default=0.0), max((high for _, high in ends), default=0.0)))
    return Grid(step, tuple(first), tuple(steps), tuple(off))


def _finite(row: Sequence[Weight | None]) -> list[Weight]:
    return [w for w in row if w is not None]


def _span(row: Sequence[Weight | None]) -> Fraction:
    finite = _finite(row)
    return max(high for _, high in finite) - min(low for low, _ in finite) if finite else Fraction(0)


@dataclass(frozen=True, eq=False)
class SumMasses:
    """How sums are distributed, under each of several products: what they weigh, step by step."""

    start: int
    """The steps of the first."""
    masses: Floats
    """By product and step."""

    def plus(self, steps: Sequence[int | None], chances: Floats) -> "SumMasses":
        """The same with another attribute added: its weights, and their probabilities by product and value."""
        places = sorted({at for at in steps if at is not None})
        if not places:
            return SumMasses(self.start, self.masses[:, :1] * 0)
        size = self.masses.shape[1]
        room(len(self.masses) * (size + places[-1] - places[0]) * 16)
        grown = np.zeros((len(self.masses), size + places[-1] - places[0]))
        for at in places:
            chance = chances[:, [v for v, place in enumerate(steps) if place == at]].sum(axis=1)
            if chance.any():
                grown[:, at - places[0] : at - places[0] + size] += chance[:, None] * self.masses
        return SumMasses(self.start + places[0], grown)

    def tails(self) -> "Tails":
        """How probable it is to reach each step."""
        products, size = self.masses.shape
        blocks = np.zeros((products, -(-size // BLOCK) or 1, BLOCK))
        blocks.reshape(products, -1)[:, :size] = self.masses[:, ::-1]
        within = np.cumsum(blocks, axis=2)
        within[:, 1:] += np.cumsum(within[:, :-1, -1], axis=1)[:, :, None]
        found = within.reshape(products, -1)[:, :size]
        return Tails(self.start, np.concatenate([found[:, ::-1], np.zeros((products, 1))], axis=1))


@dataclass(frozen=True, eq=False)
class Tails:
    """How probable it is that a sum reaches a step, under each of several products."""

    start: int
    masses: Floats
    """By product: of reaching the first step, the next, and so on; 0 at last."""

    def reach(self, steps: Floats, weights: Floats) -> Floats:
        """What reaches these steps, whole ones, with so much of each product."""
        at = np.clip(steps - self.start, 0, self.masses.shape[1] - 1).astype(np.intp)
        return np.asarray(weights @ self.masses[:, at])


def without_each(on: Grid, chances: Sequence[Floats], wanted: Iterable[int]) -> Iterator[tuple[int, SumMasses]]:
    """Each attribute that is wanted, and the sums of all others; `chances` are by attribute those of its values, product by
    product. Cost: O(values × cells) for each halving."""
    many, asked = len(chances), set(wanted)
    done = 0

    def added(sums: SumMasses, attributes: Iterable[int]) -> SumMasses:
        for i in attributes:
            poll("sums", done, many)
            sums = sums.plus(on.steps[i], chances[i])
        return sums

    def visit(low: int, high: int, outside: SumMasses) -> Iterator[tuple[int, SumMasses]]:
        nonlocal done
        if high - low == 1:
            yield low, outside
            done += 1
            return
        middle = (low + high) // 2
        for half, rest in ((range(low, middle), range(middle, high)), (range(middle, high), range(low, middle))):
            if asked.intersection(half):
                yield from visit(half.start, half.stop, added(outside, rest))

    yield from visit(0, many, SumMasses(0, np.ones((len(chances[0]), 1))))


def roundings(on: Grid) -> float:
    """The most by which a probability of `Tails` may be off, as a part of all: what rounding may do to sums of products."""
    cells = sum(max(filter(None, row), default=0) - min(filter(None, row), default=0) for row in on.steps)
    added = sum(len(row) + 3 for row in on.steps)
    return 4.0 * (added + BLOCK + cells / BLOCK + 64) * 2.0**-53
