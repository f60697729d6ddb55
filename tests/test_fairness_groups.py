# SPDX-License-Identifier: Apache-2.0
"""Protected attributes that are groups of another's values: what hinges, and how groups fare, against enumeration."""

import doctest
import json
import shlex
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import networks
import oddly
import oracle
from oddly import CPT, FormatError, ModelError, NaiveBayes, Points, Scorecard, UnknownName, UnknownValue, ValueGroups
from oddly.algebra.groups import groups, says_groups
from oddly.algebra.hinges import HINGES
from oddly.cli import main
from oddly.model import Bins, Network, Node
from oddly.questions.fairness.question import fairness
from strategies import classifiers, rows

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "uci"


@st.composite
def models(draw):
    """Classifiers of two or three classes whose first two attributes have values enough to be grouped."""
    classes = ["a", "b", "c"][: draw(st.sampled_from([2, 3]))]
    zeros = draw(st.booleans())
    sizes = [
        draw(st.sampled_from([2, 3, 4])),
        draw(st.sampled_from([2, 3])),
        *draw(st.lists(st.sampled_from([1, 2, 3]), max_size=2)),
    ]
    cpts = [
        CPT(f"A{i}", [f"v{j}" for j in range(n)], {c: draw(rows(n, zeros)) for c in classes})
        for i, n in enumerate(sizes)
    ]
    return NaiveBayes("C", classes, draw(rows(len(classes), zeros)), cpts)


@st.composite
def groupings(draw, variable, name):
    """Some values in each of two groups or three; perhaps some in none."""
    values = draw(st.permutations(variable.values))
    cuts = sorted(draw(st.lists(st.integers(1, len(values)), min_size=2, max_size=3, unique=True)))
    return ValueGroups(
        name, variable.name, {f"g{i}": values[a:b] for i, (a, b) in enumerate(zip([0, *cuts[:-1]], cuts, strict=True))}
    )


DOMAINS = [
    (None, lambda i: True),
    ("A1!=v0", lambda i: i["A1"] != "v0"),
    ("A0=v0 or A1=v1", lambda i: i["A0"] == "v0" or i["A1"] == "v1"),
]


def weights(model, instance):
    found = dict(zip(model.class_values, model.prior, strict=True))
    for a in model.attributes:
        found = {c: p * a.given[c][a.values.index(instance[a.name])] for c, p in found.items()}
    return found


def group_of(instance, asked):
    """The group that an instance is in, by the definition; None for none."""
    found = []
    for one in asked:
        if isinstance(one, str):
            found.append(instance[one])
            continue
        names = [g for g, values in one.groups.items() if instance[one.of] in values]
        if not names:
            return None
        found.append(names[0])
    return tuple(found)


def by_definition(instances, decide, asked):
    """The instances in groups, and those of them with a partner in another group that is decided otherwise."""
    inside = [(i, group_of(i, asked), decide(i)) for i in instances if group_of(i, asked) is not None]
    of = {one if isinstance(one, str) else one.of for one in asked}

    def context(i):
        return tuple(v for n, v in i.items() if n not in of)

    contexts = {}
    for i, g, d in inside:
        contexts.setdefault(context(i), set()).add((g, d))
    return inside, [i for i, g, d in inside if any(h != g and e != d for h, e in contexts[context(i)])]


def part(a, b):
    return Fraction(a) / Fraction(b) if b else None


