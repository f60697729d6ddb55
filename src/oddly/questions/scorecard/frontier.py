# SPDX-License-Identifier: Apache-2.0
"""Cards with points for the first attributes only, waiting to be continued: the most promising first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Some = slice | NDArray[np.intp]

MOST_HELD = 60_000_000  # numbers


@dataclass(frozen=True, eq=False)
class Begun:
    """Cards with points down to one depth, an axis each."""

    bounds: Floats
    """No card that continues one of them changes less."""
    chosen: NDArray[np.int64]
    """By card and depth, the row of points."""
    so_far: Floats
    """By card, points, and class and node: how probable the beginnings are."""

    @classmethod
    def joined(cls, several: Sequence["Begun"]) -> "Begun":
        """All of them, those with the least bounds first."""
        most = max(one.so_far.shape[1] for one in several)
        wide = [np.pad(one.so_far, ((0, 0), (0, most - one.so_far.shape[1]), (0, 0))) for one in several]
        bounds = np.concatenate([one.bounds for one in several])
        found = cls(bounds, np.concatenate([one.chosen for one in several]), np.concatenate(wide))
        return found.some(np.argsort(bounds, kind="stable"))

    def some(self, which: Some) -> "Begun":
        return Begun(self.bounds[which], self.chosen[which], self.so_far[which])

    @cached_property
    def bound(self) -> float:
        """Of all of them."""
        return float(self.bounds.min())

    @property
    def depth(self) -> int:
        return int(self.chosen.shape[1])

    @property
    def sums(self) -> int:
        return int(self.so_far.shape[1])


class Frontier:
    """What is still open. `room` says how many cards of a depth, and with so many sums, are continued together."""

    def __init__(self, depths: int, room: Callable[[int, int], int]) -> None:
        self.room = room
        self.by_depth: list[list[Begun]] = [[] for _ in range(depths + 1)]

    @property
    def bound(self) -> float:
        """No card that is open changes less."""
        return min((one.bound for several in self.by_depth for one in several), default=inf)

    def push(self, several: Sequence[Begun]) -> None:
        """Cards of one depth, in batches of nearly equal bounds."""
        cards = Begun.joined(several)
        size = self.room(cards.depth, cards.sums)
        for i in range(0, len(cards.bounds), size):
            self.by_depth[cards.depth].append(cards.some(np.arange(i, min(i + size, len(cards.bounds)))))

    def pop(self) -> Begun:
        """The cards with the least bounds, of one depth; where too much is held, of the furthest."""
        depth = self._next_depth()
        waiting = sorted(self.by_depth[depth], key=lambda one: one.bound)
        room = self.room(depth, max(one.sums for one in waiting))
        fit = sum(cards <= room for cards in accumulate(len(one.bounds) for one in waiting))
        self.by_depth[depth] = waiting[max(fit, 1) :]
        return Begun.joined(waiting[: max(fit, 1)])

    def _next_depth(self) -> int:
        open_ = [depth for depth, several in enumerate(self.by_depth) if several]
        if sum(one.so_far.size for several in self.by_depth for one in several) > MOST_HELD:
            return open_[-1]
        return min(open_, key=lambda depth: min(one.bound for one in self.by_depth[depth]))
