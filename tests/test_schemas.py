# SPDX-License-Identifier: Apache-2.0
"""Every answer fits docs/answers.schema.json, and there is nothing in the schema that no answer has."""

import importlib
import io
import json
import shlex
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from itertools import islice
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from referencing import Registry, Resource

import oddly
from oddly.cli import COMMANDS, main
from oddly.cli.demo import random_model
from oddly.errors import OddlyError
from strategies import classifiers
from test_report import board, card

DOCS = Path(__file__).parents[1] / "docs"
SCHEMA = json.loads((DOCS / "answers.schema.json").read_text())
MODELS = Resource.from_contents(json.loads((DOCS / "model.schema.json").read_text()))
REGISTRY = Registry().with_resources(
    [("answers.schema.json", Resource.from_contents(SCHEMA)), ("model.schema.json", MODELS)]
)


@cache
def validator(name):
    return jsonschema.Draft202012Validator({"$ref": f"answers.schema.json#/$defs/{name}"}, registry=REGISTRY)


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """A directory with a model of every kind, and tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("models"))
        figure_1 = oddly.examples.pregnancy()
        oddly.write(figure_1, "old.json")
        oddly.write(figure_1.replace(prior=["0.6", "0.4"]), "new.json")
        for name, model in {"card": card(), "board": board(), "zeros": zeros(), "many": many(), "wide": wide()}.items():
            oddly.write(model, f"{name}.json")
        oddly.write(zeros().replace(threshold="1"), "certain.json")
        near = [oddly.Points("a", ["no", "yes"], [0, 1]), oddly.Points("b", ["no", "yes"], [0, "0.9999"])]
        oddly.write(oddly.Scorecard(near, cutoff=1), "narrow.json")
        oddly.write(oddly.Scorecard(near, cutoff="1.5"), "strict.json")
        oddly.write(random_model(36), "large.json")
        oddly.write(network(), "network.json")
        oddly.write(network().classifier("ill", positive="yes", threshold="0.3"), "hidden.json")
        oddly.write(parity(), "parity.json")
        old = oddly.compile(figure_1)
        old.save("old.odd")
        oddly.compile(parity()).save("parity.odd")
        (old ^ oddly.compile(figure_1.replace(prior=["0.6", "0.4"]), order=list(old.order))).save("both.odd")
        Path("rows.csv").write_text("U,B,S,P\n+ve,+ve,-ve,yes\n-ve,-ve,-ve,no\n+ve,-ve,+ve,yes\n")
        Path("table.csv").write_text("a,b,n,class\nx,1,1.5,yes\ny,2,2.5,no\nx,2,3.5,yes\ny,1,0.5,no\nx,1,2.0,no\n")
        Path("more.csv").write_text("a,b,n,class\nx,1,1.5,yes\ny,2,2.5,yes\ny,1,,no\n")
        oddly.write(half(30, "none", "full"), "first.json")
        oddly.write(half(40, "none", "retired"), "second.json")
        Path("people.csv").write_text("job,age\nnone,35\nnone,20\nfull,50\n")
        main(["learn", "table.csv", "--target", "class", "--bins", "n=2", "-o", "learned.json"])
        yield


def half(cut, *jobs):
    """What people retrain: a number cut here or there, and the jobs that were seen."""
    job = oddly.CPT("job", jobs, {c: [f"1/{len(jobs)}"] * len(jobs) for c in ("good", "bad")})
    age = oddly.CPT("age", ["young", "old"], {"good": ["1/4", "3/4"], "bad": ["2/3", "1/3"]}, oddly.Bins([cut]))
    return oddly.NaiveBayes("credit", ["good", "bad"], ["1/2", "1/2"], [job, age])


def zeros():
    """A value that is certain, one that is impossible, and an attribute of one value."""
    a = oddly.CPT("a", ["x", "y", "z"], {"p": ["1/2", "1/2", "0"], "q": ["0", "1", "0"]})
    b = oddly.CPT("b", ["u"], {"p": ["1"], "q": ["1"]})
    d = oddly.CPT("d", ["s", "t"], {"p": ["1/3", "2/3"], "q": ["1/2", "1/2"]})
    return oddly.NaiveBayes("c", ["p", "q"], ["1/2", "1/2"], [a, b, d])


def many():
    a = oddly.CPT("a", ["x", "y"], {"r": ["1/2", "1/2"], "g": ["1/3", "2/3"], "b": ["3/4", "1/4"]})
    b = oddly.CPT("b", ["u", "v"], {"r": ["1/5", "4/5"], "g": ["1/2", "1/2"], "b": ["2/3", "1/3"]})
    return oddly.NaiveBayes("k", ["r", "g", "b"], ["1/2", "1/4", "1/4"], [a, b])


def wide():
    """So wide that counts and bounds are beyond what a float holds."""
    return oddly.Scorecard([oddly.Points(f"a{i}", ["x", "y"], [0, 1]) for i in range(120)], cutoff=60)


def network():
    """The class, a hidden variable, and two attributes."""
    nodes = [
        oddly.Node("virus", ["yes", "no"], [], [["0.2", "0.8"]]),
        oddly.Node("ill", ["yes", "no"], ["virus"], [["0.7", "0.3"], ["0.1", "0.9"]]),
        oddly.Node("fever", ["yes", "no"], ["virus"], [["0.8", "0.2"], ["0.1", "0.9"]]),
        oddly.Node("cough", ["yes", "no"], ["ill"], [["0.7", "0.3"], ["0.1", "0.9"]]),
    ]
    return oddly.Network(nodes)


def parity():
    """What no card of points can decide, and what a limit stops."""
    names = ["A", "B", "C"]
    rows = [["1", "0"] if (i & 1) ^ (i >> 1 & 1) ^ (i >> 2) else ["0", "1"] for i in range(8)]
    nodes = [oddly.Node(name, ["0", "1"], [], [["1/2", "1/2"]]) for name in names]
    return oddly.Network([*nodes, oddly.Node("odd", ["0", "1"], names, rows)]).classifier("odd", "1", attributes=names)


LINES = """
demo
learn table.csv --target class --bins n=2 --folds 2
learn table.csv --target class --structure tan --leave-out n -o tree.json
info old.json
info card.json
info board.json
info many.json
info hidden.json
info network.json
info learned.json
info old.odd
info both.odd
info wide.json
info large.json
convert old.json old.net
convert learned.json learned.xdsl --digits 3
compile old.json -o x.odd
compile card.json
compile board.json
compile zeros.json
compile hidden.json
compile wide.json
export old.json --to sql --dialect duckdb
export both.odd --to cnf -o both.cnf
show old.json
show old.json -o old.svg
classify old.json rows.csv
classify card.json income=low sex=f
explain card.json income=low sex=f
diff narrow.json strict.json
count old.json --sample 2 --list 2
count old.json S=-ve --label yes --exact --list 2
count old.json --under rows.csv
count card.json
count many.json
count zeros.json a=x
count zeros.json a=z
count wide.json
count both.odd
count hidden.json
explain old.json U=+ve B=-ve S=+ve --list 2
explain old.json S=+ve
explain hidden.json fever=yes cough=no
explain board.json a0=x a1=y a2=x a3=y
change old.json U=-ve B=-ve S=-ve --k 2
change many.json a=x b=u
diff old.json old.json
diff old.json new.json --max-changed 0.5
allow old.json
allow card.json
allow board.json
allow many.json
allow zeros.json
allow hidden.json
allow certain.json
allow narrow.json
allow old.json --flips 5%
allow card.json --flips 0.001 --under uniform
allow board.json --flips 1/10
allow many.json --flips 10%
allow zeros.json --flips 1%
allow hidden.json --flips 5%
allow certain.json --flips 5%
regimes old.json
regimes card.json
regimes old.json --max-regimes 2
round old.json
round card.json
round card.json --to 1000
round board.json
round hidden.json
must old.json yes "S=+ve or (U=+ve and B=+ve)"
check old.json --rule "if U=+ve and B=+ve then yes" --certificate proof.json
check board.json --rule "a0=x or a0=y" --rule "ignores a0"
check old.json --rule "agrees with new.json up to 0.5 under model"
fair hidden.json --protected virus
robust old.json
robust old.json --exact --max-changes 1
robust board.json
robust zeros.json
ask old.json U=+ve
ask zeros.json a=y --exact
ask card.json
ask old.json --subset 0.9 --exact -o small.json
importance old.json
importance card.json --label grant
importance board.json a0=x a1=y a2=x a3=y
importance old.json U=-ve B=-ve S=+ve --exact
scorecard old.json
scorecard old.json --curve 2 -o points.csv
combine old.json xor new.json -o other.odd
combine restrict board.json a0=x
report old.json --against new.json --rule "ignores B" --case U=+ve,B=-ve,S=+ve --protected B --seconds 60
report board.json --protected a0 --case a0=x -o page.md
report board.json --protected a0
report zeros.json
order old.json --tries 3 --jobs 1
order board.json --tries 0 --jobs 1
studio --no-browser
diff old.json new.json
diff both.odd card.json
diff both.odd old.json
explain old.json U=+ve
change card.json income=low sex=f --fixed income
change zeros.json a=y b=u d=s --fixed a --fixed d
rows learned.json more.csv
must many.json r a=x
check old.json --rule "ignores B"
check old.json --rule "agrees with new.json up to 0.001 under uniform"
fair old.json --protected B --exact
fair old.json --protected B --under rows.csv --target P
fair board.json --protected a1 --label red
ask old.json U=+ve --enough 0.95
gate old.json new.json --changed 50%
gate old.json new.json --max-nodes 2
scorecard parity.json
scorecard old.json --max-points 1
compile old.json --max-nodes 2
explain parity.odd A=0 B=0 C=1 --max-nodes 4
check parity.odd --rule "if A=0 and B=0 then 1" --max-nodes 2
scorecard old.json --seconds 0.000001
diff first.json second.json --table people.csv -o changed.csv --max-changed 0.01
diff first.json second.json --under people.csv
combine first.json and second.json
check first.json --rule "agrees with second.json up to 0.01"
diff old.json new.json --max-nodes 2
compile large.json --error 0.05 --under uniform --max-nodes 60000
count large.json --error 0.05 --max-nodes 60000
count large.json --error 0.05 --max-nodes 60000 --exact A0=v0
compile nothing.json
compile
allow both.odd
count old.json U=maybe
frobnicate
""".strip().splitlines()


@cache
def told(line):
    """The exit code of a command, and its one JSON object."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*shlex.split(line), "--json"])
    return code, json.loads(out.getvalue(), parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))


