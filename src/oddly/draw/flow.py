# SPDX-License-Identifier: Apache-2.0
"""Where instances run: what share of them takes each edge of a diagram, and how those end.

One pass up says how the instances below a node end, one pass down how many reach it; an edge's share is the product of
both, for each part of the distribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.combine import aligned, same_labels
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.measure import Measure, Table, measure_of, uniform, upward
from oddly.errors import TooLarge, Unsupported

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
    if isinstance(measure, Table):
        yield from _of_rows(odd, measure, ends)
        return
    copy, nodes, parts = _parts(odd, measure)
    numbers = sum(copy.widths) * len(parts) * len(ends)
    if numbers > MOST_NUMBERS:
        raise TooLarge(f"{odd.size:,} nodes are too many to weigh.  Try odd.restrict(...) for a part of it.")
    kind = np.float32 if numbers > FEW_NUMBERS else np.float64
    below = [[a.astype(kind) for a in upward(copy.levels, ends, rows)][::-1] for _, rows in parts]
    above = [_at(copy.root, copy.widths[0], weight) for weight, _ in parts]
    for depth, level in enumerate(copy.levels):
        found = np.zeros((len(ends), *level.T.shape))
        following = [np.zeros(copy.widths[depth + 1]) for _ in parts]
        for reach, (_, rows), down, onward in zip(above, parts, below, following, strict=True):
            for value, (column, p) in enumerate(zip(level.T, rows[depth].T, strict=True)):
                taken = reach * p
                onward += np.bincount(column, taken, len(onward))
                for part, after in zip(found, down[depth + 1], strict=True):
                    part[value] += taken * after[column]
        above = following
        yield found if nodes is None else _gathered(found, nodes[depth], len(odd.levels[depth]))


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
        for found, nodes, width in zip(
            shares(self.pairs, measure, self.differs), self.nodes, self.odd.widths, strict=False
        ):
            yield _gathered(found, nodes, width)[0]


def beside(odd: ODD, other: Any) -> Beside:
    """A diagram and another classifier: a model, a diagram or the path of either."""
    second = as_diagram(other, like=odd)
    same_labels(odd, second)
    left, right = aligned(odd, second)
    ours, theirs = np.array([left.root]), np.array([right.root])
    nodes, levels, many = [], [], len(right.labels)
    for depth, (a, b) in enumerate(zip(left.levels, right.levels, strict=True)):
        nodes.append(ours)
        if depth + 1 == len(left.levels):
            levels.append((a[ours] * many + b[theirs]).astype(np.uint32))
            break
        keys = (a[ours].astype(np.int64) << 32) | b[theirs]
        found, places = np.unique(keys, return_inverse=True)
        levels.append(places.reshape(keys.shape).astype(np.uint32))
        ours, theirs = found >> 32, found & 0xFFFFFFFF
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


def _at(place: int, size: int, number: float) -> Floats:
    found = np.zeros(size)
    found[place] = number
    return found


def _of_rows(odd: ODD, table: Table, ends: Floats) -> Iterator[Floats]:
    """The rows walk down the diagram, each with the same share."""
    codes = table.codes
    each = ends[:, odd.decide(codes[:, np.argsort(odd.places)])] / len(codes)
    here = np.full(len(codes), odd.root)
    for depth, level in enumerate(odd.levels):
        found = np.zeros((len(ends), *level.T.shape))
        for part, share in zip(found, each, strict=True):
            np.add.at(part, (codes[:, depth], here), share)
        here = level[here, codes[:, depth]]
        yield found
