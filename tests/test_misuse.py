# SPDX-License-Identifier: Apache-2.0
"""Questions asked wrongly: every mistake is named, none is a traceback or a silent answer."""

import json
import math
import re
import shlex
from dataclasses import replace
from itertools import pairwise

import pytest

import oddly
from oddly.cli import COMMANDS, main
from oddly.errors import OddlyError


@pytest.mark.parametrize("command", ["explain", "change", "importance", "ask"])
def test_the_class_in_a_copied_row_is_left_aside_with_a_word(capsys, command):
    case = ["U=+ve", "B=-ve", "S=+ve"]
    code = main([command, "example:pregnancy", *case, "--json"])
    alone = capsys.readouterr()
    assert main([command, "example:pregnancy", "P=no", *case, "--json"]) == code
    said = capsys.readouterr()
    assert said.out == alone.out
    assert "P=no is left aside: P is what is decided" in said.err
    assert main([command, "example:pregnancy", "Q=no", *case]) == 2


CASE = {"U": "+ve", "B": "-ve", "S": "+ve"}
ROWS = [{"P": label, **CASE, "U": u} for label in ("yes", "no") for u in ("+ve", "-ve", "+ve")]
MODEL = oddly.examples.pregnancy()
NOTHING = replace(oddly.compile(MODEL), source=None)

CALLS = {
    "explain": (oddly.explain, (MODEL, CASE)),
    "explain a diagram": (oddly.explain, (NOTHING, CASE)),
    "change": (oddly.change, (MODEL, CASE)),
    "robustness": (oddly.robustness, (MODEL,)),
    "same_decision": (oddly.same_decision, (MODEL, {"U": "+ve"})),
    "subset": (oddly.subset, (MODEL, "0.9")),
    "fairness": (oddly.fairness, (MODEL, "U")),
    "importance": (oddly.importance, (MODEL,)),
    "contributions": (oddly.contributions, (MODEL, CASE)),
    "contributions of a diagram": (oddly.contributions, (NOTHING, CASE)),
    "added_rows": (oddly.added_rows, (oddly.learn(ROWS, "P", alpha=1), ROWS)),
    "learn": (oddly.learn, (ROWS, "P")),
    "cross_validate": (lambda *a, **k: oddly.cross_validate(*a, **{"alpha": 1, "folds": 2, **k}), (ROWS, "P")),
}
WRONG = [5, -1, 1.5, math.nan, math.inf, True, "x", "1/0", b"x", [None], [[]], {"Q": 1}, {5: 5}, object(), 10**30]
"""What no argument below takes. As positional ones: also these, where something is needed."""
EMPTY = [None, "", [], ()]
INSTANCES = [{**CASE, "U": None}, {**CASE, "U": "maybe"}, {**CASE, "U": ["+ve"]}, {**CASE, "Q": "x"}, {**CASE, "U": 5}]


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_named(name):
    ask, arguments = CALLS[name]
    assert ask(*arguments) is not None
    for place in range(len(arguments)):
        for wrong in [*WRONG, *EMPTY]:
            if (name, place) == ("same_decision", 1) and wrong is None:
                continue  # nothing is observed
            if (name, place) == ("subset", 1) and wrong is True:
                continue
            with pytest.raises(OddlyError, match="."):
                ask(*arguments[:place], wrong, *arguments[place + 1 :])


@pytest.mark.parametrize(
    "name", ["explain", "explain a diagram", "change", "contributions", "contributions of a diagram"]
)
@pytest.mark.parametrize("at", range(len(INSTANCES)))
def test_a_wrong_instance_is_named(name, at):
    ask, arguments = CALLS[name]
    with pytest.raises(OddlyError, match="U=|'Q'|U is"):
        ask(arguments[0], INSTANCES[at])