def differences():
    """What a pair says of another, which no command prints: the same, surely another, and undecided."""
    model, how = random_model(36), {"error": "0.05", "max_nodes": 60_000}
    pair = oddly.compile(model, **how)
    others = model, model.replace(prior=["1/100", "99/100"]), model.replace(threshold="0.50000001")
    return [oddly.compare(pair, oddly.compile(other, list(pair.order), **how)).to_json() for other in others]


def test_every_command_prints_what_its_schema_says_and_the_schema_says_nothing_more(monkeypatch):
    """One test, because it runs every command: each object fits, all ways to end are met, and no part of the schema is idle."""
    monkeypatch.setattr(importlib.import_module("oddly.cli.studio"), "_serve", lambda app, door: None)
    ends, seen = set(), set()
    for line in LINES:
        code, answer = told(line)
        name = "error" if "exit_code" in answer else shlex.split(line)[0]
        wrong = jsonschema.exceptions.best_match(validator(name).iter_errors(answer))
        assert wrong is None, f"oddly {line} --json: {wrong}"
        assert answer.get("exit_code", code) == code, line
        ends.add((name, code))
        mark(f"/$defs/{name}", answer, seen)
    for answer in differences():
        assert jsonschema.exceptions.best_match(validator("diff").iter_errors(answer)) is None
        mark("/$defs/diff", answer, seen)
    assert {name for name, code in ends if code == 0} >= set(COMMANDS) - {"rows"}
    assert {
        ("diff", 1),
        ("check", 1),
        ("check", 3),
        ("explain", 3),
        ("scorecard", 3),
        ("error", 2),
        ("error", 3),
    } <= ends
    places = [place for place, _ in parts("", SCHEMA["$defs"], "/$defs")]
    idle = {place for place in places if place.split("/")[-2] in ("properties", "anyOf")} - seen
    uncounted = {
        place for place in idle if place.endswith("/impossible/anyOf/1")
    }  # null: too many for any test to meet
    assert idle - uncounted == set()


