# SPDX-License-Identifier: Apache-2.0
"""Limits: the same four on every question and every command, made once at the door."""

import inspect
import json
import os
import random
import re
import subprocess
import sys
from time import monotonic

import pytest

import oddly
from oddly import Points, Scorecard, TooLarge
from oddly.cli import COMMANDS, command, main
from oddly.cli.options import Limits, Read
from oddly.runtime import LimitArguments, current, limited

NO_QUESTIONS = {  # functions that take no limits, and why
    "best_of": "names an order; the search is done by whoever compiles",
    "from_estimator": "looks at an object that is there",
    "from_network": "looks at an object that is there",
    "load": "reads a file",
    "read": "reads a file",
    "save": "writes a file",
    "write": "writes a file",
}
NO_LIMITS = {  # commands without the options, and why
    "convert": "reads a file and writes it",
    "demo": "takes no model",
    "studio": "has limits for each question, with defaults of its own",
}
FOUR = set(LimitArguments.__annotations__)
FUNCTIONS = [name for name in oddly.__all__ if inspect.isfunction(getattr(oddly, name))]


def large():
    return Scorecard([Points(f"A{i}", ["x", "y"], [7919 * i * i % 1_000_003, 0]) for i in range(40)], cutoff=9_000_000)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NO_QUESTIONS.keys()))
def test_every_question_takes_the_same_four_limits(name):
    parameters = inspect.signature(getattr(oddly, name)).parameters
    kinds = [str(p.annotation) for p in parameters.values() if p.kind is p.VAR_KEYWORD]
    assert parameters.keys() >= FOUR or any("LimitArguments" in kind for kind in kinds)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NO_LIMITS.keys()))
def test_every_command_takes_limits(name):
    defaults = [p.default for p in inspect.signature(command(name)).parameters.values()]
    assert any(isinstance(default, Read | Limits) for default in defaults)


def test_what_is_no_limit_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_node'"):
        oddly.count(oddly.examples.pregnancy(), max_node=3)


QUESTIONS = {
    "allowed": oddly.allowed,
    "check": lambda model, **limits: oddly.check(model, "monotone up in A3", **limits),
    "compare": lambda model, **limits: oddly.compare(model, model, **limits),
    "compile": oddly.compile,
    "count": oddly.count,
    "explain": lambda model, **limits: oddly.explain(model, {}, **limits),
    "importance": oddly.importance,
    "must_hold": lambda model, **limits: oddly.must_hold(model, "yes", "A3=x", **limits),
    "regimes": oddly.regimes,
    "report": oddly.report,
    "robustness": oddly.robustness,
    "rounding": oddly.rounding,
    "sample": lambda model, **limits: oddly.sample(model, 3, **limits),
    "same_decision": lambda model, **limits: oddly.same_decision(model, under="uniform", **limits),
    "scorecard": oddly.scorecard,
}


@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - {"report", "scorecard"}))
def test_time_stops_a_question(name):
    with pytest.raises(TooLarge, match=r"it took more than 1e-06 seconds.  Try seconds="):
        QUESTIONS[name](large(), seconds=1e-6)


