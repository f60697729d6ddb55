# SPDX-License-Identifier: Apache-2.0
"""How many, how likely, and which: counts, probabilities, samples and lists, against plain enumeration."""

import json
from collections import Counter
from fractions import Fraction
from itertools import islice, pairwise, product
from math import comb, prod, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, NaiveBayes, Points, Scorecard, UnknownName, UnknownValue, Unsupported
from oddly.cli import main
from oddly.diagram.passes.semirings import WHOLES
from oddly.diagram.passes.sweep import down
from oddly.distribution import listing
from oddly.distribution.listing import instances
from oddly.distribution.masses import probability_of
from oddly.distribution.measure import Mixture, Product, measure_of, of_model, uniform
from oddly.distribution.sampling import sample, sample_indices
from oddly.questions.count import count
from strategies import classifiers, naive_bayes

FIGURE_1 = oddly.examples.pregnancy()


def joint(model, instance):
    """Pr(class value, instance) for each class value, by the definition."""
    rows = [(a.given, a.values.index(instance[a.name])) for a in model.attributes]
    return [
        prior * prod((given[c][at] for given, at in rows), start=Fraction(1))
        for c, prior in zip(model.class_values, model.prior, strict=True)
    ]


def label_of(model, instance):
    return model.labels[oracle.decides(model, instance)]


@st.composite
def some_known(draw, model):
    """A partial assignment of at most two attributes."""
    names = [v.name for v in model.variables]
    chosen = draw(st.sets(st.sampled_from(names), max_size=2)) if names else set()
    return {v.name: draw(st.sampled_from(v.values)) for v in model.variables if v.name in chosen}


def agreeing(model, known):
    return [i for i in oracle.instances(model) if all(i[k] == v for k, v in known.items())]


# ---- how many ----


@given(model=classifiers(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_counts_are_those_of_enumeration_whatever_is_known(model, data):
    known = data.draw(some_known(model))
    answer = count(oddly.compile(model, "random:3"), given=known)
    truth = Counter(label_of(model, i) for i in agreeing(model, known))
    assert answer.counts == {label: truth[label] for label in model.labels}
    assert answer.instances == len(agreeing(model, known))
    assert count(model, model.labels[1], given=known).counts == {model.labels[1]: truth[model.labels[1]]}


def test_counts_go_beyond_any_machine_word():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [1, 0]) for i in range(200)], cutoff=100)
    answer = count(card, given={"A7": "x", "A150": "y"})
    assert answer["yes"] == sum(comb(198, k) for k in range(99, 199))
    assert answer.to_json()["counts"]["yes"] == str(answer["yes"])
    assert answer.probability["yes"] == pytest.approx(answer["yes"] / 2**198)


def test_every_small_scorecard_counts_and_lists_as_enumeration_does():
    for size in range(4):
        for points in product(range(-2, 3), repeat=size):
            card = Scorecard([Points(f"A{i}", ["x", "y"], [p, 0]) for i, p in enumerate(points)], cutoff=1)
            odd = oddly.compile(card, "as-given")
            for label in odd.labels:
                members = [i for i in oracle.instances(card) if label_of(card, i) == label]
                assert count(odd)[label] == len(members)
                assert [i for i, _ in instances(odd, label)] == members


# ---- how likely ----


