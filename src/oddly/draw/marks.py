# SPDX-License-Identifier: Apache-2.0
"""What is lit in a drawing: the path of an instance, or where another classifier decides otherwise."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from oddly.answers import percent
from oddly.diagram import ODD
from oddly.diagram.reduced import idle
from oddly.distribution.flow import Beside, ended, population
from oddly.draw.graph import Edge, Graph

THIN, BROAD = 3.0, 11.0  # the pen, for few instances and for all that are marked


@dataclass(frozen=True)
class Marks:
    """The edges that are lit, each with its part of all that is marked; where something is, the rest is faded."""

    pen: Mapping[Edge, float] = field(default_factory=dict)
    nodes: frozenset[int] = frozenset()
    """The nodes that are lit."""
    some: bool = False
    note: str = ""
    captions: Mapping[int, str] = field(default_factory=dict)
    """Below sinks."""
    tips: Mapping[Edge, str] = field(default_factory=dict)
    """What is said of an edge besides its values."""

    def state(self, lit: bool) -> str:
        return "" if not self.some else " on" if lit else " off"

    def width(self, edges: Iterable[Edge]) -> float:
        """The pen's width where several edges run together; 0 if none of them is lit."""
        part = sum(self.pen.get(edge, 0.0) for edge in edges)
        return THIN + (BROAD - THIN) * sqrt(min(part, 1.0)) if part > 0 else 0.0


def path_of(odd: ODD, graph: Graph, instance: Mapping[str, str]) -> list[Edge]:
    """The edges that an instance takes."""
    codes = odd.encode([instance])[0].tolist()
    return graph.path(dict(zip(odd.columns, codes, strict=True)))


def path_marks(graph: Graph, path: Iterable[Edge]) -> Marks:
    """The path of an instance, as if marked with a broad pen."""
    path = list(path)
    return Marks(dict.fromkeys(path, 1.0), frozenset([graph.root, *(edge.target for edge in path)]), some=True)


def difference_marks(whose: ODD, found: Beside, graph: Graph, reduced: bool, under: Any = None) -> Marks:
    """Where another classifier decides otherwise: the more of these instances take an edge, the broader the pen.

    Every instance counts alike unless a distribution is named.
    """
    odd = found.odd
    measure = population(whose, "uniform" if under is None else under, odd)
    by_depth = list(found.shares(measure))
    places = _places(odd, reduced)
    share = {e: sum(float(by_depth[d][v, i]) for v in e.values) for e in graph.edges for d, i in [places[e.source]]}
    whole = float(by_depth[0].sum()) if by_depth else float(found.differs[0, found.pairs.root])
    ends = _ends(found, by_depth)
    scope = "of all instances" if under is None else f"under {measure.name}"
    lit = {edge: part for edge, part in share.items() if part > 0}
    nodes = {edge.source for edge in lit} | {sink for sink, part in ends.items() if part > 0}
    return Marks(
        {edge: part / whole for edge, part in lit.items()},
        frozenset(nodes),
        some=True,
        note=f"Marked: what the other decides otherwise, {percent(whole)} {scope}.",
        captions={sink: percent(part) for sink, part in ends.items() if part > 0},
        tips={edge: f"{percent(part)} of all take this and are decided otherwise" for edge, part in lit.items()},
    )


def _ends(found: Beside, by_depth: list[Any]) -> dict[int, float]:
    """By sink: the share of all instances that end there and are decided otherwise."""
    labels = len(found.odd.labels)
    if not by_depth:
        return {found.odd.root: float(found.differs[0, found.pairs.root])}
    return dict(enumerate(ended(by_depth[-1], found.odd.levels[-1], labels)))


def _places(odd: ODD, reduced: bool) -> dict[int, tuple[int, int]]:
    """The depth and the place in it of each node, as a drawing numbers them."""
    found, number = {}, len(odd.labels)
    for depth, level in enumerate(odd.levels):
        kept = np.flatnonzero(~idle(level)) if reduced else np.arange(len(level))
        for place in kept.tolist():
            found[number] = depth, place
            number += 1
    return found
