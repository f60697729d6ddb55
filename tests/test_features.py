# SPDX-License-Identifier: Apache-2.0
"""Which features must hold: the language of expressions, their diagrams, and verdicts, against enumeration."""

import json
import random
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import FormatError, OddlyError, Points, Scorecard, TooLarge, UnknownName, UnknownValue
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import All, Feature, Some, expression, quoted
from oddly.cli import main
from oddly.diagram.combine import both
from oddly.model import Variable
from oddly.questions.must_hold import must_hold
from strategies import classifiers

FIGURE_1 = oddly.examples.pregnancy()
TESTS = FIGURE_1.variables
WORDS = ["+ve", "a b", "or", "not", "->", "it's", 'say "x"', "\\", "=", "é", "", "in", "{}", "x,y", "!", "\n"]


@st.composite
def written(draw, variables, depth=3):
    """A text of the language, and what it means as a Python function of an instance."""
    kinds = ["feature", "not", "and", "or", "->"] if depth else ["feature"]
    kind = draw(st.sampled_from(kinds))
    if kind == "feature":
        return draw(features(variables))
    one, first = draw(written(variables, depth - 1))
    if kind == "not":
        return f"not ({one})", lambda i: not first(i)
    two, second = draw(written(variables, depth - 1))
    sign = draw(st.sampled_from(["->", " implies "])) if kind == "->" else kind.upper() if draw(st.booleans()) else kind
    text = f"({one}) {sign} ({two})"
    if kind == "and":
        return text, lambda i: first(i) and second(i)
    if kind == "or":
        return text, lambda i: first(i) or second(i)
    return text, lambda i: not first(i) or second(i)


@st.composite
def features(draw, variables):
    v = draw(st.sampled_from(variables))
    values = draw(st.lists(st.sampled_from(v.values), min_size=1))
    name, listed = quoted(v.name), ", ".join(map(quoted, values))
    sign = draw(st.sampled_from(["=", "!=", " in ", " not in "]))
    if sign in ("=", "!="):
        text, values = f"{name}{sign}{quoted(values[0])}", values[:1]
    else:
        text = f"{name}{sign}{{{listed}}}"
    return text, lambda i: (i[v.name] in values) == (sign in ("=", " in "))


@st.composite
def odd_names(draw):
    """Variables whose names and values are as awkward as can be."""
    words = st.sampled_from(WORDS) | st.text(max_size=4)
    names = draw(st.lists(words.filter(bool), min_size=1, max_size=4, unique=True))
    return [Variable(n, tuple(draw(st.lists(words, min_size=1, max_size=3, unique=True)))) for n in names]


def instances(variables):
    return oracle.instances(Scorecard([Points(v.name, v.values, [0] * len(v.values)) for v in variables]))


# ---- the language ----


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_an_expression_means_what_it_says_and_reads_back(data):
    variables = data.draw(odd_names())
    text, means = data.draw(written(variables))
    found = expression(text, variables)
    cases = instances(variables)
    assert [found.evaluate(i) for i in cases] == [means(i) for i in cases]
    assert [found.negated().evaluate(i) for i in cases] == [not means(i) for i in cases]
    assert expression(str(found), variables) == found


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("U=+ve or B=+ve and S=+ve", "U=+ve or (B=+ve and S=+ve)"),
        ("not U=+ve and B=+ve", "U=-ve and B=+ve"),
        ("not not not U=+ve", "U=-ve"),
        ("U=+ve -> B=+ve -> S=+ve", "U=-ve or B=-ve or S=+ve"),
        ("(U=+ve -> B=+ve) -> S=+ve", "(U=+ve and B=-ve) or S=+ve"),
        ("U=+ve or B=+ve -> S=+ve and U=-ve", "(U=-ve and B=-ve) or (S=+ve and U=-ve)"),
        ("U=+ve->B=-ve", "U=-ve or B=-ve"),
        (" ( ( U = '+ve' ) ) ", "U=+ve"),
        ("U not in {+ve,-ve}", "U not in {+ve, -ve}"),
        ("U in {-ve} IMPLIES B != -ve", "U=+ve or B=+ve"),
    ],
)
def test_how_closely_operators_bind(text, means):
    assert str(expression(text, TESTS)) == means


