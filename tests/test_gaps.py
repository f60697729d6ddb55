# SPDX-License-Identifier: Apache-2.0
"""Missing cells as tables write them, keys, dates and slips: what learning makes of a column, and classifying too."""

import csv
import json
import logging
from collections import Counter
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest

import oddly
from oddly.cli import main
from oddly.model.variable import BESIDE_NUMBERS

LAND = ["BW", "NA", "ZA"]
GAPS = ["NaN", "NA", "N/A", "?", "null", "None", "nan", "-", ".", "", "<NA>", "#N/A"]


def rows(number=120):
    """Numbers with gaps of every spelling, labels of which one is NA, and a class."""
    return [
        {
            "dose": GAPS[i // 10] if i % 10 == 3 else f"{(i * 37) % 101}.5",
            "children": "n/a" if i % 30 == 7 else str(i % 4),
            "land": LAND[i % 3],
            "class": "ill" if (i * 37) % 101 > 60 else "well",
        }
        for i in range(number)
    ]


def written(path, table):
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, list(table[0]))
        out.writeheader()
        out.writerows(table)
    return path


def in_hand(table, name, number_of):
    """The frequencies of a column given the class, counted row by row."""
    found = Counter((row["class"], number_of(row[name])) for row in table)
    total = Counter(row["class"] for row in table if number_of(row[name]) is not None)
    return {(c, v): Fraction(n, total[c]) for (c, v), n in found.items() if v is not None}


def cut_at_50(text):
    return None if text in GAPS else ("<50" if float(text) < 50 else ">=50")


def test_gaps_beside_numbers_are_missing_and_the_rest_is_counted_as_by_hand():
    model = oddly.learn(rows(), "class", bins={"dose": [50]})
    dose, children, land = model.attributes
    assert dose.values == ("<50", ">=50")
    expected = in_hand(rows(), "dose", cut_at_50)
    assert {(c, v): p for c, row in dose.given.items() for v, p in zip(dose.values, row, strict=True) if p} == expected
    assert children.values == ("0", "1", "2", "3")
    assert land.values == tuple(LAND)  # among labels, NA is one


def test_what_was_missing_is_said_once_for_each_column(caplog):
    with caplog.at_level(logging.WARNING, "oddly"):
        oddly.learn(rows(), "class", bins="mdl")
    dose, children = caplog.messages
    assert dose.startswith("dose: the texts ")
    assert "NA (1)" in dose
    assert "<NA> (1)" in dose
    assert children == "children: the texts n/a (4) are taken for missing, as its other cells are numbers"


@pytest.mark.parametrize("missing", ["skip", "drop", "value"])
def test_every_way_of_reading_gives_the_same_model(tmp_path, missing):
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyarrow import feather, parquet

    table = rows()
    path = written(tmp_path / "t.csv", table)
    arrow = pa.table({name: [row[name] for row in table] for name in table[0]})
    parquet.write_table(arrow, tmp_path / "t.parquet")
    feather.write_feather(arrow, tmp_path / "t.feather")
    how = {"target": "class", "bins": "mdl", "missing": missing}
    expected = oddly.learn(table, **how)
    frames = [pd.DataFrame(table), pl.DataFrame(table), arrow]
    for other in (path, tmp_path / "t.parquet", tmp_path / "t.feather", *frames):
        assert oddly.learn(other, **how) == expected
    for file in ("t.csv", "t.parquet"):
        big = oddly.learn(tmp_path / file, via="duckdb", **how)
        assert big == expected
        assert big.learned_columns == expected.learned_columns


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_learned_and_classified_cells_agree(structure, tmp_path):
    """The decision on a row with a gap is the one on the same row with the value ?."""
    table = rows()
    model = oddly.learn(table, "class", bins="mdl", missing="value", alpha=1, structure=structure)
    odd = oddly.compile(model)
    plain = [{n: "?" if n != "land" and (c in GAPS or c == "n/a") else c for n, c in row.items()} for row in table]
    assert (odd.encode(table) == odd.encode(plain)).all()
    path = written(tmp_path / "t.csv", table)
    by_file, by_hand = (oddly.count(odd, under=table).to_json()["probability"] for table in (path, plain))
    assert by_file == by_hand
    odd.save(tmp_path / "m.odd")
    assert (oddly.load(tmp_path / "m.odd").encode(table) == odd.encode(plain)).all()


def test_a_row_to_add_may_have_gaps():
    model = oddly.learn(rows(), "class", bins={"dose": [50]})
    gap, none = ({"dose": cell, "children": "1", "land": "NA", "class": "ill"} for cell in ("N/A", None))
    assert oddly.added_rows(model, [gap]) == oddly.added_rows(model, [none])


