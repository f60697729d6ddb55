# SPDX-License-Identifier: Apache-2.0
"""Where instances run: what share of them takes each edge of a diagram, and how those end.

An edge's share is a sum over all paths that take it, for each part of the distribution (`oddly.diagram.passes`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import aligned, pair_up, same_labels
from oddly.diagram.passes.semirings import FLOATS, WHOLES
from oddly.diagram.passes.sweep import by_depth, down, edge_sums, up
from oddly.distribution.joint import Joint
from oddly.distribution.measure import DataRows, Measure, measure_of, uniform
from oddly.errors import TooLarge, Unsupported
from oddly.runtime import stopped

Floats = NDArray[Any]
Nodes = NDArray[np.intp]

MOST_NUMBERS = 300_000_000  # of all nodes, parts and ends at once
FEW_NUMBERS = 1 << 24  # more are held as float32, which a picture does not show


def population(odd: ODD, under: Any = None, over: ODD | None = None) -> Measure:
    """The distribution a caller names, of a diagram's instances; or of those of the same diagram over more attributes.

    By default the model's own, and the uniform one where that is unknown, impossible or too large.
    """
    over = odd if over is None else over
    if under is not None:
        named = isinstance(under, str) and under in ("model", "uniform")
        measure = measure_of(odd if named else over, under, over.variables)
        if not measure.mass:
            raise Unsupported(f"nothing is possible under {measure.name}, so there is nothing to draw")
        return measure
    try:
        measure = measure_of(odd, None, over.variables)
        if measure.mass and not (isinstance(measure, Joint) and not _fits(over, measure)):
            return measure
    except (TooLarge, Unsupported):  # an attribute that the model does not have
        pass
    return uniform(over.variables)


def _fits(odd: ODD, measure: Joint) -> bool:
    copy, _, parts = _parts(odd, measure)
    return sum(copy.widths) * len(parts) * len(odd.labels) <= MOST_NUMBERS


def shares(odd: ODD, measure: Measure, ends: Floats) -> Iterator[Floats]:
    """By depth: the share of instances that take each edge and end so, [kinds of ends, values, nodes].

    `ends` says of each kind, [kinds, labels], whether a label is of it.
    """
    if isinstance(measure, DataRows):
        yield from _of_rows(odd, measure, ends)
        return
    copy, nodes, parts = _parts(odd, measure)
    numbers = sum(copy.widths) * len(parts) * len(ends)
    if numbers > MOST_NUMBERS:
        raise stopped(f"{odd.size:,} nodes are too many to weigh", "", "odd.restrict(...) for a part of it")
    kind = np.float32 if numbers > FEW_NUMBERS else np.float64
    below = [by_depth(up(copy.levels, ends, rows, FLOATS.over(kind))) for _, rows in parts]
    each = zip(below, parts, strict=True)
    sweeps = [edge_sums(copy.levels, copy.root, sums, rows, FLOATS) for sums, (_, rows) in each]
    for depth, edges in enumerate(zip(*sweeps, strict=True)):
        found = sum(part * weight for part, (weight, _) in zip(edges, parts, strict=True))
        yield found if nodes is None else _gathered(found, nodes[depth], len(odd.levels[depth]))


def between(
    edges: Floats, level: NDArray[np.uint32], above: Nodes, many_above: int, below: Nodes, many_below: int
) -> Floats:
    """What flows over the edges of a depth, [values, nodes], from each group of nodes to each of the next depth."""
    total = np.zeros(many_above * many_below)
    for column, mass in zip(level.T, edges, strict=True):
        total += np.bincount(above * many_below + below[column], mass, len(total))
    return total.reshape(many_above, many_below)


def ended(edges: Floats, level: NDArray[np.uint32], labels: int) -> list[float]:
    """What flows over the edges of the last depth, [values, nodes], by label."""
    found: list[float] = between(edges, level, np.zeros(len(level), np.intp), 1, np.arange(labels), labels)[0].tolist()
    return found


def passing(odd: ODD) -> Iterator[NDArray[Any]]:
    """How many instances visit each node, depth by depth, sinks last."""
    paths = down(odd.levels, odd.root, len(odd.labels), None, WHOLES.holding(odd.instances))
    return (found * prod(odd.arities[depth:]) for depth, found in enumerate(paths))


def passing_groups(odd: ODD, groups: Sequence[Nodes], many: Sequence[int]) -> Iterator[list[int]]:
    """How many instances visit each group of nodes, given the group of every node and how many groups a depth has."""
    whole = WHOLES.holding(odd.instances)
    for here, group, width in zip(passing(odd), groups, many, strict=True):
        yield list(map(int, whole.scatter(here, group[:, None], None, width)))


@dataclass(frozen=True, eq=False)
class Beside:
    """A diagram and another classifier, walked together."""

    odd: ODD
    """The diagram, over the attributes of both."""
    pairs: ODD
    """The pairs of nodes that some instance reaches at once; a label is two labels."""
    nodes: list[Nodes]
    """By depth: the diagram's node of every pair."""
    differs: Floats
    """Of each label of the pairs, whether it is two different ones: [1, labels]."""

    def shares(self, measure: Measure) -> Iterator[Floats]:
        """By depth: the share of instances that take each of the diagram's edges and that the other decides otherwise."""
        found = shares(self.pairs, measure, self.differs)
        return (_gathered(*each)[0] for each in zip(found, self.nodes, self.odd.widths, strict=False))


