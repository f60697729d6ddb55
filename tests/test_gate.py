# SPDX-License-Identifier: Apache-2.0
"""The gate: every term against enumeration, the terms in files, and the steps of the action as a shell runs them."""

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.cli import main
from oddly.errors import ModelError, OddlyError
from strategies import naive_bayes

HERE = Path(__file__).parents[1]
EXAMPLE = HERE / "examples" / "gate"


def card(job=(0, 10, 30), ties="positive"):
    return oddly.Scorecard(
        [
            oddly.Points("job", ["none", "part", "full"], job),
            oddly.Points("arrears", ["never", "once"], [40, 15]),
            oddly.Points("alone", ["x"], [5]),
        ],
        cutoff=60,
        class_name="loan",
        class_values=["refuse", "approve"],
        positive="approve",
        ties=ties,
    )


def cases(model):
    return [
        dict(zip((v.name for v in model.variables), values, strict=True))
        for values in product(*(v.values for v in model.variables))
    ]


def changes(old, new, rows):
    """The old and the new decision of every row, one by one."""
    pairs = zip(oddly.compile(old).classify(rows), oddly.compile(new).classify(rows), strict=True)
    return [(str(a), str(b)) for a, b in pairs]


@settings(deadline=None, max_examples=50)
@given(naive_bayes(), st.fractions(0, 1), st.fractions(0, 1), st.fractions(0, 1))
def test_shares_are_compared_exactly_as_by_enumeration(model, prior, most, lost):
    if model.positive is None or len(model.class_values) != 2:
        return
    other = model.replace(prior=[prior, 1 - prior])
    found = changes(model, other, cases(model))
    changed = Fraction(sum(a != b for a, b in found), len(found))
    negative, positive = oddly.compile(model).labels
    loses = Fraction(sum((a, b) == (positive, negative) for a, b in found), len(found))
    answer = oddly.gate(model, other, changed=most, directions={f"{positive} → {negative}": lost})
    assert [term.holds for term in answer.terms] == [changed <= most, loses <= lost]
    assert answer.holds == (changed <= most and loses <= lost)


def test_a_share_that_is_just_reached_holds_and_a_hair_less_does_not():
    old, new = card(), card(job=(0, 20, 30))
    found = changes(old, new, cases(old))
    share = Fraction(sum(a != b for a, b in found), len(found))
    assert share > 0
    assert oddly.gate(old, new, changed=share)
    assert not oddly.gate(old, new, changed=share - Fraction(1, 10**30))


def test_rows_are_weighed_exactly():
    old, new = card(), card(job=(0, 20, 30))
    rows = [case for case in cases(old) for _ in range(3)] + [{"job": "part", "arrears": "never", "alone": "x"}] * 4
    found = changes(old, new, rows)
    share = Fraction(sum(a != b for a, b in found), len(found))
    assert oddly.gate(old, new, under=rows, changed_under=share)
    answer = oddly.gate(old, new, under=rows, changed_under=share - Fraction(1, 10**30))
    assert not answer
    assert [term.kind for term in answer.terms] == ["changed"]
    assert not oddly.gate(old, new, under=rows)  # without a share: none
    assert oddly.gate(old, new, under=rows, directions_under={"approve → refuse": 0})


def test_a_star_stands_for_every_label():
    old, new = card(), card(job=(0, 20, 30))
    assert oddly.gate(old, new, directions={"approve->*": 0, "* → refuse": 0})
    assert not oddly.gate(old, new, directions={"*→approve": 0})


def test_without_terms_no_decision_may_change():
    assert oddly.gate(card(), card())
    assert not oddly.gate(card(), card(job=(0, 20, 30)))


def test_rules_and_room_are_terms_too():
    answer = oddly.gate(card(), card(), rules=["monotone up in job", "never approve"], room=5)
    assert [term.holds for term in answer.terms] == [True, False, False]
    assert "may not" in answer.terms[2].found
    exact = oddly.allowed(card()).ranges()
    tight = min(found.room for _, _, found in exact if found is not None)
    assert oddly.gate(card(), card(), room=0)
    assert not oddly.gate(card(), card(), room=Fraction(tight) + 1)


