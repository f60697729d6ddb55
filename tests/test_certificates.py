# SPDX-License-Identifier: Apache-2.0
"""Certificates of `oddly check`: another program finds the same verdicts, and nothing false passes it."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import networks
import oddly
import oracle
from oddly import CPT, Points, Scorecard
from oddly.algebra.expressions import quoted
from oddly.distribution.measure import measure_of
from oddly.questions.check import proofs, rules
from oddly.questions.check.language import Written
from oddly.questions.check.proof_edges import edges
from oddly.questions.check.question import check
from test_check import FIGURE_1, ODD_1, TOOL, beside, conditions, decided, key, models, verify
from test_features import written
from test_store import forged, header_of

RULES = [
    "monotone up in U",
    "monotone down in U",
    "ignores B",
    "ignores U, S",
    "never no if S=+ve",
    "always yes",
    "if U=+ve and (B=+ve or S=+ve) then yes",
    "yes only if S=+ve",
    "agrees with example:pregnancy",
    "agrees with old.json",
    "agrees with old.json up to 0.05 under model",
    "agrees with old.json up to 0.04 under model",
    "agrees with old.json up to 0.04 under baseline",
    "agrees with old.json up to 1/8 under uniform",
    "agrees with more.json",
    "agrees with other.json",
    "agrees with old.json up to 1/3 under rows.csv",
    "agrees with old.json up to 0.3 under rows.csv",
    "monotone up in U if S=+ve",
    "monotone up in U if B=+ve or S=+ve",
    "ignores U, B if S=+ve",
    "ignores U, B if (U=+ve and B=+ve) or (U=-ve and B=-ve)",
    "agrees with old.json if S=+ve",
    "agrees with old.json up to 0.2 under model if S=-ve",
    "agrees with old.json up to 0.19 under model if S=-ve",
]


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """The certificate of rules that hold and rules that fail, of every kind."""
    folder = tmp_path_factory.mktemp("certified")
    oddly.write(FIGURE_1.replace(prior=["0.6", "0.4"]), folder / "old.json")
    more = [*FIGURE_1.attributes, CPT("T", ["a", "b"], {"yes": ["1/2", "1/2"], "no": ["1/2", "1/2"]})]
    oddly.write(FIGURE_1.replace(attributes=more), folder / "more.json")
    oddly.write(FIGURE_1.replace(attributes=more, prior=["0.6", "0.4"]), folder / "other.json")
    (folder / "rows.csv").write_text("U,B,S\n+ve,+ve,-ve\n-ve,+ve,+ve\n-ve,+ve,+ve\n")
    answer = check(ODD_1, [Written(text, folder=folder) for text in RULES])
    answer.save_certificate(folder / "proof.json")
    return folder


def certificate(folder):
    return json.loads((folder / "proof.json").read_text())


def rejected(folder, text):
    (folder / "tampered.json").write_text(json.dumps(text))
    return verify.main(folder / "tampered.json")["rejected"]


def only(text, number, **changes):
    """A certificate of one verdict, some of it changed."""
    entry = json.loads(json.dumps(text["verdicts"][number]))
    return some(text, [entry | changes])


def some(text, verdicts):
    """A certificate of these verdicts alone."""
    return {**text, "rules": [entry["rule"] for entry in verdicts], "verdicts": verdicts}


# ---- what is true is verified ----


def test_every_verdict_is_verified_with_its_count(certified, capsys):
    answer = check(ODD_1, [Written(r, folder=certified) for r in RULES])
    found = certificate(certified)["verdicts"]
    assert [v["holds"] for v in found] == [v.holds for v in answer.verdicts]
    assert verify.main(certified / "proof.json")["rejected"] == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(RULES)
    for line, verdict in zip(lines, answer.verdicts, strict=True):
        assert line.startswith(f"verified  {'holds' if verdict.holds else 'fails'}: ")
        counted, _, weighing = line.partition("}: ")[2].rpartition("}: ")[2].partition(", weighing ")
        assert counted == f"{verdict.count} of {verdict.scope}"
        if weighing:
            assert float(weighing) == pytest.approx(float(verdict.probability), rel=1e-3)


@given(model=models(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_verdicts_on_any_classifier_are_verified_and_turned_round_rejected(model, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    odd = oddly.compile(model)
    label, name = quoted(odd.labels[-1]), model.variables[0].name
    text, _ = data.draw(written(model.variables, depth=2))
    condition, _ = data.draw(conditions(model))
    rows = data.draw(st.lists(st.sampled_from(list(oracle.instances(model))), min_size=1, max_size=9))
    other = data.draw(beside(model).filter(lambda m: all(v.name != "Z" for v in m.variables)))
    asked = [
        rules.monotone(name, "up", label=odd.labels[-1], condition=condition),
        rules.ignores(*{name, model.variables[-1].name}, condition=condition),
        f"if {text} then {label}",
        rules.agrees(model, condition=condition),
        rules.agrees(data.draw(beside(model)), condition=condition),
        rules.agrees(other, data.draw(st.sampled_from(["0", "1/3", "1/2"])), rows, condition=condition),
        rules.agrees(other, "1/4", condition=condition),
    ]
    answer = check(odd, asked)
    answer.save_certificate(folder / "c.json")
    assert verify.main(folder / "c.json")["rejected"] == 0
    found = json.loads((folder / "c.json").read_text())
    for verdict in found["verdicts"]:
        verdict["holds"] = not verdict["holds"]
    assert rejected(folder, found) == len(asked)


@given(classifier=networks.network_classifiers(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_under_a_network_the_very_tolerance_is_verified_and_less_is_not(classifier, data, tmp_path_factory):
    """Evidence, hidden variables and zeros among them; the probability is worked out by enumeration."""
    odd, folder = oddly.compile(classifier), tmp_path_factory.mktemp("network")
    points = [Points(v.name, v.values, [data.draw(st.integers(-2, 2)) for _ in v.values]) for v in odd.variables]
    card = Scorecard(points, data.draw(st.integers(-1, 1)), class_values=classifier.class_values[:2])
    if len(odd.labels) != 2 or set(odd.labels) != set(card.class_values):
        card = classifier
    masses = np.array(networks.joint(classifier).sum(axis=-1), object)
    if not masses.sum():
        return
    theirs = oddly.compile(card)
    changed = Fraction(0)
    for place in np.ndindex(*masses.shape):
        instance = {v.name: v.values[i] for v, i in zip(classifier.variables, place, strict=True)}
        changed += masses[place] * int(odd.classify([instance])[0] != theirs.classify([instance])[0])
    exactly = changed / masses.sum()
    asked = [
        rules.agrees(card, exactly, "model"),
        *([rules.agrees(card, exactly * Fraction(99, 100), "model")] * bool(exactly)),
    ]
    answer = check(odd, asked)
    assert [v.holds for v in answer.verdicts] == [True, False][: len(asked)]
    answer.save_certificate(folder / "c.json")
    assert verify.main(folder / "c.json")["rejected"] == 0
    found = json.loads((folder / "c.json").read_text())
    found["verdicts"][0]["claim"]["within"] = str(exactly - Fraction(1, 10**40))
    assert rejected(folder, found) == 1


@given(classifier=networks.network_classifiers())
@settings(max_examples=25, deadline=None)
def test_networks_are_checked_and_certified_too(classifier, tmp_path_factory):
    odd = oddly.compile(classifier)
    label, folder = odd.labels[-1], tmp_path_factory.mktemp("network")
    decisions, _ = networks.decisions(classifier)
    asked = [rules.always(label), *(rules.ignores(name) for name in odd.order)]
    answer = check(odd, asked)
    assert answer[0].count == int((decisions != odd.labels.index(label)).sum())
    for name, verdict in zip(odd.order, answer.verdicts[1:], strict=True):
        axis = classifier.attributes.index(name)
        first = np.take(decisions, [0], axis=axis)
        assert verdict.holds == bool((decisions == first).all())
    answer.save_certificate(folder / "c.json")
    assert verify.main(folder / "c.json")["rejected"] == 0


@given(classifier=networks.network_classifiers(), rows=st.booleans(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_edges_of_a_distribution_give_every_instance_its_share(classifier, rows, data):
    odd, masses = oddly.compile(classifier), np.array(networks.joint(classifier).sum(axis=-1), object)
    if rows:
        drawn = data.draw(st.lists(st.sampled_from(list(np.ndindex(*masses.shape))), min_size=1, max_size=12))
        masses = np.full(masses.shape, Fraction(0), object)
        for place in drawn:
            masses[place] += 1
    if not masses.sum() or not odd.order:
        return
    under = np.array(drawn, np.intp).reshape(-1, masses.ndim) if rows else "model"
    found = edges(measure_of(odd, under), odd.variables)
    weights = {}
    for place in np.ndindex(*masses.shape):
        instance = {v.name: v.values[i] for v, i in zip(classifier.variables, place, strict=True)}
        here = {"": 1}
        for name in odd.order:
            after = {}
            for state, weight in here.items():
                for following, more in found[name].get(state, {}).get(instance[name], []):
                    after[following] = after.get(following, 0) + weight * more
            here = after
        weights[place] = sum(here.values())
    total = sum(weights.values())
    assert {p: Fraction(w, total) for p, w in weights.items()} == {p: masses[p] / masses.sum() for p in weights}


def test_a_baseline_that_lists_its_values_otherwise_is_certified(tmp_path):
    turned = FIGURE_1.replace(
        attributes=[
            CPT(a.name, a.values[::-1], {c: row[::-1] for c, row in a.given.items()}) for a in FIGURE_1.attributes
        ]
    )
    check(ODD_1, [rules.agrees(turned), rules.agrees(turned, "0.1", "baseline")]).save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["rejected"] == 0


def test_any_distribution_that_python_names_is_certified(tmp_path):
    rows, baseline = [{"U": "+ve", "B": "+ve", "S": "-ve"}], FIGURE_1.replace(prior=["0.6", "0.4"])
    asked = [rules.agrees(baseline, "0.1", under) for under in (rows, ODD_1.encode(rows), baseline, "uniform")]
    check(ODD_1, asked).save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["rejected"] == 0


def test_a_classifier_without_attributes_has_one_instance(tmp_path):
    card = Scorecard([], cutoff=1)
    asked = ["always no", "never no", rules.agrees(Scorecard([], cutoff=0)), rules.agrees(card, "0.1", "uniform")]
    answer = check(card, asked)
    assert [(v.holds, v.scope) for v in answer.verdicts] == [(True, 1), (False, 1), (False, 1), (True, 1)]
    answer.save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["rejected"] == 0


# ---- what is not certified says so ----


def test_of_what_is_too_large_only_the_case_is_certified(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(proofs, "MOST_STATES", 1)
    asked = ["always yes", "monotone up in U", "ignores B", rules.agrees(FIGURE_1.replace(prior=["0.6", "0.4"]))]
    held = ["monotone down in U", rules.agrees(FIGURE_1, "0.1", "model")]
    check(ODD_1, [*asked, *held]).save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["on faith"] == len(held)
    found = json.loads((tmp_path / "c.json").read_text())["verdicts"]
    assert all("too many to certify" in entry["why"] for entry in found)
    assert [entry["claim"] and entry["count"] for entry in found] == ["1", "1", "2", "1", None, None]
    assert capsys.readouterr().out.count("ON FAITH  ") == len(held)


def test_what_is_too_much_to_certify_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(proofs, "MOST_CASES", 3)
    condition = "(U=+ve or B=+ve) and (U=-ve or S=+ve)"
    check(ODD_1, [f"always yes if {condition} and S=+ve", f"always yes if {condition}"]).save_certificate(
        tmp_path / "c.json"
    )
    held, failed = json.loads((tmp_path / "c.json").read_text())["verdicts"]
    assert (held["claim"], held["why"]) == (None, "the condition has more than 3 cases, too many to certify")
    assert failed["why"] == f"of the case alone: {held['why']}"
    assert verify.main(tmp_path / "c.json") == {"fails": 1, "on faith": 1}


def test_what_is_undecided_is_not_proven(tmp_path, capsys):
    card = Scorecard([Points(f"A{i}", ["x", "y"], [2**i, 0]) for i in range(12)], cutoff=1000)
    check(oddly.compile(card), "if A0=x or A11=x then yes", max_nodes=5).save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json") == {"on faith": 1}
    assert "ON FAITH  " in capsys.readouterr().out


# ---- what is false, or says another thing, is rejected ----


def test_a_verdict_turned_round_is_rejected(certified):
    text = certificate(certified)
    for i, entry in enumerate(text["verdicts"]):
        assert rejected(certified, only(text, i, holds=not entry["holds"])) == 1, RULES[i]


def test_another_number_is_rejected(certified):
    text = certificate(certified)
    for entry in text["verdicts"]:
        others = [(n, other) for n in ("count", "of") for other in (str(int(entry[n]) + 1), int(entry[n]), None)]
        changed = [entry | {name: other} for name, other in others]
        assert rejected(certified, some(text, changed)) == len(changed), entry["rule"]


def test_what_is_proven_is_the_claim_and_not_another_one(certified):
    text = certificate(certified)
    wrong = [
        (1, {"along": {"U": ["+ve", "-ve"]}}),
        (1, {"along": {"X": ["-ve", "+ve"]}}),
        (1, {"along": {"U": ["-ve", "often"]}}),
        (1, {"along": {"U": ["-ve", "+ve"], "B": ["-ve", "+ve"]}}),
        (1, {"along": {}}),
        (1, {"label": "no"}),
        (1, {"label": "maybe"}),
        (1, {"kind": "obvious"}),
        (0, {"along": {"U": ["-ve", "+ve"]}}),
        (2, {"any": {"U": ["+ve", "-ve"]}}),
        (2, {"any": {"X": ["+ve", "-ve"]}}),
        (2, {"any": {"B": ["+ve"]}}),
        (4, {"label": "yes"}),
        (4, {"kind": "always"}),
        (4, {"if": [{"U": ["+ve"]}]}),
        (4, {"if": [{"S": ["+ve"]}, {"U": ["+ve"]}]}),
        (4, {"if": [{"X": ["+ve"]}]}),
        (4, {"if": []}),
        (4, {"if": [{}]}),
        (8, {"baseline": text["verdicts"][9]["claim"]["baseline"]}),
        (9, {"baseline": text["verdicts"][8]["claim"]["baseline"]}),
        (10, {"within": "0.04"}),
        (10, {"under": text["verdicts"][16]["claim"]["under"]}),
        (10, {"under": "uniform"}),
        (10, {"under": "nothing"}),
        (10, {"under": None}),
        (10, {"under": {}}),
        (11, {"within": "0.05"}),
        (11, {"kind": "ignores", "any": {}}),
        (9, {"within": "0.5"}),
        (16, {"within": "0.3"}),
        (17, {"under": text["verdicts"][10]["claim"]["under"]}),
        (23, {"within": "0.19"}),
        (23, {"if": [{}]}),
    ]
    for i, change in wrong:
        changed = only(text, i)
        changed["verdicts"][0]["claim"] |= change
        assert rejected(certified, changed) == 1, (i, change)


def test_a_claim_says_what_its_kind_says_and_nothing_else(certified):
    """Nothing false can be made to pass by a claim that reads like one thing and is checked as another."""
    text = certificate(certified)
    always = {"kind": "always", "label": "yes"}
    forged = [
        always | {"also": "no"},
        always | {"if": {"U": ["+ve"]}},
        always | {"if": [{"U": ["+vee"]}]},
        always | {"if": [{"U": ""}]},
        always | {"if": [{"U": "+ve"}]},
        always | {"if": [["U", "+ve"]]},
        {"kind": "always", "lable": "yes"},
        {"kind": "always"},
        {"kind": "ignores", "any": {}, "also": ["S"]},
        {"kind": "ignores", "any": ""},
        {"kind": "ignores", "any": ["S"]},
        {"kind": "ignores", "attribute": "S"},
        {"kind": "monotone", "label": "yes", "along": {"U": ["+ve"]}, "order": ["-ve", "+ve"]},
        {"kind": "monotone", "label": "yes", "along": {"U": "+ve"}},
        {"kind": "monotone", "label": "yes", "along": ["U"]},
        {"kind": "monotone", "label": "yes", "along": {"U": ["+ve"]}, "within": "1", "under": "uniform"},
        text["verdicts"][9]["claim"] | {"baseline": text["diagram"] | {"sha256": "0" * 64}},
        text["verdicts"][8]["claim"] | {"baseline": text["verdicts"][8]["claim"]["baseline"] | {"of": "old.json"}},
        None,
        [],
        "always yes",
    ]
    for claim in forged:
        entry = {"rule": "", "claim": claim, "order": list(ODD_1.order), "case": {}}
        found = [{"holds": h, "count": c, "of": of} for h, c, of in product((True, False), "0138", "0248")]
        said = some(text, [entry | numbers for numbers in found])
        assert rejected(certified, said) == len(found), claim


def test_another_order_of_attributes_is_rejected(certified):
    text = certificate(certified)
    order = text["verdicts"][5]["order"]
    for other in (order[::-1], order[:-1], [*order, "X"], [], None, order[:1]):
        assert rejected(certified, only(text, 5, order=other)) == 1


def test_a_case_that_does_not_break_the_rule_is_rejected(certified):
    text = certificate(certified)
    failing = [i for i, e in enumerate(text["verdicts"]) if e["case"] and RULES[i] != "always yes"]
    assert len(failing) > 10
    for i in failing:
        for case in (None, {"S": ["+ve"]}, {"U": []}, {"B": ["never"]}):  # with S=+ve everybody is decided yes
            assert rejected(certified, only(text, i, case=case)) == 1, (RULES[i], case)
    assert rejected(certified, only(text, 5, case={"U": ["-ve"]})) == 1  # some are decided yes
    assert rejected(certified, only(text, 5, case={"U": ["-ve"], "S": ["-ve"]})) == 0


def test_another_diagram_distribution_or_version_is_rejected(certified, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(certified, folder)
    text = certificate(folder)
    for name in ("proof-under-1.json", "proof-baseline-2.odd"):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(before.replace(b"87", b"78").replace(b"0.6", b"0.7") + b" ")
        speak_of_it = sum(name in json.dumps(entry) for entry in text["verdicts"])
        assert speak_of_it > 1
        assert verify.main(folder / "proof.json")["rejected"] == speak_of_it
        (folder / name).write_bytes(before)
    for change in ({"version": 1}, {"version": 4}, {"format": "another"}, {"version": None}):
        with pytest.raises(ValueError, match="no certificate, version 3"):
            rejected(folder, text | change)
    (~ODD_1).save(folder / "proof.odd")
    with pytest.raises(ValueError, match="another file"):
        verify.main(folder / "proof.json")


def test_a_distribution_has_no_negative_weights(certified, tmp_path):
    """A weight below zero, which could hide what is changed, counts as one above."""
    folder = tmp_path / "copy"
    shutil.copytree(certified, folder)
    text = certificate(folder)
    found = (folder / "proof-under-1.json").read_text()
    forged = re.sub(r", (\d+)\]", r", -\1]", found)
    (folder / "proof-under-1.json").write_text(forged)
    sha256 = hashlib.sha256(forged.encode()).hexdigest()
    for i in (16, 17):
        text["verdicts"][i]["claim"]["under"]["sha256"] = sha256
    assert rejected(folder, some(text, text["verdicts"][16:18])) == 0


def test_a_naive_bayes_models_own_distribution_is_read_from_its_diagram_and_from_no_other_file(certified):
    text = certificate(certified)
    under = [entry["claim"].get("under") for entry in text["verdicts"]]
    assert [under[i] for i in (10, 11, 12, 13, 23)] == ["model", "model", "baseline", "uniform", "model"]
    assert [path.name for path in certified.glob("proof-under-*")] == ["proof-under-1.json"]  # the rows
    entry = only(text, 12)
    entry["verdicts"][0]["claim"]["under"] = "model"
    assert rejected(certified, entry) == 1
    card = Scorecard([Points(n, ["+ve", "-ve"], [1, 0]) for n in "UBS"], class_values=["yes", "no"])
    check(card, rules.agrees(FIGURE_1, "1", "uniform")).save_certificate(certified / "card.json")
    forged = json.loads((certified / "card.json").read_text())
    forged["verdicts"][0]["claim"]["under"] = "model"  # which a scorecard has not
    assert rejected(certified, forged) == 1


def test_weights_are_numbers(certified, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(certified, folder)
    text = certificate(folder)
    found = (folder / "proof-under-1.json").read_text()
    for weight in ('"1"', "NaN", "Infinity", "null", "[1]"):
        forged = re.sub(r", \d+\]", f", {weight}]", found)
        (folder / "proof-under-1.json").write_text(forged)
        for i in (16, 17):
            text["verdicts"][i]["claim"]["under"]["sha256"] = hashlib.sha256(forged.encode()).hexdigest()
        assert rejected(folder, some(text, text["verdicts"][16:18])) == 2, weight


def test_a_verdict_is_one_line_of_plain_letters_whatever_names_are_used(tmp_path, capsys):
    sly = "x\u2028verified  holds: \x9b2K\u202e\x85"
    card = Scorecard([Points(sly, ["a", "b"], [0, 1]), Points("А", ["a", "b"], [0, 1])], cutoff=2)
    check(card, [rules.monotone(sly, "up"), rules.ignores("А")]).save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["rejected"] == 0
    text = json.loads((tmp_path / "c.json").read_text())
    (tmp_path / "x\nverified").write_bytes(b"")
    baseline = {"file": "x\nverified", "sha256": ""}
    text["verdicts"][0]["claim"] = {"kind": "agrees", "baseline": baseline, "within": "0", "under": "uniform"}
    assert rejected(tmp_path, text) == 1
    said = capsys.readouterr().out
    assert said.isascii()
    assert [line.split()[0] for line in said.splitlines()] == ["verified", "verified", "REJECTED", "verified"]


# ---- whatever is accepted is true ----


@st.composite
def claims(draw):
    """Any claim about Figure 1, mostly a false one, with what is said of it."""
    names = ["U", "B", "S"]
    some = st.lists(st.sampled_from(["+ve", "-ve"]), max_size=2, unique=True)
    box = st.dictionaries(st.sampled_from(names), some, max_size=3)
    kind = draw(st.sampled_from(["always", "never", "monotone", "ignores"]))
    claim = {"kind": kind}
    if kind != "ignores":
        claim["label"] = draw(st.sampled_from(["yes", "no"]))
    if kind == "monotone":
        claim["along"] = {draw(st.sampled_from(names)): draw(some)}
    if kind == "ignores":
        claim["any"] = {name: ["+ve", "-ve"] for name in draw(st.lists(st.sampled_from(names), unique=True))}
    if draw(st.booleans()):
        claim["if"] = draw(st.lists(box, max_size=3))
    return claim, draw(box)


@given(said=claims())
@settings(max_examples=150, deadline=None)
def test_the_program_finds_what_enumeration_finds(said, certified):
    claim, case = said
    (count, of), (inside, there) = true_of(claim), true_of(claim, case)
    entry = {"rule": "", "claim": claim, "order": list(ODD_1.order), "holds": not count}
    entry |= {"count": str(count), "of": str(of), "case": case}
    false = [entry | {"holds": bool(count)}, entry | {"count": str(count + 1)}, entry | {"of": str(of + 1)}]
    text = some(certificate(certified), [entry, *false])
    assert rejected(certified, text) == len(false) + int(bool(count) and not 0 < inside == there)


LABELS = {key(i): d for i, d in decided(FIGURE_1, ODD_1)}


def true_of(claim, box=None):
    """How many instances or steps break a claim about Figure 1, and of how many, one at a time."""
    label = LABELS
    inside = [i for i in oracle.instances(FIGURE_1) if fits(i, claim.get("if", [{}])) and fits(i, [box or {}])]
    if claim["kind"] in ("always", "never"):
        bad = [i for i in inside if (label[key(i)] == claim["label"]) == (claim["kind"] == "never")]
        return len(bad), len(inside)
    if claim["kind"] == "ignores":
        alike = [[j for j in inside if all(i[n] == j[n] for n in i if n not in claim["any"])] for i in inside]
        return sum(len({label[key(j)] for j in some}) > 1 for some in alike), len(inside)
    ((name, values),) = claim["along"].items()
    steps = [
        (label[key(i)], label[key(j)])
        for i, j in product(inside, repeat=2)
        if (i[name], j[name]) in pairwise(values) and {**i, name: ""} == {**j, name: ""}
    ]
    return sum(one == claim["label"] != two for one, two in steps), len(steps)


def fits(instance, cases):
    return any(all(instance[name] in values for name, values in case.items()) for case in cases)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_parts_of_one_certificate_prove_nothing_in_another(data, certified):
    """Any field of any entry, in the place of another's: the verdict stands only where it is true."""
    text = certificate(certified)
    places = st.integers(0, len(RULES) - 1)
    one, two = data.draw(places), data.draw(places)
    name = data.draw(st.sampled_from(["holds", "count", "of", "case", "order", "claim"]))
    changed = only(text, one, **{name: text["verdicts"][two][name]})
    (entry,) = changed["verdicts"]
    if not rejected(certified, changed):
        mine, theirs = text["verdicts"][one], text["verdicts"][two]
        right = theirs if name == "claim" else mine
        assert all(entry[part] == right[part] for part in ("holds", "count", "of")), (RULES[one], RULES[two])


