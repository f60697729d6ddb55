# SPDX-License-Identifier: Apache-2.0
"""A graph in layers: the rows, and between two rows the labels of the edges that leave the upper one; who stands left of
whom in a layer, and how far apart.

So every label has a place of its own. Edges that skip rows on their way to one node flow into one trunk with a
place in every layer it passes: nothing is lost, as they all lead there, and none runs through a node.

The order lets few lines cross: barycentre sweeps (Sugiyama, Tagawa and Toda, 1981), then neighbours trade places while
that undoes crossings. The places keep the order and the distances, and let lines run upright: the least sum of squares,
layer by layer and round after round. Each vertex is drawn to the mean of its neighbours, and those that would come too
close share a mean (the pool-adjacent-violators algorithm).
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from oddly.draw.graph import Edge, Graph


class Bend(NamedTuple):
    """Where the trunk to a node passes a layer."""

    target: int
    layer: int


Vertex = Hashable
"""A node (its number), an edge's label (the edge) or a bend."""
Layers = list[list[Vertex]]


@dataclass
class Mesh:
    """Vertices in layers, joined only from one layer to the next."""

    layers: Layers
    above: dict[Vertex, list[Vertex]] = field(default_factory=dict)
    below: dict[Vertex, list[Vertex]] = field(default_factory=dict)

    def join(self, upper: Vertex, lower: Vertex) -> None:
        self.below.setdefault(upper, []).append(lower)
        self.above.setdefault(lower, []).append(upper)


def mesh(graph: Graph) -> Mesh:
    """The layers of a graph, in the order in which the diagram has its nodes."""
    made = Mesh([[] for _ in range(2 * len(graph.rows) - 1)])
    for place, row in enumerate(graph.rows):
        made.layers[2 * place] += row
    for edge in graph.edges:
        made.layers[2 * graph.row[edge.source] + 1].append(edge)
        made.join(edge.source, edge)
        made.join(edge, entered(edge, graph))
    for bends in trunks(graph).values():
        _add_trunk(made, bends)
    return made


def entered(edge: Edge, graph: Graph) -> int | Bend:
    """What an edge enters below its label: its target, or the trunk that leads there."""
    below = graph.row[edge.source] + 1
    return edge.target if graph.row[edge.target] == below else Bend(edge.target, 2 * below)


def trunks(graph: Graph) -> dict[int, list[Bend]]:
    """The bends, from the top, of the trunk to each node that has one."""
    tops: dict[int, int] = {}
    for edge in graph.edges:  # those of upper rows first
        if isinstance(entry := entered(edge, graph), Bend):
            tops.setdefault(entry.target, entry.layer)
    return {target: [Bend(target, k) for k in range(top, 2 * graph.row[target])] for target, top in tops.items()}


def _add_trunk(made: Mesh, bends: list[Bend]) -> None:
    target = bends[0].target
    for bend in bends:
        layer = made.layers[bend.layer]
        layer.insert(0 if target == 0 else len(layer), bend)  # the first label takes the least sums, on the left
    for upper, lower in pairwise([*bends, target]):
        made.join(upper, lower)


Neighbours = Mapping[Vertex, Sequence[Vertex]]

SWEEPS = 24
TRADES = 12


def ordered(mesh: Mesh) -> Layers:
    """The mesh's layers, each in the best order found; of two mirror images, the one that reads well."""
    layers = best = mesh.layers
    fewest = crossings(best, mesh)
    for sweep in range(SWEEPS):
        layers = _swept(layers, mesh.above) if sweep % 2 == 0 else _swept(layers[::-1], mesh.below)[::-1]
        if (found := crossings(layers, mesh)) < fewest:
            best, fewest = layers, found
    return _facing(_traded(best, mesh))


def crossings(layers: Layers, mesh: Mesh) -> int:
    """How many pairs of lines cross."""
    return sum(_between(upper, lower, mesh) for upper, lower in pairwise(layers))


def _between(upper: Sequence[Vertex], lower: Sequence[Vertex], mesh: Mesh) -> int:
    place = _places(lower)
    seen: list[int] = []
    found = 0
    for vertex in upper:
        ends = [place[end] for end in mesh.below.get(vertex, ())]
        found += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return found


# ---- sweeps ----


def _swept(layers: Layers, above: Neighbours) -> Layers:
    """Each layer in turn sorted by the mean place of its vertices' neighbours in the layer before."""
    done = [layers[0]]
    for layer in layers[1:]:
        place = _places(done[-1])
        done.append(sorted(layer, key={vertex: _mean(vertex, above, place) for vertex in layer}.__getitem__))
    return done


def _mean(vertex: Vertex, above: Neighbours, place: Mapping[Vertex, int]) -> float:
    neighbours = above.get(vertex, ())
    return sum(place[v] for v in neighbours) / max(len(neighbours), 1)


