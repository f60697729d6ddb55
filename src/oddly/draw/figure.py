# SPDX-License-Identifier: Apache-2.0
"""A drawing with matplotlib, for papers and slides: the SVG's own elements, one by one, on a pair of axes.

So a figure shows what the SVG does, in its light colours, and may stand beside other plots. Only what our drawings use is
understood: rectangles, circles, polygons, paths of absolute curves, and words.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from oddly.diagram import ODD
from oddly.draw.style import LETTERS, LIGHT, rules
from oddly.draw.svg import svg
from oddly.errors import Unsupported

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCH = 96.0  # an SVG's units
_POINT = 72.0 / _INCH
_SPACE = "{http://www.w3.org/2000/svg}"
_LETTERS = 0.92  # matplotlib's own typeface is wider than a page's
_LOOK = re.compile(r"([^{}]+)\{([^}]*)\}")
_STEP = re.compile(r"([MLClhZz])|(-?[\d.]+)")

Style = dict[str, str]


def figure(odd: ODD, ax: "Axes | None" = None, **options: Any) -> "Figure":
    """What does the diagram look like, in a figure?

    Into the axes given, or into a figure of its own size; `options` are those of `svg`. Needs matplotlib.

    >>> import oddly
    >>> drawn = figure(oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"]))
    >>> sorted({text.get_text() for text in drawn.axes[0].texts})
    ['+ve', '-ve', 'B', 'S', 'U', 'no', 'yes']
    """
    whole = ElementTree.fromstring(svg(odd, **options))
    width, height = (float(whole.get(name, "")) for name in ("width", "height"))
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
    _Painter(ax, len(odd.labels), shrink).paint(whole)
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
        self.looks = list(_looks(labels))
        self.order = 0.0

    def paint(self, element: ElementTree.Element, x: float = 0.0, y: float = 0.0) -> None:
        if move := re.match(r"translate\((\S+) (\S+)\)", element.get("transform", "")):
            x, y = x + float(move[1]), y + float(move[2])
        tag = element.tag.removeprefix(_SPACE)
        if tag == "text":
            self._words(element, x, y)
        elif tag in ("rect", "circle", "polygon", "path"):
            self._shape(tag, element, x, y)
        for child in element:
            self.paint(child, x, y)

    def _shape(self, tag: str, element: ElementTree.Element, x: float, y: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        style = self._style(element)
        corners, codes = _outline(tag, dict(element.items()))
        stroke, wide = style.get("stroke", "none"), float(style.get("stroke-width", 1)) * _POINT * self.shrink
        patch = PathPatch(
            Path([(x + a, y + b) for a, b in corners], codes),
            facecolor=style.get("fill", "none"),
            edgecolor=stroke,
            linewidth=0 if stroke == "none" else wide,
            alpha=float(style["opacity"]) if "opacity" in style else None,
            capstyle="round",
            joinstyle="round",
            zorder=self._next(),
        )
        if dashes := element.get("stroke-dasharray"):
            patch.set_linestyle((0, [float(d) * _POINT * self.shrink / max(wide, 0.1) for d in dashes.split()]))
        self.ax.add_patch(patch)

    def _words(self, element: ElementTree.Element, x: float, y: float) -> None:
        words = element.text or (element[0].tail if len(element) else "") or ""
        style = self._style(element)
        anchors = {"middle": "center", "end": "right"}
        self.ax.text(
            x + float(element.get("x", 0)),
            y + float(element.get("y", 0)),
            words,
            fontsize=LETTERS[element.get("class", "").split()[0]] * _POINT * self.shrink * _LETTERS,
            color=style.get("fill", LIGHT.ink),
            weight="bold" if int(style.get("font-weight", 400)) > 500 else "normal",
            ha=anchors.get(style.get("text-anchor", ""), "left"),
            va="baseline",
            parse_math=False,
            zorder=self._next(),
        )

    def _style(self, element: ElementTree.Element) -> Style:
        """What the rules say of an element's classes; those that name more of them come later."""
        classes = set(element.get("class", "").split())
        found: Style = {}
        for wanted, style in self.looks:
            if wanted <= classes:
                found |= style
        return found | {name: element.get(name, "") for name in ("stroke-width",) if element.get(name)}

    def _next(self) -> float:
        self.order += 1e-3
        return 2 + self.order


def _looks(labels: int) -> Iterator[tuple[set[str], Style]]:
    """The rules of the light style sheet, the general ones first."""
    found = []
    for selectors, body in _LOOK.findall(rules(labels)):
        style = dict(part.split(": ") for part in (piece.strip() for piece in body.split(";")) if ": " in part)
        for selector in selectors.split(","):
            if ":" not in selector and "@" not in selector and selector.strip().startswith(".oddly "):
                found.append((set(selector.split()[-1].split(".")[1:]), style))
    return iter(sorted(found, key=lambda look: len(look[0])))


# ---- outlines ----

_MOVE, _LINE, _CURVE, _CLOSE = 1, 2, 4, 79  # matplotlib's numbers for them
_Outline = tuple[list[tuple[float, float]], list[int]]


def _outline(tag: str, given: Mapping[str, str]) -> _Outline:
    if tag == "path":
        return _path(given["d"])
    if tag == "polygon":
        corners = [tuple(map(float, pair.split(","))) for pair in given["points"].split()]
        points = [(a, b) for a, b in corners]
        return [*points, points[0]], [_MOVE, *[_LINE] * (len(points) - 1), _CLOSE]
    if tag == "circle":
        cx, cy, r = (float(given[name]) for name in ("cx", "cy", "r"))
        return _rounded(cx - r, cy - r, 2 * r, 2 * r, r)
    x, y, width, height = (float(given.get(name, 0)) for name in ("x", "y", "width", "height"))
    return _rounded(x, y, width, height, min(float(given.get("rx") or 0), width / 2, height / 2))


def _rounded(x: float, y: float, width: float, height: float, r: float) -> _Outline:
    """A rectangle with round corners, each a curve that misses a circle by less than a thousandth."""
    k, right, low = 0.5523 * r, x + width, y + height
    points = [(x + r, y), (right - r, y), (right - r + k, y), (right, y + r - k), (right, y + r), (right, low - r)]
    points += [(right, low - r + k), (right - r + k, low), (right - r, low), (x + r, low), (x + r - k, low)]
    points += [(x, low - r + k), (x, low - r), (x, y + r), (x, y + r - k), (x + r - k, y), (x + r, y), (x + r, y)]
    return points, [_MOVE, *[_LINE, _CURVE, _CURVE, _CURVE] * 4, _CLOSE]


def _path(data: str) -> _Outline:
    """Path data as our drawings write it."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    numbers: list[float] = []
    step = ""
    for letter, number in _STEP.findall(data):
        if number:
            numbers.append(float(number))
        else:
            step = letter
        if step in "Zz":
            points.append(points[0])
            codes.append(_CLOSE)
        elif step == "h" and len(numbers) == 1:
            points.append((points[-1][0] + numbers.pop(), points[-1][1]))
            codes.append(_LINE)
        elif step in "ML" and len(numbers) == 2:
            points.append((numbers[0], numbers[1]))
            codes.append(_MOVE if step == "M" else _LINE)
            numbers.clear()
        elif step == "l" and len(numbers) == 2:
            points.append((points[-1][0] + numbers[0], points[-1][1] + numbers[1]))
            codes.append(_LINE)
            numbers.clear()
        elif step == "C" and len(numbers) == 6:
            points += [(numbers[i], numbers[i + 1]) for i in (0, 2, 4)]
            codes += [_CURVE] * 3
            numbers.clear()
    return points, codes
