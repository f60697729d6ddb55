# SPDX-License-Identifier: Apache-2.0
"""One rounding that is asked for: points to whole numbers and to multiples, and the cases that it changes."""

import json
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly import Points, Scorecard
from oddly.cli import main
from oddly.errors import ModelError, Unsupported
from oddly.model import Attribute, Crossed, Scoreboard, Sum, Tally

HALVES = st.integers(-30, 30).map(lambda halves: Decimal(halves) / 2)  # halfway between whole numbers, and multiples
UNITS = st.sampled_from(["1", "2", "5", "10", "0.5", "2.5"])


@st.composite
def cards(draw):
    """Up to four attributes, one-valued ones among them; sums on the cut-off are frequent."""
    sizes = draw(st.lists(st.integers(1, 3), max_size=4))
    points = [draw(st.lists(HALVES, min_size=n, max_size=n)) for n in sizes]
    ties = draw(st.sampled_from(["positive", "negative"]))
    return points, draw(HALVES), draw(HALVES), ties


def card_of(points, cutoff, intercept, ties):
    attributes = [Points(f"A{i}", [f"v{j}" for j in range(len(p))], p) for i, p in enumerate(points)]
    return Scorecard(attributes, cutoff, intercept, ties=ties)


def in_multiples(number, unit):
    return (number / unit).quantize(Decimal(1), ROUND_HALF_EVEN) * unit


def enumerated(points, cutoff, intercept, ties, unit):
    """Every case that changes, with its two decisions: sums of decimals, of each number as it is and as it is rounded."""

    def decided(total):
        return "yes" if total > cutoff or (total == cutoff and ties == "positive") else "no"

    for codes in product(*(range(len(p)) for p in points)):
        own = [intercept, *(p[c] for p, c in zip(points, codes, strict=True))]
        before, after = decided(sum(own)), decided(sum(in_multiples(x, unit) for x in own))
        if before != after:
            yield tuple(f"v{c}" for c in codes), before, after


def changed(answer):
    return sorted((tuple(c.case[f"A{i}"] for i in range(len(c.case))), c.before, c.after) for c in answer.changed(1000))


@given(card=cards(), unit=UNITS)
@settings(max_examples=150, deadline=None)
def test_multiples_change_what_enumeration_says_each_in_its_direction(card, unit):
    found = oddly.rounding(card_of(*card), to=unit)
    expected = sorted(enumerated(*card, Decimal(unit)))
    assert changed(found) == expected
    (step,) = found.probabilities
    assert (step.count, bool(found), step.to) == (len(expected), not expected, Fraction(unit))
    ways = [f"{before} → {after}" for _, before, after in expected]
    assert {way: n for way, n in step.directions.items() if n} == {way: ways.count(way) for way in set(ways)}


@given(card=cards())
@settings(max_examples=60, deadline=None)
def test_no_digits_are_multiples_of_one(card):
    found = oddly.rounding(card_of(*card), digits=0)
    assert changed(found) == sorted(enumerated(*card, Decimal(1)))
    assert found.fewest == (0 if found else None)


def test_the_cut_off_stays_and_the_intercept_does_not():
    card = Scorecard([Points("A", ["x", "y"], ["2.4", "7.5"])], cutoff="3.3", intercept="1.6")
    (step,) = oddly.rounding(card, to=5).probabilities
    assert (step.model.cutoff, step.model.intercept) == (Fraction("3.3"), 0)
    assert step.model.attributes[0].points == (0, 10)