@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - {"explain"}))
def test_nodes_stop_a_question(name):
    with pytest.raises(TooLarge, match="allowed|far more than"):
        QUESTIONS[name](large(), max_nodes=100)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_progress_stops_a_question(name):
    def stop(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        QUESTIONS[name](large(), progress=stop)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_little_memory_stops_a_question(name):
    with pytest.raises(TooLarge, match="needed|fits into|hold|allowed"):
        QUESTIONS[name](large(), max_memory=1_000_000)


# ---- inside a question, once there is a diagram ----


@pytest.fixture(scope="module")
def asking():
    """Every question as a call of its own, about diagrams that are there."""
    r = random.Random(3)
    names = [f"A{i}" for i in range(16)]
    rows = [{**{name: r.choice("xy") for name in names}, "C": r.choice(["yes", "no"])} for _ in range(300)]
    learned = oddly.learn(rows, "C", positive="yes", alpha=1)
    odd = oddly.compile(learned)
    other = oddly.compile(learned.replace(threshold="2/3"), order=list(odd.order))
    case = dict.fromkeys(names, "x")
    return {
        "added_rows": lambda **k: oddly.added_rows(learned, rows, **k),
        "allowed": lambda **k: oddly.allowed(odd, **k),
        "batch": lambda **k: oddly.batch(odd, [case], **k),
        "change": lambda **k: oddly.change(odd, case, **k),
        "check": lambda **k: oddly.check(odd, "monotone up in A3", **k),
        "combine": lambda **k: oddly.combine(odd, other, lambda i, j: i & j, **k),
        "compare": lambda **k: oddly.compare(odd, other, **k),
        "compile": lambda **k: oddly.compile(learned, **k),
        "contributions": lambda **k: oddly.contributions(odd, case, **k),
        "count": lambda **k: oddly.count(odd, **k),
        "cross_validate": lambda **k: oddly.cross_validate(rows, "C", folds=3, alpha=1, **k),
        "explain": lambda **k: oddly.explain(odd, case, **k).sufficient.count,
        "expression_diagram": lambda **k: oddly.expression_diagram("A3=x or A5=y and A9=x", odd, **k),
        "fairness": lambda **k: oddly.fairness(odd, "A3", **k),
        "gate": lambda **k: oddly.gate(odd, other, **k),
        "importance": lambda **k: oddly.importance(odd, **k),
        "instances": lambda **k: next(oddly.instances(odd, **k)),
        "learn": lambda **k: oddly.learn(rows, "C", alpha=1, **k),
        "must_hold": lambda **k: oddly.must_hold(odd, "yes", "A3=x", **k),
        "regimes": lambda **k: oddly.regimes(odd, **k),
        "report": lambda **k: oddly.report(odd, **k),
        "robustness": lambda **k: oddly.robustness(odd, **k),
        "rounding": lambda **k: oddly.rounding(learned, **k),
        "same_decision": lambda **k: oddly.same_decision(odd, {}, **k),
        "sample": lambda **k: oddly.sample(odd, 3, **k),
        "scorecard": lambda **k: oddly.scorecard(odd, **k),
        "subset": lambda **k: oddly.subset(odd, **k),
    }


ANSWER = {  # those that answer with what there is when they are stopped, and how that shows
    "check": lambda found: found.verdicts[0].status == "undecided",
    "explain": lambda found: found is None,
    "gate": lambda found: found.holds is None,
    "report": lambda found: any(f.status == "unanswered" for f in found.findings),
    "scorecard": lambda found: not found.decided,
}
NO_NODES = {  # those that make no diagram of their own
    "allowed",
    "batch",
    "change",
    "contributions",
    "count",
    "cross_validate",
    "instances",
    "learn",
    "regimes",
    "same_decision",
    "sample",
}


def stopped(call, name, **limit):
    """Whether a question stopped at a limit, as an error or in its answer."""
    try:
        found = call(**limit)
    except TooLarge as error:
        return "  Try " in str(error)
    return name in ANSWER and ANSWER[name](found)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NO_QUESTIONS.keys()))
def test_time_stops_a_question_about_a_diagram_that_is_there(asking, name):
    assert stopped(asking[name], name, seconds=1e-6)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NO_QUESTIONS.keys() - NO_NODES))
def test_nodes_stop_a_question_that_makes_some(asking, name):
    assert stopped(asking[name], name, max_nodes=3)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NO_QUESTIONS.keys()))
