# SPDX-License-Identifier: Apache-2.0
"""Bands as a picture: blocks as wide as the share of instances that passes them, and ribbons between them.

A block is divided by how its instances end, so that a reader sees where decisions fall. A ribbon takes the colour of a
label from where all that flows in it is decided.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np

from oddly.draw.bands import Bands, Group
from oddly.draw.curve import Stop, drawn, number
from oddly.draw.elements import at, hint, opening, percent, row, sink, text
from oddly.draw.layout import SINK_HEIGHT, label_width
from oddly.draw.lettering import ems, joined, shortened, visible
from oddly.draw.style import LETTERS

_MARGIN = 24.0
_WIDTH = 620.0  # of all instances and the gaps between their groups
_GAP = 3.0
_BLOCK = 12.0
_LONGEST_NAME = 16.0
_NARROWEST, _WIDEST = 30.0, 62.0  # from one row to the next
_TALL = 1300.0  # what the rows share
_THINNEST = 0.2  # of a ribbon that is drawn
_NOTE = 30.0

Span = tuple[float, float]


def ribbons(bands: Bands, description: str) -> str:
    """The picture, as SVG."""
    return _Picture(bands).whole(description)


class _Picture:
    """The elements of the picture, from the back to the front."""

    def __init__(self, bands: Bands) -> None:
        self.bands = bands
        most = max(map(len, bands.rows))
        self.scale = _WIDTH - _GAP * (most - 1)
        self.names = [shortened(visible(v.name), _LONGEST_NAME, ems) for v in bands.variables]
        self.counts = [f"{sum(group.nodes for group in groups):,}" for groups in bands.rows[:-1]]
        names = max((ems(name) * LETTERS["row"] + 24 for name in self.names), default=0.0)
        counts = max((ems(count) * LETTERS["note"] for count in [*self.counts, "nodes"]), default=0.0) + 20
        self.left = _MARGIN + names
        self.width = self.left + _WIDTH + counts + _MARGIN
        drop = min(max(_TALL / max(len(self.names), 1), _NARROWEST), _WIDEST)
        self.ys = [_MARGIN + 30 + drop * place for place in range(len(bands.rows))]
        self.sinks = self.ys[-1] + _BLOCK / 2 + 12 + SINK_HEIGHT / 2
        self.height = self.sinks + SINK_HEIGHT / 2 + 24 + _NOTE + _MARGIN / 2
        self.spans = [self._spans(groups) for groups in bands.rows]

    def whole(self, description: str) -> str:
        over = f" over {joined(v.name for v in self.bands.variables)}" if self.bands.variables else ""
        parts = [
            *opening(self.width, self.height, f"Decision diagram{over}", description, len(self.bands.labels)),
            *self._rows(),
            f'<g transform="translate({number(self.left)} 0)">',
            *self._ribbons(),
            *self._pen(),
            *self._blocks(),
            *self._names(),
            *self._sinks(),
            "</g>",
            text("note", _MARGIN, self.height - _MARGIN - 2, self._note()),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _spans(self, groups: Sequence[Group]) -> list[Span]:
        """Where the blocks of a row stand, in the middle of the picture."""
        wide = sum(group.share for group in groups) * self.scale + _GAP * (len(groups) - 1)
        starts = accumulate((g.share * self.scale + _GAP for g in groups), initial=(_WIDTH - wide) / 2)
        return [(x, x + g.share * self.scale) for x, g in zip(starts, groups, strict=False)]

    def _rows(self) -> Iterator[str]:
        right = self.width - _MARGIN
        yield text("count", right, self.ys[0] - 28, "nodes")
        for variable, name, count, y in zip(self.bands.variables, self.names, self.counts, self.ys, strict=False):
            yield row(_MARGIN / 2, y, self.width - _MARGIN, _BLOCK + 10)
            yield text("row", _MARGIN, y, name, repr(variable))
            yield text("count", right, y, count)

    def _ribbons(self) -> Iterator[str]:
        for place, flow in enumerate(self.bands.flows):
            above, below = self.bands.rows[place], self.bands.rows[place + 1]
            leave = [start for start, _ in self.spans[place]]
            enter = [start for start, _ in self.spans[place + 1]]
            for i, j in zip(*np.nonzero(flow), strict=True):
                wide = float(flow[i, j]) * self.scale
                if wide >= _THINNEST:
                    label = above[i].decided if above[i].decided is not None else below[j].decided
                    look = "flow" if label is None else f"flow to{label}"
                    shape = _ribbon(
                        leave[i], enter[j], wide, self.ys[place] + _BLOCK / 2, self.ys[place + 1] - _BLOCK / 2
                    )
                    yield f'<path class="{look}" d="{shape}">{hint(percent(float(flow[i, j])))}</path>'
                leave[i] += wide
                enter[j] += wide

    def _pen(self) -> Iterator[str]:
        """The way of an instance, as if marked with a broad pen."""
        if self.bands.path is not None:
            middles = [sum(self.spans[k][i]) / 2 for k, i in enumerate(self.bands.path)]
            stops = [Stop(x, y) for x, y in zip(middles, self.ys, strict=True)]
            if len(stops) > 1:
                yield f'<path class="pen" stroke-width="11" d="{drawn(tuple(stops))}"/>'
                yield f'<path class="line on" d="{drawn(tuple(stops))}"/>'

    def _blocks(self) -> Iterator[str]:
        for place, (groups, spans, y) in enumerate(zip(self.bands.rows, self.spans, self.ys, strict=True)):
            for i, (group, (start, _)) in enumerate(zip(groups, spans, strict=True)):
                if group.share or place < len(self.bands.rows) - 1:
                    tip = self._told(place, i, group)
                    yield f'<g data-row="{place}" data-share="{group.share:.6g}">{hint(tip)}'
                    yield from self._block(group, start, y)
                    yield "</g>"

    def _block(self, group: Group, start: float, y: float) -> Iterator[str]:
        edges = list(accumulate((end * self.scale for end in group.ends), initial=start))
        for label, (left, right) in enumerate(pairwise(edges)):
            if right > left:
                wide = max(right - left, 0.5)
                yield f'<rect class="part to{label}" {at(left, y - _BLOCK / 2)} width="{number(wide)}" height="{_BLOCK:g}"/>'
        if group.differs:
            wide = max(group.differs * self.scale, 1.0)
            yield f'<rect class="mark" {at(start, y + _BLOCK / 2)} width="{number(wide)}" height="4"/>'

    def _names(self) -> Iterator[str]:
        """A label's name in the first block that has room for it, so that colours need not be remembered."""
        for label, name in enumerate(self.bands.labels):
            words = shortened(visible(name), _LONGEST_NAME, ems)
            for groups, spans, y in zip(self.bands.rows[:-1], self.spans, self.ys, strict=False):
                fits = [
                    (left + right) / 2
                    for group, (left, right) in zip(groups, spans, strict=True)
                    if group.decided == label and right - left > ems(words) * LETTERS["part"] + 8
                ]
                if fits:
                    yield text("part", fits[0], y, words)
                    break

    def _sinks(self) -> Iterator[str]:
        shown = [
            (label, g, span)
            for label, (g, span) in enumerate(zip(self.bands.rows[-1], self.spans[-1], strict=True))
            if g.share
        ]
        widths = [label_width(self.bands.labels[label]) + 16 for label, _, _ in shown]
        places = _apart([sum(span) / 2 for _, _, span in shown], widths)
        for (label, group, _), x in zip(shown, places, strict=True):
            yield from sink(label, self.bands.labels[label], x, self.sinks, caption=percent(group.share))

    def _told(self, place: int, i: int, group: Group) -> str:
        """What a block stands for."""
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

    def _note(self) -> str:
        bands = self.bands
        said = f"{bands.size:,} nodes in groups; widths are shares under {visible(bands.under)}."
        if bands.differs is not None:
            said += f" Marked: what the other decides otherwise, {percent(bands.differs)} in all."
        return shortened(said, (self.width - 2 * _MARGIN) / LETTERS["note"], ems)


def _ribbon(x: float, x_below: float, wide: float, top: float, bottom: float) -> str:
    middle = number((top + bottom) / 2)
    y, end = number(top), number(bottom)
    left, right, left_below, right_below = (number(v) for v in (x, x + wide, x_below, x_below + wide))
    return (
        f"M{left} {y}C{left} {middle} {left_below} {middle} {left_below} {end}"
        f"L{right_below} {end}C{right_below} {middle} {right} {middle} {right} {y}Z"
    )


def _apart(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Places near the wanted ones, in their order, at which things of these widths do not touch."""
    from oddly.draw.spacing import monotone

    offsets = list(accumulate(((a + b) / 2 for a, b in pairwise(widths)), initial=0.0))
    placed = monotone([(x - offset, 1.0) for x, offset in zip(wanted, offsets, strict=False)])
    return [x + offset for x, offset in zip(placed, offsets, strict=False)]
