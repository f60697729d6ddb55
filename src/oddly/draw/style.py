# SPDX-License-Identifier: Apache-2.0
"""How a drawing looks: colours for light and dark, a dash for each value, a shape for each label.

Nothing is told by colour alone. The colours are close to those of Okabe and Ito (2008), which colour-blind
people tell apart.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

FONT = "Inter, ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"

LETTERS = {"row": 13, "note": 11.5, "name": 11, "value": 12, "label": 14, "caption": 12, "count": 11.5, "part": 9.5}
"""Sizes: of an attribute's name at the left edge, of the note below, in a node, on an edge, in a sink and below it; of
a number at the right edge, and in a block."""


@dataclass(frozen=True)
class Palette:
    """One set of colours; each label has one for its lines and one to fill its sink."""

    paper: str
    ink: str
    muted: str
    band: str
    line: str
    marker: str
    labels: tuple[tuple[str, str], ...]


_SURFACES = {  # on light screens and paper, and on dark screens
    "paper": ("#fefefd", "#14171c"),
    "ink": ("#1c2230", "#e9ebee"),
    "muted": ("#667080", "#98a2b0"),
    "band": ("#f3f4f1", "#1c2027"),
    "line": ("#5d6675", "#a2abb9"),
    "marker": ("#ffd95e", "#77600f"),
}
_LABELS = (
    (("#b8500a", "#fdeee1"), ("#ff9c62", "#3b2213")),
    (("#0a62ad", "#e3f0fb"), ("#75b9ff", "#122b43")),
    (("#00785c", "#e0f4ec"), ("#50d0a8", "#0f3026")),
    (("#a03c7c", "#f9e8f2"), ("#f0a2d0", "#391b2d")),
    (("#7d6000", "#faf2d3"), ("#e4c24c", "#332a08")),
    (("#4e50b8", "#ebecfb"), ("#abafff", "#23254d")),
    (("#59626f", "#edeff1"), ("#b7bfca", "#272c34")),
)
LIGHT, DARK = (
    Palette(**{name: pair[i] for name, pair in _SURFACES.items()}, labels=tuple(pair[i] for pair in _LABELS))
    for i in (0, 1)
)

DASHES = [
    "",
    "7 4",
    "0.1 4.5",
    "9 4.5 0.1 4.5",
    "15 5",
    "3.5 4",
    "9 4.5 0.1 4.5 0.1 4.5",
    "15 5 4 5",
    "0.1 8",
    "4 4 0.1 4",
    "9 4 4 4 4 4",
    "18 4.5 0.1 4.5 0.1 4.5 0.1 4.5",
]
"""By the place of an edge's first value: no two edges of one node are alike, up to twelve values."""

# A corner is (side, inset, up): x = side * half the width + inset * the bevel, y = up * half the height.
_Corners = tuple[tuple[int, int, int], ...]
SHAPES: tuple[_Corners, ...] = (
    ((-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)),  # rectangle
    (),  # rounded
    ((-1, 0, 0), (-1, 1, -1), (1, -1, -1), (1, 0, 0), (1, -1, 1), (-1, 1, 1)),  # hexagon
    ((-1, 1, -1), (1, 0, -1), (1, -1, 1), (-1, 0, 1)),  # parallelogram
    ((-1, 1, -1), (1, -1, -1), (1, 0, 1), (-1, 0, 1)),  # trapezium
    ((-1, 0, -1), (1, 0, -1), (1, -1, 1), (-1, 1, 1)),  # the same, upside down
    ((-1, 0, -1), (1, -1, -1), (1, 0, 0), (1, -1, 1), (-1, 0, 1)),  # pointing right
    ((-1, 1, -1), (1, 0, -1), (1, 0, 1), (-1, 1, 1), (-1, 0, 0)),  # pointing left
    ((-1, 0, -1), (1, -1, -1), (1, 0, 1), (-1, 1, 1)),  # parallelogram leaning left
)


def outline(label: int, width: float, height: float) -> tuple[str, dict[str, Any]]:
    """The shape of a label's sink around the origin: what it is, and its attributes."""
    corners = SHAPES[label % len(SHAPES)]
    if not corners:
        return "rect", {"x": -width / 2, "y": -height / 2, "width": width, "height": height, "rx": height / 2}
    bevel = height * 0.36
    points = [(side * width / 2 + inset * bevel, up * height / 2) for side, inset, up in corners]
    return "polygon", {"points": tuple(points)}


