# SPDX-License-Identifier: Apache-2.0
"""Is it fair?  Decisions that hinge on protected attributes, rates of groups and their gaps, against enumeration."""

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import networks
import oddly
import oracle
from oddly import CPT, ModelError, NaiveBayes, Points, Scorecard, TooLarge, UnknownName, UnknownValue, Unsupported
from oddly.algebra.hinges import HINGES, by_quantifying, by_weights, hinges, pair
from oddly.cli import main
from oddly.diagram.combine import for_all, for_some
from oddly.model import Network, NetworkClassifier, Node
from oddly.questions.fairness.question import fairness
from strategies import classifiers, naive_bayes, rows

FIGURE_1 = oddly.examples.pregnancy()


def some(model, data, most=3):
    """A few of a model's attributes."""
    names = [v.name for v in model.variables]
    return data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=min(most, len(names)), unique=True))


def with_attributes(strategy):
    return strategy.filter(lambda m: m.variables)


@st.composite
def most_probable(draw):
    """Naive Bayes classifiers of three classes that take the most probable, and of one class against two others."""
    classes = ["a", "b", "c"]
    zeros = draw(st.booleans())
    sizes = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=4))
    attributes = [
        CPT(f"A{i}", [f"v{j}" for j in range(size)], {c: draw(rows(size, zeros)) for c in classes})
        for i, size in enumerate(sizes)
    ]
    return NaiveBayes("C", classes, draw(rows(3, zeros)), attributes, positive=draw(st.sampled_from([None, "b"])))


def masses(model, instance):
    """Pr(class, instance) for each class value."""
    found = dict(zip(model.class_values, model.prior, strict=True))
    for a in model.attributes:
        found = {c: p * a.given[c][a.values.index(instance[a.name])] for c, p in found.items()}
    return found


def label_of(model, odd, instance):
    """The decision, by the definition."""
    if isinstance(model, NaiveBayes) and (model.positive is None or len(model.class_values) > 2):
        p = masses(model, instance)
        if model.positive is None:
            return max(p, key=p.get)
        total = sum(p.values())
        return odd.labels[bool(total) and p[model.positive] >= model.threshold * total]
    return odd.labels[oracle.decides(model, instance)]


# ---- what hinges ----


@given(model=with_attributes(classifiers()), data=st.data())
@settings(max_examples=90, deadline=None)
def test_both_ways_and_enumeration_find_the_same_decisions_to_hinge(model, data):
    impossible = data.draw(st.sampled_from(["negative", "positive"]))
    odd = oddly.compile(model, data.draw(st.sampled_from(["as-given", "random:5"])), impossible=impossible)
    names = some(model, data)
    quick, general = by_weights(odd, odd.source, names), by_quantifying(odd, names)
    assert quick == general
    assert quick.columns == general.columns == tuple(n for n in odd.columns if n not in names)
    labels = {}
    for instance in oracle.instances(model):
        context = tuple(v for n, v in instance.items() if n not in names)
        labels.setdefault(context, set()).add(oracle.decides(model, instance, impossible))
    rest = [v for v in model.variables if v.name not in names]
    for context in product(*(v.values for v in rest)):
        instance = {v.name: value for v, value in zip(rest, context, strict=True)}
        assert (quick.classify([instance])[0] == HINGES) == (len(labels[context]) == 2)
    assert hinges(odd, names) == quick
    bare = for_some(odd, *names) & ~for_all(odd, *names)
    assert bare.count(bare.labels[1]) == quick.count(HINGES)