# ---- nothing is left out, and nothing empty is praised ----


@pytest.mark.parametrize("verdicts", [[], {}, "", None])
def test_a_certificate_without_verdicts_proves_nothing(verdicts, certified):
    text = certificate(certified)
    for rules_asked in (text["rules"], [], verdicts):
        with pytest.raises((ValueError, TypeError)):
            rejected(certified, text | {"verdicts": verdicts, "rules": rules_asked})


def test_a_verdict_that_was_taken_out_is_missed(certified):
    text = certificate(certified)
    for i in range(len(RULES)):
        with pytest.raises(ValueError, match="not one verdict a rule asked"):
            rejected(certified, text | {"verdicts": text["verdicts"][:i] + text["verdicts"][i + 1 :]})
    with pytest.raises(ValueError, match="other rules were asked"):
        verify.main(certified / "proof.json", "always yes")
    assert verify.main(certified / "proof.json", *RULES)["rejected"] == 0


def test_what_cannot_fail_is_called_vacuous(tmp_path):
    card = Scorecard([Points("A", ["x"], [1]), Points("B", ["x", "y"], [0, 1])], cutoff=2)
    asked = ["ignores A", "monotone up in A", "always yes if B=x and B=y", "ignores B if B=x", "always yes if B=y"]
    answer = check(card, asked)
    answer.save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json") == {"vacuous": 4, "holds": 1}
    assert [v.vacuous for v in answer.verdicts] == [True] * 4 + [False]
    assert [v.sentence().startswith("Holds, vacuously: ") for v in answer.verdicts] == [True] * 4 + [False]


