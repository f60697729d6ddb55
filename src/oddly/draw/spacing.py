# SPDX-License-Identifier: Apache-2.0
"""How far apart: places along each layer that keep the order and the distances, and let lines run upright.

The least sum of squares, layer by layer and round after round: each vertex is drawn to the mean of its
neighbours, and those that would come too close share a mean (the pool-adjacent-violators algorithm).
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from oddly.draw.mesh import Layers, Mesh, Vertex

Places = dict[Vertex, float]
Pull = Callable[[Vertex, Vertex], float]

ROUNDS = 80


def spaced(layers: Layers, mesh: Mesh, width: Callable[[Vertex], float], pull: Pull) -> Places:
    """A place for the middle of every vertex; `pull` is how much the line between two wants to be upright."""
    offsets = [_offsets([width(vertex) for vertex in layer]) for layer in layers]
    drawn = {vertex: _neighbours(vertex, mesh, pull) for layer in layers for vertex in layer}
    places = dict.fromkeys(drawn, 0.0)
    rows = list(zip(layers, offsets, strict=True))
    for _ in range(ROUNDS):
        for layer, offset in rows + rows[::-1]:
            wanted = [_wanted(drawn[vertex], places) for vertex in layer]
            shifted = monotone([(x - o, weight) for (x, weight), o in zip(wanted, offset, strict=True)])
            places.update(zip(layer, map(float.__add__, shifted, offset), strict=True))
    return places


def _offsets(widths: Sequence[float]) -> list[float]:
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
