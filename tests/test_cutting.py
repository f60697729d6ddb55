# SPDX-License-Identifier: Apache-2.0
"""Measurements cut into intervals: exactly where they were told, or where the definitions say."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.learning.cutting import Numbers, frequency, mdl
from oddly.model import Bins, Variable

AGES = {"age": [22, 25, 31, 38, 44, 47, 52, 59], "c": ["n", "n", "n", "y", "y", "y", "y", "n"]}


# ---- what is a measurement ----


@pytest.mark.parametrize(
    ("column", "measured"),
    [
        ([str(i % 20) for i in range(60)], False),
        ([str(i % 21) for i in range(63)], True),
        ([i % 20 for i in range(60)], False),
        ([i % 21 for i in range(63)], True),
        ([0.0, 1.0] * 30, False),
        ([0.5, 1.0] * 30, True),
        (["0.5", "1"] * 30, True),
        (["1/2", "1"] * 30, False),
        ([f"x{i}" for i in range(60)], False),
        ([True, False] * 30, False),
        ([None] * 59 + [0.5], True),
    ],
)
def test_a_column_that_looks_like_a_measurement_must_be_cut_or_called_labels(column, measured):
    table = {"m": column, "c": ["a", "b"] * (len(column) // 2) + ["a"] * (len(column) % 2)}
    for kind in (table, pd.DataFrame(table), pl.DataFrame(table)):
        if measured:
            with pytest.raises(oddly.ModelError, match=r'different numbers\): measurements, it seems.*bins="mdl"'):
                oddly.learn(kind, "c", alpha=1)
        else:
            oddly.learn(kind, "c", alpha=1)
        values = oddly.learn(kind, "c", alpha=1, bins={"m": "labels"}).attributes[0].values
        assert len(values) == len({v for v in column if v is not None})


def test_all_measurements_are_named_at_once_and_one_word_cuts_them_all():
    table = {"x": [0.5, 1.5], "y": [2.5, 3.5], "z": ["1", "2"], "c": ["a", "b"]}
    with pytest.raises(oddly.ModelError, match=r"columns x \(2 different numbers\), y \(2"):
        oddly.learn(table, "c")
    found = oddly.learn(table, "c", bins={"*": "width:2", "y": [3]})
    assert [a.values for a in found.attributes] == [("<1", ">=1"), ("<3", ">=3"), ("1", "2")]


# ---- where a number goes ----


def as_cells(text):
    """A number as the kinds of cell it may come as."""
    yield text
    yield f" {text} "
    yield Decimal(text)
    yield float(text)
    if "." not in text and "e" not in text:
        yield int(text)


numbers = st.one_of(
    st.decimals(-3, 3, places=2).map(str),
    st.integers(-5, 5).map(str),
    st.sampled_from(["0.1", "0.10", "0.30000000000000004", "1e-3", "0.15", "9007199254740993", "1e300"]),
)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=8), st.booleans())
def test_numbers_go_where_their_exact_values_say(cuts, cells, left):
    exact = sorted({Fraction(cut) for cut in cuts})
    bins = Bins(exact, "left" if left else "right")
    variable = Variable("x", bins.labels, bins)
    from oddly.diagram.rows import encode

    for text in cells:
        for cell in as_cells(text):
            number = Fraction(repr(cell)) if isinstance(cell, float) else Fraction(text)
            expected = sum(number >= cut if left else number > cut for cut in exact)
            assert encode([{"x": cell}], [variable])[0, 0] == expected
    floats = np.array([float(text) for text in cells])
    expected = [sum(Fraction(repr(x)) >= c if left else Fraction(repr(x)) > c for c in exact) for x in floats.tolist()]
    for frame in (pd.DataFrame({"x": floats}), pl.DataFrame({"x": floats}), {"x": floats}):
        assert encode(frame, [variable])[:, 0].tolist() == expected
    narrow = floats[np.abs(floats) < 1e30].astype(np.float32)
    expected = [sum(Fraction(str(x)) >= c if left else Fraction(str(x)) > c for c in exact) for x in narrow]
    assert Numbers(narrow).places(bins).tolist() == expected


def test_numbers_with_one_float_keep_their_own_order():
    texts = np.array(["0.1", "9007199254740993", "0.10", "9007199254740992", "1e400", "1e401"], object)
    rank, first = Numbers(texts).levels
    assert rank.tolist() == [0, 2, 0, 1, 3, 4]
    assert [texts[i] for i in first][1:] == ["9007199254740992", "9007199254740993", "1e400", "1e401"]


def test_a_number_on_a_cut_goes_where_closed_says():
    left = oddly.learn(AGES, "c", "y", bins={"age": [31, 59]})
    right = oddly.learn(AGES, "c", "y", bins={"age": Bins([31, 59], "right")})
    assert left.attributes[0].given["n"] == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert right.attributes[0].given["n"] == (Fraction(3, 4), Fraction(1, 4), 0)
    assert right.attributes[0].values == ("<=31", "(31, 59]", ">59")


def test_raw_rows_are_classified_as_their_intervals_are():
    odd = oddly.compile(oddly.learn(AGES, "c", "y", bins={"age": [35, "52.5"]}))
    ages = [34.0, 35.0, 35.5, 52.5, 52.49]
    expected = list(odd.classify([{"age": Bins([35, "52.5"]).labels[i]} for i in (0, 1, 1, 2, 1)]))
    frames = ({"age": ages}, pd.DataFrame({"age": ages}), pl.DataFrame({"age": ages}), {"age": list(map(str, ages))})
    for rows in (*frames, [{"age": age} for age in ages], np.array([(a,) for a in ages], [("age", float)])):
        assert list(odd.classify(rows)) == expected
    with pytest.raises(
        oddly.UnknownValue, match=r"row 2: age=old\.  age is a number, or one of <35; \[35, 52.5\); >=52.5"
    ):
        odd.classify([{"age": "40"}, {"age": "old"}])
    for wrong in (float("inf"), True, "1e5000"):
        with pytest.raises(oddly.UnknownValue, match="row 1: age="):
            odd.classify([{"age": wrong}])


# ---- where the cuts are ----


def brute_force(values, labels):
    """Fayyad and Irani's cuts, straight from their definitions."""

    def entropy(rows):
        counts = [sum(label == c for _, label in rows) for c in {label for _, label in rows}]
        return -sum(n / len(rows) * math.log2(n / len(rows)) for n in counts)

    rows = sorted(zip(values, labels, strict=True))
    best = None
    for cut in sorted({v for v, _ in rows})[1:]:
        below, above = [r for r in rows if r[0] < cut], [r for r in rows if r[0] >= cut]
        after = (len(below) * entropy(below) + len(above) * entropy(above)) / len(rows)
        if best is None or after < best[0] - 1e-9:
            best = (after, below, above)
    if best is None:
        return []
    after, below, above = best
    k, k1, k2 = (len({label for _, label in part}) for part in (rows, below, above))
    delta = math.log2(3**k - 2) - (k * entropy(rows) - k1 * entropy(below) - k2 * entropy(above))
    if entropy(rows) - after <= math.log2(len(rows) - 1) / len(rows) + delta / len(rows) + 1e-9:
        return []
    cut = (below[-1][0] + above[0][0]) / 2
    return [*brute_force(*zip(*below, strict=True)), cut, *brute_force(*zip(*above, strict=True))]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(1, 9)), min_size=1, max_size=12))