def test_keywords_serve_as_names_and_values_where_they_can_only_be_that():
    states = [Variable("in", ("or", "and")), Variable("not", ("in", "not"))]
    found = expression("in=or and not=not or not not!=in", states)
    assert found.evaluate({"in": "or", "not": "not"})
    assert found.evaluate({"in": "and", "not": "in"})
    assert not found.evaluate({"in": "and", "not": "not"})
    assert str(expression('"in" in {or}', states)) == '"in"="or"'


@pytest.mark.parametrize(
    ("text", "kind", "message", "at"),
    [
        ("", FormatError, "expected a feature such as NAME=VALUE, found the end", 0),
        ("U=+ve or", FormatError, "expected a feature such as NAME=VALUE, found the end", 8),
        ("U=+ve or or B=+ve", FormatError, "expected a feature such as NAME=VALUE, found 'or'", 9),
        ("U=+ve or (B=", FormatError, "expected a value of B, found the end", 12),
        ("U=+ve (B=+ve)", FormatError, "expected 'and', 'or', '->' or the end, found '('", 6),
        ("(U=+ve", FormatError, "expected 'and', 'or', '->' or ')', found the end", 6),
        ("U=+ve)", FormatError, "expected 'and', 'or', '->' or the end, found ')'", 5),
        ("U", FormatError, "expected =, != or in after U, found the end", 1),
        ("my test=+ve", FormatError, "after my (a name with spaces is written in quotes), found 'test'", 3),
        ("U not = +ve", FormatError, "expected =, != or in after U", 2),
        ("U in +ve", FormatError, "expected '{' after in, found '+ve'", 5),
        ("U in {+ve -ve}", FormatError, "expected ',' or '}', found '-ve'", 10),
        ("U in {}", FormatError, "expected a value of U, found '}'", 6),
        ("U='+ve", FormatError, "a quote that is not closed", 2),
        ("U!+ve", FormatError, "a '!' without its '='", 1),
        ("U=+ve or V=+ve", UnknownName, "no attribute 'V'", 9),
        ("U=+ve or B=maybe", UnknownValue, "B=maybe.  B is one of +ve, -ve.", 11),
        ("(" * 101 + "U=+ve", FormatError, "more than 100 parentheses in each other", None),
    ],
)
def test_a_mistake_is_shown_with_its_place(text, kind, message, at):
    with pytest.raises(kind) as error:
        expression(text, TESTS)
    told, line, caret = str(error.value).split("\n")
    assert message in told
    if at is not None:
        assert line == f"    {text}"
        assert caret == " " * (4 + at) + "^"


FRAGMENTS = [
    "U",
    "B",
    "+ve",
    "-ve",
    "=",
    "!=",
    "(",
    ")",
    "{",
    "}",
    ",",
    "and",
    "or",
    "not",
    "in",
    "->",
    " ",
    "'",
    '"',
    "\\",
    "!",
]


@given(text=st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(" ".join) | st.text(max_size=30))
@settings(max_examples=500, deadline=None)
def test_no_text_does_anything_but_parse_or_say_what_is_wrong(text):
    try:
        found = expression(text, TESTS)
    except OddlyError as error:
        told = str(error)
        found = None
    if found is None:
        assert told.count("\n") == 2
        assert told.endswith("^")
    else:
        assert expression(str(found), TESTS) == found


def test_long_and_deep_texts_need_no_stack():
    many = expression(" and ".join(["U=+ve"] * 50_000), TESTS)
    assert isinstance(many, All)
    assert many.evaluate({"U": "+ve"})
    assert str(expression("not " * 100_001 + "U=+ve", TESTS)) == "U=-ve"
    assert isinstance(expression("U=+ve -> " * 20_000 + "B=+ve", TESTS), Some)
    assert isinstance(expression("(" * 100 + "U=+ve" + ")" * 100, TESTS), Feature)
    alternating = "U=+ve"
    for i in range(99):
        alternating = f"({alternating}) {'and' if i % 2 else 'or'} {'BS'[i % 2]}=+ve"
    assert expression_diagram(alternating, FIGURE_1).instances == 8
    with pytest.raises(FormatError, match="more than 100 parentheses"):
        expression("(" * 10**5, TESTS)


