# SPDX-License-Identifier: Apache-2.0
"""Smooth lines through points, as SVG path data."""

from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]

_STIFFNESS = 0.45  # how far along a piece its handles reach


def curve(points: Sequence[Point], *, leaving: float = 0.0) -> str:
    """A line downwards that never overshoots: upright on the rows, slanting in between, as far as it has to.

    Every second point lies on a row. `leaving` is how much of the first piece's slant the line starts with.

    >>> curve([(0, 0), (0, 10), (0, 20)])
    'M0 0C0 4.5 0 5.5 0 10C0 14.5 0 15.5 0 20'
    """
    slants = [_slant(points, i) if i % 2 else 0.0 for i in range(len(points))]
    slants[0] = leaving * _slope(*points[:2])
    pieces = zip(pairwise(points), pairwise(slants), strict=True)
    return f"M{number(points[0][0])} {number(points[0][1])}" + "".join(_piece(*ends, *slant) for ends, slant in pieces)


def number(value: float) -> str:
    """A coordinate, to a tenth.

    >>> number(12.04), number(-0.01), number(0.26)
    ('12', '0', '0.3')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _piece(start: Point, end: Point, leaving: float, arriving: float) -> str:
    reach = (end[1] - start[1]) * _STIFFNESS
    first = (start[0] + leaving * reach, start[1] + reach)
    second = (end[0] - arriving * reach, end[1] - reach)
    return "C" + " ".join(number(value) for point in (first, second, end) for value in point)


def _slant(points: Sequence[Point], i: int) -> float:
    """The harmonic mean of the slopes on both sides; upright if the line turns back (Fritsch and Butland, 1984)."""
    if i + 1 == len(points):
        return 0.0
    above, below = _slope(points[i - 1], points[i]), _slope(points[i], points[i + 1])
    return 2 * above * below / (above + below) if above * below > 0 else 0.0


def _slope(start: Point, end: Point) -> float:
    """How far to the side the line between two points runs for each step down."""
    return (end[0] - start[0]) / (end[1] - start[1])
