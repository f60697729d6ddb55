# SPDX-License-Identifier: Apache-2.0
"""Every question within a domain, against enumeration over its members: empty, full and single ones among them."""

import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, islice, permutations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import Unsupported
from oddly.cli import main
from oddly.distribution.measure import measure_of
from oddly.questions.added_rows import with_row
from strategies import domains, small_classifiers

FIGURE_1 = oddly.examples.pregnancy()


@dataclass
class Case:
    """A classifier, a domain, and every input of it with its label and its probability."""

    model: object
    odd: oddly.ODD
    within: oddly.ODD
    label: dict
    """Of each member, by its values."""
    mass: dict
    """How probable each member is, by the model or else uniformly."""
    by_class: dict

    def named(self, codes):
        return {v.name: v.values[c] for v, c in zip(self.model.variables, codes, strict=True)}

    def share(self, chosen):
        total = sum(self.mass.values())
        return sum((self.mass[x] for x in chosen), Fraction(0)) / total

    def hinging(self, columns):
        """The members that another one, which differs from it in these columns only, is decided otherwise than."""
        rest = [i for i in range(len(self.model.variables)) if i not in columns]
        labels = {}
        for x, label in self.label.items():
            labels.setdefault(tuple(x[i] for i in rest), set()).add(label)
        return [x for x in self.label if len(labels[tuple(x[i] for i in rest)]) > 1]


@st.composite
def cases(draw):
    model = draw(small_classifiers())
    odd = oddly.compile(model, draw(st.permutations([v.name for v in model.variables])))
    within, members = draw(domains(model))
    codes = oracle.codes(model)
    decided = odd.classify(codes)
    if model.probabilistic:
        scale = sum(map(sum, model.masses(codes)))
        rows = [[Fraction(int(m), int(scale)) if scale else Fraction(0) for m in row] for row in model.masses(codes)]
    else:
        rows = [[Fraction(1, len(codes))] for _ in codes]
    every = {tuple(c): (str(x), row) for c, x, row in zip(codes.tolist(), decided, rows, strict=True)}
    kept = {c: every[c] for c in every if c in members}
    return Case(
        model,
        odd,
        within,
        {c: x for c, (x, _) in kept.items()},
        {c: sum(row) for c, (_, row) in kept.items()},
        {c: row for c, (_, row) in kept.items()},
    )


def about(question):
    return lambda test: settings(deadline=None, max_examples=60)(given(question)(test))


def distance(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True))


# ---- single inputs ----


@about(st.data())
def test_counts_and_probabilities_are_those_of_the_members(data):
    case = data.draw(cases())
    v = case.model.variables
    known = {
        name: data.draw(st.sampled_from(values))
        for name, values in ((x.name, x.values) for x in v)
        if data.draw(st.booleans())
    }
    fits = [x for x in case.label if all(case.named(x)[n] == value for n, value in known.items())]
    found = oddly.count(case.odd, given=known, within=case.within, exact=True)
    assert found.instances == len(fits)
    assert Counter(found.counts) == Counter(dict.fromkeys(case.odd.labels, 0) | Counter(case.label[x] for x in fits))
    mass = sum(case.mass[x] for x in fits)
    if not mass:
        assert found.probability is None
        assert found.evidence == 0
        return
    assert found.evidence == mass / sum(case.mass.values())
    for label, p in found.probability.items():
        assert p == sum(case.mass[x] for x in fits if case.label[x] == label) / mass
    floats = oddly.count(case.odd, given=known, within=case.within)
    assert floats.probability == pytest.approx({label: float(p) for label, p in found.probability.items()})


@about(st.data())
def test_listing_and_drawing_keep_to_the_members(data):
    case = data.draw(cases())
    if not sum(case.mass.values()):
        with pytest.raises(Unsupported, match="impossible under"):
            next(oddly.instances(case.odd, within=case.within))
        return
    found = list(oddly.instances(case.odd, within=case.within))
    assert sorted(tuple(i.items()) for i, _ in found) == sorted(tuple(case.named(x).items()) for x in case.label)
    assert sum(p for _, p in found) == pytest.approx(1)
    by_name = {tuple(case.named(x).items()): float(case.share([x])) for x in case.label}
    assert all(p == pytest.approx(by_name[tuple(i.items())]) for i, p in found)
    drawn = oddly.sample(case.odd, 20, within=case.within)
    assert {tuple(i.items()) for i in drawn} <= by_name.keys()