def test_progress_stops_a_question_about_a_diagram_that_is_there(asking, name):
    def stop(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asking[name](progress=stop)


# ---- on the command line ----

ARGUMENTS = {  # of each command, for a large model
    "allow": "large.json",
    "ask": "large.json A1=x",
    "change": "large.json CASE",
    "check": "large.json --rule A3=x",
    "classify": "large.json CASE",
    "combine": "large.json and large.json",
    "compile": "large.json",
    "count": "large.json",
    "diff": "large.json large.json",
    "explain": "large.json CASE",
    "export": "large.json --to graphml",
    "fair": "large.json --protected A3",
    "gate": "large.json large.json",
    "importance": "large.json",
    "info": "large.json",
    "learn": "rows.csv --target C",
    "must": "large.json yes A3=x",
    "order": "large.json",
    "regimes": "large.json",
    "report": "large.json",
    "robust": "large.json",
    "round": "large.json",
    "rows": "learned.json rows.csv",
    "scorecard": "large.json",
    "show": "large.json",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    rows = [{**{f"A{i}": "xy"[(i * n) % 3 % 2] for i in range(12)}, "C": "yn"[n % 5 % 2]} for n in range(200)]
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (folder / "rows.csv").write_text("\n".join(lines))
    oddly.write(oddly.learn(rows, "C", positive="y", alpha=1), folder / "learned.json")
    oddly.write(large(), folder / "large.json")
    return folder


def typed(name, files):
    words = " ".join([name, ARGUMENTS[name]]).replace("CASE", " ".join(f"A{i}=x" for i in range(40)))
    return [str(files / word) if "." in word else word for word in words.split()]


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NO_LIMITS.keys()))
def test_time_stops_every_command(name, files, capsys):
    before = monotonic()
    assert main([*typed(name, files), "--seconds", "0.000001"]) == 3
    assert monotonic() - before < 10
    said = "".join(capsys.readouterr())
    assert re.search(r"(more than 1e-06 seconds|time ran out)\.  Try (--seconds \d+|seconds=1)\.", said)


REMEDIES = [  # (what is typed, the limit it meets); every remedy that names an option is typed too
    ("count learned.json", "--max-nodes 3"),
    ("compile learned.json", "--max-nodes 3"),
    ("diff learned.json learned.json", "--max-nodes 3"),
    ("count learned.json", "--seconds 0.000001"),
    ("compile large.json", "--max-memory 1M"),
    ("order large.json --tries 4", "--max-memory 1M"),
    ("show learned.json --levels", "--most 3"),
]


def advised(capsys):
    """The options that the last sentence names, each as it is typed."""
    advice = capsys.readouterr().err.partition("  Try ")[2].strip().removesuffix(".")
    return {remedy.split()[0]: remedy.split() for remedy in re.split(r", or |, ", advice) if remedy.startswith("--")}


@pytest.mark.parametrize(("typed", "limit"), REMEDIES)
def test_a_remedy_can_be_typed_and_helps(typed, limit, files, capsys):
    words = [str(files / word) if "." in word else word for word in typed.split()]
    option, *_ = tried = limit.split()
    for _ in range(4):  # what was needed so far may not be all
        if (code := main([*words, *tried])) != 3:
            break
        others = advised(capsys)
        tried = others.pop(option)
        assert {main([*words, *limit.split(), *other]) for other in others.values()} <= {0, 3}
        capsys.readouterr()
    assert code == 0
    assert tried != limit.split()


def test_a_question_inside_another_has_what_is_left_of_its_time():
    with limited({"seconds": 60}) as outer, limited({"seconds": 600}):
        assert current().deadline == outer.deadline
    with limited({"max_nodes": 5}), limited({"seconds": 1}):
        assert current().max_nodes == 5


def test_a_remedy_names_what_the_one_who_asked_can_type():
    with pytest.raises(TooLarge, match=r"Try order=oddly.best_of\(100\), or max_nodes=\d"):
        oddly.compile(large(), max_nodes=100)
    with pytest.raises(
        TooLarge, match=r"Try oddly.compile\(model, order=oddly.best_of\(100\)\) first, or max_nodes=\d"
    ):
        oddly.count(large(), max_nodes=100)


