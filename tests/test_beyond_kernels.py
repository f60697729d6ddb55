# SPDX-License-Identifier: Apache-2.0
"""Families in C++ and in NumPy, tables contracted and eliminated: each time two ways to one answer."""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import mul

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import network_classifiers
from oddly import CPT, NaiveBayes, Scoreboard, native
from oddly.diagram import ODD
from oddly.diagram.zones import certify_families
from oddly.engine import build
from oddly.engine.table import decide_table
from oddly.errors import OddlyError
from oddly.lowering import Families, lower_families
from oddly.model import Network, Node, Tally
from oddly.model.contraction import Potential, axis_sizes, planned, summed_out
from oddly.model.elimination import bearing, whole_potentials
from oddly.runtime import Limits, Watch
from strategies import rows

kernels_built = pytest.mark.skipif(not native.AVAILABLE, reason="the kernels are not built")


@st.composite
def many_classes(draw):
    """Up to seven classes, attributes of one to four values, few different numbers: ties and zeros."""
    classes = [f"c{i}" for i in range(draw(st.integers(3, 7)))]
    zeros = draw(st.booleans())
    attributes = []
    for i in range(draw(st.integers(0, 5))):
        values = [f"v{v}" for v in range(draw(st.integers(1, 4)))]
        attributes.append(CPT(f"A{i}", values, {c: draw(rows(len(values), zeros)) for c in classes}))
    return NaiveBayes("C", classes, draw(rows(len(classes), zeros)), attributes)


@st.composite
def families(draw):
    """Families of any kind, their attributes in any order."""
    model = draw(st.one_of(many_classes(), network_classifiers()))
    try:
        found = lower_families(model, 64, draw(st.sampled_from(["negative", "positive"])))
    except OddlyError:
        assume(False)
    return found.in_order(draw(st.permutations(range(len(found.variables)))))


@kernels_built
class TestBothEngines:
    """The kernels make the arrays that NumPy makes."""

    @settings(max_examples=150, deadline=None)
    @given(families())
    def test_the_diagrams_are_the_same_arrays(self, source):
        plain, fast = (build(source, Watch(), engine) for engine in ("numpy", "native"))
        assert plain.root == fast.root
        assert all(map(np.array_equal, plain.levels, fast.levels))

    @settings(max_examples=150, deadline=None)
    @given(families())
    def test_the_certificates_are_the_same(self, source):
        odd = build(source, Watch(), "numpy")
        fast = certify_families(odd.levels, odd.root, source)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("oddly.native.AVAILABLE", False)
            assert certify_families(odd.levels, odd.root, source) == fast

    def test_a_tree_with_both_ends_far_apart(self):
        source = lower_families(_chain_of_attributes(18))
        plain, fast = (build(source, Watch(), engine) for engine in ("numpy", "native"))
        assert plain.size > 1000
        assert all(map(np.array_equal, plain.levels, fast.levels))
        assert plain.certificate == fast.certificate


def _chain_of_attributes(n):
    """Every attribute depends on the class and on the one before it."""
    chance = np.random.default_rng(n)
    nodes = [Node("C", ["yes", "no"], [], [_row(chance)])]
    for i in range(n):
        above = ["C", f"A{i - 1}"] if i else ["C"]
        nodes.append(Node(f"A{i}", ["t", "f"], above, [_row(chance) for _ in range(2 ** len(above))]))
    return Network(nodes).classifier("C", "yes", attributes=[f"A{i}" for i in range(n)])


def _row(chance):
    part = int(chance.integers(1, 997))
    return [Fraction(part, 997), 1 - Fraction(part, 997)]


def _board(classes):
    tallies = [
        Tally(f"A{a}", ["x", "y"], [[0] * classes, [(c * (a + 3)) % 7 for c in range(classes)]]) for a in range(4)
    ]
    return Scoreboard(tallies, [f"c{c}" for c in range(classes)], [(5 * c) % 3 for c in range(classes)])


def test_more_classes_than_a_word_has_bits_are_added_up_in_numpy():
    model = _board(70)
    odd = oddly.compile(model)
    for codes in np.ndindex(2, 2, 2, 2):
        sums = [(5 * c) % 3 + sum((c * (a + 3)) % 7 for a in range(4) if codes[a]) for c in range(70)]
        assert odd.decide(np.array([codes]))[0] == int(np.argmax(sums))
    if native.AVAILABLE:
        with pytest.raises(oddly.Unsupported, match="up to 64 classes, and this model has 70"):
            oddly.compile(model, engine="native")


@kernels_built
def test_wide_sums_are_added_up_in_numpy():
    source = lower_families(_board(3), 128)
    assert isinstance(source, Families)
    with pytest.raises(oddly.Unsupported, match="3 classes of 128 bits"):
        build(source, Watch(), "native")
    assert build(source, Watch()) == build(lower_families(_board(3)), Watch())


