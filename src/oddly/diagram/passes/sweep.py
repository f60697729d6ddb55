# SPDX-License-Identifier: Apache-2.0
"""One sweep over the levels of a diagram: up from the sinks, down from the root, or both through every edge.

Whatever is asked of all paths at once is one of these with its own numbers (see `semirings`). Each costs some vectorised
operations per edge. Levels are children by node and value; nodes may as well be states of a finer diagram.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from oddly.diagram.passes.digits import DIGITS
from oddly.diagram.passes.semirings import BOUND, FLOATS, WHOLES, Levels, Numbers, Row, Rows, Semiring, System, by_value
from oddly.runtime import polled, room

WIDE = 1000  # nodes of a level on average, from where on digits are faster than Python's integers


def up(levels: Levels, sinks: Any, rows: Rows | None, system: System) -> Iterator[Any]:
    """From the sinks to the root: for every node of a depth the sum over its paths of the product of their numbers.

    Sinks may have several numbers each, [kinds, labels]. Only one depth and the one below are held at a time.
    """
    found = system.of(sinks)
    yield found
    for level, row in zip(polled(reversed(levels), "levels"), _backwards(rows, len(levels)), strict=True):
        _make_room(found, len(level))
        found = system.gather(found, level, row)
        yield found


def down(levels: Levels, root: int, labels: int, rows: Rows | None, system: System) -> Iterator[Any]:
    """From the root to the sinks: for every node of a depth the same over the paths that reach it."""
    widths = [*map(len, levels), labels]
    found = system.at(root, widths[0])
    yield found
    for level, row, width in zip(polled(levels, "levels"), rows or [None] * len(levels), widths[1:], strict=True):
        _make_room(found, max(len(level), width))
        found = system.scatter(found, level, row, width)
        yield found


def _make_room(found: Any, nodes: int) -> None:
    """Look whether so many more numbers fit, as many again of what is worked out on the way, and NumPy's places."""
    numbers = getattr(found, "digits", found)
    each = 40 if numbers.dtype == object else numbers.itemsize  # a place, and Python's integer there
    room((2 * each * (numbers.size // numbers.shape[-1]) + 8) * nodes)


def through(
    levels: Levels, root: int, sinks: Any, rows: Rows | None, system: System, on: Rows | None = None
) -> list[list[Any]]:
    """By depth and value: the same over all paths that take the value, for each number of the sinks.

    A forward-backward pass: an edge is known by what lies above, on and below it. `on` are the numbers of the edges
    that are summed over, where these are not their rows.
    """
    below = by_depth(up(levels, sinks, rows, system))
    above = down(levels, root, np.shape(sinks)[-1], rows, system)
    own = on or rows or [None] * len(levels)
    return [
        [system.total(here, column, number, after) for column, number in by_value(level, row, system.one)]
        for here, level, row, after in zip(above, levels, own, below[1:], strict=False)
    ]


def edge_sums(
    levels: Levels, root: int, below: Sequence[Numbers], rows: Rows | None, system: Semiring
) -> Iterator[Numbers]:
    """By depth, [kinds, values, nodes]: the same over all paths that take each edge, given a sweep up by depth."""
    kinds, labels = below[-1].shape
    above = down(levels, root, labels, rows, system)
    for here, level, row, after in zip(above, levels, rows or [None] * len(levels), below[1:], strict=False):
        found = np.full((kinds, *level.T.shape), system.zero, system.kind)
        for value, column, number in system.edges(level, row):
            found[:, value] = system.times(after.take(column, axis=-1), system.along(here, number))
        yield found


def walk(levels: Levels, root: int, case: Iterable[int]) -> list[int]:
    """The nodes on the path of one instance, its values given in the diagram's order; the label is the last."""
    found = [root]
    for level, value in zip(levels, case, strict=True):
        found.append(int(level[found[-1], value]))
    return found


def by_depth(sweep: Iterator[Any]) -> list[Any]:
    """A sweep up, from the root's depth on."""
    return list(sweep)[::-1]


# ---- sums of products ----


def counts_for(levels: Levels, instances: int) -> System:
    """Numbers that hold so many."""
    return WHOLES if instances < BOUND else _any_size(levels)


def sums_for(levels: Levels, rows: Sequence[Numbers]) -> System:
    """Numbers that hold all sums of products of these."""
    kind = rows[0].dtype.kind if rows else "i"
    return _any_size(levels) if kind == "O" else FLOATS if kind == "f" else WHOLES


def _any_size(levels: Levels) -> System:
    return DIGITS if sum(map(len, levels)) >= WIDE * len(levels) else WHOLES.over(object)


def count(levels: Levels, root: int, label: int, labels: int, instances: int) -> int:
    """How many paths lead from the root to a label: one upward pass, exact."""
    system = counts_for(levels, instances)
    return int(_last(up(levels, np.arange(labels) == label, None, system), system, root))


def value_counts(levels: Levels, root: int, label: int, labels: int, instances: int) -> list[list[int]]:
    """By depth and value, how many paths that take the value lead to a label."""
    found = through(levels, root, np.arange(labels) == label, None, counts_for(levels, instances))
    return [list(map(int, row)) for row in found]


def path_sums(levels: Levels, root: int, labels: int, rows: Sequence[Numbers]) -> list[Any]:
    """For each label, the sum over all paths to it of the product of the numbers on their edges.

    Whole numbers go down, all labels at once; floats up, where a node adds no more than it has values.
    """
    system = sums_for(levels, rows)
    if system is FLOATS:
        return list(_last(up(levels, np.eye(labels), rows, system), system, root))
    (found,) = deque(down(levels, root, labels, rows, system), maxlen=1)
    return [int(system.read(found, label)) for label in range(labels)]


def value_sums(levels: Levels, root: int, labels: int, rows: Sequence[Numbers]) -> list[list[list[Any]]]:
    """By depth, value and label: the same over the paths that take the value."""
    system = sums_for(levels, rows)
    if system is DIGITS and all(row.ndim == 1 for row in rows):  # the last label has what the others leave
        found = through(levels, root, np.eye(labels)[:-1], rows, system)
        return [_with_last(sums, rows, depth) for depth, sums in enumerate(found)]
    return [[list(sums) for sums in row] for row in through(levels, root, np.eye(labels), rows, system)]


def _with_last(found: list[list[int]], rows: Sequence[Numbers], depth: int) -> list[list[int]]:
    rest = prod(sum(map(int, row)) for i, row in enumerate(rows) if i != depth)
    return [[*sums, int(p) * rest - sum(sums)] for sums, p in zip(found, rows[depth], strict=True)]


def _last(sweep: Iterator[Any], system: System, node: int) -> Any:
    (found,) = deque(sweep, maxlen=1)
    return system.read(found, node)


def _backwards(rows: Rows | None, many: int) -> Iterator[Row]:
    return reversed(rows or [None] * many)