@given(model=models(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_what_hinges_between_groups_and_how_they_fare_is_as_enumeration_says(model, data):
    odd = oddly.compile(model)
    a, b = (v for v in model.variables[:2])
    asked = [data.draw(groupings(a, "sex"))]
    asked += data.draw(
        st.sampled_from([[], [b.name], [data.draw(groupings(b, "age"))], [data.draw(groupings(a, "other"))]])
    )
    within, inside_it = data.draw(st.sampled_from(DOMAINS))
    there_are = len({group_of(i, asked) for i in oracle.instances(model)} - {None})
    every = [i for i in oracle.instances(model) if inside_it(i)]
    decide = dict(zip((tuple(i.values()) for i in every), odd.classify(every), strict=True))
    inside, hinging = by_definition(every, lambda i: decide[tuple(i.values())], asked)
    mass = {tuple(i.values()): sum(weights(model, i).values()) for i in every}
    label = data.draw(st.sampled_from(odd.labels))
    if there_are < 2:  # two ways of grouping the same values may leave no two groups
        with pytest.raises(ModelError, match="no two groups"):
            fairness(odd, asked, label=label, within=within)
        return
    if hinging and not sum(mass[tuple(i.values())] for i, _, _ in inside):
        with pytest.raises(oddly.Unsupported, match="nothing is possible"):
            fairness(odd, asked, label=label, within=within)
        return
    answer = fairness(odd, asked, label=label, within=within, exact=True)
    assert (answer.count, answer.instances, answer.holds) == (len(hinging), len(inside), not hinging)
    likely = sum(mass[tuple(i.values())] for i in hinging)
    everybody = sum(mass[tuple(i.values())] for i, _, _ in inside)
    assert answer.probability == (likely / everybody if hinging else 0)
    whole = sum(mass.values())
    assert answer.outside == (1 - everybody / whole if whole else 0)
    found = {}
    for i, g, d in inside:
        m = found.setdefault(g, Counter())
        for c, w in weights(model, i).items():
            m["all"] += w
            m["labelled"] += w * (d == label)
            m["true"] += w * (c == label)
            m["hits"] += w * (c == label and d == label)
    found = {g: m for g, m in found.items() if m["all"]}
    assert {tuple(g.values.values()) for g in answer.groups} == set(found)
    for g in answer.groups:
        m = found[tuple(g.values.values())]
        assert g.share == m["all"] / everybody
        assert g.rate == part(m["labelled"], m["all"])
        assert g.true_positives == part(m["hits"], m["true"])
        assert g.precision == part(m["hits"], m["labelled"])
    if len(found) > 1:
        rates = [part(m["labelled"], m["all"]) for m in found.values()]
        assert answer.gaps["rate"].size == max(rates) - min(rates)
        for name in {c.attribute for c in answer.contributions}:
            assert sum(c.total for c in answer.through(name)) == answer.gaps["rate"].size
    if hinging:
        one, two = answer.case.instances
        assert one in hinging
        assert mass[tuple(one.values())] == max(mass[tuple(i.values())] for i in hinging)
        assert group_of(two, asked) not in (None, group_of(one, asked))
        assert answer.case.decisions == (decide[tuple(one.values())], decide[tuple(two.values())])
        assert answer.case.decisions[0] != answer.case.decisions[1]
        of = {p if isinstance(p, str) else p.of for p in asked}
        assert all(one[n] == two[n] for n in one if n not in of)
        contexts = {tuple(i[n] for n in answer.hinging.columns) for i in hinging}
        assert answer.hinging.count(HINGES) == len(contexts)


@given(model=classifiers().filter(lambda m: m.variables and len(m.variables[0].values) > 1), data=st.data())
@settings(max_examples=60, deadline=None)
def test_groups_of_one_value_each_are_the_attribute_itself(model, data):
    v = model.variables[0]
    single = ValueGroups("sex", v.name, {value: [value] for value in v.values})
    plain, grouped = (fairness(model, one, under="uniform") for one in (v.name, single))
    assert (plain.count, plain.probability, plain.instances) == (grouped.count, grouped.probability, grouped.instances)
    assert [(g.rate, g.share) for g in plain.groups] == [(g.rate, g.share) for g in grouped.groups]
    assert plain.hinging == grouped.hinging
    assert not grouped.left_out


# ---- rows ----


def test_of_rows_the_groups_of_a_column_that_is_read_and_of_one_that_is_not():
    card = Scorecard(
        [Points("status", ["m1", "m2", "f", "x"], [0, 2, 0, 0]), Points("job", ["no", "yes"], [0, 1])], cutoff=2
    )
    people = {
        "status": ["m1", "m2", "f", "x", "m2"],
        "job": ["yes", "no", "yes", "yes", "yes"],
        "years": ["20", "25", "60", "31", "?"],
    }
    sex = ValueGroups("sex", "status", {"male": ["m1", "m2"], "female": ["f"]})
    answer = fairness(card, sex, under=people)
    # m1, m2 and f differ in 0, 2 and 0 points: m2 hinges always and so does f; m1 is decided as f is
    assert answer.count == 4
    assert answer.instances == 6
    assert answer.probability == Fraction(3, 4)
    assert [(g.values["sex"], g.rate, g.share) for g in answer.groups] == [
        ("male", Fraction(2, 3), Fraction(3, 4)),
        ("female", 0, Fraction(1, 4)),
    ]
    assert answer.left_out == {"status": ("x",)}
    assert answer.outside == Fraction(1, 5)
    assert "Left out, as in no group: status=x (0.2 of all)." in str(answer)
    age = fairness(card, "age from years: young = <25; old = >=25", under=people)
    assert [(g.values["age"], g.share) for g in age.groups] == [("young", Fraction(1, 4)), ("old", Fraction(3, 4))]
    assert age.holds
    assert age.left_out == {"years": ("?",)}
    with pytest.raises(UnknownValue, match="no value of years is in a group.  years has 20, 25, 31"):
        fairness(card, "age from years: young = child; old = adult", under=people)


# ---- numbers ----


def test_a_range_is_all_intervals_inside_it():
    bins = Bins([25, 40, 60])
    for text, expected in [("<25", [0]), (">=25", [1, 2, 3]), ("[25, 60)", [1, 2]), ("<60", [0, 1, 2]), (">= 60", [3])]:
        found = ValueGroups("age", "years", {"some": [text], "?": ["?"]}).among([*bins.labels, "?"], bins)
        assert [i for i, v in enumerate(bins.labels) if found.get(v) == "some"] == expected
    right = Bins([25, 40], "right")
    assert ValueGroups("age", "years", {"a": ["<=25"], "b": ["(25, 40]"], "c": [">40"]}).among(
        right.labels, right
    ) == dict(zip(right.labels, "abc", strict=True))
    for wrong in ("<30", "<=25", "[25, 41)"):
        with pytest.raises(UnknownValue, match="cuts through an interval.  years is cut at 25, 40, 60"):
            ValueGroups("age", "years", {"a": [wrong], "b": [">=60"]}).among(bins.labels, bins)
    with pytest.raises(UnknownValue, match="there is no number in"):
        ValueGroups("age", "years", {"a": ["[60, 25)"], "b": [">=60"]}).among(bins.labels, bins)
    with pytest.raises(ModelError, match="is in two groups, a and b"):
        ValueGroups("age", "years", {"a": ["<40"], "b": [">=25"]}).among(bins.labels, bins)


# ---- the language ----


names = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" ,;:='\"\\"), min_size=1, max_size=6
).filter(lambda t: t.strip() == t)


