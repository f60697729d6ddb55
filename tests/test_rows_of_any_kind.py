# SPDX-License-Identifier: Apache-2.0
"""One row, whatever it comes as: every question takes it, and says the same."""

from collections import namedtuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import oddly
from oddly import CPT, Bins, ModelError, NaiveBayes

MODEL = NaiveBayes(
    "repaid",
    ["yes", "no"],
    ["0.7", "0.3"],
    [
        CPT(
            "age",
            ["young", "middle", "old"],
            {"yes": ["0.2", "0.5", "0.3"], "no": ["0.5", "0.3", "0.2"]},
            Bins([30, 50]),
        ),
        CPT("grade", ["1", "2"], {"yes": ["0.8", "0.2"], "no": ["0.3", "0.7"]}),
        CPT("only", ["x"], {"yes": [1], "no": [1]}),
    ],
    threshold="0.75",
)
PLAIN = {"age": "middle", "grade": "1", "only": "x"}
RAW = {"id": 17, "age": 30.0, "grade": 1, "only": "x", "repaid": "no"}
FRAME = pd.DataFrame([RAW])
ROWS = {
    "a mapping with numbers": {name: value for name, value in RAW.items() if name != "id"},
    "a Series": FRAME.iloc[0],
    "a frame of one row": FRAME,
    "a polars frame": pl.DataFrame([RAW]),
    "an Arrow table": pa.table({name: [value] for name, value in RAW.items()}),
    "a named tuple": next(FRAME.itertuples()),
    "a named tuple of one's own": namedtuple("Row", RAW)(**RAW),
    "a record": FRAME.to_records(index=False)[0],
    "an array of one record": np.array([(30.0, 1, "x")], [("age", float), ("grade", int), ("only", "U1")]),
}
QUESTIONS = {
    "explain": lambda odd, row: oddly.explain(odd, row),
    "change": lambda odd, row: oddly.change(odd, row),
    "contributions": lambda odd, row: oddly.contributions(odd, row),
    "same_decision": lambda odd, row: oddly.same_decision(odd, row),
    "count": lambda odd, row: oddly.count(odd, given=row),
    "sample": lambda odd, row: oddly.sample(odd, 3, given=row),
    "restrict": lambda odd, row: odd.restrict(
        {n: v for n, v in row.items() if n != "repaid"} if isinstance(row, dict) else row
    ),
    "classify": lambda odd, row: odd.classify(row).tolist(),
    "classify several": lambda odd, row: odd.classify([row, row]).tolist(),
    "report": lambda odd, row: oddly.report(odd, cases=[row], seconds=60).section("case-1").data,
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_row_of_any_kind_is_asked_about_as_its_labels_are(question, kind):
    odd = oddly.compile(MODEL)
    ask = QUESTIONS[question]
    if question == "classify several" and kind in ("a frame of one row", "a polars frame", "an Arrow table"):
        pytest.skip("a list of frames is no list of rows")
    assert repr(ask(odd, ROWS[kind])) == repr(ask(odd, PLAIN))


def test_a_number_at_a_cut_lies_above_it_and_beside_it_below():
    odd = oddly.compile(MODEL)
    for age, label in [(29.999, "young"), (30, "middle"), (49.999, "middle"), (50, "old"), ("50.0", "old")]:
        assert odd.restrict(age=age) == odd.restrict(age=label)
        assert odd.restrict(pd.Series({"age": age})) == odd.restrict(age=label)


def test_a_missing_cell_and_a_strange_thing_are_refused():
    odd = oddly.compile(MODEL)
    with pytest.raises(oddly.UnknownValue, match="age is missing"):
        oddly.explain(odd, pd.Series({"age": float("nan"), "grade": 1, "only": "x"}))
    for strange in (3, "middle", ("middle", "1", "x"), object()):
        with pytest.raises(ModelError, match="expected a mapping"):
            oddly.explain(odd, strange)
    with pytest.raises(ModelError, match="a frame of 2"):
        oddly.explain(odd, pd.concat([FRAME, FRAME]))
    with pytest.raises(oddly.UnknownName, match="Did you mean 'age'"):
        oddly.explain(odd, {"agee": "middle", "grade": "1", "only": "x"})


def test_a_model_takes_numbers_too():
    assert MODEL.posterior({"age": 30, "grade": 1, "only": "x"}) == MODEL.posterior(PLAIN)
    assert MODEL.posterior(FRAME.iloc[0]) == MODEL.posterior(PLAIN)
    with pytest.raises(oddly.UnknownValue):
        MODEL.posterior({"age": "forty", "grade": 1, "only": "x"})