def test_what_is_too_large_is_undecided_and_no_verdict():
    answer = oddly.gate(oddly.examples.tic_tac_toe(), oddly.examples.tic_tac_toe(), changed=0, max_nodes=5)
    assert answer.holds is None
    assert "max_nodes" in answer.terms[0].found or "nodes" in answer.terms[0].found
    with pytest.raises(oddly.TooLarge):
        bool(answer)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"changed": "a lot"}, "expected a number"),
        ({"changed": "120%"}, "expected a probability"),
        ({"directions": {"approve → maybe": 0}}, "no direction"),
        ({"directions": {"approve": 0}}, "no direction"),
        ({"directions": {"approve → approve": 0}}, "changes nothing"),
        ({"room": -1}, "from 0 on"),
        ({"changed_under": 0}, "say which"),
    ],
)
def test_terms_that_make_no_sense_are_refused(terms, said):
    with pytest.raises((ModelError, OddlyError), match=said):
        oddly.gate(card(), card(), **terms)


@pytest.fixture
def project(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLE, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def test_the_example_passes_its_own_gate(project, capsys):
    assert main(["gate", "--summary", "s.md", "--report", "r.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["holds"] is True
    assert {term["kind"] for term in told["terms"]} == {"changed", "direction", "rule"}
    assert told["count"] != "0"
    assert (project / "s.md").read_text().startswith("The gate is open")
    assert "<html" in (project / "r.html").read_text()


def test_a_model_that_takes_a_loan_away_is_stopped(project, capsys):
    assert main(["gate", "model.json", "validated.json"]) == 1  # the other way round
    assert "approve → refuse, of all inputs: none" in capsys.readouterr().out
    (project / "s.md").write_text("before\n")
    assert main(["gate", "model.json", "validated.json", "--summary", "s.md"]) == 1
    assert (project / "s.md").read_text().startswith("before\nThe gate stays shut")


def test_terms_may_stand_in_a_file_of_their_own(project, capsys):
    (project / "terms").mkdir()
    text = '[gate]\nbaseline = "../validated.json"\ncandidate = "../model.json"\nchanged = 0.001\n'
    (project / "terms" / "oddly.toml").write_text(text)
    assert main(["gate", "--config", "terms/oddly.toml"]) == 1
    assert "at most 0.1%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no table [gate]"),
        ("[gate]\nbaselime = 'x'\n", "Did you mean 'baseline'"),
        ("[gate]\nchanged = true\n", "expected a share"),
        ("[gate]\nrules = 'never approve'\n", "expected a list of texts"),
        ("[gate]\nbaseline = 'validated.json'\n", "which candidate?"),
        ("[gate\n", "oddly.toml"),
    ],
)
def test_a_file_of_terms_that_is_wrong_is_exit_code_2(project, capsys, text, said):
    (project / "oddly.toml").write_text(text)
    assert main(["gate", "--config", "oddly.toml"]) == 2
    assert said in capsys.readouterr().err


def test_no_terms_anywhere_says_where_they_go(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["gate"]) == 2
    assert "[tool.oddly.gate]" in capsys.readouterr().err


def test_models_with_other_cuts_are_compared_as_compare_does():
    how = {"target": "repaid", "positive": "yes", "alpha": 1, "bins": "mdl", "missing": "value"}
    old, new = (oddly.learn(oddly.examples.loans(year, 300), **how) for year in (2024, 2025))
    found = oddly.compare(old, new)
    answer = oddly.gate(old, new, changed=Fraction(found.count, found.instances))
    assert answer
    assert (answer.count, answer.instances) == (found.count, found.instances)
    one, other = card(), card()
    other = other.replace(class_values=["0", "1"], positive="1")
    assert oddly.gate(one, other, labels={"0": "refuse", "1": "approve"})
    inside = oddly.compare(old, new, within="job=full")
    assert oddly.gate(old, new, changed="100%", within="job=full").count == inside.count


def with_zeros(threshold):
    """Smells that are of neither kind, rings and caps that are of one only: 5 of 12 inputs are possible."""
    kinds = [("smell", ["none", "foul"], ["0", "1"], ["0", "1"]), ("cap", ["flat", "bell"], ["1", "0"], ["1/2", "1/2"])]
    kinds.append(("ring", ["one", "two", "none"], ["1/2", "1/2", "0"], ["1/3", "0", "2/3"]))
    cpts = [oddly.CPT(name, values, {"good": good, "bad": bad}) for name, values, good, bad in kinds]
    return oddly.NaiveBayes("kind", ["good", "bad"], ["1/2", "1/2"], cpts, threshold=threshold)