@pytest.mark.parametrize(
    ("name", "keyword", "taken"),
    [
        ("change", "to", []),
        ("change", "costs", []),
        ("change", "step_costs", []),
        ("change", "fixed", []),
        ("change", "one_way", []),
        ("change", "forbid", []),
        ("change", "k", [5, True, 10**30]),
        ("change", "max_nodes", [5, -1, 10**30]),
        ("robustness", "under", []),
        ("robustness", "max_changes", [5, 10**30]),
        ("robustness", "route", []),
        ("robustness", "max_nodes", [5, -1, 10**30]),
        ("same_decision", "under", []),
        ("same_decision", "enough", [True]),
        ("subset", "max_work", [5, 10**30]),
        ("fairness", "under", []),
        ("fairness", "label", []),
        ("fairness", "target", []),
        ("fairness", "max_memory", [5, -1, 10**30]),
        ("importance", "label", []),
        ("importance", "under", []),
        ("importance", "max_nodes", [5, -1, 10**30]),
        ("contributions", "label", []),
        ("contributions", "under", []),
        ("learn", "positive", []),
        ("learn", "alpha", [5, 1.5, True, 10**30]),
        ("learn", "threshold", [True]),
        ("learn", "missing", []),
        ("learn", "bins", []),
        ("learn", "values", []),
        ("learn", "structure", []),
        ("learn", "k", [5, 10**30]),
        ("learn", "leave_out", []),
        ("learn", "via", []),
        ("cross_validate", "folds", [5]),
        ("cross_validate", "seed", [5, 10**30]),
    ],
)
def test_a_wrong_keyword_is_named(name, keyword, taken):
    ask, arguments = CALLS[name]
    for wrong in WRONG:
        if not any(wrong is t or (wrong == t and type(wrong) is type(t)) for t in taken):
            with pytest.raises(OddlyError, match="."):
                ask(*arguments, **{keyword: wrong})


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "U=maybe"],
        ["explain", "--list", "-1"],
        ["change", "U=+ve"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--k", "0"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--cost", "U=-1"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--cost", "U=nan"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--fixed", "Q"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--to", "maybe"],
        ["change", "U=+ve", "B=-ve", "S=+ve", "--forbid", "U=maybe"],
        ["robust", "--max-changes", "0"],
        ["robust", "--under", "nowhere.csv"],
        ["ask", "--enough", "1.5"],
        ["ask", "--enough", "nan"],
        ["ask", "--subset", "2"],
        ["fair", "--protected", "Q"],
        ["fair", "--protected", "U", "--label", "maybe"],
        ["importance", "U=+ve"],
        ["importance", "--label", "maybe"],
    ],
    ids=" ".join,
)
def test_the_command_line_says_so_with_exit_code_2(capsys, words):
    command, *rest = words
    assert main([command, "example:pregnancy", *rest]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("oddly: ")
    assert "Traceback" not in said.err


def test_what_is_for_diagrams_says_what_is_for_models_and_the_other_way_round(tmp_path):
    network = oddly.Network([oddly.Node("A", ["a", "b"], [], [["0.5", "0.5"]])])
    for given in (MODEL, network, 3):
        with pytest.raises(oddly.Unsupported, match=rf"found {type(given).__name__}; oddly\.write is for models"):
            oddly.save(given, tmp_path / "model.odd")
        for draw in (oddly.draw.svg, oddly.draw.text, oddly.draw.text):
            with pytest.raises(oddly.Unsupported, match=rf"found {type(given).__name__}; oddly\.compile makes one"):
                draw(given)
    with pytest.raises(oddly.Unsupported, match=r"found ODD; oddly\.save is for diagrams"):
        oddly.write(oddly.compile(MODEL), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_attributes_may_be_given_with_commas_between(tmp_path, capsys):
    names = ["income, €", "age", "sex"]
    points = [oddly.Points(name, ["low", "high"], [0, 2 - place]) for place, name in enumerate(names)]
    oddly.write(oddly.Scorecard(points, cutoff=2), tmp_path / "card.json")
    path, case = str(tmp_path / "card.json"), [f"{name}=low" for name in names]

    def said(*arguments):
        code = main([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    assert said("fair", path, "--protected", "age,sex") == said(
        "fair", path, "--protected", "age", "--protected", "sex"
    )
    assert said("fair", path, "--protected", "income, €")[0] == 1
    assert said("change", path, *case, "--fixed", 'age,"income, €"') == said(
        "change", path, *case, "--fixed", "age", "--fixed", "income, €"
    )
    code, error = said("change", path, *case, "--only-up", "age,sex", "--only-down", "sex")
    assert (code, error["error"]) == (2, "sex can go neither up nor down.  Use --fixed sex.")
    assert said("fair", path, "--protected", "age,race")[1]["error"].startswith("no attribute 'race'.")


def test_advice_about_columns_can_be_pasted_into_a_shell(tmp_path, capsys):
    table = tmp_path / "loans.csv"
    lines = [f"{i},{'yes' if i % 2 else 'no'}" for i in range(100, 160)]
    table.write_text("\n".join(['"income, €",repaid', *lines]), encoding="utf-8")
    learn = ["learn", str(table), "--target", "repaid"]
    assert main(learn) == 2
    advice = re.search(r"--bins '.*?'", capsys.readouterr().err)[0]
    assert main([*learn, *shlex.split(advice)]) == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_the_lines_of_a_command_s_help_break_only_where_they_must(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    words = capsys.readouterr().out.partition("╭")[0].split("\n\n")[1:]
    for lines in (paragraph.split("\n") for paragraph in words):
        for line, following in pairwise(filter(None, map(str.strip, lines))):
            assert len(line) + 1 + len(following.split()[0]) > 78


def test_one_instance_is_not_many(tmp_path, capsys):
    oddly.write(oddly.NaiveBayes("P", ["yes", "no"], ["0.87", "0.13"], []), tmp_path / "prior.json")
    assert main(["allow", str(tmp_path / "prior.json")]) == 0
    assert "1 instances" not in capsys.readouterr().out
    report = oddly.report(tmp_path / "prior.json")
    assert "Asked about the only possible input." in report.html()
    assert "1 instances" not in report.markdown() + repr(report)


def test_a_name_that_is_no_file_is_said_to_be_none_whatever_its_ending(tmp_path):
    for name in ("nope", "nope.json", "nope.bif", "nope.txt", "nope.csv"):
        with pytest.raises(oddly.FormatError, match="no such file"):
            oddly.read(tmp_path / name)
    (tmp_path / "plain").write_text("x")
    with pytest.raises(
        oddly.FormatError, match="a name without an ending, which would say the format; models are read"
    ):
        oddly.read(tmp_path / "plain")
