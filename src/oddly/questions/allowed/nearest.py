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

from oddly.diagram.passes.semirings import Ints
from oddly.diagram.together import DepthStates, Leads
from oddly.lowering import Families, frontiers


class NearestInstances:
    """The nearest instances of a class to becoming another, by the values of any scope that contexts keep apart."""

    def __init__(self, meetings: Sequence[DepthStates], families: Families, winner: int, other: int) -> None:
        self.meetings, self.families = meetings, families
        self.leads = Leads(meetings, families, winner, other)
        self.arities = [len(v.values) for v in families.variables]
        self.fronts = frontiers(families.scopes, len(self.arities))

    def instances(self, scope: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """For each combination of the scope's values, by its place, the nearest instance; left out if there is none."""
        if not self.arities:
            return {} if self.leads.least is None else {0: ()}
        depth = scope[-1] if scope else 0
        meeting = self.meetings[depth]
        best = self.leads.best
        way: Ints = self.leads.costs(depth) + best.after[depth + 1][meeting.children]
        totals = (best.before[depth][:, None] + way).reshape(-1)
        combination = self._combination(scope, depth, meeting).reshape(-1)
        near = np.flatnonzero(self.leads.system.reached(totals))
        by_total = near[np.argsort(totals[near], kind="stable")]
        edges = np.full(prod(self.arities[a] for a in scope), -1)
        edges[combination[by_total[::-1]]] = by_total[::-1]  # of several, the least is written last
        found = np.flatnonzero(edges >= 0)
        codes = best.paths([(depth, *divmod(edge, self.arities[depth])) for edge in edges[found].tolist()])
        return dict(zip(found.tolist(), map(tuple, codes.tolist()), strict=True))

    def _combination(self, scope: tuple[int, ...], depth: int, meeting: DepthStates) -> NDArray[np.int64]:
        """[states, values]: the place of the scope's values among their combinations."""
        front = self.fronts[depth]
        context = np.unravel_index(meeting.context, [self.arities[a] for a in front]) if front else ()
        value = dict(zip(front, (c[:, None] for c in context), strict=True))
        value[depth] = np.arange(self.arities[depth])[None, :]
        found = np.zeros((len(meeting), self.arities[depth]), np.int64)
        for a in scope:
            found = found * self.arities[a] + value[a]
        return found