def test_own_texts_are_missing_in_every_column_numbers_included(tmp_path):
    table = [{"x": -999 if i % 5 == 0 else i % 50, "y": "unknown" if i % 7 == 0 else "ab"[i % 2]} for i in range(100)]
    for i, row in enumerate(table):
        row["class"] = "pq"[i % 50 > 20]
    how = {"target": "class", "bins": {"x": [25]}, "missing": "value", "missing_text": ["-999", "unknown"]}
    path = written(tmp_path / "t.csv", table)
    model = oddly.learn(path, **how)
    assert [a.values for a in model.attributes] == [("<25", ">=25", "?"), ("a", "b", "?")]
    x = in_hand(table, "x", lambda n: "?" if n == -999 else "<25" if n < 25 else ">=25")
    assert model.attributes[0].given["p"] == tuple(x.get(("p", v), 0) for v in model.attributes[0].values)
    assert oddly.learn(path, via="duckdb", **how) == model
    assert oddly.learn({n: [row[n] for row in table] for n in table[0]}, **how) == model
    columns = {"x": np.array([row["x"] for row in table], float), "y": [row["y"] for row in table]}
    assert oddly.learn({**columns, "class": [row["class"] for row in table]}, **how) == model
    oddly.write(model, tmp_path / "m.json")
    odd = oddly.compile(oddly.read(tmp_path / "m.json"))
    for cells in (["-999", "-999.0", "-998"], np.array([-999.0, -999, -998])):
        assert odd.encode({"x": cells, "y": ["a"] * 3})[:, 0].tolist() == [2, 2, 0]


def test_no_texts_of_ones_own_leave_only_empty_cells_and_question_marks():
    table = {"x": ["1", "2", "NA", "?"] * 3, "class": ["p", "q", "p", "q"] * 3}
    assert oddly.learn(table, "class", missing_text=[]).attributes[0].values == ("1", "2", "NA")
    assert oddly.learn(table, "class").attributes[0].values == ("1", "2")


def test_declared_values_stay_values():
    table = {"x": ["1", "2", "NA"] * 3, "class": ["p", "q", "p"] * 3}
    assert oddly.learn(table, "class", values={"x": ["1", "2", "NA"]}).attributes[0].values == ("1", "2", "NA")


@pytest.mark.parametrize("text", sorted(BESIDE_NUMBERS))
def test_every_usual_text_is_missing_in_any_case(text):
    table = {"x": ["1", text.upper(), "2", text] * 2, "class": ["p", "q", "q", "p"] * 2}
    assert oddly.learn(table, "class").attributes[0].values == ("1", "2")


def test_a_column_that_is_nearly_a_key_is_left_out_unless_it_is_named():
    table = {"name": [f"n{i}" for i in range(100)], "x": list("ab") * 50, "class": list("ppqq") * 25}
    model = oddly.learn(table, "class")
    assert [v.name for v in model.variables] == ["x"]
    assert [(c.name, c.became) for c in model.learned_columns] == [
        ("name", "left out"),
        ("x", "labels"),
        ("class", "class"),
    ]
    assert len(oddly.learn(table, "class", bins={"name": "labels"}).attributes[0].values) == 100
    assert len(oddly.learn(table, "class", values={"name": table["name"]}).attributes[0].values) == 100
    assert oddly.cross_validate(table, "class").rows == 100


def test_numbers_with_a_slip_are_refused_with_what_to_say():
    table = {"x": [*range(50), "error"], "class": [*"pq" * 25, "p"]}
    for bins in (None, "mdl"):
        with pytest.raises(oddly.ModelError, match=r"column x: numbers, but for 'error'.+missing_text=\[\"error\"\]"):
            oddly.learn(table, "class", bins=bins)
    assert oddly.learn(table, "class", bins="mdl", missing_text=["error"]).attributes[0].bins is not None


DAYS = [date(2024, 1, 1) + timedelta(days=i) for i in range(60)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%d %b %Y"])
def test_dates_are_refused_with_what_to_do(form):
    table = {"when": [day.strftime(form) for day in DAYS], "class": list("pq") * 30}
    with pytest.raises(oddly.ModelError, match="column when: dates, such as .+the year, the month"):
        oddly.learn(table, "class", bins="mdl")
    assert oddly.learn(table, "class", leave_out="when").variables == ()


def test_columns_typed_as_dates_are_refused_too():
    import pandas as pd

    with pytest.raises(oddly.ModelError, match="column when: dates"):
        oddly.learn(pd.DataFrame({"when": pd.to_datetime(DAYS), "class": list("pq") * 30}), "class")


@pytest.fixture
def run(capsys):
    def call(*arguments, code=0):
        assert main([str(a) for a in arguments]) == code, capsys.readouterr()
        return capsys.readouterr()

    return call


def test_the_command_says_what_each_column_became(tmp_path, run):
    path = written(tmp_path / "t.csv", [{"id": f"i{i}", **row} for i, row in enumerate(rows())])
    told = run("learn", path, "--target", "class", "--bins", "dose=50", "-o", tmp_path / "m.json").err
    assert "left out: 120 different values in 120 cells, nearly a key" in told
    assert "bins: <50, >=50" in told
    assert "4 missing, n/a (4): skipped" in told
    found = json.loads(run("learn", path, "--target", "class", "--bins", "dose=50", "--json").out)["columns"]
    assert [c["became"] for c in found] == ["left out", "bins", "labels", "labels", "class"]
    assert found[1]["bins"]["cuts"] == ["50"]
    assert found[1]["missing"] == 12
    assert sum(found[1]["missing_texts"].values()) == 10  # the empty cell and ? are missing anywhere


def test_the_command_says_how_to_name_a_text(tmp_path, run):
    path = written(tmp_path / "t.csv", [{"x": "off" if i == 9 else i, "class": "pq"[i % 2]} for i in range(60)])
    asked = ("learn", path, "--target", "class", "--bins", "mdl")
    assert "--missing-text=off" in run(*asked, code=2).err
    run(*asked, "--missing-text=off")