def dash(values: tuple[int, ...]) -> str:
    """The dash of an edge."""
    return DASHES[values[0] % len(DASHES)]


# ---- rules ----

Style = dict[str, str]
Rule = tuple[tuple[str, ...], Style]
"""Of which classes, each perhaps joined by dots to others; and what they look like."""


def _rule(looks: str, **style: str) -> Rule:
    return tuple(looks.split()), {name.replace("_", "-"): value for name, value in style.items()}


_ROUND = {"stroke_linecap": "round", "stroke_linejoin": "round"}
_SHAPES = (
    _rule("line", fill="none", stroke_width="1.4", **_ROUND),
    _rule("line:hover", stroke_width="3"),
    _rule("line.on", stroke_width="2.6"),
    _rule("pen", fill="none", **_ROUND),
    _rule("node", stroke_width="1.5"),
    _rule("node.on", stroke_width="2.6"),
    _rule("flow", opacity="0.32"),
    _rule("flow:hover", opacity="0.6"),
    _rule("row name label part", font_weight="600"),
    _rule("value.on", font_weight="700"),
    _rule("name value label caption part", text_anchor="middle"),
    _rule("count", text_anchor="end"),
    _rule("name label part", pointer_events="none"),
    *(_rule(look, font_size=f"{size:g}px") for look, size in LETTERS.items()),
)


def rules(labels: int) -> list[Rule]:
    """How every part of a drawing with so many labels looks on light paper."""
    return [*_SHAPES, *_colours(LIGHT, labels)]


def stylesheet(labels: int) -> str:
    """The same as a style sheet, light unless the reader prefers dark."""
    dark = _css(_colours(DARK, labels))
    return (
        f"\n.oddly text {{ font-family: {FONT}; }}\n{_css(rules(labels))}"
        "@media screen { svg.oddly { max-width: 100%; height: auto; } }\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{dark}}}"
    )


def _css(rules: Iterable[Rule]) -> str:
    lines = []
    for looks, style in rules:
        body = " ".join(f"{name}: {value};" for name, value in style.items())
        lines.append(f"{', '.join(f'.oddly .{look}' for look in looks)} {{ {body} }}\n")
    return "".join(lines)


def _colours(p: Palette, labels: int) -> Iterator[Rule]:
    yield _rule("paper", fill=p.paper)
    yield _rule("band", fill=p.band)
    yield _rule("row value name", fill=p.ink)
    yield _rule("note count caption", fill=p.muted)
    yield _rule("part", fill=p.paper)
    yield _rule("flow", fill=p.line)
    yield _rule("mark", fill=p.marker, stroke=p.ink, stroke_width="0.6")
    yield _rule("value.off name.off", fill=_faded(p.ink, p))
    yield _rule("line", stroke=p.line)
    yield _rule("line.off", stroke=_faded(p.line, p))
    yield _rule("head", fill=p.line)
    yield _rule("head.off", fill=_faded(p.line, p))
    yield _rule("node", fill=p.paper, stroke=p.ink)
    yield _rule("node.off", stroke=_faded(p.ink, p))
    yield _rule("pen", stroke=p.marker)
    for label in range(labels):
        (strong, pale), to = p.labels[label % len(p.labels)], f"to{label}"
        yield _rule(f"line.{to}", stroke=strong)
        yield _rule(f"head.{to} label.{to} part.{to} flow.{to}", fill=strong)
        yield _rule(f"node.{to}", stroke=strong, fill=pale)
        yield _rule(f"line.{to}.off node.{to}.off", stroke=_faded(strong, p))
        yield _rule(f"head.{to}.off label.{to}.off", fill=_faded(strong, p))


def _faded(colour: str, p: Palette) -> str:
    """A colour on its way into the paper; opacity would show where lines overlap."""
    pairs = [(int(colour[i : i + 2], 16), int(p.paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(0.4 * strong + 0.6 * paper):02x}" for strong, paper in pairs)
