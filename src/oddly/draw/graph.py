# SPDX-License-Identifier: Apache-2.0
"""A diagram as something to draw: rows of nodes, and edges that gather the values leading to one child; and what is lit in
it, the path of an instance or where another classifier decides otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import percent
from oddly.answers.lettering import columns, joined
from oddly.diagram import ODD, ReducedODD
from oddly.diagram.levelled import idle
from oddly.distribution.flow import Beside, ended, population
from oddly.errors import TooLarge, Unsupported
from oddly.model import Variable
from oddly.runtime import stopped

SHORT = 16  # columns; a longer list of three or more values may be called "other"


@dataclass(frozen=True)
class Edge:
    """The values, by their place, that lead from one node to another, and what to write on them."""

    source: int
    target: int
    values: tuple[int, ...]
    label: str


@dataclass(frozen=True)
class Graph:
    """What the root reaches. Nodes are numbered: below len(labels) a sink, namely that label's."""

    variables: tuple[Variable, ...]
    """The attribute of each row; attributes that no node asks have no row."""
    unasked: tuple[Variable, ...]
    labels: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    """The nodes of each row from the root down; the last row is the sinks."""
    leaving: Mapping[int, tuple[Edge, ...]]
    root: int

    @property
    def sinks(self) -> tuple[int, ...]:
        return self.rows[-1]

    @property
    def size(self) -> int:
        """How many nodes are drawn."""
        return sum(map(len, self.rows))

    @property
    def edges(self) -> list[Edge]:
        """Every edge, from the root's down."""
        return [edge for row in self.rows[:-1] for node in row for edge in self.leaving[node]]

    @property
    def note(self) -> str:
        """What the rows do not say."""
        return f"Never asked: {joined(v.name for v in self.unasked)}." if self.unasked else ""

    @cached_property
    def row(self) -> dict[int, int]:
        """The row of each node."""
        return {node: place for place, row in enumerate(self.rows) for node in row}

    def variable(self, node: int) -> Variable:
        """The attribute that a node asks."""
        return self.variables[self.row[node]]

    def path(self, values: Mapping[str, int]) -> list[Edge]:
        """The edges from the root to an instance's sink; it gives each attribute's value by its place."""
        node, found = self.root, []
        while node not in self.sinks:
            value = values[self.variable(node).name]
            found.append(next(edge for edge in self.leaving[node] if value in edge.values))
            node = found[-1].target
        return found


def drawable(odd: ODD, *, reduced: bool, most: int) -> Graph:
    """The graph of a diagram, or of its reduced form, unless that is too large to draw."""
    if not isinstance(odd, ODD):
        raise Unsupported(f"expected a diagram to draw, found {type(odd).__name__}; oddly.compile makes one")
    diagram = odd.reduce() if reduced else odd
    if diagram.size > most:
        smaller = "odd.restrict(...) for a part of it" if reduced else "reduced=True"
        raise stopped(f"{diagram.size:,} nodes to draw", "", smaller, f"most={diagram.size:_}")
    return graph(diagram)


def legible(odd: ODD, *, reduced: bool, most: int) -> Graph | None:
    """The same, or None where no eye could follow it: of more nodes than `most`, or of more edges than three for
    each of so many."""
    try:
        found = drawable(odd, reduced=reduced, most=most)
    except TooLarge:
        return None
    return found if len(found.edges) <= 3 * most else None


def graph(diagram: ODD | ReducedODD) -> Graph:
    """Everything the root reaches, row by row."""
    levels, starts, root = _numbered(diagram)
    leaving: dict[int, tuple[Edge, ...]] = {}
    asked, rows, reached = [], [], {root}
    for variable, level, start in zip(diagram.variables, levels, starts, strict=True):
        row = tuple(node for node in range(start, start + len(level)) if node in reached)
        for node in row:
            leaving[node] = _edges(node, level[node - start].tolist(), variable)
            reached.update(edge.target for edge in leaving[node])
        if row:
            asked.append(variable)
            rows.append(row)
    rows.append(tuple(sink for sink in range(len(diagram.labels)) if sink in reached))
    unasked = tuple(variable for variable in diagram.variables if variable not in asked)
    return Graph(tuple(asked), unasked, diagram.labels, tuple(rows), leaving, root)


def _numbered(diagram: ODD | ReducedODD) -> tuple[Sequence[NDArray[np.int64]], Sequence[int], int]:
    """The levels, the first number of each and the root, with nodes numbered as `ReducedODD` numbers them."""
    if isinstance(diagram, ReducedODD):
        return diagram.levels, diagram.starts, diagram.root
    if not diagram.levels:
        return (), (), diagram.root
    widths = [len(diagram.labels), *diagram.widths[:-2]]
    starts = np.cumsum(widths).tolist()
    levels = [level.astype(np.int64) + below for level, below in zip(diagram.levels, [*starts[1:], 0], strict=True)]
    return levels, starts, starts[0] + diagram.root


def _edges(node: int, children: Sequence[int], variable: Variable) -> tuple[Edge, ...]:
    groups: dict[int, list[int]] = {}
    for value, child in enumerate(children):
        groups.setdefault(child, []).append(value)
    largest = max(groups, key=lambda child: len(groups[child]))
    return tuple(
        Edge(node, child, tuple(values), _label(variable, values, child == largest)) for child, values in groups.items()
    )


def _label(variable: Variable, values: Sequence[int], largest: bool) -> str:
    """The values' names, or a word if they are all there are, or a node's largest group and long to name."""
    names = joined(variable.values[value] for value in values)
    if len(values) == len(variable.values) > 1:
        word = "any"
    elif largest and len(values) > 2 and columns(names) > SHORT:
        word = "other"
    else:
        return names
    return names if word in variable.values else word


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
