# SPDX-License-Identifier: Apache-2.0
"""The command line: what it prints, what it writes, and how it ends."""

import csv
import io
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import oddly
from oddly import native
from oddly.cli import COMMANDS, main
from oddly.cli.demo import random_model

FIGURE_1 = oddly.examples.pregnancy()
CASES = [dict(zip("UBS", values, strict=True)) for values in product(["+ve", "-ve"], repeat=3)]


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in a fresh directory that holds figure1.json."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODDLY_TRACEBACK", raising=False)
    oddly.write(FIGURE_1, "figure1.json")

    def run(*arguments: object, code: int = 0) -> Ran:
        capsys.readouterr()
        found = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert found == code, err
        return Ran(found, out, err)

    return run


def decided_by_hand(case: dict[str, str]) -> str:
    return "yes" if FIGURE_1.posterior(case)[0] >= FIGURE_1.threshold else "no"


def put(name: str, rows: list[dict[str, str]]) -> Path:
    with open(name, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return Path(name)


def said(stderr: str) -> str:
    """What a command told the person, but for the sentence about the engine where the kernels are not built."""
    return stderr.replace(f"{native.WHY_NOT}\n", "")


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


# ---- as a whole ----


def test_version_and_help_name_the_program(run):
    assert run("--version").out == f"oddly {oddly.__version__}\n"
    assert "oddly demo" in run("--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_ends_with_an_example(run, command):
    text = run(command, "--help").out
    assert f"oddly {command}" in text.split("Example:")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_sentence_of_each(name):
    assert oddly.cli.command(name).__doc__.split("\n")[0] == COMMANDS[name][1]


def test_an_unknown_command_is_called_so(run):
    ran = run("frobnicate", "--json", code=2)
    assert "unknown command" in ran.err.lower()
    assert "frobnicate" in ran.json["error"]


def test_python_dash_m_is_the_same_program():
    ran = subprocess.run([sys.executable, "-m", "oddly", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"oddly {oddly.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile"],
        ["compile", "figure1.json", "--no-such-option"],
        ["compile", "figure1.json", "--engine", "steam"],
        ["compile", "figure1.json", "--max-nodes", "many"],
        ["compile", "figure1.json", "--max-nodes", "0"],
        ["compile", "figure1.json", "--max-memory", "lots"],
        ["compile", "figure1.json", "--max-memory", "0"],
        ["compile", "figure1.json", "extra"],
        ["compile", "figure1.json", "-o", "figure1.json"],
        ["compile", "figure1.json", "-o", "no/such/directory/x.odd"],
        ["learn", "figure1.json"],
        ["learn", "figure1.json", "--target", "x", "-o", "x.txt"],
        ["show", "figure1.json", "-o", "x.gif"],
        ["show", "figure1.json", "--format", "text", "-o", "figure1.json"],
        ["show", "figure1.json", "--instance", "U=+ve"],
        ["show", "figure1.json", "--format", "svg", "--instance", "U=+ve"],
        ["classify", "figure1.json"],
        ["classify", "figure1.json", "--no-such-option"],
        ["classify", "figure1.json", "U=+ve", "B"],
        ["classify", "figure1.json", "U=+ve", "B=-ve"],
        ["classify", "figure1.json", "U=+ve", "B=-ve", "S=+ve", "S=+ve"],
        ["classify", "figure1.json", "U=+ve", "B=-ve", "S=+ve", "-o", "x.csv"],
        ["combine", "figure1.json", "and", "figure1.json", "--max-nodes", "0"],
        ["diff", "figure1.json", "figure1.json", "--max-nodes", "0"],
        ["diff", "figure1.json", "figure1.json", "--max-memory", "lots"],
        ["diff", "figure1.json", "figure1.json", "--examples", "-1"],
        ["diff", "figure1.json", "figure1.json", "--impossible", "maybe"],
        ["order", "figure1.json", "--tries", "-1"],
        ["order", "figure1.json", "--jobs", "0"],
    ],
    ids=" ".join,
)
def test_bad_usage_ends_with_2_and_one_sentence(run, arguments):
    before = files()
    ran = run(*arguments, code=2)
    assert ran.err.startswith("oddly: ")
    assert ran.err.count("\n") == 1
    assert ran.out == ""
    assert files() == before


def test_a_value_that_starts_with_a_dash_is_explained(run):
    put("rows.csv", [{"a": "1", "c": "-ve"}, {"a": "2", "c": "+ve"}])
    assert "--positive=-ve" in run("learn", "rows.csv", "--target", "c", "--positive", "-ve", code=2).err
    model = run("learn", "rows.csv", "--target", "c", "--positive=-ve").json
    assert model["class"]["positive"] == "-ve"


# ---- how it ends ----


@pytest.mark.parametrize("command", ["compile", "show", "order"])
def test_a_missing_file_is_named(run, command):
    ran = run(command, "nowhere.json", code=2)
    assert ran.err == "oddly: nowhere.json: no such file\n"


def test_broken_json_is_shown_with_its_place(run):
    Path("broken.json").write_text('{"format": "oddly-model",\n "version": }')
    ran = run("compile", "broken.json", code=2)
    assert "broken.json:2:13" in ran.err
    assert ran.err.rstrip().endswith("^")


def test_a_wrong_threshold_is_named(run):
    model = json.loads(Path("figure1.json").read_text()) | {"threshold": "1.5"}
    Path("bad.json").write_text(json.dumps(model))
    assert "threshold" in run("compile", "bad.json", code=2).err


@pytest.mark.parametrize(
    ("order", "says"),
    [("ascnding", "'ascending'"), ("U,B", "S is missing"), ("U,B,X", "'X'"), ("U,B,S,S", "S stands twice")],
)
def test_a_wrong_order_is_explained(run, order, says):
    assert says in run("compile", "figure1.json", "--order", order, code=2).err


def test_work_beyond_a_limit_ends_with_3_and_advice_one_can_type(run):
    oddly.write(random_model(30), "large.json")
    ran = run("compile", "large.json", "--max-nodes", "1000", "-o", "large.odd", code=3)
    advised = ran.err.split("--max-nodes ")[-1].split(".")[0]
    assert int(advised) > 1000
    assert "--order best-of:100" in ran.err
    assert not Path("large.odd").exists()
    assert run("compile", "large.json", "--max-memory", "1K", "--json", code=3).json["kind"] == "TooLarge"


def test_a_diagram_that_is_not_proven_ends_with_1(run, monkeypatch):
    odd = oddly.compile(FIGURE_1)
    odd.__dict__["certificate"] = replace(odd.certificate, proven=False)
    monkeypatch.setattr(oddly, "compile", lambda *_, **__: odd)
    assert run("compile", "figure1.json", "--json", code=1).json["certificate"]["proven"] is False


def test_our_own_bug_ends_with_70_and_asks_for_a_report(run, monkeypatch):
    monkeypatch.setattr(oddly, "compile", lambda *_, **__: {}["nothing"])
    ran = run("compile", "figure1.json", code=70)
    assert "report" in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1
    monkeypatch.setenv("ODDLY_TRACEBACK", "1")
    assert "Traceback" in run("compile", "figure1.json", code=70).err


def test_running_out_of_memory_ends_with_3(run, monkeypatch):
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(oddly, "compile", greedy)
    assert "memory" in run("compile", "figure1.json", code=3).err


def test_an_interruption_ends_with_130(run, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(oddly, "compile", interrupted)
    assert run("compile", "figure1.json", code=130).err == "oddly: interrupted\n"


INTERRUPTIBLE = """
import sys
from oddly.cli import main
print("ready", file=sys.stderr, flush=True)
sys.exit(main())
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile", "large.json", "--engine", "numpy", "-o", "large.odd"],
        ["order", "small.json", "--tries", "1000000"],
    ],
    ids=["compile", "order"],
)
def test_ctrl_c_stops_long_work_at_once_and_leaves_no_file(tmp_path, arguments):
    oddly.write(random_model(50), tmp_path / "large.json")
    oddly.write(random_model(26), tmp_path / "small.json")
    before = set(tmp_path.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests may run with it ignored
    )
    assert process.stderr.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    sent = time.perf_counter()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, said(err)) == (130, "", "oddly: interrupted\n")
    assert time.perf_counter() - sent < 10
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", [["compile", "figure1.json"], ["order", "figure1.json", "--json"], ["--help"]])
def test_a_closed_pipe_ends_quietly(run, arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", "oddly", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert said(process.stderr.read().decode()) == ""
    assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(run):
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "oddly", "compile", "figure1.json", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ran.returncode, said(ran.stderr).count("\n")) == (2, 1)


# ---- compile ----


def test_figure_1_as_the_paper_prints_it(run):
    found = run("compile", "figure1.json", "--order", "U,B,S", "--json").json
    assert (found["size"], found["reduced_size"], found["widths"]) == (7, 5, [1, 2, 2, 2])
    assert found["order"] == ["U", "B", "S"]
    assert found["certificate"]["proven"] is True
    assert found["certificate"]["ties"] == "0"
    interval = found["interval"]
    assert (round(interval["low"], 6), round(interval["high"], 6)) == (0.771515, 3.479145)
    assert interval["unit"] == "log-odds"


def test_counts_are_decimal_strings_and_agree_with_counting_by_hand(run):
    found = run("compile", "figure1.json", "--json").json
    by_hand = [decided_by_hand(case) for case in CASES]
    assert found["instances"] == "8"
    assert found["counts"] == {label: str(by_hand.count(label)) for label in ("yes", "no")}


def test_the_text_of_compile_has_the_facts_and_no_escape_codes(run):
    text = run("compile", "figure1.json").out
    for fact in ("7 nodes; 5 reduced", "1 2 2 2", "B, U, S", "proven", "Pr(P=yes) is 0.87"):
        assert fact in text
    assert "\x1b" not in text


def test_the_text_of_compile_has_the_papers_interval_of_the_prior(run):
    line = next(line for line in run("compile", "figure1.json").out.splitlines() if line.startswith("prior"))
    ends = re.search(r"any from (\S+) to below (\S+) .*\(log-odds (\S+) to (\S+)\)", line).groups()
    low, high, low_log_odds, high_log_odds = map(float, ends)
    assert (round(low, 3), round(high, 3)) == (0.684, 0.970)
    assert (round(low_log_odds, 6), round(high_log_odds, 6)) == (0.771515, 3.479145)


def test_a_certain_prior_has_no_interval_and_an_open_end_is_null(run):
    certain = oddly.NaiveBayes("P", ["yes", "no"], ["1", "0"], FIGURE_1.attributes, threshold="0.9")
    oddly.write(certain, "certain.json")
    found = run("compile", "certain.json", "--json").json
    assert found["interval"] is None
    assert found["certificate"]["closest"] is None
    assert "it is certain" in run("compile", "certain.json").out
    oddly.write(FIGURE_1.replace(threshold=0), "always.json")
    ends = {"low": None, "high": None, "closed": "low", "unit": "log-odds"}
    assert run("compile", "always.json", "--json").json["interval"] == ends
    assert "any prior but 0 and 1" in run("compile", "always.json").out


def test_where_ties_are_negative_the_upper_end_belongs_to_the_stretch(run):
    card = oddly.Scorecard([oddly.Points("A", ["x", "y"], [1, 0])], cutoff=1, intercept=1, ties="negative")
    oddly.write(card, "strict.json")
    assert "any above 0 up to 1 leaves" in run("compile", "strict.json").out
    assert run("compile", "strict.json", "--json").json["interval"]["closed"] == "high"


def test_a_scorecard_speaks_in_points(run):
    card = oddly.Scorecard(
        [oddly.Points("age", ["young", "old"], [0, 2]), oddly.Points("owner", ["no", "yes"], [0, 1])],
        cutoff=2,
    )
    oddly.write(card, "card.json")
    assert run("compile", "card.json", "--json").json["interval"] == {
        "low": 0.0,
        "high": 1.0,
        "closed": "low",
        "unit": "points",
    }
    assert "0 points; any from 0 to below 1" in run("compile", "card.json").out


def test_an_interval_too_narrow_for_six_digits_gets_more(run):
    oddly.write(random_model(34), "narrow.json")
    line = next(line for line in run("compile", "narrow.json").out.splitlines() if line.startswith("prior"))
    low, high = line.split("any from ")[1].split(" leaves")[0].split(" to below ")
    assert float(low) < float(high)


@pytest.mark.parametrize("order", ["ascending", "descending", "ascending-finite", "as-given", "random:7", "best-of:5"])
def test_every_order_decides_alike(run, order):
    assert run("compile", "figure1.json", "--order", order, "--json").json["counts"]["yes"] == "5"


@pytest.mark.parametrize("engine", ["numpy", "reference"])
def test_every_engine_gives_the_same_diagram(run, engine):
    found = run("compile", "figure1.json", "--engine", engine, "--json").json
    assert (found["size"], found["engine"]) == (7, engine)


def test_a_name_with_a_comma_can_stand_in_an_order(run):
    odd_names = [replace_name(cpt, name) for cpt, name in zip(FIGURE_1.attributes, ["U, urine", "B", "S"], strict=True)]
    oddly.write(FIGURE_1.replace(attributes=odd_names), "names.json")
    command = run("order", "names.json", "--json").json["command"]
    assert run(*shlex.split(command)[1:], "--json").json["size"] == 7


def replace_name(cpt: oddly.CPT, name: str) -> oddly.CPT:
    return oddly.CPT(name, cpt.values, cpt.given)


def test_a_diagram_without_a_model_is_never_answered_from_in_silence(run, tmp_path, caplog):
    odd = oddly.compile(oddly.examples.pregnancy())
    (odd & odd).save(tmp_path / "bare.odd")
    odd.save(tmp_path / "whole.odd")
    rest = {
        "count": [],
        "check": ["--rule", "never no if S=+ve"],
        "explain": ["U=+ve", "B=+ve"],
        "show": [],
        "robust": [],
    }
    for command, more in rest.items():
        for file, said in (("bare.odd", True), ("whole.odd", False)):
            caplog.clear()
            run(command, file, *more)
            assert (f"{file}: not proven against its model" in caplog.text) == said
    caplog.clear()
    run("diff", "example:pregnancy", "bare.odd")
    assert "not proven" in caplog.text
    shown = subprocess.run(
        [sys.executable, "-m", "oddly", "count", "bare.odd"], capture_output=True, text=True, check=True
    )
    assert "not proven against its model" in shown.stderr


def test_a_saved_diagram_loads_equal(run):
    run("compile", "figure1.json", "-o", "figure1.odd")
    assert oddly.load("figure1.odd") == oddly.compile(FIGURE_1)


def test_a_failed_compile_leaves_the_old_file_as_it_was(run):
    Path("kept.odd").write_text("old")
    oddly.write(random_model(30), "large.json")
    run("compile", "large.json", "--max-nodes", "1000", "-o", "kept.odd", code=3)
    assert Path("kept.odd").read_text() == "old"
    assert files() == {"figure1.json", "large.json", "kept.odd"}


# ---- learn ----


def test_learn_prints_a_model_that_compiles_like_the_built_in_one(run):
    put("boards.csv", oddly.examples.tic_tac_toe_boards())
    ran = run("learn", "boards.csv", "--target", "x-wins", "--positive", "positive")
    Path("learned.json").write_text(ran.out)
    assert oddly.read("learned.json") == oddly.examples.tic_tac_toe()
    assert "x-wins=positive" in ran.err


def test_learn_writes_the_same_model_that_it_prints(run):
    put("boards.csv", oddly.examples.tic_tac_toe_boards())
    options = ["learn", "boards.csv", "--target", "x-wins", "--alpha", "1/2", "--threshold", "0.6"]
    told = run(*options, "-o", "learned.json", "--json").json
    assert told["written"] == "learned.json"
    assert json.loads(Path("learned.json").read_text()) == told["model"] == run(*options).json
    assert told["model"]["threshold"] == "0.6"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--target", "z"], "no column 'z'"),
        (["--target", "c", "--positive", "maybe"], "c=maybe"),
        (["--target", "c", "--alpha", "lots"], "alpha"),
        (["--target", "c", "--alpha=-1"], "alpha"),
        (["--target", "c", "--threshold", "1.5"], "threshold"),
    ],
)
def test_learn_says_what_is_wrong(run, options, says):
    put("rows.csv", [{"a": "1", "c": "yes"}, {"a": "2", "c": "no"}])
    assert says in run("learn", "rows.csv", *options, "-o", "m.json", code=2).err
    assert not Path("m.json").exists()


def test_learn_does_not_write_over_its_table(run):
    put("rows.json", [{"a": "1", "c": "yes"}, {"a": "2", "c": "no"}])
    before = Path("rows.json").read_text()
    assert "that is the input" in run("learn", "rows.json", "--target", "c", "-o", "./rows.json", code=2).err
    assert Path("rows.json").read_text() == before


# ---- classify ----


@pytest.mark.parametrize("source", ["figure1.json", "figure1.odd"])
def test_classify_decides_as_the_probabilities_do(run, source):
    run("compile", "figure1.json", "-o", "figure1.odd")
    put("rows.csv", CASES)
    rows = list(csv.DictReader(io.StringIO(run("classify", source, "rows.csv").out)))
    assert rows == [{**case, "P": decided_by_hand(case)} for case in CASES]


def test_classify_gives_counts_and_decisions_as_json(run):
    put("rows.csv", CASES)
    found = run("classify", "figure1.json", "rows.csv", "--json").json
    assert found["decisions"] == [decided_by_hand(case) for case in CASES]
    assert found["counts"] == {"yes": 5, "no": 3}


def test_classify_writes_a_file_and_prints_only_a_note(run):
    put("rows.csv", CASES)
    ran = run("classify", "figure1.json", "rows.csv", "-o", "out.csv")
    assert ran.out == ""
    assert "8 rows: 5 yes, 3 no" in ran.err
    assert Path("out.csv").read_text() == run("classify", "figure1.json", "rows.csv").out


def test_classify_never_takes_over_a_column(run):
    put("rows.csv", [{"P": "no", "note": "a, b", **CASES[0]}])
    assert run("classify", "figure1.json", "rows.csv").out.splitlines() == [
        "P,note,U,B,S,P (oddly)",
        'no,"a, b",+ve,+ve,+ve,yes',
    ]
    assert run("classify", "figure1.json", "rows.csv", "--column", "D").out.startswith("P,note,U,B,S,D\n")
    assert "'note' already" in run("classify", "figure1.json", "rows.csv", "--column", "note", code=2).err


def test_classify_reads_stdin(run, monkeypatch):
    table = io.TextIOWrapper(io.BytesIO("\ufeffU,B,S\n+ve, -ve ,+ve\n\n".encode()))
    monkeypatch.setattr(sys, "stdin", table)
    assert run("classify", "figure1.json", "-").out == "U,B,S,P\n+ve, -ve ,+ve,yes\n"


def test_one_case_can_be_typed(run):
    for case in CASES:
        typed = [f"{name}={value}" for name, value in case.items()]
        assert run("classify", "figure1.json", *typed).out == decided_by_hand(case) + "\n"
    assert run("classify", "figure1.json", *typed, "--json").json["decisions"] == ["no"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("U,B\n+ve,+ve\n", "rows.csv: no column 'S'"),
        ("U,B,S\n+ve,+ve,+ve\n+ve,maybe,+ve\n", "rows.csv: row 2: B=maybe.  B is one of +ve, -ve."),
        ("U,B,S\n+ve,+ve,+ve\n+ve,,+ve\n", "rows.csv: row 2: B is missing"),
        ("U,B,S\n+ve,+ve\n", "rows.csv: row 1: 3 columns expected, found 2"),
        ("U,B,S,S\n+ve,+ve,+ve,-ve\n", "'S' stands twice"),
    ],
)
def test_classify_names_the_row_and_the_column(run, text, says):
    Path("rows.csv").write_text(text)
    Path("out.csv").write_text("old")
    ran = run("classify", "figure1.json", "rows.csv", "-o", "out.csv", code=2)
    assert says in ran.err
    assert Path("out.csv").read_text() == "old"


def test_classify_says_which_value_is_unknown(run):
    assert "S=maybe.  S is one of" in run("classify", "figure1.json", "U=+ve", "B=-ve", "S=maybe", code=2).err
    assert "no attribute 'X'" in run("classify", "figure1.json", "X=+ve", code=2).err


def test_classify_does_not_write_over_its_inputs(run):
    put("rows.csv", CASES)
    for name in ("rows.csv", "figure1.json"):
        before = Path(name).read_text()
        assert "that is the input" in run("classify", "figure1.json", "rows.csv", "-o", name, code=2).err
        assert Path(name).read_text() == before


def test_compiling_options_are_refused_for_a_diagram(run):
    run("compile", "figure1.json", "-o", "figure1.odd")
    assert "compiled already" in run("show", "figure1.odd", "--order", "U,B,S", code=2).err
    assert "compiled already" in run("count", "figure1.odd", "--engine", "numpy", code=2).err
    run("count", "figure1.odd", "--max-nodes", "100", "--seconds", "60")  # limits are about questions too


def test_a_decision_that_is_none_names_the_class(run):
    assert "P=maybe.  P is one of no, yes." in run("count", "figure1.json", "--label", "maybe", code=2).err


# ---- show ----


def test_show_draws_text_that_names_every_attribute(run):
    text = run("show", "figure1.json").out
    for name in ("U", "B", "S", "yes", "no"):
        assert name in text
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("name", "start"), [("x.svg", "<svg"), ("x.dot", "digraph"), ("x.gv", "digraph"), ("x.txt", "")]
)
def test_show_takes_the_format_from_the_name(run, name, start):
    ran = run("show", "figure1.json", "-o", name)
    assert ran.out == ""
    assert start in Path(name).read_text()[:200]


def test_show_as_json_holds_the_drawing(run):
    run("compile", "figure1.json", "-o", "figure1.odd")
    case = ["--instance", "U=+ve", "--instance", "B=-ve", "--instance", "S=+ve"]
    found = run("show", "figure1.odd", "--format", "svg", *case, "--json").json
    assert found["format"] == "svg"
    assert "<svg" in found["drawing"]
    assert found["drawing"] != run("show", "figure1.odd", "--format", "svg").out


def test_show_levels_draws_more_nodes(run):
    reduced, levelled = (run("show", "figure1.json", "--format", "dot", *more).out for more in ([], ["--levels"]))
    assert levelled.count("label") > reduced.count("label")


def test_show_draws_a_part_or_more_as_its_advice_says(run):
    oddly.write(oddly.examples.tic_tac_toe(), "ttt.json")
    refused = run("show", "ttt.json", code=3).err
    assert "--given NAME=VALUE" in refused
    advised = refused.split("--most ")[1].rstrip(".\n")
    assert "top-left" in run("show", "ttt.json", "--most", advised).out
    assert "top-left" not in run("show", "ttt.json", "--given", "top-left=x").out
    assert "without --levels" in run("show", "ttt.json", "--levels", code=3).err


# ---- order ----


def test_order_finds_58_nodes_for_tic_tac_toe_and_says_how(run):
    oddly.write(oddly.examples.tic_tac_toe(), "ttt.json")
    found = run("order", "ttt.json", "--tries", "300", "--json").json
    assert (found["best"]["size"], found["ascending"]) == (58, 67)
    again = run(*shlex.split(found["command"])[1:], "--json").json
    assert (again["size"], again["order"]) == (58, found["best"]["order"])
    named = run("compile", "ttt.json", "--order", found["best"]["name"], "--json").json
    assert named["size"] == 58


def test_order_agrees_with_compiling_each_order(run):
    oddly.write(oddly.examples.tic_tac_toe(), "ttt.json")
    found = run("order", "ttt.json", "--tries", "4", "--seed", "10", "--json").json
    sizes = [oddly.compile("ttt.json", f"random:{seed}").size for seed in range(10, 14)]
    assert found["random"]["mean"] == sum(sizes) / 4
    assert (found["random"]["least"], found["random"]["greatest"]) == (min(sizes), max(sizes))
    assert found["descending"] == oddly.compile("ttt.json", "descending").size


def test_order_without_tries_compares_the_two_named_ones(run):
    found = run("order", "figure1.json", "--tries", "0", "--json").json
    assert found["random"]["mean"] is None
    assert "random" not in run("order", "figure1.json", "--tries", "0").out


# ---- demo ----


def test_the_demo_tells_the_figures_of_the_paper(run):
    ran = run("demo")
    text = " ".join(ran.out.split())
    for fact in (
        "7 nodes, 5 without",
        "5 are decided yes",
        "0.684 to just below 0.970",
        "0.771515 to 3.479145",
    ):
        assert fact in text
    for fact in ("first: 67 nodes", "orders: 58.", "1,099,511,627,776 inputs"):
        assert fact in text
    assert ("native" in text) or ("NumPy" in text)
    assert ran.err == ""


def test_the_demo_as_json_is_one_object(run):
    steps = run("demo", "--json").json["steps"]
    assert all(isinstance(step["title"], str) for step in steps)
    assert {"version", "engine"} <= set(steps[0])


# ---- diff, combine, round, rows ----


@pytest.fixture
def moved(run):
    oddly.write(FIGURE_1.replace(prior=["0.6", "0.4"]), "moved.json")
    return "moved.json"


def test_diff_says_who_is_decided_differently_and_ends_with_1(run, moved):
    found = run("diff", "figure1.json", moved, code=1)
    assert "they differ on 1 of 8 instances" in found.out
    assert "probability  " in found.out
    assert "U=+ve, B=+ve, S=-ve  yes → no" in found.out
    told = run("diff", "figure1.json", moved, "--json", code=1).json
    assert (told["equivalent"], told["count"], told["holds"], told["under"]) == (False, "1", False, "the first model")
    assert told["examples"] == [{"U": "+ve", "B": "+ve", "S": "-ve"}]


def test_diff_of_equals_ends_with_0(run):
    assert run("diff", "figure1.json", "example:pregnancy").out.startswith("The same classifier")
    assert run("diff", "figure1.json", "figure1.json", "--json").json["equivalent"] is True


def test_diff_as_json_lists_as_many_examples_as_asked_by_the_distribution_asked(run):
    oddly.write(FIGURE_1.replace(threshold="0.999"), "stricter.json")
    rows = put("rows.csv", [{"U": "+ve", "B": "+ve", "S": "-ve"}] * 2 + [{"U": "-ve", "B": "-ve", "S": "+ve"}])
    by_rows = [{"U": "+ve", "B": "+ve", "S": "-ve"}, {"U": "-ve", "B": "-ve", "S": "+ve"}]
    for number in range(4):
        options = ["--under", rows, "--examples", number, "--json"]
        told = run("diff", "figure1.json", "stricter.json", *options, code=1).json
        assert told["examples"] == by_rows[:number]
    assert told["under"] == "the rows of rows.csv"
    by_model = run("diff", "figure1.json", "stricter.json", "--json", code=1).json["examples"]
    assert by_model == by_rows[::-1]


def test_diff_as_json_tells_what_its_text_shows(run, moved):
    told = run("diff", "figure1.json", moved, "--json", code=1).json
    text = run("diff", "figure1.json", moved, code=1).out
    for lift in told["lifts"]:
        assert f"{lift['attribute']}={lift['value']}      100%   50.0%" in text
    assert len(told["lifts"]) == 3
    assert [box["allowed"] for box in told["boxes"]] == [{"B": ["+ve"], "U": ["+ve"], "S": ["-ve"]}]
    assert told["smallest"]["known"] == {"U": "+ve", "B": "+ve", "S": "-ve"}


def test_diff_reads_the_rows_even_of_equals(run):
    same = ["diff", "figure1.json", "figure1.json", "--under"]
    assert "nothing.csv: expected 'a', 'b', 'uniform' or a file of rows" in run(*same, "nothing.csv", code=2).err
    assert "U=maybe" in run(*same, put("rows.csv", [{**CASES[0], "U": "maybe"}]), code=2).err
    assert "There are two models, a and b" in run(*same, "model", code=2).err
    run(*same, put("rows.csv", CASES))


def test_diff_names_the_model_that_says_nothing_about_probabilities(run):
    oddly.write(FIGURE_1.replace(attributes=FIGURE_1.attributes[:2]), "without.json")
    told = run("diff", "figure1.json", "without.json", "--under", "b", code=2).err
    assert "model b (without.json) has no attribute S" in told


def test_diff_keeps_to_its_limits_and_to_the_choice_for_the_impossible(run, moved):
    told = run("diff", "figure1.json", moved, "--max-nodes", 3, code=3).err
    assert "Try oddly compile --order best-of:100 first, or --max-nodes" in told
    oddly.write(random_model(24), "large.json")
    assert "allowed" in run("diff", "large.json", "large.json", "--max-memory", "50K", code=3).err
    run("diff", "figure1.json", moved, "--max-nodes", 100, "--max-memory", "1G", code=1)
    cpt = [oddly.CPT(n, ["p", "n"], {"yes": ["1", "0"], "no": ["0", "1"]}) for n in "AB"]
    oddly.write(oddly.NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], cpt), "certain.json")
    oddly.write(oddly.Scorecard([oddly.Points(n, ["p", "n"], [1, 0]) for n in "AB"], 1), "card.json")
    run("diff", "certain.json", "card.json", "--impossible", "positive")
    run("diff", "certain.json", "card.json", code=1)


def test_diff_gates_on_a_tolerance(run, moved):
    assert "within it" in run("diff", "figure1.json", moved, "--max-changed", "0.05").out
    assert "exceeded" in run("diff", "figure1.json", moved, "--max-changed", "0.01", code=1).out
    rows = put("rows.csv", [{"U": "-ve", "B": "-ve", "S": "-ve"}, {"U": "+ve", "B": "+ve", "S": "-ve"}])
    told = run("diff", "figure1.json", moved, "--under", rows, "--max-changed", "0.5", "--json").json
    assert (told["changed"], told["holds"]) == (0.5, True)
    run("diff", "figure1.json", moved, "--max-changed", "2", code=2)


def test_diff_of_what_cannot_be_compared_says_why(run):
    card = oddly.Scorecard([oddly.Points("U", ["+ve", "0"], [1, 0])], class_values=["yes", "no"])
    oddly.write(card, "card.json")
    assert (
        "attribute U: the two sides have different values"
        in run("diff", "figure1.json", "card.json", "--values", "error", code=2).err
    )
    assert "no such file" in run("diff", "figure1.json", "nothing.json", code=2).err


def test_combine_writes_a_diagram_that_other_commands_read(run, moved):
    told = run("combine", "figure1.json", "xor", moved, "-o", "x.odd", "--json").json
    assert told["counts"] == {"yes": "1", "no": "7"}
    assert "○ no" in run("show", "x.odd").out
    assert run("combine", "figure1.json", "for-all", "S", "--json").json["counts"]["yes"] == "1"
    assert run("combine", "figure1.json", "not", "--json").json["counts"]["yes"] == "3"


def test_combine_restricts_to_what_is_known(run):
    for words in (["restrict", "figure1.json"], ["figure1.json", "restrict"]):
        run("combine", *words, "U=+ve", "B=-ve", "-o", "r.odd")
        odd = oddly.load("r.odd")
        assert odd.order == ("S",)
        for case in CASES:
            if (case["U"], case["B"]) == ("+ve", "-ve"):
                assert odd.classify([case])[0] == decided_by_hand(case)


@pytest.mark.parametrize(
    ("words", "truth"),
    [
        (["figure1.json", "and", "U=-ve or (B=+ve and S=-ve)"], lambda yes, rule: yes and rule),
        (["U=-ve or (B=+ve and S=-ve)", "implies", "figure1.json"], lambda yes, rule: yes or not rule),
        (["xor", "figure1.odd", "U=-ve or (B=+ve and S=-ve)"], lambda yes, rule: yes != rule),
        (["U=-ve or (B=+ve and S=-ve)", "or", "example:pregnancy"], lambda yes, rule: yes or rule),
    ],
)
def test_combine_takes_an_expression_for_a_side(run, words, truth):
    run("compile", "figure1.json", "--order", "S,U,B", "-o", "figure1.odd")
    run("combine", *words, "-o", "x.odd")
    odd = oddly.load("x.odd")
    for case in CASES:
        rule = case["U"] == "-ve" or (case["B"] == "+ve" and case["S"] == "-ve")
        assert (odd.classify([case])[0] == "yes") == truth(decided_by_hand(case) == "yes", rule)


def test_a_file_is_a_file_whatever_its_name(run):
    Path("figure1.json").rename("U=+ve")
    assert "oddly: U=+ve: " in run("combine", "U=+ve", "and", "example:pregnancy", code=2).err  # no model by its name


def test_combine_refuses_labels_of_different_names(run):
    card = oddly.Scorecard([oddly.Points("U", ["+ve", "-ve"], [1, 0])], class_values=["ja", "nein"])
    oddly.write(card, "ja.json")
    for command in (["combine", "figure1.json", "and", "ja.json"], ["diff", "figure1.json", "ja.json"]):
        assert "different labels: no, yes and nein, ja" in run(*command, code=2).err


def test_combine_keeps_to_its_limit(run, moved):
    board = oddly.examples.tic_tac_toe()
    oddly.write(board, "a.json")
    oddly.write(board.replace(threshold="0.7"), "b.json")
    size = run("combine", "a.json", "xor", "b.json", "--json").json["size"]
    assert size > 80
    assert "allowed" in run("combine", "a.json", "xor", "b.json", "--max-nodes", size - 1, code=3).err
    run("combine", "a.json", "xor", "b.json", "--max-nodes", size)
    oddly.write(FIGURE_1.replace(attributes=FIGURE_1.attributes[:2]), "without.json")
    assert "they differ on" in run("diff", "figure1.json", "without.json", code=1).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["and"], "and takes two diagrams, found 1"),
        (["not", "figure1.json"], "not takes one diagram"),
        (["for-all"], "for-all: name the attributes, such as"),
        (["for-all", "X"], "no attribute 'X'"),
        (["for-all", "U", "U"], "the name 'U' stands twice"),
        (["nand", "figure1.json"], "no operation 'nand'.  It is one of and, or,"),
        (["restrict"], "restrict: say what is known, such as B=+ve"),
        (["restrict", "U"], "expected NAME=VALUE, found 'U'"),
        (["restrict", "U=+ve", "U=-ve"], "U is given twice"),
        (["and", "nothing.json"], "nothing.json: no such file"),
        (["and", "nothing"], "nothing: no such file, and no expression such as NAME=VALUE"),
        (["and", "U=maybe"], "U is one of +ve, -ve."),
    ],
)
def test_a_combination_that_makes_no_sense_says_so(run, arguments, message):
    assert message in run("combine", "figure1.json", *arguments, code=2).err


def test_expressions_alone_have_no_attributes_to_be_about(run):
    assert "both sides are expressions" in run("combine", "U=+ve", "and", "B=+ve", code=2).err
    assert "not needs a model or a diagram" in run("combine", "not", "U=+ve", code=2).err


def test_round_shows_every_digit_tried(run):
    told = run("round", "example:tic-tac-toe", "--json").json
    assert (told["fewest"], told["fewest_of_weights"]) == (3, 3)
    assert [row["digits"] for row in told["probabilities"]] == [1, 2, 3]
    out = run("round", "example:tic-tac-toe").out
    assert out.startswith("3 digits after the point are enough.")
    assert {"probabilities 3 0 0% 0", "weights 3 0 0% 0"} <= {" ".join(line.split()) for line in out.splitlines()}
    run("round", "example:tic-tac-toe", "--most", "1", code=1)


def test_rows_says_which_row_would_change_a_decision(run):
    boards = oddly.examples.tic_tac_toe_boards()
    put("boards.csv", boards)
    run("learn", "boards.csv", "--target", "x-wins", "--positive", "positive", "-o", "m.json")
    told = run("rows", "m.json", "boards.csv", "--json", code=1).json
    assert (told["checked"], len(told["changing"])) == (958, 934)
    assert "934 of 958 different rows would change a decision" in run("rows", "m.json", "boards.csv", code=1).out
    assert "not known; learn it" in run("rows", "figure1.json", put("r.csv", [{**CASES[0], "P": "yes"}]), code=2).err
    put("unlabelled.csv", [boards[0], {**boards[1], "x-wins": ""}])
    assert "row 2: no value for the class x-wins" in run("rows", "m.json", "unlabelled.csv", code=2).err
