# SPDX-License-Identifier: Apache-2.0
"""What is the least that has to be known of an instance, to know that it gets this label?

A partial instance of which every completion gets the label (an implicant), with as few attributes fixed as can be. To
find the fewest is hard in general, so: a best-first search over the sets of nodes that partial instances reach, exact
where it ends within `EFFORT`; beyond that the best of several instances (the shortest path of the reduced diagram, and
some drawn at random), each without the attributes it can do without. Either way no attribute of what is found can be
left out.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.passes.best import BestPaths
from oddly.diagram.passes.semirings import MIN_PLUS, Levels
from oddly.diagram.reduced import idle
from oddly.distribution.sampling import sample_indices

Nodes = NDArray[np.integer[Any]]
"""Some nodes of one depth, each once."""
Fewest = NDArray[np.uint16]
"""For every node of a depth, how many attributes must be fixed at the least."""
Choices = tuple[int | None, ...]
"""Depth by depth the place of the value, None for any."""

NEVER = 60_000  # more than any number of attributes: the label is out of reach
EFFORT = 200_000  # nodes that the search may look at, a tenth of a second or so
STEP = 25  # what a step costs besides its nodes, in nodes
DRAWN = 30  # instances to start from where the search gives up


@dataclass(frozen=True)
class Smallest:
    """A partial instance that suffices for a label."""

    choices: Choices
    least: int
    """It is proven that no other fixes fewer attributes than this."""

    @property
    def fixed(self) -> int:
        """How many attributes it fixes."""
        return sum(choice is not None for choice in self.choices)


def smallest(odd: ODD, label: str) -> Smallest | None:
    """A partial instance with few attributes, all of whose completions get the label; None if nothing gets it.

    Cost: one vectorised pass per level, twice if the search gives up, and the search itself.

    >>> import oddly
    >>> smallest(oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"]), "yes").choices
    (None, None, 0)
    """
    place = odd.label_index(label)
    bounds = _bounds(odd, place)
    least = int(bounds[0][odd.root])
    if least == NEVER:
        return None
    found = _searched(odd, bounds)
    if found is not None:
        return Smallest(found, sum(choice is not None for choice in found))
    starts = [_shortest_path(odd, place), *_drawn(odd, label)]
    return min((Smallest(_spared(odd, codes, bounds), least) for codes in starts), key=lambda one: one.fixed)


def smallest_of(labels: Sequence[tuple[ODD, str]]) -> tuple[int, Smallest] | None:
    """Of several labels, of one diagram or of many, the one that takes the fewest attributes: its place and how.

    What may take the fewest is tried first, and what cannot take fewer than what was found is not tried at all.
    """
    bounds = [int(_bounds(odd, odd.label_index(label))[0][odd.root]) for odd, label in labels]
    best, least = None, NEVER
    for i in sorted(range(len(labels)), key=bounds.__getitem__):
        if bounds[i] == NEVER or (best is not None and bounds[i] >= best[1].fixed):
            break
        found = smallest(*labels[i])
        assert found is not None
        least = min(least, found.least)
        if best is None or found.fixed < best[1].fixed:
            best = i, found
    return best and (best[0], Smallest(best[1].choices, min(least, best[1].fixed)))


def _bounds(odd: ODD, place: int) -> list[Fewest]:
    """For every node of every depth, how many attributes must be fixed at the least; NEVER if none suffice.

    An attribute is fixed to its best value, or left open, which every child must bear. Children of an open attribute
    would have to fix the rest alike, which is not asked here: the true number may be larger.
    """
    found = [np.where(np.arange(len(odd.labels)) == place, 0, NEVER).astype(np.uint16)]
    for level in reversed(odd.levels):
        children = found[-1][level.T]
        least, most = children.min(axis=0), children.max(axis=0)
        found.append(np.minimum(np.minimum(least + 1, NEVER), most).astype(np.uint16))
    return found[::-1]


# ---- the fewest ----


def _searched(odd: ODD, bounds: Sequence[Fewest]) -> Choices | None:
    """Best-first over the sets of nodes that partial instances reach, depth by depth; None if it takes too long."""
    start = np.array([odd.root])
    heap: list[tuple[int, int, tuple[int, ...], int, Nodes]] = [(int(bounds[0][odd.root]), 0, (), 0, start)]
    seen: set[tuple[int, bytes]] = set()
    effort = 0
    while heap:
        _, above, codes, fixed, nodes = heapq.heappop(heap)
        depth = -above
        if depth == len(odd.levels):
            return tuple(None if code < 0 else code for code in codes)
        if (depth, nodes.tobytes()) in seen:
            continue
        seen.add((depth, nodes.tobytes()))
        effort += STEP + len(nodes)
        if effort > EFFORT:
            return None
        for code, below in _steps(odd.levels[depth], nodes):
            bound = int(bounds[depth + 1][below].max())
            if bound < NEVER:
                cost = fixed + (code >= 0)
                heapq.heappush(heap, (cost + bound, above - 1, (*codes, code), cost, below))
    return None


def _steps(level: NDArray[np.uint32], nodes: Nodes) -> Iterator[tuple[int, Nodes]]:
    """The choices at an attribute, -1 leaving it open, with the nodes that each reaches."""
    rows = level[nodes]
    yield -1, np.unique(rows)
    if (rows != rows[:, :1]).any():  # otherwise fixing it is in vain
        for code, column in enumerate(rows.T):
            yield code, np.unique(column)


# ---- few ----


def _shortest_path(odd: ODD, place: int) -> list[int]:
    """The values along the path to the label that meets the fewest nodes of the reduced diagram, first values first."""
    rows = [np.broadcast_to(~idle(level)[:, None], level.shape).astype(np.int64) for level in odd.levels]
    return BestPaths(odd.levels, odd.root, MIN_PLUS.at(place, len(odd.labels)), rows, MIN_PLUS).first()


def _drawn(odd: ODD, label: str) -> list[list[int]]:
    """Some instances with the label, always the same ones; their values in the diagram's order."""
    ranks = np.argsort(np.argsort(odd.places))
    found: list[list[int]] = sample_indices(odd, DRAWN, label)[:, ranks].tolist()
    return found


def _spared(odd: ODD, codes: Sequence[int], bounds: Sequence[Fewest]) -> Choices:
    """The instance without each attribute that it can do without, tried from the root down."""
    nodes: Nodes = np.array([odd.root])
    choices: list[int | None] = []
    for depth, (level, code) in enumerate(zip(odd.levels, codes, strict=True), start=1):
        opened = _once(level[nodes], len(bounds[depth]))
        spared = _suffices(odd.levels, opened, depth, codes, bounds)
        nodes = opened if spared else _once(level[nodes, code], len(bounds[depth]))
        choices.append(None if spared else code)
    return tuple(choices)


def _suffices(levels: Levels, nodes: Nodes, depth: int, codes: Sequence[int], bounds: Sequence[Fewest]) -> bool:
    """Whether the rest of the instance leads all these nodes to the label."""
    for k in range(depth, len(levels)):
        if bounds[k][nodes].max() == NEVER:
            return False
        nodes = _once(levels[k][nodes, codes[k]], len(bounds[k + 1]))
    return bool((bounds[-1][nodes] == 0).all())


def _once(nodes: NDArray[np.uint32], width: int) -> Nodes:
    """The distinct ones, in order: by sorting where they are few, by marking where they are many."""
    if nodes.size < width >> 4:
        return np.unique(nodes)
    marked = np.zeros(width, bool)
    marked[nodes] = True
    return np.flatnonzero(marked)