@about(st.data())
def test_what_must_hold_must_hold_of_the_members(data):
    case = data.draw(cases())
    label = data.draw(st.sampled_from(case.odd.labels))
    if not case.model.variables:
        return
    v = data.draw(st.sampled_from(case.model.variables))
    value = data.draw(st.sampled_from(v.values))
    decided = [x for x in case.label if case.label[x] == label]
    broken = [x for x in decided if case.named(x)[v.name] != value]
    found = oddly.must_hold(case.odd, label, f"{v.name}={value}", within=case.within)
    assert (found.holds, found.instances, found.count) == (not broken, len(decided), len(broken))
    if broken:
        assert tuple(case.model.codes(found.example)) in broken
        if sum(case.mass.values()):
            assert found.probability == pytest.approx(float(case.share(broken)))


@about(st.data())
def test_two_classifiers_are_compared_on_the_members(data):
    case = data.draw(cases())
    other = data.draw(small_classifiers().filter(lambda m: m.labels == case.model.labels))
    try:
        both = oddly.compile(
            other.replace(attributes=case.model.attributes) if type(other) is type(case.model) else case.model
        )
    except oddly.OddlyError:
        both = case.odd
    decided = dict(
        zip(map(tuple, oracle.codes(case.model).tolist()), both.classify(oracle.codes(case.model)), strict=True)
    )
    differ = [x for x in case.label if case.label[x] != decided[x]]
    found = oddly.compare(case.odd, both, within=case.within)
    assert (found.equivalent, found.count, found.instances) == (not differ, len(differ), len(case.label))
    assert {tuple(case.model.codes(i)) for i in found.members()} == set(differ)
    if differ and sum(case.mass.values()):
        assert found.probability("a" if case.model.probabilistic else "uniform") == pytest.approx(
            float(case.share(differ))
        )
    if differ:
        told = found.smallest.known.items()
        fits = [x for x in decided if told <= case.named(x).items()]
        assert fits
        assert set(fits) <= set(differ)


# ---- one input among the others ----


def minimal(sets):
    return {s for s in sets if not any(t < s for t in sets)}


@about(st.data())
def test_reasons_are_those_among_the_members(data):
    case = data.draw(cases())
    every = [tuple(c) for c in oracle.codes(case.model).tolist()]
    x = data.draw(st.sampled_from(every))
    can = case.model.probabilistic is None or case.model.posterior(case.named(x)) is not None
    if x not in case.label or not can:
        with pytest.raises(Unsupported, match="outside the given diagram|impossible under the model"):
            oddly.explain(case.odd, case.named(x), within=case.within)
        return
    names = [v.name for v in case.model.variables]
    apart = {frozenset(i for i in range(len(x)) if x[i] != y[i]) for y in case.label if case.label[y] != case.label[x]}
    necessary = minimal(apart)
    columns = range(len(x))
    sets = [frozenset(s) for n in range(len(x) + 1) for s in combinations(columns, n)]
    sufficient = minimal([s for s in sets if all(s & d for d in apart)])
    found = oddly.explain(case.odd, case.named(x), within=case.within)
    assert found.decision == case.label[x]
    assert {frozenset(names.index(n) for n in reason) for reason in found.sufficient} == sufficient
    assert {frozenset(names.index(n) for n in reason) for reason in found.necessary} == necessary
    assert found.sufficient.count == len(sufficient)
    box = {n: set(values) for n, values in found.general.allowed.items()}
    inside = [y for y in case.label if all(case.named(y)[n] in values for n, values in box.items())]
    assert found.general.size == len(inside)
    assert {case.label[y] for y in inside} == {case.label[x]}


