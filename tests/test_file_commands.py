# SPDX-License-Identifier: Apache-2.0
"""`oddly convert` and `oddly info`: what a file holds, in another format, and in words."""

import json
from pathlib import Path

import pytest
from cyclopts import App

import oddly
from oddly.cli import COMMANDS, main
from oddly.cli.files import convert, info
from oddly.cli.options import MODEL_ENDINGS
from oddly.formats import model_to_json
from oddly.formats.files import READABLE, READERS
from oddly.model import Network, Node, Points, Scoreboard, Scorecard, Tally

RAIN = Network(
    [
        Node("rain", ["yes", "no"], [], [["0.2", "0.8"]]),
        Node("wet", ["yes", "no"], ["rain"], [["1", "0"], ["0.1", "0.9"]]),
        Node("dark", ["yes", "no"], ["rain"], [["0.5", "0.5"], ["0.1", "0.9"]]),
    ]
)


@pytest.fixture
def command(capsys):
    """Run one command as the program does; its exit code and what it prints."""
    app = App(result_action="return_value", exit_on_error=False, print_error=False)
    for command in (convert, info):
        app.command(command)

    def run(*tokens):
        code = app([str(token) for token in tokens])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def rain(tmp_path):
    oddly.write(RAIN, tmp_path / "rain.bif")
    return tmp_path / "rain.bif"


def test_convert_keeps_every_number(command, rain, tmp_path):
    code, out, err = command("convert", rain, tmp_path / "rain.net")
    assert (code, err) == (0, "")
    assert "rain.net" in out
    assert oddly.read(tmp_path / "rain.net") == RAIN


def test_convert_can_choose_what_the_network_decides(command, rain, tmp_path):
    choice = ["--class", "rain", "--positive", "no", "--threshold", "1/3", "--attributes", "dark,wet"]
    code, out, _ = command("convert", rain, tmp_path / "rain.json", *choice, "--json")
    assert code == 0
    assert json.loads(out)["dropped"] == []
    assert oddly.read(tmp_path / "rain.json") == RAIN.classifier("rain", "no", "1/3", ["dark", "wet"])


def test_convert_notes_what_it_drops_on_stderr(command, tmp_path):
    code, out, err = command("convert", "example:pregnancy", tmp_path / "p.bif", "--json")
    assert code == 0
    assert "does not keep the choice of P as class, its threshold and attributes" in err
    assert len(json.loads(out)["dropped"]) == 1
    assert oddly.read(tmp_path / "p.bif").classifier("P", threshold="0.9") == oddly.examples.pregnancy()


def test_convert_rounds_only_when_told_to(command, tmp_path):
    with pytest.raises(oddly.Unsupported, match=r"x-wins: \d+/479 has no decimal.*--digits 12"):
        command("convert", "example:tic-tac-toe", tmp_path / "t.bif")
    assert command("convert", "example:tic-tac-toe", tmp_path / "t.bif", "--digits", "12")[0] == 0
    learned = oddly.examples.tic_tac_toe()
    again = oddly.read(tmp_path / "t.bif", class_="x-wins", positive="positive")
    assert [a.values for a in again.attributes] == [a.values for a in learned.attributes]
    assert oddly.compare(again, learned)
    with pytest.raises(oddly.OddlyError, match="--digits: expected a number from 1 on, found 0"):
        command("convert", "example:tic-tac-toe", tmp_path / "t.bif", "--digits", "0")


def test_convert_does_not_overwrite_its_input(command, rain):
    with pytest.raises(oddly.OddlyError, match="that is the input"):
        command("convert", rain, rain)


def test_info_on_a_network_says_what_to_choose(command, rain):
    code, out, _ = command("info", rain)
    assert code == 0
    assert "1 of 10 probabilities (10.0%)" in out
    assert "--class rain" in out
    assert "leaves: wet, dark" in out
    answer = json.loads(command("info", rain, "--json")[1])
    assert answer["kind"] == "network"
    assert answer["largest_table"] == {"variable": "wet", "numbers": 4}
    assert (answer["arcs"], answer["zeros"], answer["leaves"]) == (2, 1, ["wet", "dark"])


def test_info_on_a_classifier_says_its_size_bound_and_certificate(command, tmp_path):
    model = oddly.examples.tic_tac_toe()
    answer = json.loads(command("info", "example:tic-tac-toe", "--json")[1])
    for order in ("as-given", "ascending", "descending"):
        assert answer["bounds"][order] == str(oddly.compile(model, order).bound)
    odd = oddly.compile(model)
    assert (answer["size"], answer["instances"]) == (odd.size, str(odd.instances))
    assert answer["certificate"]["proven"]
    assert [a["name"] for a in answer["attributes"]] == [a.name for a in model.attributes]
    out = command("info", "example:tic-tac-toe")[1]
    assert "67 nodes" in out
    assert "at most 247 nodes" in out


