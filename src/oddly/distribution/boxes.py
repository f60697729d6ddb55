# SPDX-License-Identifier: Apache-2.0
"""Where do the instances of a label lie?  As disjoint boxes, largest first, and by over-represented values.

A box allows some values of each attribute and is described by the attributes it restricts: `U=+ve, B in {1, 2}`, the
rest any. The paths of the reduced diagram are disjoint boxes that cover a label; a search that knows the largest box
below every node lists them in order of size, without listing them all.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import ROUNDED, Count
from oddly.diagram import ODD
from oddly.diagram.passes.semirings import MAX_TIMES
from oddly.diagram.passes.sweep import by_depth, up, value_counts


@dataclass(frozen=True, repr=False)
class Box:
    """The values a box allows of each attribute it restricts, and how many instances it holds."""

    allowed: Mapping[str, tuple[str, ...]]
    size: Count
    """How many instances."""
    share: Annotated[Fraction, ROUNDED]
    """Of the instances that are being described."""

    @property
    def condition(self) -> str:
        """What it allows, in words."""
        named = [f"{a}={v[0]}" if len(v) == 1 else f"{a} in {{{', '.join(v)}}}" for a, v in self.allowed.items()]
        return ", ".join(named) or "everything"

    def __repr__(self) -> str:
        return f"{self.condition} ({self.size:,}, {float(self.share) * 100:.3g} %)"


@dataclass(frozen=True)
class Lift:
    """A value that is more frequent among the instances described than among all."""

    attribute: str
    value: str
    share: float
    """Of the instances described."""
    usual: float
    """Of all instances."""


def boxes(odd: ODD, label: str, share: float = 0.9, most: int = 20) -> list[Box]:
    """Disjoint boxes of a label's instances, largest first, until `share` of them is covered or there are `most`."""
    total = odd.count(label)
    found: list[Box] = []
    covered = 0
    for allowed, size in _paths(odd, odd.label_index(label)):
        if len(found) >= most or covered >= Fraction(share) * total:
            break
        found.append(Box(allowed, size, Fraction(size, total)))
        covered += size
    return found


def lifts(odd: ODD, label: str, most: int = 5, among: ODD | None = None) -> list[Lift]:
    """The attribute values that are most over-represented among a label's instances: against all there are, or against
    the last label's of another diagram over the same attributes."""
    total = odd.count(label)
    if total == 0:
        return []
    found, by_value = [], _by_value(odd, label)
    usual = _by_value(odd if among is None else among, None if among is None else among.labels[-1])
    for variable, counts, others in zip(odd.variables, by_value, usual, strict=True):
        for value, n, m in zip(variable.values, counts, others, strict=True):
            found.append(Lift(variable.name, value, n / total, m / sum(others)))
    found = [lift for lift in found if lift.share > lift.usual]
    return sorted(found, key=lambda lift: (-lift.share / lift.usual, lift.attribute, lift.value))[:most]


def _by_value(odd: ODD, label: str | None) -> list[list[int]]:
    """By attribute and value, how many instances of a label have it; without one, of each value one."""
    if label is None:
        return [[1] * arity for arity in odd.arities]
    return value_counts(odd.levels, odd.root, odd.label_index(label), len(odd.labels), odd.instances)


def _paths(odd: ODD, label: int) -> Iterator[tuple[dict[str, tuple[str, ...]], int]]:
    """The paths of the reduced diagram to a label as boxes, largest first: best-first on the size still possible."""
    best = _largest(odd, label)
    ticket = count(0, -1)  # of equals the last found first: straight down to a box, not through all that are as large
    heap: list[tuple[int, int, int, int, int, _Path]] = [(-int(best[0][odd.root]), next(ticket), 1, 0, odd.root, ())]
    while heap:
        bound, _, size, depth, node, path = heapq.heappop(heap)
        if bound == 0:
            return
        if depth == len(odd.levels):
            yield {odd.order[k]: tuple(odd.variables[k].values[v] for v in values) for k, values in path}, size
            continue
        for child, values in _edges(odd.levels[depth][node].tolist()):
            after, below = size * len(values), int(best[depth + 1][child])
            if below:
                restricted = path if len(values) == odd.arities[depth] else (*path, (depth, values))
                heapq.heappush(heap, (-after * below, next(ticket), after, depth + 1, child, restricted))


_Path = tuple[tuple[int, tuple[int, ...]], ...]
"""Depths with the values that a box allows there; all are allowed where there is none."""


def _edges(children: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """The distinct children of a node with the values that lead to them."""
    groups: dict[int, list[int]] = {}
    for value, child in enumerate(children):
        groups.setdefault(child, []).append(value)
    return [(child, tuple(values)) for child, values in groups.items()]


def _largest(odd: ODD, label: int) -> list[NDArray[Any]]:
    """For every node of every depth the size of the largest box from it to the label, 0 if there is none.

    A box goes on through one child, by all the values that lead there.
    """
    system = MAX_TIMES.holding(odd.instances)
    alike = ([sum(column == other for other in level.T) for column in level.T] for level in odd.levels)
    values = [np.stack(columns, axis=1) for columns in alike]
    return by_depth(up(odd.levels, system.at(label, len(odd.labels)), values, system))
