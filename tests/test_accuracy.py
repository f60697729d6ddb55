# SPDX-License-Identifier: Apache-2.0
"""Cross-validation, against a plain implementation of the same definition."""

import csv
import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.distribution.scoring import Scorer
from oddly.learning import read_columns
from oddly.questions.cross_validate import cross_validate, dealt
from test_structure import NAMES, probability, tables

DATA = Path(__file__).parents[2] / "shared" / "data" / "uci"


def plain(rows, target, folds, seed, decide):
    """Deal, learn and decide row by row; `decide` is given the other folds and one row."""
    rows = [row for row in rows if row[target] not in (None, "", "?")]
    fold = dealt(np.array([sorted({r[target] for r in rows}).index(r[target]) for r in rows]), folds, seed)
    pairs = [
        (rows[i][target], decide([r for r, f in zip(rows, fold, strict=True) if f != fold[i]], rows[i]), fold[i])
        for i in range(len(rows))
    ]
    return Counter((a, b) for a, b, _ in pairs), [sum(a == b for a, b, f in pairs if f == k) for k in range(folds)]


def naive_decision(positive, classes, alpha=0):
    """The textbook: multiply frequencies; unknown and unseen cells are left out, impossible rows are negative."""

    def decide(train, row):
        joint = {}
        for c in classes:
            inside = [r for r in train if r["class"] == c]
            joint[c] = Fraction(len(inside), len(train))
            for name in (n for n in row if n != "class"):
                seen = sorted({r[name] for r in train} - {"?"})
                if row[name] in seen:
                    known = [r[name] for r in inside if r[name] != "?"]
                    joint[c] *= Fraction(known.count(row[name]) + alpha, len(known) + alpha * len(seen))
        total = sum(joint.values())
        if positive is None:
            return max(classes, key=lambda c: (joint[c], -classes.index(c)))
        other = next(c for c in classes if c != positive)
        return positive if total and joint[positive] >= total / 2 else other

    return decide


def read(name):
    if not DATA.exists():
        pytest.skip("the data sets are not beside the project")
    with (DATA / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("alpha", "seed"), [(0, 0), (1, 7)])
def test_votes_are_decided_as_a_plain_implementation_does(alpha, seed):
    rows = read("votes")[::4]
    classes = ["democrat", "republican"]
    pairs, per_fold = plain(rows, "class", 5, seed, naive_decision("republican", classes, alpha))
    found = cross_validate(rows, "class", "republican", alpha, folds=5, seed=seed)
    assert {(a, b): n for a, row in found.confusion.items() for b, n in row.items() if n} == dict(pairs)
    assert [fold.correct for fold in found.folds] == per_fold
    assert found.correct == sum(per_fold) == sum(n for (a, b), n in pairs.items() if a == b)


def test_impossible_and_unseen_cells_are_scored_as_defined():
    rows = read("mushroom")[::90]
    classes = ["e", "p"]
    pairs, _ = plain(rows, "class", 4, 0, naive_decision("e", classes))
    found = cross_validate(rows, "class", "e", folds=4)
    assert {(a, b): n for a, row in found.confusion.items() for b, n in row.items() if n} == dict(pairs)
    assert found.unseen > 0
    assert "never seen" in str(found)


small = st.lists(st.tuples(*[st.sampled_from(["u", "v", "?"])] * 3, st.sampled_from("abc")), min_size=3, max_size=18)


@settings(deadline=None, max_examples=40)
@given(small, st.integers(2, 4))
def test_the_most_probable_of_three_classes_ties_to_the_first(cells, folds):
    whole = [("u", "u", "u", c) for c in "abc"] * 20  # so many that every fold's model knows every attribute
    rows = [dict(zip(["x", "y", "z", "class"], row, strict=True)) for row in [*cells, *whole]]
    pairs, per_fold = plain(rows, "class", folds, 3, naive_decision(None, ["a", "b", "c"]))
    found = cross_validate(rows, "class", folds=folds, seed=3)
    assert {(a, b): n for a, row in found.confusion.items() for b, n in row.items() if n} == dict(pairs)
    assert [fold.correct for fold in found.folds] == per_fold


def test_cut_points_are_learned_without_the_fold_they_are_tried_on():
    generator = np.random.default_rng(5)
    label = generator.integers(0, 2, 60)
    rows = [
        {"x": float(round(v, 2)), "class": str(c)} for v, c in zip(generator.normal(label * 2, 1), label, strict=True)
    ]

    def decide(train, row):
        model = oddly.learn(train, "class", "1", bins="mdl")
        return str(oddly.compile(model).classify([row])[0])

    _, per_fold = plain(rows, "class", 5, 0, decide)
    for table in (rows, pd.DataFrame(rows)):
        found = cross_validate(table, "class", "1", folds=5, bins="mdl")
        assert [fold.correct for fold in found.folds] == per_fold
    everything = oddly.learn(rows, "class", "1", bins="mdl").attributes[0].bins
    without = [r for r, f in zip(rows, dealt(label, 5, 0), strict=True) if f]
    assert oddly.learn(without, "class", "1", bins="mdl").attributes[0].bins != everything


