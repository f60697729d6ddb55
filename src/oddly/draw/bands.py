# SPDX-License-Identifier: Apache-2.0
"""A large diagram as bands: the nodes of each depth in a few groups, and what flows from group to group.

Neighbours in a group decide almost alike: where one weight per attribute decides, the nodes of a depth are a chain from
the least sum to the greatest; elsewhere they are sorted by how their instances end. Nodes below which everything is
decided have a group of their own. Nothing is sampled: a group's share is the sum over all of its nodes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.passes.semirings import FLOATS, MAX_PLUS, MIN_PLUS
from oddly.diagram.passes.sweep import by_depth, up, walk
from oddly.distribution.flow import Beside, Floats, Nodes, beside, between, ended, population, shares
from oddly.distribution.measure import Measure, uniform
from oddly.lowering.score import Score
from oddly.model import Variable

MOST_GROUPS = 12
FEWEST_GROUPS = 3  # of what is still open, however small it is
OPEN = -1  # not decided yet

_Decided = NDArray[np.int64]


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one depth."""

    nodes: int
    ends: tuple[float, ...]
    """The share of all instances that pass here and get each label."""
    decided: int | None
    """The label that all of them get, if they all do."""
    differs: float = 0.0
    """The share of all instances that pass here and that the other classifier decides otherwise."""

    @property
    def share(self) -> float:
        return sum(self.ends)


@dataclass(frozen=True, eq=False)
class Bands:
    """The groups of every depth, sinks last, and between two depths the share that flows from each to each."""

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    size: int
    under: str
    rows: tuple[tuple[NodeGroup, ...], ...]
    flows: tuple[Floats, ...]
    path: tuple[int, ...] | None
    """The group of each depth that an instance passes."""
    differs: float | None
    """The share that another classifier decides otherwise."""
    groups: tuple[Nodes, ...] = ()
    """By depth: the group of every node."""


def bands(odd: ODD, *, instance: Mapping[str, str] | None = None, against: Any = None, under: Any = None) -> Bands:
    """The groups of a diagram's nodes, weighed by a distribution: the model's own, or one that is named."""
    chain = isinstance(odd.source, Score)
    found = None if against is None else beside(odd, against)
    drawn = odd if found is None else found.odd
    measure = population(odd, under, drawn)
    walked = None if instance is None else _walked(drawn, instance)
    return _Sorter(drawn, measure, chain, walked, found).bands()


