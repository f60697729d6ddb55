# SPDX-License-Identifier: Apache-2.0
"""Where everything stands: attributes as rows, the sinks at the bottom, and the smooth lines that run down between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from oddly.answers.lettering import ems, shortened, visible
from oddly.draw.graph import Edge, Graph
from oddly.draw.layers import Bend, Layers, Mesh, Places, Vertex, entered, mesh, ordered, spaced, trunks
from oddly.draw.style import LETTERS

Point = tuple[float, float]

_REACH = 0.45  # how far down a piece the handles of its two ends go


class CurvePoint(NamedTuple):
    """A point on a line, and how far to the side the line runs there for each step down."""

    x: float
    y: float
    slant: float = 0.0


Line = tuple[CurvePoint, ...]
Path = tuple[tuple[str, tuple[float, ...]], ...]
"""Steps of a pen, as SVG names them: M(ove), L(ine), C(urve) and Z to where it began, each with its points."""


def smooth(points: Sequence[Point], *, leaving: float = 0.0, arriving: float = 0.0) -> Line:
    """A line with the given slants at its ends, and between them so slanted that it never overshoots.

    Where the line turns back it is upright, else it takes the harmonic mean of the slopes on both sides
    (Fritsch and Butland, 1984).
    """
    slopes = [slope(start, end) for start, end in pairwise(points)]
    slants = [leaving, *(_mean(above, below) for above, below in pairwise(slopes)), arriving]
    return tuple(CurvePoint(x, y, slant) for (x, y), slant in zip(points, slants, strict=True))


def slope(start: Point, end: Point) -> float:
    return (end[0] - start[0]) / (end[1] - start[1])


def path(line: Line) -> Path:
    """The line as a path."""
    return (("M", (line[0].x, line[0].y)), *(_piece(upper, lower) for upper, lower in pairwise(line)))


def data(path: Path) -> str:
    """A path as the text that SVG has for it.

    >>> data(path((CurvePoint(0, 0), CurvePoint(10, 10), CurvePoint(10, 20))))
    'M0 0C0 4.5 10 5.5 10 10C10 14.5 10 15.5 10 20'
    """
    return "".join(step + " ".join(map(number, numbers)) for step, numbers in path)


def number(value: float) -> str:
    """A coordinate, to a tenth.

    >>> number(12.04), number(-0.01), number(0.26)
    ('12', '0', '0.3')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _mean(above: float, below: float) -> float:
    return 2 * above * below / (above + below) if above * below > 0 else 0.0


def _piece(upper: CurvePoint, lower: CurvePoint) -> tuple[str, tuple[float, ...]]:
    reach = (lower.y - upper.y) * _REACH
    ends = (upper.x + upper.slant * reach, upper.y + reach, lower.x - lower.slant * reach, lower.y - reach)
    return "C", (*ends, lower.x, lower.y)


LETTERED, BLANK = 10.5, 7.5  # the radius of a node that holds its attribute's name, and of one that does not
SINK_HEIGHT = 30.0
ARROW = 7.0

_LONGEST = 16.0  # ems of a name before it is cut
_DROP, _FARTHEST_DROP = 72.0, 360.0  # from one row to the next
_FAN, _FLATTEST = 0.7, 1.2  # lines leave a node with most of their slant, but clear of the nodes beside it

_Stops = dict[int | Bend, CurvePoint]


@dataclass(frozen=True)
class Trunk:
    """A piece of line that several edges to one node have in common."""

    line: Line
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
    """Each edge from its node by its label, which is its second stop, to its target or its trunk."""
    trunks: tuple[Trunk, ...]

    @property
    def lettered(self) -> bool:
        """Whether the nodes have room for their attribute's name."""
        return self.radius == LETTERED


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
    through = {target: _trunk([*bends, target], graph, at) for target, bends in trunks(graph).items()}
    lines = {edge: _line(edge, graph, at, through) for edge in graph.edges}
    pieces = list(_pieces(graph, through))
    for piece in pieces:
        if len(piece.edges) == 1:  # nothing has flown together yet
            lines[piece.edges[0]] += piece.line[1:]
    return Layout(
        width=right - left,
        height=y[-1] + SINK_HEIGHT / 2,
        radius=_radius(graph),
        rows=tuple(y[::2]),
        nodes={node: at[node] for row in graph.rows for node in row},
        lines=lines,
        trunks=tuple(piece for piece in pieces if len(piece.edges) > 1),
    )


# ---- sizes ----


def value_text(edge: Edge) -> str:
    """What is written on an edge."""
    return shortened(edge.label, _LONGEST, ems)


def value_width(edge: Edge) -> float:
    """How wide that is."""
    return ems(value_text(edge)) * LETTERS["value"]


def name_text(name: str) -> str:
    """A name as it is written in a sink or at the left edge."""
    return shortened(visible(name), _LONGEST, ems)


def label_width(label: str) -> float:
    """The width of a sink."""
    return max(ems(name_text(label)) * LETTERS["label"] + 34, 54.0)


def _radius(graph: Graph) -> float:
    short = all(ems(visible(v.name)) * LETTERS["name"] <= 1.6 * LETTERED for v in graph.variables)
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
        drop = min(_DROP + 0.14 * max(runs), _FARTHEST_DROP)
        heights += [heights[-1] + 0.46 * drop, heights[-1] + drop]
    heights[-1] += SINK_HEIGHT / 2 if len(heights) > 1 else 0.0  # sinks are higher than nodes
    return heights


# ---- lines ----


def _trunk(bends: Sequence[int | Bend], graph: Graph, at: Mapping[Vertex, Point]) -> _Stops:
    """The whole line to a node, stop by stop."""
    return dict(zip(bends, smooth([_end(bend, graph, at) for bend in bends]), strict=True))


def _line(edge: Edge, graph: Graph, at: Mapping[Vertex, Point], through: Mapping[int, _Stops]) -> Line:
    """An edge from its node by its label to its target or into its trunk."""
    entry = entered(edge, graph)
    end = through[edge.target][entry] if isinstance(entry, Bend) else CurvePoint(*_end(entry, graph, at))
    leaving = max(-_FLATTEST, min(_FAN * slope(at[edge.source], at[edge]), _FLATTEST))
    return smooth([at[edge.source], at[edge], (end.x, end.y)], leaving=leaving, arriving=end.slant)


def _pieces(graph: Graph, through: Mapping[int, _Stops]) -> Iterator[Trunk]:
    """Each trunk in pieces, from where edges enter it to where more do."""
    entering: dict[int | Bend, list[Edge]] = {}
    for edge in graph.edges:
        entering.setdefault(entered(edge, graph), []).append(edge)
    for stops in through.values():
        line, bends = tuple(stops.values()), list(stops)[:-1]
        carried: list[Edge] = []
        joints = [place for place, bend in enumerate(bends) if bend in entering]
        for start, end in pairwise([*joints, len(bends)]):
            carried += entering[bends[start]]
            yield Trunk(line[start : end + 1], tuple(carried))


def _end(vertex: int | Bend, graph: Graph, at: Mapping[Vertex, Point]) -> Point:
    """Where a line ends: just above a node, to leave room for the arrow's head, or in a bend."""
    x, y = at[vertex]
    if isinstance(vertex, Bend):
        return x, y
    return x, y - ARROW - (SINK_HEIGHT / 2 if vertex in graph.sinks else _radius(graph))