# ---- as a diagram ----


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_the_diagram_decides_as_the_expression_and_has_one_node_per_function(data):
    variables = data.draw(odd_names())
    text, means = data.draw(written(variables))
    order = data.draw(st.permutations([v.name for v in variables]))
    odd = expression_diagram(text, variables, order)
    assert odd.order == tuple(order)
    cases = instances(variables)
    assert [label == "yes" for label in odd.classify(cases)] == [means(i) for i in cases]
    table = np.array([means(i) for i in cases]).reshape([len(v.values) for v in variables])
    table = table.transpose([[v.name for v in variables].index(name) for name in order])
    above = [prod(odd.arities[:k]) for k in range(len(order))]
    assert odd.widths == [*(len(np.unique(table.reshape(n, -1), axis=0)) for n in above), 2]


def test_an_expression_combines_with_a_diagram():
    odd = oddly.compile(FIGURE_1, ["S", "B", "U"])
    rule = expression_diagram("not S=+ve", odd)
    assert (rule.labels, rule.order, rule.columns) == (odd.labels, odd.order, odd.columns)
    assert both(odd, rule).count("yes") == 1
    assert expression_diagram("U=+ve", oddly.compile(FIGURE_1), order=["S", "U", "B"]).order == ("S", "U", "B")
    codes = oracle.codes(FIGURE_1)
    assert np.array_equal(expression_diagram("B=-ve", odd).decide(codes), codes[:, 1])


def test_an_expression_over_a_model_takes_its_labels():
    card = Scorecard([Points("U", ["+ve", "-ve"], [1, 0])], cutoff=1, class_values=["ja", "nein"])
    rule = expression_diagram("U=-ve", card)
    assert rule.labels == ("nein", "ja")
    assert (oddly.compile(card) & rule).count("ja") == 0
    assert expression_diagram("U=-ve", card.variables).labels == ("no", "yes")


def test_limits_reach_the_model_and_the_expression():
    r = random.Random(2)
    card = Scorecard([Points(f"A{i}", ["x", "y"], [r.randint(-(10**6), 10**6), 0]) for i in range(20)])
    with pytest.raises(TooLarge):
        must_hold(card, "yes", "A0=x", max_nodes=100)
    odd = oddly.compile(FIGURE_1)
    with pytest.raises(TooLarge, match="nodes at attribute 2 of 3"):
        must_hold(odd, "yes", "B=+ve or U=+ve or S=+ve", max_nodes=2)


def test_a_wrong_order_and_too_large_a_diagram_are_errors():
    for order in (["U", "B"], ["U", "B", "X"], ["U", "B", "S", "S"]):
        with pytest.raises(UnknownName, match="order: expected each of U, B, S once"):
            expression_diagram("U=+ve", FIGURE_1, order)
    variables = [Variable(f"{side}{i}", ("0", "1")) for side in "ab" for i in range(16)]
    text = " and ".join(f"(a{i}=1 -> b{i}=1)" for i in range(16))
    with pytest.raises(TooLarge, match="nodes at attribute 10 of 32.  Try another order=, or max_nodes=4_000."):
        expression_diagram(text, variables, max_nodes=1000)
    paired = [f"{side}{i}" for i in range(16) for side in "ab"]
    assert expression_diagram(text, variables, paired, max_nodes=1000).count("yes") == 3**16


# ---- must it hold? ----


