# SPDX-License-Identifier: Apache-2.0
"""The paper's search, with sectors of directions for intervals.

A state is a vector of two whole numbers of which only the direction matters; reading a value multiplies it by a
matrix. Directions that decide alike form a sector, bounded by at most two half-planes.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key, partial
from math import gcd
from typing import Any

import numpy as np

from oddly.engine.two_ended import Level
from oddly.runtime import Watch

Vector = tuple[int, int]
Matrix = tuple[Vector, Vector]
Matrices = dict[tuple[int, ...], list[Matrix]]
HalfPlane = tuple[Vector, bool]
"""A normal, and whether the border is left out."""

NOWHERE: tuple[HalfPlane, ...] = (((1, 0), False), ((-1, 0), False), ((0, 1), False), ((0, -1), False))
"""Around the zero vector, which has no direction: what leads to it must do so exactly."""
NODE = 1000  # bytes of a node, without the digits of its numbers


@dataclass(frozen=True)
class SectorStep:
    """Reading one attribute: on which earlier ones it depends, and a matrix for all values of these and its own."""

    context: tuple[int, ...]
    following: tuple[int, ...]
    """The places in (context, own value) that the next step's context takes."""
    matrices: Matrices


@dataclass
class _SectorNodes:
    """The nodes of a depth and context, by the directions that led to them, in turning order."""

    turns: list[Any] = field(default_factory=list)
    nodes: list[tuple[int, Vector, list[HalfPlane]]] = field(default_factory=list)


@dataclass
class SectorSearch:
    """Finds all nodes of a chain, from the root down; positive iff the numbers at the end add up to 0 or more."""

    steps: list[SectorStep]
    strict: bool
    """Or to more than 0."""
    watch: Watch
    rows: list[list[list[int]]] = field(init=False)
    found: list[dict[tuple[int, ...], _SectorNodes]] = field(init=False)
    bytes: int = 0

    def __post_init__(self) -> None:
        self.rows = [[] for _ in self.steps]
        self.found = [{} for _ in self.steps]

    def levels(self) -> tuple[Level, ...]:
        return tuple(np.array(rows, np.uint32) for rows in self.rows)

    def node(self, depth: int, context: tuple[int, ...], a: Vector) -> tuple[int, list[HalfPlane]]:
        """The node that a prefix of this direction leads to, and the half-planes around all that do."""
        if depth == len(self.steps):
            return self._label(a)
        a = _shortest(a)
        known = self.found[depth].setdefault(context, _SectorNodes())
        turn = _turn(a)
        at = bisect_left(known.turns, turn)
        for i in {at % len(known.nodes), (at - 1) % len(known.nodes)} if known.nodes else ():
            place, first, around = known.nodes[i]
            if _within(a, first, around):
                return place, around
        children, around = [], list[HalfPlane]()
        step = self.steps[depth]
        for value, m in enumerate(step.matrices[context]):
            values = (*context, value)
            child, planes = self.node(depth + 1, tuple(values[i] for i in step.following), _times(a, m))
            children.append(child)
            around += [(_pulled_back(m, n), open_) for n, open_ in planes]
        around = _extremes(a, around)
        place = len(self.rows[depth])
        self.rows[depth].append(children)
        self._tell(depth, a, around)
        at = bisect_left(known.turns, turn)  # the search below may have come by here
        known.turns.insert(at, turn)
        known.nodes.insert(at, (place, a, around))
        return place, around

    def _tell(self, depth: int, a: Vector, around: Sequence[HalfPlane]) -> None:
        self.watch.nodes(1, 0)
        self.bytes += NODE + sum(n.bit_length() for v in (a, *(normal for normal, _ in around)) for n in v) // 8
        if self.watch.found % 256 == 0:
            self.watch.lists(depth + 1, self.bytes, 0)

    def _label(self, a: Vector) -> tuple[int, list[HalfPlane]]:
        total = a[0] + a[1]
        positive = total > 0 if self.strict else total >= 0
        return int(positive), [((1, 1) if positive else (-1, -1), positive == self.strict)]


def _times(a: Vector, m: Matrix) -> Vector:
    return a[0] * m[0][0] + a[1] * m[1][0], a[0] * m[0][1] + a[1] * m[1][1]


def _pulled_back(m: Matrix, n: Vector) -> Vector:
    return m[0][0] * n[0] + m[0][1] * n[1], m[1][0] * n[0] + m[1][1] * n[1]


def _shortest(a: Vector) -> Vector:
    common = gcd(*a)
    return (a[0] // common, a[1] // common) if common > 1 else a


def _cross(a: Vector, b: Vector) -> int:
    return a[0] * b[1] - a[1] * b[0]


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1]


def _compared(a: Vector, b: Vector) -> int:
    """Which of two directions comes first on a full turn; the zero vector before all."""
    order = _half(a) - _half(b) or -_cross(a, b)
    return (order > 0) - (order < 0)


def _half(a: Vector) -> int:
    return 0 if a == (0, 0) else 1 if a[1] > 0 or (a[1] == 0 and a[0] > 0) else 2


_turn = cmp_to_key(_compared)


def _within(a: Vector, first: Vector, around: Sequence[HalfPlane]) -> bool:
    if (a == (0, 0)) != (first == (0, 0)):
        return False  # in the very corner of all half-planes, and decided like a tie
    if len(around) == 2 and _cross(around[0][0], around[1][0]) == 0 and _dot(around[0][0], around[1][0]) < 0:
        return a == first  # both borders are one line: only this direction is sure
    return all(_dot(a, n) > 0 or (not open_ and _dot(a, n) == 0) for n, open_ in around)


def _extremes(a: Vector, around: Sequence[HalfPlane]) -> list[HalfPlane]:
    """The two half-planes that imply all others: of all normals, the furthest to the left of a, and to the right."""
    if a == (0, 0):
        return list(NOWHERE)
    planes = [(_shortest(n), open_) for n, open_ in around if n != (0, 0)]
    if not planes:
        return []

    def further(side: int, one: HalfPlane, other: HalfPlane) -> int:
        turned = side * _cross(other[0], one[0])
        if turned == 0 and _dot(one[0], other[0]) < 0:  # opposite, and a on the border of both
            turned = side * _cross(a, one[0])
        return turned or one[1] - other[1]

    left, right = (max(planes, key=cmp_to_key(partial(further, side))) for side in (1, -1))
    return [left] if left == right else [left, right]
