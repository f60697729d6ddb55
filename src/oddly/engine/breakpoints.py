# SPDX-License-Identifier: Apache-2.0
"""Where the comparison of two classes turns: sorted lists of differences, one for each context of a depth."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.lowering import Step

Ints = NDArray[Any]

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


def grown(step: Step, pair: tuple[int, int], below: Breakpoints, sums: tuple[Ints, Ints]) -> Breakpoints:
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
