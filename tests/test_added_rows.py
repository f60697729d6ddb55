# SPDX-License-Identifier: Apache-2.0
"""One more row: what learning again would give, for every way with missing cells, and which rows change a decision."""

import json
import random

import pytest

import oddly
import oracle
from oddly.errors import ModelError, UnknownValue
from oddly.formats import model_from_json, model_to_json
from oddly.questions.added_rows import added_rows, with_row

CUTS = {"age": [30, 50]}
WAYS = ["skip", "drop", "value"]


def table(seed, gaps=True):
    """Rows of a class, a label, a one-valued column and a number, with a gap in some; every value occurs in both classes."""
    draw = random.Random(seed)
    rows = [{"c": c, "colour": x, "same": "s", "age": a} for c in "ab" for x in "xyz" for a in (20, 40, 60)]
    rows += [
        {
            "c": draw.choice("aab"),
            "colour": draw.choice(["x", "x", "y", "z", None] if gaps else ["x", "y"]),
            "same": draw.choice(["s", None] if gaps else ["s"]),
            "age": draw.choice([20, 25, 40, 41, 70, None] if gaps else [20, 40, 60]),
        }
        for _ in range(14)
    ]
    return rows + ([{"c": c, "colour": None, "same": None, "age": None} for c in "ab"] if gaps else [])


def learned(rows, missing, alpha, threshold="1/2", positive="a"):
    return oddly.learn(rows, "c", positive, alpha, threshold, missing=missing, bins=CUTS)


NEW = [
    {"c": "a", "colour": "x", "same": "s", "age": 29},
    {"c": "b", "colour": "z", "same": None, "age": 30},
    {"c": "b", "colour": None, "same": "s", "age": None},
    {"c": "a", "colour": None, "same": None, "age": 99},
    {"c": "a", "colour": "y", "same": "s", "age": 50},
]


@pytest.mark.parametrize("missing", WAYS)
@pytest.mark.parametrize("alpha", ["0", "1/2"])
def test_a_row_more_is_learning_with_it_whatever_a_missing_cell_does(missing, alpha):
    rows = table(1)
    model = learned(rows, missing, alpha)
    for row in NEW:
        again = learned([*rows, row], missing, alpha)
        assert with_row(model, row) == again
        assert with_row(model, row).learned == again.learned


@pytest.mark.parametrize("missing", WAYS)
@pytest.mark.parametrize(
    ("alpha", "threshold"), [("0", "1/2"), ("1", "2/3"), ("1/3", "0.99"), ("0", "0"), ("0", "1"), ("1", "1")]
)
@pytest.mark.parametrize("seed", [0, 3])
def test_the_rows_that_change_a_decision_are_those_of_learning_again(missing, alpha, threshold, seed):
    rows = table(seed)
    model = learned(rows, missing, alpha, threshold)
    before = oracle.decisions(model).tolist()
    expected = [
        row for row in NEW if oracle.decisions(learned([*rows, row], missing, alpha, threshold)).tolist() != before
    ]
    found = added_rows(model, NEW)
    assert found.checked == len(NEW)
    gap = "?" if missing == "value" else None
    assert [(r["c"], r["colour"]) for r in found.changing] == [(r["c"], r["colour"] or gap) for r in expected]


def test_many_rows_are_answered_as_one_by_one():
    rows = table(5, gaps=False)[:-3]
    model = learned(rows, "skip", "0", "0.6")
    cases = table(6)
    together = added_rows(model, cases)
    alone = [added_rows(model, [row]) for row in cases]
    assert 0 < len(together.changing) < together.checked
    assert list(together.changing) == list(
        {str(answer.changing[0]): answer.changing[0] for answer in alone if answer.changing}.values()
    )


def test_a_row_that_would_be_dropped_changes_nothing():
    model = learned(table(2), "drop", "1")
    gap = {"c": "a", "colour": None, "same": "s", "age": 40}
    assert with_row(model, gap) == model
    assert added_rows(model, [gap])


def test_a_first_missing_cell_is_a_new_value_where_missing_is_one():
    model = learned(table(2, gaps=False), "value", "1")
    with pytest.raises(UnknownValue, match="row 2: colour is missing, which it was in no row learned from"):
        added_rows(model, [NEW[0], NEW[3] | {"same": "s"}])


@pytest.mark.parametrize("missing", WAYS)
def test_what_a_missing_cell_does_travels_with_the_file(missing, tmp_path):
    model = learned(table(1), missing, "1")
    oddly.write(model, tmp_path / "m.json")
    assert oddly.read(tmp_path / "m.json").learned == model.learned


def test_a_file_that_does_not_say_skips_missing_cells():
    data = model_to_json(learned(table(1), "drop", "1"))
    assert data["learned"].pop("missing") == "drop"
    assert model_from_json(json.dumps(data)).learned.missing == "skip"
    data["learned"]["missing"] = "guess"
    with pytest.raises(ModelError, match="learned: missing is one of skip, drop, value, found 'guess'"):
        model_from_json(json.dumps(data))


def test_more_than_two_classes_are_compared_by_building():
    rows = [{"c": c, "x": x} for c, x in zip("aabbccabc", "uvuvuvuuv", strict=True)]
    model = oddly.learn(rows, "c", alpha=1)
    found = added_rows(model, [{"c": c, "x": x} for c in "abc" for x in "uv"])
    for row in [{"c": c, "x": x} for c in "abc" for x in "uv"]:
        again = oddly.learn([*rows, row], "c", alpha=1)
        same = all(
            max(range(3), key=lambda k, p=p: (p[k], -k)) == max(range(3), key=lambda k, q=q: (q[k], -k))
            for p, q in ((model.posterior({"x": v}), again.posterior({"x": v})) for v in "uv")
        )
        assert (row not in [dict(r) for r in found.changing]) == same
