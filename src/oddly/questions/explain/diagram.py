# SPDX-License-Identifier: Apache-2.0
"""The complete reason of a decision, and its minimal elements, as diagrams over *keep* and *free*.

Keeping some features of an instance and freeing the others suffices for its decision if every way to fill in the
freed ones gets the same label. As a diagram, a node of the complete reason is a conjunction of the classifier's nodes,

    Γ(u) with the feature kept = Γ(child of its value)      Γ(u) with it freed = Γ(every child), all at once

which is worked out from the last attribute up, one product of diagrams per value. That may grow; limits stop it.
For any function that more keeping never hurts, a set is minimal iff none of its features can be freed: from the last
attribute up again, one product per attribute.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.canonical import canonical
from oddly.diagram.combine import combine_levels
from oddly.diagram.passes.semirings import Levels
from oddly.diagram.paths import Path, cheapest
from oddly.model import Variable
from oddly.runtime import Watch

Level = NDArray[np.uint32]
Case = Sequence[int | None]
"""An instance, attribute by attribute in a diagram's order, by the places of its values; None where it is not known."""

FREE, KEEP = 0, 1
CHOICES = ("free", "keep")
SUFFICES = ("not sufficient", "sufficient")
REASONS = ("no reason", "reason")

BOTH = np.array([[0, 0], [0, 1]], np.uint8)
ONLY_LEFT = np.array([[0, 0], [1, 0]], np.uint8)


def labels_reached(odd: ODD, allowed: Sequence[Collection[int]]) -> set[int]:
    """The labels that instances can get whose values, depth by depth, are all allowed.  One pass."""
    if not odd.levels:
        return {odd.root}
    nodes = np.array([odd.root])
    for level, values, width in zip(odd.levels, allowed, odd.widths[1:], strict=True):
        reached = np.zeros(width, bool)
        for value in values:
            reached[level[nodes, value]] = True
        nodes = np.flatnonzero(reached)
    return set(nodes.tolist())


def asked(odd: ODD, labels: Sequence[int]) -> tuple[list[Level], int]:
    """The levels and the root of the question whether the decision is one of these; equal nodes are not merged."""
    if not odd.levels:
        return [], int(odd.root in labels)
    return [*odd.levels[:-1], np.isin(odd.levels[-1], labels).astype(np.uint32)], odd.root


def complete_reason(odd: ODD, label: int, case: Case) -> ODD:
    """Which features of a case can be kept so that, whatever the others are, the label stays?

    A diagram over the attributes that are known, in their order; the unknown ones are always free.
    """
    levels, root = asked(odd, [label])
    for depth in reversed(range(len(levels))):
        own, arity = case[depth], levels[depth].shape[1]
        freed = [_choice(levels, depth, value, value if own is None else own) for value in range(arity)]
        levels, root = _all_of(freed, root)
    merged, root = canonical(levels, root, 2, [None if value is not None else FREE for value in case])
    known = [i for i, value in enumerate(case) if value is not None]
    return keep_diagram([odd.order[i] for i in known], [odd.places[i] for i in known], merged, root)


def general_reason(odd: ODD, label: int, case: Case) -> tuple[ODD, list[tuple[int, int]]]:
    """Which other values can be ruled out so that the label stays?  A diagram over one choice per attribute and other
    value, *keep* it ruled out or set it *free*, and these pairs (depth, value)."""
    levels, root = asked(odd, [label])
    pairs: list[tuple[int, int]] = []
    for depth in reversed(range(len(levels))):
        own, arity = case[depth], levels[depth].shape[1]
        others = [value for value in range(arity) if value != own]
        if own is None or not others:
            freed = [_choice(levels, depth, value, value) for value in range(arity)]
            levels, root = _all_of(freed, root)
            merged, root = canonical(levels, root, 2, [FREE if i == depth else None for i in range(len(levels))])
            levels = list(merged)
            continue
        freed = [_spread(levels, depth, others, value, own) for value in range(arity)]
        levels, root = _all_of(freed, root)
        pairs = [(depth, value) for value in others] + pairs
    names = [f"{odd.order[depth]}={odd.variables[depth].values[value]}" for depth, value in pairs]
    return keep_diagram(names, range(len(names)), levels, root), pairs


def fewest_kept(odd: ODD) -> Iterator[Path]:
    """The paths of a diagram over free and keep to its second label, those that keep the fewest first."""
    return (path for _, path in cheapest(odd.levels, odd.root, [[0, 1]] * len(odd.levels), 1, 2))


