# SPDX-License-Identifier: Apache-2.0
"""A graph in layers: the rows, and between two rows the labels of the edges that leave the upper one.

So every label has a place of its own. Edges that skip rows on their way to one node flow into one trunk with a
place in every layer it passes: nothing is lost, as they all lead there, and none runs through a node.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise
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
