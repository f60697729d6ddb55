# SPDX-License-Identifier: Apache-2.0
"""A diagram and its families walked together: every node with the contexts and possible classes that reach it.

A node alone does not say what its sums are worth, since families look back at attributes above it. With the context,
each edge has its own numbers, and a question about margins is a shortest path again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import kernels
from oddly.diagram.passes import FAR, FARTHER, Ints, Levels
from oddly.lowering import Families, Step, distinct


@dataclass(frozen=True, eq=False)
class Meeting:
    """The combinations of node, context and possible classes that occur at a depth."""

    node: NDArray[np.int64]
    context: NDArray[np.int64]
    alive: NDArray[np.bool_]
    """[states, classes]"""
    children: NDArray[np.int64] | None
    """[states, values]: places among the states below; None after the last attribute, where a node is a label."""

    def __len__(self) -> int:
        return len(self.node)


def together(levels: Levels, root: int, families: Families) -> list[Meeting]:
    """The states of every depth; AssertionError if a label is one that nothing possible has."""
    here = Meeting(np.array([root]), np.zeros(1, np.int64), families.prior.alive[None], None)
    found = []
    walk = _walked_fast if _compiled(families) else _walked
    for level, step in zip(levels, families.steps, strict=True):
        children, below = walk(here, level, step)
        found.append(Meeting(here.node, here.context, here.alive, children))
        here = below
    _check_labels(here, families)
    return [*found, here]


def _compiled(families: Families) -> bool:
    return kernels.AVAILABLE and families.kind == np.int64 and families.classes <= kernels.MOST_CLASSES


def _walked_fast(here: Meeting, level: NDArray[np.uint32], step: Step) -> tuple[NDArray[np.int64], Meeting]:
    children, node, context, alive = kernels.meet(level, here.node, here.context, here.alive, step)
    return children, Meeting(node, context, alive, None)


def _walked(here: Meeting, level: NDArray[np.uint32], step: Step) -> tuple[NDArray[np.int64], Meeting]:
    """The children of every state of a depth, and the states below."""
    node = level[here.node].astype(np.int64)
    context = step.following[here.context]
    alive = here.alive[:, None, :] & step.alive[here.context]
    flat = Meeting(node.reshape(-1), context.reshape(-1), alive.reshape(-1, alive.shape[-1]), None)
    words = [] if flat.alive.all() else list(np.packbits(flat.alive, axis=1).T)
    first, which = distinct([flat.node, flat.context, *words])
    return which.reshape(node.shape), Meeting(flat.node[first], flat.context[first], flat.alive[first], None)


def _check_labels(last: Meeting, families: Families) -> None:
    wanted = np.zeros((len(last), len(families.labels)), bool)
    for c, label in enumerate(families.labels_of):
        wanted[:, label] |= last.alive[:, c]
    wanted[~last.alive.any(axis=1), families.fallback] = True
    if not wanted[np.arange(len(last)), last.node].all():
        raise AssertionError("the diagram contradicts its families: a label that nothing possible has")


class Leads:
    """By how much one class leads another, over all instances that are decided as the first and leave both possible.

    Shortest paths: an edge costs what it adds to the first class's sum and not to the second's. `gained` is the length
    of the shortest, where that is known before.
    """

    def __init__(
        self, meetings: Sequence[Meeting], families: Families, winner: int, other: int, gained: int | None = None
    ) -> None:
        self.meetings, self.families, self.winner, self.other = meetings, families, winner, other
        prior = families.prior.weights
        self.start = int(prior[winner]) - int(prior[other])
        self.far = FARTHER if families.kind == np.dtype(object) else FAR
        self._gained = gained

    @cached_property
    def least(self) -> int | None:
        """The least lead; None if there is no such instance."""
        gained = int(self.nearest[0][0]) if self._gained is None else self._gained
        return None if gained > self.far // 2 else self.start + gained

    def costs(self, depth: int) -> Ints:
        """[states, values]: what each edge adds to the lead."""
        step = self.families.steps[depth]
        added: Ints = (step.weights[..., self.winner] - step.weights[..., self.other])[self.meetings[depth].context]
        return added

    @cached_property
    def nearest(self) -> list[Ints]:
        """For every state of every depth, the least that is gained in what follows; `far` if nothing fitting does."""
        last = self.meetings[-1]
        label = self.families.labels_of[self.winner]
        ends = (last.node == label) & last.alive[:, self.winner] & last.alive[:, self.other]
        found: list[Ints] = [np.full(len(last), self.far, self.families.kind)]
        found[0][ends] = 0
        for depth in range(len(self.meetings) - 2, -1, -1):
            children = self.meetings[depth].children
            found.append((found[-1][children] + self.costs(depth)).min(axis=1))
        return found[::-1]

    def following(self) -> int | None:
        """The second smallest distinct lead; None if there is none."""
        second: Ints = np.full(len(self.meetings[-1]), self.far, self.families.kind)
        for depth in range(len(self.meetings) - 2, -1, -1):
            children, costs = self.meetings[depth].children, self.costs(depth)
            reached, again = self.nearest[depth + 1][children], second[children]
            ways = np.concatenate([_far(reached, self.far) + costs, _far(again, self.far) + costs], axis=1)
            beyond = np.asarray(ways > self.nearest[depth][:, None], bool)
            second = _far(np.where(beyond, ways, self.far).min(axis=1), self.far)
        return None if second[0] > self.far // 2 else self.start + int(second[0])

    def tight(self, depth: int) -> NDArray[np.bool_]:
        """[states, values]: the edges on shortest paths from their own node."""
        here, below = self.nearest[depth], self.nearest[depth + 1]
        reached = below[self.meetings[depth].children]
        near = np.asarray(reached <= self.far // 2, bool)
        return np.asarray(near & (reached + self.costs(depth) == here[:, None]), bool)

    def truly_tied(self) -> bool:
        """Whether the numbers cancel exactly on every path of the least lead, which is zero."""
        families, i, j = self.families, self.winner, self.other
        if not families.witnessed or families.prior.exact is None:
            return False
        exact = np.full(1, families.prior.exact[i] - families.prior.exact[j], object)
        on_path = np.ones(1, bool)
        for depth, (here, below) in enumerate(pairwise(self.meetings)):
            step = families.steps[depth]
            assert here.children is not None
            assert step.exact is not None
            at, value = np.nonzero(self.tight(depth) & on_path[:, None])
            arriving = exact[at] + (step.exact[..., i] - step.exact[..., j])[here.context[at], value]
            children = here.children[at, value]
            exact, on_path = np.zeros(len(below), object), np.zeros(len(below), bool)
            exact[children], on_path[children] = arriving, True
            if not np.all(exact[children] == arriving):
                return False
        return not exact[on_path].any()


def _far(numbers: Ints, far: int) -> Ints:
    """Numbers that stand for no path, brought back to one that does not grow."""
    return np.where(np.asarray(numbers > far // 2, bool), far, numbers)


def leads_of(meetings: Sequence[Meeting], families: Families, winner: int) -> list[Leads]:
    """By how much a class leads each other one that has another label."""
    others = [j for i, j in pairs(families) if i == winner]
    if not _compiled(families):
        return [Leads(meetings, families, winner, j) for j in others]
    last = meetings[-1]
    ends = (last.node == families.labels_of[winner]) & last.alive[:, winner]
    gained = kernels.least_leads(meetings[:-1], families.steps, ends, last.alive, winner)
    return [Leads(meetings, families, winner, j, gained[j]) for j in others]


def tied_instances(meetings: Sequence[Meeting], leads: Sequence[Leads]) -> int:
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
