# SPDX-License-Identifier: Apache-2.0
"""Bands as a picture: blocks, and ribbons between them, as self-contained SVG."""

from collections.abc import Iterator

from oddly.answers import percent
from oddly.answers.lettering import ems, joined, shortened
from oddly.draw.bands import Bands, Group
from oddly.draw.curve import number
from oddly.draw.elements import at, hint, opening, row, sink, text
from oddly.draw.placing import MARGIN, Placed
from oddly.draw.style import LETTERS


def ribbons(bands: Bands, description: str) -> str:
    """The picture, as SVG."""
    return _Picture(bands).whole(description)


class _Picture:
    """The elements of the picture, from the back to the front."""

    def __init__(self, bands: Bands) -> None:
        self.bands = bands
        self.placed = Placed(bands)

    def whole(self, description: str) -> str:
        here = self.placed
        over = f" over {joined(v.name for v in self.bands.variables)}" if self.bands.variables else ""
        note = shortened(here.note(), (here.width - 2 * MARGIN) / LETTERS["note"], ems)
        parts = [
            *opening(here.width, here.height, f"Decision diagram{over}", description, len(self.bands.labels)),
            *self._rows(),
            f'<g transform="translate({number(here.left)} 0)">',
            *self._ribbons(),
            *self._pen(),
            *self._blocks(),
            *(text("part", x, y, words) for _, words, x, y in here.captions()),
            *self._sinks(),
            "</g>",
            text("note", MARGIN, here.height - MARGIN - 2, note),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _rows(self) -> Iterator[str]:
        here = self.placed
        right = here.width - MARGIN
        yield text("count", right, here.ys[0] - 28, "nodes")
        for variable, name, count, y in zip(self.bands.variables, here.names, here.counts, here.ys, strict=False):
            yield row(MARGIN / 2, y, here.width - MARGIN, here.block + 10)
            yield text("row", MARGIN, y, name, repr(variable))
            yield text("count", right, y, count)

    def _ribbons(self) -> Iterator[str]:
        for ribbon in self.placed.ribbons():
            look = "flow" if ribbon.label is None else f"flow to{ribbon.label}"
            yield f'<path class="{look}" d="{ribbon.shape}">{hint(percent(ribbon.share))}</path>'

    def _pen(self) -> Iterator[str]:
        """The way of an instance, as if marked with a broad pen."""
        if self.bands.path is not None and (way := self.placed.way(self.bands.path)):
            yield f'<path class="pen" stroke-width="11" d="{way}"/>'
            yield f'<path class="line on" d="{way}"/>'

    def _blocks(self) -> Iterator[str]:
        here = self.placed
        for place, (groups, spans, y) in enumerate(zip(self.bands.rows, here.spans, here.ys, strict=True)):
            for i, (group, (start, _)) in enumerate(zip(groups, spans, strict=True)):
                if group.share or place < len(self.bands.rows) - 1:
                    yield f'<g data-row="{place}" data-share="{group.share:.6g}">{hint(here.told(place, i))}'
                    yield from self._block(group, start, y)
                    yield "</g>"

    def _block(self, group: Group, start: float, y: float) -> Iterator[str]:
        high = self.placed.block
        for label, left, wide in self.placed.parts(group, start):
            size = f'width="{number(wide)}" height="{high:g}"'
            yield f'<rect class="part to{label}" {at(left, y - high / 2)} {size}/>'
        if group.differs:
            wide = max(group.differs * self.placed.scale, 1.0)
            yield f'<rect class="mark" {at(start, y + high / 2)} width="{number(wide)}" height="4"/>'

    def _sinks(self) -> Iterator[str]:
        for label, group, x in self.placed.ends():
            yield from sink(label, self.bands.labels[label], x, self.placed.sinks, caption=percent(group.share))
