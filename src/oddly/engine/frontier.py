# SPDX-License-Identifier: Apache-2.0
"""Families become a diagram: the two-ended algorithm with contexts for attributes tied together, and many classes.

A prefix is a *state*: a context (the frontier's values, see `oddly.lowering.steps`), the classes that can still win,
and their sums. From the top, distinct states grow level by level. From the bottom grow, for every context and
every two classes, the breakpoints of the difference of their sums: the negated differences of all that can follow.
Two differences with no breakpoint between them compare alike after every suffix, so a state's context, classes
and *places* among the breakpoints determine all it decides; below the level where both ends meet, states with equal
ones are one. That tells apart a little too much, comparisons of two classes of which neither wins, so equal rows
become one node in the end, from the bottom up. The same in C++ stands below.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.diagram.canonical import canonical
from oddly.diagram.together import as_bytes
from oddly.engine.breakpoints import Breakpoints, Ints, Reach, grown, nothing_follows
from oddly.engine.two_ended import Built, Level, too_long
from oddly.lowering import Families, check_contexts, distinct
from oddly.lowering.distinct import met
from oddly.runtime import Watch

BYTES = 24  # that a number may take by the time its level is done


@dataclass(frozen=True, eq=False)
class States:
    """The undecided prefixes of a depth."""

    context: NDArray[np.int64]
    live: NDArray[np.bool_]
    """[states, classes]: which classes can still win."""
    sums: Ints
    """[states, classes]: relative to the first live class; 0 where not live."""

    def __len__(self) -> int:
        return len(self.context)

    def __getitem__(self, at: NDArray[Any]) -> "States":
        return States(self.context[at], self.live[at], self.sums[at])


def build(families: Families, watch: Watch) -> Built:
    """The levels of the diagram, one node per function, and its root."""
    growth = Growth(families, watch)
    levels, root = growth.levels()
    del growth
    one_each, root = canonical(levels, root, len(families.labels), [None] * len(levels))
    found = _as_read(one_each) if levels else []
    for level in found:
        watch.nodes(len(level))
    return found, root


class Growth:
    """States from the top and breakpoints from the bottom. A row of a level: a label, or a state below them."""

    def __init__(self, families: Families, watch: Watch) -> None:
        self.families, self.watch = families, watch
        check_contexts(families, watch.max_memory)
        self.steps = families.steps
        self.labels = len(families.labels)
        self.reach = Reach(families)
        self.pairs: list[tuple[int, int]] = []
        self.entries = 0

    def levels(self) -> tuple[list[Ints], int]:
        """The rows of every depth's labels and states, and the root's place among them."""
        states, root = self._root()
        if not self.steps:
            return [], int(root)
        able = [c for c in self.families.order if states.live[:, c].any()]  # no other class ever wins
        self.pairs = list(combinations(able, 2))
        rows: list[Ints] = []
        breaks = self._last()
        while len(rows) + len(breaks) < len(self.steps):
            above, below = len(rows), len(self.steps) - len(breaks)
            wider = len(states) * self.steps[above].weights[0].size
            longer = self._length(below, breaks[-1])
            self._tell(above + len(breaks) - 1, wider + longer)
            if wider <= longer:
                states, row = self.descend(above, states)
                rows.append(row)
                self.entries += row.size
            else:
                breaks.append(self._ascend(below, breaks[-1]))
                self.entries += sum(len(b) for b in breaks[-1])
        for depth in range(len(rows), len(self.steps)):
            self._tell(len(self.steps), len(states) * self.steps[depth].weights[0].size)
            states, row = self.descend(depth, states, breaks.pop())
            rows.append(row)
            self.entries += row.size
        return rows, int(root)

    def _tell(self, grown: int, more: int) -> None:
        self.watch.lists(grown, BYTES * (self.entries + more), self.entries)

    # ---- from the top ----

    def _root(self) -> tuple[States, int]:
        prior = self.families.prior
        first = States(np.zeros(1, np.int64), prior.alive[None], prior.weights[None])
        states, which = self._settled(0, first)
        return states, int(which[0])

    def descend(self, depth: int, states: States, breaks: list[Breakpoints] | None = None) -> tuple[States, Ints]:
        """The states one attribute on, and the rows of this depth's labels and states."""
        step = self.steps[depth]
        context, values = step.following[states.context], step.following.shape[1]
        live = states.live[:, None, :] & step.alive[states.context]
        sums = states.sums[:, None, :] + step.weights[states.context]
        classes = self.families.classes
        children = States(context.reshape(-1), live.reshape(-1, classes), sums.reshape(-1, classes))
        below, which = self._settled(depth + 1, children, breaks)
        constants = np.repeat(np.arange(self.labels)[:, None], values, axis=1)
        return below, np.concatenate([constants, which.reshape(-1, values)])

    def _settled(self, depth: int, states: States, breaks: list[Breakpoints] | None = None) -> tuple[States, Ints]:
        """The distinct undecided states, and for each state its label, or its place behind the labels.

        Distinct by what they decide where breakpoints are known, else by their sums.
        """
        live = self.reach.can_win(depth, states.context, states.live, states.sums)
        which = self.reach.label(depth, states.context, live)
        open_ = np.flatnonzero(which < 0)
        left = _relative(states.context[open_], live[open_], states.sums[open_])
        numbers = (left.context, *left.sums.T) if breaks is None else self._places(left, breaks)
        first, same = distinct([*_words(left.live), *numbers])
        which[open_] = self.labels + same
        return left[first], which

    # ---- from the bottom ----

    def _last(self) -> list[list[Breakpoints]]:
        return [[nothing_follows(self.families.kind) for _ in self.pairs]]

    def _length(self, depth: int, below: list[Breakpoints]) -> int:
        following = self.steps[depth].following
        return sum(int(b.lengths[following].sum()) for b in below)

    def _ascend(self, depth: int, below: list[Breakpoints]) -> list[Breakpoints]:
        step = self.steps[depth]
        return [grown(step, pair, b, self.reach.sums(depth, *pair)) for pair, b in zip(self.pairs, below, strict=True)]

    def _places(self, states: States, breaks: list[Breakpoints]) -> Iterator[NDArray[np.int64]]:
        """For every two classes a number that says the context and, if both can win, the place in its breakpoints."""
        if not self.pairs:
            yield states.context
        for (i, j), b in zip(self.pairs, breaks, strict=True):
            both = np.flatnonzero(states.live[:, i] & states.live[:, j])
            key = len(b) + len(b.lengths) + states.context
            context = states.context[both]
            place = b.place(context, states.sums[both, i] - states.sums[both, j])
            key[both] = b.starts[context] + context + place
            yield key


