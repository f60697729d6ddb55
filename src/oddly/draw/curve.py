# SPDX-License-Identifier: Apache-2.0
"""Smooth lines that run downwards through points, and the steps of a pen that draws them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[float, float]

_REACH = 0.45  # how far down a piece the handles of its two ends go


class CurvePoint(NamedTuple):
    """A point on a line, and how far to the side the line runs there for each step down."""

    x: float
    y: float
    slant: float = 0.0


Line = tuple[CurvePoint, ...]
Path = tuple[tuple[str, tuple[float, ...]], ...]
"""Steps of a pen, as SVG names them: M(ove), L(ine), C(urve) and Z to where it began, each with its points."""


def smooth(points: Sequence[Point], *, leaving: float = 0.0, arriving: float = 0.0) -> Line:
    """A line with the given slants at its ends, and between them so slanted that it never overshoots.

    Where the line turns back it is upright, else it takes the harmonic mean of the slopes on both sides
    (Fritsch and Butland, 1984).
    """
    slopes = [slope(start, end) for start, end in pairwise(points)]
    slants = [leaving, *(_mean(above, below) for above, below in pairwise(slopes)), arriving]
    return tuple(CurvePoint(x, y, slant) for (x, y), slant in zip(points, slants, strict=True))


def slope(start: Point, end: Point) -> float:
    return (end[0] - start[0]) / (end[1] - start[1])


def path(line: Line) -> Path:
    """The line as a path."""
    return (("M", (line[0].x, line[0].y)), *(_piece(upper, lower) for upper, lower in pairwise(line)))


def data(path: Path) -> str:
    """A path as the text that SVG has for it.

    >>> data(path((Stop(0, 0), Stop(10, 10), Stop(10, 20))))
    'M0 0C0 4.5 10 5.5 10 10C10 14.5 10 15.5 10 20'
    """
    return "".join(step + " ".join(map(number, numbers)) for step, numbers in path)


def number(value: float) -> str:
    """A coordinate, to a tenth.

    >>> number(12.04), number(-0.01), number(0.26)
    ('12', '0', '0.3')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _mean(above: float, below: float) -> float:
    return 2 * above * below / (above + below) if above * below > 0 else 0.0


def _piece(upper: CurvePoint, lower: CurvePoint) -> tuple[str, tuple[float, ...]]:
    reach = (lower.y - upper.y) * _REACH
    ends = (upper.x + upper.slant * reach, upper.y + reach, lower.x - lower.slant * reach, lower.y - reach)
    return "C", (*ends, lower.x, lower.y)