@about(st.data())
def test_a_partial_case_is_decided_or_open_among_the_members(data):
    case = data.draw(cases())
    known = {v.name: data.draw(st.sampled_from(v.values)) for v in case.model.variables if data.draw(st.booleans())}
    fits = [x for x in case.label if known.items() <= case.named(x).items()]
    measure = measure_of(case.odd, None)
    places = {case.odd.order.index(n): case.odd.attribute(n).index(value) for n, value in known.items()}
    if not fits or not measure.knowing(places).mass:
        with pytest.raises(Unsupported, match="outside the given diagram|impossible under the model"):
            oddly.explain(case.odd, known, within=case.within)
        return
    labels = Counter(case.label[x] for x in fits)
    found = oddly.explain(case.odd, known, within=case.within)
    assert found.decision == (next(iter(labels)) if len(labels) == 1 else None)
    if len(labels) > 1:
        assert {label: n for label, n in found.open.counts.items() if n} == labels


@about(st.data())
def test_the_cheapest_change_is_to_a_member(data):
    case = data.draw(cases())
    if not case.label:
        return
    x = data.draw(st.sampled_from(sorted(case.label)))
    others = [distance(x, y) for y in case.label if case.label[y] != case.label[x]]
    found = oddly.change(case.odd, case.named(x), within=case.within)
    assert found.cost == min(others, default=None)
    assert found.robustness == min(others, default=None)
    assert found.allowed == len(case.label)
    if others:
        assert tuple(case.model.codes(found.best.instance)) in case.label


# ---- pairs ----


@about(st.data())
def test_robustness_is_the_distance_to_the_nearest_member_decided_otherwise(data):
    case = data.draw(cases())
    far = {
        x: min((distance(x, y) for y in case.label if case.label[y] != case.label[x]), default=None) for x in case.label
    }
    if not sum(case.mass.values()) and case.label:
        found = oddly.robustness(case.odd, within=case.within, under="uniform")
    else:
        found = oddly.robustness(case.odd, within=case.within)
        for step in found.histogram:
            assert step.probability == case.share([x for x in far if far[x] == step.changes])
    assert {s.changes: s.count for s in found.histogram} == Counter(far.values())
    assert found.instances == len(far)
    if 1 in far.values():
        listed = list(islice(found.fragile(), 100))
        assert {tuple(case.model.codes(f.instance)) for f in listed} == {x for x in far if far[x] == 1}


@about(st.data())
def test_an_attribute_matters_where_two_members_differ_in_it_alone(data):
    case = data.draw(cases())
    under = None if sum(case.mass.values()) else "uniform"
    found = oddly.importance(case.odd, within=case.within, under=under)
    for column, v in enumerate(case.model.variables):
        tipped = case.hinging([column])
        assert found[v.name].count == len(tipped)
        if under is None:
            assert found[v.name].probability == pytest.approx(float(case.share(tipped)))


@about(st.data())
def test_a_decision_hinges_on_what_two_members_differ_in(data):
    case = data.draw(cases())
    names = [v.name for v in case.model.variables]
    if not names:
        return
    protected = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    tipped = case.hinging([names.index(n) for n in protected])
    label = case.odd.labels[-1]
    if tipped and not sum(case.mass.values()):
        return
    found = oddly.fairness(case.odd, protected, within=case.within, label=label, exact=True)
    assert (found.holds, found.count, found.instances) == (not tipped, len(tipped), len(case.label))
    if tipped:
        assert found.probability == case.share(tipped)
        one, two = (tuple(case.model.codes(i)) for i in found.case.instances)
        assert case.label[one] != case.label[two]
    for group in found.groups:
        members = [x for x in case.label if group.values.items() <= case.named(x).items()]
        assert group.share == case.share(members)
        assert group.rate == case.share([x for x in members if case.label[x] == label]) / case.share(members)


