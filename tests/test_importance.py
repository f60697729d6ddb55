# SPDX-License-Identifier: Apache-2.0
"""Which attributes matter: against trying every change, and against the sum over all coalitions."""

import json
from fractions import Fraction
from itertools import combinations
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
import strategies
from oddly import ODD, NaiveBayes, Points, Scorecard, UnknownName, UnknownValue, Unsupported
from oddly.cli import command
from oddly.model import Network, Node, Variable
from oddly.questions.importance import contributions, importance

WEATHER = Network(
    [
        Node("rain", ["yes", "no"], [], [["0.3", "0.7"]]),
        Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.2", "0.8"]]),
        Node(
            "slip", ["yes", "no"], ["rain", "wet"], [["0.6", "0.4"], ["0.1", "0.9"], ["0.3", "0.7"], ["0.05", "0.95"]]
        ),
    ]
).classifier(class_="rain", positive="yes", attributes=["wet", "slip"])
PATIENT = {"U": "-ve", "B": "-ve", "S": "+ve"}


def three_labels():
    """low, middle or high: how many of two are set."""
    variables = (Variable("A", ("no", "yes")), Variable("B", ("no", "yes")))
    levels = (np.array([[0, 1]], np.uint32), np.array([[0, 1], [1, 2]], np.uint32))
    return ODD(variables, ("low", "middle", "high"), levels, 0, (0, 1))


def shares(model, under):
    """By attribute and value, in fractions."""
    if under == "uniform":
        return {v.name: [Fraction(1, len(v.values))] * len(v.values) for v in model.variables}
    weights = [
        [
            sum(p * a.given[c][i] for c, p in zip(model.class_values, model.prior, strict=True))
            for i in range(len(a.values))
        ]
        for a in model.attributes
    ]
    return {a.name: row for a, row in zip(model.attributes, weights, strict=True)}


def worth(model, positive, instance, coalition, drawn):
    """The probability of the instance's label when a coalition of its values is known, one instance at a time."""
    total = Fraction(0)
    for other, decided in zip(oracle.instances(model), positive, strict=True):
        if decided and all(other[name] == instance[name] for name in coalition):
            free = [v for v in model.variables if v.name not in coalition]
            total += prod((drawn[v.name][v.index(other[v.name])] for v in free), start=Fraction(1))
    return total


def by_coalitions(model, instance, under):
    """Shapley and Banzhaf values from their definitions."""
    decisions = oracle.decisions(model)
    own = oracle.decides(model, instance)
    drawn, names = shares(model, under), [v.name for v in model.variables]
    value = {
        frozenset(s): worth(model, decisions == own, instance, s, drawn)
        for k in range(len(names) + 1)
        for s in combinations(names, k)
    }
    n, found = len(names), {}
    for name in names:
        gains = [(len(s), value[s | {name}] - v) for s, v in value.items() if name not in s]
        shapley = sum(Fraction(factorial(k) * factorial(n - 1 - k), factorial(n)) * g for k, g in gains)
        found[name] = shapley, sum(g for _, g in gains) / 2 ** (n - 1)
    return found


small = strategies.classifiers().filter(lambda m: len(m.variables) <= 4 and strategies.instances(m.variables) <= 48)