@given(st.lists(names, min_size=4, max_size=8, unique=True))
@settings(max_examples=200, deadline=None)
def test_groups_read_back_as_they_are_written(words):
    made = ValueGroups(words[0], words[1], {"one": words[2:3], words[2]: words[3:]})
    assert says_groups(str(made))
    assert groups(str(made)) == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sex from status: male", "expected '=', found the end"),
        ("sex from status: male = ", "expected a value, or a range such as <25, found the end"),
        ("sex from status: a = b = c", "expected ',', ';' or the end, found '='"),
        ("sex from status: a = 'b", "a quote that is not closed"),
        ("sex from status: a = b; a = c", "the group 'a' stands twice"),
    ],
)
def test_a_text_that_makes_no_sense_is_pointed_at(text, said):
    with pytest.raises((FormatError, ModelError), match=said):
        groups(text)


def test_what_makes_no_sense_is_said():
    model = oddly.examples.pregnancy()
    with pytest.raises(ModelError, match="two groups of values at least"):
        ValueGroups("sex", "U", {"a": ["+ve"]})
    with pytest.raises(ModelError, match="the value 'x' stands twice"):
        ValueGroups("sex", "U", {"a": ["x"], "b": ["x"]})
    with pytest.raises(ModelError, match="a group's name and a list of values"):
        ValueGroups("sex", "U", {"a": "x", "b": ["y"]})
    with pytest.raises(UnknownValue, match="result: U=maybe.  U is one of"):
        fairness(model, ValueGroups("result", "U", {"a": ["maybe"], "b": ["-ve"]}))
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        fairness(model, ValueGroups("result", "X", {"a": ["+ve"], "b": ["-ve"]}))
    with pytest.raises(ModelError, match="B is an attribute already"):
        fairness(model, ValueGroups("B", "U", {"a": ["+ve"], "b": ["-ve"]}))
    with pytest.raises(ModelError, match="'U' stands twice"):
        fairness(model, ["U", ValueGroups("U", "U", {"a": ["+ve"], "b": ["-ve"]})])
    three = Scorecard([Points("v", ["a", "b", "c"], [0, 1, 2])], cutoff=1)
    with pytest.raises(ModelError, match="no two groups of x, y have any values"):
        fairness(three, ["x from v: p = a; q = b", "y from v: p = a; q = c"])


