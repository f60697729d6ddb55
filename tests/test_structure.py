# SPDX-License-Identifier: Apache-2.0
"""Attributes that depend on one another: trees and k parents, from their definitions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.model import NaiveBayes, NetworkClassifier, Node

NAMES = ["p", "q", "r", "s"]


@st.composite
def tables(draw, holes=True):
    """Small tables of two classes; constants, copies and gaps are common."""
    cell = st.sampled_from(["u", "v", "w", None] if holes else ["u", "v", "w"])
    rows = [dict(zip(NAMES, draw(st.tuples(*[cell] * 4)), strict=True)) for _ in range(draw(st.integers(2, 14)))]
    for row in rows:
        row["c"] = draw(st.sampled_from(["yes", "no"]))
    full = dict.fromkeys(NAMES, "u")
    return [*rows, {**full, "c": "yes"}, {**full, "c": "no"}]


def information(rows, x, y, given=None):
    """I(x; y | given) in bits, from the rows that know all of them."""
    known = [r for r in rows if r[x] and r[y]]
    total = 0.0
    for c in {r[given] for r in known} if given else {None}:
        part = [r for r in known if given is None or r[given] == c]
        both, one, other = (Counter(map(f, part)) for f in (lambda r: (r[x], r[y]), lambda r: r[x], lambda r: r[y]))
        for (a, b), n in both.items():
            total += n * math.log2(n * len(part) / (one[a] * other[b]))
    return total / len(known) if known else 0.0


def nodes(model):
    """The attributes with their parents; those of a naive Bayes have the class alone."""
    if isinstance(model, NaiveBayes):
        return [Node(a.name, a.values, ["c"], list(a.given.values()), a.bins) for a in model.attributes]
    return list(model.network.nodes[1:])


def arcs(model):
    return {(parent, node.name) for node in nodes(model) for parent in node.parents if parent != "c"}


@settings(deadline=None, max_examples=60)
@given(tables())
def test_no_tree_says_more_than_the_one_that_is_learned(rows):
    model = oddly.learn(rows, "c", structure="tan", alpha=1)
    assert all(node.parents[:1] == ("c",) and len(node.parents) <= 2 for node in nodes(model))
    weight = {pair: information(rows, *pair, "c") for pair in combinations(NAMES, 2)}
    best = max(sum(weight[e] for e in tree) for tree in combinations(weight, 3) if spans(tree))
    found = sum(weight[tuple(sorted(arc))] for arc in arcs(model))
    assert found == pytest.approx(best, abs=1e-8)


def spans(tree):
    reached = {NAMES[0]}
    for _ in NAMES:
        reached |= {v for edge in tree for v in edge if set(edge) & reached}
    return len(reached) == len(NAMES)


def test_equal_informations_go_by_the_columns():
    rows = [{"p": x, "q": x, "r": x, "c": c} for x in "uv" for c in ("yes", "no")]
    assert arcs(oddly.learn(rows, "c", structure="tan")) == {("p", "q"), ("p", "r")}
    assert arcs(oddly.learn(rows, "c", structure="kdb", k=1)) == {("p", "q"), ("p", "r")}
    assert arcs(oddly.learn(rows, "c", structure="kdb", k=2)) == {("p", "q"), ("p", "r"), ("q", "r")}


@settings(deadline=None, max_examples=60)
@given(tables(), st.integers(0, 3))
def test_kdb_takes_the_k_that_say_most_among_those_that_say_more_about_the_class(rows, k):
    about = {name: round(information(rows, name, "c"), 10) for name in NAMES}
    order = sorted(NAMES, key=lambda name: (-about[name], NAMES.index(name)))
    expected = set()
    for i, name in enumerate(order):
        ranked = {other: round(information(rows, name, other, "c"), 10) for other in order[:i]}
        best = sorted(ranked, key=lambda other: (-ranked[other], NAMES.index(other)))[:k]
        expected |= {(other, name) for other in best if ranked[other] > 0}
    assert arcs(oddly.learn(rows, "c", structure="kdb", k=k, alpha=1)) == expected


@settings(deadline=None, max_examples=60)
@given(tables(), st.sampled_from([0, 1, Fraction(1, 3)]), st.sampled_from(["tan", "kdb"]))
def test_tables_are_counts_and_what_was_never_seen_together_backs_off_to_the_class(rows, alpha, structure):
    model = oddly.learn(rows, "c", alpha=alpha, structure=structure, k=2)
    values_of = {"c": model.class_values, **{v.name: v.values for v in model.variables}}
    for node in nodes(model):
        for values, row in zip(product(*(values_of[p] for p in node.parents)), node.table, strict=True):
            known = [r for r in rows if r[node.name] and all(r[p] for p in node.parents)]
            part = [r for r in known if all(r[p] == v for p, v in zip(node.parents, values, strict=True))]
            if not part and not alpha:
                part = [r for r in rows if r[node.name] and r["c"] == values[0]]
            counts = Counter(r[node.name] for r in part)
            total = len(part) + alpha * len(node.values)
            assert row == tuple((counts[v] + alpha) / Fraction(total) for v in node.values)


def test_the_model_is_a_network_classifier_without_counts_of_rows():
    model = oddly.learn(oddly.examples.tic_tac_toe_boards(), "x-wins", "positive", structure="tan", threshold="0.6")
    assert isinstance(model, NetworkClassifier)
    assert (model.labels, model.threshold) == (("negative", "positive"), Fraction(3, 5))
    assert len(model.attributes) == 9


def test_attributes_that_say_nothing_about_one_another_make_a_naive_bayes():
    rows = [{"p": p, "q": q, "c": c} for p in "uv" for q in "uv" for c in ("yes", "no")]
    for structure in ("tan", "kdb"):
        assert oddly.learn(rows, "c", structure=structure) == oddly.learn(rows, "c")
    table = oddly.examples.tic_tac_toe_boards()
    assert oddly.learn(table, "x-wins", structure="kdb", k=0).learned == oddly.learn(table, "x-wins").learned


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(["tan", "kdb"]))
def test_a_compiled_tree_decides_as_its_probabilities_do(rows, structure):
    model = oddly.learn(rows, "c", "yes", alpha=1, structure=structure, k=2)
    odd = oddly.compile(model)
    cases = [dict(zip(NAMES, values, strict=True)) for values in product(*(v.values for v in model.variables))]
    for case, decision in zip(cases, odd.classify(cases), strict=True):
        joint = {c: probability(model, {**case, "c": c}) for c in ("yes", "no")}
        assert (decision == "yes") == (joint["yes"] >= joint["no"])


def probability(model, world):
    values_of = {"c": model.class_values, **{v.name: v.values for v in model.variables}}
    prior = model.prior if isinstance(model, NaiveBayes) else model.network.node("c").table[0]
    result = prior[model.class_values.index(world["c"])]
    for node in nodes(model):
        row = 0
        for parent in node.parents:
            row = row * len(values_of[parent]) + values_of[parent].index(world[parent])
        result *= node.table[row][node.values.index(world[node.name])]
    return result


def test_bins_and_missing_values_stay_with_the_nodes():
    table = {"x": [0.5, None, 2.5, 3.5], "y": ["a", "b", "b", "a"], "c": ["a", "a", "b", "b"]}
    model = oddly.learn(table, "c", "a", bins={"x": [1]}, missing="value", structure="tan", alpha=1)
    assert model.network.node("x").values == ("<1", ">=1", "?")
    assert list(oddly.compile(model).classify({"x": [0.1, None, 9.5], "y": ["a", "b", "a"]})) == ["a", "a", "b"]


def test_a_table_too_large_to_learn_is_refused():
    rows = [
        {**{n: str(i * 7 % m) for n, m in zip(NAMES, (97, 89, 83, 79), strict=True)}, "c": str(i % 2)}
        for i in range(400)
    ]
    with pytest.raises(oddly.TooLarge, match="probabilities.  Try a smaller k"):
        oddly.learn(rows, "c", bins="labels", structure="kdb", k=2)