def keep_diagram(names: Sequence[str], places: Sequence[int], levels: Levels, root: int) -> ODD:
    """A diagram over free and keep; places need only be in the right order."""
    ranks = np.argsort(np.argsort(np.array(places, int))).tolist()
    return ODD(tuple(Variable(name, CHOICES) for name in names), SUFFICES, tuple(levels), root, tuple(ranks))


def dual(odd: ODD) -> ODD:
    """Which features can be freed so that the rest no longer suffices?  Here *keep* means: change it."""
    if not odd.levels:
        return ODD((), odd.labels, (), 1 - odd.root)
    levels = [level[:, ::-1] for level in odd.levels]
    levels[-1] = 1 - levels[-1]
    return ODD(odd.variables, odd.labels, tuple(np.ascontiguousarray(level) for level in levels), 0, odd.places)


def minimal(odd: ODD) -> ODD:
    """The minimal sets of a diagram over free and keep that more keeping never hurts; in any order of attributes."""
    if not odd.levels:
        return _reasons(odd, (), odd.root)
    levels: Levels = odd.levels
    for depth in reversed(range(len(odd.levels))):
        without = _freed_anyway(odd.levels, depth)  # kept, and the rest suffices without it
        levels, _ = combine_levels(levels, 0, without, 0, ONLY_LEFT, 2, Watch(len(levels)))
    return _reasons(odd, levels, 0)


def minimal_descending(odd: ODD) -> ODD:
    """The same for sums of gains, the largest gain first: there a set is minimal iff its last feature is needed.

    Where freeing all that is below a node suffices, nothing below it is kept. One pass, and never larger.
    """
    if not odd.levels:
        return _reasons(odd, (), odd.root)
    enough = np.array([False, True])
    found: list[Level] = []
    for level, dead in zip(reversed(odd.levels), reversed(_dead_ends(odd.levels)), strict=True):
        above = enough[level[:, FREE]]
        kept = np.where(above, dead, level[:, KEEP])
        found.append(_with_dead_end(np.stack([level[:, FREE], kept], axis=1), dead))
        enough = above
    levels, root = canonical(found[::-1], 0, 2, [None] * len(found))
    return _reasons(odd, levels, root)


def _reasons(like: ODD, levels: Levels, root: int) -> ODD:
    return ODD(like.variables, REASONS, tuple(levels), root, like.places)


def _all_of(parts: Sequence[list[Level]], root: int) -> tuple[list[Level], int]:
    levels: Sequence[Level] = parts[0]
    for other in parts[1:]:
        watch = Watch(len(levels))
        levels, root = combine_levels(levels, root, other, root, BOTH, 2, watch)
        watch.done(sum(map(len, levels)))
    if len(parts) == 1:
        levels, root = canonical(levels, root, 2, [None] * len(levels))
    return list(levels), root


def _choice(levels: Sequence[Level], depth: int, free: int, keep: int) -> list[Level]:
    """The diagram with one attribute replaced by a choice: free leads where one value led, keep where another did."""
    return [*levels[:depth], np.ascontiguousarray(levels[depth][:, [free, keep]]), *levels[depth + 1 :]]


def _spread(levels: Sequence[Level], depth: int, others: Sequence[int], free: int, keep: int) -> list[Level]:
    """The same with one choice per other value in a row, of which only that of `free` matters."""
    here = levels[depth]
    widths = len(here), int(here.max()) + 1
    above, below = (np.repeat(np.arange(n, dtype=np.uint32)[:, None], 2, axis=1) for n in widths)
    chosen = np.ascontiguousarray(here[:, [free, keep]])
    at = others[0] if free == keep else free  # its own value is allowed whatever is chosen
    rows = [above if value < at else below if value > at else chosen for value in others]
    return [*levels[:depth], *rows, *levels[depth + 1 :]]


def _freed_anyway(levels: Levels, depth: int) -> list[Level]:
    """Positive where the feature of this depth is kept and the set without it suffices."""
    dead = _dead_ends(levels)
    here = levels[depth][:, FREE]
    level = np.stack([np.full(len(here), dead[depth], np.uint32), here], axis=1)
    below = [_with_dead_end(rows, end) for rows, end in zip(levels[depth + 1 :], dead[depth + 1 :], strict=True)]
    return [*levels[:depth], level, *below]


def _dead_ends(levels: Levels) -> list[int]:
    """For each level, the node that its edges to nowhere lead to: one more at each depth, and the negative sink."""
    return [*(len(level) for level in levels[1:]), 0]


def _with_dead_end(level: Level, below: int) -> Level:
    return np.vstack([level, np.full((1, level.shape[1]), below)]).astype(np.uint32)
