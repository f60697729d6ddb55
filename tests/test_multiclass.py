# SPDX-License-Identifier: Apache-2.0
"""More than two classes: the diagram takes the most probable class, ties to the first listed, on every instance."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, NaiveBayes
from oddly.diagram.zones import certify_families
from oddly.engine import frontier
from oddly.lowering import lower_families
from oddly.model import Scoreboard, Tally
from oddly.runtime import Watch
from strategies import arities, rows

CLASSES = ["a", "b", "c", "d", "e"]


@st.composite
def most_probable(draw):
    """Naive Bayes classifiers of three to five classes, with small counts, zeros and ties."""
    classes = CLASSES[: draw(st.integers(3, 5))]
    zeros = draw(st.booleans())
    attributes = [
        CPT(f"A{i}", [f"v{j}" for j in range(size)], {c: draw(rows(size, zeros)) for c in classes})
        for i, size in enumerate(draw(arities(most_values=5)))
    ]
    return NaiveBayes("C", classes, draw(rows(len(classes), zeros)), attributes)


@st.composite
def scoreboards(draw):
    """Boards of two to five classes: coarse points, huge ones, and some that almost cancel."""
    classes = CLASSES[: draw(st.integers(2, 5))]
    scale = draw(st.sampled_from([1, 3, Fraction(1, 10**9), 10**18, 10**40]))
    point = st.integers(-2, 2).map(lambda p: p * scale)
    row = st.lists(point, min_size=len(classes), max_size=len(classes))
    attributes = [
        Tally(f"A{i}", [f"v{j}" for j in range(size)], [draw(row) for _ in range(size)])
        for i, size in enumerate(draw(arities(most_values=5)))
    ]
    if draw(st.booleans()) and attributes:
        huge = [draw(st.sampled_from([0, 10**25])) + draw(point) for _ in classes]
        attributes[0] = Tally("A0", attributes[0].values, [huge] * len(attributes[0].values))
    return Scoreboard(attributes, classes, draw(row), "C")


def worth(model, instance):
    """What each class has, exactly: its share of an instance's probability, or its points."""
    if isinstance(model, NaiveBayes):
        found = list(model.prior)
        for a in model.attributes:
            at = a.values.index(instance[a.name])
            found = [p * a.given[c][at] for p, c in zip(found, model.class_values, strict=True)]
        return found
    found = list(model.intercept)
    for a in model.attributes:
        found = [p + q for p, q in zip(found, a.points[a.values.index(instance[a.name])], strict=True)]
    return found


def winners(model):
    """For every instance the place of the first class that has the most; the first where all are impossible."""
    found = [worth(model, instance) for instance in oracle.instances(model)]
    return np.array([w.index(max(w)) for w in found])


def ties(model):
    """How many instances more than one class has the most of, being possible."""
    found = 0
    for instance in oracle.instances(model):
        w = worth(model, instance)
        found += w.count(max(w)) > 1 and (max(w) > 0 or isinstance(model, Scoreboard))
    return found


def widths(table, order):
    """The number of distinct sub-functions at each depth of a table of decisions."""
    table = table.transpose(order) if table.ndim else table
    found, above = [], 1
    for size in table.shape:
        found.append(len(np.unique(table.reshape(above, -1), axis=0)))
        above *= size
    return found