def all_cases(model):
    values = [[(v.name, value) for value in v.values] for v in model.variables]
    return [dict(pairs) for pairs in product(*values)]


@pytest.mark.parametrize("within", [None, "possible", "ring=one", "smell=foul and cap=flat"])
def test_shares_within_a_domain_are_of_its_inputs(within):
    old, new = with_zeros("1/2"), with_zeros("99/100")
    cases = all_cases(old)
    inside = {
        None: cases,
        "possible": [case for case in cases if old.posterior(case) is not None],
        "ring=one": [case for case in cases if case["ring"] == "one"],
        "smell=foul and cap=flat": [case for case in cases if (case["smell"], case["cap"]) == ("foul", "flat")],
    }[within]
    differ = [c for c in inside if oracle.decides(old, c) != oracle.decides(new, c)]
    rows = [case for i, case in enumerate(cases) for _ in range(i % 3 + 1)]
    met, changed = (Fraction(sum(rows.count(case) for case in some)) for some in (inside, differ))
    for under, share in (("uniform", Fraction(len(differ), len(inside))), (rows, changed / met)):
        assert share > 0
        for name in ("changed_under", "directions_under"):
            ways = [(share, True), (share - Fraction(1, 10**12), False)]
            for most, holds in ways:
                asked = {name: most if name == "changed_under" else {"good → bad": most}}
                assert oddly.gate(old, new, under=under, within=within, **asked).holds == holds
    found = oddly.gate(old, new, within=within)
    assert (found.count, found.instances) == (len(differ), len(inside))
    assert (f"within {within}" in repr(found)) == (within is not None)


def test_the_command_weighs_possible_inputs_only(tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    oddly.write(with_zeros("1/2"), old)
    oddly.write(with_zeros("99/100"), new)
    sides = ["gate", str(old), str(new)]
    assert [main([*sides, "--changed", "10%"]), main([*sides, "--changed", "10%", "--within", "possible"])] == [0, 1]
    said = " ".join(capsys.readouterr().out.split())
    assert "7 of these 12 inputs (58.3%) are impossible under the model; 5 are within possible." in said
    assert "changed decisions, of inputs within possible: at most 10% 1 of 5" in said


def test_room_within_a_domain_is_that_of_its_decisions():
    model, least = with_zeros("1/2"), Fraction(1, 5)
    tight = {w: oddly.gate(model, model, room=least, within=w).terms[0].found for w in (None, "possible", "ring=two")}
    for within, found in tight.items():
        prior = oddly.allowed(model, within=within).prior.probability
        assert ("Pr(kind=good)" in found) == (not all(p in prior for p in (Fraction(3, 10), Fraction(7, 10))))


yaml = pytest.importorskip("yaml", reason="the action's steps are read with PyYAML")


def action_step(name):
    steps = yaml.safe_load((HERE / "action.yml").read_text())["runs"]["steps"]
    return next(step for step in steps if step["name"] == name)


@pytest.mark.parametrize(("swapped", "verdict", "code"), [(False, "open", 0), (True, "shut", 1)])
def test_the_action_runs_as_a_shell_runs_it(project, swapped, verdict, code):
    if swapped:
        (project / "model.json").rename("other.json")
        (project / "validated.json").rename("model.json")
        (project / "other.json").rename("validated.json")
    env = os.environ | {
        "CONFIG": "",
        "REPORT": "page.html",
        "GITHUB_STEP_SUMMARY": "summary.md",
        "GITHUB_OUTPUT": "out",
    }
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", action_step("Gate")["run"]], env=env, cwd=project)
    assert done.returncode == code
    assert f"verdict={verdict}" in (project / "out").read_text()
    assert json.loads((project / "oddly-gate.json").read_text())["holds"] is (code == 0)
    assert (project / "page.html").exists()
    assert "What was agreed on" in (project / "summary.md").read_text()


def test_action_hook_and_workflow_name_what_there_is():
    action = yaml.safe_load((HERE / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert set(action["outputs"]) == {"verdict", "answer"}
    (hook,) = yaml.safe_load((HERE / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "oddly gate"
    workflow = yaml.safe_load((EXAMPLE / ".github/workflows/gate.yml").read_text())
    assert len((EXAMPLE / ".github/workflows/gate.yml").read_text().splitlines()) <= 12
    assert workflow["jobs"]["gate"]["steps"]