@given(model=most_probable(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_of_many_classes_any_other_decision_counts(model, data):
    odd = oddly.compile(model)
    names = some(model, data)
    contexts = {}
    for instance in oracle.instances(model):
        context = tuple(v for n, v in instance.items() if n not in names)
        contexts.setdefault(context, []).append(label_of(model, odd, instance))
    found = sum(len(labels) for labels in contexts.values() if len(set(labels)) > 1)
    answer = fairness(odd, names, label=odd.labels[0])
    assert (answer.holds, answer.count, bool(answer)) == (not found, found, not found)


@given(model=with_attributes(classifiers()), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_example_differs_in_one_protected_value(model, data):
    odd = oddly.compile(model)
    names = some(model, data)
    answer = fairness(odd, names, under="uniform")
    assert answer.probability == Fraction(answer.count, odd.instances)
    if answer:
        assert answer.case is None
        return
    one, two = answer.case.instances
    (changed,) = [n for n in one if one[n] != two[n]]
    assert changed in names
    assert [label_of(model, odd, i) for i in (one, two)] == list(answer.case.decisions)
    assert answer.case.decisions[0] != answer.case.decisions[1]


def test_a_pair_is_found_however_many_protected_attributes_there_are():
    card = Scorecard([Points(f"A{i}", ["0", "1"], [0, 1]) for i in range(40)], cutoff=20)
    odd = oddly.compile(card)
    one, two = pair(odd, {"A39": "0"}, [f"A{i}" for i in range(39)])
    assert sum(one[n] != two[n] for n in one) == 1
    assert set(odd.classify([one, two])) == {"yes", "no"}


def test_the_limits_stop_it():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [2**i, 0]) for i in range(14)], cutoff=9000)
    odd = oddly.compile(card)
    with pytest.raises(TooLarge):
        fairness(odd, "A0", max_nodes=10)
    wide = oddly.compile(Scorecard([Points(n, [str(i) for i in range(40)], [0] * 40) for n in "ab"]))
    with pytest.raises(TooLarge, match="1,600 groups, 1,000 allowed"):
        fairness(wide, ["a", "b"])


# ---- groups under a model ----


def by_definition(model, odd, names, label, true):
    """Per group: everybody, decided so, rightly so, and whose class it is; in exact fractions."""
    found = {}
    for instance in oracle.instances(model):
        p = masses(model, instance)
        group = found.setdefault(tuple(instance[n] for n in names), Counter())
        is_label = label_of(model, odd, instance) == label
        for c, mass in p.items():
            group["all"] += mass
            group["labelled"] += mass * is_label
            group["true"] += mass * (c in true)
            group["hits"] += mass * (c in true) * is_label
    return {group: m for group, m in found.items() if m["all"]}


def part(a, b):
    return a / b if b else None


@given(model=with_attributes(naive_bayes()) | most_probable(), data=st.data())
@settings(max_examples=45, deadline=None)
def test_rates_and_gaps_are_those_of_the_definition(model, data):
    odd = oddly.compile(model)
    names = some(model, data, most=2)
    label = data.draw(st.sampled_from(odd.labels))
    true = {label} if label in model.class_values else set(model.class_values) - {model.positive}
    answer = fairness(odd, names, label=label, exact=True)
    expected = by_definition(model, odd, names, label, true)
    everybody = sum(m["all"] for m in expected.values())
    assert [tuple(g.values.values()) for g in answer.groups] == sorted(expected, key=ranks(model, names))
    found = {}
    for g in answer.groups:
        m = expected[tuple(g.values.values())]
        found[tuple(g.values.values())] = {
            "rate": part(m["labelled"], m["all"]),
            "true_positives": part(m["hits"], m["true"]),
            "false_positives": part(m["labelled"] - m["hits"], m["all"] - m["true"]),
            "precision": part(m["hits"], m["labelled"]),
        }
        assert {name: getattr(g, name) for name in found[tuple(g.values.values())]} == found[tuple(g.values.values())]
        assert g.share == m["all"] / everybody
    for name in ("rate", "true_positives", "false_positives", "precision"):
        known = [rates[name] for rates in found.values() if rates[name] is not None]
        assert (name in answer.gaps) == (len(known) > 1)
        if len(known) > 1:
            assert answer.gaps[name].size == max(known) - min(known)
            assert found[tuple(answer.gaps[name].high.values())][name] == max(known)
            assert found[tuple(answer.gaps[name].low.values())][name] == min(known)
    hinging = fairness(odd, names, label=label, exact=True).hinging
    weight = sum(
        sum(masses(model, i).values())
        for i in oracle.instances(model)
        if hinging.classify([{n: i[n] for n in hinging.order}])[0] == HINGES
    )
    assert answer.probability == weight / everybody


