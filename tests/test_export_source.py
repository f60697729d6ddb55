# SPDX-License-Identifier: Apache-2.0
"""Source code decides as the diagram does: on all inputs of small models, and on a million rows of a large one."""

import ctypes
import json
import random
import shutil
import subprocess
import sys
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oddly
from networks import network_classifiers
from oddly import Bins, Points, Scoreboard, Scorecard, Tally
from oddly.errors import TooLarge, UnknownName, UnknownValue, Unsupported
from oddly.export import subject as subject_module
from oddly.export.source import to_source
from oracle import codes
from strategies import classifiers

FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
ROWS = 1_000_000
NUMBERS = count()  # a library is loaded once under each name
NODE = "const made = require(process.argv[1]); const fs = require('fs');\n"
DRIVER = """
#include <stdio.h>
int oddly_decide(const int *places);
int main(void) { int row[%d]; while (fread(row, sizeof row, 1, stdin) == 1) putchar('0' + oddly_decide(row)); return 0; }
"""


class Python:
    def __init__(self, folder, text):
        self.made = {"__name__": "made"}
        exec(compile(text, "made.py", "exec"), self.made)
        self.path = folder / "made.py"
        self.path.write_text(text)

    def tests_itself(self):
        return subprocess.run([sys.executable, self.path], capture_output=True).returncode == 0

    def decide(self, rows):
        return [self.made["decide"](row) for row in rows.tolist()]

    def classify(self, rows):
        return [self.made["classify"](row) for row in rows]


class JavaScript:
    def __init__(self, folder, text):
        if shutil.which("node") is None:
            pytest.skip("no node here")
        self.path = folder / "made.js"
        self.path.write_text(text)

    def tests_itself(self):
        return subprocess.run(["node", self.path], capture_output=True).returncode == 0

    def decide(self, rows):
        asked = (
            "const data = fs.readFileSync(0), width = +process.argv[2]; const found = [];"
            "for (let i = 0; i < +process.argv[3]; i++) { const row = [];"
            "for (let j = 0; j < width; j++) row.push(data.readInt32LE(4 * (i * width + j))); found.push(made.decide(row)); }"
            "process.stdout.write(found.join(''));"
        )
        words = ["node", "-e", NODE + asked, str(self.path), str(rows.shape[1]), str(len(rows))]
        said = subprocess.run(words, input=rows.astype("<i4").tobytes(), capture_output=True, check=True).stdout
        return [int(digit) for digit in said.decode()]

    def classify(self, rows):
        asked = "const rows = JSON.parse(fs.readFileSync(0)); process.stdout.write(JSON.stringify(rows.map(made.classify)));"
        said = subprocess.run(
            ["node", "-e", NODE + asked, str(self.path)], input=json.dumps(rows), capture_output=True, text=True
        )
        assert not said.stderr, said.stderr
        return json.loads(said.stdout)


class C:
    def __init__(self, folder, text):
        if shutil.which("gcc") is None:
            pytest.skip("no gcc here")
        self.folder, self.path, library = folder, folder / "made.c", folder / f"made{next(NUMBERS)}.so"
        self.path.write_text(text)
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-const-variable", "-O1"]
        subprocess.run(["gcc", *strict, "-shared", "-fPIC", "-DODDLY_NO_MAIN", self.path, "-o", library], check=True)
        self.made = ctypes.CDLL(str(library))
        self.made.oddly_number.argtypes = [ctypes.c_int, ctypes.c_double]

    def tests_itself(self):
        subprocess.run(["gcc", self.path, "-o", self.folder / "made"], check=True)
        return subprocess.run([self.folder / "made"], capture_output=True).returncode == 0

    def decide(self, rows):
        width = rows.shape[1]
        if len(rows) < 5000:
            return [self.made.oddly_decide((ctypes.c_int * max(width, 1))(*row)) for row in rows.tolist()]
        driver = self.folder / "driver.c"
        driver.write_text(DRIVER % width)
        subprocess.run(["gcc", "-O1", "-DODDLY_NO_MAIN", self.path, driver, "-o", self.folder / "driver"], check=True)
        said = subprocess.run(
            [self.folder / "driver"], input=rows.astype("<i4").tobytes(), capture_output=True, check=True
        )
        return [int(digit) for digit in said.stdout.decode()]

    def classify(self, rows):
        labels = (ctypes.c_char_p * 99).in_dll(self.made, "oddly_labels")
        found = []
        for row in rows:
            places = [self._place(i, cell) for i, cell in enumerate(row.values())]
            found.append(
                None if -1 in places else labels[self.made.oddly_decide((ctypes.c_int * len(places))(*places))].decode()
            )
        return found

    def _place(self, i, cell):
        if isinstance(cell, float):
            return self.made.oddly_number(i, cell)
        return self.made.oddly_value(i, None if cell is None else cell.encode())


