# SPDX-License-Identifier: Apache-2.0
"""How few attributes can be left out, until what hidden variables tie together fits?

First greedily: the one whose absence shrinks the blocks most, until a plan can be made, and then those back that can
come back. That many will do. Whether fewer would is looked up, set by set, in order of size: a set is passed over only
where the outcome of a block is by itself too large, whatever the order it is worked out in, or else where no plan is
found. Where every smaller set was looked at, the number is the least. More attributes left out may tie more together,
not less, since what is left out is hidden if others depend on it: so no set stands for another, larger or smaller.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import log2, prod
from operator import or_
from time import monotonic
from typing import NamedTuple

import numpy as np

from oddly.engine.table import MOST_INSTANCES
from oddly.model import NetworkClassifier
from oddly.model.elimination import whole_potentials
from oddly.runtime import poll

MOST_SETS = 30_000  # that are looked at, so that two runs find the same; a few seconds
MOST_PLANS = 500  # that are tried for them
BATCH = 256  # of them between two looks at the clock
Names = tuple[str, ...]
Fits = Callable[[Sequence[str]], bool]
"""Whether a plan can be made with these attributes."""


@dataclass(frozen=True)
class Fewest:
    """Attributes without which the others fit, and whether it is known that no smaller number of them would do."""

    left_out: frozenset[str]
    proven: bool


def fewest(classifier: NetworkClassifier, fits: Fits, limit: int, seconds: float) -> Fewest | None:
    """The fewest attributes to leave out; None where none were found in time.

    `limit`: the entries of a table. Cost: some 50 µs for a set that is too large by its names, a plan for any other.
    """
    search = _FewestSearch(classifier, fits, _TiedOutline(classifier, limit), monotonic() + seconds)
    some = search.greedy()
    return None if some is None else search.smaller(some)


class _FewestSearch:
    def __init__(self, classifier: NetworkClassifier, fits: Fits, outline: "_TiedOutline", end: float) -> None:
        self.every, self.outline, self.end, self.plan = classifier.attributes, outline, end, fits
        self.plans = 0

    def greedy(self) -> Names | None:
        """Left out one by one, until the rest fits; then each comes back that can."""
        left_out: Names = ()
        while not left_out or not self.fits(left_out):
            ranked = self.ranked(left_out)
            if len(ranked) < 2 or self.late():
                return None
            left_out = (*left_out, ranked[0])
        for name in left_out:
            without = tuple(n for n in left_out if n != name)
            if without and not self.late() and self.fits(without):
                left_out = without
        return left_out

    def smaller(self, some: Names) -> Fewest:
        """The first smaller set with which the rest fits; sets of one attribute come first, then of two, and so on."""
        most = self.plans + MOST_PLANS
        for tried, names in enumerate(self.sets(len(some) - 1)):
            if tried >= MOST_SETS or self.plans >= most or (tried % BATCH == 0 and self.late()):
                return Fewest(frozenset(some), False)
            if self.fits(names):
                return Fewest(frozenset(names), True)
        return Fewest(frozenset(some), True)

    def sets(self, most: int) -> Iterator[Names]:
        ranked = self.ranked(())
        return (names for size in range(1, most + 1) for names in combinations(ranked, size))

    def ranked(self, left_out: Names) -> list[str]:
        """The attributes that are left, the one first whose absence leaves least."""
        return sorted(
            (n for n in self.every if n not in left_out), key=lambda name: self.outline.excess((*left_out, name))
        )

    def fits(self, left_out: Names) -> bool:
        if self.outline.hopeless(left_out):
            return False
        self.plans += 1
        return self.plan([n for n in self.every if n not in left_out])

    def late(self) -> bool:
        poll("attributes", 0, len(self.every))
        return monotonic() > self.end


class _TiedTables(NamedTuple):
    """Tables that hidden variables tie together: names as bits, and whether any number is zero."""

    hidden: int
    kept: int
    zero: bool


@dataclass(frozen=True, eq=False)
class _TiedOutline:
    """The names of a classifier's tables, as bits of whole numbers: what a set of attributes leaves, told at once."""

    classifier: NetworkClassifier
    limit: int

    def hopeless(self, left_out: Names) -> bool:
        """Whether a block's outcome is too large by itself, and so is a table, and no chain can be searched."""
        found = self.blocks(left_out)
        too_large = any(block.hidden and self._product(block.kept) > self.limit for block in found)
        if not too_large or self.cells(found) <= MOST_INSTANCES:
            return False
        return self.classifier.positive is None or any(block.zero for block in found) or self._no_chain(left_out, found)

    def excess(self, left_out: Names) -> tuple[float, float]:
        """How far the blocks are beyond the limit, or all instances beyond what a table holds; then their sizes."""
        found = self.blocks(left_out)
        sizes = [log2(self._product(block.kept)) for block in found]
        beyond = sum(max(0.0, size - log2(self.limit)) for size in sizes)
        cells = log2(self.cells(found)) - log2(MOST_INSTANCES)
        return min(beyond, max(0.0, cells)), sum(sizes)

    def cells(self, found: Sequence[_TiedTables]) -> int:
        """The instances of the attributes that matter."""
        kept = reduce(or_, (block.kept for block in found), 0)
        return self._product(kept & ~self._class)

    def blocks(self, left_out: Names) -> list[_TiedTables]:
        """The blocks that bear on the class, or on what is possible."""
        kept = self._kept(left_out)
        groups: list[_TiedTables] = []
        for names, zero in self._needed(kept):
            found, apart = _TiedTables(names & ~kept, names & kept, zero), []
            for group in groups:
                if group.hidden & found.hidden:
                    found = _TiedTables(*map(or_, found, group))
                else:
                    apart.append(group)
            groups = [*apart, found]
        return [block for block in groups if block.zero or block.kept & self._class]

    def _no_chain(self, left_out: Names, found: Sequence[_TiedTables]) -> bool:
        """Whether a variable of more than two values waits between two tables, in whichever order they are read."""
        attributes = self._kept(left_out) & ~self._class
        hidden = reduce(or_, (block.hidden for block in found), 0)
        for bit, size in self._sizes:
            if size > 2 and bit & hidden:
                read = [
                    names & attributes for names, _ in self._needed(attributes) if names & bit and names & attributes
                ]
                if any(not one & other for one, other in combinations(read, 2)):
                    return True
        return False

    def _kept(self, left_out: Names) -> int:
        return self._class | sum(self._bits[n] for n in self.classifier.attributes if n not in left_out)

    def _needed(self, kept: int) -> Iterator[tuple[int, bool]]:
        """The tables of what is kept or known, and of all above that."""
        above = self._known
        for name, bit in self._bits.items():
            above |= self._above[name] if bit & kept else 0
        return (table for bit, table in zip(self._bits.values(), self._tables, strict=True) if bit & above)

    def _product(self, names: int) -> int:
        return prod(size for bit, size in self._sizes if bit & names)

    @cached_property
    def _bits(self) -> dict[str, int]:
        return {node.name: 1 << i for i, node in enumerate(self.classifier.relevant.nodes)}

    @cached_property
    def _class(self) -> int:
        return self._bits[self.classifier.class_name]

    @cached_property
    def _above(self) -> dict[str, int]:
        """Each name with all names above it."""
        network = self.classifier.relevant
        return {name: sum(self._bits[n] for n in network.ancestors([name])) for name in self._bits}

    @cached_property
    def _known(self) -> int:
        """What evidence, and the class, bring along."""
        names = self.classifier.relevant.ancestors([self.classifier.class_name, *dict(self.classifier.evidence)])
        return sum(self._bits[n] for n in names)

    @cached_property
    def _tables(self) -> list[tuple[int, bool]]:
        """The names of every variable's table, and whether any number in it is zero."""
        tables = whole_potentials(self.classifier)
        return [(sum(self._bits[n] for n in p.names), not bool(np.all(p.table > 0))) for p in tables]

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        return [(self._bits[node.name], len(node.values)) for node in self.classifier.relevant.nodes]