def ranks(model, names):
    values = {v.name: v.values for v in model.variables}
    return lambda group: [values[n].index(v) for n, v in zip(names, group, strict=True)]


@given(model=with_attributes(naive_bayes()), data=st.data())
@settings(max_examples=45, deadline=None)
def test_contributions_are_those_of_the_definition_and_add_up_to_the_gap(model, data):
    odd = oddly.compile(model, "random:2")
    names = some(model, data, most=2)
    answer = fairness(odd, names, exact=True)
    others = [v for v in model.variables if v.name not in names]
    if "rate" not in answer.gaps:
        assert not answer.contributions
        return
    gap = answer.gaps["rate"]
    assert {c.attribute for c in answer.contributions} == {v.name for v in others}
    sides = [shares(model, odd, group) for group in (gap.high, gap.low)]
    mean = sum(r for r, _ in sides) / 2
    for v in others:
        found = {c.value: c for c in answer.through(v.name)}
        assert sum(c.total for c in found.values()) == gap.size
        for value in v.values:
            (p, r), (q, s) = (cells[v.name, value] for _, cells in sides)
            assert found[value].shares == (p, q)
            assert found[value].rates == (r, s)
            r, s = (s if r is None else r), (r if s is None else s)
            assert found[value].composition == ((p - q) * ((r + s) / 2 - mean) if r is not None else 0)
            assert found[value].decision == ((r - s) * (p + q) / 2 if r is not None else 0)
    common = [
        min(sides[0][1][c.attribute, c.value][0], sides[1][1][c.attribute, c.value][0]) == 1
        for c in answer.contributions
    ]
    assert common == sorted(common)  # what everybody has comes last
    sizes = [abs(c.total) for c, shared in zip(answer.contributions, common, strict=True) if not shared]
    assert all(a >= b - Fraction(1, 10**12) for a, b in pairwise(sizes))


def test_a_gap_does_not_arise_through_what_everybody_has(capsys, tmp_path):
    model = oddly.examples.pregnancy()
    idle = CPT("same", ["s"], {"yes": [1], "no": [1]})
    path = tmp_path / "m.json"
    oddly.write(model.replace(attributes=[idle, *model.attributes]), path)
    answer = fairness(oddly.read(path), "B")
    assert [c.attribute for c in answer.contributions] == ["S", "U", "U", "S", "same"]
    assert main(["fair", str(path), "--protected", "B"]) == 1
    shown = capsys.readouterr().out.split("arises, the greatest first")[1]
    assert "S=-ve" in shown
    assert "same" not in shown


def shares(model, odd, group):
    """The rate of a group; and by attribute and value, its share of the group and its rate within it."""
    inside = [i for i in oracle.instances(model) if group.items() <= i.items()]
    weight = [sum(masses(model, i).values()) for i in inside]
    yes = [label_of(model, odd, i) == odd.labels[1] for i in inside]
    cells = {}
    for v in model.variables:
        for value in v.values:
            of = [k for k, i in enumerate(inside) if i[v.name] == value]
            mass, favoured = sum(weight[k] for k in of), sum(weight[k] for k in of if yes[k])
            cells[v.name, value] = (mass / sum(weight), part(favoured, mass))
    return sum(w for w, y in zip(weight, yes, strict=True) if y) / sum(weight), cells


