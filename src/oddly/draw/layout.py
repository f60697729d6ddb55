# SPDX-License-Identifier: Apache-2.0
"""Where everything stands: attributes as rows, the sinks at the bottom, and the lines between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from oddly.draw.graph import Edge, Graph
from oddly.draw.lettering import ems, shortened, visible
from oddly.draw.mesh import Bend, Layers, Mesh, Vertex, entered, mesh, trunks
from oddly.draw.ordering import ordered
from oddly.draw.spacing import Places, spaced

Point = tuple[float, float]
Line = tuple[Point, ...]
"""On a row, between rows, on a row, and so on."""

NAME_SIZE, VALUE_SIZE, LABEL_SIZE = 11.0, 12.0, 14.0  # of the letters in a node, on an edge, in a sink
LETTERED, BLANK = 10.5, 7.5  # the radius of a node that holds its attribute's name, and of one that does not
SINK_HEIGHT = 30.0
ARROW = 7.0

_LONGEST = 16.0  # ems of a name before it is cut
_DROP, _FARTHEST_DROP = 72.0, 200.0  # from one row to the next


@dataclass(frozen=True)
class Trunk:
    """A piece of line that several edges to one node have in common."""

    points: Line
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Layout:
    """The places of nodes, and the lines between them. x and y begin at 0; y grows downwards."""

    width: float
    height: float
    radius: float
    rows: tuple[float, ...]
    nodes: dict[int, Point]
    lines: dict[Edge, Line]
    """Each edge from its node by its label, which is the second point, to its target or its trunk."""
    trunks: tuple[Trunk, ...]


def layout(graph: Graph) -> Layout:
    """A place for everything; the same graph is always laid out the same way."""
    made = mesh(graph)
    layers = ordered(made)
    width = {vertex: _width(vertex, graph) for layer in layers for vertex in layer}
    x = spaced(layers, made, width.__getitem__, _pull)
    left = min(x[vertex] - width[vertex] / 2 for vertex in x)
    right = max(x[vertex] + width[vertex] / 2 for vertex in x)
    y = _heights(layers, made, x)
    at = {v: (x[v] - left, height) for layer, height in zip(layers, y, strict=True) for v in layer}
    return Layout(
        width=right - left,
        height=y[-1] + SINK_HEIGHT / 2,
        radius=_radius(graph),
        rows=tuple(y[::2]),
        nodes={node: at[node] for row in graph.rows for node in row},
        lines={e: (at[e.source], at[e], _end(entered(e, graph), graph, at)) for e in graph.edges},
        trunks=tuple(_trunks(graph, at)),
    )


# ---- sizes ----


def value_text(edge: Edge) -> str:
    """What is written on an edge."""
    return shortened(edge.label, _LONGEST, ems)


def value_width(edge: Edge) -> float:
    return ems(value_text(edge)) * VALUE_SIZE


def label_text(label: str) -> str:
    """What is written in a sink."""
    return shortened(visible(label), _LONGEST, ems)


def label_width(label: str) -> float:
    """The width of a sink."""
    return max(ems(label_text(label)) * LABEL_SIZE + 28, 52.0)


def _radius(graph: Graph) -> float:
    short = all(ems(visible(v.name)) * NAME_SIZE <= 1.6 * LETTERED for v in graph.variables)
    return LETTERED if short else BLANK


def _width(vertex: Vertex, graph: Graph) -> float:
    if isinstance(vertex, Edge):
        return value_width(vertex) + 12
    if isinstance(vertex, int):
        return label_width(graph.labels[vertex]) + 24 if vertex in graph.sinks else 2 * _radius(graph) + 20
    return 20.0  # a bend


def _pull(upper: Vertex, lower: Vertex) -> float:
    """Trunks are stiff, labels hang below their node, and the rest is loose."""
    if isinstance(upper, Bend):
        return 24.0
    if isinstance(lower, Bend):
        return 0.1
    return 2.0 if isinstance(lower, Edge) else 1.0


def _heights(layers: Layers, made: Mesh, x: Places) -> list[float]:
    """The y of every layer: rows from which lines run far to the side get more room below."""
    heights = [SINK_HEIGHT / 2]
    for upper, labels in zip(layers[:-1:2], layers[1::2], strict=True):
        runs = [abs(x[a] - x[b]) for layer in (upper, labels) for a in layer for b in made.below[a]]
        drop = min(_DROP + 0.12 * max(runs), _FARTHEST_DROP)
        heights += [heights[-1] + 0.46 * drop, heights[-1] + drop]
    return heights


# ---- lines ----


def _trunks(graph: Graph, at: Mapping[Vertex, Point]) -> Iterator[Trunk]:
    """Each trunk, in pieces from where edges enter it to where more do."""
    entering: dict[int | Bend, list[Edge]] = {}
    for edge in graph.edges:
        entering.setdefault(entered(edge, graph), []).append(edge)
    for target, bends in trunks(graph).items():
        carried: list[Edge] = []
        joints = [i for i, bend in enumerate(bends) if bend in entering]
        for start, end in zip(joints, [*joints[1:], len(bends)], strict=True):
            carried += entering[bends[start]]
            piece = [*bends, target][start : end + 1]
            yield Trunk(tuple(_end(vertex, graph, at) for vertex in piece), tuple(carried))


def _end(vertex: int | Bend, graph: Graph, at: Mapping[Vertex, Point]) -> Point:
    """Where a line ends: just above a node, to leave room for the arrow's head, or in a bend."""
    x, y = at[vertex]
    if isinstance(vertex, Bend):
        return x, y
    return x, y - ARROW - (SINK_HEIGHT / 2 if vertex in graph.sinks else _radius(graph))
