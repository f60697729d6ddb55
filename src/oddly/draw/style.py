# SPDX-License-Identifier: Apache-2.0
"""How a drawing looks: colours for light and dark, a dash for each value, a shape for each label.

Nothing is told by colour alone. The colours are close to those of Okabe and Ito (2008), which colour-blind
people tell apart.
"""

from dataclasses import dataclass

FONT = "Inter, ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"

LETTERS = {
    "row": 13.0,
    "note": 11.5,
    "name": 11.0,
    "value": 12.0,
    "label": 14.0,
    "caption": 12.0,
    "count": 11.5,
    "part": 9.5,
}
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


LIGHT = Palette(
    paper="#fefefd",
    ink="#1c2230",
    muted="#667080",
    band="#f3f4f1",
    line="#5d6675",
    marker="#ffd95e",
    labels=(
        ("#b8500a", "#fdeee1"),
        ("#0a62ad", "#e3f0fb"),
        ("#00785c", "#e0f4ec"),
        ("#a03c7c", "#f9e8f2"),
        ("#7d6000", "#faf2d3"),
        ("#4e50b8", "#ebecfb"),
        ("#59626f", "#edeff1"),
    ),
)

DARK = Palette(
    paper="#14171c",
    ink="#e9ebee",
    muted="#98a2b0",
    band="#1c2027",
    line="#a2abb9",
    marker="#77600f",
    labels=(
        ("#ff9c62", "#3b2213"),
        ("#75b9ff", "#122b43"),
        ("#50d0a8", "#0f3026"),
        ("#f0a2d0", "#391b2d"),
        ("#e4c24c", "#332a08"),
        ("#abafff", "#23254d"),
        ("#b7bfca", "#272c34"),
    ),
)

DASHES = (
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
)
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


def outline(label: int, width: float, height: float) -> str:
    """The shape of a label's sink around the origin, as an SVG element's name and attributes."""
    corners = SHAPES[label % len(SHAPES)]
    if not corners:
        box = f'x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}"'
        return f'rect {box} rx="{height / 2:g}"'
    bevel = height * 0.36
    points = [f"{side * width / 2 + inset * bevel:g},{up * height / 2:g}" for side, inset, up in corners]
    return f'polygon points="{" ".join(points)}"'


def dash(values: tuple[int, ...]) -> str:
    """The dash of an edge, as an attribute."""
    pattern = DASHES[values[0] % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def stylesheet(labels: int) -> str:
    """The rules for a drawing with so many labels, light unless the reader prefers dark."""
    return f"{rules(labels)}@media screen and (prefers-color-scheme: dark) {{{_rules(DARK, labels)}}}"


def rules(labels: int) -> str:
    """The rules for light paper."""
    return f"{_SHAPE}{_rules(LIGHT, labels)}"


_SIZES = "\n".join(f".oddly .{look} {{ font-size: {size:g}px; }}" for look, size in LETTERS.items())
_SHAPE = f"""
.oddly text {{ font-family: {FONT}; }}
.oddly .line {{ fill: none; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round; }}
.oddly .line:hover {{ stroke-width: 3; }}
.oddly .line.on {{ stroke-width: 2.6; }}
.oddly .pen {{ fill: none; stroke-linecap: round; stroke-linejoin: round; }}
.oddly .node {{ stroke-width: 1.5; }}
.oddly .node.on {{ stroke-width: 2.6; }}
.oddly .flow {{ opacity: 0.32; }}
.oddly .flow:hover {{ opacity: 0.6; }}
.oddly .row, .oddly .name, .oddly .label, .oddly .part {{ font-weight: 600; }}
.oddly .value.on {{ font-weight: 700; }}
.oddly .name, .oddly .value, .oddly .label, .oddly .caption, .oddly .part {{ text-anchor: middle; }}
.oddly .count {{ text-anchor: end; }}
.oddly .name, .oddly .label, .oddly .part {{ pointer-events: none; }}
{_SIZES}
@media screen {{ svg.oddly {{ max-width: 100%; height: auto; }} }}
"""


def _rules(p: Palette, labels: int) -> str:
    neutral = f"""
.oddly .paper {{ fill: {p.paper}; }}
.oddly .band {{ fill: {p.band}; }}
.oddly .row, .oddly .value, .oddly .name {{ fill: {p.ink}; }}
.oddly .note, .oddly .count, .oddly .caption {{ fill: {p.muted}; }}
.oddly .part {{ fill: {p.paper}; }}
.oddly .flow {{ fill: {p.line}; }}
.oddly .mark {{ fill: {p.marker}; stroke: {p.ink}; stroke-width: 0.6; }}
.oddly .value.off, .oddly .name.off {{ fill: {_faded(p.ink, p)}; }}
.oddly .line {{ stroke: {p.line}; }}
.oddly .line.off {{ stroke: {_faded(p.line, p)}; }}
.oddly .head {{ fill: {p.line}; }}
.oddly .head.off {{ fill: {_faded(p.line, p)}; }}
.oddly .node {{ fill: {p.paper}; stroke: {p.ink}; }}
.oddly .node.off {{ stroke: {_faded(p.ink, p)}; }}
.oddly .pen {{ stroke: {p.marker}; }}
"""
    return neutral + "".join(_label_rules(p, label) for label in range(labels))


def _label_rules(p: Palette, label: int) -> str:
    strong, pale = p.labels[label % len(p.labels)]
    return f"""\
.oddly .line.to{label} {{ stroke: {strong}; }}
.oddly .head.to{label}, .oddly .label.to{label}, .oddly .part.to{label}, .oddly .flow.to{label} {{ fill: {strong}; }}
.oddly .node.to{label} {{ stroke: {strong}; fill: {pale}; }}
.oddly .line.to{label}.off, .oddly .node.to{label}.off {{ stroke: {_faded(strong, p)}; }}
.oddly .head.to{label}.off, .oddly .label.to{label}.off {{ fill: {_faded(strong, p)}; }}
"""


def _faded(colour: str, p: Palette) -> str:
    """A colour on its way into the paper; opacity would show where lines overlap."""
    pairs = [(int(colour[i : i + 2], 16), int(p.paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(0.4 * strong + 0.6 * paper):02x}" for strong, paper in pairs)