@given(model=with_attributes(naive_bayes()), data=st.data())
@settings(max_examples=25, deadline=None)
def test_floats_agree_with_fractions(model, data):
    names = some(model, data)
    exactly, roughly = (fairness(model, names, exact=exact) for exact in (True, False))
    assert roughly.probability == pytest.approx(float(exactly.probability))
    for a, b in zip(exactly.groups, roughly.groups, strict=True):
        assert b.rate == pytest.approx(float(a.rate))
        assert b.share == pytest.approx(float(a.share))
    for name, gap in exactly.gaps.items():
        assert roughly.gaps[name].size == pytest.approx(float(gap.size), abs=1e-12)
    for name in {c.attribute for c in roughly.contributions}:
        assert sum(c.total for c in roughly.through(name)) == pytest.approx(float(exactly.gaps["rate"].size), abs=1e-12)


def test_a_scorecard_has_no_distribution_but_the_uniform_one():
    card = Scorecard([Points("sex", ["f", "m"], [0, 1]), Points("income", ["low", "high"], [0, 2])], cutoff=3)
    answer = fairness(card, "sex")
    assert [(g.values["sex"], g.rate) for g in answer.groups] == [("f", 0), ("m", Fraction(1, 2))]
    assert set(answer.gaps) == {"rate"}
    assert answer.groups[0].true_positives is None
    with pytest.raises(Unsupported, match="says nothing about how probable"):
        fairness(card, "sex", under="model")


def test_another_model_may_be_the_truth():
    truth = FIGURE_1.replace(prior=["1/2", "1/2"])
    odd = oddly.compile(FIGURE_1)
    answer = fairness(odd, "U", under=truth)
    expected = by_definition(truth, odd, ["U"], "yes", {"yes"})
    assert False in [oracle.decides(truth, i) == oracle.decides(FIGURE_1, i) for i in oracle.instances(truth)]
    for g in answer.groups:
        decided_yes = sum(
            sum(masses(truth, i).values())
            for i in oracle.instances(truth)
            if i["U"] == g.values["U"] and oracle.decides(FIGURE_1, i)
        )
        assert g.rate == decided_yes / expected[(g.values["U"],)]["all"]


# ---- networks ----


@given(classifier=networks.network_classifiers(evidence=False), data=st.data())
@settings(max_examples=30, deadline=None)
def test_under_a_network_groups_may_be_of_variables_it_does_not_read(classifier, data):
    names = [n.name for n in classifier.network.nodes if n.name != classifier.class_name]
    if not names:
        return
    protected = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    odd = oddly.compile(classifier)
    label = odd.labels[-1]
    answer = fairness(classifier, protected, label=label, exact=True)
    wide = classifier.replace(attributes=[*odd.columns, *(p for p in protected if p not in odd.columns)])
    table = networks.joint(wide)
    decisions, _ = networks.decisions(classifier)
    read, positive = len(odd.columns), {label} if label in classifier.class_values else set()
    true = positive or set(classifier.class_values) - {classifier.positive}
    values = [wide.network.node(n).values for n in wide.attributes]
    found = {}
    for place in np.ndindex(*table.shape[:-1]):
        group = tuple(values[wide.attributes.index(p)][place[wide.attributes.index(p)]] for p in protected)
        m = found.setdefault(group, Counter())
        is_label = odd.labels[decisions[place[:read]]] == label
        for c, mass in zip(classifier.class_values, table[place], strict=True):
            m["all"] += mass
            m["labelled"] += mass * is_label
            m["true"] += mass * (c in true)
            m["hits"] += mass * (c in true) * is_label
    assert len(answer.groups) == sum(bool(m["all"]) for m in found.values())
    for g in answer.groups:
        m = found[tuple(g.values.values())]
        assert g.rate == m["labelled"] / m["all"]
        assert g.true_positives == part(m["hits"], m["true"])
        assert g.false_positives == part(m["labelled"] - m["hits"], m["all"] - m["true"])
    if "rate" in answer.gaps:
        for name in {c.attribute for c in answer.contributions}:
            assert sum(c.total for c in answer.through(name)) == answer.gaps["rate"].size


