# SPDX-License-Identifier: Apache-2.0
"""Whatever the machine does around a command: closed streams, signals, links in circles, odd settings, hostile cells."""

import csv
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import oddly
from oddly.errors import FormatError, ModelError, UnknownValue
from oddly.formats.text import ABANDONED, PREFIX, as_meant, defused

PYTHON = [sys.executable, "-m", "oddly"]


def oddly_command(*arguments, **keywords):
    return subprocess.run(
        [*PYTHON, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60, **keywords
    )


def test_a_link_in_a_circle_is_no_place_to_write(tmp_path):
    (tmp_path / "a.odd").symlink_to(tmp_path / "b.odd")
    (tmp_path / "b.odd").symlink_to(tmp_path / "a.odd")
    with pytest.raises(FormatError, match=os.strerror(errno.ELOOP)):
        oddly.compile(oddly.examples.pregnancy()).save(tmp_path / "a.odd")
    ran = oddly_command("compile", "example:pregnancy", "-o", tmp_path / "a.odd")
    assert ran.returncode == 2
    assert (tmp_path / "a.odd").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.odd", "b.odd"]


@pytest.mark.parametrize("columns", ["0", "1", "-5", "x", "100000"])
def test_any_width_of_a_terminal_will_do(columns):
    for arguments in (["--help"], ["compile", "--help"], ["count", "example:pregnancy"], ["show", "example:pregnancy"]):
        ran = oddly_command(*arguments, env={**os.environ, "COLUMNS": columns})
        assert ran.returncode == 0, ran.stderr


def test_an_answer_that_nobody_can_get_is_an_error():
    command = " ".join([*PYTHON, "count", "example:pregnancy"])
    ran = subprocess.run(f"{command} >&-", shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert "standard output is closed" in ran.stderr
    ran = subprocess.run(f"{command} > /dev/full", shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert "No space left" in ran.stderr


SAVING = """
import sys
from oddly.cli import main
from oddly.formats import text as safely
def slow(handle):
    print("saving", flush=True)
    import time; time.sleep(30)
safely.os.fsync = slow
sys.exit(main(["compile", "example:tic-tac-toe", "-o", sys.argv[1]]))
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_whoever_ends_a_save_finds_nothing_half_written(name, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, str(tmp_path / "x.odd")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    process.stdout.readline()
    process.send_signal(getattr(signal, name))
    assert process.wait(60) == 128 + getattr(signal, name)
    assert list(tmp_path.iterdir()) == []


def test_what_killed_processes_left_is_swept_and_what_others_write_is_not(tmp_path):
    old, new = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}new"
    old.write_text("")
    new.write_text("")
    os.utime(old, (time.time() - 2 * ABANDONED,) * 2)
    oddly.write(oddly.examples.pregnancy(), tmp_path / "m.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == [new.name, "m.json"]


def test_an_error_never_echoes_megabytes():
    huge = "x" * 20_000_000
    for error in (ModelError(huge), UnknownValue.of("a", huge, ["b"]), FormatError(f"{huge} at the end")):
        assert len(str(error)) < 5000
    assert str(FormatError(f"{huge} at the end")).endswith("at the end")


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_ctrl_c_is_heard_while_importing(delay):
    code = "import sys; print('on', flush=True); from oddly.__main__ import run; sys.argv = ['oddly', 'demo']; sys.exit(run())"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    if process.returncode == 130:  # before `run` is there Python itself answers
        assert "Traceback" not in said


FORMULAS = ["=cmd|' /C calc'!A0", "@SUM(1)", "-1+cmd|x", "+A1(2)", "\tx=1", "'=1", "''@x"]
PLAIN = ["+ve", "-ve", "-1.5", "a=b", "", "it's", "'quoted'", "+", "(x)"]


@pytest.mark.parametrize("cell", FORMULAS + PLAIN)
def test_no_cell_is_a_formula_and_each_reads_back_as_meant(cell):
    assert as_meant(defused(cell)) == cell
    assert (defused(cell) != cell) == (cell in FORMULAS)


def test_convert_and_classify_write_no_formulas(tmp_path):
    names = [cell for cell in FORMULAS if cell == cell.strip()]
    card = oddly.Scorecard([oddly.Points(n, ["=1+1", "no"], [1, 0]) for n in names], cutoff=2)
    oddly.write(card, tmp_path / "card.csv")
    with (tmp_path / "card.csv").open(newline="") as file:
        assert not [cell for row in csv.reader(file) for cell in row if cell[:1] in "=@" and cell]
    assert oddly.read(tmp_path / "card.csv") == card
    oddly.write(card, tmp_path / "card.json")
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, ["=1+1"] * len(names)])
    ran = oddly_command("classify", tmp_path / "card.json", tmp_path / "rows.csv", "-o", tmp_path / "out.csv")
    assert ran.returncode == 0, ran.stderr
    out = csv.reader(Path(tmp_path / "out.csv").read_text().splitlines())
    assert not [cell for row in out for cell in row if cell[:1] in ("=", "@")]


def test_a_name_of_several_lines_stays_in_its_heading():
    model = oddly.Scorecard([oddly.Points("a\n# b", ["x\ny", "z"], [0, 1])], cutoff=1, class_name="two\n# lines")
    text = oddly.report(model, title="one\n## two").markdown()
    assert text.splitlines()[0].startswith("# one")
    assert [line for line in text.splitlines() if line.startswith("#") and "two" in line] == [text.splitlines()[0]]