@kernels_built
class TestNoArgumentLeadsTheKernelsAstray:
    step = (np.zeros((1, 2), np.int64), np.zeros((1, 2, 2), np.int64), np.ones((1, 2, 2), np.uint8))
    states = (np.zeros(1, np.int64), np.ones((1, 2), np.uint8), np.zeros((1, 2), np.int64))
    bounds = (np.zeros((1, 2, 2), np.int64), np.ones((1, 2), np.uint8), np.zeros((2, 2), np.uint8), np.arange(2))

    def descend(self, states=None, step=None, bounds=None, breaks=None):
        return native.kernels.descend(
            *(states or self.states), *(step or self.step), *(bounds or self.bounds), 0, 2, breaks
        )

    def test_what_fits_is_taken(self):
        context, live, sums, found = self.descend(breaks=[(0, 1, np.zeros(1, np.int64), np.arange(2))])
        assert len(context) == len(live) == len(sums) == 0
        assert found.tolist() == [[0, 0], [1, 1], [0, 0]]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"states": (np.ones(1, np.int64), *states[1:])},
            {"states": (np.zeros(2, np.int64), *states[1:])},
            {"step": (np.ones((1, 2), np.int64), *step[1:])},
            {"step": (step[0], np.zeros((1, 3, 2), np.int64), step[2])},
            {"bounds": (np.zeros((1, 3, 2), np.int64), *bounds[1:])},
            {"breaks": [(0, 2, np.zeros(1, np.int64), np.arange(2))]},
            {"breaks": [(0, 1, np.zeros(1, np.int64), np.array([0, 2]))]},
            {"breaks": [(0, 1, np.zeros(1, np.int64), np.array([1, 0]))]},
            {"breaks": [(0, 1, np.zeros(1, np.int64), np.arange(3))]},
        ],
        ids=range(9),
    )
    def test_what_does_not_is_refused(self, wrong):
        with pytest.raises(ValueError, match=r"state|step|depth|order|context"):
            self.descend(**wrong)

    def test_rows_that_lead_nowhere_are_refused(self):
        with pytest.raises(ValueError, match="no node"):
            native.kernels.finish([np.full((1, 2), 7, np.uint32)], 2, 0)
        with pytest.raises(ValueError, match="no such root"):
            native.kernels.finish([np.zeros((1, 2), np.uint32)], 2, 1)
        with pytest.raises(ValueError, match="no such node"):
            native.kernels.meet(np.zeros((1, 2), np.uint32), np.ones(1, np.int64), *self.states[:2], *self.step)
        with pytest.raises(ValueError, match="no state"):
            native.kernels.least_leads(
                [self.states[0]], [np.ones((1, 2), np.int64)], [self.step[1]], np.ones(1, np.uint8), self.states[1], 0
            )


# ---- hidden variables ----


@settings(max_examples=150, deadline=None)
@given(network_classifiers(), st.integers(1, 6))
def test_a_contraction_is_the_sum_of_the_product_of_all_tables_in_whole_numbers_and_in_floats(classifier, tries):
    kept = {classifier.class_name, *classifier.attributes}
    for block in bearing(whole_potentials(classifier), kept, classifier.class_name):
        plan = planned([p.names for p in block], kept, axis_sizes(block), tries)
        found, exact = plan([p.in_floats() for p in block]), summed_out(block, kept)
        everything = reduce(mul, [replace(p, table=p.table.astype(object)) for p in block])
        axes = [name for name in sorted(kept) if name in everything.names]
        gone = [name for name in everything.names if name not in kept]
        multiplied_out = everything.aligned([*axes, *gone]).sum(axis=tuple(range(len(axes), len(axes) + len(gone))))
        assert np.array_equal(exact.aligned(axes), multiplied_out > 0 if exact.table.dtype == bool else multiplied_out)
        expected = np.asarray(exact.aligned(axes) / exact.denominator, float)
        assert set(found.names) == set(axes)
        if exact.table.dtype != bool:  # of what is only possible or not, floats say in how many ways
            assert np.all(abs(found.aligned(axes) - expected) <= plan.roundings * 2.0**-52 * expected)
        truth = plan([p.in_floats() for p in block], truth=True)
        assert np.array_equal(truth.aligned(axes) > 0, expected > 0)


def test_a_large_contraction_is_a_product_of_matrices():
    chance = np.random.default_rng(0)
    sizes = {"a": 40, "b": 50, "h": 30, "k": 20}
    tables = [
        Potential(names, chance.random([sizes[n] for n in names]))
        for names in (("a", "h", "k"), ("k", "b", "h"), ("h",))
    ]
    plan = planned([p.names for p in tables], {"a", "b"}, sizes, 3)
    expected = np.einsum("ahk,kbh,h->ab", *(p.table for p in tables))
    found = plan(tables).aligned(["a", "b"])
    assert np.allclose(found, expected, rtol=1e-12)
    assert plan.peak < 40 * 50 * 30 * 20  # never all axes at once


def test_a_dense_network_is_decided_alike_in_slices_of_any_size():
    """Six hidden causes of eight effects, three causes each; against the sum of the product of all tables."""
    chance = np.random.default_rng(3)
    nodes = [Node("C", ["t", "f"], [], [_row(chance)])]
    nodes += [Node(f"H{i}", ["t", "f"], ["C"], [_row(chance), _row(chance)]) for i in range(6)]
    for i in range(8):
        above = [f"H{int(h)}" for h in chance.choice(6, 3, replace=False)]
        nodes.append(Node(f"E{i}", ["t", "f"], above, [_row(chance) for _ in range(8)]))
    attributes = [f"E{i}" for i in range(8)]
    model = Network(nodes).classifier("C", "t", attributes=attributes)
    letter = {node.name: chr(97 + i) for i, node in enumerate(nodes)}
    scopes = ["".join(letter[name] for name in (*node.parents, node.name)) for node in nodes]
    tables = [np.array(node.table, float).reshape([2] * len(scope)) for node, scope in zip(nodes, scopes, strict=True)]
    wanted = "".join(letter[name] for name in ("C", *attributes))
    masses = np.einsum(f"{','.join(scopes)}->{wanted}", *tables, optimize=True).reshape(2, -1)
    assert np.min(abs(masses[0] - masses[1])) > 1e-12
    for memory in (1 << 13, 1 << 14, 1 << 20):
        levels, root, _ = decide_table(model, range(8), watch=Watch(limits=Limits(max_memory=memory)))
        odd = ODD(model.variables, model.labels, tuple(levels), root, tuple(range(8)))
        assert np.array_equal(odd.decide(np.array(list(np.ndindex(*[2] * 8)))), masses[0] > masses[1])
