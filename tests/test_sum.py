# SPDX-License-Identifier: Apache-2.0
"""Sums of small tables: every question against the sum itself, added up instance by instance in fractions."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly import Attribute, Crossed, ModelError, Points, Sum
from oddly.formats.json_model import model_from_json, model_to_json

NUMBERS = st.sampled_from([0, 0, 1, -1, 2, "1/3", "-1/3", "0.1", "-0.7", 5])


@st.composite
def sums(draw):
    """Sums over up to five attributes, one-valued ones among them, with ties and tables that cross."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    attributes = [Attribute(f"A{i}", tuple(f"v{j}" for j in range(n))) for i, n in enumerate(sizes)]
    scopes = draw(
        st.lists(
            st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=3, unique=True),
            max_size=4,
            unique_by=lambda s: tuple(sorted(s)),
        )
    )
    tables = []
    for scope in scopes:
        shape = [sizes[i] for i in scope]
        flat = [draw(NUMBERS) for _ in range(int(np.prod(shape)))]
        points = np.array(flat, object).reshape(shape).tolist()
        tables.append(Crossed([f"A{i}" for i in scope], points))
    cut = draw(st.sampled_from([0, 1, "1/3", "-0.7"]))
    return Sum(attributes, tables, cut, draw(NUMBERS), ties=draw(st.sampled_from(["positive", "negative"])))


def every(model):
    names = [v.name for v in model.variables]
    return [dict(zip(names, row, strict=True)) for row in product(*(v.values for v in model.variables))]


def decided(model, case):
    """By definition: the points of every table at the case's values."""
    total = Fraction(model.intercept)
    for table in model.tables:
        points = table.nested()
        for name in table.over:
            points = points[next(a for a in model.attributes if a.name == name).values.index(case[name])]
        total += points
    beyond = total - model.cutoff
    return "yes" if beyond > 0 or (beyond == 0 and model.ties == "positive") else "no"


@settings(deadline=None, max_examples=150)
@given(sums())
def test_every_instance_is_decided_by_its_sum(model):
    odd, cases = oddly.compile(model), every(model)
    wanted = [decided(model, case) for case in cases]
    assert odd.certificate.proven
    assert odd.classify(cases).tolist() == wanted
    assert odd.count("yes") == wanted.count("yes")
    assert model_from_json(json.dumps(model_to_json(model))) == model


@settings(deadline=None, max_examples=60)
@given(sums(), st.randoms())
def test_what_remains_of_a_sum_decides_alike(model, chance):
    case = chance.choice(every(model))
    known = {name: case[name] for name in chance.sample(sorted(case), chance.randint(0, len(case)))}
    rest = {name: value for name, value in case.items() if name not in known}
    left = model.observe(known)
    assert decided(left, rest) == decided(model, case)
    assert oddly.compile(model).restrict(known) == oddly.compile(left, list(oddly.compile(model).restrict(known).order))


@settings(deadline=None, max_examples=60)
@given(sums())
def test_a_number_may_move_just_as_far_as_allowed_says(model):
    answer, now = oddly.allowed(model), [decided(model, case) for case in every(model)]
    ranges = {path: found for path, _, found in answer.ranges()}
    step = Fraction(1, 10**6)
    for number in model.numbers():
        found = ranges[number.path]
        low, high = found.exact
        tried = [end + by for end in (low, high) if abs(float(end)) != float("inf") for by in (-step, 0, step)]
        for to in tried:
            moved = number.becomes(to)
            assert ([decided(moved, case) for case in every(model)] == now) == (to in found), (number.path, to, found)


@settings(deadline=None, max_examples=40)
@given(sums(), st.integers(1, 2))
def test_rounding_is_compared_with_the_sum_itself(model, digits):
    other = model.rounded(digits)
    changed = sum(decided(model, case) != decided(other, case) for case in every(model))
    assert oddly.compare(model, other).count == changed


@settings(deadline=None, max_examples=40)
@given(sums(), st.randoms())
def test_reasons_hold_whatever_else_there_is(model, chance):
    odd, cases = oddly.compile(model), every(model)
    case = chance.choice(cases)
    why = oddly.explain(odd, case)
    assert why.decision == decided(model, case)
    smallest = why.sufficient.smallest
    agree = [c for c in cases if all(c[name] == value for name, value in smallest.items())]
    assert {decided(model, c) for c in agree} == {why.decision}


def test_a_scorecard_is_the_case_of_one_attribute_a_table():
    points = [Points("age", ["young", "old"], [0, "1.5"]), Points("owner", ["no", "yes"], [0, 1])]
    card, model = oddly.Scorecard(points, cutoff="1.2"), Sum(points, cutoff="1.2")
    assert oddly.compare(card, model)
    same = oddly.allowed(card), oddly.allowed(model)
    assert [r.interval() for _, _, r in same[0].ranges()] == [r.interval() for _, _, r in same[1].ranges()]


def test_a_model_file_fits_its_schema(tmp_path):
    schema = json.loads((Path(__file__).parents[1] / "docs" / "model.schema.json").read_text())
    model = Sum(
        [Attribute("a", ("x", "y")), Attribute("b", ("u",))], [Crossed(["a", "b"], [[1], ["1/3"]])], ties="negative"
    )
    jsonschema.validate(model_to_json(model), schema)
    oddly.write(model, tmp_path / "m.json")
    assert oddly.read(tmp_path / "m.json") == model


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Crossed([], []), "one to 3 attributes"),
        (lambda: Crossed(["a", "b", "c", "d"], [[[[1]]]]), "one to 3 attributes"),
        (lambda: Crossed(["a", "b"], [[1, 2], [3]]), "different lengths"),
        (lambda: Crossed(["a"], 7), "expected a list of points"),
        (lambda: Crossed(["a", "a"], [[1]]), "stands twice"),
        (lambda: Sum([Attribute("a", ("x",))], [Crossed("b", [1])]), "no attribute 'b'"),
        (lambda: Sum([Attribute("a", ("x",))], [Crossed("a", [1, 2])]), "found points for 2"),
        (lambda: Sum([Points("a", ["x"], [1])], [Crossed("a", [1])]), "stands twice"),
        (lambda: Sum([], [], class_values=["p", "q", "r"]), "decides between 2"),
        (lambda: Sum([], ["a"]), "expected Crossed or Points"),
    ],
)
def test_what_is_no_sum_is_refused(make, said):
    with pytest.raises(ModelError, match=said):
        make()