@given(model=naive_bayes(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_exact_probabilities_are_the_fractions_of_enumeration(model, data):
    known = data.draw(some_known(model))
    weights = [(label_of(model, i), joint(model, i)) for i in agreeing(model, known)]
    total = sum((sum(js) for _, js in weights), Fraction(0))
    answer = count(oddly.compile(model, "random:1"), given=known, exact=True)
    assert answer.evidence == total
    if total == 0:
        assert answer.probability is None
        assert "impossible" in repr(answer)
        return
    for label in model.labels:
        assert answer.probability[label] == sum(sum(js) for found, js in weights if found == label) / total
        for c, value in enumerate(model.class_values):
            mass = sum(js[c] for _, js in weights)
            if mass:
                right = sum(js[c] for found, js in weights if found == label)
                assert answer.by_class[value][label] == right / mass
            else:
                assert value not in answer.by_class
    right = sum(js[model.class_values.index(found)] for found, js in weights)
    assert answer.accuracy == right / total


@given(model=naive_bayes())
@settings(max_examples=100, deadline=None)
def test_floats_stay_within_the_stated_error(model):
    odd = oddly.compile(model)
    bound = (sum(b + 1 for b in odd.arities) + 4) * 2.0**-53
    exact, fast = count(odd, exact=True), count(odd)
    for label in odd.labels:
        assert abs(Fraction(fast.probability[label]) - exact.probability[label]) <= exact.probability[label] * bound
    assert 0 <= fast.accuracy <= 1


def test_the_pregnancy_tests_are_right_with_probability_095():
    answer = count(FIGURE_1, exact=True)
    by_hand = sum(joint(FIGURE_1, i)[0 if oracle.decides(FIGURE_1, i) else 1] for i in oracle.instances(FIGURE_1))
    assert answer.accuracy == by_hand
    assert round(float(by_hand), 4) == 0.9509
    assert repr(answer) == (
        "Of 8 instances: 5 yes, 3 no. Under the model: yes 0.8264, no 0.1736; where P=yes: yes 0.9467, no 0.05328; "
        "where P=no: yes 0.02123, no 0.9788. If the model is true, 0.9509 of the decisions are right."
    )


def test_a_table_that_misses_one_by_a_millionth_still_gives_probabilities():
    cpt = CPT("A", ["x", "y"], {"yes": ["0.3333333", "0.6666666"], "no": ["0.5", "0.5"]})
    model = NaiveBayes("C", ["yes", "no"], ["0.4", "0.6"], [cpt])
    assert sum(count(model, exact=True).probability.values()) == 1
    assert sum(p for _, p in instances(model)) == pytest.approx(1, abs=1e-15)


@given(model=classifiers(), data=st.data())
@settings(max_examples=50, deadline=None)
def test_uniform_probabilities_are_shares_of_the_counts(model, data):
    known = data.draw(some_known(model))
    answer = count(model, given=known, under="uniform", exact=True)
    assert answer.probability == {label: Fraction(n, answer.instances) for label, n in answer.counts.items()}
    assert answer.accuracy is None
    assert answer.evidence == Fraction(answer.instances, len(oracle.instances(model)))


def test_a_scorecard_has_no_distribution_of_its_own():
    card = Scorecard([Points("A", ["x", "y"], [1, 0])], cutoff=1)
    assert count(card).under == "the uniform distribution"
    with pytest.raises(Unsupported, match="a scorecard says nothing about how probable"):
        count(card, under="model")


def test_another_model_can_weigh_a_scorecard():
    card = Scorecard([Points(n, ["+ve", "-ve"], [1, 0]) for n in "SUB"], cutoff=2, class_name="P")
    answer = count(card, under=FIGURE_1, exact=True)
    members = [i for i in oracle.instances(card) if oracle.decides(card, i)]
    assert answer.probability["yes"] == sum(sum(joint(FIGURE_1, i)) for i in members)
    right = sum(joint(FIGURE_1, i)[0 if oracle.decides(card, i) else 1] for i in oracle.instances(card))
    assert answer.accuracy == right


def test_rows_weigh_as_often_as_they_stand(tmp_path):
    rows = sample(FIGURE_1, 500, under="model", seed=4)
    decided = Counter(label_of(FIGURE_1, row) for row in rows)
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    odd = oddly.compile(FIGURE_1, ["S", "U", "B"])
    for under in (rows, pd.DataFrame(rows), odd.encode(rows), tmp_path / "rows.csv", str(tmp_path / "rows.csv")):
        answer = count(odd, under=under, exact=True)
        assert answer.probability == {label: Fraction(decided[label], 500) for label in odd.labels}
        known = count(odd, given={"U": "-ve"}, under=under, exact=True)
        kept = [row for row in rows if row["U"] == "-ve"]
        assert known.probability["yes"] == Fraction(sum(label_of(FIGURE_1, r) == "yes" for r in kept), len(kept))
        assert known.evidence == Fraction(len(kept), 500)
        listed = list(instances(odd, "no", under))
        truth = Counter(tuple(r.values()) for r in rows if label_of(FIGURE_1, r) == "no")
        assert [round(p * 500) for _, p in listed] == sorted(truth.values(), reverse=True)
        assert all(label_of(FIGURE_1, i) == "no" for i in sample(odd, 50, "no", under))


def test_a_restricted_diagram_gives_what_given_gives():
    odd = oddly.compile(FIGURE_1)
    rest, known = count(odd.restrict(U="+ve"), exact=True), count(odd, given={"U": "+ve"}, exact=True)
    assert (rest.counts, rest.probability, rest.accuracy) == (known.counts, known.probability, known.accuracy)
    assert rest.by_class == known.by_class


@given(model=naive_bayes())
@settings(max_examples=50, deadline=None)
def test_downward_masses_are_the_probabilities_of_reaching_a_node(model):
    odd = oddly.compile(model)
    for part in of_model(model, odd.variables).products:
        rows, scale = part.integers()
        for depth, found in enumerate(down(odd.levels, odd.root, len(odd.labels), rows, WHOLES.over(object))):
            reached = Counter()
            for prefix in product(*(range(b) for b in odd.arities[:depth])):
                node = odd.root
                for level, value in zip(odd.levels, prefix, strict=False):
                    node = int(level[node, value])
                reached[node] += prod(int(row[v]) for row, v in zip(rows, prefix, strict=False))
            assert found.tolist() == [reached[node] for node in range(len(found))]
        assert found.sum() == scale * part.mass / part.weight if part.weight else True


def test_a_diagram_without_a_model_says_so():
    odd = oddly.compile(FIGURE_1)
    bare = oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places)
    assert count(bare).under == "the uniform distribution"
    with pytest.raises(Unsupported, match="combined from others"):
        count(bare, under="model")
    assert probability_of(bare, "yes", measure_of(odd), exact=True) == count(odd, exact=True).probability["yes"]
    missing = NaiveBayes("C", ["yes", "no"], ["0.5", "0.5"], FIGURE_1.attributes[:2])
    with pytest.raises(Unsupported, match="no attribute S"):
        count(bare, under=missing)


def test_what_is_not_there_is_named():
    for ask in (
        count,
        lambda m, label=None, **k: list(instances(m, label, **k)),
        lambda m, *a, **k: sample(m, 1, *a, **k),
    ):
        with pytest.raises(UnknownName, match="no attribute 'X'"):
            ask(FIGURE_1, given={"X": "+ve"})
        with pytest.raises(UnknownValue, match="U=maybe"):
            ask(FIGURE_1, given={"U": "maybe"})
        with pytest.raises(UnknownValue, match="P=maybe"):
            ask(FIGURE_1, "maybe")
        with pytest.raises(UnknownName, match="expected 'model', 'uniform' or a file of rows"):
            ask(FIGURE_1, under="modle")


# ---- some of them ----


def fits(found, expected):
    """A chi-square so generous that only a wrong sampler misses it."""
    assert set(found) <= {key for key, p in expected.items() if p}
    k = sum(found.values())
    possible = {key: float(p) for key, p in expected.items() if p}
    statistic = sum((found[key] - k * p) ** 2 / (k * p) for key, p in possible.items())
    assert statistic <= len(possible) + 6 * sqrt(2 * len(possible)) + 6


@given(model=classifiers(), data=st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_draws_come_as_often_as_they_should(model, data):
    odd = oddly.compile(model, "random:2")
    label = data.draw(st.sampled_from([None, *odd.labels]))
    known = data.draw(some_known(model))
    under = data.draw(st.sampled_from(["uniform", "model"] if isinstance(model, NaiveBayes) else ["uniform"]))
    members = [i for i in agreeing(model, known) if label in (None, label_of(model, i))]
    weights = {tuple(i.values()): sum(joint(model, i)) if under == "model" else Fraction(1) for i in members}
    total = sum(weights.values(), Fraction(0))
    if not total:
        with pytest.raises(Unsupported, match="there is no instance to draw"):
            sample(odd, 1, label, under, given=known)
        return
    drawn = sample(odd, 4000, label, under, given=known, seed=11)
    fits(Counter(tuple(i.values()) for i in drawn), {key: w / total for key, w in weights.items()})


def test_draws_from_more_instances_than_a_machine_word_counts():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [1, 0]) for i in range(200)], cutoff=100)
    odd = oddly.compile(card)
    codes = sample_indices(odd, 4000, "yes")
    assert odd.decide(codes).all()
    found = Counter((codes == 0).sum(axis=1).tolist())
    total = odd.count("yes")
    tail = {k: comb(200, k) for k in range(100, 111)}
    expected = {k: Fraction(n, total) for k, n in tail.items()}
    for k, p in expected.items():
        assert abs(found[k] - 4000 * p) < 6 * sqrt(4000 * p)
    halves = codes[:, :100].sum() - codes[:, 100:].sum()
    assert abs(int(halves)) < 6 * sqrt(4000 * 200 / 4) * 2


