# SPDX-License-Identifier: Apache-2.0
"""Reduced diagrams: nodes whose children are all one are left out, so edges may skip levels (Bryant, 1986)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes.semirings import Levels
from oddly.model import Variable


@dataclass(frozen=True, eq=False, repr=False)
class ReducedODD:
    """A diagram whose edges may skip levels: for its size, for drawing and for export.

    Nodes are numbered through: the sinks first, one per label, then level by level from the root down. Row i of
    levels[k] holds the children of node starts[k] + i.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.size, odd.reduce().size
    (7, 5)
    """

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    levels: tuple[NDArray[np.int64], ...]
    starts: tuple[int, ...]
    root: int

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    @property
    def widths(self) -> list[int]:
        """The number of nodes on each level; the last is the sinks."""
        return [len(level) for level in self.levels] + [len(self.labels)]

    @property
    def size(self) -> int:
        """The number of nodes, sinks included."""
        return sum(self.widths)

    def __repr__(self) -> str:
        return f"ReducedODD: {self.size:,} nodes over {', '.join(self.order)}"


def reduce(variables: tuple[Variable, ...], labels: tuple[str, ...], levels: Levels, root: int) -> ReducedODD:
    """The reduced diagram of a levelled one, in which no two nodes of a level decide alike."""
    kept = [np.flatnonzero(~idle(level)) for level in levels]
    starts = _starts(len(labels), kept)
    number = np.arange(len(labels))  # the reduced node that stands for each node of the depth below
    found: list[NDArray[np.int64]] = []
    for level, nodes, start in zip(reversed(levels), reversed(kept), reversed(starts), strict=True):
        found.append(number[level[nodes]])
        above = number[level[:, 0]]
        above[nodes] = start + np.arange(len(nodes))
        number = above
    return ReducedODD(variables, labels, tuple(found[::-1]), tuple(starts), int(number[root]))


def idle(level: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which nodes of a level have one child only, whatever the value."""
    alike = np.ones(len(level), bool)
    for column in level.T[1:]:
        alike &= column == level[:, 0]
    return alike


def _starts(first: int, kept: Sequence[NDArray[np.intp]]) -> list[int]:
    starts = [first]
    for nodes in kept:
        starts.append(starts[-1] + len(nodes))
    return starts[:-1]