@pytest.mark.parametrize("file", ["old.json", "wide.json"])
def test_numbers_without_bounds_are_texts_whether_small_or_large(file):
    _, answer = told(f"compile {file}")
    odd = oddly.compile(file)
    assert (answer["bound"], answer["instances"], answer["size"]) == (str(odd.bound), str(odd.instances), odd.size)


# ---- the same from Python ----

ANSWERS = {
    "count old.json S=-ve": lambda old: oddly.count(old, given={"S": "-ve"}),
    "explain old.json U=+ve B=-ve S=+ve": lambda old: oddly.explain(old, {"U": "+ve", "B": "-ve", "S": "+ve"}),
    "change old.json U=-ve B=-ve S=-ve": lambda old: oddly.change(old, {"U": "-ve", "B": "-ve", "S": "-ve"}),
    "diff old.json new.json --examples 5": lambda old: oddly.compare(old, "new.json"),
    "allow old.json": lambda old: oddly.allowed(old),
    "allow old.json --flips 5%": lambda old: oddly.allowed(old, flips="5%"),
    "allow board.json": lambda old: oddly.allowed("board.json"),
    "regimes old.json": lambda old: oddly.regimes(old),
    "round old.json": lambda old: oddly.rounding("old.json"),
    "rows learned.json more.csv": lambda old: oddly.added_rows("learned.json", "more.csv"),
    "must old.json yes S=+ve": lambda old: oddly.must_hold(old, "yes", "S=+ve"),
    'check old.json --rule "ignores B"': lambda old: oddly.check(old, "ignores B"),
    "gate old.json new.json": lambda old: oddly.gate("old.json", "new.json"),
    "fair old.json --protected B": lambda old: oddly.fairness(old, "B"),
    "robust old.json": lambda old: oddly.robustness(old),
    "ask old.json U=+ve": lambda old: oddly.same_decision(old, {"U": "+ve"}),
    "ask old.json --subset 0.9": lambda old: oddly.subset(old, "0.9"),
    "importance old.json": lambda old: oddly.importance(old),
    "importance old.json U=+ve B=-ve S=+ve": lambda old: oddly.contributions(old, {"U": "+ve", "B": "-ve", "S": "+ve"}),
    "scorecard old.json": lambda old: oddly.scorecard(old),
}