@given(model=classifiers(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_verdict_is_that_of_enumeration(model, data):
    if not model.variables:
        return
    text, means = data.draw(written(model.variables, depth=2))
    odd = oddly.compile(model, "random:1")
    label = data.draw(st.sampled_from(odd.labels))
    members = [i for i in oracle.instances(model) if odd.labels[oracle.decides(model, i)] == label]
    exceptions = [i for i in members if not means(i)]
    answer = must_hold(odd, label, text)
    assert bool(answer) == answer.holds == (not exceptions)
    assert (answer.count, answer.instances) == (len(exceptions), len(members))
    assert answer.exceptions.count("exception") == len(exceptions)
    assert must_hold(model, label, expression_diagram(text, model)).count == len(exceptions)
    if isinstance(model, Scorecard):
        assert answer.probability == pytest.approx(len(exceptions) / odd.instances)
    else:
        weights = [mass(model, i) for i in exceptions]
        assert answer.probability == pytest.approx(float(sum(weights)))
        if exceptions:
            assert mass(model, answer.example) >= max(weights) * (1 - Fraction(1, 10**11))
    assert answer.example is None if answer else answer.example in exceptions


def mass(model, instance):
    rows = [(a.given, a.values.index(instance[a.name])) for a in model.attributes]
    parts = zip(model.class_values, model.prior, strict=True)
    return sum(prior * prod((g[c][at] for g, at in rows), start=Fraction(1)) for c, prior in parts)


def test_every_positive_pregnancy_has_a_scan_or_both_other_tests():
    rule = "S=+ve or (U=+ve and B=+ve)"
    answer = must_hold(FIGURE_1, "yes", rule)
    assert answer
    assert repr(answer) == f"Holds: all 5 instances decided yes satisfy {rule}."
    assert must_hold(FIGURE_1, "no", f"not ({rule})")
    wrong = must_hold(FIGURE_1, "yes", "S=+ve")
    assert repr(wrong) == (
        "Does not hold: of 5 instances decided yes, 1 does not satisfy S=+ve (probability 0.04211 under the model). "
        "For example U=+ve, B=+ve, S=-ve."
    )
    with pytest.raises(AssertionError, match="Does not hold"):
        assert wrong, wrong


def test_nothing_decided_so_satisfies_everything():
    card = Scorecard([Points("A", ["x", "y"], [1, 0])], cutoff=5)
    assert repr(must_hold(card, "yes", "A=x and A=y")) == "Holds: no instance is decided yes."


def test_exceptions_are_weighed_by_rows_too():
    rows = [{"U": "+ve", "B": "+ve", "S": "-ve"}, {"U": "+ve", "B": "+ve", "S": "+ve"}]
    answer = must_hold(FIGURE_1, "yes", "S=+ve", under=rows)
    assert (answer.probability, answer.example) == (0.5, rows[0])
    none = must_hold(FIGURE_1, "yes", "U=+ve", under=rows)
    assert none.probability == 0
    assert none.example["U"] == "-ve"


def test_a_diagram_of_sixty_thousand_nodes_is_checked_at_once():
    r = random.Random(2)
    card = [Points(f"A{i}", ["x", "y"], [r.randint(-(10**6), 10**6), 0]) for i in range(30)]
    odd = oddly.compile(Scorecard(card))
    assert odd.size > 20_000
    answer = must_hold(odd, "yes", "A0=x -> (A1=x or A2=y)")
    assert answer.count == odd.restrict(A0="x", A1="y", A2="x").count("yes")


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main(list(arguments)) == code
        return capsys.readouterr()

    return run


def test_the_exit_code_is_the_verdict(run):
    assert run("must", "example:pregnancy", "yes", "S=+ve or U=+ve").out.startswith("Holds: all 5 instances")
    assert run("must", "example:pregnancy", "yes", "S=+ve", code=1).out.startswith("Does not hold")
    found = json.loads(run("must", "example:pregnancy", "yes", "S=+ve", "--json", code=1).out)
    assert found == {
        "holds": False,
        "label": "yes",
        "expression": "S=+ve",
        "instances": "5",
        "count": "1",
        "under": "the model",
        "probability": pytest.approx(0.0421061154),
        "example": {"U": "+ve", "B": "+ve", "S": "-ve"},
        "scope": {"within": None, "inputs": "8", "of": "8", "impossible": "0"},
    }


def test_the_command_shows_where_an_expression_is_wrong(run):
    err = run("must", "example:pregnancy", "yes", "S=+ve or X=1", code=2).err
    assert err == "oddly: no attribute 'X'.  There are: B, U, S.\n    S=+ve or X=1\n             ^\n"
    assert "P=maybe.  P is one of" in run("must", "example:pregnancy", "maybe", "S=+ve", code=2).err


def test_limits_on_a_diagram_are_those_of_its_exceptions(run):
    oddly.compile(FIGURE_1).save("figure1.odd")
    assert "allowed" in run("must", "figure1.odd", "yes", "S=+ve", "--max-nodes", "3", code=3).err
    assert "Does not hold" in run("must", "figure1.odd", "yes", "S=+ve", "--max-nodes", "99", code=1).out
    assert "compiled already" in run("must", "figure1.odd", "yes", "S=+ve", "--order", "U,B,S", code=2).err
    assert "expected a positive number" in run("must", "figure1.odd", "yes", "S=+ve", "--max-nodes", "0", code=2).err
