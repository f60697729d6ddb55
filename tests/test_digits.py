# SPDX-License-Identifier: Apache-2.0
"""Whole numbers of any size through a diagram by their digits, as Python's integers have them path by path."""

import random
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest

import oddly
from oddly import CPT, NaiveBayes
from oddly.diagram import ODD
from oddly.diagram.passes import sweep
from oddly.diagram.passes.digits import BITS
from oddly.diagram.passes.semirings import WHOLES
from oddly.diagram.passes.sweep import down, path_sums, up, value_sums
from oddly.model import Variable


@pytest.fixture(autouse=True)
def always_by_digits(monkeypatch):
    """Narrow diagrams are left to Python's integers otherwise."""
    monkeypatch.setattr(sweep, "WIDE", 0)


def diagram(seed, arities, classes=2):
    """Some diagram over attributes of these arities."""
    draw = random.Random(seed)
    labels = [f"c{i}" for i in range(classes)]

    def row(size):
        counts = [draw.randint(1, 9) for _ in range(size)]
        return [f"{n}/{sum(counts)}" for n in counts]

    attributes = [CPT(f"A{i}", [f"v{v}" for v in range(n)], {c: row(n) for c in labels}) for i, n in enumerate(arities)]
    return oddly.compile(NaiveBayes("C", labels, row(classes), attributes))


def wired(widths, arities):
    """A diagram with these widths whose edges lead anywhere."""
    draw = np.random.default_rng(0)
    variables = tuple(Variable(f"A{i}", tuple(map(str, range(n)))) for i, n in enumerate(arities))
    levels = tuple(
        draw.integers(0, below, (width, arity), np.uint32)
        for width, below, arity in zip(widths, widths[1:], arities, strict=False)
    )
    return ODD(variables, ("no", "yes"), levels, 0, tuple(range(len(arities))))


def numbers(seed, odd, bits, by_node):
    """Whole numbers of up to so many bits, some of them zero: by value, or by node and value."""
    draw = random.Random(seed)
    shapes = [level.shape if by_node else level.shape[1:] for level in odd.levels]
    rows = []
    for shape in shapes:
        row = np.empty(shape, object)
        for at in np.ndindex(*shape):
            row[at] = draw.choice([0, 1, draw.getrandbits(bits), (1 << bits) - 1])
        rows.append(row)
    return rows


def enumerated(odd, rows):
    """By label, and by depth, value and label: one instance at a time."""
    sinks = [0] * len(odd.labels)
    edges = [[[0] * len(odd.labels) for _ in range(arity)] for arity in odd.arities]
    for values in product(*map(range, odd.arities)):
        node, numbers_on_path = odd.root, []
        for level, row, value in zip(odd.levels, rows, values, strict=True):
            numbers_on_path.append(int(row[node, value] if row.ndim == 2 else row[value]))
            node = int(level[node, value])
        mass = prod(numbers_on_path)
        sinks[node] += mass
        for depth, value in enumerate(values):
            edges[depth][value][node] += mass
    return sinks, edges


@pytest.mark.parametrize("bits", [3, BITS - 1, BITS, BITS + 1, 64, 200])
@pytest.mark.parametrize("by_node", [False, True])
@pytest.mark.parametrize(("arities", "classes"), [((2, 3, 1, 2, 4), 2), ((3, 2, 2), 3), ((1,), 2), ((5,), 2)])
def test_sums_of_paths_are_those_of_enumeration(bits, by_node, arities, classes):
    odd = diagram(len(arities), arities, classes)
    rows = numbers(bits, odd, bits, by_node)
    sinks, edges = enumerated(odd, rows)
    assert path_sums(odd.levels, odd.root, len(odd.labels), rows) == sinks
    assert value_sums(odd.levels, odd.root, len(odd.labels), rows) == edges


@pytest.mark.parametrize("bits", [13, 40])
@pytest.mark.parametrize("by_node", [False, True])
def test_a_wide_diagram_sums_as_python_s_integers_do(bits, by_node):
    odd = wired([1, 40, 9000, 700, 2], [40, 300, 3, 2])  # 9000: more than can be multiplied and added at a time
    rows = numbers(1, odd, bits, by_node)
    python = WHOLES.over(object)
    below = list(up(odd.levels, np.eye(2), rows, python))[-2::-1]
    *above, sinks = down(odd.levels, odd.root, 2, rows, python)
    assert path_sums(odd.levels, odd.root, len(odd.labels), rows) == list(sinks)
    found = value_sums(odd.levels, odd.root, len(odd.labels), rows)
    for depth, (level, row) in enumerate(zip(odd.levels, rows, strict=True)):
        for value, (column, p) in enumerate(zip(level.T, row.T, strict=True)):
            assert found[depth][value] == list((below[depth][:, column] * (above[depth] * p)).sum(axis=1))


def test_many_edges_into_one_node_do_not_round():
    """64,000 edges of one value into one node, each with the largest number of its size."""
    odd = wired([1, 40, 1600, 64_000, 1, 2], [40, 40, 40, 1, 2])
    apart = [np.arange(n * 40, dtype=np.uint32).reshape(n, 40) for n in (1, 40, 1600)]
    odd = replace(odd, levels=(*apart, odd.levels[3], np.array([[0, 1]], np.uint32)))
    large = (1 << 61) - 1
    rows = [np.full(n, large, object) for n in odd.arities]
    total = 64_000 * large**5
    assert path_sums(odd.levels, odd.root, len(odd.labels), rows) == [total, total]
    assert value_sums(odd.levels, odd.root, len(odd.labels), rows)[3] == [[total, total]]