@settings(deadline=None, max_examples=40)
@given(tables(), st.data())
def test_unknown_cells_of_a_network_are_summed_out(rows, data):
    model = oddly.learn(rows, "c", "yes", alpha=data.draw(st.sampled_from([0, 1])), structure="kdb", k=2)
    codes = [data.draw(st.integers(-1, len(v.values) - 1)) for v in model.variables]
    open_values = [[v.values[i]] if i >= 0 else v.values for v, i in zip(model.variables, codes, strict=True)]
    expected = [
        sum(probability(model, {**dict(zip(NAMES, values, strict=True)), "c": c}) for values in product(*open_values))
        for c in model.class_values
    ]
    scorer = Scorer.of(model, model.positive)
    assert scorer.joint(np.array(codes)) == expected
    decided, impossible = scorer.decide(np.array([codes]))
    yes = expected[model.class_values.index("yes")]
    assert impossible == (not any(expected))
    assert decided[0] == (bool(any(expected)) and 2 * yes >= sum(expected))


def test_folds_deal_every_class_evenly():
    labels = np.array([0] * 11 + [1] * 7 + [2] * 2)
    fold = dealt(labels, 5, 1)
    assert sorted(np.bincount(fold)) == [4] * 5
    assert all(np.ptp(np.bincount(fold[labels == c], minlength=5)) <= 1 for c in range(3))
    assert (dealt(labels, 5, 1) == fold).all()
    assert (dealt(labels, 5, 2) != fold).any()


def test_the_answer_speaks_and_turns_into_json():
    found = cross_validate(oddly.examples.tic_tac_toe_boards(), "x-wins", "positive", folds=3)
    assert str(found).startswith(f"{found.correct} of 958 rows right (")
    assert json.loads(json.dumps(found.to_json()))["folds"][0]["rows"] == 320
    assert found.rate == Fraction(found.correct, 958)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds: expected a number from 2 to the 4 rows, found 1"),
        ({"folds": 5}, "folds: expected a number from 2 to the 4 rows"),
        ({"folds": 4}, "without fold 4 of 4: column class: a classifier needs two classes, found a"),
        ({"missing": "x"}, "missing: expected one of"),
    ],
)
def test_what_cannot_be_validated_says_why(options, message):
    rows = [{"x": "1", "class": c} for c in "aaab"]
    with pytest.raises(oddly.OddlyError) as error:
        cross_validate(rows, "class", **{"folds": 2, **options})
    assert message in str(error.value)


def test_a_row_of_a_class_that_the_other_folds_lack_is_decided_wrongly():
    """A fold that knows two of three classes must not take the third for the negative one."""
    rows = [{"x": "u", "c": "a"}] * 6 + [{"x": "v", "c": "b"}] * 6 + [{"x": "v", "c": "z"}]
    found = cross_validate(rows, "c", folds=3)
    assert found.correct == 12
    assert found.confusion["z"] == {"a": 0, "b": 1, "z": 0}
    held = cross_validate(rows, "c", "a", folds=3)
    assert held.confusion == {"a": {"a": 6, "not a": 0}, "not a": {"a": 0, "not a": 7}}


def test_a_threshold_is_not_held_against_the_most_probable_of_three():
    rows = [{"x": "u", "c": "a"}] * 6 + [{"x": "v", "c": "b"}] * 6 + [{"x": "v", "c": "z"}]
    assert (
        cross_validate(rows, "c", threshold="0.999", folds=3).confusion == cross_validate(rows, "c", folds=3).confusion
    )


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_no_smoothing_is_too_small_to_count(structure):
    """Probabilities that no float holds still decide, and are not impossible."""
    rows = (
        [{"x": "u", "y": "u", "c": "a"}] * 4 + [{"x": "v", "y": "v", "c": "b"}] * 4 + [{"x": "u", "y": "v", "c": "b"}]
    )
    tiny = cross_validate(rows, "c", alpha="1e-400", folds=3, structure=structure)
    small = cross_validate(rows, "c", alpha="1/1000", folds=3, structure=structure)
    assert tiny.impossible == 0
    assert (tiny.correct, tiny.confusion) == (small.correct, small.confusion)


def test_a_table_that_was_read_once_can_be_used_twice():
    boards = oddly.examples.tic_tac_toe_boards()[::20]
    columns = read_columns(boards)
    assert oddly.learn(columns, "x-wins") == oddly.learn(boards, "x-wins")
    assert cross_validate(columns, "x-wins", folds=3) == cross_validate(boards, "x-wins", folds=3)


def test_a_seed_is_a_whole_number_from_zero_on():
    with pytest.raises(oddly.ModelError, match="seed: expected a whole number from 0 on, found -1"):
        cross_validate([{"x": "u", "c": "a"}, {"x": "v", "c": "b"}], "c", folds=2, seed=-1)