def test_info_shows_bounds_that_differ_by_order(command, tmp_path):
    card = oddly.Scorecard([oddly.Points("a", list("xyz"), [0, 5, 9]), oddly.Points("b", list("xy"), [0, 1])], cutoff=4)
    oddly.write(card, tmp_path / "c.csv")
    answer = json.loads(command("info", tmp_path / "c.csv", "--json")[1])
    assert answer["bounds"] == {order: str(oddly.compile(card, order).bound) for order in answer["bounds"]}
    assert answer["cutoff"] == "4"


def test_info_on_a_network_with_its_class_chosen(command, rain):
    answer = json.loads(command("info", rain, "--class", "rain", "--threshold", "0.3", "--json")[1])
    assert answer["kind"] == "naive-bayes"
    assert answer["threshold"] == "0.3"
    answer = json.loads(command("info", rain, "--class", "wet", "--attributes", "dark", "--json")[1])
    assert (answer["kind"], answer["hidden"], answer["bounds"]) == ("network", ["rain"], {})


def test_info_on_points_per_class(command, tmp_path):
    board = Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"])
    (tmp_path / "b.json").write_text(json.dumps(model_to_json(board)))
    code, out, _ = command("info", tmp_path / "b.json")
    assert code == 0
    assert "with the most points" in out


def test_info_does_not_wait_for_a_large_diagram(command, tmp_path, monkeypatch):
    monkeypatch.setattr("oddly.cli.files.QUICK_NODES", 10)
    answer = json.loads(command("info", "example:tic-tac-toe", "--json")[1])
    assert answer["size"] is None
    assert "nodes" in answer["why"]
    assert "not compiled here" in command("info", "example:tic-tac-toe")[1]


def test_a_diagram_is_no_model_file(command, tmp_path):
    with pytest.raises(oddly.OddlyError, match="compiled already"):
        command("convert", Path("x.odd"), tmp_path / "x.json", "--class", "rain")
    with pytest.raises(oddly.OddlyError, match="compiled already"):
        command("info", Path("x.odd"), "--class", "rain")


CARD = Scorecard([Points("A", ["x", "y"], ["1/3", 0]), Points("B", ["x", "y"], ["0.25", 2])], cutoff="0.51")
INSIDE = {
    "naive Bayes": oddly.examples.tic_tac_toe(),
    "card": CARD,
    "network": RAIN.classifier("wet", attributes=["dark"]),
}


@pytest.mark.parametrize("model", INSIDE.values(), ids=INSIDE)
def test_convert_writes_the_model_inside_a_diagram(command, tmp_path, model):
    oddly.save(oddly.compile(model, "descending"), tmp_path / "x.odd")
    assert command("convert", tmp_path / "x.odd", tmp_path / "x.json")[0] == 0
    oddly.write(model, tmp_path / "own.json")
    assert (tmp_path / "x.json").read_text() == (tmp_path / "own.json").read_text()


def test_a_combined_diagram_has_no_model_inside(tmp_path, capsys):
    odd = oddly.compile(CARD)
    oddly.save(odd & ~odd, tmp_path / "both.odd")
    assert main(["convert", str(tmp_path / "both.odd"), str(tmp_path / "x.json")]) == 2
    assert "combined from others, so there is no model inside" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


# ---- the choice, wherever a model is taken ----

CHOICE = ["--class=rain", "--positive=no", "--threshold=0.3", "--attributes=wet,dark"]
CASE = ["wet=yes", "dark=no"]
TAKEN = [
    ["info", "rain.bif"],
    ["convert", "rain.bif", "chosen.json"],
    ["compile", "rain.bif"],
    ["show", "rain.bif"],
    ["classify", "rain.bif", *CASE],
    ["count", "rain.bif"],
    ["explain", "rain.bif", *CASE],
    ["change", "rain.bif", *CASE],
    ["diff", "rain.bif", "rain.bif"],
    ["allow", "rain.bif"],
    ["regimes", "rain.bif"],
    ["round", "rain.bif"],
    ["must", "rain.bif", "no", "wet=yes or wet=no"],
    ["check", "rain.bif", "--rule", "if wet=no then no"],
    ["fair", "rain.bif", "--protected", "dark"],
    ["robust", "rain.bif"],
    ["ask", "rain.bif"],
    ["importance", "rain.bif"],
    ["scorecard", "rain.bif"],
    ["combine", "rain.bif", "not"],
    ["order", "rain.bif", "--tries", "1"],
    ["gate", "rain.bif", "rain.bif"],
    ["export", "rain.bif", "--to", "python"],
]