def test_the_same_seed_draws_the_same():
    odd = oddly.compile(oddly.examples.tic_tac_toe())
    for under in ("uniform", "model"):
        first = sample_indices(odd, 50, "positive", under, seed=5)
        assert np.array_equal(first, sample_indices(odd, 50, "positive", under, seed=5))
        assert not np.array_equal(first, sample_indices(odd, 50, "positive", under, seed=6))
    assert sample(odd, 0) == []
    with pytest.raises(oddly.ModelError, match="expected how many to draw, found -1"):
        sample(odd, -1)


# ---- which, the most probable first ----


@given(model=naive_bayes(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_list_is_the_sorted_enumeration(model, data):
    known = data.draw(some_known(model))
    label = data.draw(st.sampled_from([None, *model.labels]))
    weights = {tuple(i.values()): sum(joint(model, i)) for i in agreeing(model, known)}
    members = {tuple(i.values()) for i in agreeing(model, known) if label in (None, label_of(model, i))}
    total = sum(weights.values())
    found = instances(oddly.compile(model, "random:4"), label, given=known)
    if not total:
        with pytest.raises(Unsupported, match="what is given is impossible"):
            next(found)
        return
    found = [(tuple(i.values()), p) for i, p in found]
    assert Counter(i for i, _ in found) == Counter(members)
    assert all(p == pytest.approx(float(weights[i] / total), rel=1e-12) for i, p in found)
    exact = [weights[i] for i, _ in found]
    assert all(a >= b * (1 - Fraction(1, 10**11)) for a, b in pairwise(exact))


@given(model=naive_bayes())
@settings(max_examples=60, deadline=None)
def test_a_uniform_list_is_in_the_order_of_the_values(model):
    odd = oddly.compile(model, "as-given")
    members = [i for i in oracle.instances(model) if label_of(model, i) == odd.labels[0]]
    assert list(instances(odd, odd.labels[0], "uniform")) == [(i, 1 / odd.instances) for i in members]


@given(model=naive_bayes())
@settings(max_examples=60, deadline=None)
def test_loose_bounds_list_the_same(model):
    odd = oddly.compile(model)
    label = odd.labels[1]
    truth = [p for _, p in instances(odd, label)]
    measure = of_model(model, odd.variables)
    halves = [Product(part.weight / 2, part.rows) for part in measure.products for _ in range(2)]
    four = [p for _, p in instances(odd, label, Mixture("four products", tuple(halves)))]
    most, listing.MOST_CORNERS = listing.MOST_CORNERS, 1
    try:
        corners = [p for _, p in instances(odd, label)]
    finally:
        listing.MOST_CORNERS = most
    assert four == pytest.approx(truth)
    assert corners == pytest.approx(truth)


def test_a_list_begins_at_once_where_nearly_everything_ties():
    r = np.random.default_rng(1)
    halves = [CPT(f"A{i}", ["x", "y"], {"yes": ["1/2", "1/2"], "no": ["1/2", "1/2"]}) for i in range(40)]
    rest = [CPT(f"B{i}", ["x", "y"], {c: [p := float(r.random()), 1 - p] for c in ("yes", "no")}) for i in range(12)]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], halves + rest)
    listed = list(islice(instances(model, "yes"), 100))
    assert len({tuple(i.values()) for i, _ in listed}) == 100
    assert listed[0][1] == pytest.approx(listed[-1][1])