def test_mdl_cuts_are_those_of_the_definition(groups):
    rows = [(Fraction(v), label) for v, label, n in groups for _ in range(n)]
    values = sorted({v for v, _ in rows})
    counts = np.zeros((len(values), 4), np.int64)
    for v, label in rows:
        counts[values.index(v), label] += 1
    found = [(values[r - 1] + values[r]) / 2 for r in mdl(counts)]
    assert found == brute_force(*zip(*rows, strict=True))


def test_cuts_lie_exactly_midway_between_the_numbers_as_written():
    table = {"x": ["0.1"] * 9 + ["0.2"] * 9, "c": ["a"] * 9 + ["b"] * 9}
    found = oddly.learn(table, "c", bins="mdl").attributes[0]
    assert found.bins == Bins(["0.15"])
    assert (
        oddly.learn(pd.DataFrame({"x": [0.1] * 9 + [0.2] * 9, "c": table["c"]}), "c", bins="mdl").attributes[0] == found
    )


def test_a_number_that_tells_nothing_has_one_value():
    table = {"x": [0.5, 1.5] * 10, "c": ["a", "a", "b", "b"] * 5}
    found = oddly.learn(table, "c", bins="mdl").attributes[0]
    assert (found.values, found.bins) == (("any",), Bins([]))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 6))
