# SPDX-License-Identifier: Apache-2.0
"""What share of all cases has a certain value and lies within a distance of the threshold?  Between two bounds, at any distance.

Shares are known at some distances, the knots. Between two of those a share is at least what it is at the nearer one, and at
most what it is at the further one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oddly.distribution.tails import GUARD, Tails

Floats = NDArray[np.float64]

SURE = 1e-9  # of a distance or a share: more than all roundings on the way to it
TINY = 1e-14  # a share: more than what is lost where one is taken from another


@dataclass(frozen=True, eq=False)
class Windows:
    """By value of one attribute: shares at the knots, on one side of the threshold."""

    knots: Floats
    """Distances in steps of a grid, ascending."""
    least: Floats
    most: Floats
    """By value and knot."""
    every: Floats
    """By value: at any distance."""

    @cached_property
    def together(self) -> "Windows":
        """Those of all values, as if they were one."""
        least, most = (found.sum(axis=0, keepdims=True) for found in (self.least, self.most))
        return Windows(self.knots, least, most, self.every.sum(keepdims=True))

    def bounds(self, value: int, distance: float) -> tuple[float, float]:
        """At least and at most, of one value."""
        if distance <= 0:
            return 0.0, 0.0
        below = int(np.searchsorted(self.knots, distance * (1 + SURE), "right")) - 1
        above = int(np.searchsorted(self.knots, distance * (1 - SURE), "left"))
        least = 0.0 if below < 0 else float(self.least[value, below])
        return least, float(self.every[value] if above == len(self.knots) else self.most[value, above])

    def bounds_of(self, values: Sequence[int], distance: float) -> tuple[float, float]:
        """Of several values: of one, of all, or of all but one."""
        if len(values) == 1:
            return self.bounds(values[0], distance)
        least, most = self.together.bounds(0, distance)
        if len(values) == len(self.every):
            return least, most
        (missing,) = set(range(len(self.every))).difference(values)
        own = self.bounds(missing, distance)
        return max(least - own[0] - TINY, 0.0), most - own[1] + TINY


@dataclass(frozen=True, eq=False)
class Nowhere:
    """The same of a value that is ruled out now: its sums come from −∞, or from +∞."""

    far: float
    """Steps from the threshold from where on all sums are on one side of it."""
    up: Windows
    down: Windows

    def bounds(self, steps: float, rises: bool) -> tuple[float, float]:
        """What is past the threshold once the rest of the sums is moved to so many steps."""
        window, distance = (self.up, self.far + steps) if rises else (self.down, self.far - steps)
        return window.bounds(0, max(distance, self.far * SURE))


@dataclass(frozen=True, eq=False)
class CellTails:
    """How the sums of the instances that have a value are distributed, but for its own weight."""

    tails: Tails
    share: Floats
    """Of each product, with the value."""
    least: float
    most: float
    """By how much true sums are more than their steps, with all other attributes."""
    slack: float
    """Of a share, what roundings may be."""

    def _above(self, margins: Floats, at: Floats | float, off: float) -> Floats:
        """What share has a margin of at least this, if a margin is `at`, the steps, and `off`."""
        return self.tails.reach(np.ceil(margins - at - off), self.share)

    @property
    def everything(self) -> float:
        return float(self.share @ self.tails.masses[:, 0])

    def around(self, knots: Floats, at: float, wider: float, positive: float) -> list[tuple[Floats, Floats, float]]:
        """Of a value whose weight puts margins there: what the `positive` ones lose if sums fall, and others if they rise."""
        far, near = knots * (1 + 2 * SURE) + GUARD, knots * (1 - 2 * SURE) - GUARD
        off = abs(at) * 2.0**-50 + GUARD
        most, least = self.most + wider + off, self.least - off
        slack = self.slack * max(self.everything, positive)
        falls = _growing(
            positive - self._above(near, at, most) - slack,
            positive - self._above(far + GUARD, at, least) + slack,
            positive * (1 + SURE),
        )
        rises = _growing(
            self._above(GUARD - near, at, least) - positive - slack,
            self._above(-far, at, most) - positive + slack,
            max(self.everything - positive, 0.0) + slack,
        )
        return [falls, rises]

    def from_nowhere(self, many: int, start: float) -> Nowhere:
        """Of a value that is ruled out now; all other weights put margins there."""
        low, high = self.tails.start + start, self.tails.start + start + self.tails.masses.shape[1]
        far = float(max(abs(low), abs(high)) + abs(self.least) + abs(self.most) + 4)
        knots = np.linspace(0, 2 * far, many + 1)[1:]
        slack, sure = self.slack * self.everything, np.full(many, 2 * far * SURE + 2 * GUARD)
        up, down = start + knots - far, start + far - knots
        every = self.everything + slack
        rises = _growing(self._above(sure, up, self.least) - slack, self._above(-sure, up, self.most) + slack, every)
        falls = _growing(
            self.everything - self._above(-sure, down, self.most) - slack,
            self.everything - self._above(sure, down, self.least) + slack,
            every,
        )
        return Nowhere(
            far, *(Windows(knots, least[None], most[None], np.array([e])) for least, most, e in (rises, falls))
        )


def _growing(least: Floats, most: Floats, every: float) -> tuple[Floats, Floats, float]:
    """Shares only grow with the distance, whatever rounding says."""
    most = np.minimum.accumulate(np.clip(most, 0.0, every)[::-1])[::-1]
    return np.maximum.accumulate(np.clip(least, 0.0, most)), most, every