def test_points_per_class_and_tables_of_points_are_rounded_too():
    board = Scoreboard([Tally("sky", ["a", "b"], [[6, 0], [0, 4]])], ["x", "y"], ["0", "3"])
    (step,) = oddly.rounding(board, to=5).probabilities
    assert step.model.attributes[0].points == ((5, 0), (0, 5))
    assert step.model.intercept == (0, 5)
    assert step.count == 0  # of a the sums are tied now, and the first class is taken, as before
    crossed = Crossed(["A", "B"], [["0.4", "1.6"], ["2.5", "3.5"]])
    total = Sum([Attribute("A", ["x", "y"]), Attribute("B", ["x", "y"])], [crossed], cutoff=2)
    (step,) = oddly.rounding(total, digits=0).probabilities
    assert step.model.tables[0].points == (0, 2, 2, 4)
    assert step.directions["no → yes"] == 1  # 1.6 becomes 2


@pytest.mark.parametrize("asked", [{"digits": 0}, {"to": 5}], ids=repr)
def test_probabilities_are_refused(asked):
    for model in (oddly.examples.pregnancy(), oddly.examples.tic_tac_toe()):
        with pytest.raises(Unsupported, match="probabilities cannot be whole numbers or multiples, only points can"):
            oddly.rounding(model, **asked)


def test_digits_of_probabilities_are_those_of_the_search():
    model = oddly.examples.tic_tac_toe()
    every = oddly.rounding(model)
    for one, two in zip(every.probabilities, every.weights, strict=True):
        found = oddly.rounding(model, digits=one.digits)
        assert (found.probabilities, found.weights) == ((one,), (two,))
        assert len(found.changed(10_000)) == one.count


@pytest.mark.parametrize("asked", [{"to": 0}, {"to": -5}, {"to": "few"}, {"digits": -1}, {"digits": 1, "to": 5}])
def test_what_cannot_be_meant_is_refused(asked):
    with pytest.raises(ModelError):
        oddly.rounding(Scorecard([Points("A", ["x"], [1])], cutoff=1), **asked)


@pytest.fixture
def card(tmp_path):
    card = Scorecard([Points("age", ["young", "old"], [12, 0]), Points("income", ["low", "high"], [3, 9])], cutoff=13)
    oddly.write(card, tmp_path / "card.json")
    return str(tmp_path / "card.json")


def test_the_command_shows_the_cases_and_their_directions(card, capsys):
    assert main(["round", card, "--to", "10"]) == 1
    out = capsys.readouterr().out
    assert "Multiples of 10 change 1 of 4 instances: 1 yes → no." in out
    row = next(line for line in out.splitlines() if "income=low" in line)
    assert "yes → no" in row
    assert row.split()[-2:] == ["15", "10"]  # its points on both cards
    assert main(["round", card, "--digits", "0"]) == 0
    assert "Whole numbers are enough." in capsys.readouterr().out
    assert main(["round", card, "--to", "10", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["changed"] == [{"case": {"age": "young", "income": "low"}, "from": "yes", "to": "no"}]
    assert (told["probabilities"][0]["to"], told["probabilities"][0]["digits"]) == ("10", None)


def test_the_command_refuses_in_a_sentence(card, capsys):
    assert main(["round", "example:pregnancy", "--to", "5"]) == 2
    assert "only points can" in capsys.readouterr().err
    for options in (["--digits", "0", "--to", "5"], ["--to", "0"], ["--to", "x"], ["--digits=-1"]):
        assert main(["round", card, *options]) == 2
        assert capsys.readouterr().err.startswith("oddly: ")


def test_convert_writes_whole_points(tmp_path):
    oddly.write(Scorecard([Points("A", ["x", "y"], ["1.4", "2.6"])], cutoff="1.7"), tmp_path / "a.json")
    assert main(["convert", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--digits", "0"]) == 0
    written = oddly.read(tmp_path / "b.json")
    assert (written.attributes[0].points, written.cutoff) == ((1, 3), Fraction("1.7"))


def test_multiples_have_no_digits_to_plot(card):
    plots = pytest.importorskip("oddly.plots")
    with pytest.raises(Unsupported, match="no digits to plot"):
        plots.rounding(oddly.rounding(oddly.read(card), to=5))
    assert plots.rounding(oddly.rounding(oddly.read(card), digits=0)).get_xticks().tolist() == [0]