def test_a_uniform_measure_can_be_passed_as_it_is():
    odd = oddly.compile(FIGURE_1)
    assert len(list(instances(odd, "yes", uniform(odd.variables)))) == 5


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main([str(a) for a in arguments]) == code
        return capsys.readouterr()

    return run


def test_the_command_prints_what_the_library_answers(run):
    out = run("count", "example:pregnancy", "U=+ve", "--list", 2, "--sample", 3).out
    assert "instances  4 with U=+ve" in out
    assert "yes               3        75.0%       0.9458" in out
    assert "U=+ve, B=+ve, S=+ve  yes" in out
    assert out.count("U=+ve, B=") == 5


def test_the_command_prints_json(run):
    oddly.write(FIGURE_1, "m.json")
    found = json.loads(run("count", "m.json", "S=-ve", "--label", "no", "--list", 9, "--sample", 2, "--json").out)
    assert found["counts"] == {"no": "3"}
    assert found["instances"] == "4"
    assert [case["decision"] for case in found["list"] + found["sample"]] == ["no"] * 5
    assert sum(case["probability"] for case in found["list"]) == pytest.approx(found["probability"]["no"])
    exact = json.loads(run("count", "m.json", "--exact", "--json", "--under", "uniform").out)
    assert exact["probability"]["yes"] == "0.625"
    listed = json.loads(run("count", "m.json", "S=-ve", "--list", 9, "--exact", "--json").out)
    assert sum(Fraction(case["probability"]) for case in listed["list"]) == 1  # given what is known
    assert (
        Fraction(listed["list"][0]["probability"])
        == max(count(FIGURE_1, given={"S": "-ve", **case["instance"]}, exact=True).evidence for case in listed["list"])
        / count(FIGURE_1, given={"S": "-ve"}, exact=True).evidence
    )


def test_the_command_weighs_by_rows(run):
    with open("rows.csv", "w") as file:
        file.write("U,B,S,more\n+ve, +ve,-ve,1\n+ve,-ve,-ve,2\n-ve,-ve,-ve,3\n")
    found = json.loads(run("count", "example:pregnancy", "--under", "rows.csv", "--json").out)
    assert found["probability"]["yes"] == pytest.approx(1 / 3)
    assert found["under"] == "the rows of rows.csv"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--under", "nowhere.csv"], "nowhere.csv"),
        (["U=maybe"], "U is one of"),
        (["U"], "NAME=VALUE"),
        (["--no-such"], "--no-such"),
        (["--sample", "-1"], "--sample"),
        (["--label", "maybe"], "maybe"),
    ],
)
def test_the_command_names_what_is_wrong(run, arguments, says):
    assert says in run("count", "example:pregnancy", *arguments, code=2).err