def test_who_is_not_asked_may_still_be_decided_differently():
    """The sex is not read, but the job is, and goes with it."""
    network = Network(
        [
            Node("sex", ["f", "m"], [], [["1/2", "1/2"]]),
            Node("job", ["yes", "no"], ["sex"], [["1/2", "1/2"], ["3/4", "1/4"]]),
            Node("pays", ["yes", "no"], ["job"], [["0.9", "0.1"], ["0.3", "0.7"]]),
        ]
    )
    answer = fairness(NetworkClassifier(network, "pays", ["job"], "yes"), "sex")
    assert answer
    assert answer.gaps["rate"].size == Fraction(1, 4)
    assert [(c.value, c.composition, c.decision) for c in answer.through("job")] == [
        ("no", Fraction(5, 32), 0),
        ("yes", Fraction(3, 32), 0),
    ]
    assert repr(answer) == (
        "No decision hinges on sex: none of 2 instances would be decided otherwise with other values. Decided yes under "
        "the model: 0.5 where sex=f, 0.75 where sex=m. Gaps: rate 0.25, true positive rate 0.15, "
        "false positive rate 0.175, precision 0."
    )


# ---- tables ----


@given(model=with_attributes(classifiers()), data=st.data())
@settings(max_examples=50, deadline=None)
def test_on_a_table_all_is_as_counting_says(model, data):
    odd = oddly.compile(model)
    cells = st.fixed_dictionaries({v.name: st.sampled_from(v.values) for v in model.variables})
    people = data.draw(st.lists(cells, min_size=1, max_size=25))
    people = [p | {"club": data.draw(st.sampled_from(["x", "y"]))} for p in people]
    truth = [data.draw(st.sampled_from([*model.class_values, None])) for _ in people]
    names = [*some(model, data, most=1), *data.draw(st.sampled_from([["club"], []]))]
    table = [p | {model.class_name: t} for p, t in zip(people, truth, strict=True)]
    answer = fairness(odd, names, under=table)
    yes = [oracle.decides(model, p) for p in people]
    for g in answer.groups:
        inside = [k for k, p in enumerate(people) if g.values.items() <= p.items()]
        known = [k for k in inside if truth[k] is not None]
        right = [k for k in known if truth[k] == model.positive]
        assert g.share == Fraction(len(inside), len(people))
        assert g.rate == Fraction(sum(yes[k] for k in inside), len(inside))
        assert g.true_positives == ratio(sum(yes[k] for k in right), len(right))
        wrong = [k for k in known if truth[k] != model.positive]
        assert g.false_positives == ratio(sum(yes[k] for k in wrong), len(wrong))
        assert g.precision == ratio(sum(yes[k] for k in right), sum(yes[k] for k in known))
    assert sum(g.share for g in answer.groups) == 1
    for name in {c.attribute for c in answer.contributions}:
        assert sum(c.total for c in answer.through(name)) == answer.gaps["rate"].size
    contexts = {}
    for i in oracle.instances(model):
        context = tuple(v for n, v in i.items() if n not in names)
        contexts.setdefault(context, set()).add(oracle.decides(model, i))
    hinging = [len(contexts[tuple(p[v.name] for v in model.variables if v.name not in names)]) > 1 for p in people]
    assert answer.probability == Fraction(sum(hinging), len(people))


def ratio(a, b):
    return Fraction(a, b) if b else None


def test_the_class_may_be_in_any_column_or_in_none(tmp_path):
    table = {"U": ["+ve", "-ve"], "B": ["+ve", "+ve"], "S": ["-ve", "-ve"], "later": ["yes", "no"], "odd": ["1", "0"]}
    assert fairness(FIGURE_1, "U", under=table).groups[0].true_positives is None
    assert fairness(FIGURE_1, "U", under=table, target="later").groups[0].true_positives == 1
    with pytest.raises(UnknownName, match="no column 'never'"):
        fairness(FIGURE_1, "U", under=table, target="never")
    with pytest.raises(UnknownValue, match="row 1: odd=1.  odd is one of yes, no."):
        fairness(FIGURE_1, "U", under=table, target="odd")
    with pytest.raises(UnknownName, match="no column 'B'"):
        fairness(FIGURE_1, "U", under={"U": ["+ve"]})
    with pytest.raises(UnknownName, match="expected 'model', 'uniform' or a file of rows"):
        fairness(FIGURE_1, "U", under="nowhere.csv")


