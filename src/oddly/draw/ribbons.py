# SPDX-License-Identifier: Apache-2.0
"""Bands as a picture, as self-contained SVG: blocks as wide as the share of instances that passes them, and ribbons between.

A block is divided by how its instances end, so that a reader sees where decisions fall. A ribbon takes the colour of a
label from where all that flows in it is decided.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from oddly.answers import percent
from oddly.answers.lettering import ems, shortened, visible
from oddly.draw.bands import Bands, NodeGroup
from oddly.draw.elements import Element, Svg, box, drawing, row, sink, text
from oddly.draw.layers import monotone, offsets
from oddly.draw.layout import SINK_HEIGHT, CurvePoint, Path, label_width, name_text, path
from oddly.draw.style import LETTERS

MARGIN = 24.0
BLOCK = 12.0
"""The height of a block, unless rows are closer than usual."""
TALL, NARROWEST = 1300.0, 30.0

_WIDTH = 620.0  # of all instances and the gaps between their groups
_GAP = 3.0
_WIDEST = 62.0  # from one row to the next
_THINNEST = 0.2  # of a ribbon that is drawn
_NOTE = 30.0

Span = tuple[float, float]


@dataclass(frozen=True)
class Ribbon:
    """What flows from a group of one row to a group of the next."""

    row: int
    above: int
    below: int
    share: float
    label: int | None
    """The decision of all of it, if it is decided."""
    shape: Path


class Placed:
    """The places of everything: x from the left end of the blocks, y from the top of the picture."""

    def __init__(self, bands: Bands, tall: float = TALL, narrowest: float = NARROWEST) -> None:
        """`tall` is what the rows share, `narrowest` the least from one row to the next."""
        self.bands = bands
        most = max(map(len, bands.rows))
        self.scale = _WIDTH - _GAP * (most - 1)
        self.names = [name_text(v.name) for v in bands.variables]
        self.counts = [f"{sum(group.nodes for group in groups):,}" for groups in bands.rows[:-1]]
        names = max((ems(name) * LETTERS["row"] + 24 for name in self.names), default=0.0)
        counts = max((ems(count) * LETTERS["note"] for count in [*self.counts, "nodes"]), default=0.0) + 20
        self.left = MARGIN + names
        self.width = self.left + _WIDTH + counts + MARGIN
        drop = min(max(tall / max(len(self.names), 1), narrowest), _WIDEST)
        self.block = BLOCK if drop >= NARROWEST else BLOCK * drop / NARROWEST
        self.ys = [MARGIN + 30 + drop * place for place in range(len(bands.rows))]
        self.sinks = self.ys[-1] + self.block / 2 + 12 + SINK_HEIGHT / 2
        self.height = self.sinks + SINK_HEIGHT / 2 + 24 + _NOTE + MARGIN / 2
        self.spans = [self._spans(groups) for groups in bands.rows]

    def ribbons(self) -> Iterator[Ribbon]:
        """All that is wide enough to be seen."""
        for place, flow in enumerate(self.bands.flows):
            above, below = self.bands.rows[place], self.bands.rows[place + 1]
            leave = [start for start, _ in self.spans[place]]
            enter = [start for start, _ in self.spans[place + 1]]
            top, bottom = self.ys[place] + self.block / 2, self.ys[place + 1] - self.block / 2
            for i, j in zip(*(axis.tolist() for axis in np.nonzero(flow)), strict=True):
                share = float(flow[i, j])
                wide = share * self.scale
                if wide >= _THINNEST:
                    label = above[i].decided if above[i].decided is not None else below[j].decided
                    yield Ribbon(place, i, j, share, label, _shape(leave[i], enter[j], wide, top, bottom))
                leave[i] += wide
                enter[j] += wide

    def parts(self, group: NodeGroup, start: float) -> Iterator[tuple[int, float, float]]:
        """How a block is divided: labels, each with its place and width."""
        edges = accumulate((end * self.scale for end in group.ends), initial=start)
        for label, (left, right) in enumerate(pairwise(edges)):
            if right > left:
                yield label, left, max(right - left, 0.5)

    def way(self, groups: Sequence[int]) -> Path:
        """The line of an instance that passes these groups; none if there is only one."""
        stops = [CurvePoint(sum(self.spans[k][i]) / 2, y) for k, (i, y) in enumerate(zip(groups, self.ys, strict=True))]
        return path(tuple(stops)) if len(stops) > 1 else ()

    def captions(self) -> Iterator[tuple[int, str, float, float]]:
        """A label's name in the first block that has room for it, so that colours need not be remembered."""
        for label, name in enumerate(self.bands.labels):
            words = name_text(name)
            for groups, spans, y in zip(self.bands.rows[:-1], self.spans, self.ys, strict=False):
                here = [span for group, span in zip(groups, spans, strict=True) if group.decided == label]
                fits = [sum(span) / 2 for span in here if span[1] - span[0] > ems(words) * LETTERS["part"] + 8]
                if fits:
                    yield label, words, fits[0], y
                    break

    def ends(self) -> Iterator[tuple[int, NodeGroup, float]]:
        """The decisions that are made at all, and where they stand so that they do not touch."""
        last = enumerate(zip(self.bands.rows[-1], self.spans[-1], strict=True))
        shown = [(label, group, span) for label, (group, span) in last if group.share]
        widths = [label_width(self.bands.labels[label]) + 16 for label, _, _ in shown]
        places = _apart([sum(span) / 2 for _, _, span in shown], widths)
        yield from ((label, group, x) for (label, group, _), x in zip(shown, places, strict=True))

    def told(self, place: int, i: int) -> str:
        """What a block stands for."""
        group = self.bands.rows[place][i]
        if place == len(self.bands.rows) - 1:
            return f"{self.bands.labels[i]}: {percent(group.share)}"
        nodes = "1 node" if group.nodes == 1 else f"{group.nodes:,} nodes"
        told = f"{self.bands.variables[place].name}: {nodes}, passed by {percent(group.share)}"
        if group.decided is not None:
            told += f"; all decided {self.bands.labels[group.decided]}"
        elif group.share:
            ends = zip(self.bands.labels, group.ends, strict=True)
            told += "; of these " + ", ".join(f"{percent(e / group.share)} end as {label}" for label, e in ends if e)
        if group.differs:
            told += f"; {percent(group.differs / group.share)} decided otherwise by the other"
        return told

    def note(self) -> str:
        said = f"{self.bands.size:,} nodes in groups; widths are shares under {visible(self.bands.under)}."
        if self.bands.differs is not None:
            said += f" Marked: what the other decides otherwise, {percent(self.bands.differs)} in all."
        return said

    def _spans(self, groups: Sequence[NodeGroup]) -> list[Span]:
        """Where the blocks of a row stand, in the middle of the picture."""
        wide = sum(group.share for group in groups) * self.scale + _GAP * (len(groups) - 1)
        starts = accumulate((g.share * self.scale + _GAP for g in groups), initial=(_WIDTH - wide) / 2)
        return [(x, x + g.share * self.scale) for x, g in zip(starts, groups, strict=False)]


def _shape(x: float, x_below: float, wide: float, top: float, bottom: float) -> Path:
    middle, right, right_below = (top + bottom) / 2, x + wide, x_below + wide
    return (
        ("M", (x, top)),
        ("C", (x, middle, x_below, middle, x_below, bottom)),
        ("L", (right_below, bottom)),
        ("C", (right_below, middle, right, middle, right, top)),
        ("Z", ()),
    )


def _apart(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Places near the wanted ones, in their order, at which things of these widths do not touch."""
    offset = offsets(widths)
    placed = monotone([(x - o, 1.0) for x, o in zip(wanted, offset, strict=False)])
    return [x + o for x, o in zip(placed, offset, strict=False)]


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
        note = shortened(here.note(), (here.width - 2 * MARGIN) / LETTERS["note"], ems)
        middle = [*self._ribbons(), *self._pen(), *self._blocks()]
        middle += [text("part", x, y, words) for _, words, x, y in here.captions()]
        inside = Element("g", inside=(*middle, *self._sinks()), moved=(here.left, 0))
        below = text("note", MARGIN, here.height - MARGIN - 2, note)
        return drawing(self.bands, here.width, here.height, description, *self._rows(), inside, below)

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
