# SPDX-License-Identifier: Apache-2.0
"""Bands as a picture: blocks, and ribbons between them, as self-contained SVG."""

from collections.abc import Iterator

from oddly.answers import percent
from oddly.answers.lettering import ems, joined, shortened
from oddly.draw.bands import Bands, NodeGroup
from oddly.draw.elements import Element, Svg, box, drawing, row, sink, text
from oddly.draw.placing import MARGIN, Placed
from oddly.draw.style import LETTERS


def ribbons(bands: Bands, description: str) -> Svg:
    """The picture, as SVG."""
    return _RibbonElements(bands).whole(description)


class _RibbonElements:
    """The elements of the picture, from the back to the front."""

    def __init__(self, bands: Bands) -> None:
        self.bands = bands
        self.placed = Placed(bands)

    def whole(self, description: str) -> Svg:
        here = self.placed
        over = f" over {joined(v.name for v in self.bands.variables)}" if self.bands.variables else ""
        note = shortened(here.note(), (here.width - 2 * MARGIN) / LETTERS["note"], ems)
        middle = [*self._ribbons(), *self._pen(), *self._blocks()]
        middle += [text("part", x, y, words) for _, words, x, y in here.captions()]
        return drawing(
            here.width,
            here.height,
            f"Decision diagram{over}",
            description,
            len(self.bands.labels),
            *self._rows(),
            Element("g", inside=(*middle, *self._sinks()), moved=(here.left, 0)),
            text("note", MARGIN, here.height - MARGIN - 2, note),
        )

    def _rows(self) -> Iterator[Element]:
        here = self.placed
        right = here.width - MARGIN
        yield text("count", right, here.ys[0] - 28, "nodes")
        for variable, name, count, y in zip(self.bands.variables, here.names, here.counts, here.ys, strict=False):
            yield row(MARGIN / 2, y, here.width - MARGIN, here.block + 10)
            yield text("row", MARGIN, y, name, repr(variable))
            yield text("count", right, y, count)

    def _ribbons(self) -> Iterator[Element]:
        for ribbon in self.placed.ribbons():
            look = "flow" if ribbon.label is None else f"flow to{ribbon.label}"
            yield Element("path", {"class": look, "d": ribbon.shape}, tip=percent(ribbon.share))

    def _pen(self) -> Iterator[Element]:
        """The way of an instance, as if marked with a broad pen."""
        if self.bands.path is not None and (way := self.placed.way(self.bands.path)):
            yield Element("path", {"class": "pen", "stroke-width": 11, "d": way})
            yield Element("path", {"class": "line on", "d": way})

    def _blocks(self) -> Iterator[Element]:
        here = self.placed
        for place, (groups, spans, y) in enumerate(zip(self.bands.rows, here.spans, here.ys, strict=True)):
            for i, (group, (start, _)) in enumerate(zip(groups, spans, strict=True)):
                if group.share or place < len(self.bands.rows) - 1:
                    given = {"data-row": str(place), "data-share": f"{group.share:.6g}"}
                    yield Element("g", given, tuple(self._block(group, start, y)), tip=here.told(place, i))

    def _block(self, group: NodeGroup, start: float, y: float) -> Iterator[Element]:
        high = self.placed.block
        for label, left, wide in self.placed.parts(group, start):
            yield box(f"part to{label}", left, y - high / 2, wide, high)
        if group.differs:
            yield box("mark", start, y + high / 2, max(group.differs * self.placed.scale, 1.0), 4)

    def _sinks(self) -> Iterator[Element]:
        for label, group, x in self.placed.ends():
            yield sink(label, self.bands.labels[label], (x, self.placed.sinks), caption=percent(group.share))
