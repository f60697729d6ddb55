# SPDX-License-Identifier: Apache-2.0
"""Combining diagrams: against the same operation on tables of decisions."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import Points, Scorecard, native
from oddly.diagram.combine import combine, combine_levels, implies
from oddly.runtime import Watch
from strategies import classifiers


def card(names, seed, cutoff=0, **options):
    """A scorecard over two- and three-valued attributes of these names."""
    r = random.Random(seed)
    attributes = []
    for name in names:
        values = ["a", "b", "c"][: 2 + (ord(name) % 2)]
        attributes.append(Points(name, values, [r.randint(-4, 4) for _ in values]))
    return Scorecard(attributes, cutoff=cutoff, **options)


def everything(*models):
    """Every instance over the attributes of all the models."""
    variables = {v.name: v for model in models for v in model.variables}
    for values in itertools.product(*(v.values for v in variables.values())):
        yield dict(zip(variables, values, strict=True))


OPERATIONS = {
    "and": (lambda a, b: a & b, lambda p, q: p and q),
    "or": (lambda a, b: a | b, lambda p, q: p or q),
    "xor": (lambda a, b: a ^ b, lambda p, q: p != q),
    "implies": (lambda a, b: a.implies(b), lambda p, q: not p or q),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("sets", [("ABCD", "ABCD"), ("ABC", "CDE"), ("AB", "CD"), ("", "AB"), ("ABC", "CBA"), ("", "")])
def test_operations_are_those_on_decisions(name, sets):
    operate, truth = OPERATIONS[name]
    for seed in range(6):
        first, second = card(sets[0], seed), card(sets[1], seed + 100, cutoff=seed - 3)
        odd = operate(oddly.compile(first, f"random:{seed}"), oddly.compile(second, f"random:{seed + 1}"))
        for instance in everything(first, second):
            expected = truth(oracle.decides(first, instance), oracle.decides(second, instance))
            assert odd.classify([instance])[0] == odd.labels[int(expected)]
        assert odd.source is None


@given(model=classifiers(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_laws_of_boolean_algebra(model, data):
    other = model.replace(ties="negative" if model.ties == "positive" else "positive")
    a, b = oddly.compile(model, "random:1"), oddly.compile(other, "random:1")
    assert (a ^ a).count("yes") == 0
    assert (a & a) == a == (a | a) == ~~a
    assert ~(a & b) == (~a | ~b)
    assert (a & b) == (b & a)
    assert (a ^ b).count("yes") == (a & ~b).count("yes") + (b & ~a).count("yes")
    assert implies(a, b) == (~a | b)


@given(model=classifiers())
@settings(max_examples=60, deadline=None)
def test_results_have_one_node_per_function_per_level(model):
    """A combination that gives the same function back gives the same diagram back."""
    a = oddly.compile(model, "as-given")
    assert (a & ~(a ^ a)).widths == a.widths
    constant = a | ~a
    assert constant.count("yes") == a.instances
    assert constant.widths == [1] * len(a.levels) + [2]


@pytest.mark.skipif(not native.AVAILABLE, reason="the kernels are not built")
def test_the_kernel_and_numpy_give_the_same_function(monkeypatch):
    for seed in range(30):
        r = random.Random(seed)
        n = r.randint(1, 12)
        cards = [
            Scorecard([Points(f"A{i}", ["x", "y"], [r.randint(-9, 9), r.randint(-9, 9)]) for i in range(n)])
            for _ in range(2)
        ]
        a, b = (oddly.compile(c, "as-given") for c in cards)
        table = np.array([[r.randint(0, 2) for _ in range(2)] for _ in range(2)], np.uint8)
        found = []
        for available in (True, False):
            with monkeypatch.context() as patch:
                patch.setattr("oddly.native.AVAILABLE", available)
                levels, root = combine_levels(a.levels, 0, b.levels, 0, table, 3, Watch(n))
                found.append(oddly.ODD(a.variables, ("p", "q", "r"), tuple(levels), root, a.places))
        assert found[0] == found[1]
        assert found[0].widths == found[1].widths


def test_quantifiers_are_over_all_values():
    model = card("ABCD", 3)
    odd = oddly.compile(model)
    for operate, join in ((odd.for_all, all), (odd.for_some, any)):
        left = operate("A", "C")
        assert set(left.order) == {"B", "D"}
        for b, d in itertools.product("ab", "ab"):
            cases = [{"A": x, "B": b, "C": y, "D": d} for x in "abc" for y in "abc"]
            cases = [c for c in cases if all(c[v.name] in v.values for v in model.variables)]
            expected = join(oracle.decides(model, c) for c in cases)
            assert left.classify([{"B": b, "D": d}])[0] == ("yes" if expected else "no")
    assert odd.for_all() == odd
    with pytest.raises(oddly.UnknownName, match="no attribute 'Z'"):
        odd.for_all("Z")
    with pytest.raises(oddly.ModelError, match="the name 'A' stands twice"):
        odd.for_all("A", "A")


def test_the_same_label_is_positive_on_both_sides():
    model = card("ABC", 5)
    turned = model.replace(positive="no", cutoff=-model.cutoff, ties="negative", attributes=_negative(model))
    a, b = oddly.compile(model), oddly.compile(turned)
    assert b.labels == ("yes", "no")
    assert (a ^ b).count("yes") == 0


def _negative(model):
    return [Points(p.name, p.values, [-x for x in p.points]) for p in model.attributes]


def test_values_may_stand_in_another_order():
    first = Scorecard([Points("A", ["x", "y"], [1, 0])], cutoff=1)
    second = Scorecard([Points("A", ["y", "x"], [0, 1])], cutoff=1)
    assert (oddly.compile(first) ^ oddly.compile(second)).count("yes") == 0


def test_different_values_are_a_clear_error():
    first = Scorecard([Points("A", ["x", "y"], [1, 0])])
    second = Scorecard([Points("A", ["x", "z"], [1, 0])])
    with pytest.raises(oddly.ModelError, match="attribute A: the two sides have different values; 'y' is only on one"):
        oddly.compile(first) & oddly.compile(second)


def test_contradicting_orders_need_a_source():
    a = oddly.compile(card("ABCD", 1), ["A", "B", "C", "D"])
    b = oddly.compile(card("ABCD", 2), ["D", "C", "B", "A"])
    combined = a & a
    assert (combined ^ b).order == ("A", "B", "C", "D")
    assert (b ^ combined).count("yes") == (combined ^ b).count("yes")
    with pytest.raises(oddly.Unsupported, match="neither can be compiled anew"):
        (b & b) ^ combined


def test_different_labels_are_a_clear_error_but_not_for_a_question():
    a = oddly.compile(card("ABC", 1))
    b = oddly.compile(card("ABC", 2, class_values=["ja", "nein"]))
    for operate, _ in OPERATIONS.values():
        with pytest.raises(oddly.ModelError, match="different labels: no, yes and nein, ja"):
            operate(a, b)
    asked = a & b.is_("ja")
    for instance in everything(card("ABC", 1)):
        expected = a.classify([instance])[0] == "yes" and b.classify([instance])[0] == "ja"
        assert asked.classify([instance])[0] == ("yes" if expected else "no")


def test_is_asks_for_one_label():
    model = card("ABC", 2)
    odd = oddly.compile(model)
    assert odd.is_("no").count("no") == odd.count("no")
    assert odd.is_("no").labels == ("not no", "no")
    three = combine(odd, odd, lambda i, _: 2 * i, ["bad", "never", "good"])
    assert three.count("never") == 0
    assert three.is_("good").count("good") == odd.count("yes")
    with pytest.raises(oddly.Unsupported, match="this needs two labels, and the diagram has 3"):
        three & odd


def test_a_combination_that_grows_too_large_stops_with_a_word():
    r = random.Random(1)
    cards = [
        Scorecard([Points(f"A{i}", ["x", "y"], [r.randint(0, 10**6), 0]) for i in range(22)], cutoff=5 * 10**6)
        for _ in "ab"
    ]
    a, b = (oddly.compile(c, "as-given") for c in cards)
    with pytest.raises(oddly.TooLarge):
        combine(a, b, lambda i, j: int(i != j), max_nodes=1000)
    with pytest.raises(oddly.TooLarge, match="MB needed"):
        combine(a, b, lambda i, j: int(i != j), max_memory=10_000)
    turned = oddly.compile(cards[1], list(reversed(b.order)))
    with pytest.raises(oddly.TooLarge, match="allowed"):
        combine(a & a, turned, lambda i, j: int(i != j), max_memory=10_000)