# ---- other populations ----


@given(classifier=networks.network_classifiers(evidence=False), data=st.data())
@settings(max_examples=40, deadline=None)
def test_under_a_network_rates_are_those_of_its_own_joint(classifier, data):
    """The classifier decides by points; the network says who there is, and which class they truly have."""
    odd = oddly.compile(classifier)
    if len(odd.labels) != 2 or not odd.order:
        return
    points = [
        Points(
            v.name, v.values, data.draw(st.lists(st.integers(-2, 2), min_size=len(v.values), max_size=len(v.values)))
        )
        for v in classifier.variables
    ]
    target = classifier.class_name if len(classifier.class_values) == 2 else "other"
    card = Scorecard(
        points, cutoff=1, class_name=target, class_values=classifier.class_values if target != "other" else ("y", "n")
    )
    label = card.labels[1]
    joint = networks.joint(classifier)
    if not joint.sum():
        return
    first = classifier.attributes[0]
    found = {}
    for place in np.ndindex(*joint.shape[:-1]):
        instance = {v.name: v.values[i] for v, i in zip(classifier.variables, place, strict=True)}
        m = found.setdefault(instance[first], Counter())
        yes = oracle.decides(card, instance)
        for c, w in zip(classifier.class_values, joint[place], strict=True):
            m["all"] += w
            m["labelled"] += w * yes
            m["true"] += w * (c == label)
            m["hits"] += w * (c == label) * yes
    answer = fairness(card, first, under=classifier.network, exact=True)
    assert {g.values[first] for g in answer.groups} == {value for value, m in found.items() if m["all"]}
    for g in answer.groups:
        m = found[g.values[first]]
        assert g.rate == part(m["labelled"], m["all"])
        assert g.true_positives == (part(m["hits"], m["true"]) if target != "other" else None)
        assert g.share == m["all"] / joint.sum()


def test_a_network_may_know_groups_that_the_classifier_does_not_read(tmp_path):
    network = Network(
        [
            Node("status", ["m1", "m2", "f"], [], [["1/4", "1/4", "1/2"]]),
            Node("job", ["yes", "no"], ["status"], [["1/2", "1/2"], ["3/4", "1/4"], ["1", "0"]]),
        ]
    )
    card = Scorecard([Points("job", ["yes", "no"], [1, 0])], cutoff=1)
    oddly.write(network, tmp_path / "town.bif")
    sex = ValueGroups("sex", "status", {"male": ["m1", "m2"], "female": ["f"]})
    for under in (network, str(tmp_path / "town.bif"), tmp_path / "town.bif"):
        answer = fairness(card, sex, under=under)
        assert [(g.values["sex"], g.rate, g.share) for g in answer.groups] == [
            ("male", Fraction(5, 8), Fraction(1, 2)),
            ("female", 1, Fraction(1, 2)),
        ]
        assert set(answer.gaps) == {"rate"}
    assert answer.under == f"the network of {tmp_path / 'town.bif'}"
    counted = oddly.count(card, under=network, exact=True)
    assert (counted.probability["yes"], counted.by_class) == (Fraction(13, 16), None)
    with pytest.raises(UnknownValue, match="job is one of yes, perhaps; in the network, of yes, no"):
        fairness(Scorecard([Points("job", ["yes", "perhaps"], [1, 0])], cutoff=1), sex, under=network)
    with pytest.raises(oddly.Unsupported, match="the network has no attribute age"):
        fairness(Scorecard([Points("age", ["a", "b"], [1, 0])], cutoff=1), sex, under=network)
    with pytest.raises(FormatError, match=r"nowhere.bif: no such file"):
        fairness(card, sex, under=tmp_path / "nowhere.bif")


