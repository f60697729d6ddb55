# SPDX-License-Identifier: Apache-2.0
"""A large diagram as the page draws it: the nodes of each depth in groups, and the way of an instance through them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import percent
from oddly.diagram import ODD
from oddly.diagram.rows import known_values
from oddly.distribution.flow import passing_groups
from oddly.draw.bands import Bands
from oddly.draw.curve import data
from oddly.draw.placing import MARGIN, Placed
from oddly.studio.picture import sink_box

Json = dict[str, Any]
PANE = {"tall": 640.0, "narrowest": 20.0}  # what fits beside the rest of the page


def grouped(odd: ODD, bands: Bands) -> Json:
    """What does the page need to draw bands?  Every group has an id, and is a node as in `picture`."""
    placed = Placed(bands, **PANE)
    ids = _ids(bands)
    return {
        "width": placed.width - 2 * MARGIN,
        "height": placed.height - 2 * MARGIN,
        "left": placed.left,
        "right": placed.width - MARGIN,
        "block": placed.block,
        "root": 0,
        "labels": list(bands.labels),
        "rows": [
            {"name": v.name, "shown": name, "values": list(v.values), "y": y, "nodes": count}
            for v, name, count, y in zip(bands.variables, placed.names, placed.counts, placed.ys, strict=False)
        ],
        "nodes": list(_nodes(odd, bands, placed, ids)),
        "ribbons": [
            {"from": ids[r.row] + r.above, "to": ids[r.row + 1] + r.below, "label": r.label, "d": data(r.shape)}
            for r in placed.ribbons()
        ],
        "captions": [{"text": words, "x": x, "y": y} for _, words, x, y in placed.captions()],
        "sinks": [
            {"label": label, "x": x, "y": placed.sinks, "caption": percent(group.share)}
            | sink_box(label, bands.labels[label])
            for label, group, x in placed.ends()
        ],
        "note": placed.note(),
    }


def passed(odd: ODD, bands: Bands, instance: Mapping[str, str]) -> Json:
    """Which groups may an instance pass, and from which to which?  Where a value is not known, those of all its values."""
    known = known_values(odd, instance)
    ids, here, steps = _ids(bands), np.array([odd.root]), []
    for depth, (level, name) in enumerate(zip(odd.levels, odd.order, strict=True)):
        below = level[here] if name not in known else level[here, known[name]][:, None]
        steps.append(_steps(bands, depth, here, below))
        here = np.unique(below)
    nodes = {ids[depth] + i for depth, pairs in enumerate(steps) for i, _ in pairs}
    nodes |= {ids[-1] + label for label in here.tolist()}
    alone = bool(steps) and all(len(pairs) == 1 for pairs in steps)
    return {
        "nodes": sorted(nodes),
        "steps": [[ids[depth] + i, ids[depth + 1] + j] for depth, pairs in enumerate(steps) for i, j in pairs],
        "d": data(Placed(bands, **PANE).way([*(pairs[0][0] for pairs in steps), int(here[0])])) if alone else "",
    }


def _steps(bands: Bands, depth: int, here: NDArray[Any], below: NDArray[Any]) -> list[tuple[int, int]]:
    """From which groups to which of the next depth these edges lead."""
    many = len(bands.rows[depth + 1])
    after = below if depth + 1 == len(bands.groups) else bands.groups[depth + 1][below]
    pairs = bands.groups[depth][here][:, None] * many + after
    return [divmod(int(pair), many) for pair in np.unique(pairs)]


def _nodes(odd: ODD, bands: Bands, placed: Placed, ids: list[int]) -> Iterator[Json]:
    sinks: NDArray[Any] = np.arange(len(odd.labels))
    counts = list(passing_groups(odd, [*bands.groups, sinks], list(map(len, bands.rows))))
    last = len(bands.rows) - 1
    for depth, (groups, spans, y) in enumerate(zip(bands.rows, placed.spans, placed.ys, strict=True)):
        for i, (group, (left, right)) in enumerate(zip(groups, spans, strict=True)):
            if group.share or depth < last:
                yield {
                    "id": ids[depth] + i,
                    "row": depth,
                    "x": (left + right) / 2,
                    "y": y,
                    "left": left,
                    "wide": right - left,
                    "parts": [list(part) for part in placed.parts(group, left)],
                    "through": str(counts[depth][i]),
                    "told": placed.told(depth, i),
                }


def _ids(bands: Bands) -> list[int]:
    """By depth: the id of its first group."""
    return [0, *np.cumsum([len(groups) for groups in bands.rows[:-1]]).tolist()]
