# SPDX-License-Identifier: Apache-2.0
"""Every question of one decision, of networks, of more than two classes, and of an .odd file that has lost its model."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import networks
import oddly
import test_change
import test_explain
from oddly.cli import main
from oddly.model import Node
from test_robustness import counted, distances, histogram

few = networks.network_classifiers().filter(lambda m: len(m.attributes) <= 5)
asked = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def diagrams(model, folder):
    """The decisions of all instances by enumeration, the diagram of the model, and an .odd file without it."""
    table = np.asarray(networks.decisions(model)[0], int)
    odd = oddly.compile(model)
    replace(odd, source=None).save(folder / "bare.odd")
    return table, (odd, oddly.load(folder / "bare.odd"))


def places(odd, instance):
    by_name = {v.name: v for v in odd.variables}
    return [by_name[name].index(instance[name]) for name in odd.columns]


def some_case(data, table):
    return [data.draw(st.integers(0, size - 1)) for size in table.shape]


@asked
@given(few, st.data())
def test_reasons_of_every_sort_are_those_of_enumeration(tmp_path, model, data):
    table, both = diagrams(model, tmp_path)
    case = data.draw(test_explain.cases(table.shape, partial=data.draw(st.booleans())))
    for odd in both:
        known = test_explain.instance_of(odd, case)
        if odd.impossible and not oddly.count(odd.possible, "possible", given=known, under="uniform")["possible"]:
            with pytest.raises(oddly.Unsupported, match="impossible under the model"):
                oddly.explain(odd, known)
            continue
        test_explain.check_general(test_explain.check(odd, table, case), odd, table, case)


@asked
@given(few, st.data())
def test_changes_under_rules_are_those_of_trying_every_instance(tmp_path, model, data):
    table, both = diagrams(model, tmp_path)
    assume(table.size <= 200)
    for odd in both:
        assert np.array_equal(test_explain.table_of(odd), table)
        old = data.draw(st.sampled_from(test_change.instances(odd)))
        to = data.draw(st.sampled_from([None, *odd.labels]))
        rules, forbid = data.draw(test_change.some_rules(odd)), data.draw(test_change.some_expression(odd))
        test_change.check(odd, old, to, rules, forbid, data.draw(st.integers(1, 4)))


@asked
@given(few)
def test_robustness_without_a_model_is_that_of_enumeration(tmp_path, model):
    table, (_, bare) = diagrams(model, tmp_path)
    values = distances(networks.every(table.shape), table.reshape(-1))
    answer = oddly.robustness(bare)
    assert answer.under == "the uniform distribution"
    assert histogram(answer) == counted(values)
    if None not in values:
        assert answer.mean == answer.expected == Fraction(sum(values), len(values))
        fragile = [f.instance for f in answer.fragile(min(values))]
        assert len(fragile) == values.count(min(values))
        at = {tuple(row): value for row, value in zip(networks.every(table.shape).tolist(), values, strict=True)}
        assert {at[tuple(places(bare, instance))] for instance in fragile} == {min(values)}


@asked
@given(few, st.data())
def test_whether_a_decision_stands_without_a_model_is_that_of_enumeration(tmp_path, model, data):
    """What is likeliest in the end is decided; of equals, the last label."""
    table, (_, bare) = diagrams(model, tmp_path)
    case = data.draw(test_explain.cases(table.shape, partial=True))
    answer = oddly.same_decision(bare, test_explain.instance_of(bare, case))

    def final(known):
        part = test_explain.slice_of(table, known, [i for i, v in enumerate(known) if v is not None])
        return [Fraction(int((part == label).sum()), part.size) for label in range(len(bare.labels))]

    now = final(case)
    assert answer.probability == max(now)
    assert answer.decision == bare.labels[max(range(len(now)), key=lambda label: (now[label], label))]
    assert answer.final == dict(zip(bare.labels, now, strict=True))
    for test in answer.tests:
        axis = bare.columns.index(test.attribute)
        then = [final([*case[:axis], v, *case[axis + 1 :]]) for v in range(table.shape[axis])]
        assert test.expected == test.foretold == sum(map(max, then)) / len(then)
        assert test.gain == test.expected - answer.probability
        assert test.settles == Fraction(sum(max(shares) == 1 for shares in then), len(then))
    with pytest.raises(oddly.Unsupported, match="how probable an instance is"):
        oddly.subset(bare)


@asked
@given(few, st.data())
def test_hinges_and_rates_without_a_model_are_those_of_enumeration(tmp_path, model, data):
    table, (_, bare) = diagrams(model, tmp_path)
    assume(bare.columns)
    names = data.draw(st.lists(st.sampled_from(bare.columns), min_size=1, max_size=2, unique=True))
    axes = tuple(bare.columns.index(name) for name in names)
    answer = oddly.fairness(bare, names, label=bare.labels[-1])
    mixed = table.max(axis=axes, keepdims=True) != table.min(axis=axes, keepdims=True)
    assert answer.count == int(np.broadcast_to(mixed, table.shape).sum())
    assert (answer.holds, answer.probability) == (not answer.count, Fraction(answer.count, table.size))
    chosen = table == len(bare.labels) - 1
    for group in answer.groups:
        by_name = {v.name: v for v in bare.variables}
        at = tuple(by_name[n].index(group.values[n]) if n in names else slice(None) for n in bare.columns)
        assert group.rate == Fraction(int(chosen[at].sum()), chosen[at].size)
    rates = [group.rate for group in answer.groups]
    if len(rates) > 1:
        assert answer.gaps["rate"].size == max(rates) - min(rates)


@asked
@given(few, st.data())
def test_what_matters_is_that_of_enumeration(tmp_path, model, data):
    table, both = diagrams(model, tmp_path)
    case = some_case(data, table)
    expected = by_coalitions(table == table[tuple(case)], case)
    for odd in both:
        overall = oddly.importance(odd, under="uniform")
        for axis, name in enumerate(odd.columns):
            tips = table.max(axis=axis) != table.min(axis=axis)
            assert overall[name].count == tips.sum() * table.shape[axis]
        answer = oddly.contributions(odd, test_explain.instance_of(odd, case), under="uniform", exact=True)
        assert answer.decision == odd.labels[table[tuple(case)]]
        assert [
            (c.shapley, c.banzhaf) for name in odd.columns for c in answer.contributions if c.attribute == name
        ] == (expected)


def by_coalitions(alike, case):
    """Shapley and Banzhaf values by their definitions: the share of instances decided alike, a coalition being known."""
    n = alike.ndim
    worth = {}
    for kept in (set(s) for k in range(n + 1) for s in combinations(range(n), k)):
        part = test_explain.slice_of(alike, case, kept)
        worth[frozenset(kept)] = Fraction(int(part.sum()), part.size)
    found = []
    for i in range(n):
        gains = [(len(s), worth[s | {i}] - w) for s, w in worth.items() if i not in s]
        weights = [Fraction(factorial(k) * factorial(n - 1 - k), factorial(n)) for k, _ in gains]
        shapley = sum((w * g for w, (_, g) in zip(weights, gains, strict=True)), Fraction(0))
        found.append((shapley, sum((g for _, g in gains), Fraction(0)) / 2 ** (n - 1)))
    return found


WEATHER = oddly.Network(
    [
        Node("rain", ["none", "some", "much"], [], [["0.5", "0.3", "0.2"]]),
        Node("wet", ["yes", "no"], ["rain"], [["0.2", "0.8"], ["0.7", "0.3"], ["0.9", "0.1"]]),
        Node(
            "slip",
            ["yes", "no"],
            ["rain", "wet"],
            [["0.1", "0.9"], ["0.01", "0.99"], ["0.3", "0.7"], ["0.1", "0.9"], ["0.6", "0.4"], ["0.3", "0.7"]],
        ),
    ]
)
CASE = {"wet": "yes", "slip": "no"}
WORDS = [f"{name}={value}" for name, value in CASE.items()]


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        (["explain", "X", *WORDS], lambda x: oddly.explain(x, CASE)),
        (["explain", "X", "wet=yes"], lambda x: oddly.explain(x, {"wet": "yes"})),
        (["change", "X", *WORDS, "--k", "2"], lambda x: oddly.change(x, CASE, k=2)),
        (["robust", "X"], oddly.robustness),
        (["ask", "X", "wet=yes"], lambda x: oddly.same_decision(x, {"wet": "yes"})),
        (
            ["fair", "X", "--protected", "wet", "--label", "LAST"],
            lambda x: oddly.fairness(x, "wet", label=x.labels[-1]),
        ),
        (["importance", "X"], oddly.importance),
        (["importance", "X", *WORDS], lambda x: oddly.contributions(x, CASE)),
    ],
    ids=["explain", "partial", "change", "robust", "ask", "fair", "importance", "shapley"],
)
@pytest.mark.parametrize("kind", ["network", "many", "bare"])
def test_the_command_says_what_the_call_does(capsys, tmp_path, words, ask, kind):
    classifier = WEATHER.classifier(class_="rain", positive=None if kind == "many" else "none", attributes=list(CASE))
    odd = oddly.compile(classifier)
    path = tmp_path / ("x.odd" if kind == "bare" else "x.json")
    if kind == "bare":
        odd = replace(odd, source=None)
        odd.save(path)
    else:
        oddly.write(classifier, path)
    expected = ask(odd)
    words = [str(path) if w == "X" else odd.labels[-1] if w == "LAST" else w for w in words]
    assert main([*words, "--json"]) == (0 if expected.verdict() else 1)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected.to_json()))