def beside(odd: ODD, other: Any) -> Beside:
    """A diagram and another classifier: a model, a diagram or the path of either."""
    second = as_diagram(other, like=odd)
    same_labels(odd, second)
    left, right = aligned(odd, second, "common")
    ours, theirs = np.array([left.root]), np.array([right.root])
    nodes, levels, many = [], [], len(right.labels)
    for depth, (a, b) in enumerate(zip(left.levels, right.levels, strict=True)):
        nodes.append(ours)
        if depth + 1 == len(left.levels):
            levels.append((a[ours] * many + b[theirs]).astype(np.uint32))
            break
        children, ours, theirs = pair_up(a[ours], b[theirs])
        levels.append(children)
    labels = [(i, j) for i in left.labels for j in right.labels]
    root = 0 if levels else left.root * many + right.root
    pairs = ODD(left.variables, tuple(f"{i} → {j}" for i, j in labels), tuple(levels), root, left.places)
    return Beside(left, pairs, nodes, np.array([[float(i != j) for i, j in labels]]))


# ---- parts of a distribution ----

_Part = tuple[float, Sequence[Floats]]
"""What it weighs, and by depth a number per value, or per node and value."""


def _parts(odd: ODD, measure: Any) -> tuple[ODD, list[Nodes] | None, list[_Part]]:
    """The diagram, or one with a node for every context; whose copies its nodes are; and the parts."""
    whole = float(measure.mass)
    if not isinstance(measure, Joint):
        return odd, None, [(float(p.weight / measure.mass), p.floats()) for p in measure.products]
    unfolded = measure.unfolded(odd)
    weights = [float(w) * float(unfolded.scale) / whole for w in unfolded.weights]
    return unfolded.odd, _originals(odd, unfolded.odd), list(zip(weights, unfolded.rows, strict=True))


def _originals(odd: ODD, copy: ODD) -> list[Nodes]:
    """By depth: the diagram's node that each node of its unfolded copy stands for."""
    here = np.array([odd.root])
    found = []
    for depth, (level, copies) in enumerate(zip(odd.levels, copy.levels, strict=True)):
        found.append(here)
        below = np.zeros(copy.widths[depth + 1], np.intp)
        below[copies] = level[here]
        here = below
    return found


def _gathered(found: Floats, nodes: Nodes, width: int) -> Floats:
    """What copies have, added up for the nodes they stand for."""
    rows = [np.bincount(nodes, row, width) for row in found.reshape(-1, found.shape[-1])]
    return np.stack(rows).reshape(*found.shape[:-1], width)


def _of_rows(odd: ODD, table: DataRows, ends: Floats) -> Iterator[Floats]:
    """The rows walk down the diagram, each with its share."""
    codes = table.codes
    each = ends[:, odd.decide(codes[:, np.argsort(odd.places)])] / float(table.mass)
    if table.times is not None:
        each = each * table.times
    here = np.full(len(codes), odd.root)
    for depth, level in enumerate(odd.levels):
        found = np.zeros((len(ends), *level.T.shape))
        for part, share in zip(found, each, strict=True):
            np.add.at(part, (codes[:, depth], here), share)
        here = level[here, codes[:, depth]]
        yield found
