# SPDX-License-Identifier: Apache-2.0
"""Probabilities that floats cannot hold, or cannot tell from one: tables, their certificates and ranges are exact all the same."""

import warnings
from dataclasses import replace
from fractions import Fraction
from math import inf, log, log1p

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import decisions, every, joint, network_classifiers
from oddly import CPT, NaiveBayes
from oddly.diagram.sources import Tabled
from oddly.engine import slices
from oddly.engine.slices import Slices
from oddly.engine.table import decide_table
from oddly.model import Network, NetworkClassifier, Node
from test_allowed_hidden import entries, with_entry

SIZES = (1, 1, 20, 150, 300, 310, 330, 400)  # powers of ten


@st.composite
def extreme(draw):
    """Classifiers whose numbers lie hundreds of powers of ten apart, their zeros and ties as they were."""
    model = draw(network_classifiers())

    def moved(row):
        most = max(row)
        small = [p and p / 10 ** draw(st.sampled_from(SIZES)) for p in row]
        at = row.index(most)
        return [1 - (sum(small) - small[at]) if i == at else p for i, p in enumerate(small)]

    nodes = [Node(n.name, n.values, n.parents, [moved(row) for row in n.table]) for n in model.network.nodes]
    edge = draw(st.sampled_from([model.threshold, Fraction(1, 10**30), 1 - Fraction(1, 10**320), Fraction(2, 10**400)]))
    return model.replace(network=Network(nodes), threshold=edge)


def tabled(model):
    """The model's diagram, its instances decided one by one, and the proof."""
    places = tuple(range(len(model.attributes)))
    levels, root, proof = decide_table(model, places)
    source = Tabled(model, "negative", replace(proof.certificate, many=model.positive is None))
    return oddly.ODD(model.variables, model.labels, tuple(levels), root, places, source), proof


def closest(model):
    """The least distance of two sides that are possible, by the definition."""
    found = inf
    for masses in joint(model).reshape(-1, len(model.class_values)):
        sides = sorted(masses)[-2:]
        if model.positive is not None:
            own, p = masses[model.class_values.index(model.positive)], model.threshold
            sides = sorted([own * (1 - p), (sum(masses) - own) * p])
        if sides[0]:
            ratio = Fraction(sides[1]) / sides[0]
            near = ratio < 2
            found = min(found, log1p(float(ratio - 1)) if near else log(ratio.numerator) - log(ratio.denominator))
    return found


