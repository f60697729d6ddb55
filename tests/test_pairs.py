# SPDX-License-Identifier: Apache-2.0
"""Two diagrams around a classifier: they contain it, and they are no wider than they say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.cli.demo import random_model
from oddly.distribution.enclose import _likely, _measure, apart
from oddly.engine.order import arrange
from oddly.engine.pairs import around
from oddly.errors import ModelError, TooLarge, Unsupported
from oddly.lowering.score import lower
from strategies import classifiers, naive_bayes, scorecards


def made(model, points, order="auto", impossible="negative", under="uniform"):
    """A pair with so many points a level, however small the model is."""
    score = lower(model, 64, impossible)
    score = score.in_order(arrange(score, order))
    measure = _measure(score, under)
    below, above = around(score, points, _likely(measure, score))
    return oddly.Pair(below, above, apart(below, above, measure), measure.name, score)


@settings(max_examples=400, deadline=None)
@given(
    classifiers(),
    st.sampled_from([1, 2, 3, 5, 16]),
    st.sampled_from(["auto", "as-given", "descending"]),
    st.sampled_from(["negative", "positive"]),
)
def test_what_the_lower_accepts_is_accepted_and_what_the_upper_refuses_refused(model, points, order, impossible):
    pair = made(model, points, order, impossible)
    codes, truth = oracle.codes(model), oracle.decisions(model, impossible)
    surely, perhaps = (side.decide(codes).astype(bool) for side in (pair.lower, pair.upper))
    assert not (surely & ~truth).any()
    assert not (truth & ~perhaps).any()
    assert (pair.decide(codes).astype(bool) == truth).all()
    assert pair.undecided.count("undecided") == (surely != perhaps).sum()
    assert pair.error >= np.mean(surely != perhaps)
    assert pair.error == pytest.approx(np.mean(surely != perhaps))


@settings(max_examples=150, deadline=None)
@given(scorecards())
def test_with_enough_points_a_card_is_decided_everywhere(model):
    score = lower(model)
    pair = made(model, 4096)
    if not score.rounded:
        assert pair.lower == pair.upper == oddly.compile(model)
        assert pair.error == 0


@settings(max_examples=150, deadline=None)
@given(naive_bayes())
def test_with_enough_points_only_ties_are_undecided(model):
    pair = made(model, 4096)
    assert pair.undecided.count("undecided") <= oracle.ties(model)


@settings(max_examples=100, deadline=None)
@given(classifiers(), st.sampled_from([1, 3]))
def test_both_diagrams_have_one_node_per_function(model, points):
    pair = made(model, points)
    for side in (pair.lower, pair.upper):
        again = ~~side  # canonical only if nothing can be merged
        assert side == again
        for level in side.levels:
            assert len(np.unique(level, axis=0)) == len(level)


def test_more_points_leave_less_undecided():
    model = random_model(28)
    errors = [made(model, points).error for points in (32, 256, 2048)]
    assert errors[0] > 4 * errors[1] > 16 * errors[2] > 0
    truth = oddly.compile(model).count("yes")
    for points in (32, 256, 2048):
        least, most = made(model, points).count("yes")
        assert least <= truth <= most


def test_a_hundred_attributes_within_a_thousandth():
    pair = oddly.compile(random_model(100), error="0.002", under="uniform", max_memory=1 << 29)
    assert not pair.exact
    assert 0 < pair.error <= 0.002
    least, most = pair.count("yes")
    assert Fraction(most - least, pair.instances) <= Fraction(2, 1000)
    codes = np.random.default_rng(5).integers(0, 2, (4000, 100))
    decided = pair.decide(codes)
    model = random_model(100)
    ratios = [[float(a / b) for a, b in zip(c.given["yes"], c.given["no"], strict=True)] for c in model.attributes]
    sums = np.log(np.array(ratios)[np.arange(100), codes]).sum(axis=1) + np.log(float(model.prior[0] / model.prior[1]))
    clear = abs(sums) > 1e-9
    assert (decided[clear] == (sums > 0)[clear]).all()


def test_what_fits_is_the_diagram_itself():
    odd = oddly.compile(oddly.examples.pregnancy(), error="0.001")
    assert (odd.exact, odd.error, odd.lower, odd.upper) == (True, 0, odd, odd)


def test_a_limit_says_which_error_was_reached():
    with pytest.raises(TooLarge, match=r"an error of 0\.\d+ was reached, 0\.0001 asked for"):
        oddly.compile(random_model(60), error="0.0001", under="uniform", max_nodes=400_000)


@pytest.mark.parametrize("error", ["-1", "2", "little"])
def test_an_error_is_a_share(error):
    with pytest.raises(ModelError, match="error"):
        oddly.compile(oddly.examples.pregnancy(), error=error)


def test_a_distribution_without_an_error_is_a_mistake():
    with pytest.raises(ModelError, match="without error"):
        oddly.compile(oddly.examples.pregnancy(), under="uniform")


def test_rows_weigh_the_error():
    model = random_model(16)
    rows = [
        dict(zip([v.name for v in model.variables], case, strict=True))
        for case in np.random.default_rng(1).choice(["yes", "no"], (50, 16))
    ]
    pair = made(model, 20, under=rows)
    codes = pair.lower.encode(rows)
    assert pair.error == pytest.approx(np.mean(pair.lower.decide(codes) != pair.upper.decide(codes)))


# ---- what is made of pairs ----


@settings(max_examples=60, deadline=None)
@given(naive_bayes(), st.sampled_from([1, 2, 4]), st.data())
def test_what_is_made_of_pairs_contains_what_is_made_of_classifiers(model, points, data):
    pair, truth = made(model, points), oddly.compile(model)
    other = oddly.compile(model.replace(prior=["1/2", "1/2"]), list(pair.order))
    codes = oracle.codes(model)
    truth = oddly.compile(model, list(pair.order))
    for join in (lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: ~a):
        found, exact = join(pair, other), join(truth, other).decide(codes)
        assert (found.lower.decide(codes) <= exact).all()
        assert (exact <= found.upper.decide(codes)).all()
    turned = other & pair
    assert turned.lower == (pair & other).lower
    assert turned.upper == (pair & other).upper
    if model.attributes:
        attribute = data.draw(st.sampled_from(model.attributes))
        known = {attribute.name: data.draw(st.sampled_from(attribute.values))}
        left, exactly = pair.restrict(known), truth.restrict(known)
        assert left.count("yes")[0] <= exactly.count("yes") <= left.count("yes")[1]


# ---- questions ----


@settings(max_examples=80, deadline=None)
@given(naive_bayes(), st.sampled_from([1, 2, 4]), st.sampled_from(["model", "uniform"]))
def test_counts_lie_between_their_ends(model, points, under):
    pair, exactly = made(model, points), oddly.count(oddly.compile(model), under=under, exact=True)
    found = oddly.count(pair, under=under)
    for label in ("yes", "no"):
        assert found.least[label] <= exactly[label] <= found.most[label]
        if found.between:
            assert found.between[label].low <= exactly.probability[label] <= found.between[label].high
    assert f"{found.least['yes']:,}" in repr(found)


def test_other_questions_refuse_a_pair_and_say_what_to_do():
    pair = made(random_model(8), 4)
    for ask in (oddly.allowed, oddly.robustness, oddly.importance):
        with pytest.raises(Unsupported, match=r"oddly\.count"):
            ask(pair)


@settings(max_examples=80, deadline=None)
@given(naive_bayes(), st.sampled_from([1, 2, 4]), st.sampled_from(["1/2", "1/3", "9/10"]))
def test_a_difference_lies_between_its_ends_and_its_example_is_one(model, points, prior):
    other = model.replace(prior=[prior, 1 - Fraction(prior)])
    pair, second = made(model, points, "as-given"), made(other, points, "as-given")
    found, codes = oddly.compare(pair, second), oracle.codes(model)
    truth = oracle.decisions(model) != oracle.decisions(other)
    assert len(codes) == found.instances
    assert found.least <= truth.sum() <= found.most
    if found.equivalent is None:
        with pytest.raises(TooLarge, match="Undecided"):
            bool(found)
    else:
        assert found.equivalent == bool(found) == (not truth.any())
    if found.example is not None:
        assert oracle.decides(model, found.example) != oracle.decides(other, found.example)


def test_a_model_is_itself_however_little_its_pair_knows():
    model = random_model(20)
    assert oddly.compare(made(model, 2), made(model, 3)).equivalent
    assert oddly.compare(made(model, 2), model).equivalent