@pytest.mark.parametrize("line", ANSWERS)
def test_an_answer_in_python_says_what_the_command_says(line):
    answer = json.loads(json.dumps(ANSWERS[line](oddly.load("old.odd")).to_json(), allow_nan=False))
    validator(line.split()[0]).validate(answer)
    _, printed = told(line)
    assert {name: printed[name] for name in answer} == answer
    assert set(printed) - set(answer) <= {
        *("under", "changed", "changed_between", "max_changed", "holds", "table"),
        *("certificate", "written"),
    }


QUESTIONS = {
    "count": lambda odd, case: oddly.count(odd),
    "explain": lambda odd, case: oddly.explain(odd, case),
    "change": lambda odd, case: oddly.change(odd, case),
    "diff": lambda odd, case: oddly.compare(odd, ~odd),
    "allow": lambda odd, case: oddly.allowed(odd),
    "regimes": lambda odd, case: oddly.regimes(odd, 1000),
    "check": lambda odd, case: oddly.check(odd, [f"ignores {name}" for name in case] or ["always yes"]),
    "robust": lambda odd, case: oddly.robustness(odd),
    "ask": lambda odd, case: oddly.same_decision(odd, dict(islice(case.items(), 1))),
    "importance": lambda odd, case: oddly.importance(odd),
}


@pytest.mark.parametrize("name", QUESTIONS)
@given(model=classifiers())
@settings(max_examples=12, deadline=None)
def test_the_answer_about_any_classifier_fits(name, model):
    odd = oddly.compile(model)
    try:
        answer = QUESTIONS[name](odd, {v.name: v.values[0] for v in model.variables})
    except OddlyError:  # an impossible instance, say
        return
    validator(name).validate(json.loads(json.dumps(answer.to_json(), allow_nan=False)))


# ---- the schema itself ----


def test_every_command_has_its_schema_and_every_object_is_closed():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [part["$ref"].rpartition("/")[2] for part in SCHEMA["anyOf"]] == [*COMMANDS, "error"]
    for place, part in parts("", SCHEMA):
        assert part.get("type") != "object" or "additionalProperties" in part, place
        if "/properties/" in place and place.rpartition("/")[0].endswith("/properties"):
            assert part["description"].endswith("."), place


def test_what_is_misspelt_or_no_text_does_not_fit():
    _, answer = told("count old.json --under rows.csv")
    for wrong in ({**answer, "instance": "8"}, {**answer, "instances": 8}, {**answer, "counts": {"yes": 5}}):
        with pytest.raises(jsonschema.ValidationError):
            validator("count").validate(wrong)


def parts(place, schema, head=""):
    """Every schema in a schema, with its place."""
    if isinstance(schema, dict):
        yield head + place, schema
        for name, part in schema.items():
            yield from parts(f"{place}/{name}", part, head)
    elif isinstance(schema, list):
        for i, part in enumerate(schema):
            yield from parts(f"{place}/{i}", part, head)


def mark(place, value, seen):
    """Note the places of the schema that say something about a value."""
    seen.add(place)
    schema = SCHEMA
    for step in place.split("/")[1:]:
        schema = schema[int(step)] if isinstance(schema, list) else schema[step]
    if "$ref" in schema and schema["$ref"].startswith("#"):
        mark(schema["$ref"][1:], value, seen)
    for i, part in enumerate(schema.get("anyOf", ())):
        inside = {**part, "$defs": SCHEMA["$defs"], "$id": SCHEMA["$id"]}
        if jsonschema.Draft202012Validator(inside, registry=REGISTRY).is_valid(value):
            mark(f"{place}/anyOf/{i}", value, seen)
            break
    if isinstance(value, dict):
        named = schema.get("properties", {})
        for name, part in value.items():
            if name in named:
                mark(f"{place}/properties/{name}", part, seen)
            elif "additionalProperties" in schema:
                mark(f"{place}/additionalProperties", part, seen)
    elif isinstance(value, list):
        first = schema.get("prefixItems", [])
        for i, part in enumerate(value):
            if "items" in schema or first:
                mark(f"{place}/prefixItems/{i}" if i < len(first) else f"{place}/items", part, seen)