@about(st.data())
def test_rules_are_about_members_and_pairs_of_them(data):
    case = data.draw(cases())
    if not case.model.variables:
        return
    v = data.draw(st.sampled_from(case.model.variables))
    column = case.model.variables.index(v)
    label = data.draw(st.sampled_from(case.odd.labels))
    rules = [f"always '{label}'", f"ignores {v.name}", f"monotone up in {v.name} for '{label}'"]
    always, ignores, monotone = oddly.check(case.odd, rules, within=case.within).verdicts
    assert (always.scope, always.count) == (len(case.label), sum(x != label for x in case.label.values()))
    tipped = case.hinging([column])
    assert (ignores.holds, ignores.count) == (not tipped, len(tipped))
    steps = [
        (x, y)
        for x, y in chain(combinations(case.label, 2), ((y, x) for x, y in combinations(case.label, 2)))
        if x[column] < y[column] and distance(x, y) == 1
    ]
    lost = [(x, y) for x, y in steps if case.label[x] == label != case.label[y]]
    assert monotone.holds == (not lost)
    if monotone.scope != len(steps):  # neighbouring values are enough where the domain has all of them
        assert monotone.scope < len(steps)
        every = {tuple(x[i] for i in range(len(x)) if i != column) for x in case.label}
        assert len(case.label) == len(every) * len(v.values)
    for verdict in (always, ignores, monotone):
        for instance in verdict.case.instances if verdict.case else ():
            assert tuple(case.model.codes(instance)) in case.label


@about(st.data())
def test_ignoring_each_attribute_is_less_than_ignoring_several(data):
    case = data.draw(cases())
    names = [v.name for v in case.model.variables]
    if len(names) < 2:
        return
    tipped = case.hinging([0, 1])
    (found,) = oddly.check(case.odd, [f"ignores {names[0]}, {names[1]}"], within=case.within).verdicts
    assert (found.holds, found.count) == (not tipped, len(tipped))


def test_one_hot_columns_are_ignored_each_for_want_of_a_pair_and_not_together():
    card = oddly.Scorecard([oddly.Points(n, ["no", "yes"], [0, p]) for n, p in (("red", 0), ("green", 2))], cutoff=1)
    one = "red=yes -> green=no"
    domain = [one, "red=no -> green=yes"]
    found = oddly.check(card, ["ignores red", "ignores green", "ignores red, green"], within=domain)
    assert [v.status for v in found.verdicts] == ["holds, vacuously", "holds, vacuously", "fails"]


def test_monotone_looks_past_a_value_that_is_missing():
    card = oddly.Scorecard([oddly.Points("age", ["young", "middle", "old"], [1, 1, 0])], cutoff=1)
    assert not oddly.check(card, "monotone up in age", within="age!=middle")
    assert oddly.check(card, "monotone up in age", within="age!=old")


# ---- which test next ----


@about(st.data())
def test_what_stands_stands_among_the_members(data):
    case = data.draw(cases())
    known = {v.name: data.draw(st.sampled_from(v.values)) for v in case.model.variables if data.draw(st.booleans())}
    fits = [x for x in case.label if known.items() <= case.named(x).items()]
    mass = sum(case.mass[x] for x in fits)
    if not mass:
        with pytest.raises(Unsupported):
            oddly.same_decision(case.odd, known, within=case.within)
        return
    found = oddly.same_decision(case.odd, known, within=case.within)
    for label, p in found.final.items():
        assert p == sum(case.mass[x] for x in fits if case.label[x] == label) / mass
    assert found.evidence == mass / sum(case.mass.values())
    if case.model.probabilistic:
        posterior = [sum(case.by_class[x][c] for x in fits) / mass for c in range(len(case.model.class_values))]
        assert list(found.posterior.values()) == posterior


# ---- numbers ----