@pytest.mark.parametrize("tokens", TAKEN, ids=lambda tokens: tokens[0])
def test_every_command_takes_what_a_network_is_to_decide(tokens, rain, monkeypatch, capsys):
    monkeypatch.chdir(rain.parent)
    code = main([*tokens, *CHOICE])
    err = capsys.readouterr().err
    assert code in (0, 1), err
    if tokens[0] not in ("info", "convert"):
        assert main(tokens) == 2
        assert "decides nothing yet.  Choose its class" in capsys.readouterr().err


def test_every_command_that_takes_a_model_is_among_these():
    assert {tokens[0] for tokens in TAKEN} >= set(COMMANDS) - {"demo", "learn", "rows", "studio", "report"}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo", "learn", "rows"}))
def test_help_says_which_files_a_command_takes(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    assert main([name, "--help"]) == 0
    assert MODEL_ENDINGS in capsys.readouterr().out


def test_the_endings_in_the_help_are_those_that_are_read():
    assert READABLE.endswith(f" {MODEL_ENDINGS}")
    assert set(READERS) <= set(MODEL_ENDINGS.split())


def test_a_diagram_s_choice_was_made(rain, monkeypatch, capsys):
    monkeypatch.chdir(rain.parent)
    assert main(["compile", "rain.bif", *CHOICE, "-o", "rain.odd"]) == 0
    assert main(["count", "rain.odd", "--class", "rain"]) == 2
    assert "what it decides is chosen of the model it came from" in capsys.readouterr().err
    assert main(["diff", "rain.odd", "rain.odd", "--class", "rain"]) == 2
    assert "choose what a network decides, and there is none here" in capsys.readouterr().err
    assert main(["round", "rain.odd"]) == 2
    assert "compiled already" in capsys.readouterr().err
    assert main(["diff", "rain.bif", "rain.odd", *CHOICE]) == 0


def test_the_choice_is_the_network_s_and_leaves_what_decides_already(rain, monkeypatch, capsys):
    monkeypatch.chdir(rain.parent)
    strict, lax = (RAIN.classifier("rain", "yes", threshold, ["wet", "dark"]) for threshold in ("0.9", "0.1"))
    oddly.write(strict, "strict.json")
    asked = ["--class=rain", "--positive=yes", "--threshold=0.1", "--attributes=wet,dark", "--json"]
    assert main(["diff", "rain.bif", "strict.json", *asked]) == 1
    assert int(json.loads(capsys.readouterr().out)["count"]) == oddly.compare(lax, strict).count
    assert main(["diff", "strict.json", "strict.json", "--threshold=0.1"]) == 0  # where none is open, of both
    card = oddly.Scorecard([oddly.Points("wet", ["yes", "no"], [1, 0])], 1, class_name="rain")
    oddly.write(card, "card.json")
    assert main(["diff", "rain.bif", "card.json", *asked]) in (0, 1)


def test_rows_takes_a_threshold_and_says_first_what_it_needs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,c\nx,p\ny,q\nx,q\n")
    assert main(["learn", "t.csv", "--target", "c", "-o", "m.json"]) == 0
    assert main(["rows", "m.json", "t.csv", "--threshold", "0.9"]) in (0, 1)
    capsys.readouterr()
    assert main(["rows", "m.json", "t.csv", "--class", "a"]) == 2
    assert "counts this model was learned from are not known" in capsys.readouterr().err


def test_info_on_a_diagram_says_what_it_was_made_of(command, rain, tmp_path):
    odd = oddly.compile(oddly.examples.pregnancy())
    odd.save(tmp_path / "p.odd")
    told = json.loads(command("info", tmp_path / "p.odd", "--json")[1])
    assert told.pop("order") == list(odd.order)
    assert told == json.loads(command("info", "example:pregnancy", "--json")[1])
    (odd & odd).save(tmp_path / "both.odd")
    _, out, _ = command("info", tmp_path / "both.odd")
    assert "combined from others" in out
    assert f"{(odd & odd).size} nodes" in out


def test_rounding_away_the_counts_is_noted(command, tmp_path):
    _, out, err = command("convert", "example:tic-tac-toe", tmp_path / "t.json", "--digits", "3")
    assert "the counts it was learned from" in err
    assert "prior 0.653" in out
    assert oddly.read(tmp_path / "t.json").learned is None