@settings(max_examples=60, deadline=None)
@given(small, st.data())
def test_values_are_the_sums_over_all_coalitions(model, data):
    """Ties, zeros and one-valued attributes among the models."""
    instance = data.draw(st.sampled_from(oracle.instances(model)))
    under = data.draw(st.sampled_from(["uniform", "model"] if isinstance(model, NaiveBayes) else ["uniform"]))
    answer = contributions(model, instance, under=under)
    expected = by_coalitions(model, instance, under)
    assert answer.exact
    assert {c.attribute: (c.shapley, c.banzhaf) for c in answer.contributions} == expected
    floats = contributions(model, instance, under=under, exact=False)
    for c in floats.contributions:
        assert (c.shapley, c.banzhaf) == pytest.approx(tuple(map(float, expected[c.attribute])), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(strategies.classifiers(), st.data())
def test_shapley_values_make_up_what_was_not_expected(model, data):
    instance = data.draw(st.sampled_from(oracle.instances(model)))
    for label in model.labels:
        answer = contributions(model, instance, label=label)
        assert sum(c.shapley for c in answer.contributions) == (label == answer.decision) - answer.expected


@settings(max_examples=40, deadline=None)
@given(strategies.classifiers())
def test_an_attribute_tips_where_trying_its_other_values_changes_the_decision(model):
    shape = [len(v.values) for v in model.variables]
    table = oracle.decisions(model).reshape(shape or [1])
    answer = importance(model, under="uniform")
    for axis, v in enumerate(model.variables):
        tips = table.max(axis=axis) != table.min(axis=axis)
        assert answer[v.name].count == tips.sum() * shape[axis]
        assert answer[v.name].probability == pytest.approx(tips.mean())


@settings(max_examples=20, deadline=None)
@given(strategies.naive_bayes())
def test_how_probable_that_is_under_the_model(model):
    answer = importance(model)
    decided = dict(zip(map(tuple, oracle.codes(model).tolist()), oracle.decisions(model), strict=True))
    for k, a in enumerate(model.attributes):
        likely = Fraction(0)
        for codes in decided:
            around = {decided[(*codes[:k], v, *codes[k + 1 :])] for v in range(len(a.values))}
            for label, prior in zip(model.class_values, model.prior, strict=True):
                own = prod((b.given[label][v] for b, v in zip(model.attributes, codes, strict=True)), start=prior)
                likely += own * (len(around) > 1)
        assert answer[a.name].probability == pytest.approx(float(likely))


def test_figure_1_depends_on_s_most():
    answer = importance(oddly.examples.pregnancy(), under="uniform")
    assert [(a.attribute, a.count) for a in answer.attributes] == [("S", 6), ("U", 2), ("B", 2)]
    assert answer.of(PATIENT)["S"].shapley == Fraction(11, 24)
    assert answer.of(PATIENT).expected == Fraction(5, 8)


def test_of_two_valued_attributes_the_share_is_the_banzhaf_index():
    """Of the votes, in a council where one member has two, in how many is a member decisive?"""
    card = oddly.Scorecard(
        [oddly.Points(n, ["no", "yes"], [0, p]) for n, p in zip("abc", (2, 1, 1), strict=True)], cutoff=3
    )
    answer = importance(card)
    assert [answer[n].count for n in "abc"] == [6, 2, 2]


def test_any_change_of_three_labels_counts_or_only_that_of_one():
    odd = three_labels()
    assert [importance(odd)[n].count for n in "AB"] == [4, 4]
    assert [importance(odd, label="high")[n].count for n in "AB"] == [2, 2]
    answer = contributions(odd, {"A": "yes", "B": "yes"})
    assert (answer.label, answer.expected) == ("high", Fraction(1, 4))
    assert [c.shapley for c in answer.contributions] == [Fraction(3, 8)] * 2


def test_rows_of_data_are_a_distribution_too():
    rows = [{"U": "+ve", "B": "-ve", "S": "-ve"}] * 3 + [{"U": "-ve", "B": "-ve", "S": "+ve"}]
    answer = importance(oddly.examples.pregnancy(), under=rows)
    assert {a.attribute: a.probability for a in answer.attributes} == {"U": 0, "B": 0.75, "S": 1}
    assert answer.of(PATIENT).expected == Fraction(1, 4)  # S=+ve in a quarter of the rows, and never U and B


def test_attributes_that_depend_on_each_other_are_weighed_as_the_network_says():
    """Against the instances, listed one by one with their probabilities; and the shares of single attributes."""
    odd = oddly.compile(WEATHER)
    likely = [(i, p) for label in odd.labels for i, p in oddly.instances(odd, label)]
    assert sum(p for _, p in likely) == pytest.approx(1)
    answer = importance(odd)
    for v in odd.variables:
        tips = sum(p for i, p in likely if len({*odd.classify([i | {v.name: x} for x in v.values])}) > 1)
        assert answer[v.name].probability == pytest.approx(tips)
    told = contributions(odd, {"wet": "yes", "slip": "yes"})
    assert told["wet"].shapley == 1 - told.expected  # it alone decides
    assert told.expected == Fraction("0.3") * Fraction("0.9") + Fraction("0.7") * Fraction("0.2")


def test_nothing_matters_where_all_is_decided_alike():
    sure = oddly.examples.pregnancy().replace(threshold="0.001")
    assert repr(importance(sure)) == "No attribute matters: all 8 instances are decided alike."
    assert all(c.shapley == 0 for c in contributions(sure, PATIENT).contributions)
    empty = NaiveBayes("C", ["yes", "no"], ["0.9", "0.1"], [])
    assert importance(empty).attributes == contributions(empty, {}).contributions == ()


def test_an_incomplete_or_wrong_instance_is_named():
    with pytest.raises(UnknownName, match="no value for S"):
        contributions(oddly.examples.pregnancy(), {"U": "+ve", "B": "+ve"})
    with pytest.raises(UnknownValue, match="S=maybe"):
        contributions(oddly.examples.pregnancy(), PATIENT | {"S": "maybe"})
    with pytest.raises(UnknownName):
        importance(oddly.examples.pregnancy())["X"]


def test_a_scorecard_has_no_distribution_of_its_own():
    card = oddly.Scorecard([oddly.Points("a", ["no", "yes"], [0, 1])], cutoff=1)
    with pytest.raises(Unsupported, match="uniform"):
        contributions(card, {"a": "yes"}, under="model")


def test_floats_agree_with_fractions_on_a_larger_model():
    model = oddly.examples.tic_tac_toe()
    board = dict(zip((v.name for v in model.variables), "xxobxoxbo", strict=True))
    exact, floats = (contributions(model, board, exact=e) for e in (True, False))
    for c in exact.contributions:
        assert float(c.shapley) == pytest.approx(floats[c.attribute].shapley, abs=1e-12)
        assert float(c.banzhaf) == pytest.approx(floats[c.attribute].banzhaf, abs=1e-12)


def test_the_command_ranks_attributes_and_shares_out_a_decision(capsys):
    assert command("importance")(Path("example:pregnancy")) == 0
    assert "S 6 75.0% 0.5921" in " ".join(capsys.readouterr().out.split())
    case = [f"{name}={value}" for name, value in PATIENT.items()]
    assert command("importance")(Path("example:pregnancy"), *case, under="uniform") == 0
    assert "S=+ve +0.4583 +0.4688" in " ".join(capsys.readouterr().out.split())
    assert command("importance")(Path("example:pregnancy"), *case, under="uniform", as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["decision"], told["expected"], told["contributions"][0]["shapley"]) == ("yes", 0.625, 11 / 24)
    assert command("importance")(Path("example:pregnancy"), *case, under="uniform", exact=True, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["expected"], told["contributions"][0]["shapley"]) == ("0.625", "11/24")
    assert command("importance")(Path("example:pregnancy"), as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["attributes"][0]["count"] == "6"


def test_an_instance_may_be_a_row_as_it_was_read():
    """With the class beside it, and numbers where the values are intervals."""
    ages = Points("age", ["<30", ">=30"], [0, 1], oddly.Bins([30]))
    card = Scorecard([ages, Points("owner", ["no", "yes"], [0, 1])], cutoff=2, class_name="loan")
    row = {"age": 41.5, "owner": "yes", "loan": "yes"}
    found = oddly.contributions(card, row)
    assert (found.instance, found["age"].shapley) == ({"age": ">=30", "owner": "yes"}, Fraction(3, 8))
    with pytest.raises(oddly.ModelError, match="expected a mapping from attribute to value"):
        oddly.contributions(card, [row])


def test_the_limits_are_those_of_each_diagram_of_what_tips():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [2**i, 0]) for i in range(12)], cutoff=1000)
    with pytest.raises(oddly.TooLarge):
        oddly.importance(oddly.compile(card), max_nodes=5)


def test_of_two_labels_it_does_not_matter_which_is_gained_or_lost():
    odd = oddly.compile(oddly.examples.tic_tac_toe())
    by_label = [oddly.importance(odd, label=label, under="uniform").attributes for label in (None, *odd.labels)]
    assert by_label[0] == by_label[1] == by_label[2]
