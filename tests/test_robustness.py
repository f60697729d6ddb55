# SPDX-License-Identifier: Apache-2.0
"""How robust: against the distances between all pairs of instances, and between the two routes."""

import json
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import networks
import oddly
import oracle
import strategies
from oddly import ODD, ModelError, NaiveBayes, Points, Scorecard, TooLarge, UnknownName, Unsupported
from oddly.algebra.survival import is_additive, survivors
from oddly.cli import main
from oddly.model import NetworkClassifier, Variable
from oddly.questions.change.question import change
from oddly.questions.robustness import robustness

DATA = Path(__file__).parents[2] / "shared" / "data" / "uci"
small = strategies.classifiers().filter(lambda m: strategies.instances(m.variables) <= 400)


def distances(codes, labels):
    """By instance, the fewest places in which an instance with another label differs; None if there is none."""
    apart = (codes[:, None, :] != codes[None, :, :]).sum(axis=2)
    other = labels[:, None] != labels[None, :]
    return [int(row[differs].min()) if differs.any() else None for row, differs in zip(apart, other, strict=True)]


def histogram(found):
    return {step.changes: step.count for step in found.histogram}


def counted(values):
    return {value: values.count(value) for value in values}


@settings(max_examples=100, deadline=None)
@given(small, st.sampled_from(["negative", "positive"]), st.sampled_from(["auto", "products"]))
def test_robustness_is_the_distance_to_the_nearest_other_decision(model, impossible, route):
    """Ties, zeros, thresholds of 0 and 1, and one-valued attributes among the models."""
    answer = robustness(oddly.compile(model, impossible=impossible), under="uniform", route=route)
    values = distances(oracle.codes(model), oracle.decisions(model, impossible))
    assert histogram(answer) == counted(values)
    assert sum(step.probability for step in answer.histogram) == 1
    if None in values:
        assert answer.mean is None
    else:
        assert answer.mean == answer.expected == Fraction(sum(values), len(values))


@settings(max_examples=100, deadline=None)
@given(strategies.classifiers(), st.sampled_from(["negative", "positive"]))
def test_both_routes_give_the_same_diagrams(model, impossible):
    odd = oddly.compile(model, impossible=impossible)
    for label in odd.labels if is_additive(odd) else ():
        pairs = zip(*(survivors(odd, label, route) for route in ("sums", "products")), strict=False)
        for by_sums, by_products in islice(pairs, len(odd.order) + 1):
            assert by_sums == by_products


@settings(max_examples=50, deadline=None)
@given(strategies.naive_bayes().filter(lambda m: strategies.instances(m.variables) <= 300))
def test_the_population_is_weighed_exactly(model):
    values = distances(oracle.codes(model), oracle.decisions(model))
    likely = networks.joint(NetworkClassifier.of(model)).reshape(-1, 2).sum(axis=1)
    answer = robustness(model)
    for step in answer.histogram:
        own = sum((p for p, k in zip(likely, values, strict=True) if k == step.changes), Fraction(0))
        assert step.probability == own / sum(likely)
    floats = robustness(model, exact=False)
    for step, rounded in zip(answer.histogram, floats.histogram, strict=True):
        assert rounded.probability == pytest.approx(float(step.probability), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(networks.network_classifiers())
def test_of_networks_and_of_more_than_two_labels(model):
    masses = networks.joint(model)
    labels, _ = networks.decisions(model)
    values = distances(networks.every(labels.shape), labels.reshape(-1))
    if not masses.sum():
        with pytest.raises(Unsupported, match="nothing is possible"):
            robustness(model)
        return
    answer = robustness(model)
    assert histogram(answer) == counted(values)
    likely = masses.reshape(-1, masses.shape[-1]).sum(axis=1)
    for step in answer.histogram:
        own = sum((p for p, k in zip(likely, values, strict=True) if k == step.changes), Fraction(0))
        assert step.probability == own / masses.sum()


@settings(max_examples=25, deadline=None)
@given(small, st.data())
def test_it_is_what_changing_the_instance_takes(model, data):
    odd = oddly.compile(model)
    instance = data.draw(st.sampled_from(oracle.instances(model)))
    takes = change(odd, instance).robustness
    answer = robustness(odd, under="uniform")
    found = [step.changes for step in answer.histogram]
    assert takes in found
    if takes is not None:
        label = str(odd.classify([instance])[0])
        assert str(answer.diagram(label, takes).classify([instance])[0]) == "tipped"
        assert answer[takes].count == sum(d.count("tipped") for c in odd.labels if (d := answer.diagram(c, takes)))


@settings(max_examples=25, deadline=None)
@given(strategies.naive_bayes(zeros=False).filter(lambda m: strategies.instances(m.variables) <= 300))
def test_fragile_instances_come_with_the_most_probable_first(model):
    answer = robustness(model)
    values = distances(oracle.codes(model), oracle.decisions(model))
    wanted = [i for i, k in zip(oracle.instances(model), values, strict=True) if k == 1]
    found = list(answer.fragile())
    assert sorted(map(str, (f.instance for f in found))) == sorted(map(str, wanted))
    assert [f.decision for f in found] == [model.labels[int(oracle.decides(model, f.instance))] for f in found]
    chances = [f.probability for f in found]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(chances))
    assert sum(chances) == pytest.approx(float(sum(s.probability for s in answer.histogram if s.changes == 1)))


def test_figure_1_has_one_instance_that_two_changes_tip():
    answer = robustness(oddly.examples.pregnancy())
    assert histogram(answer) == {1: 7, 2: 1}
    assert answer[1].by_decision == {"no": 3, "yes": 4}
    assert answer.mean == Fraction(9, 8)
    (sturdy,) = answer.fragile(2)
    assert sturdy.instance == {"U": "+ve", "B": "+ve", "S": "+ve"}
    assert answer[2].probability == Fraction("0.87") * Fraction("0.73") * Fraction("0.64") * Fraction("0.9") + Fraction(
        "0.13"
    ) * Fraction("0.107") * Fraction("0.106") * Fraction("0.01")


