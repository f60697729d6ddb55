# SPDX-License-Identifier: Apache-2.0
"""The fewest attributes that will do, by branch and bound over the sets to remove.

Attributes are removed one after the other from tables over all instances, which shrink by as much each time. The tables
are floats, used only where they are far from the limit; what comes close is settled in exact fractions. Where the work
has to stop, the answer is the largest set found, with a number of attributes that no set goes below.
"""

from collections.abc import Sequence

from oddly.questions.subset.agreement import Agreement, Places
from oddly.questions.subset.tables import SLACK, SubsetTables, tables_of


class _OutOfEffort(Exception):
    """The work was as much as was allowed."""


class SubsetSearch:
    """Branch and bound, within so many table entries looked at."""

    def __init__(self, agreement: Agreement, max_work: int) -> None:
        self.agreement, self.share = agreement, agreement.share
        self.work, self.max_work = 0, max_work
        self.best: Places = ()

    def run(self) -> tuple[Places, int]:
        """A largest set of attributes that can be removed, and how many are needed at least."""
        odd, needed = self.agreement.odd, 0
        tables = tables_of(odd, self.agreement.model, self.agreement.measure)
        left = tuple(i for i, arity in enumerate(odd.arities) if arity > 1)
        idle = self.best = tuple(i for i, arity in enumerate(odd.arities) if arity == 1)  # their values say nothing
        try:
            alone = [self._bound(tables, axis) for axis in range(len(left))]
            needed = sum(bound < self.share - SLACK for bound in alone)
            self._dive(idle, tables, left)
            self._branch(idle, tables, left, left)
        except _OutOfEffort:
            return self.best, needed
        return self.best, len(odd.arities) - len(self.best)

    def _dive(self, removed: Places, tables: SubsetTables, left: Places) -> None:
        """A first answer: always remove what costs least."""
        while left:
            cost, axis = max((self._bound(tables, axis), axis) for axis in range(len(left)))
            if cost < self.share - SLACK:
                return
            removed, left, tables = (*removed, left[axis]), left[:axis] + left[axis + 1 :], tables.without(axis)
            self._offer(removed, tables)

    def _branch(self, removed: Places, tables: SubsetTables, left: Places, candidates: Sequence[int]) -> None:
        """All ways to remove some of the candidates as well; the tables are over what is left."""
        if len(removed) + len(candidates) <= len(self.best):
            return
        bounds = [(self._bound(tables, left.index(i)), i) for i in candidates]
        open_ = [i for bound, i in sorted(bounds) if bound >= self.share - SLACK]
        for place, i in enumerate(open_):
            if len(removed) + len(open_) - place <= len(self.best):
                return
            axis = left.index(i)
            below, more = tables.without(axis), (*removed, i)
            self._offer(more, below)
            self._branch(more, below, left[:axis] + left[axis + 1 :], open_[place + 1 :])

    def _bound(self, tables: SubsetTables, axis: int) -> float:
        self.work += tables.decided.size
        if self.work > self.max_work:
            raise _OutOfEffort
        self.agreement.tell(self.work, self.max_work)
        return tables.best(axis)

    def _offer(self, removed: Places, tables: SubsetTables) -> None:
        """Remember a set that will do, if it is the largest so far."""
        if len(removed) <= len(self.best):
            return
        least, most = tables.own(self.agreement.model.ties == "positive")
        if least >= self.share or (most >= self.share and self.agreement.exactly(removed) >= self.share):
            self.best = removed
