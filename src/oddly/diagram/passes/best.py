# SPDX-License-Identifier: Apache-2.0
"""Which path has the least sum, among those that take a certain edge?  For all edges at once.

An instance that has a value is a path over an edge u → x labelled with it, so the least sum is, over those edges, (least
from the root to u) + the edge + (least from x to the end). One sweep up and one down serve every edge, and a walk in
both directions names the path. Of equal ones: below the first value; above the last value and by it the last node, or,
where numbers go by node, the last node and from it the last value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes.semirings import Ints, Levels, Numbers, Row, Rows, Semiring
from oddly.diagram.passes.sweep import by_depth, down, up
from oddly.runtime import polled, room

Places = NDArray[np.intp]
Edge = tuple[int, int, int]
"""(depth, node, value)"""
EdgeNumbers = Callable[[int, Places, Places], Any]
"""Of edges, given their depth, nodes and values."""


@dataclass(frozen=True, eq=False)
class BestPaths:
    """The least sums of a diagram that has at least one level, and the paths that have them."""

    levels: Levels
    root: int
    sinks: Numbers
    rows: Rows
    least: Semiring

    @cached_property
    def after(self) -> list[Numbers]:
        """For every node of every depth the least sum to an end, given what the sinks have."""
        return by_depth(up(self.levels, self.sinks, self.rows, self.least))

    @cached_property
    def before(self) -> list[Numbers]:
        """For every node above the sinks the least sum from the root."""
        return list(islice(down(self.levels, self.root, len(self.sinks), self.rows, self.least), len(self.levels)))

    def edges(self) -> list[list[Edge | None]]:
        """By depth and value: the edge with that value on a path of the least sum; None if no path takes one."""
        return [self._edges(depth) for depth in polled(range(len(self.levels)), "levels")]

    def _edges(self, depth: int) -> list[Edge | None]:
        level, before = self.levels[depth], self.before[depth]
        room(40 * len(level))  # five words for each node
        nodes = np.flatnonzero(self.least.reached(before))
        found: list[Edge | None] = [None] * level.shape[1]
        for value, column, number in self.least.edges(level, self.rows[depth]):
            sums = before[nodes] + _at(number, nodes) + self.after[depth + 1][column[nodes]]
            best = int(np.argmin(sums)) if len(sums) else 0
            if len(sums) and self.least.reached(sums[best]):
                found[value] = depth, int(nodes[best]), value
        return found

    def paths(self, edges: Sequence[Edge]) -> NDArray[np.intp]:
        """The values of a best path over each of these edges, all of them level by level together."""
        depths, nodes, values = np.array(edges, np.intp).reshape(len(edges), 3).T
        codes = np.empty((len(edges), len(self.levels)), np.intp)
        codes[np.arange(len(edges)), depths] = values
        at = nodes.copy()
        for depth in polled(range(int(depths.max(initial=0)) - 1, -1, -1), "levels"):
            up = np.flatnonzero(depths > depth)
            parent, value = self._parents(depth)
            at[up], codes[up, depth] = parent[at[up]], value[at[up]]
        at = nodes.copy()
        for depth, level in enumerate(self.levels):
            below = np.flatnonzero(depths < depth)
            codes[below, depth] = self._onward(depth, at[below])
            on = np.flatnonzero(depths <= depth)
            at[on] = level[at[on], codes[on, depth]]
        return codes

    def first(self) -> list[int]:
        """The values of a best path from the root, if there is one."""
        at, found = np.array([self.root]), []
        for depth, level in enumerate(self.levels):
            found.append(int(self._onward(depth, at)[0]))
            at = level[at, found[-1]]
        return found

    def _parents(self, depth: int) -> tuple[Places, Places]:
        """For every node of the depth below a node, and the value, by which its least sum arrives."""
        before, below = self.before[depth], self.before[depth + 1]
        parent, by_value = np.zeros((2, len(below)), np.intp)
        for value, column, number in self.least.edges(self.levels[depth], self.rows[depth]):
            arriving = np.flatnonzero(np.asarray(before + number == below[column], bool))
            if isinstance(number, np.ndarray):  # by node: an earlier value from a later node stays
                arriving = arriving[arriving >= parent[column[arriving]]]
            parent[column[arriving]], by_value[column[arriving]] = arriving, value
        return parent, by_value

    def _onward(self, depth: int, nodes: Places) -> Places:
        """The value by which the least sum of each node goes on."""
        level = self.levels[depth]
        sums = np.full((level.shape[1], len(nodes)), self.least.zero, self.least.kind)
        for value, column, number in self.least.edges(level, self.rows[depth]):
            sums[value] = self.after[depth + 1][column[nodes]] + _at(number, nodes)
        return np.asarray(np.argmin(sums, axis=0), np.intp)


def _at(number: Any, nodes: Places) -> Any:
    return number[nodes] if np.ndim(number) else number


def second_least(levels: Levels, rows: Rows, nearest: Sequence[Ints], least: Semiring) -> int | None:
    """The second smallest distinct sum on paths from the first root, given the smallest of every node."""
    second = np.full(len(nearest[-1]), least.zero, least.kind)
    for depth in polled(reversed(range(len(levels))), "levels"):
        found = np.full(len(levels[depth]), least.zero, least.kind)
        for _, column, number in least.edges(levels[depth], rows[depth]):
            for sums in (nearest[depth + 1][column], second[column]):
                further = np.where(least.reached(sums), sums + number, least.zero)
                beyond = np.asarray(further > nearest[depth], bool)
                np.minimum(found, np.where(beyond, further, least.zero), out=found)
        second = found
    return int(second[0]) if least.reached(second)[0] else None


def tight(level: NDArray[Any], row: Row, here: Ints, below: Ints, least: Semiring) -> NDArray[np.bool_]:
    """[nodes, values]: which edges of a level are on shortest paths from their own node."""
    found = np.zeros(level.shape, bool)
    for value, column, number in least.edges(level, row):
        found[:, value] = least.reached(below[column]) & np.asarray(below[column] + number == here, bool)
    return found


def tied_paths(
    levels: Levels, rows: Rows, nearest: Sequence[Ints], least: Semiring, start: Any, exact: EdgeNumbers
) -> tuple[int, bool]:
    """How many paths have the least sum, and are the numbers that it was rounded from zero along all of them?

    `start` is the exact number of the root, and `exact` those of edges, given their depth, nodes and values.
    """
    sums, paths, agree = np.full(1, start, object), np.ones(1, object), True
    for depth, (here, below) in enumerate(polled(list(pairwise(nearest)), "levels")):
        nodes = np.flatnonzero(paths)
        level = levels[depth][nodes]
        row = rows[depth]
        part = row[nodes] if isinstance(row, np.ndarray) and row.ndim == 2 else row
        at, values = np.nonzero(tight(level, part, here[nodes], below, least))
        children, nodes = level[at, values], nodes[at]
        arriving, routes = sums[nodes] + exact(depth, nodes, values), paths[nodes]
        sums, paths = np.zeros(len(below), object), np.zeros(len(below), object)
        sums[children] = arriving
        agree &= bool(np.all(sums[children] == arriving))
        np.add.at(paths, children, routes)
    return int(paths.sum()), agree and not sums.any()