LANGUAGES = {"python": Python, "javascript": JavaScript, "c": C}


@pytest.fixture(params=LANGUAGES)
def made(request, tmp_path):
    """What a language makes of a classifier."""
    return lambda thing: LANGUAGES[request.param](tmp_path, to_source(thing, request.param))


@FEW
@given(model=classifiers() | network_classifiers())
def test_every_input_of_a_small_model_is_decided_as_by_its_diagram(made, model):
    odd = oddly.compile(model)
    rows = codes(model)
    program = made(odd)
    assert program.decide(rows) == odd.decide(rows).tolist()


def test_a_model_of_whole_points_needs_no_diagram(made, monkeypatch):
    card = Scorecard([Points(f"a{i}", ["x", "y"], [0, i]) for i in range(6)], cutoff=7, ties="negative")
    expected = oddly.compile(card).decide(codes(card)).tolist()
    monkeypatch.setattr(subject_module, "as_diagram", None)
    program = made(card)
    assert program.decide(codes(card)) == expected
    assert program.tests_itself()


def large():
    """Twenty attributes, some of them with a zero; weights that fill 64 bits."""
    chance = random.Random(5)
    attributes = []
    for i in range(20):
        size = chance.choice([2, 3, 4])
        given = {c: [chance.randint(1, 999) for _ in range(size)] for c in ("yes", "no")}
        if i % 7 == 0:
            given["no"][0] = 0
        rows = {c: [f"{n}/{sum(row)}" for n in row] for c, row in given.items()}
        attributes.append(oddly.CPT(f"a{i}", [f"v{v}" for v in range(size)], rows))
    return oddly.NaiveBayes("C", ["yes", "no"], ["0.3", "0.7"], attributes, threshold="0.4")


