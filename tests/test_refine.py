# SPDX-License-Identifier: Apache-2.0
"""Two models that cut numbers differently, or know different values: against raw inputs at and between all cuts."""

import itertools
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, Bins, NaiveBayes, Points, Scorecard
from oddly.learning import read_table
from oddly.model import Network, Node
from oddly.model.shared import shared_values
from oddly.model.variable import Variable
from oddly.questions.compare.question import compare
from strategies import rows as probabilities

UCI = Path(__file__).parents[1] / "../shared/data/uci"
HALVES = [Fraction(i, 2) for i in range(-1, 8)]
LABELS = ["red", "1", "2", "green"]


@st.composite
def attributes(draw, name, kind, whole):
    """One side's idea of an attribute: numbers cut somewhere, perhaps with missing cells, or labels."""
    if kind == "labels" or (kind == "mixed" and draw(st.booleans())):
        return Variable(name, tuple(draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=3, unique=True))))
    cuts = sorted(draw(st.sets(st.sampled_from(HALVES), max_size=3)))
    bins = Bins(cuts, draw(st.sampled_from(["left", "right"])), whole=whole)
    return Variable(name, bins.labels + (("?",) if draw(st.booleans()) else ()), bins)


@st.composite
def sides(draw, most=3, bayes=False):
    """Two models over attributes of the same names."""
    many = draw(st.integers(1, most))
    found = []
    kinds = draw(st.lists(st.sampled_from(["numbers", "labels", "mixed"]), min_size=many, max_size=many))
    whole = draw(st.booleans())
    for _ in range(2):
        variables = [draw(attributes(f"A{i}", kind, whole)) for i, kind in enumerate(kinds)]
        found.append(draw(_bayes(variables) if bayes or draw(st.booleans()) else _card(variables)))
    return found


def _card(variables):
    sizes = [len(v.values) for v in variables]
    points = st.tuples(*(st.lists(st.integers(-2, 2), min_size=n, max_size=n) for n in sizes))
    return points.map(
        lambda found: Scorecard([Points(v.name, v.values, p, v.bins) for v, p in zip(variables, found, strict=True)])
    )


@st.composite
def _bayes(draw, variables):
    zeros = draw(st.booleans())
    cpts = [
        CPT(v.name, v.values, {c: draw(probabilities(len(v.values), zeros)) for c in ("yes", "no")}, v.bins)
        for v in variables
    ]
    return NaiveBayes("decision", ["yes", "no"], draw(probabilities(2, False)), cpts)


# ---- raw inputs, one by one ----


def raw(left, right):
    """Inputs at and between all cuts and labels, in order: numbers, missing, labels that are none."""
    whole = any(v.bins is not None and v.bins.whole for v in (left, right))
    if left.bins is None and right.bins is None:
        return list(dict.fromkeys(left.values + right.values))
    labels = [x for v in (left, right) if v.bins is None for x in v.values]
    marks = {c for v in (left, right) if v.bins is not None for c in v.bins.cuts} | {
        Fraction(x) for x in labels if x.isdecimal()
    }
    marks = sorted(marks | {Fraction(0)})
    between = [(a + b) / 2 for a, b in itertools.pairwise(marks)]
    points = sorted({*marks, *between, marks[0] - 1, marks[-1] + 1})
    if whole:
        points = [Fraction(n) for n in range(int(marks[0]) - 2, int(marks[-1]) + 3)]
    gaps = ["?"] if any("?" in v.values for v in (left, right)) else []
    return points + gaps + [x for x in dict.fromkeys(labels) if not x.isdecimal()]


def value_of(variable, x):
    """The value that an input has, or None: worked out as a person would."""
    if isinstance(x, str):
        return x if x in variable.values else None
    if variable.bins is None:
        return str(x) if str(x) in variable.values else None
    above = (x >= c if variable.bins.closed == "left" else x > c for c in variable.bins.cuts)
    return variable.values[sum(above)]


def cells_of(left, right):
    """Runs of inputs that neither side tells apart: (left's value, right's value)."""
    met = [(value_of(left, x), value_of(right, x)) for x in raw(left, right)]
    return [key for key, _ in itertools.groupby(met) if key != (None, None)]


def everything(a, b):
    """All cells as pairs of instances, None where a side has no value."""
    by_name = {v.name: v for v in b.variables}
    names = [v.name for v in a.variables]
    lists = [cells_of(v, by_name[v.name]) for v in a.variables]
    for cell in itertools.product(*lists):
        yield tuple(dict(zip(names, values, strict=True)) for values in zip(*cell, strict=True))


def known(pair):
    return all(value is not None for instance in pair for value in instance.values())