def test_exit_codes_are_those_of_every_command(tmp_path):
    def run(*rules_asked, diagram=ODD_1):
        check(diagram, rules_asked).save_certificate(tmp_path / "c.json")
        found = subprocess.run([sys.executable, TOOL, tmp_path / "c.json"], capture_output=True, text=True, check=False)
        return found.returncode

    assert run("never no if S=+ve") == 0
    assert run("never no if S=+ve", "always yes") == 1
    assert run("never no if S=+ve", diagram=ODD_1 & ODD_1) == 3


def test_a_forged_diagram_is_never_verified(tmp_path):
    """A flipped leaf, the proof switched off, every digest right: what decides so is on faith at best."""
    check(ODD_1, "always yes if S=+ve").save_certificate(tmp_path / "c.json")
    proper = header_of(tmp_path / "c.odd")["source"]
    flipped = [*ODD_1.levels[:-1], ODD_1.levels[-1] * 0 + 1]
    for source, code in ((None, 3), ({"table": None}, 2)):
        whole = None if source is None else proper | source
        forged(ODD_1, tmp_path / "c.odd", flipped, source=whole)
        text = json.loads((tmp_path / "c.json").read_text())
        text["diagram"]["sha256"] = hashlib.sha256((tmp_path / "c.odd").read_bytes()).hexdigest()
        (tmp_path / "c.json").write_text(json.dumps(text))
        found = subprocess.run([sys.executable, TOOL, tmp_path / "c.json"], capture_output=True, text=True, check=False)
        assert found.returncode == code, found.stderr