def test_a_missing_cell_of_a_column_that_is_not_read_is_a_group_of_its_own():
    table = {"U": ["+ve"] * 2, "B": ["+ve"] * 2, "S": ["-ve"] * 2, "sex": ["f", None]}
    assert [g.values["sex"] for g in fairness(FIGURE_1, "sex", under=table).groups] == ["?", "f"]


# ---- asking wrongly, and the command ----


def test_what_makes_no_sense_is_said():
    with pytest.raises(ModelError, match="expected an attribute"):
        fairness(FIGURE_1, [])
    with pytest.raises(ModelError, match="'U' stands twice"):
        fairness(FIGURE_1, ["U", "U"])
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        fairness(FIGURE_1, "X")
    with pytest.raises(UnknownValue, match="P=maybe"):
        fairness(FIGURE_1, "U", label="maybe")
    board = oddly.compile(
        NaiveBayes("C", ["a", "b", "c"], ["1/3"] * 3, [CPT("x", ["0", "1"], {c: ["1/2", "1/2"] for c in "abc"})])
    )
    with pytest.raises(Unsupported, match="there are 3 decisions; say which one groups are compared by: label='a'"):
        fairness(board, "x")
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        fairness(FIGURE_1, "U").through("X")


def test_a_target_without_rows_is_refused():
    with pytest.raises(ModelError, match="is a column of rows"):
        fairness(oddly.examples.pregnancy(), "B", target="P")


def test_all_attributes_may_be_protected():
    answer = fairness(FIGURE_1, ["U", "B", "S"])
    assert (answer.count, answer.probability, answer.contributions) == (8, 1, ())
    table = {"U": ["+ve"], "B": ["+ve"], "S": ["-ve"]}
    assert fairness(FIGURE_1, ["U", "B", "S"], under=table).probability == 1


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main(["fair", *arguments]) == code
        return capsys.readouterr()

    return run


def test_the_exit_code_is_the_verdict(run, tmp_path):
    out = run("example:pregnancy", "--protected", "B", code=1).out
    assert out.startswith("Decisions hinge on B: 2 of 8 instances")
    assert "S=-ve +0.2506" in " ".join(out.split())
    found = json.loads(run("example:pregnancy", "--protected", "B", "--protected", "U", "--json", code=1).out)
    assert (found["count"], len(found["groups"]), found["holds"]) == ("4", 4, False)
    exactly = json.loads(run("example:pregnancy", "--protected", "B", "--json", "--exact", code=1).out)
    assert Fraction(exactly["gaps"]["rate"]["size"]) == fairness(FIGURE_1, "B").gaps["rate"].size
    (tmp_path / "rows.csv").write_text("U,B,S,P,sex\n+ve,+ve,-ve,yes,f\n-ve,-ve,-ve,no,m\n")
    out = run("example:pregnancy", "--protected", "sex", "--under", "rows.csv").out
    assert out.startswith("No decision hinges on sex")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "group part of all rate true positive rate false positive rate precision" in lines
    assert "sex=f 0.5 1 1 – 1" in lines
    assert "no attribute 'X'" in run("example:pregnancy", "--protected", "X", code=2).err
    assert "--list" in run("example:pregnancy", "--protected", "B", "--list", "-1", code=2).err


def test_instances_are_counted_beyond_any_word():
    card = Scorecard([Points(f"A{i}", ["0", "1"], [0, 1]) for i in range(100)], cutoff=50)
    answer = fairness(card, ["A0", "A1"], under="uniform")
    assert answer.count == 4 * (comb(98, 48) + comb(98, 49))
    assert answer.probability == Fraction(answer.count, 2**100)
    assert json.loads(json.dumps(answer.to_json()))["count"] == str(answer.count)
    assert prod([2] * 100) == answer.instances
