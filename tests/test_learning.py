# SPDX-License-Identifier: Apache-2.0
"""Models from tables: exact fractions, and the paper's conventions on what is missing."""

from fractions import Fraction

import pandas as pd
import polars as pl
import pytest

import oddly
from oddly.learning import natural
from oddly.model import MISSING_VALUE

ROWS = [
    {"wind": "weak", "sky": "sun", "play": "yes"},
    {"wind": "weak", "sky": None, "play": "yes"},
    {"wind": "strong", "sky": "rain", "play": "yes"},
    {"wind": "strong", "sky": "rain", "play": "no"},
]
CSV = "wind,sky,play\nweak,sun,yes\nweak,?,yes\nstrong,rain,yes\nstrong,rain,no\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "play.csv"
    path.write_text(CSV)
    return path


def test_every_kind_of_table_gives_the_same_model(table):
    models = [oddly.learn(t, "play", "yes") for t in (ROWS, pd.DataFrame(ROWS), pl.DataFrame(ROWS), table, str(table))]
    assert all(m == models[0] for m in models)


def test_probabilities_are_fractions_of_counts_and_gaps_are_skipped_in_their_own_attribute():
    model = oddly.learn(ROWS, "play", "yes")
    wind, sky = model.attributes
    assert model.class_values == ("no", "yes")
    assert model.prior == (Fraction(1, 4), Fraction(3, 4))
    assert wind.given == {"no": (1, 0), "yes": (Fraction(1, 3), Fraction(2, 3))}
    assert sky.values == ("rain", "sun")
    assert sky.given == {"no": (1, 0), "yes": (Fraction(1, 2), Fraction(1, 2))}


def test_smoothing_is_exact():
    wind = oddly.learn(ROWS, "play", "yes", alpha="1/2").attributes[0]
    assert wind.given["no"] == (Fraction(3, 4), Fraction(1, 4))


def test_values_stand_in_natural_order():
    assert sorted(["10", "9", "x10", "x9", "2.5"], key=natural) == ["2.5", "9", "10", "x9", "x10"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CSV, {"target": "plya"}, "no column 'plya'.  Did you mean 'play'?"),
        (CSV, {"target": "play", "positive": "maybe"}, "positive: play=maybe.  play is one of no, yes."),
        (CSV, {"target": "play", "alpha": -1}, "alpha: smoothing is not negative"),
        ("", {"target": "play"}, "an empty file"),
        ("a,b\n", {"target": "b"}, "no rows of data below the header"),
        ("a,a\n1,2\n", {"target": "a"}, "the column 'a' stands twice"),
        ("a,b\n1,2\n1\n", {"target": "b"}, "t.csv:3  2 columns expected, found 1"),
        ("a,b\n1,x\n2,x\n", {"target": "b"}, "a classifier needs two classes, found x"),
        ("a,b\n1,x\n?,y\n", {"target": "b"}, "column a: no value is known in any row of class y"),
        ('a,b\n"1,x\n', {"target": "b"}, "t.csv:2"),
    ],
)
def test_a_table_that_cannot_be_learned_from_says_why(text, options, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(oddly.OddlyError) as error:
        oddly.learn(path, **options)
    assert message in str(error.value)


def test_learning_from_nothing_readable_says_what_was_expected():
    with pytest.raises(
        oddly.ModelError, match="expected a path, a data frame, an array or a list of mappings, found int"
    ):
        oddly.learn(7, "play")
    with pytest.raises(oddly.FormatError, match="no such file"):
        oddly.learn("missing.csv", "play")


# ---- what is missing ----

HOLES = [
    {"a": "x", "b": "u", "c": "yes"},
    {"a": "?", "b": "v", "c": "yes"},
    {"a": "y", "b": None, "c": "no"},
    {"a": "x", "b": "v", "c": "no"},
    {"a": "y", "b": "u", "c": ""},
]


def test_a_missing_class_leaves_the_row_out():
    assert oddly.learn(HOLES, "c") == oddly.learn(HOLES[:4], "c")


def test_dropping_rows_is_learning_from_the_complete_ones():
    assert oddly.learn(HOLES, "c", missing="drop") == oddly.learn([HOLES[0], HOLES[3]], "c")
    assert oddly.learn(HOLES, "c", missing="drop").learned.rows == (1, 1)


def test_missing_can_be_a_value_of_its_own_and_is_classified_then():
    model = oddly.learn(HOLES, "c", "yes", missing="value")
    a, b = model.attributes
    assert a.values == ("x", "y", MISSING_VALUE)
    assert a.given == {"no": (Fraction(1, 2), Fraction(1, 2), 0), "yes": (Fraction(1, 2), 0, Fraction(1, 2))}
    assert b.values == ("u", "v", MISSING_VALUE)
    assert model.learned.observed == ((2, 2), (2, 2))
    odd = oddly.compile(model)
    rows = [{"a": None, "b": "v"}, {"a": "?", "b": "v"}, {"a": " ", "b": "v"}, {"a": float("nan"), "b": "v"}]
    assert list(odd.classify(rows)) == ["yes"] * 4
    assert list(odd.classify(pd.DataFrame(rows))) == ["yes"] * 4
    assert list(odd.classify(pl.DataFrame({"a": [None, "y"], "b": ["v", None]}))) == ["yes", "no"]


def test_only_a_column_with_gaps_has_a_value_for_them():
    model = oddly.learn([*ROWS, {"wind": "weak", "sky": "sun", "play": "no"}], "play", missing="value", alpha=1)
    assert [a.values for a in model.attributes] == [("strong", "weak"), ("rain", "sun", "?")]
    with pytest.raises(oddly.UnknownValue, match="row 1: wind is missing, and it has no value for that"):
        oddly.compile(model).classify([{"wind": None, "sky": None}])


# ---- what is declared ----


def test_without_smoothing_only_observed_values_count_and_a_note_says_so(caplog):
    table = [{"a": "low", "c": "x"}, {"a": "high", "c": "y"}]
    model = oddly.learn(table, "c", values={"a": ["low", "middle", "high"]})
    assert model.attributes[0].values == ("low", "high")
    assert "a: middle never observed, so left out" in caplog.text


def test_with_smoothing_declared_values_are_possible():
    table = [{"a": "low", "c": "x"}, {"a": "high", "c": "y"}]
    a = oddly.learn(table, "c", alpha=1, values={"a": ["low", "middle", "high"]}).attributes[0]
    assert a.values == ("low", "middle", "high")
    assert a.given["x"] == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))