def _as_read(levels: Sequence[Level]) -> list[Level]:
    """The nodes numbered as the edges from above first reach them, whatever order built them."""
    found, rows = list[Level](), levels[0]
    for below in levels[1:]:
        order, rank = met(rows.reshape(-1), len(below))
        found.append(rank[rows].astype(np.uint32))
        rows = below[order]
    return [*found, rows]


def _relative(context: NDArray[np.int64], live: NDArray[np.bool_], sums: Ints) -> States:
    """Sums relative to that of the first live class: only differences matter."""
    if not len(context):
        return States(context, live, sums)
    base = np.take_along_axis(sums, np.argmax(live, axis=1)[:, None], axis=1)
    return States(context, live, np.where(live, sums - base, 0))


def _words(live: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The live classes as columns of whole numbers, 32 classes in each."""
    columns = (live[:, at : at + 32] for at in range(0, live.shape[1], 32))
    return [some @ (1 << np.arange(some.shape[1], dtype=np.int64)) for some in columns]


# ---- the same in C++ ----


def native_build(families: Families, watch: Watch) -> Built:
    """As `build`, in C++, for families that fit."""
    with too_long():
        rows, root = _NativeGrowth(families, watch).levels()
        levels = native.kernels.finish(rows, len(families.labels), root) if rows else []
    for level in levels:
        watch.nodes(len(level))
    return levels, 0 if rows else root


class _NativeGrowth(Growth):
    """Every state by itself, found again through a table; breakpoints are grown as ever."""

    def descend(self, depth: int, states: States, breaks: list[Breakpoints] | None = None) -> tuple[States, Ints]:
        step, reach = self.steps[depth], self.reach
        known = states.context, as_bytes(states.live), np.ascontiguousarray(states.sums)
        bounds = reach.least[depth + 1], as_bytes(reach.lasting[depth + 1]), reach.strict.astype(np.uint8)
        labels = np.array(self.families.labels_of), self.families.fallback, self.labels
        by_pair = None
        if breaks is not None:
            by_pair = [(i, j, b.numbers, b.starts) for (i, j), b in zip(self.pairs, breaks, strict=True)]
        context, live, sums, rows = native.kernels.descend(*known, *step.arrays, *bounds, *labels, by_pair)
        return States(context, live.view(bool), sums), rows
