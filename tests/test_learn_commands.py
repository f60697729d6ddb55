# SPDX-License-Identifier: Apache-2.0
"""`oddly learn` and `oddly classify` on tables of every kind, with measurements and gaps."""

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path

import pytest

import oddly
from oddly.cli import main
from oddly.cli.learn import bins_of
from oddly.learning import Options
from oddly.questions.cross_validate import cross_validate

CSV = "id,age,smoker,class\n1,22.5,no,well\n2,25,no,well\n3,31,yes,well\n4,38,?,ill\n5,44,yes,ill\n6,59,no,ill\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CSV)

    def call(*arguments, code=0):
        assert main(arguments) == code, capsysbinary.readouterr()
        out, err = capsysbinary.readouterr()
        return out.decode(), err.decode()

    return call


def test_every_option_of_learn_reaches_the_library(run):
    options = ["--bins", "age=30,40.5", "--missing", "value", "--leave-out", "id", "--values", "smoker=yes,no"]
    run("learn", "t.csv", "--target", "class", "--positive", "ill", "--alpha", "1/2", *options, "-o", "m.json")
    how = {"bins": {"age": [30, "40.5"]}, "missing": "value", "leave_out": ["id"], "values": {"smoker": ["yes", "no"]}}
    assert oddly.read("m.json") == oddly.learn("t.csv", "class", "ill", "1/2", **how)
    run("learn", "t.csv", "--target", "class", "--bins", "width:2", *options[4:], "--structure", "kdb", "-o", "n.json")
    how = {"bins": "width:2", "leave_out": ["id"], "values": how["values"], "structure": "kdb"}
    assert oddly.read("n.json") == oddly.learn("t.csv", "class", **how)


def test_measurements_are_refused_with_advice_one_can_type(run):
    _, err = run("learn", "t.csv", "--target", "class", code=2)
    assert "column age (6 different numbers)" in err
    assert "--bins mdl, or --bins age=10,20; or keep them as labels: --bins age=labels." in err
    _, err = run("learn", "t.csv", "--target", "class", "--bins", "30,40", code=2)
    assert "--bins COLUMN=30,40" in err
    _, err = run("learn", "t.csv", "--target", "class", "--bins", "mdl", "--bins", "width:2", code=2)
    assert "all columns twice" in err
    _, err = run("learn", "t.csv", "--target", "class", "--values", "smoker", code=2)
    assert "expected COLUMN=VALUE" in err


def test_a_column_may_have_an_equals_sign_in_its_name():
    assert bins_of(["a=b=mdl"]) == {"a=b": "mdl"}
    assert bins_of(["a=-1,2/3, 4"]) == {"a": ["-1", "2/3", "4"]}


def test_folds_tell_the_accuracy(run):
    arguments = [
        "learn",
        "t.csv",
        "--target",
        "class",
        "--bins",
        "age=35",
        "--leave-out",
        "id",
        "--folds",
        "3",
        "--seed",
        "2",
    ]
    found = cross_validate("t.csv", "class", folds=3, seed=2, bins={"age": [35]}, leave_out=["id"])
    out, err = run(*arguments, "--json")
    assert json.loads(out)["accuracy"] == found.to_json()
    assert str(found) in err


def test_declared_values_that_never_occur_are_told(run, caplog):
    run("learn", "t.csv", "--target", "class", "--bins", "labels", "--values", "smoker=no,once,yes")
    assert "smoker: once never observed, so left out" in caplog.text


LEARNED = [
    "learn",
    "t.csv",
    "--target",
    "class",
    "--bins",
    "age=30,40.5",
    "--missing",
    "value",
    "--leave-out",
    "id",
    "-o",
    "m.json",
]


@pytest.mark.parametrize("kind", ["csv", "tsv", "arff", "parquet", "feather"])
def test_classify_takes_raw_numbers_from_every_kind_of_table(run, kind, tmp_path):
    run(*LEARNED)
    odd = oddly.compile("m.json")
    rows = [{"age": a, "smoker": s} for a, s in (("22.5", "no"), ("40.5", "yes"), ("31", "?"))]
    expected = list(odd.classify(rows))
    write(tmp_path / f"rows.{kind}", rows)
    out, _ = run("classify", "m.json", f"rows.{kind}")
    found = list(csv.DictReader(io.StringIO(out)))
    assert [row["class"] for row in found] == expected
    assert [float(row["age"]) for row in found] == [22.5, 40.5, 31]


