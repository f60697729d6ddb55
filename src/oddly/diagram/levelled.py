# SPDX-License-Identifier: Apache-2.0
"""What every levelled diagram has, whatever it was made from: attributes, labels, and levels of children.

And reduced diagrams: nodes whose children are all one are left out, so edges may skip levels (Bryant, 1986).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.passes.semirings import Levels
from oddly.diagram.rows import encode
from oddly.errors import UnknownName
from oddly.model import Variable

Level = NDArray[np.uint32]


class LevelShape:
    """What can be told of a diagram by its levels alone."""

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    levels: tuple[NDArray[Any], ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The attributes from the root down."""
        return tuple(v.name for v in self.variables)

    @property
    def widths(self) -> list[int]:
        """The number of nodes at each depth; the last is the sinks, one per label."""
        return [len(level) for level in self.levels] + [len(self.labels)]

    @property
    def size(self) -> int:
        """The number of nodes of all depths, sinks included."""
        return sum(self.widths)


@dataclass(frozen=True, eq=False, repr=False)
class Levelled(LevelShape):
    """Attributes from the root down, a label per sink, and an array of children per attribute (see `oddly.ODD`)."""

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    levels: tuple[Level, ...]
    root: int = 0
    places: tuple[int, ...] = ()
    """Which column of an index array each attribute reads: the model's order."""

    def __post_init__(self) -> None:
        # Views, so that whoever made the arrays may go on with them.
        object.__setattr__(self, "levels", tuple(level.view() for level in self.levels))
        for level in self.levels:
            level.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # a copied or pickled array has forgotten that it is not to be written

    exact = True
    """It decides as its model does; of a `Pair`, which lies around one, this is False."""
    error = 0
    """No instance is undecided."""

    @property
    def lower(self) -> Self:
        """What is surely positive: it is its own lower diagram, and its own upper one."""
        return self

    @property
    def upper(self) -> Self:
        """What is perhaps positive."""
        return self

    @property
    def arities(self) -> tuple[int, ...]:
        """The number of values of each attribute, from the root down."""
        return tuple(len(v.values) for v in self.variables)

    @property
    def reduced_size(self) -> int:
        """The number of nodes that `reduce()` leaves, without making it."""
        return self.size - sum(int(idle(level).sum()) for level in self.levels)

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return prod(self.arities)

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes in the model's order, which index arrays follow."""
        return tuple(variable.name for variable in self._in_columns)

    def attribute(self, name: str) -> Variable:
        """The attribute of that name; an error that names those there are if it is none of them."""
        if name not in self.order:
            raise UnknownName.among("attribute", name, self.order)
        return self.variables[self.order.index(name)]

    def instance_of(self, places: Iterable[int | None]) -> dict[str, str]:
        """An instance in the model's order, from the places of its values in the diagram's; None where it is not known."""
        found = {v.name: v.values[at] for v, at in zip(self.variables, places, strict=True) if at is not None}
        return {name: found[name] for name in self.columns if name in found}

    def encode(self, rows: Any) -> NDArray[np.integer[Any]]:
        """Rows as an array of value indices, one column per attribute in the model's order."""
        return encode(rows, self._in_columns)

    def reduce(self) -> "ReducedODD":
        """The diagram without the nodes whose children are all one: edges may skip levels."""
        return reduce(self.variables, self.labels, self.levels, self.root)

    @property
    def _in_columns(self) -> list[Variable]:
        return [self.variables[level] for level in np.argsort(self.places)]


@dataclass(frozen=True, eq=False, repr=False)
class ReducedODD(LevelShape):
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

    def __repr__(self) -> str:
        return f"ReducedODD: {self.size:,} nodes over {', '.join(self.order)}"


def reduce(variables: tuple[Variable, ...], labels: tuple[str, ...], levels: Levels, root: int) -> ReducedODD:
    """The reduced diagram of a levelled one, in which no two nodes of a level decide alike."""
    kept = [np.flatnonzero(~idle(level)) for level in levels]
    starts = list(accumulate(map(len, kept), initial=len(labels)))[:-1]
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


TOO_LONG = 10**100  # a number that nobody reads digit by digit


def grouped(number: int) -> str:
    """A count as one reads it."""
    return f"{number:,}" if number < TOO_LONG else f"about 10^{int(number.bit_length() * 0.30103)}"