class _Sorter:
    """Walks down a diagram, sorting the nodes of every depth into groups."""

    def __init__(
        self, odd: ODD, measure: Measure, chain: bool, walked: Sequence[int] | None, beside: Beside | None
    ) -> None:
        self.odd, self.measure, self.walked, self.beside = odd, measure, walked, beside
        self.decided = _decided(odd)
        self.keys: Sequence[Floats | None] = [None] * len(odd.levels) if chain else _keys(odd)

    def bands(self) -> Bands:
        odd, rows, flows, groups = self.odd, [], [], []
        path: list[int] = []
        differs: Floats | None = None
        before: tuple[Floats, NDArray[np.uint32], Nodes, int] | None = None
        for depth, (edges, differs) in enumerate(self._edges()):
            by_label = edges.sum(axis=1)
            group, many = self._grouped(depth, by_label)
            groups.append(group)
            rows.append(self._groups(depth, group, many, by_label, differs))
            if before is not None:
                flows.append(between(*before, group, many))
            before = edges.sum(axis=0), odd.levels[depth], group, many
            path += [] if self.walked is None else [int(group[self.walked[depth]])]
        labels = len(odd.labels)
        if before is None:
            ends = np.eye(labels)[odd.root]
        else:
            flows.append(between(*before, np.arange(labels), labels))
            ends = flows[-1].sum(axis=0)
        rows.append(_sinks(ends.tolist(), self._ended(differs)))
        if self.walked is not None:
            path.append(self.walked[-1])
        passed = tuple(path) if self.walked is not None else None
        part = None if self.beside is None else sum(g.differs for g in rows[0])
        found = tuple(rows), tuple(flows), passed, part, tuple(groups)
        return Bands(odd.variables, odd.labels, odd.size, self.measure.name, *found)

    def _edges(self) -> Iterator[tuple[Floats, Floats | None]]:
        found = shares(self.odd, self.measure, np.eye(len(self.odd.labels)))
        if self.beside is None:
            yield from ((edges, None) for edges in found)
        else:
            yield from zip(found, self.beside.shares(self.measure), strict=True)

    def _ended(self, differs: Floats | None) -> Sequence[float]:
        """By label: the share that gets it and that the other classifier decides otherwise."""
        labels, last = len(self.odd.labels), self.odd.levels[-1:]
        if differs is None or not last:
            return [0.0] * labels
        return ended(differs, last[0], labels)

    def _groups(
        self, depth: int, group: Nodes, many: int, by_label: Floats, differs: Floats | None
    ) -> tuple[NodeGroup, ...]:
        ends = np.stack([np.bincount(group, row, many) for row in by_label], axis=1)
        sizes = np.bincount(group, minlength=many)
        other = np.zeros(many) if differs is None else np.bincount(group, differs.sum(axis=0), many)
        label = np.full(many, OPEN)
        label[group] = self.decided[depth]
        return tuple(
            NodeGroup(int(n), tuple(e), None if d == OPEN else int(d), float(o))
            for n, e, d, o in zip(sizes, ends.tolist(), label, other, strict=True)
        )

    def _grouped(self, depth: int, by_label: Floats) -> tuple[Nodes, int]:
        """The group of every node of a depth, from the left, and how many there are."""
        decided, mass = self.decided[depth], by_label.sum(axis=0)
        key = self.keys[depth]
        nodes = np.flatnonzero(decided == OPEN)
        if key is not None:
            nodes = nodes[np.argsort(key[nodes], kind="stable")]
        parts = [np.flatnonzero(decided == label) for label in range(len(self.odd.labels))]
        parts = [part for part in parts if len(part)]
        means = [float(decided[part[0]]) for part in parts]
        highest = -1.0
        for part in _cut(nodes, mass[nodes]):
            weights = by_label[:, part].sum(axis=1)
            mean = float(weights @ np.arange(len(weights)) / weights.sum()) if weights.any() else highest
            highest = max(highest, mean)  # they keep their order
            parts.append(part)
            means.append(min(max(highest, 1e-9), len(self.odd.labels) - 1 - 1e-9))
        group = np.empty(len(decided), np.intp)
        for place, i in enumerate(sorted(range(len(parts)), key=means.__getitem__)):
            group[parts[i]] = place
        return group, len(parts)


def _sinks(ends: Sequence[float], differs: Sequence[float]) -> tuple[NodeGroup, ...]:
    many = len(ends)
    return tuple(
        NodeGroup(1, tuple(ends[i] if j == i else 0.0 for j in range(many)), i, differs[i]) for i in range(many)
    )


def _cut(nodes: Nodes, mass: Floats) -> Iterable[Nodes]:
    """Neighbours in groups that weigh about the same."""
    total = float(mass.sum())
    many = max(FEWEST_GROUPS, round(MOST_GROUPS * total))
    if len(nodes) <= many:
        return [nodes[i : i + 1] for i in range(len(nodes))]
    if not total:
        return [nodes]
    middle = (np.cumsum(mass) - mass / 2) / total
    slot = np.minimum((middle * many).astype(np.intp), many - 1)
    slot = np.maximum.accumulate(slot)  # rounding must not put a node before its neighbour
    starts = np.flatnonzero(np.diff(slot)) + 1
    return np.split(nodes, starts)


def _decided(odd: ODD) -> list[_Decided]:
    """By depth: the one label that a node leads to, or OPEN."""
    ends = np.arange(len(odd.labels))
    lows, highs = (up(odd.levels, ends, None, most) for most in (MIN_PLUS, MAX_PLUS))
    return by_depth(np.where(low == high, low, OPEN) for low, high in zip(lows, highs, strict=True))


def _keys(odd: ODD) -> list[Floats]:
    """By depth: the mean place of the labels below a node, every instance counting alike."""
    rows = uniform(odd.variables).products[0].floats()
    return by_depth(up(odd.levels, np.arange(len(odd.labels)), rows, FLOATS))


def _walked(odd: ODD, instance: Mapping[str, str]) -> list[int]:
    """The nodes that an instance passes, and its label."""
    codes = odd.encode([instance])[0]
    return walk(odd.levels, odd.root, codes[np.argsort(np.argsort(odd.places))])