def test_parts_of_equal_frequency_are_as_equal_as_cuts_allow(counts, parts):
    below = [sum(counts[:i]) for i in range(1, len(counts))]
    wanted = [Fraction(i * sum(counts), parts) for i in range(1, parts)]
    nearest = (
        {min(range(len(below)), key=lambda j: (abs(below[j] - share), j)) + 1 for share in wanted} if below else set()
    )
    assert frequency(np.array(counts), parts) == sorted(nearest)


def test_equal_widths_are_equal():
    assert oddly.learn(AGES, "c", alpha=1, bins="width:2").attributes  # eight ages are labels
    found = oddly.learn(AGES, "c", alpha=1, bins={"age": "width:3"}).attributes[0].bins
    assert found.cuts == (22 + Fraction(37, 3), 22 + Fraction(74, 3))
    assert oddly.learn({"x": [0.5] * 4, "c": ["a", "b"] * 2}, "c", bins="width:3").attributes[0].values == ("any",)


def test_an_interval_without_rows_is_impossible_and_a_note_says_so(caplog):
    found = oddly.learn(AGES, "c", bins={"age": [30, 60]}).attributes[0]
    assert [row[2] for row in found.given.values()] == [0, 0]
    assert "age: no row in >=60, so impossible" in caplog.text


def test_gaps_in_a_measurement_can_have_a_value():
    table = {"x": [0.5, None, 2.5, 3.5], "c": ["a", "a", "b", "b"]}
    model = oddly.learn(table, "c", "a", bins={"x": [1]}, missing="value")
    assert model.attributes[0].values == ("<1", ">=1", "?")
    for rows in ({"x": [0.1, None, 7]}, pd.DataFrame({"x": [0.1, None, 7]}), pl.DataFrame({"x": [0.1, None, 7]})):
        assert list(oddly.compile(model).classify(rows)) == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("deciles", "bins: expected cut points, 'mdl', 'width:5', 'frequency:5' or 'labels', found 'deciles'"),
        ("width:0", "bins: expected cut points"),
        ([1, 2], "bins: expected a way of cutting or one per column"),
        ({"age": 5}, "bins of age: expected cut points"),
        ({"age": [3, 2]}, "bins of age: bins: cut points rise, found 3, 2"),
        ({"age": ["young"]}, "bins of age: cut point: expected a number, found 'young'"),
        ({"word": [1]}, "column word: bins are for finite numbers, found 'a'"),
        ({"wide": "mdl"}, "column wide: bins are for finite numbers, found 'inf'"),
        ({"agee": [1]}, "bins: no column 'agee'.  Did you mean 'age'?"),
    ],
)
def test_bins_that_make_no_sense_are_named(bins, message):
    table = {**AGES, "word": list("abababab"), "wide": [math.inf, 1, 2, 3, 4, 5, 6, 7]}
    extra = {"wide": "labels"} if not isinstance(bins, dict) or "wide" not in bins else {}
    with pytest.raises(oddly.OddlyError) as error:
        oddly.learn(table, "c", bins={**bins, **extra} if isinstance(bins, dict) else bins)
    assert message in str(error.value)


def test_bins_and_values_exclude_each_other():
    with pytest.raises(oddly.ModelError, match="column age: it has either bins or values"):
        oddly.learn(AGES, "c", bins={"age": [30]}, values={"age": [1]})
