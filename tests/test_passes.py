# SPDX-License-Identifier: Apache-2.0
"""The sweep against plain enumeration of paths: every semiring, up, down and through, on a small universe."""

from functools import reduce
from itertools import product
from math import inf
from operator import add, mul

import numpy as np
import pytest

from oddly.diagram.passes import sweep
from oddly.diagram.passes.best import BestPaths, second_least, tied_paths
from oddly.diagram.passes.digits import DIGITS
from oddly.diagram.passes.semirings import FLOATS, MAX_PLUS, MAX_TIMES, MIN_PLUS, SOME, WHOLES
from oddly.diagram.passes.sweep import by_depth, down, edge_sums, through, up, walk

FAR, FARTHER = 1 << 62, 1 << 20_000
SYSTEMS = {
    "counts": (WHOLES, add, mul, 0, 1),
    "python": (WHOLES.over(object), add, mul, 0, 1),
    "floats": (FLOATS, add, mul, 0.0, 1.0),
    "digits": (DIGITS, add, mul, 0, 1),
    "min-plus": (MIN_PLUS, min, add, None, 0),
    "min-plus, wide": (MIN_PLUS.over(object), min, add, None, 0),
    "min-plus, floats": (MIN_PLUS.over(np.float64), min, add, None, 0),
    "max-plus": (MAX_PLUS, max, add, None, 0),
    "max-times": (MAX_TIMES, max, mul, 0, 1),
    "some": (SOME, max, min, 0, 1),
}
"""What the sweep uses, and the same in Python; None is no path."""
SHAPES = [[], [(1, 1)], [(1, 2)], [(1, 2), (2, 1), (2, 3)], [(1, 3), (3, 2), (2, 2), (3, 2)], [(2, 2), (2, 2)]]
"""Of levels: nodes and values."""


def universe(shape, labels, seed, name, by_node):
    """Levels of this shape with edges that lead anywhere, few different numbers on them, some edges absent."""
    draw = np.random.default_rng(seed)
    widths = [*(nodes for nodes, _ in shape), labels]
    levels = [draw.integers(0, below, size).astype(np.uint32) for size, below in zip(shape, widths[1:], strict=True)]
    few = [0, 1] if name == "some" else [0, 1, 2, 3]
    rows = []
    for level in levels:
        if by_node:
            kind = object if name in ("python", "digits") else np.uint8 if name == "some" else np.int64
            rows.append(draw.choice(few, level.shape).astype(kind))
        else:
            rows.append([None if draw.random() < 0.2 else int(draw.choice(few)) for _ in range(level.shape[1])])
    root = int(draw.integers(widths[0]))
    return levels, rows, root


def number(row, node, value):
    return row[node, value] if isinstance(row, np.ndarray) else row[value]


def paths(levels, rows, start, depth, stop):
    """All ways from a node of a depth to another depth: (values, numbers on the edges, node reached)."""
    for values in product(*(range(level.shape[1]) for level in levels[depth:stop])):
        node, numbers = start, []
        for level, row, value in zip(levels[depth:stop], rows[depth:stop], values, strict=True):
            numbers.append(number(row, node, value))
            node = int(level[node, value])
        if None not in numbers:
            yield values, [int(n) for n in numbers], node


def summed(name, worth):
    _, plus, _, zero, _ = SYSTEMS[name]
    return reduce(plus, worth) if worth else zero


def along(name, numbers, end=None):
    _, _, times, _, one = SYSTEMS[name]
    return reduce(times, numbers, one if end is None else times(one, end))


def read(name, found, node):
    """What a node has, None for no path."""
    system = SYSTEMS[name][0]
    one = system.read(found, node)
    if SYSTEMS[name][3] is None:
        return one if system.reached(np.array([one], system.kind))[0] else None
    return one


EVERY = [
    (name, shape, labels, seed, by_node)
    for name in SYSTEMS
    for shape in SHAPES
    for labels in (1, 2, 3)
    for seed in range(3)
    for by_node in (False, True)
]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("by_node", [False, True])
def test_up_is_the_sum_over_the_paths_below(name, by_node):
    system = SYSTEMS[name][0]
    for _, shape, labels, seed, _ in (one for one in EVERY if one[0] == name and one[4] == by_node):
        levels, rows, _ = universe(shape, labels, seed, name, by_node)
        ends = [1] * labels if name in ("some", "max-times") else list(range(labels))
        for depth, found in enumerate(by_depth(up(levels, np.array(ends), rows, system))):
            for node in range(len(levels[depth]) if depth < len(levels) else labels):
                worth = [along(name, on, ends[end]) for _, on, end in paths(levels, rows, node, depth, len(levels))]
                assert read(name, found, node) == summed(name, worth)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("by_node", [False, True])
def test_down_is_the_sum_over_the_paths_above(name, by_node):
    system = SYSTEMS[name][0]
    for _, shape, labels, seed, _ in (one for one in EVERY if one[0] == name and one[4] == by_node):
        levels, rows, root = universe(shape, labels, seed, name, by_node)
        for depth, found in enumerate(down(levels, root, labels, rows, system)):
            for node in range(len(levels[depth]) if depth < len(levels) else labels):
                worth = [along(name, on) for _, on, end in paths(levels, rows, root, 0, depth) if end == node]
                assert read(name, found, node) == summed(name, worth)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("by_node", [False, True])
