# SPDX-License-Identifier: Apache-2.0
"""Curves over one axis, as SVG: a share between nothing and all on a logarithmic scale, the foremost curves named and the others pale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10

from oddly.answers.lettering import shortened, visible
from oddly.draw.elements import Element, Svg, sheet, text
from oddly.draw.layout import Path, Point

WIDTH, HEIGHT = 760.0, 330.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 232.0, 26.0, 52.0  # margins; the names are on the right
FOREMOST = 6  # curves that have a colour and a name
LINE_HEIGHT = 20.0
LONGEST = 26  # columns of a name


@dataclass(frozen=True)
class Line:
    """One curve."""

    name: str
    across: Sequence[float]
    shares: Sequence[float]


def curves(lines: Sequence[Line], title: str, across: str, level: float, least: float) -> Svg:
    """What do these curves look like, the first ones foremost?  A `level` is marked; what is under `least` is at the bottom."""
    reach = max(abs(x) for line in lines for x in line.across)
    chart = _Chart(reach, least)
    inside = [*chart.grid(across), *chart.mark(level)]
    for place, line in reversed(list(enumerate(lines))):
        inside += chart.curve(line, f" to{place}" if place < FOREMOST else " off")
    inside += chart.names(lines)
    said = f"{title}: {', '.join(visible(line.name) for line in lines[:FOREMOST])}"
    return sheet(title, said, FOREMOST, WIDTH, HEIGHT, *inside)


@dataclass(frozen=True)
class _Chart:
    reach: float
    least: float

    def place(self, x: float, share: float) -> Point:
        across = (x / self.reach + 1) / 2
        up = 1 - log10(max(share, self.least)) / log10(self.least)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def grid(self, across: str) -> Iterator[Element]:
        share = 1.0
        while share >= self.least * 0.999:
            left, y = self.place(-self.reach, share)
            yield Element("path", {"class": "line off", "d": _across(left, self.place(self.reach, share)[0], y)})
            yield text("count", left - 8, y, f"{100 * share:.6g}%")
            share /= 10
        for x in (-self.reach, -self.reach / 2, 0.0, self.reach / 2, self.reach):
            yield text("caption", self.place(x, 1)[0], HEIGHT - BOTTOM + 16, f"{x:+.3g}" if x else "now")
        yield text("caption", self.place(0, 1)[0], HEIGHT - BOTTOM + 36, across)

    def mark(self, level: float) -> Iterator[Element]:
        left, y = self.place(-self.reach, level)
        steps = _across(left, self.place(self.reach, level)[0], y)
        yield Element(
            "path", {"class": "line", "d": steps, "stroke-dasharray": "5 4"}, tip=f"{100 * level:.6g}% of cases"
        )

    def curve(self, line: Line, look: str) -> Iterator[Element]:
        """Left and right of where the number is now, where it changes anything."""
        for side in (-1, 1):
            points = [(x, s) for x, s in zip(line.across, line.shares, strict=True) if side * x > 0 and s > self.least]
            steps = tuple(("L" if k else "M", self.place(x, s)) for k, (x, s) in enumerate(points))
            if len(steps) > 1:
                yield Element("path", {"class": f"line{look}", "d": steps}, tip=line.name)

    def names(self, lines: Sequence[Line]) -> Iterator[Element]:
        x = WIDTH - RIGHT + 24
        for place, line in enumerate(lines[:FOREMOST]):
            y = TOP + 8 + place * LINE_HEIGHT
            yield Element("path", {"class": f"line on to{place}", "d": _across(x, x + 18, y)})
            yield text("note", x + 26, y, shortened(visible(line.name), LONGEST), line.name)
        if len(lines) > FOREMOST:
            y = TOP + 8 + FOREMOST * LINE_HEIGHT
            yield Element("path", {"class": "line off", "d": _across(x, x + 18, y)})
            yield text("note", x + 26, y, f"{len(lines) - FOREMOST:,} others")


def _across(left: float, right: float, y: float) -> Path:
    return ("M", (left, y)), ("L", (right, y))