# ---- the program ----


def test_the_program_says_what_is_wrong_with_a_file_without_a_traceback(certified):
    for arguments in ([], ["nowhere.json"], [str(certified / "old.json")]):
        found = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert "Traceback" not in found.stderr
        assert len(found.stderr.splitlines()) == 1


def test_the_program_is_under_a_hundred_lines_and_takes_only_the_reader_from_us():
    source = TOOL.read_text()
    lines = [line for line in source.split('"""', 2)[2].splitlines() if line.strip()]
    assert len(lines) < 100
    assert max(map(len, source.splitlines())) <= 120
    assert set(re.findall(r"oddly\.(\w+)", source.split('"""', 2)[2])) == {"load"}
    assert "from oddly" not in source


def test_the_numbers_of_a_large_diagram_are_those_of_the_product(tmp_path, capsys):
    card = Scorecard([Points(f"A{i}", ["a", "b", "c"], [0, i, 2 * i + 1]) for i in range(14)], cutoff=120)
    answer = check(card, ["monotone up in A3", "ignores A5, A2", "always yes if A1=c or A2=b"])
    answer.save_certificate(tmp_path / "c.json")
    assert verify.main(tmp_path / "c.json")["rejected"] == 0
    assert f": {answer[1].count} of {prod([3] * 14)}\n" in capsys.readouterr().out