def test_through_is_the_sum_over_the_paths_that_take_a_value(name, by_node):
    system, _, _, zero, _ = SYSTEMS[name]
    for _, shape, labels, seed, _ in (one for one in EVERY if one[0] == name and one[4] == by_node):
        levels, rows, root = universe(shape, labels, seed, name, by_node)
        label = seed % labels
        ends = np.arange(labels) == label if zero is not None else np.array(system.at(label, labels))
        every = list(paths(levels, rows, root, 0, len(levels)))
        for depth, row in enumerate(through(levels, root, ends, rows, system)):
            for value, found in enumerate(row):
                worth = [along(name, on) for values, on, end in every if values[depth] == value and end == label]
                if zero is None:
                    found = found if system.reached(np.array([found], system.kind))[0] else None
                assert found == summed(name, worth)


@pytest.mark.parametrize("name", ["counts", "python", "floats", "max-times"])
def test_every_edge_has_the_sum_of_its_own_paths(name):
    system = SYSTEMS[name][0]
    for _, shape, labels, seed, by_node in (one for one in EVERY if one[0] == name):
        levels, rows, root = universe(shape, labels, seed, name, by_node)
        below = by_depth(up(levels, np.eye(labels), rows, system))
        for depth, found in enumerate(edge_sums(levels, root, below, rows, system)):
            for label, value, node in np.ndindex(*found.shape):
                worth = [
                    along(name, on)
                    for values, on, end in paths(levels, rows, root, 0, len(levels))
                    if values[depth] == value and end == label and walk(levels, root, values)[depth] == node
                ]
                assert found[label, value, node] == summed(name, worth)


def arriving(levels, rows, root, depth, node, by_node):
    """Of the best ways to a node, the one that the last value and node take, from the node up."""
    if not depth:
        return ()
    ways = [
        (sum(on), walk(levels[:depth], root, values)[-2], values[-1])
        for values, on, end in paths(levels, rows, root, 0, depth)
        if end == node
    ]
    best = [(parent, value) for s, parent, value in ways if s == min(ways)[0]]
    parent, value = max(best, key=lambda way: way if by_node else way[::-1])
    return (*arriving(levels, rows, root, depth - 1, parent, by_node), value)


@pytest.mark.parametrize("kind", [np.int64, object, np.float64])
def test_best_paths_take_their_edge_and_have_the_least_sum(kind):
    least = MIN_PLUS.over(kind)
    for _, shape, labels, seed, by_node in (one for one in EVERY if one[0] == "min-plus" and one[1]):
        levels, rows, root = universe(shape, labels, seed, "min-plus", by_node)
        best = BestPaths(levels, root, least.at(0, labels), rows, least)
        every = {values: sum(on) for values, on, end in paths(levels, rows, root, 0, len(levels)) if end == 0}
        edges = best.edges()
        wanted = [edge for row in edges for edge in row if edge is not None]
        for (depth, node, value), case in zip(wanted, map(tuple, best.paths(wanted).tolist()), strict=True):
            assert case[depth] == value
            assert walk(levels, root, case)[depth] == node
            assert every[case] == min(s for values, s in every.items() if values[depth] == value)
            assert case[:depth] == arriving(levels, rows, root, depth, node, by_node)
        for depth, row in enumerate(edges):
            for value, edge in enumerate(row):
                assert (edge is None) == (not any(values[depth] == value for values in every))
        if every:
            first = min(values for values, s in every.items() if s == min(every.values()))
            assert tuple(best.first()) == first


@pytest.mark.parametrize("kind", [np.int64, object])
def test_the_second_least_sum_and_the_paths_of_the_least(kind):
    least = MIN_PLUS.over(kind)
    for _, shape, labels, seed, by_node in (one for one in EVERY if one[0] == "min-plus"):
        levels, rows, root = universe(shape, labels, seed, "min-plus", by_node)
        if root or (levels and len(levels[0]) > 1):
            continue  # a diagram that was built has one root, the first
        best = BestPaths(levels, root, least.at(0, labels), rows, least)
        every = [(values, sum(on)) for values, on, end in paths(levels, rows, root, 0, len(levels)) if end == 0]
        sums = sorted({s for _, s in every})
        assert second_least(levels, rows, best.after, least) == (sums[1] if len(sums) > 1 else None)
        if sums:
            tied = tied_paths(levels, rows, best.after, least, 0, lambda depth, nodes, values: 0)
            assert tied == (sum(s == sums[0] for _, s in every), True)
            tied = tied_paths(levels, rows, best.after, least, 7, lambda depth, nodes, values: 0)
            assert tied[1] is False


def test_unequal_numbers_that_meet_are_no_true_tie():
    levels, rows = [np.array([[0, 0]]), np.array([[0]])], [[1, 1], [1]]
    best = BestPaths(levels, 0, MIN_PLUS.at(0, 2), rows, MIN_PLUS)
    for numbers, true in (([-1, -1], True), ([-1, 0], False), ([0, -1], False)):
        exact = [np.array(numbers, object), np.array([1], object)]
        found = tied_paths(levels, rows, best.after, MIN_PLUS, 0, lambda d, _, values, exact=exact: exact[d][values])
        assert found == (2, true)


def test_no_path_is_told_from_a_long_one():
    for kind, far in ((np.int64, FAR), (object, FARTHER), (np.float64, inf)):
        least = MIN_PLUS.over(kind)
        assert least.zero == far
        long = np.array([(1 << 61) - 1, far - (1 << 61) + 1 if far < inf else inf], kind)
        assert least.reached(long).tolist() == [True, False]


def test_narrow_diagrams_are_counted_in_pythons_integers_and_wide_ones_by_digits():
    narrow, wide = [np.zeros((1, 2), np.uint32)], [np.zeros((sweep.WIDE, 2), np.uint32)]
    assert sweep.counts_for(narrow, 1 << 62) == WHOLES.over(object)
    assert sweep.counts_for(wide, 1 << 62) is DIGITS
    assert sweep.counts_for(wide, (1 << 62) - 1) is WHOLES
