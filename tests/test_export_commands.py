# SPDX-License-Identifier: Apache-2.0
"""`oddly export`, and the methods of models and diagrams: what they write, and what they refuse."""

import json
import sqlite3
import subprocess
import sys

import pytest

import oddly
from oddly import Bins, Points, Scoreboard, Scorecard, Tally
from oddly.cli import main
from oddly.errors import TooLarge, Unsupported

TARGETS = ["sql", "python", "javascript", "c", "dddmp", "cnf", "graphml"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command, in a folder with models; its output if it ends as expected."""
    monkeypatch.chdir(tmp_path)
    model = oddly.examples.pregnancy()
    oddly.write(model, "old.json")
    oddly.write(model.replace(prior=["0.6", "0.4"]), "new.json")
    odd = oddly.compile(model)
    (odd & odd).save("both.odd")
    oddly.write(
        Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"]), "board.json"
    )
    oddly.write(Scorecard([Points("age", ["<30", ">=30"], [0, 1], Bins([30]))], cutoff=1), "card.json")

    def command(*words, code=0):
        assert main([*words]) == code
        return capsys.readouterr()

    return command


def words(target):
    return ["--to", target, *(["--dialect", "duckdb"] if target == "sql" else [])]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_is_written_to_stdout_a_file_or_json_and_says_where_it_comes_from(run, target, tmp_path):
    printed = run("export", "old.json", *words(target)).out
    run("export", "old.json", *words(target), "-o", "made")
    told = json.loads(run("export", "old.json", *words(target), "--json").out)
    assert printed == (tmp_path / "made").read_text() == told["text"]
    assert told["digest"] in printed
    assert told["certificate"] in printed
    assert told["certificate"].startswith("Certificate: proven")
    assert json.loads(run("export", "old.json", *words(target), "-o", "made", "--json").out)["written"] == "made"


@pytest.mark.parametrize("target", TARGETS)
def test_a_combined_diagram_and_many_classes_are_written_too(run, target):
    assert "No model, a combined diagram" in run("export", "both.odd", *words(target)).out
    label = ["--label", "rain"] if target in ("dddmp", "cnf") else []
    assert "none was rounded" in run("export", "board.json", *words(target), *label).out


def test_sql_runs_with_what_is_asked_for_beside_the_decision(run):
    asked = ["--table", "main.cows", "--column", "said", "--with", "score", "--with", "reason", "--against", "new.json"]
    text = run("export", "old.json", "--to", "sql", "--dialect", "sqlite", *asked).out
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE cows (U, B, S)")
    table.executemany("INSERT INTO cows VALUES (?, ?, ?)", [("+ve", "+ve", "-ve"), ("+ve", "+ve", "+ve")])
    found = table.execute(text)
    assert [column[0] for column in found.description] == ["U", "B", "S", "said", "score", "reason", "other"]
    assert [(*row[:4], round(row[4], 3), *row[5:]) for row in found] == [
        ("+ve", "+ve", "-ve", "yes", 3.327, "U=+ve", "no")
    ]


def test_a_column_of_texts_is_cut_when_it_is_said_to_be_one(run):
    number = run("export", "card.json", "--to", "sql", "--dialect", "postgres").out
    text = run("export", "card.json", "--to", "sql", "--dialect", "postgres", "--type", "age=text").out
    assert '"t"."age" < 30' in number
    assert "AS DECIMAL) < 30" in text or "AS NUMERIC) < 30" in text


def test_options_of_compiling_are_heard(run):
    first = run("export", "both.odd", "--to", "cnf").out
    other = run("export", "old.json", "--to", "cnf", "--order", "S,B,U").out
    assert 'c 1: of the place from 0 on of "S"' in other
    assert 'c 1: of the place from 0 on of "S"' not in first


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("old.json --to sql", "--dialect says for which engine: duckdb, postgres"),
        ("old.json --to sql --dialect postgers", "Did you mean 'postgres'"),
        ("old.json --to java", "java"),
        ("old.json --to c --dialect duckdb", "--dialect is of sql, not of c"),
        ("old.json --to c --label yes", "--label is of dddmp and cnf, not of c"),
        ("old.json --to sql --dialect duckdb --label yes", "--label is of dddmp and cnf, not of sql"),
        ("old.json --to sql --dialect duckdb --column=", "a column has a name"),
        ("old.json --to sql --dialect duckdb --with luck", "no column 'luck'"),
        ("old.json --to sql --dialect duckdb --type U", "--type: expected NAME= and one of text, number, boolean"),
        ("old.json --to sql --dialect duckdb --type V=text", "no attribute 'V'"),
        ("both.odd --to sql --dialect duckdb --with score", "a score is of one sum"),
        ("board.json --to sql --dialect duckdb --with reason", "a choice among 3 classes"),
        ("board.json --to sql --dialect duckdb --against old.json", "different labels"),
        ("board.json --to cnf", "say which of sun, rain, snow"),
        ("old.json --to cnf --label maybe", "maybe"),
        ("old.json --to c -o old.json", "that is the input"),
        ("nothing.json --to c", "nothing.json"),
    ],
)
def test_what_cannot_be_exported_says_why_and_exits_with_2(run, line, said):
    assert said in run("export", *line.split(), code=2).err


def test_limits_stop_it_with_3(run):
    assert "nodes" in run("export", "old.json", "--to", "cnf", "--max-nodes", "2", code=3).err
    with pytest.raises(TooLarge):
        oddly.export.to_sql(oddly.examples.tic_tac_toe(), "duckdb", max_nodes=3)


def test_models_and_diagrams_have_their_sql_as_a_method():
    model = oddly.examples.pregnancy()
    odd = oddly.compile(model)
    assert (
        odd.to_sql("duckdb", table="rows") == model.to_sql("duckdb", table="rows") == oddly.export.to_sql(odd, "duckdb")
    )
    assert '"decision"' in odd.to_sql("duckdb")
    assert "other" in model.to_sql("sqlite", against=odd)


def test_without_sqlglot_an_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(Unsupported, match=r"pip install 'oddly\[sql\]'"):
        oddly.examples.pregnancy().to_sql("duckdb")


def test_without_another_library_an_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(Unsupported, match="pip install networkx"):
        oddly.export.to_networkx(oddly.examples.pregnancy())


def test_a_scorecard_too_large_for_a_diagram_is_written_without_one(run):
    oddly.write(
        Scorecard([Points(f"a{i}", ["x", "y"], [0, 2**i]) for i in range(50)], cutoff=2**49 + 12345), "large.json"
    )
    for target in ("sql", "python", "javascript", "c"):
        assert "none was rounded" in run("export", "large.json", *words(target), "--max-nodes", "1000").out
    run("export", "large.json", "--to", "python", "-o", "large.py")
    assert subprocess.run([sys.executable, "large.py"]).returncode == 0
