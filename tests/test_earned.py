# SPDX-License-Identifier: Apache-2.0
"""The points of a case, held against a sum by hand: in Python, in explanations, comparisons and on the command line."""

import csv
import io
import json
from itertools import product

import pytest
from hypothesis import given, settings
from tests.strategies import scorecards

import oddly
from oddly.cli import main
from oddly.distribution.earned import earned


def all_cases(card):
    for values in product(*(a.values for a in card.attributes)):
        yield {a.name: v for a, v in zip(card.attributes, values, strict=True)}


def by_hand(card, case):
    total = card.intercept
    for a in card.attributes:
        for value, points in zip(a.values, a.points, strict=True):
            total += points if case[a.name] == value else 0
    return total


@given(card=scorecards())
@settings(max_examples=30, deadline=None)
def test_points_are_the_sum_by_hand_and_decide(card):
    odd = oddly.compile(card)
    for case in all_cases(card):
        found = earned(odd, case)
        assert found.total == by_hand(card, case)
        reached = found.total >= card.cutoff if card.ties == "positive" else found.total > card.cutoff
        assert (odd.classify([case])[0] == card.positive) == reached


@given(first=scorecards(), second=scorecards())
@settings(max_examples=30, deadline=None)
def test_a_comparison_has_the_points_of_both_cards(first, second):
    if {a.name: a.values for a in first.attributes} != {a.name: a.values for a in second.attributes}:
        second = first.replace(cutoff=first.cutoff + 1)
    found = oddly.compare(first, second)
    for case, (a, b) in zip(found.examples(), found.points(), strict=True):
        assert (a, b) == (by_hand(first, case), by_hand(second, case))


def test_without_a_card_or_a_whole_case_there_are_no_points():
    model = oddly.examples.pregnancy()
    assert oddly.explain(model, {"U": "+ve", "B": "-ve", "S": "+ve"}).points is None
    card = oddly.scorecard(model).card
    assert oddly.explain(card, {"S": "+ve"}).points is None


CARD = "attribute,value,points\nage,<25,0\n,25+,1.5\n,missing,-2\nowner,yes,4\n,no,0\n(cutoff),,2\n(intercept),,1\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "card.csv").write_text(CARD)
    (tmp_path / "rows.csv").write_text("age,owner\n30,yes\n20,no\nNA,yes\n")

    def call(*arguments, code=0):
        assert main(arguments) == code, capsys.readouterr()
        return capsys.readouterr()

    return call


def test_classify_adds_the_points(run):
    rows = list(csv.DictReader(io.StringIO(run("classify", "card.csv", "rows.csv", "--points").out)))
    assert [(row["points"], row["decision"]) for row in rows] == [("6.5", "yes"), ("1", "no"), ("3", "yes")]
    assert json.loads(run("classify", "card.csv", "rows.csv", "--json").out)["points"] == [6.5, 1, 3]
    assert json.loads(run("classify", "card.csv", "age=30", "owner=no", "--json").out)["points"] == [2.5]
    assert "2.5, cut-off 2: 1 to begin with, age 1.5, owner 0" in run("explain", "card.csv", "age=30", "owner=no").out
    assert "is no scorecard" in run("classify", "example:pregnancy", "U=+ve", "B=+ve", "S=+ve", "--points", code=2).err
