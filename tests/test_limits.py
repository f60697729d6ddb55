# SPDX-License-Identifier: Apache-2.0
"""Limits: the same four on every question and every command, made once at the door."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import oddly
from oddly import Points, Scorecard, TooLarge
from oddly.cli import COMMANDS, command
from oddly.cli.options import Build, Limits
from oddly.runtime import LimitArguments, current, within

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
    assert any(isinstance(default, Build | Limits) for default in defaults)


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


def test_a_question_inside_another_has_what_is_left_of_its_time():
    with within({"seconds": 60}) as outer, within({"seconds": 600}):
        assert current().deadline == outer.deadline
    with within({"max_nodes": 5}), within({"seconds": 1}):
        assert current().max_nodes == 5


def test_a_remedy_names_what_the_one_who_asked_can_type():
    with pytest.raises(TooLarge, match=r"Try order=oddly.best_of\(100\), or max_nodes=\d"):
        oddly.compile(large(), max_nodes=100)
    with pytest.raises(
        TooLarge, match=r"Try oddly.compile\(model, order=oddly.best_of\(100\)\) first, or max_nodes=\d"
    ):
        oddly.count(large(), max_nodes=100)


GROWTH = """
import random, oddly
r = random.Random(1)
points = [oddly.Points(f"A{i}", ["x", "y"], [r.randint(-10**12, 10**12), 0]) for i in range(44)]
card = oddly.Scorecard(points, cutoff=0)
def held(what):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))
before = held("VmRSS")
try:
    oddly.compile(card, max_memory=100_000_000, {how})
except oddly.TooLarge:
    pass
print(held("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nobody says how much memory a process held")
@pytest.mark.parametrize("how", ["engine='numpy'", "engine='auto'", "order=oddly.best_of(6)"])
def test_a_memory_limit_bounds_what_the_process_grows_by(how):
    found = subprocess.run(
        [sys.executable, "-c", GROWTH.replace("{how}", how)], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) <= 110_000_000 + 50_000_000
