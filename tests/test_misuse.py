# SPDX-License-Identifier: Apache-2.0
"""Questions asked wrongly: every mistake is named, none is a traceback or a silent answer."""

import math
from dataclasses import replace

import pytest

import oddly
from oddly.cli import main
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
