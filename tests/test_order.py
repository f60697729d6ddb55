# SPDX-License-Identifier: Apache-2.0
"""Orders: any gives the same decisions, and the search reports true sizes."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

import oddly
from oddly import CPT, ModelError, NaiveBayes, Points, Scorecard
from oddly.engine.order import BestOf, arrange, search
from oddly.lowering.score import lower
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


def big_card(n=40):
    return Scorecard([Points(f"A{i}", ["x", "y"], [7919 * i * i % 1_000_003, 0]) for i in range(n)], cutoff=9_000_000)


def test_a_search_keeps_to_the_memory_it_is_given():
    score = lower(big_card())
    with pytest.raises(oddly.TooLarge, match="none of 6 orders fits into 1,000,000 bytes"):
        search(score, BestOf(tries=4), max_memory=1_000_000)


def test_a_search_may_find_what_the_limit_allows_though_ascending_exceeds_it():
    odd = oddly.compile(oddly.examples.tic_tac_toe(), order=oddly.best_of(300), max_nodes=60)
    assert odd.size == 58


def test_no_build_outlives_a_search_that_was_stopped():
    """A thread that is still inside a kernel when Python ends would take the process with it."""
    code = (
        "import oddly, sys, threading, _thread\n"
        "sys.path.insert(0, 'tests')\n"
        "from test_order import big_card\n"
        "threading.Timer(1.0, _thread.interrupt_main).start()\n"
        "try:\n"
        "    oddly.compile(big_card(46), order=oddly.best_of(500))\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    root = Path(__file__).parents[1]
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert (found.returncode, found.stdout) == (0, "stopped\n"), found.stderr
