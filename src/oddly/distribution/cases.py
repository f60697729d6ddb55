# SPDX-License-Identifier: Apache-2.0
"""What breaks a rule: one instance, or two of which one would have to be decided as the other is.

The smallest case states the fewest values from which its decisions follow, whatever the other attributes are: a partial
instance of which every completion gets the label (an implicant). To find the fewest is hard in general, so: a best-first
search over the sets of nodes that partial instances reach, exact where it ends within `EFFORT`; beyond that the best of
several instances (the shortest path of the reduced diagram, and some drawn at random), each without the attributes it can
do without. Either way no attribute of what is found can be left out.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import JsonName, TypedJson, as_features
from oddly.diagram import ODD
from oddly.diagram.levelled import idle
from oddly.diagram.passes.best import BestPaths
from oddly.diagram.passes.semirings import MIN_PLUS, Levels
from oddly.distribution.listing import instances
from oddly.distribution.measure import Measure, measure_of, uniform
from oddly.distribution.sampling import sample_indices
from oddly.errors import Unsupported

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
MOST_NAMED = 4  # attributes that do not matter; of more only the number is told


@dataclass(frozen=True)
class Case(TypedJson):
    """What breaks a rule: an instance, or two that differ in one step."""

    known: Mapping[str, str]
    """The values from which the decisions follow, whatever the others; where there are two instances, both have them."""
    others: Annotated[tuple[str, ...], JsonName("any")]
    """The attributes that may have any value."""
    fewest: bool
    """Whether it is proven that no other case needs fewer attributes to be stated."""
    instances: tuple[Mapping[str, str], ...]
    """One, or two; of the values that do not matter the most probable ones."""
    decisions: tuple[str, ...]

    def in_order(self, labels: Sequence[str]) -> "Case":
        """The same with the instance first whose decision is listed first."""
        if labels.index(self.decisions[0]) <= labels.index(self.decisions[-1]):
            return self
        return replace(self, instances=self.instances[::-1], decisions=self.decisions[::-1])

    def __str__(self) -> str:
        told = stated(self.known, self.others)
        if len(self.instances) == 1 or self.instances[0] == self.instances[1]:
            return f"{told or 'any instance'}: {' against '.join(self.decisions)}"
        steps = [{n: v for n, v in i.items() if self.instances[1 - k][n] != v} for k, i in enumerate(self.instances)]
        ways = [f"{d} with {as_features(step)}" for d, step in zip(self.decisions, steps, strict=True)]
        return f"{told + ': ' if told else ''}{', '.join(ways)}"


def stated(known: Mapping[str, str], others: Sequence[str]) -> str:
    """What is known, and what may be anything; nothing if nothing is known."""
    if not (known and others):
        return as_features(known)
    few = len(others) <= MOST_NAMED
    return f"{as_features(known)}, any {' and any '.join(others) if few else f'value of the {len(others)} others'}"


@dataclass(frozen=True, eq=False)
class Breach:
    """Where a rule is broken: a diagram whose first label stands for "nowhere"."""

    odd: ODD
    ways: Sequence[tuple[str, ...]]
    """For each of its other labels, how the instances are decided."""
    apart: tuple[Mapping[str, str], ...] = ({},)
    """For each instance of a case, what it has that the diagram does not read."""

    @property
    def count(self) -> int:
        """How many instances of the diagram break the rule."""
        return self.odd.instances - self.odd.count(self.odd.labels[0])

    @property
    def met(self) -> list[int]:
        """The places of the labels, but the first, that some instance gets."""
        met = np.unique(self.odd.levels[-1]).tolist() if self.odd.levels else [self.odd.root]
        return [place for place in met if place]


def smallest_case(odd: ODD, breaches: Sequence[Breach], under: Any) -> Case:
    """The case that is stated with the fewest values; of what it leaves open, the values that are most probable."""
    tried = [(breach, place) for breach in breaches for place in breach.met]
    found = smallest_of([(breach.odd, breach.odd.labels[place]) for breach, place in tried])
    assert found is not None
    (breach, place), best = tried[found[0]], found[1]
    known = breach.odd.instance_of(best.choices)
    others = tuple(name for name in breach.odd.columns if name not in known)
    rest = _most_probable(odd, breach.odd, breach.odd.labels[place], known, under)
    whole = [{**rest, **apart} for apart in breach.apart]
    told = tuple({name: one[name] for name in odd.columns if name in one} for one in whole)
    return Case(known, others, len(known) <= best.least, told, breach.ways[place - 1])


def _most_probable(odd: ODD, broken: ODD, label: str, known: Mapping[str, str], under: Any) -> dict[str, str]:
    own = under is None or (isinstance(under, str) and under == "model")
    if isinstance(under, np.ndarray) and len(broken.order) < len(odd.order):
        measure: Measure = uniform(broken.variables)  # its columns are those of all attributes
    else:
        measure = measure_of(odd if own else broken, under, broken.variables)
    try:
        return next(instances(broken, label, measure, given=known))[0]
    except (Unsupported, StopIteration):  # impossible, or in no row
        return next(instances(broken, label, uniform(broken.variables), given=known))[0]


# ---- the least that has to be known of an instance, to know its label ----


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
