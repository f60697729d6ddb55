# SPDX-License-Identifier: Apache-2.0
"""The sets of features that are enough, and the minimal ones among them: what reasons are, whatever the model.

`Added` are those of a classifier that adds up, `Walked` those of any diagram, and `Dual` turns sufficient into
necessary: the sets that meet every one of the others. Where a diagram of them would grow past its limits, a tree of
hitting sets (Reiter, 1987) still lists the minimal ones, smallest first, asking nothing but whether a set is enough.
"""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from oddly.diagram import ODD
from oddly.diagram.paths import Path, in_turn
from oddly.errors import TooLarge
from oddly.questions.explain import diagram
from oddly.questions.explain.additive import Chosen, Threshold
from oddly.questions.explain.diagram import KEEP, Case, fewest_kept, labels_reached
from oddly.runtime import LimitArguments, limited, poll, stopped

EFFORT = 20_000_000  # nodes that a search for the smallest set may look at where there is no diagram; some seconds


@dataclass(frozen=True, eq=False)
class Sets(ABC):
    """Sets of features, by their places among `names`; with a set every larger one is enough too."""

    names: tuple[str, ...]
    limits: LimitArguments
    """Those of each look, whenever it comes."""

    @abstractmethod
    def enough(self, chosen: Collection[int]) -> bool:
        """Whether a set is."""

    @abstractmethod
    def _built(self) -> ODD: ...

    def _minimal(self, found: ODD) -> ODD:
        return diagram.minimal(found)

    @property
    def step(self) -> int:
        """What it costs to ask whether a set is enough, in nodes."""
        return 1

    @property
    def diagram(self) -> ODD:
        """The sets as a diagram over free and keep; TooLarge past the limits."""
        return _or_raise(self._diagram)

    @property
    def minimal(self) -> ODD:
        """The minimal sets as a diagram; TooLarge past the limits."""
        return _or_raise(self.reasons)

    @cached_property
    def _diagram(self) -> ODD | TooLarge:
        try:
            with limited(self.limits):
                return self._built()
        except TooLarge as error:
            return error

    @cached_property
    def reasons(self) -> ODD | TooLarge:
        """The same, or what stopped the work on it."""
        try:
            with limited(self.limits):
                return self._minimal(self.diagram)
        except TooLarge as error:
            return error

    def smallest_first(self) -> Iterator[Chosen]:
        """The minimal sets, the smallest first."""
        found = self.reasons
        return hitting_sets(self) if isinstance(found, TooLarge) else self._chosen(found, fewest_kept(found))

    def any_order(self) -> Iterator[Chosen]:
        """The minimal sets, a few steps from one to the next; smallest first where there is no diagram of them."""
        found = self.reasons
        if isinstance(found, TooLarge):
            return hitting_sets(self)
        return self._chosen(found, in_turn(found.levels, found.root, 1, 2))

    def smallest(self) -> tuple[Chosen | None, bool]:
        """A smallest set, if there is any; and whether it is proven that none is smaller."""
        found = self._diagram
        if not isinstance(found, TooLarge):
            return next(self._chosen(found, fewest_kept(found)), None), True
        if not self.enough(range(len(self.names))):
            return None, True
        try:
            with limited(self.limits):
                return next(hitting_sets(self, EFFORT // max(self.step, 1))), True
        except TooLarge:
            return shrunk(self), False

    def _chosen(self, found: ODD, paths: Iterable[Path]) -> Iterator[Chosen]:
        places = [self.names.index(name) for name in found.order]
        for path in paths:
            yield tuple(sorted(place for place, value in zip(places, path, strict=True) if value == KEEP))


@dataclass(frozen=True, eq=False)
class Added(Sets):
    """What comes to a threshold."""

    threshold: Threshold

    def enough(self, chosen: Collection[int]) -> bool:
        return self.threshold.enough(chosen)

    def _built(self) -> ODD:
        return self.threshold.diagram(self.names)

    def _minimal(self, found: ODD) -> ODD:
        return diagram.minimal_descending(found)

    def smallest_first(self) -> Iterator[Chosen]:
        return self.threshold.smallest_first()

    def any_order(self) -> Iterator[Chosen]:
        return self.threshold.any_order()

    def smallest(self) -> tuple[Chosen | None, bool]:
        return next(self.smallest_first(), None), True


@dataclass(frozen=True, eq=False)
class Walked(Sets):
    """What suffices for a diagram to decide a case so, whatever the other features are."""

    odd: ODD
    label: int
    case: Case
    depths: tuple[int, ...]
    """Where each feature stands in the diagram."""

    @property
    def step(self) -> int:
        return self.odd.size

    def enough(self, chosen: Collection[int]) -> bool:
        kept = {self.depths[i] for i in chosen}
        allowed = [
            [value] if depth in kept and value is not None else range(arity)
            for depth, (value, arity) in enumerate(zip(self.case, self.odd.arities, strict=True))
        ]
        return labels_reached(self.odd, allowed) == {self.label}

    def _built(self) -> ODD:
        return diagram.complete_reason(self.odd, self.label, self.case)


@dataclass(frozen=True, eq=False)
class Dual(Sets):
    """The sets without which what remains is not enough."""

    of: Sets

    @property
    def step(self) -> int:
        return self.of.step

    def enough(self, chosen: Collection[int]) -> bool:
        return not self.of.enough([i for i in range(len(self.names)) if i not in chosen])

    def _built(self) -> ODD:
        return diagram.dual(self.of.diagram)


def dual_of(sets: Sets) -> Sets:
    """The sets that meet every one of these."""
    if isinstance(sets, Added):
        return Added(sets.names, sets.limits, sets.threshold.dual())
    return Dual(sets.names, sets.limits, sets)


def shrunk(sets: Sets, chosen: Collection[int] | None = None) -> Chosen:
    """A minimal set inside of one that is enough, by default the set of all: each feature left out if it can be."""
    kept = list(range(len(sets.names)) if chosen is None else sorted(chosen))
    for feature in list(kept):
        without = [i for i in kept if i != feature]
        kept = without if sets.enough(without) else kept
    return tuple(kept)


def hitting_sets(sets: Sets, most: int | None = None) -> Iterator[Chosen]:
    """The minimal sets, smallest first, without any diagram; TooLarge after `most` questions.

    A set that is not enough misses some minimal set of the dual: one of its features has to be added.
    """
    other = sets.of if isinstance(sets, Dual) else Dual(sets.names, sets.limits, sets)
    everything = frozenset(range(len(sets.names)))
    known, found = list[frozenset[int]](), list[frozenset[int]]()
    heap: list[tuple[int, Chosen]] = [(0, ())]
    seen, asked = set[Chosen](), 0
    while heap:
        poll("sets of features", asked, 0)
        _, chosen = heapq.heappop(heap)
        kept = frozenset(chosen)
        if any(smaller <= kept for smaller in found):
            continue
        missed = next((m for m in known if not m & kept), None)
        if missed is None:
            asked += 1
            if sets.enough(kept):
                found.append(kept)
                yield chosen
                continue
            if most is not None and asked > most:
                raise stopped(f"no smallest reason after {asked:,} sets of features", "")
            asked += len(everything - kept)
            missed = frozenset(shrunk(other, everything - kept))
            known.append(missed)
        for feature in missed:
            more = tuple(sorted((*chosen, feature)))
            if more not in seen:
                seen.add(more)
                heapq.heappush(heap, (len(more), more))


def _or_raise(found: ODD | TooLarge) -> ODD:
    if isinstance(found, TooLarge):
        raise found
    return found
