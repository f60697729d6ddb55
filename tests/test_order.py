# SPDX-License-Identifier: Apache-2.0
"""Orders: any gives the same decisions, and the search reports true sizes."""

import pytest
from hypothesis import given, settings

import oddly
from oddly import CPT, ModelError, NaiveBayes, Points, Scorecard
from oddly.order import BestOf, arrange, search
from oddly.score import lower
from strategies import classifiers

CARD = Scorecard(
    [
        Points("mid", ["a", "b"], [0, 2]),
        Points("big", ["a", "b"], [3, 0]),
        Points("low", ["a", "b"], [0, 1]),
        Points("two", ["a", "b"], [2, 0]),
    ]
)


def names(order, model=CARD):
    score = lower(model)
    return [score.names[i] for i in arrange(score, order)]


def test_named_orders_sort_by_impact_with_ties_by_column():
    assert names("as-given") == ["mid", "big", "low", "two"]
    assert names("ascending") == ["low", "mid", "two", "big"]
    assert names("descending") == ["big", "mid", "two", "low"]
    assert names(["two", "low", "mid", "big"]) == ["two", "low", "mid", "big"]
    assert names("random:3") == names("random:3")
    assert sorted(names("random:3")) == sorted(names("as-given"))


def test_infinite_impacts_rank_last_and_among_themselves_by_what_is_finite():
    def zero(name, p, q):
        return CPT(name, ["a", "b", "c"], {"yes": [p, q, "0"], "no": ["1/3", "1/3", "1/3"]})

    attributes = [zero("wide", "0.9", "0.1"), zero("narrow", "0.4", "0.6")]
    attributes.append(CPT("plain", ["a", "b"], {"yes": ["0.99", "0.01"], "no": ["0.01", "0.99"]}))
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], attributes)
    assert names("ascending", model) == ["plain", "wide", "narrow"]
    assert names("descending", model) == ["wide", "narrow", "plain"]
    assert names("ascending-finite", model) == ["plain", "narrow", "wide"]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("upward", "no order 'upward'"),
        ("random:x", "expected a whole number after the colon"),
        (["mid", "big", "low"], "every attribute stands in it once, but two is missing"),
        (["mid", "big", "low", "low"], "low stands twice"),
        (["mid", "big", "low", "who"], "no attribute 'who'"),
    ],
)
def test_a_bad_order_is_named(order, message):
    with pytest.raises(oddly.OddlyError) as error:
        oddly.compile(CARD, order)
    assert message in str(error.value)


def test_a_negative_number_of_tries_is_refused():
    with pytest.raises(ModelError):
        oddly.best_of(-1)


@given(model=classifiers())
@settings(max_examples=40, deadline=None)
def test_the_search_reports_the_sizes_that_building_gives(model):
    score = lower(model, oddly.compile(model).source.bits)
    for tried in search(score, BestOf(tries=20, seed=1, jobs=1)):
        order = [score.names[i] for i in tried.order]
        assert oddly.compile(model, order).size == tried.size


def test_the_search_is_the_same_on_one_core_and_on_many():
    score = lower(oddly.examples.tic_tac_toe())
    alone = search(score, BestOf(tries=60, jobs=1))
    assert alone == search(score, BestOf(tries=60, jobs=2))
    assert alone == search(score, BestOf(tries=60, jobs=1), engine="numpy")
    assert alone[0].size <= 60


def test_the_search_tells_its_progress_and_can_be_stopped():
    score = lower(oddly.examples.tic_tac_toe())
    told = []
    search(score, BestOf(tries=40), progress=lambda *what: told.append(what))
    assert told[-1] == ("orders", 42, 42)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(score, BestOf(tries=40), progress=stop)


def test_mirrored_levels_of_a_reversed_order_differ_by_at_most_one():
    """The width at a cut depends on the set above it: the matrix of prefixes and suffixes is a staircase."""
    model = Scorecard([Points(f"A{i}", ["a", "b"], [7**i % 101, 0]) for i in range(12)], cutoff=230)
    forward = oddly.compile(model, "as-given")
    backward = oddly.compile(model, list(reversed(forward.order)))
    for here, there in zip(forward.widths, reversed(backward.widths), strict=True):
        assert abs(here - there) <= 1