@about(st.data())
def test_only_members_stop_a_number(data):
    """The least leads over members, of sums, of points for three classes, and of instances decided one by one."""
    case = data.draw(cases())
    model = case.model
    found = oddly.allowed(case.odd, within=case.within)
    assert found.instances == len(case.label)
    if isinstance(model, oddly.Scoreboard):
        sums = {
            x: [
                sum(p)
                for p in zip(
                    model.intercept, *(a.points[c] for a, c in zip(model.attributes, x, strict=True)), strict=True
                )
            ]
            for x in case.label
        }
        for i, j in permutations(range(3), 2):
            ours = [sums[x][i] - sums[x][j] for x in case.label if case.label[x] == model.class_values[i]]
            now = model.intercept[i] - model.intercept[j]
            assert found.zone[model.class_values[i]][model.class_values[j]].low == (now - min(ours) if ours else -inf)
    elif isinstance(model, oddly.Scorecard):
        margins = {x: oracle.margin(model, case.named(x)) for x in case.label}
        yes = [m for x, m in margins.items() if case.label[x] == case.odd.labels[1]]
        no = [-m for x, m in margins.items() if case.label[x] == case.odd.labels[0]]
        assert found.prior.low == (model.intercept - min(yes) if yes else -inf)
        assert found.prior.high == (model.intercept + min(no) if no else inf)
        for a in model.attributes:
            for i, value in enumerate(a.values):
                own = [
                    m
                    for x, m in margins.items()
                    if case.named(x)[a.name] == value and m in yes and case.label[x] == case.odd.labels[1]
                ]
                assert found.weights[a.name][value].low == (a.points[i] - min(own) if own else -inf)
    elif model.positive is not None and 0 < model.threshold < 1 and found.prior is not None:
        p = model.prior[model.class_values.index(model.positive)]
        odds = model.threshold / (1 - model.threshold)
        ratios = {}
        for x in case.label:
            ours = case.by_class[x][model.class_values.index(model.positive)]
            theirs = sum(case.by_class[x]) - ours
            if ours and theirs:
                ratios[x] = ours / theirs / odds
        yes = [r for x, r in ratios.items() if case.label[x] == case.odd.labels[1]]
        now = p / (1 - p)
        low = now / min(yes) if yes else Fraction(0)
        assert found.prior.probability.low == pytest.approx(float(low / (1 + low)))


@about(st.data())
def test_rounding_is_about_decisions_on_members(data):
    case = data.draw(cases())
    if case.model.probabilistic and not sum(case.mass.values()):
        return
    try:
        found = oddly.rounding(case.model, 2, within=case.within)
    except Unsupported:
        return  # such as nothing being left possible
    for step in found.probabilities:
        other = oddly.compile(step.model)
        codes = oracle.codes(case.model)
        label = dict(zip(map(tuple, codes.tolist()), other.classify(codes), strict=True))
        assert step.count == sum(case.label[x] != label[x] for x in case.label)
        assert step.instances == len(case.label)


@about(st.data())
def test_fewer_attributes_agree_on_members(data):
    case = data.draw(cases())
    if not case.model.probabilistic or not sum(case.mass.values()):
        return
    share = Fraction(data.draw(st.integers(1, 10)), 10)
    found = oddly.subset(case.odd, share, within=case.within)
    names = [v.name for v in case.model.variables]

    def agreement(kept):
        small = oddly.compile(case.model.restricted(kept))
        labels = [
            str(small.classify([{n: case.named(x)[n] for n in kept}])[0]) if kept else str(small.labels[small.root])
            for x in case.label
        ]
        return case.share([x for x, label in zip(case.label, labels, strict=True) if case.label[x] == label])

    assert found.agreement == agreement(list(found.attributes)) >= share
    if found.proven:
        smaller = combinations(names, len(found.attributes) - 1) if found.attributes else ()
        assert all(agreement(list(kept)) < share for kept in smaller)


def test_more_rows_are_looked_at_within_a_domain():
    rows = {"a": list("xxyyxy"), "b": list("xyxyxx"), "class": list("ppnnpn")}
    model = oddly.learn(rows, target="class", positive="p", alpha=1)
    more = [{"a": a, "b": b, "class": c} for a in "xy" for b in "xy" for c in "pn"]
    table = {name: [row[name] for row in more] for name in ("a", "b", "class")}
    for within, members in (("a=x", [("x", "x"), ("x", "y")]), ("a=x and b=y", [("x", "y")])):
        found = oddly.added_rows(model, table, within=within)
        odd = oddly.compile(model)
        changing = []
        for row in more:
            after = oddly.compile(with_row(model, row))
            if any(odd.classify([{"a": a, "b": b}])[0] != after.classify([{"a": a, "b": b}])[0] for a, b in members):
                changing.append(row)
        assert [dict(row) for row in found.changing] == [{k: row[k] for k in ("class", "a", "b")} for row in changing]


