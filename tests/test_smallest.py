# SPDX-License-Identifier: Apache-2.0
"""The smallest counterexample: against every partial instance there is, and what it says."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import NaiveBayes, Points, Scorecard
from oddly.distribution import cases as search
from oddly.distribution.cases import smallest
from oddly.questions.compare.question import compare
from strategies import classifiers, naive_bayes

FIGURE_1 = oddly.examples.pregnancy()


def fewest(model, table):
    """How many attributes must be fixed for all completions to be in a table of truths, by trying all of them."""
    names = range(len(model.variables))
    for size in range(len(names) + 1):
        for fixed in itertools.combinations(names, size):
            free = tuple(i for i in names if i not in fixed)
            if table.all(axis=free).any():
                return size
    return None


def suffices(model, table, known):
    """Whether all completions of a partial instance are in the table."""
    places = tuple(v.values.index(known[v.name]) if v.name in known else slice(None) for v in model.variables)
    return bool(table[places].all())


def tables(model, other):
    """By direction, which instances are decided so, one axis per attribute."""
    shape = [len(v.values) for v in model.variables]
    first, second = oracle.decisions(model).reshape(shape), oracle.decisions(other).reshape(shape)
    return {("no", "yes"): ~first & second, ("yes", "no"): first & ~second}


@st.composite
def pairs(draw, models):
    """Two classifiers over the same attributes."""
    model = draw(models)
    if isinstance(model, Scorecard):
        points = [[draw(st.integers(-3, 3)) for _ in a.values] for a in model.attributes]
        cards = [Points(a.name, a.values, p) for a, p in zip(model.attributes, points, strict=True)]
        return model, draw(st.sampled_from([model.replace(cutoff=1), model.replace(attributes=cards)]))
    p = draw(st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]))
    return model, model.replace(prior=[p, 1 - p])


@given(pair=pairs(classifiers()), seed=st.integers(0, 9))
@settings(max_examples=150, deadline=None)
def test_no_disagreement_can_be_stated_with_fewer_attributes(pair, seed):
    a, b = pair
    found = compare(oddly.compile(a, f"random:{seed}"), b).smallest
    truths = tables(a, b)
    sizes = [size for table in truths.values() if (size := fewest(a, table)) is not None]
    if not sizes:
        assert found is None
        return
    assert found.fewest
    assert len(found.known) == min(sizes)
    assert suffices(a, truths[found.labels], found.known)
    assert {*found.known, *found.others} == {v.name for v in a.variables}
    assert not set(found.known) & set(found.others)


@given(pair=pairs(classifiers()), seed=st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_where_the_search_gives_up_nothing_can_be_left_out(pair, seed):
    a, b = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "EFFORT", 0)
        found = compare(oddly.compile(a, f"random:{seed}"), b).smallest
    if found is None:
        return
    table = tables(a, b)[found.labels]
    assert suffices(a, table, found.known)
    for name in found.known:
        assert not suffices(a, table, {n: v for n, v in found.known.items() if n != name})
    least = min(size for t in tables(a, b).values() if (size := fewest(a, t)) is not None)
    assert len(found.known) >= least
    assert not found.fewest or len(found.known) == least


@given(pair=pairs(naive_bayes()))
@settings(max_examples=60, deadline=None)
def test_the_posteriors_are_those_of_its_most_probable_completion(pair):
    a, b = pair
    found = compare(a, b).smallest
    if found is None:
        return
    place = a.class_values.index("yes")
    expected = [model.posterior(found.instance) for model in pair]
    assert found.posteriors == tuple(p and p[place] for p in expected)
    cases = [i for i in oracle.instances(a) if found.known.items() <= i.items()]
    assert found.instance in cases
    assert mass(a, found.instance) >= max(mass(a, i) for i in cases) * (1 - Fraction(1, 10**11))


def mass(model: NaiveBayes, instance):
    total = Fraction(0)
    for c, p in zip(model.class_values, model.prior, strict=True):
        for a in model.attributes:
            p *= a.given[c][a.values.index(instance[a.name])]
        total += p
    return total


@given(model=classifiers())
@settings(max_examples=60, deadline=None)
def test_any_label_has_its_smallest_partial_instance(model):
    odd = oddly.compile(model)
    table = oracle.decisions(model).reshape([len(v.values) for v in model.variables])
    for label, truth in (("yes", table), ("no", ~table)):
        found = smallest(odd, label)
        assert (found and found.fixed) == fewest(model, truth)
        assert found is None or found.least == found.fixed


def test_a_large_difference_has_a_counterexample_that_restricting_confirms():
    r = np.random.default_rng(3)
    points = [[int(p) for p in r.integers(-(10**6), 10**6, 2)] for _ in range(26)]
    card = Scorecard([Points(f"A{i}", ["x", "y"], p) for i, p in enumerate(points)])
    difference = compare(card, card.replace(cutoff=10**6))
    assert difference.diagram.size > 10_000
    found = difference.smallest
    remains = difference.diagram.restrict(found.known)
    assert remains.count(" → ".join(found.labels)) == remains.instances
    assert len(found.known) < 26


class TestWhatItSays:
    def test_what_may_be_anything_is_said_beside_what_matters(self):
        never = FIGURE_1.replace(prior=["0", "1"])
        assert repr(compare(FIGURE_1, never).smallest) == (
            "S=+ve, any U and any B: yes (1.000) → no (0.000) at its most probable, U=+ve, B=+ve"
        )

    def test_a_scorecard_has_no_posteriors_to_show(self):
        points = [Points(n, ["x", "y"], [2 if n == "C" else 1, 0]) for n in "ABCDEFG"]
        card = Scorecard(points, cutoff=2)
        found = compare(card, card.replace(cutoff=9)).smallest
        assert repr(found) == "C=x, any value of the 6 others: yes → no"
        assert found.to_json()["posteriors"] == [{"of": "yes", "probability": None}] * 2

    def test_where_every_instance_differs_any_does(self):
        card = Scorecard([Points("A", ["x", "y"], [1, 0])])
        assert repr(compare(card, card.replace(cutoff=9)).smallest) == "any instance: yes → no"
        nothing = FIGURE_1.replace(attributes=[], threshold="0.5")
        assert repr(compare(nothing, nothing.replace(prior=["0.1", "0.9"]))).endswith(
            "For example any instance: yes (0.870) → no (0.100)."
        )

    def test_an_assertion_shows_it(self):
        moved = FIGURE_1.replace(prior=["0.6", "0.4"])
        with pytest.raises(AssertionError, match=r"U=\+ve, B=\+ve, S=-ve: yes \(0.965\) → no \(0.862\)"):
            assert compare(FIGURE_1, moved)

    def test_the_same_classifier_has_none(self):
        assert compare(FIGURE_1, FIGURE_1).smallest is None
