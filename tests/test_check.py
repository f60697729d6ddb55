# SPDX-License-Identifier: Apache-2.0
"""Does it obey?  The language of rules, verdicts against enumeration, and certificates that another program checks."""

import importlib.util
import json
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import (
    FormatError,
    ModelError,
    OddlyError,
    Points,
    Scorecard,
    TooLarge,
    UnknownName,
    UnknownValue,
    Unsupported,
)
from oddly.algebra.expressions import expression, quoted
from oddly.cli import main
from oddly.model import Bins, Scoreboard, Tally
from oddly.questions.check import rules
from oddly.questions.check.language import Written, read_rules, rule
from oddly.questions.check.question import check
from strategies import classifiers
from test_features import written

FIGURE_1 = oddly.examples.pregnancy()
ODD_1 = oddly.compile(FIGURE_1)
TOOL = Path(__file__).parents[1] / "tools" / "verify_certificate.py"


def loaded_tool():
    spec = importlib.util.spec_from_file_location("verify_certificate", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


verify = loaded_tool()


@st.composite
def boards(draw):
    """Small classifiers of three classes, with ties and one-valued attributes."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3]), min_size=1, max_size=4))
    point = st.integers(-2, 2)
    row = st.lists(point, min_size=3, max_size=3)
    attributes = [
        Tally(f"A{i}", [f"v{j}" for j in range(size)], [draw(row) for _ in range(size)]) for i, size in enumerate(sizes)
    ]
    return Scoreboard(attributes, ["a", "b", "c"], draw(row))


def models():
    """Two classes or three; always some attribute."""
    return (classifiers() | boards()).filter(lambda m: m.variables)


def decided(model, odd):
    """Every instance with its label, worked out one at a time."""
    found = []
    for instance in oracle.instances(model):
        if isinstance(model, Scoreboard):
            sums = list(model.intercept)
            for a in model.attributes:
                row = a.points[a.values.index(instance[a.name])]
                sums = [x + y for x, y in zip(sums, row, strict=True)]
            found.append((instance, model.class_values[sums.index(max(sums))]))
        else:
            found.append((instance, odd.labels[oracle.decides(model, instance)]))
    return found


def key(instance):
    return tuple(sorted(instance.items()))


# ---- the language ----

S_POSITIVE, UP = expression("S=+ve", FIGURE_1.variables), ["+ve", "-ve"]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("monotone up in U", rules.monotone("U", "up")),
        ("Monotone DOWN in U for no", rules.monotone("U", "down", label="no")),
        ("monotone up in U: -ve < +ve", rules.monotone("U", "up", order=["-ve", "+ve"])),
        ("monotone up in 'U' for yes:-ve<+ve", rules.monotone("U", "up", order=["-ve", "+ve"], label="yes")),
        ("ignores U", rules.ignores("U")),
        ("ignores U, B and S", rules.ignores("U", "B", "S")),
        ("if U=+ve and B=+ve then yes", rules.if_then(expression("U=+ve and B=+ve", FIGURE_1.variables), "yes")),
        ("if U=+ve then not yes", rules.never("yes", expression("U=+ve", FIGURE_1.variables))),
        ("always yes if U=+ve", rules.always("yes", expression("U=+ve", FIGURE_1.variables))),
        ("never no", rules.never("no")),
        ("never 'no' if not S=-ve", rules.never("no", expression("S=+ve", FIGURE_1.variables))),
        ("yes only if S=+ve or U=+ve", rules.never("yes", expression("S=-ve and U=-ve", FIGURE_1.variables))),
        ("agrees with old.json", rules.agrees("old.json")),
        ("agrees with 'my old.json' up to 1/3 under rows.csv", rules.agrees("my old.json", "1/3", "rows.csv")),
        ("agrees with old.odd under baseline", rules.agrees("old.odd", 0, "baseline")),
        ("monotone up in U if S=+ve", rules.monotone("U", "up", condition=S_POSITIVE)),
        (
            "monotone up in U for no: +ve < -ve if S=+ve",
            rules.monotone("U", "up", order=UP, label="no", condition=S_POSITIVE),
        ),
        ("ignores U, B if not S=-ve", rules.ignores("U", "B", condition=S_POSITIVE)),
        ("agrees with old.json if S=+ve", rules.agrees("old.json", condition=S_POSITIVE)),
        (
            "agrees with old.json up to 0.1 under uniform if S=+ve",
            rules.agrees("old.json", "0.1", "uniform", condition=S_POSITIVE),
        ),
    ],
)
def test_a_text_and_what_it_means(text, means):
    found = rule(text, ODD_1)
    assert found == means
    assert rule(str(found), ODD_1) == found


@pytest.mark.parametrize(
    ("text", "kind", "message", "at"),
    [
        ("", FormatError, "expected monotone, ignores, if, always, never, agrees, or a decision with 'only if'", 0),
        ("yes if U=+ve", FormatError, "or a decision with 'only if', found 'yes'", 0),
        ("monotone", FormatError, "expected 'up' or 'down', found the end", 8),
        ("monotone sideways in U", FormatError, "expected 'up' or 'down', found 'sideways'", 9),
        ("monotone up of U", FormatError, "expected 'in', found 'of'", 12),
        ("monotone up in X", UnknownName, "no attribute 'X'", 15),
        ("monotone up in U for maybe", UnknownValue, "no decision 'maybe'.  The decisions are no, yes.", 21),
        ("monotone up in U: +ve < often", UnknownValue, "U=often.  U is one of +ve, -ve.", 24),
        ("monotone up in U: +ve <", FormatError, "expected a value of U, found the end", 23),
        ("monotone up in U: +ve -ve", FormatError, "expected '<', 'if' or the end, found '-ve'", 22),
        ("monotone up in U B", FormatError, "expected 'for', ':', 'if' or the end, found 'B'", 17),
        ("ignores", FormatError, "expected an attribute, found the end", 7),
        ("ignores U, X", UnknownName, "no attribute 'X'", 11),
        ("ignores U B", FormatError, "expected ',', 'and', 'if' or the end, found 'B'", 10),
        ("if U=+ve yes", FormatError, "expected 'and', 'or', '->' or 'then', found 'yes'", 9),
        ("if U=+ve or then yes", FormatError, "expected a feature such as NAME=VALUE, found 'then'", 12),
        ("if U=maybe then yes", UnknownValue, "U=maybe.  U is one of +ve, -ve.", 5),
        ("if U=+ve then maybe", UnknownValue, "no decision 'maybe'", 14),
        ("if U=+ve then yes please", FormatError, "expected the end, found 'please'", 18),
        ("always", FormatError, "expected a decision, found the end", 6),
        ("never no when S=+ve", FormatError, "expected 'if' or the end, found 'when'", 9),
        ("yes only when S=+ve", FormatError, "expected 'if', found 'when'", 9),
        ("agrees old.json", FormatError, "expected 'with', found 'old.json'", 7),
        ("agrees with old.json up to 2", ModelError, "up to: expected a probability, found 2", 27),
        ("agrees with old.json up to a lot", ModelError, "up to: expected a number, found 'a'", 27),
        (
            "agrees with old.json inside 2",
            FormatError,
            "expected 'up to', 'under', 'if' or the end, found 'inside'",
            21,
        ),
        ("monotone up in U if", FormatError, "expected a feature such as NAME=VALUE, found the end", 19),
        ("monotone up in U: +ve < -ve if X=1", UnknownName, "no attribute 'X'", 31),
        ("ignores U if S=maybe", UnknownValue, "S=maybe.  S is one of +ve, -ve.", 15),
        ("ignores U if S=+ve then yes", FormatError, "expected 'and', 'or', '->' or the end, found 'then'", 19),
        ("agrees with old.json up to 0.1 if 'S=+ve", FormatError, "a quote that is not closed", 34),
    ],
)
def test_a_mistake_is_shown_with_its_place(text, kind, message, at):
    with pytest.raises(kind) as error:
        rule(text, ODD_1)
    told, line, caret = str(error.value).split("\n")
    assert message in told
    assert line == f"    {text}"
    assert caret == " " * (4 + at) + "^"


WORDS = [
    "monotone",
    "up",
    "down",
    "in",
    "U",
    "B",
    "X",
    ":",
    "<",
    "+ve",
    "-ve",
    "for",
    "yes",
    "no",
    "ignores",
    ",",
    "and",
    "if",
    "then",
    "not",
    "always",
    "never",
    "only",
    "agrees",
    "with",
    "up to",
    "0.1",
    "under",
    "=",
    "'",
    '"',
]


@given(text=st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30))
@settings(max_examples=400, deadline=None)
def test_no_text_does_anything_but_read_or_say_what_is_wrong(text):
    try:
        found = rule(text, ODD_1)
    except OddlyError as error:
        told = str(error)
        assert "stands twice" in told or told.endswith("^")
        return
    assert rule(str(found), ODD_1) == found


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_awkward_names_survive_writing_and_reading(data):
    words = st.sampled_from(["a b", "then", "it's", 'say "x"', "\\", "x:y", "<3", "a,b", "for", "é"]) | st.text(
        st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4
    )
    names = data.draw(st.lists(words, min_size=2, max_size=2, unique=True))
    values = data.draw(st.lists(words, min_size=2, max_size=3, unique=True))
    labels = data.draw(st.lists(words, min_size=2, max_size=2, unique=True))
    assume("decision" not in names)
    odd = oddly.compile(Scorecard([Points(n, values, range(len(values))) for n in names], class_values=labels))
    features = f"{quoted(names[0])}={quoted(values[0])}"
    for found in (
        rules.monotone(names[0], "up", order=values, label=labels[0]),
        rules.ignores(*names),
        rules.if_then(expression(features, odd.variables), labels[0]),
        rules.never(labels[1], expression(features, odd.variables)),
        rules.always(labels[1]),
        rules.agrees(names[0], "0.5", names[1]),
        rules.monotone(names[0], "up", order=values, condition=expression(features, odd.variables)),
        rules.ignores(*names, condition=expression(features, odd.variables)),
        rules.agrees(names[0], "0.5", names[1], condition=expression(features, odd.variables)),
    ):
        assert rule(str(found), odd) == found


def test_a_value_called_then_is_no_end_of_a_condition():
    odd = oddly.compile(Scorecard([Points("then", ["then", "now"], [1, 0])], cutoff=1))
    assert check(odd, "if then=then then yes")
    assert check(odd, "if then in {then, now} and then=now then no")


def test_rules_made_in_python_are_checked_too():
    with pytest.raises(ModelError, match="expected 'up' or 'down', found 'left'"):
        rules.monotone("U", "left")
    with pytest.raises(ModelError, match="expected a list of values, found '\\+ve'"):
        rules.monotone("U", "up", order="+ve")
    with pytest.raises(ModelError, match="'\\+ve' stands twice"):
        check(ODD_1, rules.monotone("U", "up", order=["+ve", "+ve"]))
    with pytest.raises(ModelError, match="expected an attribute"):
        rules.ignores()
    with pytest.raises(ModelError, match="expected a probability, found 3"):
        rules.agrees("x", 3)
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        check(ODD_1, rules.ignores("X"))
    with pytest.raises(UnknownValue, match="P=maybe"):
        check(ODD_1, rules.always("maybe"))
    with pytest.raises(ModelError, match="no rules"):
        check(ODD_1, [])
    with pytest.raises(FormatError, match="expected a rule or its text, found 3"):
        check(ODD_1, [3])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rules.never(5), "never: expected a decision, found 5"),
        (lambda: rules.always(None), "always: expected a decision, found None"),
        (lambda: rules.always("yes", 5), "always: expected a condition such as 'U=+ve and B=+ve', found 5"),
        (lambda: rules.if_then(None, "yes"), "if … then: expected a condition such as"),
        (lambda: rules.only_if("yes", ["S=+ve"]), "only if: expected a condition such as"),
        (lambda: rules.ignores(["U"]), "ignores: expected an attribute, found ['U']"),
        (lambda: rules.ignores("U", condition=0), "ignores: expected a condition such as"),
        (lambda: rules.monotone(5, "up"), "monotone: expected an attribute, found 5"),
        (lambda: rules.monotone("U", ["up"]), "monotone in U: expected 'up' or 'down', found ['up']"),
        (lambda: rules.monotone("U", "up", order=5), "monotone in U: expected a list of values, found 5"),
        (lambda: rules.monotone("U", "up", order=[5]), "monotone in U: expected a list of values, found [5]"),
        (lambda: rules.monotone("U", "up", label=5), "monotone in U: expected a decision, found 5"),
        (lambda: rules.agrees("x", None), "up to: expected a number, found None"),
        (lambda: rules.agrees("x", condition=3), "agrees: expected a condition such as"),
        (lambda: check(ODD_1, rules.Implies(5, "yes")), "expected a condition such as"),
        (lambda: check(ODD_1, rules.agrees(5)), "expected a model"),
        (lambda: check(ODD_1, rules.agrees(FIGURE_1, 0, 5)), "expected a data frame"),
        (lambda: check(ODD_1, None), "expected a rule, a list of rules or the path of a file, found None"),
        (lambda: check(ODD_1, {"never": "no"}), "expected a rule, a list of rules or the path of a file"),
        (lambda: check(ODD_1, b"never no"), "expected a rule or its text, found"),
    ],
    ids=range(20),
)
def test_the_wrong_kind_of_thing_is_named(make, message):
    with pytest.raises(OddlyError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rules.Monotone(3, "up"), "monotone: expected an attribute, found 3"),
        (lambda: rules.Monotone("U", "sideways"), "monotone in U: expected 'up' or 'down', found 'sideways'"),
        (lambda: rules.Monotone("U", "up", "ab"), "monotone in U: expected a list of values, found 'ab'"),
        (lambda: rules.Monotone("U", "up", ("+ve", 3)), "monotone in U: expected a list of values"),
        (lambda: rules.Monotone("U", "up", None, 3), "monotone in U: expected a decision, found 3"),
        (lambda: rules.Ignores(()), "ignores: expected an attribute"),
        (lambda: rules.Ignores(3), "ignores: expected an attribute, found 3"),
        (lambda: rules.Ignores((3,)), "ignores: expected an attribute, found 3"),
        (lambda: rules.Ignores(("U", "U")), "ignores: the attribute 'U' stands twice"),
        (lambda: rules.Ignores(("U",), None), "ignores: expected a condition"),
        (lambda: rules.Implies(3, "yes"), "always: expected a condition"),
        (lambda: rules.Implies("U=+ve", None, never=True), "never: expected a decision, found None"),
        (lambda: rules.Agrees(FIGURE_1, 5), "up to: expected a probability, found 5"),
        (lambda: rules.Agrees(FIGURE_1, "x"), "up to: "),
        (lambda: rules.Agrees(FIGURE_1, condition=3), "agrees: expected a condition"),
    ],
    ids=map(str, range(15)),
)
def test_a_rule_made_by_itself_is_checked_as_one_that_is_asked_for(make, message):
    with pytest.raises(ModelError) as error:
        make()
    assert message in str(error.value)


def test_a_rule_takes_lists_and_numbers_as_people_write_them():
    assert rules.Ignores(["U", "B"]) == rules.ignores("U", "B")
    assert rules.Monotone("U", "up", ["-ve", "+ve"]) == rules.monotone("U", "up", order=("-ve", "+ve"))
    assert rules.Agrees("old.json", "0.1").up_to == Fraction(1, 10)


@pytest.mark.parametrize("path", [None, 3, b"c.json", "", "."], ids=repr)
def test_a_certificate_is_written_to_a_file_with_a_name(path):
    with pytest.raises(FormatError, match="expected the name of a file, found"):
        check(ODD_1, "ignores B").save_certificate(path)


def test_a_condition_is_about_the_classifiers_own_attributes():
    other = Scorecard([Points("X", ["a", "b"], [1, 0]), Points("U", ["low", "high"], [1, 0])])
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        check(ODD_1, rules.never("no", expression("X=a", other.variables)))
    with pytest.raises(ModelError, match="the condition's U is one of low, high; the classifier's is one of"):
        check(ODD_1, rules.ignores("B", condition=expression("U=low", other.variables)))


# ---- verdicts, against enumeration ----


@given(model=models(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_a_condition_holds_as_enumeration_says_and_the_case_breaks_it(model, data):
    odd = oddly.compile(model, data.draw(st.sampled_from(["as-given", "random:3"])))
    text, means = data.draw(written(model.variables, depth=2))
    label = data.draw(st.sampled_from(odd.labels))
    form, broken_by = data.draw(
        st.sampled_from(
            [
                ("if {text} then {label}", lambda i, d: means(i) and d != label),
                ("never {label} if {text}", lambda i, d: means(i) and d == label),
                ("{label} only if {text}", lambda i, d: not means(i) and d == label),
            ]
        )
    )
    told = form.format(text=text, label=quoted(label))
    (verdict,) = check(odd, told).verdicts
    cases = decided(model, odd)
    broken = [i for i, d in cases if broken_by(i, d)]
    scope = [i for i, _ in cases if means(i) != form.startswith("{label}")]
    assert (verdict.holds, verdict.count, verdict.scope) == (not broken, len(broken), len(scope))
    if broken:
        agreeing = [(i, d) for i, d in cases if verdict.case.known.items() <= i.items()]
        assert agreeing
        assert all(i in broken for i, _ in agreeing)
        assert {d for _, d in agreeing} == {*verdict.case.decisions}
        assert verdict.case.instances[0] in [i for i, _ in agreeing]
        assert len(verdict.case.known) + len(verdict.case.others) == len(model.variables)
        if verdict.case.fewest and len(cases) <= 200:
            assert len(verdict.case.known) == fewest(cases, broken)


def fewest(cases, broken):
    """The least number of values from which a decision that breaks a rule follows, by trying all."""
    by_label = [[i for i, d in cases if d == label and i in broken] for label in {d for _, d in cases}]
    return min(fewest_of_one(cases, some) for some in by_label if some)


def fewest_of_one(cases, broken):
    bad = {key(i) for i in broken}
    names = list(cases[0][0])
    for size in range(len(names) + 1):
        for known in {tuple(sorted(s)) for i in broken for s in combinations(i.items(), size)}:
            if all(key(i) in bad for i, _ in cases if set(known) <= i.items()):
                return size
    raise AssertionError


def conditions(model):
    """A condition and what it means, or none."""
    return st.just((None, lambda _: True)) | written(model.variables, depth=2)


@given(model=models(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_monotone_as_enumeration_says(model, data):
    odd = oddly.compile(model, data.draw(st.sampled_from(["as-given", "random:3"])))
    variable = data.draw(st.sampled_from(model.variables))
    order = data.draw(st.lists(st.sampled_from(variable.values), min_size=1, unique=True) | st.none())
    direction = data.draw(st.sampled_from(["up", "down"]))
    label = data.draw(st.sampled_from(odd.labels))
    condition, means = data.draw(conditions(model))
    rule_ = rules.monotone(variable.name, direction, order=order, label=label, condition=condition)
    (verdict,) = check(odd, rule_).verdicts
    label_of = {key(i): d for i, d in decided(model, odd)}
    broken, steps = set(), 0
    for low, high in pairwise(variable.values if order is None else order):
        for instance in oracle.instances(model):
            if instance[variable.name] == low:
                two = [instance, {**instance, variable.name: high}]
                two = two if direction == "up" else two[::-1]
                if not all(map(means, two)):
                    continue
                steps += 1
                if label_of[key(two[0])] == label != label_of[key(two[1])]:
                    broken.add(tuple(map(key, two)))
    assert (verdict.holds, verdict.count, verdict.scope) == (not broken, len(broken), steps)
    if broken:
        assert tuple(map(key, verdict.case.instances)) in broken
        assert verdict.case.decisions == tuple(label_of[key(i)] for i in verdict.case.instances)
        low, high = (i[variable.name] for i in verdict.case.instances)
        for context in oracle.instances(model):
            if verdict.case.known.items() <= context.items():
                pair = tuple(key({**context, variable.name: value}) for value in (low, high))
                assert pair in broken
                assert tuple(label_of[end] for end in pair) == verdict.case.decisions


@given(model=models(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_ignores_as_enumeration_says(model, data):
    odd = oddly.compile(model, data.draw(st.sampled_from(["as-given", "random:3"])))
    names = data.draw(st.lists(st.sampled_from([v.name for v in model.variables]), min_size=1, max_size=3, unique=True))
    (verdict,) = check(odd, rules.ignores(*names)).verdicts
    contexts = {}
    for instance, label in decided(model, odd):
        contexts.setdefault(key({n: v for n, v in instance.items() if n not in names}), []).append(label)
    hinging = sum(len(labels) for labels in contexts.values() if len(set(labels)) > 1)
    assert (verdict.holds, verdict.count, verdict.scope) == (not hinging, hinging, odd.instances)
    if hinging:
        case, (one, two) = verdict.case, verdict.case.instances
        changed = [n for n in one if one[n] != two[n]]
        assert len(changed) == 1
        assert changed[0] in names
        assert case.decisions[0] != case.decisions[1]
        assert {*case.known, *case.others, *changed} == set(odd.order)
        known = decided(model, odd)
        labels = {key(i): label for i, label in known}
        for instance, _ in known:  # the decisions follow from what is known, whatever the others are
            if case.known.items() <= instance.items():
                pair = tuple(labels[key({**instance, changed[0]: end[changed[0]]})] for end in (one, two))
                assert pair == case.decisions
        if odd.instances <= 36:
            assert case.fewest
            assert len(case.known) == fewest_of_steps(model, labels, names)


def fewest_of_steps(model, labels, names):
    """The least number of values from which the decisions follow on both sides of a step that changes them."""
    found = []
    for v in (v for v in model.variables if v.name in names):
        rest = [w for w in model.variables if w.name != v.name]
        for low, high in combinations(v.values, 2):
            for chosen in product(*([None, *w.values] for w in rest)):
                known = {w.name: x for w, x in zip(rest, chosen, strict=True) if x is not None}
                inside = [i for i in oracle.instances(model) if known.items() <= i.items()]
                ends = {tuple(labels[key({**i, v.name: x})] for x in (low, high)) for i in inside}
                if len(ends) == 1 and len(set(*ends)) == 2:
                    found.append(len(known))
    return min(found)


def test_of_many_labels_a_case_settles_which_one_it_is():
    """Two attributes that no decision of c1 follows from: it is c0 with the one and c2 with the other."""
    board = Scoreboard(
        [Tally("A", ["x", "y"], [[2, 0, 0], [0, 0, 2]]), Tally("B", ["x", "y"], [[1, 0, 0], [0, 0, 1]])],
        ["c0", "c1", "c2"],
    )
    assert str(check(board, "always c1")[0].case) == "A=x, any B: c0"
    assert str(check(board, "never c0")[0].case) == "A=x, any B: c0"
    assert str(check(board, "ignores A, B")[0].case) == "c0 with A=x, c2 with A=y"


def test_a_pair_that_breaks_a_rule_does_so_whatever_the_others_are():
    """Which of three values tips the decision depends on B: no pair of them does so for any B."""
    board = Scoreboard(
        [
            Tally("A", ["x", "y", "z"], [[4, 0, 0], [0, 4, 0], [0, 0, 4]]),
            Tally("B", ["x", "y"], [[0, 0, -9], [-9, 0, 0]]),
        ],
        ["c0", "c1", "c2"],
    )
    answer = check(board, "ignores A")[0]
    assert (answer.count, len(answer.case.known), answer.case.fewest) == (6, 1, True)


def test_models_of_many_classes_agree_or_differ_in_any_of_hundreds_of_ways():
    points = [[int(i == j) for j in range(20)] for i in range(20)]
    board = Scoreboard([Tally("A", [f"a{i}" for i in range(20)], points)], [f"c{i}" for i in range(20)])
    turned = Scoreboard([Tally("A", [f"a{i}" for i in range(20)], points[1:] + points[:1])], board.class_values)
    assert check(board, rules.agrees(board))
    answer = check(board, rules.agrees(turned, "0.5", {"A": ["a19", "a0", "a18"]}))[0]
    assert (answer.count, answer.probability) == (20, 1)


@st.composite
def beside(draw, model):
    """A classifier with the same labels, some of the model's attributes and perhaps another."""
    shared = draw(st.lists(st.sampled_from(model.variables), unique=True))
    own = [(v.name, v.values) for v in shared] + draw(st.sampled_from([[], [("Z", ("0", "1"))]]))
    point = st.integers(-2, 2)
    if isinstance(model, Scoreboard):
        row = st.lists(point, min_size=3, max_size=3)
        return Scoreboard([Tally(n, v, [draw(row) for _ in v]) for n, v in own], model.class_values)
    return Scorecard([Points(n, v, [draw(point) for _ in v]) for n, v in own], draw(point))


@given(model=models(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_decisions_depend_on_no_attribute_under_a_condition_as_enumeration_says(model, data):
    """Two instances count if both satisfy the condition, which may speak of the ignored attributes too."""
    odd = oddly.compile(model, data.draw(st.sampled_from(["as-given", "random:3"])))
    names = data.draw(st.lists(st.sampled_from([v.name for v in model.variables]), min_size=1, max_size=3, unique=True))
    condition, means = data.draw(written(model.variables, depth=2))
    (verdict,) = check(odd, rules.ignores(*names, condition=condition)).verdicts
    inside = [(i, d) for i, d in decided(model, odd) if means(i)]
    contexts = {}
    for instance, label in inside:
        contexts.setdefault(key({n: v for n, v in instance.items() if n not in names}), []).append(label)
    hinging = sum(len(labels) for labels in contexts.values() if len(set(labels)) > 1)
    assert (verdict.holds, verdict.count, verdict.scope) == (not hinging, hinging, len(inside))
    if hinging:
        one, two = verdict.case.instances
        labels = {key(i): d for i, d in inside}
        assert {n for n in one if one[n] != two[n]} <= set(names)
        assert verdict.case.decisions == (labels[key(one)], labels[key(two)])
        assert len(set(verdict.case.decisions)) == 2


@given(model=models(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_agreement_under_a_condition_is_among_those_that_satisfy_it(model, data):
    other = data.draw(beside(model))
    ours, theirs = oddly.compile(model), oddly.compile(other)
    condition, means = data.draw(written(model.variables, depth=2))
    union = {v.name: v.values for v in (*model.variables, *other.variables)}
    mine, yours = ({key(i): d for i, d in decided(m, odd)} for m, odd in ((model, ours), (other, theirs)))
    changed = inside = 0
    for chosen in product(*union.values()):
        instance = dict(zip(union, chosen, strict=True))
        if means(instance):
            parts = [key({v.name: instance[v.name] for v in m.variables}) for m in (model, other)]
            inside += 1
            changed += mine[parts[0]] != yours[parts[1]]
    (plain,) = check(ours, rules.agrees(other, condition=condition)).verdicts
    assert (plain.holds, plain.count, plain.scope) == (not changed, changed, inside)
    exactly = Fraction(changed, max(inside, 1))
    assert check(ours, rules.agrees(other, exactly, "uniform", condition=condition))
    if changed:
        below = exactly - Fraction(1, 10**30)
        assert check(ours, rules.agrees(theirs, below, "uniform", condition=condition))[0].holds is False


def test_a_condition_that_cannot_happen_leaves_nothing_to_break():
    rows = {"U": ["+ve"], "B": ["+ve"], "S": ["-ve"]}
    baseline = FIGURE_1.replace(prior=["0.6", "0.4"])
    (verdict,) = check(ODD_1, rules.agrees(baseline, 0, rows, condition="S=+ve")).verdicts
    assert (verdict.holds, verdict.probability, verdict.scope) == (True, 0, 4)
    (verdict,) = check(ODD_1, rules.agrees(baseline, "0.9", rows, condition="S=-ve")).verdicts
    assert (verdict.holds, verdict.probability, verdict.scope) == (False, 1, 4)
    assert "has probability 1 under the rows, given S=-ve; 1 of 4 instances with S=-ve." in repr(verdict)


@given(model=models(), data=st.data())
@settings(max_examples=80, deadline=None)
def test_agreement_is_exact_at_the_very_tolerance(model, data):
    other = data.draw(beside(model))
    ours, theirs = oddly.compile(model), oddly.compile(other)
    assert set(ours.labels) == set(theirs.labels)
    union = {v.name: v.values for v in (*model.variables, *other.variables)}
    mine, yours = ({key(i): d for i, d in decided(m, odd)} for m, odd in ((model, ours), (other, theirs)))
    changed, everything = 0, prod(map(len, union.values()))
    for chosen in product(*union.values()):
        instance = dict(zip(union, chosen, strict=True))
        parts = [key({v.name: instance[v.name] for v in m.variables}) for m in (model, other)]
        changed += mine[parts[0]] != yours[parts[1]]
    exactly = Fraction(changed, everything)
    assert bool(check(ours, rules.agrees(other))) == (not changed)
    if changed:
        at = check(ours, rules.agrees(other, exactly, "uniform"))[0]
        assert at.holds
        assert (at.count, at.scope) == (changed, everything)
        below = exactly - Fraction(1, 10**30)
        assert check(ours, rules.agrees(theirs, below, "uniform"))[0].holds is False


def test_a_tolerance_is_weighed_by_the_model_the_baseline_or_rows(tmp_path):
    baseline = FIGURE_1.replace(prior=["0.6", "0.4"])
    case = {"U": "+ve", "B": "+ve", "S": "-ve"}
    rows = {n: [v, v, "+ve" if v == "-ve" else v] for n, v in case.items()}
    by_hand = {
        "model": Fraction(87, 100) * Fraction(73 * 64 * 10, 10**6)
        + Fraction(13, 100) * Fraction(107 * 106 * 990, 10**9),
        "baseline": Fraction(6, 10) * Fraction(73 * 64 * 10, 10**6)
        + Fraction(4, 10) * Fraction(107 * 106 * 990, 10**9),
        "uniform": Fraction(1, 8),
    }
    for under, chance in by_hand.items():
        assert check(ODD_1, rules.agrees(baseline, chance, under))
        assert not check(ODD_1, rules.agrees(baseline, chance - Fraction(1, 10**40), under))
        assert check(ODD_1, rules.agrees(baseline, "0.5", under))[0].probability == pytest.approx(float(chance))
    assert check(ODD_1, rules.agrees(baseline, by_hand["model"]))  # by default the model's own
    assert check(ODD_1, rules.agrees(baseline, "2/3", rows))
    assert not check(ODD_1, rules.agrees(baseline, "0.66", rows))
    with pytest.raises(UnknownName, match="expected 'model', 'baseline', 'uniform' or a file of rows"):
        check(ODD_1, "agrees with example:pregnancy up to 0.1 under nowhere.csv")
    with pytest.raises(Unsupported, match="combined from others"):
        check(ODD_1 & ODD_1, rules.agrees(ODD_1, "0.1", "model"))


def test_no_tolerance_under_a_distribution_forgives_what_cannot_happen(tmp_path):
    baseline = FIGURE_1.replace(prior=["0.6", "0.4"])  # decides U=+ve, B=+ve, S=-ve otherwise, and nothing else
    (tmp_path / "rows.csv").write_text("U,B,S\n+ve,-ve,-ve\n-ve,+ve,+ve\n")
    oddly.write(baseline, tmp_path / "old.json")
    for up_to in ("", "up to 0 "):
        (verdict,) = check(ODD_1, Written(f"agrees with old.json {up_to}under rows.csv", folder=tmp_path)).verdicts
        assert (verdict.holds, verdict.count, verdict.probability) == (True, 1, 0)
        assert "probability 0 under the rows of" in repr(verdict)
    assert not check(ODD_1, rules.agrees(baseline))
    assert not check(ODD_1, rules.agrees(baseline, 0, "uniform"))
    with pytest.raises(UnknownName, match=r"nowhere\.csv"):
        check(ODD_1, "agrees with example:pregnancy under nowhere.csv")


def test_a_baseline_in_another_order_is_compiled_anew():
    reversed_ = oddly.compile(FIGURE_1, ODD_1.order[::-1])
    assert check(ODD_1, rules.agrees(reversed_))
    with pytest.raises(Unsupported, match="different orders"):
        check(ODD_1 & ODD_1, rules.agrees(reversed_ & reversed_))


def test_more_than_two_labels_need_one_to_be_monotone_in():
    board = Scoreboard([Tally("x", ["lo", "hi"], [[1, 0, 0], [0, 1, 0]])], ["a", "b", "c"])
    with pytest.raises(Unsupported, match="say for which of the 3 labels, as in 'monotone up in x for a'"):
        check(board, "monotone up in x")
    assert check(board, ["monotone up in x for b", "monotone down in x for a", "monotone up in x for c", "never c"])


def test_the_value_for_missing_cells_is_not_compared_unless_it_is_named():
    age = Points("age", ["<30", ">=30", "?"], [0, 1, -5], Bins([30]))
    card = Scorecard([age], cutoff=0)
    assert check(card, "monotone up in age")
    assert not check(card, "monotone up in age: '<30' < '>=30' < '?'")


def test_answers_speak():
    answer = check(FIGURE_1, ["never no if S=+ve", "if U=+ve then yes", "monotone up in U", "ignores B"])
    assert not answer
    assert repr(answer).splitlines() == [
        "3 of 4 rules fail.",
        "  Holds: never no if S=+ve: over all 4 instances with S=+ve.",
        "  Fails: if U=+ve then yes: 1 of 4 instances with U=+ve. For example U=+ve, B=-ve, S=-ve: no.",
        "  Fails: monotone up in U: 1 of 4 steps of U, all else equal. For example B=+ve, S=-ve: yes with U=+ve, no with U=-ve.",
        "  Fails: ignores B: 2 of 8 instances. For example U=+ve, S=-ve: no with B=-ve, yes with B=+ve.",
    ]
    assert [v.rule for v in answer.failed] == ["if U=+ve then yes", "monotone up in U", "ignores B"]
    assert repr(check(FIGURE_1, "yes only if S=+ve or S=-ve")[0]).endswith(
        "there are no instances with S=-ve and S=+ve."
    )
    assert repr(check(FIGURE_1, "always yes")[0]) == (
        "Fails: always yes: 3 of 8 instances. For example U=-ve, S=-ve, any B: no."
    )


def test_of_cases_alike_the_most_probable_is_shown():
    rows = [{"U": "+ve", "B": "-ve", "S": "-ve"}]
    assert check(ODD_1, "always yes", under=rows)[0].case.instances[0]["S"] == "-ve"
    assert check(ODD_1, "ignores B", under=rows)[0].case.instances[0] == rows[0]
    assert check(ODD_1, "ignores B", under=ODD_1.encode(rows))[0].count == 2
    with pytest.raises(UnknownName, match="no such"):
        check(ODD_1, "never no if S=+ve", under="nowhere.csv")


def test_beyond_the_limits_a_rule_is_undecided():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [2**i, 0]) for i in range(12)], cutoff=1000)
    odd = oddly.compile(card)
    answer = check(odd, ["if A0=x or A11=x then yes", "always yes if A11=x and A11=y"], max_nodes=5)
    assert answer.holds is None
    assert "undecided" in repr(answer)
    with pytest.raises(TooLarge, match="undecided"):
        bool(answer)
    with pytest.raises(TooLarge, match="undecided"):
        bool(answer[0])


# ---- files ----


def test_rules_come_from_files_of_either_kind(tmp_path):
    (tmp_path / "rules.txt").write_text("# what we promise\n\nnever no if S=+ve\n  ignores U\n")
    answer = check(ODD_1, tmp_path / "rules.txt")
    assert [v.rule for v in answer.verdicts] == ["never no if S=+ve", "ignores U"]
    (tmp_path / "rules.toml").write_text('model = "m.json"\nrules = ["never no if S=+ve", "agrees with m.json"]\n')
    oddly.write(FIGURE_1, tmp_path / "m.json")
    found = read_rules(tmp_path / "rules.toml")
    assert found.model == tmp_path / "m.json"
    assert check(ODD_1, found.rules)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rules.txt", "never no\nnever maybe", "rules.txt:2  no decision 'maybe'"),
        ("r.toml", 'rules = ["never no", "ignores X"]', "r.toml, rule 2:  no attribute 'X'"),
        ("r.toml", 'rules = "never no"', "rules: expected a list of texts"),
        ("r.toml", 'rules = [{rule = "never no"}]', "rules: expected a list of texts"),
        ("r.toml", 'rules = ["ignores U if X=1"]', "r.toml, rule 1:  no attribute 'X'"),
        ("pyproject.toml", "[[tool.oddly.check]]\nrules = []", "no table [tool.oddly.check]"),
        ("pyproject.toml", "[tool.oddly]\ncheck = 3", "no table [tool.oddly.check]"),
        ("pyproject.toml", "[tool.oddly.check]\nunder = 'uniform'", "no entry 'under'.  There are: model, rules."),
        ("r.toml", 'rule = ["never no"]', "no entry 'rule'.  Did you mean 'rules'?"),
        ("r.toml", "model = 3", "model: expected the name of a file, found 3"),
        ("r.toml", "rules = [", "r.toml: "),
        ("pyproject.toml", "[project]\nname='x'", "no table [tool.oddly.check]"),
        ("pyproject.toml", "[tool.oddly.check]\nrules=['nonsense']", "[tool.oddly.check], rule 1:  expected monotone"),
        ("empty.txt", "# nothing\n", "no rules to check"),
    ],
)
def test_a_mistake_in_a_file_says_where(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(OddlyError) as error:
        check(ODD_1, tmp_path / name)
    assert message in str(error.value)


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main(["check", *arguments]) == code
        return capsys.readouterr()

    return run


def test_more_rules_than_anyone_writes_are_refused_at_once(run, tmp_path):
    (tmp_path / "rules.txt").write_text("never no if U=+ve\n" * 500_000)
    told = run("example:pregnancy", "--rules", "rules.txt", code=2).err
    assert "rules.txt: 9,000,000 characters; at most 2,000,000 of rules are read" in told
    with pytest.raises(FormatError, match="a text of 9,000,003 characters"):
        rule("if " + "U=+ve or " * 1_000_000, ODD_1)


def test_the_exit_code_is_the_verdict(run):
    assert run("example:pregnancy", "--rule", "never no if S=+ve").out.startswith("Holds: the rule.")
    out = run("example:pregnancy", "--rule", "never no if S=+ve", "--rule", "ignores B", code=1).out
    assert out.startswith("1 of 2 rules fails.")
    found = json.loads(run("example:pregnancy", "--rule", "ignores B", "--json", code=1).out)
    assert found["holds"] is False
    assert found["verdicts"][0]["case"]["decisions"] == ["no", "yes"]
    assert (found["verdicts"][0]["count"], found["verdicts"][0]["scope"]) == ("2", "8")
    ODD_1.save("x.odd")
    out = run("x.odd", "--rule", "never no if S=+ve and U=+ve", "--max-nodes", "2", code=3).out
    assert "The rule is undecided" in out
    err = run("example:pregnancy", "--rule", "if U=+ve then", code=2).err
    assert err.endswith("    if U=+ve then\n                 ^\n")


def test_without_arguments_the_project_says_what_to_check(run):
    assert "which model?" in run(code=2).err
    assert "no rules; add --rule" in run("example:pregnancy", code=2).err
    oddly.write(FIGURE_1, "m.json")
    Path("pyproject.toml").write_text(
        '[tool.oddly.check]\nmodel = "m.json"\nrules = ["never no if S=+ve", "ignores B"]\n'
    )
    assert "1 of 2 rules fails" in run(code=1).out
    assert "1 of 2 rules fails" in run("example:pregnancy", code=1).out
    assert "ignores B, U if S=+ve  ✓ holds" in run("--rule", "ignores B, U if S=+ve").out
    assert "Holds: the rule" in run("--rule", "never no if S=+ve").out
    Path("rules.txt").write_text("never no if S=+ve\n")
    assert "Holds: all 2 rules" in run("m.json", "--rules", "rules.txt", "--rule", "monotone down in U").out
    Path("pyproject.toml").write_text("[project]\n")
    assert "no table [tool.oddly.check]" in run(code=2).err


def test_a_rule_that_is_given_is_checked_alone_unless_a_file_is_named(run):
    Path("pyproject.toml").write_text('[tool.oddly.check]\nmodel = "example:pregnancy"\nrules = ["ignores B"]\n')
    assert "The rule fails" in run("--rule", "ignores S", code=1).out
    assert "2 of 2 rules fail" in run("--rule", "ignores S", "--rules", "pyproject.toml", code=1).out


def test_what_stopped_a_rule_is_said_in_the_words_of_the_command_line(run):
    card = Scorecard([Points(f"A{i}", ["x", "y"], [2**i, 0]) for i in range(12)], cutoff=1000)
    oddly.compile(card).save("card.odd")
    arguments = ("card.odd", "--rule", "if A0=x or A11=x then yes", "--max-nodes", "5")
    assert "--max-nodes " in run(*arguments, code=3).out
    assert "max_nodes" not in json.loads(run(*arguments, "--json", code=3).out)["verdicts"][0]["why"]


def test_a_certificate_replaces_nothing_that_was_read(run):
    oddly.write(FIGURE_1, "model.json")
    ODD_1.save("diagram.odd")
    ODD_1.save("x-baseline-1.odd")
    oddly.write(FIGURE_1, "x-under-1.json")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    for model, rule_, certificate in (
        ("model.json", "always yes", "model.json"),
        ("diagram.odd", "always yes", "diagram.json"),
        ("diagram.odd", "agrees with model.json", "model.json"),
        ("model.json", "agrees with diagram.odd", "diagram.json"),
        ("model.json", "agrees with x-baseline-1.odd", "x.json"),
        ("diagram.odd", "agrees with x-under-1.json", "x.json"),
    ):
        told = run(model, "--rule", rule_, "--certificate", certificate, code=2)
        assert "would replace an input; choose another name" in told.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_the_command_writes_a_certificate(run):
    said = run(
        "example:pregnancy", "--rule", "ignores B", "--rule", "monotone down in U", "--certificate", "p.json", code=1
    )
    assert "certificate written to p.json" in said.err
    assert verify.main("p.json")["rejected"] == 0
    assert "ends in .json" in run("example:pregnancy", "--rule", "ignores B", "--certificate", "p.txt", code=2).err
    assert "would replace an input" in run("p.odd", "--rule", "ignores B", "--certificate", "p.json", code=2).err


@pytest.mark.parametrize("points", [[[1, 0, 0], [0, 0, 1], [1, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 1, 0]]])
def test_labels_with_arrows_in_them_are_told_apart(points):
    board = oddly.Scoreboard([oddly.Tally("x", ["0", "1", "2"], points)], ["a", "a → b", "b → a"])
    found = oddly.check(board, ["ignores x", "monotone up in x for a", "monotone down in x for a"])
    assert [(verdict.holds, verdict.count) for verdict in found] == [(False, 3), (False, 1), (False, 1)]
