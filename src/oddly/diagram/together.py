# SPDX-License-Identifier: Apache-2.0
"""A diagram and its families walked together: every node with the contexts and possible classes that reach it.

A node alone does not say what its sums are worth, since families look back at attributes above it. With the context,
each edge has its own numbers, and a question about margins is a shortest path again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.diagram.passes.best import BestPaths, second_least, tied_paths, tight
from oddly.diagram.passes.semirings import MIN_PLUS, Ints, Levels
from oddly.lowering import AttributeStep, Families, distinct

Level = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class DepthStates:
    """The combinations of node, context and possible classes that occur at a depth."""

    node: NDArray[np.int64]
    context: NDArray[np.int64]
    alive: NDArray[np.bool_]
    """[states, classes]"""
    children: NDArray[np.int64] | None
    """[states, values]: places among the states below; None after the last attribute, where a node is a label."""

    def __len__(self) -> int:
        return len(self.node)


def together(levels: Levels, root: int, families: Families) -> list[DepthStates]:
    """The states of every depth; AssertionError if a label is one that nothing possible has."""
    here = DepthStates(np.array([root]), np.zeros(1, np.int64), families.prior.alive[None], None)
    found = []
    walk = _walked_fast if native.AVAILABLE and fits_kernels(families) else _walked
    for level, step in zip(levels, families.steps, strict=True):
        children, below = walk(here, level, step)
        found.append(DepthStates(here.node, here.context, here.alive, children))
        here = below
    _check_labels(here, families)
    return [*found, here]


def fits_kernels(families: Families) -> bool:
    """Whether the kernels can hold the sums and the classes."""
    return families.kind == np.int64 and families.classes <= native.MOST_CLASSES


def _walked_fast(here: DepthStates, level: Level, step: AttributeStep) -> tuple[NDArray[np.int64], DepthStates]:
    state = here.node, here.context, as_bytes(here.alive)
    children, node, context, alive = native.kernels.meet(np.ascontiguousarray(level), *state, *step.arrays)
    return children, DepthStates(node, context, alive.view(bool), None)


def as_bytes(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Truth values as the kernels take them."""
    return np.ascontiguousarray(flags).view(np.uint8)


def _walked(here: DepthStates, level: Level, step: AttributeStep) -> tuple[NDArray[np.int64], DepthStates]:
    """The children of every state of a depth, and the states below."""
    node = level[here.node].astype(np.int64)
    context = step.following[here.context]
    alive = here.alive[:, None, :] & step.alive[here.context]
    flat = DepthStates(node.reshape(-1), context.reshape(-1), alive.reshape(-1, alive.shape[-1]), None)
    words = [] if flat.alive.all() else list(np.packbits(flat.alive, axis=1).T)
    first, which = distinct([flat.node, flat.context, *words])
    return which.reshape(node.shape), DepthStates(flat.node[first], flat.context[first], flat.alive[first], None)


def _check_labels(last: DepthStates, families: Families) -> None:
    wanted = np.zeros((len(last), len(families.labels)), bool)
    for c, label in enumerate(families.labels_of):
        wanted[:, label] |= last.alive[:, c]
    wanted[~last.alive.any(axis=1), families.fallback] = True
    own = np.flatnonzero(last.node < len(families.labels))  # one more label is that of what is outside a domain
    if not wanted[own, last.node[own]].all():
        raise AssertionError("the diagram contradicts its families: a label that nothing possible has")


