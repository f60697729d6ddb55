# SPDX-License-Identifier: Apache-2.0
"""Where the comparison of two classes turns, and how far it can be moved, for every context of a depth.

Breakpoints are sorted lists of differences. What follows, and what went before, bounds the differences that can occur.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.lowering import AttributeStep, Families

Ints = NDArray[Any]

CACHED = 1 << 16  # numbers that are worked on at a time
FEW = 256  # contexts that are gone through one by one; more have short lists, and are done side by side


@dataclass(frozen=True, eq=False)
class Breakpoints:
    """The breakpoints of all contexts of a depth, for one pair of classes."""

    numbers: Ints
    """Distinct and ascending within each context."""
    starts: NDArray[np.int64]
    """Where those of each context begin, and where the last one's end."""

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many breakpoints each context has."""
        return np.diff(self.starts)

    def place(self, context: NDArray[np.int64], differences: Ints) -> NDArray[np.int64]:
        """How many breakpoints of its context are at most each difference: equal for two iff none stands between."""
        contexts = len(self.lengths)
        if contexts == 1:
            return np.searchsorted(self.numbers, differences, side="right")
        if contexts > FEW:
            return self._bisected(context, differences)
        found = np.empty(len(context), np.int64)
        by_context = np.argsort(context.astype(np.uint16), kind="stable")
        ends = np.searchsorted(context[by_context], np.arange(contexts + 1))
        for c in range(contexts):
            at = by_context[ends[c] : ends[c + 1]]
            inside = self.numbers[self.starts[c] : self.starts[c + 1]]
            found[at] = np.searchsorted(inside, differences[at], side="right")
        return found

    def _bisected(self, context: NDArray[np.int64], differences: Ints) -> NDArray[np.int64]:
        low, high = self.starts[context], self.starts[context + 1]
        for _ in range(int(self.lengths.max(initial=0)).bit_length()):
            middle = (low + high) // 2
            open_ = low < high
            up = open_ & np.asarray(self.numbers[np.where(open_, middle, 0)] <= differences, bool)
            low, high = np.where(up, middle + 1, low), np.where(open_ & ~up, middle, high)
        return low - self.starts[context]


def nothing_follows(kind: Any) -> Breakpoints:
    """After the last attribute a difference is held against zero."""
    return Breakpoints(np.zeros(1, kind), np.arange(2))


def grown(step: AttributeStep, pair: tuple[int, int], below: Breakpoints, sums: tuple[Ints, Ints]) -> Breakpoints:
    """The breakpoints one attribute up, of those that some prefix can meet: low < t <= high in its context."""
    i, j = pair
    contexts, values = step.following.shape
    possible = step.alive[..., i] & step.alive[..., j]
    counts = np.where(possible, below.lengths[step.following], 0).reshape(-1)
    shift = (step.weights[..., i] - step.weights[..., j]).reshape(-1)
    before = np.cumsum(counts) - counts
    taken = np.arange(int(counts.sum())) + np.repeat(below.starts[step.following].reshape(-1) - before, counts)
    context = np.repeat(np.repeat(np.arange(contexts), values), counts)
    moved = below.numbers[taken] - np.repeat(shift, counts)
    low, high = sums
    kept = np.asarray((low[context] < moved) & (moved <= high[context]), bool)
    return _distinct(moved[kept], context[kept], contexts)


def _distinct(numbers: Ints, context: NDArray[np.int64], contexts: int) -> Breakpoints:
    """The distinct numbers of each context, ascending; contexts are given in order."""
    starts = np.searchsorted(context, np.arange(contexts + 1))
    if contexts <= FEW:
        for c in range(contexts):
            numbers[starts[c] : starts[c + 1]].sort(kind="stable")  # a few ascending runs
    else:
        numbers = numbers[np.lexsort((numbers, context))]
    new = np.append(True, (numbers[1:] != numbers[:-1]) | (context[1:] != context[:-1]))[: len(numbers)]
    return Breakpoints(numbers[new], np.append(0, np.cumsum(new))[starts])


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

    def _next_sums(self, step: AttributeStep, below: int, i: int, j: int, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        least, most = np.full(below, self.far, self.families.kind), np.full(below, -self.far, self.families.kind)
        w = step.weights[..., i] - step.weights[..., j]
        taken = step.alive[..., i] & step.alive[..., j] & np.asarray(low <= high, bool)[:, None]
        np.minimum.at(least, step.following[taken], (low[:, None] + w)[taken])
        np.maximum.at(most, step.following[taken], (high[:, None] + w)[taken])
        return least, most
