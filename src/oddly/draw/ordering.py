# SPDX-License-Identifier: Apache-2.0
"""Who stands left of whom: an order of each layer that lets few lines cross.

Barycentre sweeps (Sugiyama, Tagawa and Toda, 1981), then neighbours trade places while that undoes crossings.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from oddly.draw.graph import Edge
from oddly.draw.mesh import Layers, Mesh, Vertex

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