def differ(a, b, pair):
    return oracle.decides(a, pair[0]) != oracle.decides(b, pair[1])


def no_common(a, b):
    others = {v.name: v for v in b.variables}
    return any(not shared_values(v, others[v.name]).common for v in a.variables)


# ---- counts ----


@given(sides())
@settings(max_examples=150, deadline=None)
def test_cells_and_what_is_left_out_are_those_of_raw_inputs(found):
    a, b = found
    if no_common(a, b):
        with pytest.raises(oddly.ModelError, match="no value in common"):
            compare(a, b)
        return
    difference = compare(a, b)
    every = list(everything(a, b))
    common = [pair for pair in every if known(pair)]
    assert difference.instances == len(common)
    assert difference.count == sum(differ(a, b, pair) for pair in common)
    assert difference.left_out.count == len(every) - len(common)
    assert bool(difference.left_out.values) == (len(every) > len(common))
    directions = [(oracle.decides(a, x), oracle.decides(b, y)) for x, y in common]
    assert difference.directions["no → yes"] == directions.count((False, True))
    assert difference.directions["yes → no"] == directions.count((True, False))
    if len(every) > len(common):
        with pytest.raises(oddly.ModelError, match="is only on one of them"):
            compare(a, b, values="error")
    repr(difference)
    difference.to_json()


@given(sides())
@settings(max_examples=100, deadline=None)
def test_a_skipped_value_adds_nothing(found):
    a, b = found
    difference = compare(a, b, values="skip")
    every = list(everything(a, b))
    assert (difference.instances, difference.left_out.count) == (len(every), 0)
    assert difference.count == sum(skipping(a, x) != skipping(b, y) for x, y in every)
    for case, first, second in difference.decided(20, "uniform"):
        assert first != second, case
    repr(difference)


def skipping(model, instance):
    """What a model decides if attributes without a value are not there."""
    rest = [a for a in model.attributes if instance[a.name] is not None]
    return oracle.decides(model.replace(attributes=rest), {a.name: instance[a.name] for a in rest})