# ---- commands ----


@pytest.mark.parametrize(
    "words",
    [
        "count {}",
        "must {} yes S=+ve",
        "robust {}",
        "fair {} --protected B",
        "importance {}",
        "explain {} U=+ve B=-ve S=-ve",
        "change {} U=+ve B=-ve S=-ve",
        "ask {} U=+ve",
        "ask {} --subset 0.9",
        "diff {} {}",
        "allow {}",
        "round {}",
        "check {} --rule",
        "report {} --format json",
    ],
)
def test_every_command_says_what_it_was_asked_about(words, capsys):
    parts = words.format(*["example:pregnancy"] * 2).split() + (["ignores B"] if words.endswith("--rule") else [])
    code = main([*parts, "--within", "S=-ve", "--within", "possible", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code in (0, 1)
    if words.startswith("report"):
        assert (found["within"], found["instances"]) == ("S=-ve and possible", "4")
    else:
        inputs = "2" if words == "ask {} U=+ve" else "4"
        assert found["scope"] == {"within": "S=-ve and possible", "inputs": inputs, "of": "8", "impossible": "0"}
    assert main([*parts, "--within", "S=-ve"]) == code
    assert "S=-ve" in capsys.readouterr().out


def test_a_domain_that_is_none_is_said_in_one_line(capsys):
    assert main(["count", "example:pregnancy", "--within", "nonsense"]) == 2
    assert "no expression such as NAME=VALUE" in capsys.readouterr().err
    assert main(["explain", "example:pregnancy", "U=+ve", "B=+ve", "S=+ve", "--within", "S=-ve"]) == 2
    assert "outside S=-ve" in capsys.readouterr().err
    assert main(["importance", "example:pregnancy", "U=+ve", "B=+ve", "S=+ve", "--within", "S=+ve"]) == 2
    assert "drawn by itself" in capsys.readouterr().err


def test_answers_about_all_inputs_say_how_many_are_impossible():
    rows = {"a": list("xxyy"), "b": list("xxyz"), "class": list("ppnn")}
    model = oddly.learn(rows, target="class", positive="p")
    note = "3 of these 6 inputs (50.0%) are impossible under the model; 3 are within possible."
    for answer in (
        oddly.count(model),
        oddly.compare(model, model),
        oddly.robustness(model),
        oddly.importance(model),
        oddly.fairness(model, "a"),
        oddly.must_hold(model, "p", "a=x"),
        oddly.check(model, "ignores a"),
        oddly.allowed(model),
        oddly.explain(model, {"a": "x", "b": "x"}),
    ):
        assert note in repr(answer)
        assert answer.to_json()["scope"]["impossible"] == "3"
    assert oddly.count(model, within="possible").counts == {"n": 2, "p": 1}
    with pytest.raises(Unsupported, match="a=x, b=y: impossible under the model"):
        oddly.explain(model, {"a": "x", "b": "y"})
    with pytest.raises(Unsupported, match="a=x, b=y: impossible under the model"):
        oddly.explain(model, {"a": "x", "b": "y"}, within="possible")


def test_what_knows_no_domain_says_so_and_what_to_leave_out(tmp_path, capsys):
    model, path = oddly.examples.pregnancy(), tmp_path / "model.json"
    oddly.write(model, path)
    with pytest.raises(oddly.Unsupported, match="leave out flips= or within="):
        oddly.allowed(model, flips="5%", within="possible")
    assert main(["allow", str(path), "--flips", "5%", "--within", "possible"]) == 2
    assert "leave out --flips or --within" in capsys.readouterr().err
    assert main(["importance", str(path), "U=+ve", "B=+ve", "S=+ve", "--within", "possible"]) == 2
    assert "each attribute is drawn by itself" in capsys.readouterr().err
