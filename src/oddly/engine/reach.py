# SPDX-License-Identifier: Apache-2.0
"""How far what follows, and what went before, can move two classes against each other, for every context."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.lowering import Families, Step

Ints = NDArray[Any]

CACHED = 1 << 16  # numbers that are worked on at a time


class Reach:
    """Bounds that tell which classes can still win, and which differences can occur."""

    def __init__(self, families: Families) -> None:
        self.families = families
        self.far = 1 << 61 if families.kind == np.int64 else 1 << (families.bits + 8)
        order = families.order.index
        classes = range(families.classes)
        self.strict = np.array([[int(order(i) > order(j)) for j in classes] for i in classes])
        self.least = self._least()
        self.lasting = self._lasting()
        self.sums = cache(self._sums)
        self._met: dict[tuple[int, int], list[tuple[Ints, Ints]]] = {}

    def can_win(self, depth: int, context: NDArray[np.int64], live: NDArray[np.bool_], sums: Ints) -> NDArray[np.bool_]:
        """Without the classes that another one, possible whenever they are, beats after every suffix."""
        left = live.copy()
        least = self.least[depth]
        for i in range(self.families.classes):  # against all others at once, unless that is more than a cache holds
            at = np.flatnonzero(live[:, i])
            for rows in np.array_split(at, len(at) * self.families.classes // CACHED + 1):
                lead = sums[rows, i, None] - sums[rows] + least[context[rows], i]
                beaten = np.asarray(lead >= self.strict[i], bool) & live[rows]
                beaten[:, i] = False
                left[rows] &= ~beaten
        return left

    def label(self, depth: int, context: NDArray[np.int64], live: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The label of what is decided; -1 where it is not."""
        families = self.families
        found = np.full(len(context), -1, np.int64)
        found[~live.any(axis=1)] = families.fallback
        alone = live.sum(axis=1) == 1
        for c, label in enumerate(families.labels_of):
            safe = np.ones(len(context), bool) if label == families.fallback else self.lasting[depth][context, c]
            found[alone & live[:, c] & safe] = label
        return found

    def _least(self) -> list[Ints]:
        """[contexts, i, j]: the least that i gains on j in what follows and leaves j possible.

        −far where i can be ruled out and j not; far where j cannot stay possible.
        """
        classes, far = self.families.classes, self.far
        found = [np.zeros((1, classes, classes), self.families.kind)]
        for step in reversed(self.families.steps):
            best = np.full((step.contexts, classes, classes), far, self.families.kind)
            for value in range(step.following.shape[1]):
                below = found[-1][step.following[:, value]]
                w, alive = step.weights[:, value], step.alive[:, value]
                moved = np.where(abs(below) == far, below, below + w[:, :, None] - w[:, None, :])
                moved = np.where(alive[:, :, None] | (below == far), moved, -far)
                best = np.where(alive[:, None, :], np.minimum(best, moved), best)
            found.append(best)
        return found[::-1]

    def _lasting(self) -> list[NDArray[np.bool_]]:
        """[contexts, classes]: whether nothing that follows can rule the class out."""
        found = [np.ones((1, self.families.classes), bool)]
        for step in reversed(self.families.steps):
            found.append(np.asarray((step.alive & found[-1][step.following]).all(axis=1)))
        return found[::-1]

    def _sums(self, depth: int, i: int, j: int) -> tuple[Ints, Ints]:
        """For every context of a depth, the least and the greatest difference of the two classes' sums there."""
        if (i, j) not in self._met:
            self._met[i, j] = self._all_sums(i, j)
        return self._met[i, j][depth]

    def _all_sums(self, i: int, j: int) -> list[tuple[Ints, Ints]]:
        prior, kind = self.families.prior, self.families.kind
        possible = bool(prior.alive[i] and prior.alive[j])
        start = np.array([prior.weights[i] - prior.weights[j]], kind)
        none = np.array([self.far], kind)
        found = [(start, start) if possible else (none, -none)]
        steps = self.families.steps
        for step, below in zip(steps, [*(s.contexts for s in steps[1:]), 1], strict=True):
            found.append(self._next_sums(step, below, i, j, *found[-1]))
        return found

    def _next_sums(self, step: Step, below: int, i: int, j: int, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        least, most = np.full(below, self.far, self.families.kind), np.full(below, -self.far, self.families.kind)
        w = step.weights[..., i] - step.weights[..., j]
        taken = step.alive[..., i] & step.alive[..., j] & np.asarray(low <= high, bool)[:, None]
        np.minimum.at(least, step.following[taken], (low[:, None] + w)[taken])
        np.maximum.at(most, step.following[taken], (high[:, None] + w)[taken])
        return least, most
