# SPDX-License-Identifier: Apache-2.0
"""A diagram as the page draws it: places, lines, and for every node who comes by and within which interval; of a large one
the nodes of each depth in groups, and the way of an instance through them.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import percent
from oddly.answers.lettering import ems
from oddly.diagram import ODD
from oddly.diagram.levelled import idle
from oddly.diagram.regions import Regions
from oddly.diagram.rows import known_values
from oddly.distribution.flow import passing, passing_groups
from oddly.draw import text
from oddly.draw.bands import Bands
from oddly.draw.graph import Edge, Graph, legible
from oddly.draw.layout import SINK_HEIGHT, Layout, data, label_width, layout, name_text, path, value_text, value_width
from oddly.draw.ribbons import MARGIN, Placed
from oddly.draw.style import LETTERS, SHAPES, dash
from oddly.errors import Unsupported
from oddly.lowering import Families
from oddly.model.numbers import from_log_odds

MOST_DRAWN = 400  # nodes; more is no picture
MOST_WORDS = 60  # nodes that are also written out
MOST_COMPARED = 3  # classes whose differences are written out


def picture(odd: ODD, most: int = MOST_DRAWN) -> dict[str, Any]:
    """What does the page need to draw a diagram?  Of one that is too large, the width of each depth."""
    graph = legible(odd, reduced=True, most=most)
    if graph is None:
        return {"widths": odd.widths, "order": list(odd.order), "nodes": odd.reduced_size}
    plan = layout(graph)
    edges = list(plan.lines)
    return {
        "width": plan.width,
        "height": plan.height,
        "radius": plan.radius,
        "lettered": plan.lettered,
        "names": max((ems(name_text(v.name)) * LETTERS["row"] for v in graph.variables), default=0),
        "root": graph.root,
        "labels": list(graph.labels),
        "rows": [
            {"name": v.name, "shown": name_text(v.name), "values": list(v.values), "y": y}
            for v, y in zip(graph.variables, plan.rows, strict=False)
        ],
        "nodes": [_node(node, graph, plan, facts) for node, facts in _facts(odd, graph).items()],
        "edges": [_edge(edge, plan) for edge in edges],
        "trunks": [
            {"d": data(path(t.line)), "edges": [edges.index(e) for e in t.edges], "to": t.edges[0].target}
            for t in plan.trunks
        ],
        "note": graph.note,
        "words": text(odd, most=MOST_WORDS) if graph.size <= MOST_WORDS else "",
    }


def _node(node: int, graph: Graph, plan: Layout, facts: dict[str, Any]) -> dict[str, Any]:
    x, y = plan.nodes[node]
    here: dict[str, Any] = {"id": node, "x": x, "y": y, "row": graph.row[node], **facts}
    if node in graph.sinks:
        name = graph.labels[node]
        here |= {"sink": name, **sink_box(node, name)}
    return here


def sink_box(label: int, name: str) -> dict[str, Any]:
    """The box of a decision: what is written in it, its size and its shape."""
    return {"shown": name_text(name), "wide": label_width(name), "high": SINK_HEIGHT, "shape": label % len(SHAPES)}


def _edge(edge: Edge, plan: Layout) -> dict[str, Any]:
    line = plan.lines[edge]
    return {
        "from": edge.source,
        "to": edge.target,
        "values": list(edge.values),
        "label": value_text(edge),
        "all": edge.label,
        "wide": value_width(edge) + 4,
        "d": data(path(line)),
        "x": round(line[1].x, 1) + 0.0,
        "y": round(line[1].y, 1) + 0.0,
        "dash": dash(edge.values),
    }


# ---- who comes by ----


def _facts(odd: ODD, graph: Graph) -> dict[int, dict[str, Any]]:
    """For every node that is drawn how many instances pass it, and where it is entered."""
    visits = list(passing(odd))
    entered = _entered(odd)
    found: dict[int, dict[str, Any]] = {}
    start = len(odd.labels)
    for depth, level in enumerate(odd.levels):
        for node in np.flatnonzero(~idle(level)).tolist():
            if start in graph.row:
                through = str(int(visits[depth][node]))
                found[start] = {"through": through, "asks": odd.order[depth], "interval": entered(depth, node)}
            start += 1
    for sink in graph.sinks:
        found[sink] = {"through": str(int(visits[-1][sink])), "asks": "", "interval": ""}
    return found


def _entered(odd: ODD) -> Callable[[int, int], str]:
    """By depth and node, where it is entered as a sentence; an empty one where that is not known."""
    try:
        if isinstance(odd.source, Families):
            regions = odd.regions()
            return lambda depth, node: within(regions[depth].of(node))
        intervals = odd.intervals()
    except Unsupported:
        return lambda depth, node: ""
    return lambda depth, node: interval(odd, *intervals[depth][node])


def within(regions: Regions) -> str:
    """Where a node is entered, if values above are to be remembered or classes are many."""
    compared = np.flatnonzero(regions.possible.sum(axis=1) > 1)
    contexts = len(np.unique(regions.context[compared]))
    if len(compared) != 1:
        return f"Reached in {contexts} contexts, each with its own numbers." if contexts > 1 else ""
    region = regions[int(compared[0])]
    if len(region.possible) > MOST_COMPARED:
        return f"Reached from one zone of the scores of {len(region.possible)} classes."
    where = ", ".join(f"{name}={value}" for name, value in region.context.items())
    return f"Reached{' where ' if where else ''}{where} with {region.sentence()}, from the tables complete so far."


def interval(odd: ODD, low: float, high: float) -> str:
    """Where a node is entered, as a sentence about the values so far.

    >>> import oddly
    >>> interval(oddly.compile(oddly.examples.pregnancy()), 0.772, 3.479)
    'Reached while Pr(P=yes), given the values above, is in [0.684, 0.970).'
    """
    model = odd.source.model if odd.source is not None else None
    if math.isnan(low) or model is None or not model.additive:
        return ""
    if model.probabilistic:
        what = f"Pr({model.class_name}={model.positive}), given the values above,"
        ends = [f"{from_log_odds(x):.3f}" if math.isfinite(x) else ("0" if x < 0 else "1") for x in (low, high)]
    else:
        what = "the points so far, with the intercept,"
        ends = ["−∞" if x == -math.inf else "∞" if x == math.inf else f"{x:.6g}" for x in (low, high)]
    left, right = ("[", ")") if model.ties == "positive" else ("(", "]")
    left = left if math.isfinite(low) else "("
    right = right if math.isfinite(high) else ")"
    return f"Reached while {what} is in {left}{ends[0]}, {ends[1]}{right}."


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