def test_a_million_rows_of_a_large_model_are_decided_as_by_its_diagram(made):
    odd = oddly.compile(large())
    arities = [len(v.values) for v in odd.source.model.variables]
    rows = np.random.default_rng(1).integers(0, arities, (ROWS, len(arities)))
    program = made(odd)
    rows = rows[: ROWS // 10] if isinstance(program, Python) else rows  # it is slow at this, and the same everywhere
    assert program.decide(rows) == odd.decide(rows).tolist()
    assert program.tests_itself()


AGE = Points("age", ["<30", "[30, 40)", ">=40", "?"], [0, 2, 3, 1], Bins([30, 40]))
THIRDS = Points("ü \"x\" \\ */ '''", ["low", "mid", "high"], [0, 1, 3], Bins(["0.1", "1/3"], "right"))


def test_cells_are_read_as_classify_reads_them(made):
    values = ["yes", "Yes", " yes", "", "?", "it's", 'a"b', "a\\b", "??/", "naïve", "\n", "日本"]
    card = Scorecard([Points("u", values, range(len(values))), Points("w", ["only", "two"], [0, 1])], cutoff=5)
    odd = oddly.compile(card)
    cells = [*values, None, "YES", "  yes ", "\u2003Yes\x85", " ? ", "\tit's", "yes\u200b", "nothing"]
    rows = [{"u": cell, "w": other} for cell in cells for other in ("only", "two ", "three")]
    assert made(odd).classify(rows) == [decided(odd, row) for row in rows]


def test_numbers_are_cut_as_classify_cuts_them(made):
    odd = oddly.compile(Scorecard([AGE, THIRDS], cutoff=4))
    near = [float(np.nextafter(x, to)) for x in (0.1, 1 / 3) for to in (-1, 1)]
    rows = [
        {"age": a, THIRDS.name: x}
        for a in (29.9, 30.0, 40.0, 1e300, None, "[30, 40)")
        for x in (0.1, 1 / 3, *near, -5.0)
    ]
    program = made(odd)
    assert program.classify(rows) == [decided(odd, row) for row in rows]
    if not isinstance(program, C):
        texts = ["30", " 40 ", "3e1", "59/2", "1/0", "0.3e", ".", "+5.", "0.1" + 30 * "0" + "1", "1e-3"]
        rows = [
            {"age": a, THIRDS.name: x} for a in texts for x in ("0.1", "0.1" + 30 * "0" + "1", "1/3", "0." + 40 * "3")
        ]
        assert program.classify(rows) == [decided(odd, row) for row in rows]


@pytest.mark.parametrize("missing", [None, ["gone", "-999"]])
@pytest.mark.parametrize("value", [["?"], []])
def test_texts_and_numbers_that_stand_for_missing_cells_are_missing(made, missing, value):
    points = Points("n", ["low", "high", *value], [0, 1, 5][: 2 + len(value)], Bins([5], missing=missing))
    odd = oddly.compile(Scorecard([points], cutoff=1))
    rows = [{"n": cell} for cell in ("NA", " nan ", "Null", "-", "gone", "GONE", "low", "", None, -999.0, 7.0, -998.0)]
    assert made(odd).classify(rows) == [decided(odd, row) for row in rows]


FRACTIONS = ["1/2", "-1998/2"]  # no decimals: they stand for missing cells only as they are written
GAPS = [
    "NA",
    " n/a ",
    "NaN",
    "-",
    ".",
    "Missing",
    "mi\N{LATIN SMALL LETTER SHARP S}ing",
    "unknown",
    "UNKNOWN",
    "-999",
    "0.5",
    *FRACTIONS,
]


@pytest.mark.parametrize("more", [[], ["?"]])
@pytest.mark.parametrize("own", [None, [], ["unknown", "-999", "0.1", "1/2", "1e400", "0.3" + 20 * "0" + "1"]])
def test_texts_and_numbers_that_mean_missing_do_so_in_every_language(made, own, more):
    classes = ["a", "b", "c"][: 2 + len(more)]
    points = [[int(a == b) for a in classes] for b in classes]
    for values, bins in ((["low", "high"], Bins([0], missing=own)), (["1", "2"], None), (["NA", "2"], None)):
        odd = oddly.compile(Scoreboard([Tally("x", [*values, *more], points, bins)], classes))
        program, cells = made(odd), [*values, *GAPS, -999.0, 0.1, 0.3, 1e300, float(np.nextafter(0.1, 1)), None]
        if isinstance(program, C):  # there a text is a label, and a number is one that is cut
            cells = [c for c in cells if (not c.isnumeric() and c not in FRACTIONS if isinstance(c, str) else bins)]
            cells = [c for c in cells if c not in ("-999", "0.5") or (c == "-999" and own)]
        rows = [{"x": cell} for cell in cells]
        assert program.classify(rows) == [decided(odd, row) for row in rows]


def test_a_number_of_more_digits_than_classify_reads_is_not_decided(made):
    odd = oddly.compile(Scorecard([THIRDS], cutoff=1))
    rows = [{THIRDS.name: text} for text in ("1e4000", "1e4001", "-1e-4000", "1e-4001", "1e9999", "1e99999")]
    program = made(odd)
    if not isinstance(program, C):
        assert program.classify(rows) == [decided(odd, row) for row in rows]


def decided(odd, row):
    try:
        return str(odd.classify([row])[0])
    except UnknownValue:
        return None


def test_a_source_that_was_tampered_with_fails_its_own_test(made, tmp_path, monkeypatch):
    text = to_source(oddly.examples.tic_tac_toe(), "python")
    start = next(line for line in text.splitlines() if line.startswith("START = "))
    assert not Python(tmp_path, text.replace(start, "START = -10**18")).tests_itself()


@given(st.text(max_size=6))
@settings(max_examples=20, deadline=None)
def test_no_name_is_read_as_code(text):
    for language in LANGUAGES:
        names = [name for name in ("x" + text, "\\" + text + '"', "*/" + text + "\n") if "\0" not in name]
        card = Scorecard(
            [Points(name + str(i), ["v", name], [0, 1]) for i, name in enumerate(names)], class_name="k" + text
        )
        source = to_source(card, language)
        assert source.isascii()
        if language == "python":
            made = {"__name__": "made"}
            exec(compile(source, "made.py", "exec"), made)
            assert [a[0] for a in made["ATTRIBUTES"]] == [a.name for a in card.attributes]


def test_what_cannot_be_written_says_why(monkeypatch):
    with pytest.raises(UnknownName, match="no language 'javascrip'.  Did you mean 'javascript'"):
        to_source(oddly.examples.pregnancy(), "javascrip")
    with pytest.raises(Unsupported, match="NUL"):
        to_source(Scorecard([Points("a", ["x\0"], [1])]), "c")
    odd = oddly.compile(oddly.examples.pregnancy())
    monkeypatch.setattr(subject_module, "MOST_CHILDREN", 5)
    with pytest.raises(TooLarge, match="10 entries of a diagram"):
        to_source(odd & odd, "c")
