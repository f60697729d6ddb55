# SPDX-License-Identifier: Apache-2.0
"""What would change this decision?  Against trying every instance."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly import ModelError, Points, Scorecard, UnknownName, UnknownValue
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import expression
from oddly.cli import main
from oddly.diagram.combine import combine
from oddly.questions.change.question import change
from oddly.questions.explain.question import explain
from strategies import classifiers

FIGURE_1 = oddly.examples.pregnancy()
NO = {"U": "-ve", "B": "-ve", "S": "-ve"}
CARD = Scorecard(
    [Points("age", ["20s", "30s", "40s", "50s"], [0, 1, 2, 3]), Points("debt", ["none", "some", "much"], [2, 1, 0])],
    cutoff=3,
    class_name="loan",
    class_values=["grant", "refuse"],
)


# ---- the oracle: every instance, its cost, and whether it may be ----


def instances(odd):
    by_name = {v.name: v for v in odd.variables}
    return [
        dict(zip(odd.columns, values, strict=True)) for values in product(*(by_name[n].values for n in odd.columns))
    ]


def cost_of(odd, old, new, costs, step_costs, fixed, one_way):
    """What it costs to have all the new values; None if it cannot be."""
    total = Fraction(0)
    for v in odd.variables:
        a, b = v.index(old[v.name]), v.index(new[v.name])
        if a == b:
            continue
        if v.name in fixed or one_way.get(v.name) == ("up" if b < a else "down"):
            return None
        if v.name in step_costs:
            total += Fraction(step_costs[v.name]) * abs(a - b)
        else:
            cost = costs.get(v.name, 1)
            if isinstance(cost, dict):
                cost = cost.get(new[v.name])
                if cost is None:
                    return None
            total += Fraction(cost)
    return total


def changed(old, new):
    return {name: (old[name], new[name]) for name in old if old[name] != new[name]}


@st.composite
def some_rules(draw, odd):
    """Costs, fixed attributes and one-way ones, at random."""
    rules = {"costs": {}, "step_costs": {}, "fixed": [], "one_way": {}}
    for name, v in zip(odd.order, odd.variables, strict=True):
        kind = draw(st.sampled_from(["free", "free", "cost", "values", "values", "step", "fixed", "up", "down"]))
        number = draw(st.sampled_from(["0", "1/3", "0.5", "2", "7"]))
        if kind == "cost":
            rules["costs"][name] = number
        elif kind == "values":
            prices = st.sampled_from(["0", "1/3", "1", "5"])
            rules["costs"][name] = draw(st.dictionaries(st.sampled_from(v.values), prices))
        elif kind == "step":
            rules["step_costs"][name] = number
        elif kind == "fixed":
            rules["fixed"].append(name)
        elif kind != "free":
            rules["one_way"][name] = kind
    return rules


@st.composite
def some_expression(draw, odd):
    if not odd.variables or draw(st.booleans()):
        return None
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        v = draw(st.sampled_from(odd.variables))
        parts.append(f"{v.name}{draw(st.sampled_from(['=', '!=']))}{draw(st.sampled_from(v.values))}")
    return draw(st.sampled_from([" and ", " or "])).join(parts)


def check(odd, old, to, rules, forbid, k):
    """The ways, their costs and their number, against all instances."""
    answer = change(odd, old, to=to, forbid=forbid or (), k=k, **rules)
    every = instances(odd)
    labels = [str(label) for label in odd.classify(every)]
    decision = str(odd.classify([old])[0])
    wanted = [label for label in odd.labels if label != decision] if to is None else [to]
    tree = expression(forbid, odd.variables) if forbid else None
    allowed, good = 0, []
    for new, label in zip(every, labels, strict=True):
        cost = cost_of(odd, old, new, **rules)
        if cost is not None and not (tree and tree.evaluate(new)):
            allowed += 1
            if label in wanted:
                good.append((cost, changed(old, new), new, label))
    good.sort(key=lambda way: (way[0], len(way[1])))
    assert answer.decision == decision
    assert answer.to == tuple(wanted)
    assert answer.allowed == allowed
    assert bool(answer) == bool(good)
    listed = list(islice(answer.every(), 3000))
    assert [(way.cost, len(way.changes)) for way in listed] == [(cost, len(made)) for cost, made, *_ in good]
    assert {tuple(way.instance.items()) for way in listed} == {tuple(new.items()) for _, _, new, _ in good}
    needed = [way for way in good if not any(o[1].items() < way[1].items() for o in good)]
    ways = answer.alternatives
    assert [(way.cost, len(way.changes)) for way in ways] == [(cost, len(made)) for cost, made, *_ in needed[:k]]
    for way in ways:
        assert (way.cost, way.changes, way.instance, way.decision) in needed
    assert len({tuple(way.instance.items()) for way in ways}) == len(ways)
    flips = [len(changed(old, new)) for new, label in zip(every, labels, strict=True) if label != decision]
    assert answer.robustness == min(flips, default=None)
    json.dumps(answer.to_json())
    assert repr(answer)


@given(model=classifiers(), data=st.data())
@settings(max_examples=50, deadline=None)
def test_the_cheapest_changes_are_those_that_trying_every_instance_finds(model, data):
    odd = oddly.compile(model)
    if odd.instances > 500:
        return
    old = data.draw(st.sampled_from(instances(odd)))
    to = data.draw(st.sampled_from([None, *odd.labels]))
    check(odd, old, to, data.draw(some_rules(odd)), data.draw(some_expression(odd)), data.draw(st.integers(1, 6)))


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_three_labels_and_products_change_alike(data):
    tight = FIGURE_1.replace(threshold="0.99")
    odd = combine(
        oddly.compile(FIGURE_1, "as-given"),
        oddly.compile(tight, "as-given"),
        lambda a, b: a + b,
        ["no", "maybe", "yes"],
    )
    old = data.draw(st.sampled_from(instances(odd)))
    to = data.draw(st.sampled_from([None, *odd.labels]))
    check(odd, old, to, data.draw(some_rules(odd)), data.draw(some_expression(odd)), data.draw(st.integers(1, 9)))


@given(model=classifiers(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_decision_is_as_robust_as_its_smallest_necessary_reason_is_large(model, data):
    odd = oddly.compile(model)
    old = {v.name: data.draw(st.sampled_from(v.values)) for v in odd.variables}
    bare = replace(odd, source=None)  # where no input is impossible, so that each has its reasons
    needed = explain(bare, old).necessary.smallest
    assert change(odd, old).robustness == (None if needed is None else len(needed))


def test_every_small_scorecard_is_as_robust_as_enumeration_says():
    for points in product(range(-2, 3), repeat=2):
        for cutoff in range(-2, 3):
            odd = oddly.compile(
                Scorecard([Points(n, ["a", "b"], [0, p]) for n, p in zip("xy", points, strict=True)], cutoff)
            )
            every = instances(odd)
            labels = odd.classify(every)
            for old, label in zip(every, labels, strict=True):
                fewest = [len(changed(old, new)) for new, other in zip(every, labels, strict=True) if other != label]
                assert change(odd, old).robustness == min(fewest, default=None)


def test_no_way_that_is_listed_contains_another():
    points = [Points("p", ["0", "1", "2"], [0, 1, 2]), Points("q", ["0", "1", "2"], [0, 0, 1])]
    costs = {"p": {"1": 1, "2": 5}, "q": {"1": 1, "2": 1}}
    answer = change(Scorecard(points, 2), {"p": "0", "q": "0"}, costs=costs, k=9)
    assert [{n: new for n, (_, new) in way.changes.items()} for way in answer.alternatives] == [
        {"p": "1", "q": "2"},
        {"p": "2"},
    ]


# ---- as a person reads it ----


def test_a_scan_alone_makes_it_yes_or_both_other_tests():
    answer = change(FIGURE_1, NO, k=9)
    assert [dict(way.changes) for way in answer.alternatives] == [
        {"S": ("-ve", "+ve")},
        {"U": ("-ve", "+ve"), "B": ("-ve", "+ve")},
    ]
    assert repr(change(FIGURE_1, NO)) == "no becomes yes with S=+ve instead of -ve (1 change)."
    assert (answer.cost, answer.robustness) == (1, 1)
    assert repr(change(FIGURE_1, NO, to="no")) == "It is no already."


def test_of_several_labels_each_way_says_where_it_leads():
    given = {"a": ["0.1", "0.5", "0.4"], "b": ["0.2", "0.2", "0.6"], "c": ["0.8", "0.1", "0.1"]}
    model = oddly.NaiveBayes("C", ["a", "b", "c"], ["0.3", "0.3", "0.4"], [oddly.CPT("y", ["1", "2", "3"], given)])
    answer = change(model, {"y": "1"}, k=5)
    assert (
        repr(answer) == "c becomes a or b with y=2 instead of 1 (a, 1 change); or with y=3 instead of 1 (b, 1 change)."
    )
    assert repr(change(model, {"y": "1"}, to="b")) == "c becomes b with y=3 instead of 1 (1 change)."
    assert repr(change(model, {"y": "1"}, to="b", fixed=["y"])).endswith(
        "the only instance they allow is not decided b."
    )


def test_costs_are_exact_and_decide_what_comes_first():
    answer = change(FIGURE_1, NO, costs={"S": "2.1", "U": 0.5, "B": "1.6"}, k=2)
    assert [way.cost for way in answer.alternatives] == [Fraction("2.1"), Fraction("2.1")]
    assert set(answer.best.changes) == {"S"}  # of equal costs, fewer changes
    assert "cost 2.1" in repr(answer)
    assert change(FIGURE_1, NO, costs={"S": "2.1000000000000001", "U": "0.5", "B": "1.6"}).best.changes.keys() == {
        "U",
        "B",
    }
    assert change(FIGURE_1, NO, costs={"S": {}}).best.changes.keys() == {"U", "B"}
    assert change(FIGURE_1, NO, costs={"S": {"+ve": "1/3"}}).cost == Fraction(1, 3)


def test_steps_and_one_way_attributes():
    young = {"age": "20s", "debt": "much"}
    assert change(CARD, young).best.changes == {"age": ("20s", "50s")}
    stepwise = change(CARD, young, step_costs={"age": 1, "debt": "1.5"}, k=9)
    assert stepwise.cost == 3
    assert [dict(way.changes) for way in stepwise.alternatives] == [
        {"age": ("20s", "50s")},
        {"age": ("20s", "40s"), "debt": ("much", "some")},
        {"age": ("20s", "30s"), "debt": ("much", "none")},
        {"age": ("20s", "40s"), "debt": ("much", "none")},
    ]
    stuck = change(CARD, {"age": "50s", "debt": "none"}, one_way={"age": "up"}, to="refuse")
    assert not stuck
    assert repr(stuck) == "Impossible under these rules: all 3 instances they allow are decided grant."


def test_what_is_forbidden_may_be_an_expression_several_or_a_diagram():
    both = "U=+ve and B=+ve"
    odd = oddly.compile(FIGURE_1)
    for forbid in (both, [both, "S=+ve"], expression_diagram(both, odd)):
        answer = change(odd, NO, fixed=["S"], forbid=forbid)
        assert not answer
        assert repr(answer) == "Impossible under these rules: all 3 instances they allow are decided no."
    assert (
        repr(change(odd, NO, forbid="U=+ve or U=-ve")) == "Impossible under these rules: they allow no instance at all."
    )
    assert repr(change(odd, NO, fixed=["S", "B"])).endswith("both instances they allow are decided no.")
    assert repr(change(odd, NO, fixed=["S", "B", "U"])).endswith("the only instance they allow is decided no.")


def test_a_float_costs_its_shortest_decimal():
    answer = change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, costs={"S": 0.1})
    assert (answer.cost, answer.best.to_json()["cost"]) == (Fraction(1, 10), "0.1")


def test_what_is_no_rule_at_all_is_refused_too():
    for wrong in ({"k": "a"}, {"k": 1.5}, {"costs": ["U"]}, {"one_way": ["U"]}, {"fixed": 3}, {"forbid": [3]}):
        with pytest.raises(ModelError, match=f"{next(iter(wrong))}: expected"):
            change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, **wrong)


def test_rules_that_make_no_sense_are_refused_by_name():
    for wrong, error, said in (
        ({"costs": {"T": 1}}, UnknownName, "no attribute 'T'"),
        ({"fixed": ["T"]}, UnknownName, "no attribute 'T'"),
        ({"fixed": "S"}, ModelError, "a list of attributes"),
        ({"costs": {"S": -1}}, ModelError, "cost of S: expected a number from 0 on, found -1"),
        ({"costs": {"S": "much"}}, ModelError, "cost of S: expected a number"),
        ({"costs": {"S": {"maybe": 1}}}, UnknownValue, "S is one of"),
        ({"costs": {"S": 1}, "step_costs": {"S": 1}}, ModelError, "choose one"),
        ({"one_way": {"S": "left"}}, ModelError, "'up' or 'down'"),
        ({"to": "perhaps"}, UnknownValue, "perhaps"),
        ({"k": 0}, ModelError, "k: expected"),
        ({"forbid": "T=1"}, UnknownName, "no attribute 'T'"),
    ):
        with pytest.raises(error, match=said):
            change(FIGURE_1, NO, **wrong)
    with pytest.raises(UnknownName, match="no value for S"):
        change(FIGURE_1, {"U": "+ve", "B": "+ve"})


def test_a_constant_classifier_is_never_changed():
    answer = change(Scorecard([Points("a", ["x", "y"], [0, 1])], cutoff=-1), {"a": "x"})
    assert answer.robustness is None
    assert not answer
    assert not change(Scorecard([], cutoff=-1), {})


def test_a_large_classifier_changes_at_once():
    card = Scorecard([Points(f"x{i}", ["no", "yes"], [0, 1]) for i in range(70)], cutoff=40)
    answer = change(card, {f"x{i}": "no" for i in range(70)}, k=3)
    assert (answer.robustness, answer.cost, len(answer.alternatives)) == (40, 40, 3)
    assert answer.allowed == 2**70
    assert prod(len(v.values) for v in card.variables) == 2**70
    assert all(len(way.changes) == 40 for way in islice(answer.every(), 20))
    assert np.all(oddly.compile(card).classify([dict(way.instance) for way in answer.alternatives]) == "yes")


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch):

    def run(*arguments, code=0):
        capsys.readouterr()
        found = main(["change", "example:pregnancy", *arguments])
        out, err = capsys.readouterr()
        assert found == code, err
        return out, err

    return run


CASE = ("U=-ve", "B=-ve", "S=-ve")


def test_the_command_shows_the_ways(run):
    assert run(*CASE)[0].startswith("no becomes yes with S=+ve instead of -ve (1 change).")
    out, _ = run(*CASE, "--k", "3", "--cost", "S=5", "--to", "yes")
    assert out.splitlines()[1:4] == [
        "  change                                         cost",
        "  U=+ve instead of -ve and B=+ve instead of -ve     2",
        "  S=+ve instead of -ve                              5",
    ]
    found = json.loads(run(*CASE, "--only-up", "S", "--step-cost", "U=1/3", "--json")[0])
    assert found["possible"] is True
    assert found["alternatives"][0]["cost"] == "4/3"
    assert found["alternatives"][0]["changes"]["U"] == {"from": "-ve", "to": "+ve"}
    assert found["robustness"] == 1


def test_impossible_is_exit_code_one_and_a_wrong_rule_two(run):
    assert run(*CASE, "--fixed", "S", "--fixed", "U", code=1)[0].startswith("Impossible under these rules: both")
    assert run(*CASE, "--forbid", "S=+ve", "--only-up", "U", code=1)[0].startswith("Impossible")
    told = json.loads(run(*CASE, "--forbid=U=+ve", "--forbid", "S=+ve", "--json", code=1)[0])
    assert told["possible"] is False
    assert "no value for S" in run("U=-ve", "B=-ve", code=2)[1]
    assert "NAME=NUMBER" in run(*CASE, "--cost", "S", code=2)[1]
    assert "given twice" in run(*CASE, "--cost", "S=1", "--cost", "S=2", code=2)[1]
    assert "--k" in run(*CASE, "--k", "0", code=2)[1]
    assert "unknown option" in run(*CASE, "--frob", code=2)[1]
    assert "neither up nor down" in run(*CASE, "--only-up", "S", "--only-down", "S", code=2)[1]