class Leads:
    """By how much one class leads another, over all instances that are decided as the first and leave both possible.

    Shortest paths: an edge costs what it adds to the first class's sum and not to the second's. `gained` is the length
    of the shortest, where that is known before.
    """

    def __init__(
        self, meetings: Sequence[DepthStates], families: Families, winner: int, other: int, gained: int | None = None
    ) -> None:
        self.meetings, self.families, self.winner, self.other = meetings, families, winner, other
        prior = families.prior.weights
        self.start = int(prior[winner]) - int(prior[other])
        self.system = MIN_PLUS.over(families.kind)
        self.levels = [m.children for m in meetings if m.children is not None]
        self.rows = Costs(self)
        self._gained = gained

    @cached_property
    def least(self) -> int | None:
        """The least lead; None if there is no such instance."""
        gained = self.nearest[0] if self._gained is None else np.array([self._gained], self.families.kind)
        return self.start + int(gained[0]) if self.system.reached(gained)[0] else None

    def costs(self, depth: int) -> Ints:
        """[states, values]: what each edge adds to the lead."""
        step = self.families.steps[depth]
        added: Ints = (step.weights[..., self.winner] - step.weights[..., self.other])[self.meetings[depth].context]
        return added

    @cached_property
    def best(self) -> BestPaths:
        """The instances of the least lead."""
        last = self.meetings[-1]
        label = self.families.labels_of[self.winner]
        ends = (last.node == label) & last.alive[:, self.winner] & last.alive[:, self.other]
        sinks = np.full(len(last), self.system.zero, self.system.kind)
        sinks[ends] = 0
        return BestPaths(self.levels, 0, sinks, self.rows, self.system)

    @property
    def nearest(self) -> list[Ints]:
        """For every state of every depth, the least that is gained in what follows."""
        return self.best.after

    def following(self) -> int | None:
        """The second smallest distinct lead; None if there is none."""
        second = second_least(self.levels, self.rows, self.nearest, self.system)
        return None if second is None else self.start + second

    def tight(self, depth: int) -> NDArray[np.bool_]:
        """[states, values]: the edges on shortest paths from their own node."""
        here, below = self.nearest[depth : depth + 2]
        return tight(self.levels[depth], self.costs(depth), here, below, self.system)

    def truly_tied(self) -> bool:
        """Whether the numbers cancel exactly on every path of the least lead, which is zero."""
        families, i, j = self.families, self.winner, self.other
        if not families.witnessed or families.prior.exact is None:
            return False
        start = families.prior.exact[i] - families.prior.exact[j]

        def exact(depth: int, states: NDArray[np.intp], values: NDArray[np.intp]) -> Any:
            gained = families.steps[depth].exact
            assert gained is not None
            return (gained[..., i] - gained[..., j])[self.meetings[depth].context[states], values]

        return tied_paths(self.levels, self.rows, self.nearest, self.system, start, exact)[1]


class Costs(Sequence[Ints]):
    """What the edges of each depth add to a lead, worked out when they are asked for: together they take much memory."""

    def __init__(self, leads: Leads) -> None:
        self.leads = leads

    def __len__(self) -> int:
        return len(self.leads.levels)

    def __getitem__(self, depth: Any) -> Any:
        return self.leads.costs(range(len(self))[depth])


def leads_of(meetings: Sequence[DepthStates], families: Families, winner: int) -> list[Leads]:
    """By how much a class leads each other one that has another label."""
    others = [j for i, j in pairs(families) if i == winner]
    if not (native.AVAILABLE and fits_kernels(families)):
        return [Leads(meetings, families, winner, j) for j in others]
    last = meetings[-1]
    ends = (last.node == families.labels_of[winner]) & last.alive[:, winner]
    contexts, children = [m.context for m in meetings[:-1]], [m.children for m in meetings if m.children is not None]
    weights = [step.arrays[1] for step in families.steps]
    gained = native.kernels.least_leads(contexts, children, weights, as_bytes(ends), as_bytes(last.alive), winner)
    return [Leads(meetings, families, winner, j, gained[j]) for j in others]


def tied_instances(meetings: Sequence[DepthStates], leads: Sequence[Leads]) -> int:
    """How many instances, all decided alike, lie on a shortest path of at least one of these: each counted once."""
    paths = np.ones(1, object)
    state, tied = np.zeros(1, np.int64), np.ones((1, len(leads)), bool)
    for depth, here in enumerate(meetings[:-1]):
        assert here.children is not None
        edges = np.stack([lead.tight(depth) for lead in leads], axis=-1)[state] & tied[:, None, :]
        at, value = np.nonzero(edges.any(axis=-1))
        children, still = here.children[state[at], value], edges[at, value]
        first, which = distinct([children, *np.packbits(still, axis=1).T])
        counted: NDArray[Any] = np.zeros(len(first), object)
        np.add.at(counted, which, paths[at])
        paths, state, tied = counted, children[first], still[first]
    return int(paths.sum())


def pairs(families: Families) -> Iterator[tuple[int, int]]:
    """Every two classes, both ways round, whose comparison decides between labels."""
    for i in range(families.classes):
        for j in range(families.classes):
            if i != j and families.labels_of[i] != families.labels_of[j]:
                yield i, j
