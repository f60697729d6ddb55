# SPDX-License-Identifier: Apache-2.0
"""Drawings as files: the name's ending says what is drawn. And as figures, with matplotlib, for papers and slides: the elements
of the SVG, one by one, on a pair of axes. So a figure shows what the SVG does, in its light colours, and may stand beside
other plots.
"""

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from oddly.diagram import ODD
from oddly.draw.elements import Element
from oddly.draw.layout import Path as Steps
from oddly.draw.layout import Point
from oddly.draw.style import LETTERS, LIGHT, Style, rules
from oddly.draw.svg import svg
from oddly.draw.text import dot, text
from oddly.errors import FormatError, Unsupported
from oddly.formats.text import written_safely

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["text", "svg", "dot", "png", "pdf"]
BY_SUFFIX: dict[str, Kind] = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".txt": "text", ".png": "png", ".pdf": "pdf"}
DOTS = 200  # an inch, of a PNG
_INCH = 96.0  # an SVG's units
_POINT = 72.0 / _INCH
_LETTERS = 0.92  # matplotlib's own typeface is wider than a page's


def save(odd: ODD, path: str | os.PathLike[str], **options: Any) -> None:
    """Draw a diagram into a file: .svg, .png, .pdf (these need matplotlib), .dot, .gv or .txt.

    `options` are those of `svg`, `dot` or `text`. A save that fails leaves the old file.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in BY_SUFFIX:
        raise FormatError(f"{os.fspath(path)}: expected a name that ends in {', '.join(BY_SUFFIX)}")
    data = drawing(odd, BY_SUFFIX[suffix], **options)
    with written_safely(path) as file:
        file.write(data)


def drawing(odd: ODD, format: Kind, **options: Any) -> bytes:
    """A drawing as the contents of a file; the same diagram always gives the same."""
    if format in ("png", "pdf"):
        return _file(odd, format, options)
    draw: Any = {"svg": svg, "dot": dot, "text": text}.get(format)
    if draw is None:
        raise Unsupported(f"no drawing {format!r}; there are {', '.join(get_args(Kind))}")
    found: str = draw(odd, **options)
    return (found if found.endswith("\n") else found + "\n").encode()


def _file(odd: ODD, format: str, options: dict[str, Any]) -> bytes:
    drawn = figure(odd, **options)
    data = BytesIO()
    undated = {"CreationDate": None, "Producer": None, "Creator": "oddly"} if format == "pdf" else {"Software": "oddly"}
    drawn.savefig(data, format=format, dpi=DOTS, metadata=undated, facecolor=drawn.get_facecolor())
    return data.getvalue()


def figure(odd: ODD, ax: "Axes | None" = None, **options: Any) -> "Figure":
    """What does the diagram look like, in a figure?

    Into the axes given, or into a figure of its own size; `options` are those of `svg`. Needs matplotlib.

    >>> import oddly
    >>> drawn = figure(oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"]))
    >>> sorted({text.get_text() for text in drawn.axes[0].texts})
    ['+ve', '-ve', 'B', 'S', 'U', 'no', 'yes']
    """
    drawn = svg(odd, **options)
    width, height = drawn.size
    if ax is None:
        ax = _figure(width, height).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    # Letters and lines are given in points: as many as fill the axes.
    box = ax.get_position()
    whose: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    inches = whose.get_size_inches()
    shrink = min(inches[0] * box.width / (width / _INCH), inches[1] * box.height / (height / _INCH))
    _Painter(ax, len(odd.labels), shrink).paint(drawn.whole)
    return whose


def _figure(width: float, height: float) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise Unsupported("figures need matplotlib: pip install 'oddly[plots]'") from None
    return Figure(figsize=(width / _INCH, height / _INCH), facecolor=LIGHT.paper)


class _Painter:
    """Puts one element after the other on the axes."""

    def __init__(self, ax: "Axes", labels: int, shrink: float) -> None:
        self.ax = ax
        self.shrink = shrink
        looks = [(set(look.split(".")), style) for looks, style in rules(labels) for look in looks]
        self.looks = sorted(looks, key=lambda look: len(look[0]))
        self.order = 0.0

    def paint(self, element: Element, x: float = 0.0, y: float = 0.0) -> None:
        if element.moved is not None:
            x, y = x + element.moved[0], y + element.moved[1]
        if element.tag == "text":
            self._words(element, x, y)
        elif element.tag in ("rect", "circle", "polygon", "path"):
            self._shape(element, x, y)
        for child in element.inside:
            self.paint(child, x, y)

    def _shape(self, element: Element, x: float, y: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        style, given = self._style(element), element.given
        steps = list(_outline(element.tag, given))
        points = [(x + a, y + b) for step, numbers in steps for a, b in _points(step, numbers)]
        codes = [code for step, numbers in steps for code in [_CODES[step]] * max(len(numbers) // 2, 1)]
        stroke = style.get("stroke", "none")
        wide = float(given.get("stroke-width", style.get("stroke-width", 1))) * _POINT * self.shrink
        patch = PathPatch(
            Path(points, codes),
            facecolor=style.get("fill", "none"),
            edgecolor=stroke,
            linewidth=0 if stroke == "none" else wide,
            alpha=float(style["opacity"]) if "opacity" in style else None,
            capstyle="round",
            joinstyle="round",
            zorder=self._next(),
        )
        if dashes := given.get("stroke-dasharray"):
            patch.set_linestyle((0, [float(d) * _POINT * self.shrink / max(wide, 0.1) for d in dashes.split()]))
        self.ax.add_patch(patch)

    def _words(self, element: Element, x: float, y: float) -> None:
        style = self._style(element)
        anchors = {"middle": "center", "end": "right"}
        self.ax.text(
            x + element.given["x"],
            y + element.given["y"],
            element.words,
            fontsize=LETTERS[element.given["class"].split()[0]] * _POINT * self.shrink * _LETTERS,
            color=style.get("fill", LIGHT.ink),
            weight="bold" if int(style.get("font-weight", 400)) > 500 else "normal",
            ha=anchors.get(style.get("text-anchor", ""), "left"),
            va="baseline",
            parse_math=False,
            zorder=self._next(),
        )

    def _style(self, element: Element) -> Style:
        """What the rules say of an element's classes; those that name more of them come later."""
        classes = set(element.given.get("class", "").split())
        return {name: value for wanted, style in self.looks if wanted <= classes for name, value in style.items()}

    def _next(self) -> float:
        self.order += 1e-3
        return 2 + self.order


# ---- outlines ----

_CODES = {"M": 1, "L": 2, "C": 4, "Z": 79}  # matplotlib's numbers for them


def _points(step: str, numbers: tuple[float, ...]) -> list[Point]:
    """The points of a step; closing has one that is not looked at."""
    return [(0.0, 0.0)] if step == "Z" else list(zip(numbers[::2], numbers[1::2], strict=True))


def _outline(tag: str, given: Mapping[str, Any]) -> Steps:
    if tag == "path":
        return tuple(given["d"])
    if tag == "polygon":
        first, *others = given["points"]
        return (("M", first), *(("L", point) for point in others), ("Z", ()))
    if tag == "circle":
        cx, cy, r = given["cx"], given["cy"], given["r"]
        return _rounded(cx - r, cy - r, 2 * r, 2 * r, r)
    width, height = given["width"], given["height"]
    return _rounded(
        given.get("x", 0.0), given.get("y", 0.0), width, height, min(given.get("rx", 0.0), width / 2, height / 2)
    )


def _rounded(x: float, y: float, width: float, height: float, r: float) -> Steps:
    """A rectangle with round corners, each a curve that misses a circle by less than a thousandth."""
    k, right, low = 0.5523 * r, x + width, y + height
    return (
        ("M", (x + r, y)),
        ("L", (right - r, y)),
        ("C", (right - r + k, y, right, y + r - k, right, y + r)),
        ("L", (right, low - r)),
        ("C", (right, low - r + k, right - r + k, low, right - r, low)),
        ("L", (x + r, low)),
        ("C", (x + r - k, low, x, low - r + k, x, low - r)),
        ("L", (x, y + r)),
        ("C", (x, y + r - k, x + r - k, y, x + r, y)),
        ("Z", ()),
    )
