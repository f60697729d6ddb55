# SPDX-License-Identifier: Apache-2.0
"""Which instance of one class is nearest to becoming another, among those that share some values?

As in `closest`, an instance that has certain values is a path over certain edges, so that the least lead is, over
those edges, the least sum above plus the edge plus the least sum below. Here edges leave *states*, nodes with their
contexts (see `oddly.diagram.together`), and a context says the values of the attributes that belong together.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes import Ints
from oddly.diagram.together import Leads, Meeting
from oddly.lowering import Families, frontiers

Codes = NDArray[np.intp]


class Nearest:
    """The nearest instances of a class to becoming another, by the values of any scope that contexts keep apart."""

    def __init__(self, meetings: Sequence[Meeting], families: Families, winner: int, other: int) -> None:
        self.meetings, self.families = meetings, families
        self.leads = Leads(meetings, families, winner, other)
        self.arities = [len(v.values) for v in families.variables]
        self.fronts = frontiers(families.scopes, len(self.arities))
        self.before = self._before()

    def instances(self, scope: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """For each combination of the scope's values, by its place, the nearest instance; left out if there is none."""
        if not self.arities:
            return {} if self.leads.least is None else {0: ()}
        depth = scope[-1] if scope else 0
        meeting = self.meetings[depth]
        totals = (self.before[depth][:, None] + self._way(depth)).reshape(-1)
        combination = self._combination(scope, depth, meeting).reshape(-1)
        near = np.flatnonzero(np.asarray(totals < self.leads.far // 2, bool))
        by_total = near[np.argsort(totals[near], kind="stable")]
        best = np.full(prod(self.arities[a] for a in scope), -1)
        best[combination[by_total[::-1]]] = by_total[::-1]  # of several, the least is written last
        found = np.flatnonzero(best >= 0)
        codes = self._paths(depth, *np.divmod(best[found], self.arities[depth]))
        return dict(zip(found.tolist(), map(tuple, codes.tolist()), strict=True))

    def _way(self, depth: int) -> Ints:
        """[states, values]: the least sum from a state over an edge to the end."""
        way: Ints = self.leads.costs(depth) + self.leads.nearest[depth + 1][self.meetings[depth].children]
        return way

    def _combination(self, scope: tuple[int, ...], depth: int, meeting: Meeting) -> NDArray[np.int64]:
        """[states, values]: the place of the scope's values among their combinations."""
        front = self.fronts[depth]
        context = np.unravel_index(meeting.context, [self.arities[a] for a in front]) if front else ()
        value = dict(zip(front, (c[:, None] for c in context), strict=True))
        value[depth] = np.arange(self.arities[depth])[None, :]
        found = np.zeros((len(meeting), self.arities[depth]), np.int64)
        for a in scope:
            found = found * self.arities[a] + value[a]
        return found

    def _before(self) -> list[Ints]:
        """For every state the least sum on a path from the root."""
        found: list[Ints] = [np.zeros(1, self.families.kind)]
        for depth, meeting in enumerate(self.meetings[:-1]):
            below: Ints = np.full(len(self.meetings[depth + 1]), self.leads.far, self.families.kind)
            assert meeting.children is not None
            np.minimum.at(below, meeting.children, found[-1][:, None] + self.leads.costs(depth))
            found.append(below)
        return found

    def _paths(self, depth: int, state: Codes, value: Codes) -> Codes:
        """A nearest instance through each of these edges."""
        codes = np.empty((len(state), len(self.arities)), np.intp)
        codes[:, depth] = value
        at = state
        for k in range(depth - 1, -1, -1):
            parent, by_value = self._parents(k)
            codes[:, k] = by_value[at]
            at = parent[at]
        at = state
        for k in range(depth, len(self.arities)):
            if k > depth:
                codes[:, k] = np.argmin(self._way(k)[at], axis=1)
            children = self.meetings[k].children
            assert children is not None
            at = children[at, codes[:, k]]
        return codes

    def _parents(self, depth: int) -> tuple[Codes, Codes]:
        """For every state of the depth below a state, and the value, by which its least sum arrives."""
        children = self.meetings[depth].children
        assert children is not None
        arriving = self.before[depth][:, None] + self.leads.costs(depth)
        state, value = np.nonzero(np.asarray(arriving == self.before[depth + 1][children], bool))
        parent, by_value = (np.zeros(len(self.before[depth + 1]), np.intp) for _ in range(2))
        parent[children[state, value]], by_value[children[state, value]] = state, value
        return parent, by_value