class TestEveryModel:
    @given(model=most_probable() | scoreboards(), seed=st.integers(0, 99))
    @settings(max_examples=120, deadline=None)
    def test_decides_every_instance_as_the_definition_does(self, model, seed):
        odd = oddly.compile(model, f"random:{seed}")
        truth = winners(model)
        assert odd.labels == model.class_values
        assert np.array_equal(odd.decide(oracle.codes(model)), truth)
        assert [odd.count(c) for c in odd.labels] == [int((truth == i).sum()) for i in range(len(odd.labels))]

    @given(model=most_probable() | scoreboards(), seed=st.integers(0, 99))
    @settings(max_examples=60, deadline=None)
    def test_has_one_node_per_function_per_depth(self, model, seed):
        odd = oddly.compile(model, f"random:{seed}")
        table = winners(model).reshape([len(v.values) for v in model.variables])
        order = [[v.name for v in model.variables].index(name) for name in odd.order]
        assert odd.widths == [*widths(table, order), len(odd.labels)]

    @given(model=most_probable() | scoreboards())
    @settings(max_examples=80, deadline=None)
    def test_counts_the_ties_and_proves_the_rest(self, model):
        certificate = oddly.compile(model).certificate
        assert certificate.proven
        assert certificate.ties == ties(model)

    @given(model=most_probable() | scoreboards())
    @settings(max_examples=30, deadline=None)
    def test_is_the_same_in_wide_integers(self, model):
        narrow, wide = (lower_families(model, bits) for bits in (64, 256))
        levels, root = frontier.build(wide, Watch())
        assert certify_families(levels, root, wide).proven
        if certify_families(*frontier.build(narrow, Watch()), narrow).proven:
            assert all(map(np.array_equal, levels, frontier.build(narrow, Watch())[0]))

    @given(model=most_probable() | scoreboards(), data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_a_diagram_with_known_values_is_that_of_the_remaining_model(self, model, data):
        odd = oddly.compile(model)
        if not odd.order:
            return
        name = data.draw(st.sampled_from(odd.order))
        value = data.draw(st.sampled_from(model.variables[[v.name for v in model.variables].index(name)].values))
        rest = odd.restrict({name: value})
        truth = [w for w, i in zip(winners(model), oracle.instances(model), strict=True) if i[name] == value]
        assert np.array_equal(rest.decide(oracle.codes(_Rest(model, name))), truth)
        if rest.source is not None:
            assert rest.certificate.proven


class _Rest:
    """A model without one of its attributes, for its instances."""

    def __init__(self, model, name):
        self.variables = [v for v in model.variables if v.name != name]


def exam(seed, attributes, classes, values=2):
    r = random.Random(seed)

    def row(size):
        counts = [r.randint(1, 1000) for _ in range(size)]
        return [Fraction(c, sum(counts)) for c in counts]

    names = [f"c{i}" for i in range(classes)]
    cpts = [CPT(f"A{i}", [str(v) for v in range(values)], {c: row(values) for c in names}) for i in range(attributes)]
    return NaiveBayes("C", names, row(classes), cpts)


def test_three_classes_and_twenty_attributes_agree_with_the_sums():
    model = exam(1, 20, 3)
    odd = oddly.compile(model)
    assert odd.certificate.proven
    rows_ = np.random.default_rng(0).integers(0, 2, (20_000, 20))
    logs = [np.log(np.array([[float(p) for p in a.given[c]] for c in model.class_values])) for a in model.attributes]
    sums = np.log(np.array(model.prior, float)) + sum(g[:, rows_[:, i]].T for i, g in enumerate(logs))
    clear = np.sort(sums, axis=1)[:, -1] - np.sort(sums, axis=1)[:, -2] > 1e-9
    assert clear.mean() > 0.999
    assert np.array_equal(odd.decide(rows_)[clear], sums.argmax(axis=1)[clear])
    assert sum(odd.count(c) for c in odd.labels) == 2**20


def test_an_impossible_instance_goes_to_the_first_class():
    given = {"a": ["0", "1"], "b": ["0", "1"], "c": ["0", "1"]}
    model = NaiveBayes("C", CLASSES[:3], ["1/3", "1/3", "1/3"], [CPT("A", ["x", "y"], given)])
    odd = oddly.compile(model)
    assert list(odd.classify([{"A": "x"}, {"A": "y"}])) == ["a", "a"]
    assert odd.certificate.ties == 1  # of the possible instance


def test_a_class_that_is_left_alone_wins_whatever_its_sum():
    given = {"a": ["0.99", "0.01"], "b": ["0.5", "0.5"], "c": ["1", "0"]}
    last = {"a": ["1", "0"], "b": ["1", "0"], "c": ["0.5", "0.5"]}
    cpts = [CPT("A", ["x", "y"], given), CPT("B", ["x", "y"], last)]
    odd = oddly.compile(NaiveBayes("C", CLASSES[:3], ["0.9", "0.09", "0.01"], cpts))
    decided = odd.classify([dict(zip("AB", v, strict=True)) for v in product("xy", "xy")])
    assert list(decided) == ["a", "c", "b", "a"]


def test_a_tie_goes_to_the_first_listed_class():
    board = Scoreboard([Tally("A", ["x", "y"], [[1, 2, 2], [0, 0, 1]])], CLASSES[:3], [0, 0, 0])
    odd = oddly.compile(board)
    assert list(odd.classify([{"A": "x"}, {"A": "y"}])) == ["b", "c"]
    assert odd.certificate.ties == 1


def test_ties_of_three_are_counted_once():
    third = {c: ["1/2", "1/2"] for c in CLASSES[:3]}
    model = NaiveBayes("C", CLASSES[:3], ["1/3", "1/3", "1/3"], [CPT(f"A{i}", ["x", "y"], third) for i in range(4)])
    assert oddly.compile(model).certificate.ties == 16


def test_precision_rises_where_points_almost_cancel():
    tallies = [
        Tally("A", ["x", "y"], [[10**30, 0, 0], [0, 0, 0]]),
        Tally("B", ["x", "y"], [[1 - 10**30, 0, 0], [0, 0, 0]]),
    ]
    odd = oddly.compile(Scoreboard(tallies, CLASSES[:3], [0, "1/2", 0]))
    assert odd.certificate.bits > 64
    assert list(odd.classify([{"A": a, "B": b} for a, b in product("xy", "xy")])) == ["a", "a", "b", "b"]


def test_the_engine_for_two_classes_says_so():
    with pytest.raises(oddly.Unsupported, match="engine='numpy'"):
        oddly.compile(exam(2, 3, 3), engine="reference")


def test_limits_stop_with_a_word():
    with pytest.raises(oddly.TooLarge, match="1,000 allowed"):
        oddly.compile(exam(3, 18, 3), max_nodes=1000)
    with pytest.raises(oddly.TooLarge, match="MB allowed"):
        oddly.compile(exam(3, 18, 3), max_memory=100_000)


def test_a_search_finds_an_order_no_larger_than_ascending():
    model = exam(4, 9, 3)
    assert oddly.compile(model, oddly.best_of(10, jobs=1)).size <= oddly.compile(model, "ascending").size


def test_one_class_against_all_others_together():
    """Not the most probable class: Pr(a) >= 1/3, the others summed."""
    model = exam(5, 6, 3).replace(positive="c0", threshold="1/3")
    odd = oddly.compile(model)
    truth = []
    for instance in oracle.instances(model):
        w = worth(model, instance)
        truth.append(w[0] * 3 >= sum(w))
    assert odd.labels == ("not c0", "c0")
    assert np.array_equal(odd.decide(oracle.codes(model)), truth)
    assert odd.certificate.proven
