# SPDX-License-Identifier: Apache-2.0
"""The elements that every drawing is made of, written out as SVG here and put on axes by `figure`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from oddly.answers.lettering import joined, visible
from oddly.draw.bands import Bands
from oddly.draw.graph import Graph
from oddly.draw.layout import SINK_HEIGHT, Point, data, label_width, name_text, number
from oddly.draw.style import LETTERS, outline, stylesheet


@dataclass(frozen=True)
class Element:
    """A piece of a drawing: a shape, words, or a group of pieces that is moved as one."""

    tag: str
    given: Mapping[str, Any] = field(default_factory=dict)
    """Attributes: texts, coordinates, the points of a polygon, and as `d` the steps of a path."""
    inside: tuple["Element", ...] = ()
    words: str = ""
    tip: str | None = None
    """What a reader sees when pointing at it."""
    moved: Point | None = None

    def lines(self) -> Iterator[str]:
        """The element as SVG; whatever it holds is escaped."""
        head = " ".join([f"<{self.tag}", *(f'{name}="{_written(value)}"' for name, value in self._attributes())])
        tip = "" if self.tip is None else f"<title>{escape(visible(self.tip))}</title>"
        if self.inside:
            yield f"{head}>{tip}"
            for element in self.inside:
                yield from element.lines()
            yield f"</{self.tag}>"
        else:
            words = self.words if self.tag == "style" else escape(self.words)
            yield f"{head}>{tip}{words}</{self.tag}>" if tip or words else f"{head}/>"

    def _attributes(self) -> Iterator[tuple[str, Any]]:
        if self.moved is not None:
            yield "transform", f"translate({' '.join(map(number, self.moved))})"
        yield from self.given.items()


def _written(value: Any) -> str:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value[0][0], str):
        return data(value)
    return " ".join(f"{number(x)},{number(y)}" for x, y in value)


class Svg(str):
    """A drawing as the text of an SVG file, which shows itself in a notebook; and its elements."""

    whole: Element

    def __new__(cls, whole: Element) -> "Svg":
        drawn = super().__new__(cls, "\n".join(whole.lines()) + "\n")
        drawn.whole = whole
        return drawn

    def __getnewargs__(self) -> tuple[Element]:  # type: ignore[override]
        return (self.whole,)

    @property
    def size(self) -> Point:
        """Its width and height."""
        return self.whole.given["width"], self.whole.given["height"]

    def _repr_svg_(self) -> str:
        return str(self)


def drawing(what: Graph | Bands, width: float, height: float, description: str, *inside: Element) -> Svg:
    """A whole drawing of a diagram."""
    over = f" over {joined(v.name for v in what.variables)}" if what.variables else ""
    return sheet(f"Decision diagram{over}", description, len(what.labels), width, height, *inside)


def sheet(title: str, description: str, labels: int, width: float, height: float, *inside: Element) -> Svg:
    """A whole drawing: its size, itself in words, its style and the paper, and what is on it."""
    size = {"width": round(width, 1), "height": round(height, 1)}  # for a figure, too
    given = {"xmlns": "http://www.w3.org/2000/svg", "class": "oddly", "role": "img", "direction": "ltr", **size}
    parts = (
        Element("title", words=title),
        Element("desc", words=description),
        Element("style", words=stylesheet(labels)),
        Element("rect", {"class": "paper", **size, "rx": 10}),
        *inside,
    )
    return Svg(Element("svg", {**given, "viewBox": f"0 0 {number(width)} {number(height)}"}, parts))


def box(look: str, x: float, y: float, width: float, height: float, rx: float | None = None) -> Element:
    """A rectangle, perhaps with round corners."""
    size = {"class": look, "x": x, "y": y, "width": width, "height": height}
    return Element("rect", size if rx is None else {**size, "rx": rx})


def row(left: float, y: float, width: float, height: float) -> Element:
    """The strip behind a row."""
    return box("band", left, y - height / 2, width, height, 6)


def sink(label: int, name: str, place: Point, state: str = "", caption: str = "") -> Element:
    """A label in its own shape and colour, and perhaps a line below it."""
    tag, shape = outline(label, label_width(name), SINK_HEIGHT)
    inside = (
        Element(tag, {**shape, "class": f"node to{label}{state}"}),
        text(f"label to{label}{state}", 0, 0, name_text(name)),
        *([text("caption", 0, SINK_HEIGHT / 2 + 12, caption)] if caption else []),
    )
    return Element("g", {"data-label": str(label)}, inside, tip=name, moved=place)


def text(look: str, x: float, y: float, words: str, tip: str | None = None) -> Element:
    """Words, their middle at this height; a tip is what a reader sees when pointing at them."""
    baseline = y + 0.35 * LETTERS[look.split()[0]]
    return Element("text", {"class": look, "x": x, "y": baseline}, words=words, tip=tip or None)