def write(path, rows):
    lines = [",".join(row.values()) for row in rows]
    if path.suffix == ".arff":
        head = "@relation r\n@attribute age real\n@attribute smoker {yes,no}\n@data\n"
        path.write_text(head + "\n".join(lines))
    elif path.suffix in (".csv", ".tsv"):
        text = "\n".join(["age,smoker", *lines])
        path.write_text(text if path.suffix == ".csv" else text.replace(",", "\t"))
    else:
        pa = pytest.importorskip("pyarrow")
        from pyarrow import feather, parquet

        table = pa.table(
            {
                "age": [float(row["age"]) for row in rows],
                "smoker": [None if r["smoker"] == "?" else r["smoker"] for r in rows],
            }
        )
        (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)


def test_one_case_may_be_typed_with_its_number(run):
    run(*LEARNED)
    for age, smoker in (("29.99", "no"), ("30", "no"), ("[30, 40.5)", "no"), ("50", "?")):
        expected = oddly.compile("m.json").classify([{"age": age, "smoker": smoker}])[0]
        assert run("classify", "m.json", f"age={age}", f"smoker={smoker}")[0] == f"{expected}\n"
    _, err = run("classify", "m.json", "age=old", "smoker=no", code=2)
    assert "age=old.  age is a number, or one of <30; [30, 40.5); >=40.5." in err


def test_a_saved_diagram_still_knows_its_cuts(run):
    run(
        "learn",
        "t.csv",
        "--target",
        "class",
        "--bins",
        "age=30,40.5",
        "--missing",
        "drop",
        "--leave-out",
        "id",
        "-o",
        "m.json",
    )
    run("compile", "m.json", "-o", "m.odd")
    rows = [{"age": 40.5, "smoker": "no"}, {"age": "12", "smoker": "yes"}]
    assert list(oddly.load("m.odd").classify(rows)) == list(oddly.compile("m.json").classify(rows))


def test_folds_work_on_a_pipe_which_can_be_read_once(run):
    os.mkfifo("pipe.csv")
    how = ["--target", "class", "--bins", "age=35", "--folds", "3", "--json"]
    with ThreadPoolExecutor() as pool:
        told = pool.submit(Path("pipe.csv").write_text, CSV)
        out, _ = run("learn", "pipe.csv", *how)
        told.result(10)
    assert json.loads(out) == json.loads(run("learn", "t.csv", *how)[0])


def test_a_seed_that_is_none_and_a_column_without_a_name_are_mistakes_not_bugs(run):
    _, err = run("learn", "t.csv", "--target", "class", "--bins", "age=35", "--folds", "3", "--seed", "-1", code=2)
    assert "seed: expected a whole number from 0 on, found -1" in err
    Path("t.csv").write_text(CSV.replace("id,", ",", 1))
    _, err = run("learn", "t.csv", "--target", "class", "--bins", "age=35", code=2)
    assert 'column 1 has no name.  Give it one, or leave it out: --leave-out "".' in err
    run("learn", "t.csv", "--target", "class", "--bins", "age=35", "--leave-out", "")


def test_decisions_can_be_written_to_a_pipe(run):
    run("learn", "t.csv", "--target", "class", "--bins", "age=35", "--missing", "value", "-o", "m.json")
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        told = pool.submit(Path("pipe").read_text)
        run("classify", "m.json", "t.csv", "-o", "pipe")
        assert told.result(10) == run("classify", "m.json", "t.csv")[0]


def test_folds_say_that_rows_are_read_into_memory_and_refuse_what_does_not_fit(run, monkeypatch):
    pytest.importorskip("duckdb")
    options = ["--target", "class", "--bins", "age=30,40", "--leave-out", "id", "--alpha", "1", "--folds", "2"]
    out, err = run("learn", "t.csv", *options, "--via", "duckdb", "--json")
    assert "--folds: all rows of t.csv are read into memory" in err
    there = run("learn", "t.csv", *options, "--json")[0]
    assert json.loads(out) == json.loads(there)
    monkeypatch.setattr("oddly.learning.big.free_memory", lambda: 100)
    for via in ("auto", "memory", "duckdb"):
        out, err = run("learn", "t.csv", *options, "--via", via, "--json", code=3)
        assert json.loads(out)["kind"] == "TooLarge"
        assert "t.csv: " in err
        assert "cross-validation reads all rows into memory" in err
    run("learn", "t.csv", *options[:-2], "--via", "duckdb", "--json")


def test_a_column_whose_name_holds_an_equals_sign_is_declared_in_quotes(run, tmp_path):
    (tmp_path / "odd.csv").write_text("a=b,class\nS,yes\nM,no\n")
    out, _ = run("learn", "odd.csv", "--target", "class", "--alpha", "1", "--values", '"a=b"=S,M,"x=y"')
    assert json.loads(out)["attributes"][0]["values"] == ["S", "M", "x=y"]


def test_options_have_the_defaults_of_learn():
    of, learn = (signature(f).parameters for f in (Options, oddly.learn))
    assert list(of) == [name for name in learn if name not in ("table", "columns", "via", "limits")]
    assert all(of[name].default == learn[name].default for name in of)