@given(sides(), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_diagrams_in_any_order_meet_over_the_same_cells(found, seed):
    a, b = found
    if not no_common(a, b):
        one, two = oddly.compile(a, f"random:{seed}"), oddly.compile(b, f"random:{seed + 1}")
        assert compare(one, two).count == compare(a, b).count == compare(b, a).count


@given(sides(), st.data())
@settings(max_examples=80, deadline=None)
def test_rows_of_raw_inputs_are_decided_as_each_side_decides_them(found, data):
    a, b = found
    if no_common(a, b):
        return
    by_name = {v.name: v for v in b.variables}
    inputs = {
        v.name: [x for x in raw(v, by_name[v.name]) if value_of(v, x) or value_of(by_name[v.name], x)]
        for v in a.variables
    }
    rows = [{name: data.draw(st.sampled_from(xs)) for name, xs in inputs.items()} for _ in range(6)]
    cells = [{name: str(x) if isinstance(x, Fraction) else x for name, x in row.items()} for row in rows]
    pairs = [tuple({v.name: value_of(v, row[v.name]) for v in m.variables} for m in (a, b)) for row in rows]
    words = {True: "yes", False: "no"}
    expected = [
        tuple(words[oracle.decides(m, x)] for m, x in zip((a, b), pair, strict=True)) if known(pair) else None
        for pair in pairs
    ]
    difference = compare(a, b)
    assert difference.decisions(cells) == expected
    decided = [pair for pair in expected if pair]
    if decided:
        share = sum(x != y for x, y in decided) / len(decided)
        assert difference.probability(cells) == pytest.approx(share)
        assert difference.left_out_share(cells).low == 1 - Fraction(len(decided), len(rows))


# ---- probabilities under a model that knows only its own values ----


@given(sides(bayes=True))
@settings(max_examples=120, deadline=None)
def test_a_model_s_own_bins_enclose_the_probability(found):
    """Against the definition: every combination of the model's values, and the cells that it holds."""
    a, b = found
    if no_common(a, b):
        return
    difference = compare(a, b)
    for name, side in (("a", 0), ("b", 1)):
        model, ends = (a, b)[side], {}
        for pair in everything(a, b):
            if None not in pair[side].values():
                end = differ(a, b, pair) if known(pair) else None
                ends.setdefault(tuple(pair[side].items()), set()).add(end)
        mass = {}
        for instance, met in ends.items():
            mass[frozenset(met)] = mass.get(frozenset(met), 0) + chance(model, dict(instance))
        expected = enclosed(mass)
        if expected is None:
            with pytest.raises(oddly.Unsupported):
                difference.bounds(name)
            continue
        found_ = difference.bounds(name)
        assert (float(found_.low), float(found_.high)) == pytest.approx(tuple(map(float, expected)), abs=1e-12)
        assert found_.settled == (expected[0] == expected[1])
        if found_.settled:
            assert difference.probability(name) == pytest.approx(float(expected[0]), abs=1e-12)
        else:
            with pytest.raises(oddly.Unsupported, match="rows of data settle it"):
                difference.probability(name)


def enclosed(mass):
    """The least and the most that the probability can be, given what is not left out; None if all is."""
    total = sum(mass.values())
    if total == mass.get(frozenset({None}), 0):
        return None
    some = sum(p for met, p in mass.items() if True in met)
    only = mass.get(frozenset({True}), 0)
    low = (only, only + sum(p for met, p in mass.items() if False in met))
    high = (some, some + mass.get(frozenset({False}), 0))
    return tuple(Fraction(part) / whole if whole else Fraction(0) for part, whole in (low, high))


def chance(model, instance):
    found = Fraction(0)
    for c, p in zip(model.class_values, model.prior, strict=True):
        found += p * prod((a.given[c][a.values.index(instance[a.name])] for a in model.attributes), start=Fraction(1))
    return found


def test_the_enclosure_is_wider_than_an_upward_pass_would_say():
    """Which half of a bin is the worse depends on what is read below it, so sets of nodes must be walked."""
    half = ["1/2", "1/2"]
    whole = CPT("x", ["any"], {"yes": ["1"], "no": ["1"]}, Bins([]))
    coin = CPT("z", ["heads", "tails"], {"yes": half, "no": half})
    model = NaiveBayes("decision", ["yes", "no"], half, [whole, coin])
    odd = oddly.compile(
        Scorecard([Points("x", ["<0", ">=0"], [0, 1], Bins([0])), Points("z", ["heads", "tails"], [0, 1])], cutoff=1)
    )
    both = odd ^ oddly.compile(
        Scorecard([Points("x", ["<0", ">=0"], [0, 1], Bins([0])), Points("z", ["heads", "tails"], [0, 1])], cutoff=2)
    )
    difference = compare(model, both)  # positive where exactly one of x >= 0 and tails is
    found = difference.bounds("a")
    assert (found.low, found.high) == (0, 1)


def test_a_network_that_has_the_finer_cut_is_exact():
    fine = CPT("x", ["<1", "[1, 2)", ">=2"], {"yes": ["0.2", "0.3", "0.5"], "no": ["0.5", "0.3", "0.2"]}, Bins([1, 2]))
    colour = CPT("c", ["red", "blue"], {"yes": ["0.6", "0.4"], "no": ["0.3", "0.7"]})
    a = NaiveBayes("decision", ["yes", "no"], ["1/2", "1/2"], [fine, colour])
    b = Scorecard([Points("x", ["<2", ">=2"], [0, 1], Bins([2])), Points("c", ["red", "blue"], [1, 0])], cutoff=2)
    network = a.as_network
    expected = sum(chance(a, x) for x, y in everything(a, b) if differ(a, b, (x, y)))
    for model in (a, network):
        assert compare(model, b).probability("a") == pytest.approx(float(expected), abs=1e-12)
        assert compare(b, b.replace(cutoff=1)).bounds(model).settled
    assert compare(b, a).probability(network) == pytest.approx(float(expected), abs=1e-12)


# ---- ends that are easy to get wrong ----


def card(bins, points, **more):
    return Scorecard([Points("x", bins.labels, points, bins)], cutoff=1, **more)


def test_one_cut_closed_on_different_sides_differs_on_the_point():
    difference = compare(card(Bins([2]), [0, 1]), card(Bins([2], "right"), [0, 1]))
    assert (difference.count, difference.instances, difference.unit) == (1, 3, "cell")
    assert difference.examples(under="uniform") == [{"x": "2"}]
    assert difference.probability([{"x": 2}, {"x": "2.5"}]) == 1 / 2


def test_whole_numbers_make_no_phantom_between_two_and_two_and_a_half():
    lax, strict = Bins([2], "right"), Bins(["2.5"])
    assert not compare(card(lax, [0, 1]), card(strict, [0, 1]))
    declared = Bins([2], "right", whole=True)
    same = compare(card(declared, [0, 1]), card(strict, [0, 1]))
    assert same
    assert same.instances == 2
    with pytest.raises(oddly.UnknownValue, match="x=2.25"):
        same.probability([{"x": "2.25"}])


def test_labels_are_mapped_one_to_one():
    a, b = card(Bins([2]), [0, 1]), card(Bins([3]), [0, 1], class_values=("1", "0"))
    with pytest.raises(oddly.ModelError, match="different labels: no, yes and 0, 1"):
        compare(a, b)
    difference = compare(a, b, labels={"1": "yes", "0": "no"})
    assert difference.directions == {"no → yes": 0, "yes → no": 1}
    assert difference.decided(5, "uniform") == [({"x": "[2, 3)"}, "yes", "no")]
    assert compare(a, b, labels={"1": "no", "0": "yes"}).count == 2
    for wrong, said in [
        ({"2": "yes"}, "the second decides between 0, 1, and not '2'"),
        ({"1": "yes", "0": "yes"}, "the label 'yes' stands twice"),
        ({"1": "maybe", "0": "no"}, "the first decides between no, yes, and not 'maybe'"),
        ([("1", "yes")], "expected what the first calls"),
    ]:
        with pytest.raises(oddly.ModelError, match=said):
            compare(a, b, labels=wrong)


def test_posteriors_are_told_under_the_labels_of_each_side():
    model = oddly.examples.pregnancy()
    other = model.replace(
        class_values=("1", "0"),
        positive="1",
        prior=["0.6", "0.4"],
        attributes=[CPT(a.name, a.values, dict(zip("10", a.given.values(), strict=True))) for a in model.attributes],
    )
    found = repr(compare(model, other, labels={"1": "yes", "0": "no"}))
    assert found == repr(compare(model, model.replace(prior=["0.6", "0.4"])))


def test_skip_needs_weights():
    a, half = Points("c", ["red", "blue"], [0, 1]), ["1/2", "1/2"]
    tied = Node("c", ["red", "green"], ["decision", "d"], [half, ["1/3", "2/3"], ["1/4", "3/4"], half])
    nodes = [
        Node("decision", ["yes", "no"], [], [half]),
        Node("d", ["x", "y"], ["decision"], [half, ["1/5", "4/5"]]),
        tied,
    ]
    network = Network(nodes).classifier("decision", "yes", attributes=["c", "d"])
    with pytest.raises(oddly.Unsupported, match="needs a sum of one weight per attribute, and a network has none"):
        compare(Scorecard([a]), network, values="skip")
    with pytest.raises(oddly.ModelError, match="values: expected 'common', 'skip' or 'error', found 'all'"):
        compare(Scorecard([a]), network, values="all")
    odd = oddly.compile(network)
    with pytest.raises(oddly.Unsupported, match="has no model to compile"):
        compare(Scorecard([a]), odd & odd, values="skip")


def test_nodes_that_no_cell_reaches_are_gone():
    a = Scorecard([Points("c", ["red", "blue"], [0, 5]), Points("d", ["x", "y"], [0, 1])], cutoff=1)
    b = Scorecard([Points("c", ["red"], [0]), Points("d", ["x", "y"], [0, 1])], cutoff=1)
    one, two = (side.cells for side in compare(oddly.compile(a, ["c", "d"]), b)._meeting.sides)
    assert one == two
    assert one.widths == two.widths


def test_saved_cells_still_cut_numbers(tmp_path):
    one, two = oddly.compile(card(Bins([2]), [0, 1])), oddly.compile(card(Bins([2], "right"), [0, 1]))
    (one ^ two).save(tmp_path / "differ.odd")
    again = oddly.load(tmp_path / "differ.odd")
    assert again == one ^ two
    assert list(again.classify([{"x": 1}, {"x": 2}, {"x": "2.1"}])) == ["no", "yes", "no"]


# ---- what people retrain ----


def halves(data, **options):
    table = read_table(data)
    target = list(table)[-1]
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    return rows, [oddly.learn(rows[i::2], target=target, bins="mdl", alpha=1, **options) for i in (0, 1)]


@pytest.mark.parametrize("name", ["heart-c", "hepatitis"])
@pytest.mark.skipif(not UCI.exists(), reason="needs the tables beside this repository")
def test_halves_of_a_table_are_compared_row_by_row(name):
    rows, (a, b) = halves(UCI / f"{name}.csv", missing="value")
    difference = compare(a, b)
    assert difference.unit == "cell"
    decided = difference.decisions(rows)
    one, two = oddly.compile(a), oddly.compile(b)
    for row, pair in zip(rows, decided, strict=True):
        if pair is not None:
            assert pair == (one.classify([row])[0], two.classify([row])[0])
    met = [pair for pair in decided if pair]
    assert difference.probability(rows) == pytest.approx(sum(x != y for x, y in met) / len(met))
    for side in "ab":
        found = difference.bounds(side)
        assert 0 <= found.low <= found.high <= 1