GROWTH = """
import gc, json, random, sys
import oddly
from oddly import Node, Network, Points, Scorecard

r = random.Random(1)
def card(n):
    return Scorecard([Points(f"A{i}", ["x", "y"], [r.randint(-10**14, 10**14), 0]) for i in range(n)], cutoff=0)
def chances(rows, values):
    for numbers in ([r.randint(1, 999) for _ in range(values)] for _ in range(rows)):
        yield [f"{n}/{sum(numbers)}" for n in numbers]
def network(n, classes=2, tied=True, hidden=0):
    nodes = [Node("C", [f"c{i}" for i in range(classes)], [], list(chances(1, classes)))]
    nodes += [Node(f"H{i}", ["a", "b"], ["C"], list(chances(classes, 2))) for i in range(hidden)]
    for i in range(n):
        above = ["C", *([f"A{i - 1}"] if tied and i else []), *([f"H{i % hidden}"] if hidden else [])]
        rows = classes * 2 ** (len(above) - 1)
        nodes.append(Node(f"A{i}", ["x", "y"], above, list(chances(rows, 2))))
    return Network(nodes).classifier(class_="C", attributes=[f"A{i}" for i in range(n)])
def held(what):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))
def grown(call, limit):
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the most that was held is forgotten
    before, said = held("VmRSS"), ""
    try:
        call(max_memory=limit)
    except oddly.TooLarge as error:
        said = str(error)
    return held("VmHWM") - before, said

PREPARE
found = {name: grown(call, LIMIT) for name, call in CALLS.items()}
print(json.dumps(found))
"""
LIMIT = 50_000_000
COMPILED = {
    "sums in C++": ("card(50)", "engine='native'"),
    "sums in NumPy": ("card(46)", "engine='numpy'"),
    "tied attributes in C++": ("network(40)", "engine='native'"),
    "tied attributes in NumPy": ("network(36)", "engine='numpy'"),
    "many classes in C++": ("network(30, 4, False)", "engine='native'"),
    "many classes in NumPy": ("network(26, 4, False)", "engine='numpy'"),
    "a table": ("network(24, hidden=6)", ""),
    "a search side by side": ("card(46)", "order=oddly.best_of(6)"),
    "a search one by one": ("card(46)", "order=oddly.best_of(6, jobs=1)"),
}
ASKED = {
    "allowed": "oddly.allowed(odd, **k)",
    "count": "oddly.count(odd, **k)",
    "explain": "oddly.explain(odd, {name: 'x' for name in odd.order}, **k)",
    "importance": "oddly.importance(odd, **k)",
    "instances": "next(oddly.instances(odd, **k))",
    "robustness": "oddly.robustness(odd, **k)",
    "rounding": "oddly.rounding(odd.source.model, **k)",
    "same_decision": "oddly.same_decision(odd, under='uniform', **k)",
    "scorecard": "oddly.scorecard(odd, **k)",
    "combine": "oddly.combine(left, right, lambda i, j: i & j, **k)",
    "compare": "oddly.compare(left, right, **k)",
    "count under a network": "oddly.count(tied, under='model', **k)",
}
PREPARED = """
odd = oddly.compile(card(48))
left = oddly.compile(card(34))
right = oddly.compile(card(34), order=list(left.order))
tied = oddly.compile(network(40))
"""
measured = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="nobody measures memory here")


def growth(prepare, calls):
    lines = [prepare, f"LIMIT = {LIMIT}", "CALLS = {", *(f"{name!r}: lambda **k: {call}," for name, call in calls), "}"]
    script = GROWTH.replace("PREPARE", "\n".join(lines))
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def held_to_the_limit(grown, said):
    assert said  # without a limit it takes far more
    assert grown <= 1.1 * LIMIT + 50_000_000


@measured
@pytest.mark.parametrize("kind", COMPILED)
def test_a_memory_limit_bounds_what_the_process_grows_by(kind):
    model, how = COMPILED[kind]
    held_to_the_limit(*growth(f"model = {model}", [(kind, f"oddly.compile(model, **k, {how})")])[kind])


@pytest.fixture(scope="module")
def asked():
    return growth(PREPARED, ASKED.items())


@measured
@pytest.mark.parametrize("name", ASKED)
def test_a_memory_limit_bounds_what_a_question_takes(asked, name):
    held_to_the_limit(*asked[name])