# ---- at real size, and the commands ----

SEX = "sex from personal_status: male = male single, male mar/wid, male div/sep; female = female div/dep/mar"


@pytest.fixture(scope="module")
def credit():
    if not (DATA / "credit-g.csv").exists():
        pytest.skip("no shared data")
    bins = {"duration": "mdl", "credit_amount": "mdl", "age": [25, 40]}
    return oddly.learn(DATA / "credit-g.csv", target="class", bins=bins)


def test_of_53_billion_applicants_those_whose_sex_decides_are_counted_exactly(credit):
    """Counted another way: the three kinds of men against women, two at a time and together."""
    odd = oddly.compile(credit)
    answer = fairness(odd, SEX)
    bare = replace(odd, source=None)
    men = ["male single", "male mar/wid", "male div/sep"]
    woman = bare.restrict(personal_status="female div/dep/mar")
    unlike = [bare.restrict(personal_status=man) ^ woman for man in men]
    some = unlike[0] | unlike[1] | unlike[2]
    count = sum(part.count(part.labels[1]) for part in [*unlike, some])
    assert answer.instances == odd.instances == 53_084_160_000
    assert answer.count == count
    assert [g.values["sex"] for g in answer.groups] == ["male", "female"]
    plain = {g.values["personal_status"]: g for g in fairness(odd, "personal_status").groups}
    rate = sum(plain[man].rate * plain[man].share for man in men) / sum(plain[man].share for man in men)
    assert float(answer.groups[0].rate) == pytest.approx(float(rate), rel=1e-12)


def test_the_command_takes_groups_and_populations(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    card = Scorecard(
        [Points("status", ["m1", "m, 2", "f", "x"], [0, 2, 0, 0]), Points("job", ["no", "yes"], [0, 1])], cutoff=2
    )
    oddly.write(card, "card.json")
    text = "sex from status: male = m1, 'm, 2'; female = f"
    assert main(["fair", "card.json", "--protected", text, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["count"], found["instances"], found["protected"]) == ("4", "6", ["sex"])
    assert (found["made_of"], found["left_out"], found["outside"]) == ({"sex": "status"}, {"status": ["x"]}, 0.25)
    assert main(["fair", "card.json", "--protected", text, "--protected", "job"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Decisions hinge on sex, job: ")
    assert "Left out, as in no group: status=x (0.25 of all)." in out
    assert "sex=female, job=yes" in out
    network = Network(
        [Node("status", ["m1", "m, 2", "f", "x"], [], [["1/4"] * 4]), Node("job", ["no", "yes"], [], [["1", "0"]])]
    )
    oddly.write(network, "town.json")
    assert main(["fair", "card.json", "--protected", text, "--population", "town.json", "--json", "--exact"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["under"], found["groups"][0]["rate"], found["probability"]) == (
        "the network of town.json",
        "0.5",
        "2/3",
    )
    assert main(["report", "card.json", "--protected", text, "--format", "md", "--seconds", "5"]) == 1
    page = capsys.readouterr().out
    assert "in another group" in page
    assert "no decision hinges on sex" in page
    assert main(["fair", "card.json", "--protected", "sex from status: a = m1"]) == 2
    assert "two groups of values at least" in capsys.readouterr().err
    assert main(["fair", "card.json", "--protected", "sex from status: a = m1; b"]) == 2
    assert "expected '=', found the end" in capsys.readouterr().err


def test_the_page_shows_what_the_command_prints(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[1] / "docs" / "fairness.md").read_text()
    session = doctest.DocTestParser().get_examples(page.split("```python")[2].split("```")[0])
    known = {"oddly": oddly}
    exec(session[0].source, known)
    monkeypatch.chdir(tmp_path)
    oddly.write(known["loans"], "loans.json")
    command, shown = page.split("$ oddly fair loans.json")[1].split("```")[0].split("\n", 1)
    assert main(["fair", "loans.json", *shlex.split(command)]) == 1
    assert capsys.readouterr().out.split() == shown.split()
