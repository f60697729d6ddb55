# SPDX-License-Identifier: Apache-2.0
"""Files larger than memory: DuckDB's counts give the models that memory gives."""

import os
import random

import pytest

import oddly
from oddly.learning import big

pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")

ODD_NAMES = ['a "quoted" one', "select", "it's; DROP TABLE data", "naïve é", "class"]


def rows(n=300):
    draw = random.Random(4)
    for _ in range(n):
        c = draw.choice("yn")
        yield {
            ODD_NAMES[0]: draw.choice(["x", " x ", "y, z", "?", None, "it's", 'say "hi"']),
            ODD_NAMES[1]: draw.choice([1, 2, 10]),
            ODD_NAMES[2]: round(draw.gauss(c == "y", 1), 2) if draw.random() < 0.9 else float("nan"),
            ODD_NAMES[3]: draw.choice(["True", "False", None]),
            "class": c if draw.random() < 0.95 else draw.choice(["", None]),
        }


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    import pandas as pd
    from pyarrow import csv, parquet

    room = tmp_path_factory.mktemp("it's here")
    table = pa.Table.from_pylist(list(rows()))
    narrow = table.set_column(2, table.schema.field(2).name, table.column(2).cast(pa.float32()))
    parquet.write_table(narrow, room / "t.parquet", row_group_size=64)
    csv.write_csv(pa.Table.from_pandas(table.to_pandas(), preserve_index=False), room / "t.csv")
    pd.DataFrame(list(rows())).to_csv(room / "t.tsv", sep="\t", index=False)
    return room


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"missing": "drop", "alpha": "1/2"},
        {"missing": "value", "bins": {"*": "frequency:4"}},
        {"structure": "tan", "alpha": 1},
        {"structure": "tan", "missing": "value"},
        {"structure": "kdb", "k": 2, "missing": "drop"},
        {"bins": {"*": [0, "0.5"]}, "leave_out": ["select"], "values": {ODD_NAMES[3]: ["False", "maybe", "True"]}},
    ],
)
def test_duckdb_learns_what_memory_learns(tables, name, options):
    options = {"bins": "mdl", **options}
    found = oddly.learn(tables / name, "class", "y", via="duckdb", **options)
    assert found == oddly.learn(tables / name, "class", "y", via="memory", **options)
    assert getattr(found, "learned", None) == getattr(oddly.learn(tables / name, "class", **options), "learned", None)


def test_a_large_file_goes_to_duckdb_by_itself(tables, monkeypatch):
    seen = []
    real = big._opened
    monkeypatch.setattr(big, "_opened", lambda base, path: seen.append(path) or real(base, path))
    whole = oddly.learn(tables / "t.csv", "class", bins="mdl")
    assert not seen
    monkeypatch.setattr(big, "free_memory", lambda: 1000)
    assert oddly.learn(tables / "t.csv", "class", bins="mdl") == whole
    assert seen == [tables / "t.csv"]


def test_measurements_are_refused_and_errors_are_sentences_there_too(tables, tmp_path):
    with pytest.raises(oddly.ModelError, match="measurements, it seems"):
        oddly.learn(tables / "t.csv", "class", via="duckdb")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n1\n")
    (tmp_path / "bad.parquet").write_text("not really")
    for name in ("bad.csv", "bad.parquet"):
        with pytest.raises(oddly.FormatError, match=name):
            oddly.learn(tmp_path / name, "b", via="duckdb")
    with pytest.raises(oddly.FormatError, match="no such file"):
        oddly.learn(tmp_path / "none.csv", "b", via="duckdb")
    with pytest.raises(oddly.Unsupported, match="DuckDB reads CSV, TSV and Parquet files, not .arff"):
        oddly.learn(tmp_path / "t.arff", "b", via="duckdb")


def test_names_that_differ_in_case_only_are_refused_where_duckdb_cannot_tell_them_apart(tmp_path):
    from pyarrow import parquet

    table = pa.table({"a": ["1", "2"], "A": ["1", "1"], "c": ["x", "y"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(oddly.Unsupported, match="differ in case only"):
        oddly.learn(tmp_path / "t.parquet", "c", via="duckdb")
    (tmp_path / "t.csv").write_text("a,A,c\n1,1,x\n2,1,y\n")
    assert oddly.learn(tmp_path / "t.csv", "c", via="duckdb") == oddly.learn(table, "c")


def test_what_is_no_plain_file_is_not_called_absent(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(oddly.FormatError, match="not a plain file, as DuckDB needs"):
        oddly.learn(tmp_path / "pipe.csv", "c", via="duckdb")
    with pytest.raises(oddly.FormatError, match="no such file"):
        oddly.learn(tmp_path / "x.csv", "c", via="duckdb")