def test_any_other_of_three_labels_counts():
    variables = (Variable("A", ("no", "yes")), Variable("B", ("no", "yes")))
    levels = (np.array([[0, 1]], np.uint32), np.array([[0, 1], [2, 2]], np.uint32))
    answer = robustness(ODD(variables, ("low", "middle", "high"), levels, 0, (0, 1)))
    assert histogram(answer) == {1: 4}
    assert answer[1].by_decision == {"low": 1, "middle": 1, "high": 2}
    with pytest.raises(Unsupported, match="products"):
        robustness(ODD(variables, ("low", "middle", "high"), levels, 0, (0, 1)), route="sums")


def test_wide_sums_take_the_fast_route_too():
    """Points of 3^200 do not fit the kernels' whole numbers."""
    points = [[0, 3**200], [0, 3**200 + 1], [0, 1], [-1, 1]]
    card = Scorecard([Points(f"a{i}", ["no", "yes"], p) for i, p in enumerate(points)], cutoff=3**200 + 1)
    assert is_additive(oddly.compile(card))
    assert histogram(robustness(card)) == counted(distances(oracle.codes(card), oracle.decisions(card)))


def test_nothing_is_looked_at_beyond_the_most_changes():
    model = oddly.examples.tic_tac_toe()
    whole, part = robustness(model), robustness(model, max_changes=2)
    assert [step.changes for step in part.histogram] == [1, 2, None]
    assert part.histogram[:2] == whole.histogram[:2]
    assert part.histogram[2].count == sum(step.count for step in whole.histogram[2:])
    assert part.mean is None
    assert "more than 2: 2,615 of 19,683" in repr(part)
    with pytest.raises(ModelError, match="from 1 to 2"):
        part.fragile(3)
    assert robustness(model, max_changes=9).mean == whole.mean


def test_where_all_is_decided_alike_nothing_changes_it():
    sure = oddly.examples.pregnancy().replace(threshold="0.001")
    for answer in (robustness(sure), robustness(sure, max_changes=1)):
        assert repr(answer) == "Nothing changes a decision: all 8 instances are decided alike."
        assert histogram(answer) == {None: 8}
        assert list(answer.fragile()) == []
    empty = NaiveBayes("C", ["yes", "no"], ["0.9", "0.1"], [])
    assert histogram(robustness(empty)) == {None: 1}


def test_rows_of_data_are_a_population():
    rows = [{"U": "+ve", "B": "+ve", "S": "+ve"}] * 3 + [{"U": "-ve", "B": "-ve", "S": "+ve"}]
    answer = robustness(oddly.examples.pregnancy(), under=rows)
    assert [step.probability for step in answer.histogram] == [Fraction(1, 4), Fraction(3, 4)]
    assert answer.expected == Fraction(7, 4)


def test_wrong_questions_are_named():
    model = oddly.examples.pregnancy()
    with pytest.raises(ModelError, match="max_changes"):
        robustness(model, max_changes=0)
    with pytest.raises(UnknownName, match="route"):
        robustness(model, route="magic")
    with pytest.raises(UnknownName):
        robustness(model)[3]


@pytest.mark.skipif(not DATA.exists(), reason="the paper's data sets are not beside the project")
def test_votes_by_both_routes():
    model = oddly.learn(DATA / "votes.csv", target="class", positive="republican")
    sums, products = (robustness(model, route=route) for route in ("sums", "products"))
    assert sums.histogram == products.histogram
    assert sums.instances == sum(step.count for step in sums.histogram) == 65536


def test_limits_stop_with_a_word():
    with pytest.raises(TooLarge, match="allowed"):
        robustness(oddly.compile(oddly.examples.tic_tac_toe()), max_nodes=50)


def test_the_command_shows_the_histogram_and_who_is_fragile(capsys, monkeypatch):
    assert main(["robust", "example:pregnancy", "--list", "1"]) == 0
    out = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert {"1 7 87.5% 0.6342", "yes 0.2059 U=+ve, B=-ve, S=+ve"} <= out
    assert main(["robust", "example:pregnancy", "--json", "--exact", "--under", "uniform"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["histogram"][0] == {
        "changes": 1,
        "count": "7",
        "probability": "0.875",
        "by_decision": {"no": "3", "yes": "4"},
    }
    assert (told["mean"], told["exact"]) == ("1.125", True)
    assert [found["probability"] for found in told["fragile"]] == ["0.125"] * 5
    assert main(["robust", "example:pregnancy", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["expected"], told["exact"]) == (pytest.approx(1.36583, abs=1e-5), True)  # in fractions, told as floats
    assert main(["robust", "--help"]) == 0
    assert "oddly robust model.json" in capsys.readouterr().out


def test_the_command_says_what_is_wrong_and_what_is_too_large(capsys, monkeypatch, tmp_path):
    assert main(["robust", "example:pregnancy", "--max-changes", "0"]) == 2
    assert "--max-changes: expected a number from 1 on" in capsys.readouterr().err
    assert main(["robust", "example:pregnancy", "--list", "-1"]) == 2
    oddly.compile(oddly.examples.tic_tac_toe()).save(tmp_path / "t.odd")
    assert main(["robust", str(tmp_path / "t.odd"), "--max-nodes", "50"]) == 3
    assert main(["robust", str(tmp_path / "t.odd"), "--max-changes", "1"]) == 0
    assert "more than 1 " in capsys.readouterr().out