def _places(layer: Sequence[Vertex]) -> dict[Vertex, int]:
    return {vertex: place for place, vertex in enumerate(layer)}


# ---- trades ----


def _traded(layers: Layers, mesh: Mesh) -> Layers:
    """The layers after neighbours have traded places wherever that undoes a crossing."""
    layers = [list(layer) for layer in layers]
    for _ in range(TRADES):
        trades = 0
        for upper, layer, lower in zip([[], *layers], layers, [*layers[1:], []], strict=False):
            trades += _trade(layer, _ends(layer, upper, mesh.above), _ends(layer, lower, mesh.below))
        if not trades:
            break
    return layers


_Ends = dict[Vertex, list[int]]


def _ends(layer: Sequence[Vertex], other: Sequence[Vertex], neighbours: Neighbours) -> _Ends:
    """The places in another layer to which each vertex is joined."""
    place = _places(other)
    return {vertex: sorted(place[end] for end in neighbours.get(vertex, ())) for vertex in layer}


def _trade(layer: list[Vertex], above: _Ends, below: _Ends) -> int:
    """Trade places along one layer; how often."""
    trades = 0
    for i in range(len(layer) - 1):
        left, right = layer[i], layer[i + 1]
        if _gain(above[left], above[right]) + _gain(below[left], below[right]) > 0:
            layer[i], layer[i + 1] = right, left
            trades += 1
    return trades


def _gain(left: Sequence[int], right: Sequence[int]) -> int:
    """How many crossings two neighbours would undo by trading places, given where their lines end."""
    now = sum(bisect_left(right, end) for end in left)
    then = sum(bisect_left(left, end) for end in right)
    return now - then


# ---- mirror images ----


def _facing(layers: Layers) -> Layers:
    """The layers or their mirror image, in which more nodes have their values from left to right."""
    pairs = [pair for layer in layers[1::2] for pair in _siblings(layer)]
    backward = sum(left.values > right.values for left, right in pairs)
    return [layer[::-1] for layer in layers] if 2 * backward > len(pairs) else layers


def _siblings(layer: Sequence[Vertex]) -> list[tuple[Edge, Edge]]:
    """The pairs of edges, left and right, that leave one node."""
    leaving: dict[int, list[Edge]] = {}
    for vertex in layer:
        if isinstance(vertex, Edge):
            leaving.setdefault(vertex.source, []).append(vertex)
    return [pair for edges in leaving.values() for pair in combinations(edges, 2)]


Places = dict[Vertex, float]
Pull = Callable[[Vertex, Vertex], float]

ROUNDS = 80


def spaced(layers: Layers, mesh: Mesh, width: Callable[[Vertex], float], pull: Pull) -> Places:
    """A place for the middle of every vertex; `pull` is how much the line between two wants to be upright."""
    rows = [(layer, offsets([width(vertex) for vertex in layer])) for layer in layers]
    drawn = {vertex: _neighbours(vertex, mesh, pull) for layer in layers for vertex in layer}
    places = dict.fromkeys(drawn, 0.0)
    for _ in range(ROUNDS):
        for layer, offset in rows + rows[::-1]:
            wanted = [_wanted(drawn[vertex], places) for vertex in layer]
            shifted = monotone([(x - o, weight) for (x, weight), o in zip(wanted, offset, strict=True)])
            places.update(zip(layer, map(float.__add__, shifted, offset), strict=True))
    return places


def offsets(widths: Sequence[float]) -> list[float]:
    """Where the middles are if all stand side by side, from the first one's."""
    return list(accumulate(((left + right) / 2 for left, right in pairwise(widths)), initial=0.0))


def _neighbours(vertex: Vertex, mesh: Mesh, pull: Pull) -> list[tuple[Vertex, float]]:
    above = [(upper, pull(upper, vertex)) for upper in mesh.above.get(vertex, ())]
    return above + [(lower, pull(vertex, lower)) for lower in mesh.below.get(vertex, ())]


def _wanted(drawn: Sequence[tuple[Vertex, float]], places: Places) -> tuple[float, float]:
    """Where a vertex would stand if it stood alone, and how much it wants to."""
    weight = sum(strength for _, strength in drawn)
    return sum(places[vertex] * strength for vertex, strength in drawn) / (weight or 1.0), weight or 1.0


def monotone(wanted: Sequence[tuple[float, float]]) -> list[float]:
    """The non-decreasing numbers nearest to the wanted ones, in squares weighted as given.

    >>> monotone([(1, 1), (5, 1), (3, 1)])
    [1, 4.0, 4.0]
    """
    blocks: list[tuple[float, float, int]] = []
    for mean, weight in wanted:
        size = 1
        while blocks and blocks[-1][0] >= mean:
            other, more, count = blocks.pop()
            mean = (mean * weight + other * more) / (weight + more)
            weight, size = weight + more, size + count
        blocks.append((mean, weight, size))
    return [mean for mean, _, size in blocks for _ in range(size)]