def test_the_order_of_declared_classes_stays():
    table = [{"a": "1", "c": "x"}, {"a": "2", "c": "y"}]
    assert oddly.learn(table, "c", values={"c": ["y", "z", "x"]}).class_values == ("y", "x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": {"sky": ["sun"]}}, "column sky: sky=rain.  sky is one of sun."),
        ({"values": {"play": ["yes"]}}, "column play: play=no.  play is one of yes."),
        ({"values": {"sky": "sun"}}, "values of sky: expected a list, found 'sun'"),
        ({"values": {"sky": ["sun", "sun"]}}, "values of sky: expected different labels"),
        ({"values": {"sku": ["sun"]}}, "no column 'sku'.  Did you mean 'sky'?"),
        ({"missing": "keep"}, "missing: expected one of skip, drop, value, found 'keep'"),
        ({"structure": "tree"}, "structure: expected one of naive, tan, kdb, found 'tree'"),
        ({"k": -1}, "k: expected a number of parents"),
        ({"leave_out": ["x"]}, "no column 'x'"),
        ({"via": "disk"}, "via: expected auto, memory or duckdb, found 'disk'"),
        ({"via": "duckdb"}, "reads files; a list is in memory already"),
        ({"columns": ["a"]}, "columns= names the columns of a NumPy array"),
        ({"bins": {"play": [1]}}, "bins of play: that is the class"),
        ({"bins": {"plya": [1]}}, "bins: no column 'plya'"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(options, message):
    with pytest.raises(oddly.OddlyError) as error:
        oddly.learn(ROWS, "play", **options)
    assert message in str(error.value)


def test_columns_can_be_left_out():
    table = [{**row, "id": str(i)} for i, row in enumerate(ROWS)]
    assert oddly.learn(table, "play", leave_out=["id"]) == oddly.learn(ROWS, "play")


def test_counts_are_kept_for_questions_about_more_rows():
    learned = oddly.learn(ROWS, "play", alpha=2).learned
    assert (learned.alpha, learned.rows, learned.observed) == (2, (1, 3), ((1, 3), (1, 2)))


def test_a_class_of_measurements_is_refused_unless_they_are_called_labels():
    table = [{"a": str(i % 2), "c": i} for i in range(30)]
    with pytest.raises(oddly.ModelError, match="column c: 30 different numbers, and a class has few values"):
        oddly.learn(table, "c")
    assert len(oddly.learn(table, "c", bins={"c": "labels"}).class_values) == 30
