# SPDX-License-Identifier: Apache-2.0
"""Models from tables: exact fractions, and the paper's conventions on what is missing."""

from fractions import Fraction

import pandas as pd
import polars as pl
import pytest

import oddly
from oddly.learning import natural

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
    with pytest.raises(oddly.ModelError, match="expected a path, a data frame or a list of mappings, found int"):
        oddly.learn(7, "play")
    with pytest.raises(oddly.FormatError, match="no such file"):
        oddly.learn("missing.csv", "play")