@given(extreme())
@settings(max_examples=50, deadline=None)
def test_a_table_of_extreme_numbers_is_exact_and_says_how_close_instances_come(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd, proof = tabled(model)
    labels, ties = decisions(model)
    assert [model.labels.index(v) for v in odd.classify(every(labels.shape))] == labels.reshape(-1).tolist()
    assert proof.ties == ties
    assert proof.closest == pytest.approx(closest(model), rel=1e-9, abs=proof.error)


@given(extreme(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_extreme_numbers_move_up_to_their_ends(model, random):
    assume(joint(model).size <= 24)
    odd, _ = tabled(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = oddly.allowed(odd)
    numbers = [
        (found, sum(numbers_), lambda q, where=(name, row, at): with_entry(model, *where, q))
        for name, row, at, numbers_, found in entries(model, answer)
        if found is not None
    ]
    numbers = random.sample(numbers, min(2, len(numbers)))
    if model.positive is not None and answer.threshold is not None:
        numbers.append((answer.threshold.probability, 1, lambda p: model.replace(threshold=p)))
    before, _ = decisions(model)
    for found, total, change in numbers:
        low, high = found.exact
        for end in (low, high):
            step = min(end, total - end, high - low or end) / 10**600 or Fraction(1, 10**999)
            for q in (end - step, end, end + step):
                if 0 < q < total:
                    assert np.array_equal(decisions(change(q))[0], before) == (q in found)


@pytest.mark.parametrize("power", [1, 12, 40, 200, 400])
def test_the_closest_instance_is_as_far_as_it_is_and_not_infinitely_far(power):
    small = Fraction(1, 10**power)
    rows = {c: [small, 1 - small] if c == "a" else [1 - small, small] for c in "abc"}
    model = NaiveBayes("C", ["a", "b", "c"], ["1/3"] * 3, [CPT("A", ["x", "y"], rows)], "a", "1/3")
    assert oddly.compile(model).certificate.closest == pytest.approx(log(10) * power + log(1 - small), rel=1e-12)


def long_chain(length, values):
    """A class, hidden variables one after the other that all but forget it, and two attributes at the end."""
    names = [f"v{i}" for i in range(values)]
    most = [[Fraction(1, values - 1) if v != row else Fraction(0) for v in range(values)] for row in range(values)]
    nodes = [Node("C", ["a", "b", "c"], [], [["1/2", "1/4", "1/4"]]), Node("H0", names, ["C"], most[:3])]
    nodes += [Node(f"H{i}", names, [f"H{i - 1}"], most) for i in range(1, length)]
    some = [["0", "1"] if v % 2 else ["1/2", "1/2"] for v in range(values)]
    nodes.append(Node("A", ["0", "1"], [f"H{length - 1}"], some))
    nodes.append(Node("B", ["0", "1"], ["C"], [["1/2", "1/2"], ["1/4", "3/4"], ["0", "1"]]))
    return Network(nodes).classifier("C", "a", threshold="1/3", attributes=["A", "B"])


def test_sums_that_would_overflow_are_done_in_whole_numbers():
    model = long_chain(330, 8)  # 7^330 terms of the same size: 2^926
    assert Slices(model, (0, 1), 1 << 30).floor == inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd = oddly.compile(model)
    for row in every((2, 2)):
        posterior = model.posterior({"A": str(row[0]), "B": str(row[1])})
        assert odd.classify(row[None])[0] == model.labels[posterior[0] >= model.threshold]


@given(network_classifiers())
@settings(max_examples=30, deadline=None)
def test_where_floats_serve_for_nothing_whole_numbers_decide_and_find_the_ends(model):
    odd, proof = tabled(model)
    ranges = [found and (found.exact, found.interval()) for *_, found in entries(model, oddly.allowed(odd))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "HUGE", -1)
        again, exactly = tabled(model)
        same = [found and (found.exact, found.interval()) for *_, found in entries(model, oddly.allowed(odd))]
    assert all(map(np.array_equal, again.levels, odd.levels))
    assert (exactly.ties, exactly.impossible) == (proof.ties, proof.impossible)
    assert exactly.closest == pytest.approx(proof.closest, rel=1e-9, abs=proof.error)
    assert same == ranges


def test_odds_too_large_for_a_float_have_their_range():
    small = Fraction(1, 10**400)
    nodes = [
        Node("C", ["a", "b"], [], [[1 - small, small]]),
        Node("A", ["0", "1"], ["C"], [["1/2", "1/2"], ["1/2", "1/2"]]),
        Node("B", ["0", "1"], ["C", "A"], [["1/2", "1/2"], ["1/4", "3/4"], ["1/8", "7/8"], ["1/2", "1/2"]]),
    ]
    answer = oddly.allowed(NetworkClassifier(Network(nodes), "C", ["A", "B"], "a"))
    assert answer.prior.probability.exact == (Fraction(2, 3), 1)  # from there on A=1, B=0 is a


def test_a_side_that_underflows_is_still_the_nearest():
    """In floats x looks impossible under c, and so as if only y could stop the threshold."""
    rare, rarer, rarest = Fraction(1, 10**290), Fraction(1, 10**150), Fraction(1, 10**330)
    others = [rare, 1 - rare, Fraction(0)]
    given = {"a": others, "b": others, "c": [rarest, rarer, 1 - rarer - rarest]}
    model = NaiveBayes("C", ["a", "b", "c"], ["1/3"] * 3, [CPT("A", ["x", "y", "z"], given)], "c", "1/4")
    low, high = oddly.allowed(model).threshold.probability.exact
    assert (low, high) == (rarest / (rarest + 2 * rare), 1)


def test_hidden_variables_of_small_groups_have_their_ranges_whatever_the_number_of_instances():
    nodes = [Node("C", ["a", "b"], [], [["2/5", "3/5"]])]
    for i in range(20):
        nodes.append(Node(f"H{i}", ["0", "1"], ["C"], [["1/3", "2/3"], ["2/3", "1/3"]]))
        nodes += [Node(f"{x}{i}", ["0", "1"], [f"H{i}"], [["3/4", "1/4"], ["1/4", "3/4"]]) for x in "AB"]
    model = Network(nodes).classifier("C", "a")
    odd = oddly.compile(model)
    answer = oddly.allowed(odd)
    assert odd.instances == 1 << 40
    assert answer.entries_unknown == ""
    for (name, row), found in {
        ("H3", 0): answer.entries["H3"]["a"]["0"],
        ("A3", 1): answer.entries["A3"]["H3=1"]["0"],
    }.items():
        for end, outward in zip(found.exact, (-1, 1), strict=True):
            for q in (end, end + outward * Fraction(1, 10**9)):
                moved = oddly.compile(with_entry(model, name, row, 0, q), list(odd.order))
                assert oddly.compare(odd, moved).equivalent == (q in found)


def test_a_prior_of_the_least_float_lists_compares_and_checks():
    given = [{"yes": ["0.5", "0.5"], "no": ["0.3", "0.7"]}, {"yes": ["0.5", "0.5"], "no": ["0", "1"]}]
    cpts = [CPT(name, ["x", "y"], g) for name, g in zip("AB", given, strict=True)]
    model = NaiveBayes("C", ["yes", "no"], [5e-324, 1], cpts, threshold=1)
    assert [i for i, _ in oddly.instances(model, "yes")] == [{"A": "x", "B": "x"}, {"A": "y", "B": "x"}]
    assert [p for _, p in oddly.instances(model, "yes", given={"B": "x"})] == [0.5, 0.5]
    answer = oddly.check(model, ["ignores A", "always no"])
    assert [v.holds for v in answer.verdicts] == [True, False]
    assert dict(answer[1].case.known) == {"B": "x"}
    assert oddly.compare(model, model.replace(threshold="1/2"))


@pytest.mark.parametrize("points", [1e-310, 5e-324, 1e300])
def test_general_reasons_of_the_least_and_the_greatest_points(points):
    card = oddly.Scorecard([oddly.Points("A", ["x", "y", "z"], [points, 0, 2 * points])], cutoff=points)
    general = oddly.explain(card, {"A": "x"}).general
    assert general.sentence() == "yes whenever A in {x, z}: 2 of 3 instances."


@pytest.mark.parametrize("threshold", ["1e-4000", "0." + "9" * 4000])
def test_a_threshold_of_thousands_of_digits_can_be_shown(threshold):
    model = oddly.examples.pregnancy().replace(threshold=threshold)
    assert repr(model).startswith("NaiveBayes: P=yes if Pr >= 1")
    assert repr(oddly.compile(model))
