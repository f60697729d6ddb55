# SPDX-License-Identifier: Apache-2.0
"""The best card of a budget: proven least against enumeration of all cards, and bounds that are never above it."""

from fractions import Fraction
from itertools import count, product
from math import lcm, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import strategies
from oddly import CPT, ODD, ModelError, NaiveBayes, Points, Scorecard, Unsupported
from oddly.diagram.canonical import canonical
from oddly.distribution.measure import measure_of
from oddly.model import Network, Node, Variable
from oddly.questions.scorecard import endings
from oddly.questions.scorecard import least as search
from oddly.questions.scorecard.endings import Chain, Endings, Independent, read_backwards
from oddly.questions.scorecard.least import Least, weighed
from oddly.questions.scorecard.question import scorecard
from oddly.questions.scorecard.setting import Setting

pytest.importorskip("scipy", reason="cards are found with SciPy")

VOTES = Path(__file__).parents[1] / "../shared/data/uci/votes.csv"
MOST_CARDS = 2500
NOTHING = Fraction(2)  # a best card so bad that any is better


# ---- the oracle: all cards, all instances, in whole numbers ----


def weights(odd, measure):
    """By instance, in the diagram's order."""
    each = product(*(range(arity) for arity in odd.arities))
    return [
        sum((p.weight * prod((row[v] for row, v in zip(p.rows, x, strict=True)), start=1)) for p in measure.products)
        / measure.mass
        for x in each
    ]


def least_by_enumeration(odd, weights, budget):
    """What the best of all cards with points up to a budget changes."""
    scale = lcm(*(w.denominator for w in weights))
    each = list(product(*(range(arity) for arity in odd.arities)))
    positive = [decided(odd, x) for x in each]
    gains = np.array([int(w * scale) * (1 if yes else -1) for w, yes in zip(weights, positive, strict=True)], object)
    rejected = -sum(gain for gain in gains if gain < 0)
    found = []
    for card in product(*(rows(arity, budget) for arity in odd.arities)):
        sums = np.array([sum(row[v] for row, v in zip(card, x, strict=True)) for x in each])
        by_sum = np.zeros(sums.max() + 1, object)
        np.add.at(by_sum, sums, gains)
        found.append(rejected + min(0, *np.cumsum(by_sum)))
    return Fraction(int(min(found)), scale)


def rows(arity, budget):
    return [row for row in product(range(budget + 1), repeat=arity) if min(row) == 0]


def decided(odd, instance):
    node = odd.root
    for level, value in zip(odd.levels, instance, strict=True):
        node = level[node, value]
    return bool(node)


# ---- classifiers small enough for it ----


@st.composite
def shapes(draw):
    """Numbers of values, and a budget."""
    budget = draw(st.sampled_from([1, 1, 2, 3]))
    kept, cards = [], 1
    for arity in draw(st.lists(st.sampled_from([1, 2, 2, 2, 3]), min_size=1, max_size=5)):
        if cards * len(rows(arity, budget)) <= MOST_CARDS:
            kept.append(arity)
            cards *= len(rows(arity, budget))
    return kept, budget


@st.composite
def models(draw, shape, classes=("yes", "no")):
    """Naive Bayes models; ties, zeros, and attributes that are like the one before up to the order of their values."""
    zeros = draw(st.booleans())
    attributes = []
    for i, arity in enumerate(shape):
        given = {c: draw(strategies.rows(arity, zeros)) for c in classes}
        if attributes and len(attributes[-1].values) == arity and draw(st.booleans()):
            order = draw(st.permutations(range(arity)))
            given = {c: [attributes[-1].given[c][v] for v in order] for c in classes}
        attributes.append(CPT(f"A{i}", [f"v{j}" for j in range(arity)], given))
    prior = draw(strategies.rows(len(classes), zeros))
    if len(classes) > 2:
        return NaiveBayes("C", classes, prior, attributes)
    threshold, ties = (
        draw(st.sampled_from(["1/2", "1/3", "0.9", "0", "1"])),
        draw(st.sampled_from(["positive", "negative"])),
    )
    return NaiveBayes("C", classes, prior, attributes, threshold=threshold, ties=ties)


@st.composite
def questions(draw):
    """A diagram, a distribution and a budget: sums and others, under their own distribution and under others."""
    shape, budget = draw(shapes())
    kind = draw(st.sampled_from(["own", "own", "uniform", "other model", "other label", "one of three", "table"]))
    model = draw(models(shape, ("yes", "no", "maybe") if kind == "one of three" else ("yes", "no")))
    odd = oddly.compile(model, impossible=draw(st.sampled_from(["negative", "positive"])))
    under = {"own": "model", "uniform": "uniform", "other model": draw(models(shape))}.get(kind, model)
    if kind in ("other label", "one of three"):
        odd = odd.is_("no")
        under = draw(st.sampled_from([model, "uniform"]))
    if kind == "table":
        odd = tabled(draw(st.lists(st.integers(0, 1), min_size=prod(shape), max_size=prod(shape))), shape)
    return odd, measure_of(odd, under), budget


def tabled(table, shape):
    """The diagram of a table of decisions, the last attribute's value changing fastest."""
    levels, nodes = [], 1
    for depth, arity in enumerate(shape):
        children = np.asarray(table) if depth == len(shape) - 1 else np.arange(nodes * arity)
        levels.append(children.reshape(nodes, arity).astype(np.uint32))
        nodes *= arity
    levels, root = canonical(levels, 0, 2, [None] * len(shape))
    variables = tuple(Variable(f"A{i}", tuple(f"v{j}" for j in range(b))) for i, b in enumerate(shape))
    return ODD(variables, ("no", "yes"), levels, root, tuple(range(len(shape))))


# ---- the proof ----


@settings(max_examples=60, deadline=None)
@given(questions())
def test_what_is_proven_least_is_the_least_of_all_cards(question):
    odd, measure, budget = question
    least = least_by_enumeration(odd, weights(odd, measure), budget)
    found = Least(odd, measure).proof(budget, NOTHING)
    assert (found.loss, found.least, found.bound) == (least, True, least)
    assert weighed(odd, found.card, measure)[1] == least
    assert max((p for a in found.card.attributes for p in a.points), default=0) <= budget
    known = Least(odd, measure).proof(budget, least)
    assert (known.card, known.least) == (None, True)


OTHER = NaiveBayes(
    "C",
    ["yes", "no"],
    ["2/5", "3/5"],
    [
        CPT("A0", ["v0", "v1"], {"yes": ["0.1", "0.9"], "no": ["0.8", "0.2"]}),
        CPT("A1", ["v0", "v1"], {"yes": ["0.7", "0.3"], "no": ["0.2", "0.8"]}),
        CPT("A2", ["v0", "v1"], {"yes": ["0.1", "0.9"], "no": ["0.8", "0.2"]}),
    ],
)


@pytest.mark.parametrize("under", ["uniform", OTHER], ids=["uniform", "other"])
def test_for_all_decisions_on_three_bits_the_least_of_all_cards_is_found(under):
    """Half of the tables are tried: the others are their negations, or nearly."""
    for table in product((0,), *[(0, 1)] * 7):
        odd = tabled(table, (2, 2, 2))
        measure = measure_of(odd, under)
        least = least_by_enumeration(odd, weights(odd, measure), 1)
        assert Least(odd, measure).proof(1, NOTHING).loss == least


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_a_few_endings_stand_for_many_without_ever_promising_more(classes):
    """Whatever the cuts gain in each class, the best cuts of the few lose at least as much as those of the many."""
    rng = np.random.default_rng(classes)
    for _ in range(50):
        many = rng.random((classes, 30)) ** 4
        few = endings._merged(many)
        assert few.shape[1] < 10
        assert np.allclose(few.sum(axis=1), many.sum(axis=1))
        cuts = rng.normal(size=(6, classes))
        assert (cuts @ few).min(axis=0).sum() <= (cuts @ many).min(axis=0).sum() + 1e-9


@settings(max_examples=25, deadline=None)
@given(questions(), st.integers(1, 15))
def test_a_bound_is_never_above_the_least_whenever_time_runs_out(question, steps):
    odd, measure, budget = question
    least = least_by_enumeration(odd, weights(odd, measure), budget)
    ticks = count()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(search, "monotonic", lambda: next(ticks))
        patched.setattr(search, "AT_ONCE", 1)  # one card at a time
        found = Least(odd, measure).proof(budget, least + Fraction(1, 1000), steps)
    assert found.bound <= least <= found.loss
    assert not found.least or found.loss == least


@settings(max_examples=15, deadline=None)
@given(questions())
def test_with_little_room_the_furthest_cards_go_first_and_the_answer_is_the_same(question):
    odd, measure, budget = question
    proven = Least(odd, measure).proof(budget, NOTHING)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(search, "MOST_HELD", 0)
        patched.setattr(search, "AT_ONCE", 1)
        assert Least(odd, measure).proof(budget, NOTHING).loss == proven.loss


@settings(max_examples=15, deadline=None)
@given(strategies.naive_bayes() | strategies.scorecards())
def test_read_from_the_last_attribute_to_the_first_a_diagram_decides_alike(model):
    odd = oddly.compile(model)
    again = read_backwards(odd)
    assert again.order == odd.order[::-1]
    assert oddly.compare(tabled_again(again), odd)


def tabled_again(odd):
    """The diagram in its reverse order, instance by instance."""
    arities = odd.arities[::-1]
    table = [decided(odd, x[::-1]) for x in product(*(range(a) for a in arities))]
    if not arities:
        return odd
    found = tabled(table, arities)
    return ODD(odd.variables[::-1], odd.labels, found.levels, found.root, odd.places[::-1])


def test_sums_need_no_table_of_nodes_and_endings_and_both_ways_agree():
    odd = oddly.compile(oddly.examples.tic_tac_toe())
    rng = np.random.default_rng(0)
    for ends in Setting(odd, measure_of(odd, "model")).ends:
        assert isinstance(ends, Chain)
        so_far = rng.random((4, len(ends.masses) * len(ends.order)))
        table = Independent((ends.masses[:, None, :] * ends.signs).reshape(-1, ends.groups), ends.signs, ends.masses)
        assert np.allclose(Endings.gained(table, so_far), ends.gained(so_far), atol=1e-12)


def test_of_two_cut_offs_that_floats_cannot_tell_apart_the_better_one_is_found():
    """They differ by 1e-20, and no other points make the better card's decisions."""
    odd, small = tabled([1, 1, 0, 1, 1, 0, 0, 0], (2, 2, 2)), Fraction(1, 10**10)
    for far in ((1, 2, -1), (2, 1, 1), (1, -2, 2)):
        given = [[Fraction(1, 2) - small * e, Fraction(1, 2) + small * e] for e in far]
        attributes = [CPT(f"A{i}", ["v0", "v1"], {"yes": row, "no": row[::-1]}) for i, row in enumerate(given)]
        model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], attributes)
        measure = measure_of(odd, model)
        assert Least(odd, measure).proof(1, NOTHING).loss == least_by_enumeration(odd, weights(odd, measure), 1)


def test_what_is_possible_is_not_left_out_however_improbable_it_is():
    """A1 matters only together with a value of A2 whose probability no float holds: by itself, or as its class's."""
    odd = tabled([0, 0, 0, 1, 1, 1, 1, 1], (2, 2, 2))
    never, half = Fraction(1, 10**400), Fraction(1, 2)
    even, rare = {"yes": [half, half], "no": [half, half]}, {"yes": [1 - never, never], "no": [1 - never, never]}
    for last, prior in ((rare, [half, half]), ({"yes": [0, 1], "no": [1, 0]}, [never, 1 - never])):
        attributes = [CPT(f"A{i}", ["v0", "v1"], rows) for i, rows in enumerate([even, even, last])]
        measure = measure_of(odd, NaiveBayes("C", ["yes", "no"], prior, attributes))
        assert Least(odd, measure).proof(1, NOTHING).loss == least_by_enumeration(odd, weights(odd, measure), 1)
        assert Least(odd, measure).proof(2, NOTHING).loss == 0


# ---- which points are tried ----


def test_points_follow_the_weights_and_alike_attributes_are_tried_in_one_order_only():
    odd = oddly.compile(oddly.examples.tic_tac_toe())
    rows = Setting(odd, measure_of(odd, "model")).rules.rows(2)
    assert {len(row.points) for row in rows} == {6}  # of 19 with 0 as the least
    assert [row.after is not None for row in rows] == [False, False, True, True, True, False, True, True, True]


def test_uniformly_the_weightier_of_two_attributes_earns_at_least_as_much():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [0, p]) for i, p in enumerate([1, 2, 4, 3])], cutoff=5)
    odd = oddly.compile(card)
    setting = Setting(odd, measure_of(odd, "uniform"))
    assert setting.odd.order == ("A2", "A3", "A1", "A0")
    for row in setting.rules.rows(3)[1:]:
        assert row.after.tolist() == [[mine <= before for mine in range(4)] for before in range(4)]


def test_under_another_distribution_no_order_of_the_values_is_taken_for_granted():
    model, other = (
        NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [CPT(n, ["x", "y"], rows) for n, rows in table.items()])
        for table in (
            {"A": {"yes": ["0.6", "0.4"], "no": ["0.5", "0.5"]}, "B": {"yes": ["0.9", "0.1"], "no": ["0.2", "0.8"]}},
            {"A": {"yes": ["0.1", "0.9"], "no": ["0.8", "0.2"]}, "B": {"yes": ["0.3", "0.7"], "no": ["0.6", "0.4"]}},
        )
    )
    odd = oddly.compile(model)
    own, foreign = (Setting(odd, measure_of(odd, under)).rules for under in ("model", other))
    assert [len(row.points) for row in own.rows(2)] == [3, 3]
    assert [len(row.points) for row in foreign.rows(2)] == [5, 5]


# ---- the curve ----


@pytest.mark.parametrize("under", ["model", "uniform"])
def test_figure_1_and_tic_tac_toe_are_proven_for_every_small_budget(under):
    for model, most in ((oddly.examples.pregnancy(), 3), (oddly.examples.tic_tac_toe(), 3)):
        curve = scorecard(model).curve(most, under, seconds=120)
        assert curve.least
        assert all(budget.bound == budget.probability for budget in curve)
        assert repr(curve).startswith("The best cards, under")


@pytest.mark.skipif(not VOTES.exists(), reason="the UCI data are not here")
def test_the_votes_are_proven_up_to_three_points_and_better_than_going_attribute_by_attribute():
    answer = scorecard(oddly.learn(VOTES, target="class", positive="republican"))
    curve = answer.curve(3, seconds=300)
    assert [(b.count, b.least) for b in curve] == [(7047, True), (3723, True), (2277, True)]
    assert [b.count for b in answer.curve(3, "uniform", seconds=300)] == [6799, 3723, 2277]


@settings(max_examples=10, deadline=None)
@given(strategies.naive_bayes(), st.sampled_from(["model", "uniform"]))
def test_a_curve_never_rises_and_ends_where_nothing_changes(model, under):
    curve = scorecard(model).curve(3, under, seconds=60)
    likely = [budget.probability for budget in curve]
    assert likely == sorted(likely, reverse=True)
    assert all(budget.bound <= budget.probability for budget in curve)
    assert all(budget.count for budget in curve[:-1]) if len(curve) > 1 else True


def test_under_a_network_too_the_least_is_the_least_of_all_cards():
    flags = ["yes", "no"]
    tables = [
        [["0.8", "0.2"], ["0.4", "0.6"]],
        [["0.9", "0.1"], ["0.3", "0.7"], ["0.6", "0.4"], ["0.5", "0.5"]],
        [["0.7", "0.3"], ["0.2", "0.8"], ["0.1", "0.9"], ["0.6", "0.4"]],
    ]
    children = [Node(f"A{i}", flags, ["C", f"A{i - 1}"] if i else ["C"], rows) for i, rows in enumerate(tables)]
    network = Network([Node("C", flags, [], [["0.4", "0.6"]]), *children])
    odd = oddly.compile(network.classifier(class_="C", positive="yes", attributes=[n.name for n in children]))
    joint = {}
    for label in odd.labels:
        for instance, p in oddly.instances(odd, label):
            joint[tuple(v.index(instance[v.name]) for v in odd.variables)] = Fraction(p)
    each = [joint[x] for x in product(*(range(arity) for arity in odd.arities))]
    for budget in (1, 2):
        found = Least(odd, measure_of(odd, "model")).proof(budget, NOTHING)
        assert found.least
        assert float(found.loss) == pytest.approx(float(least_by_enumeration(odd, each, budget)), abs=1e-12)


def test_without_time_the_best_found_is_not_called_the_least():
    curve = scorecard(oddly.examples.tic_tac_toe()).curve(1, seconds=1e-9, tries=1)
    assert not curve.least
    assert curve[0].bound == 0.0
    assert repr(curve).startswith("The best cards found, under the model:")
    assert repr(curve[0]).endswith("; not proven least")


def test_what_any_card_changes_at_least_is_said_rounded_down():
    budget = scorecard(oddly.examples.pregnancy()).curve(1)[0]
    fields = {name: getattr(budget, name) for name in ("largest", "card", "count", "instances", "under")}
    told = type(budget)(**fields, probability=0.2, least=False, bound=0.0567891)
    assert told.likely() == "0.2; any such card changes at least 0.05678"
    assert told.to_json()["bound"] == 0.0567891


def test_what_cannot_be_proven_within_reason_is_found_all_the_same(monkeypatch):
    monkeypatch.setattr("oddly.questions.scorecard.endings.MOST_BYTES", 0)
    (budget,) = scorecard(oddly.examples.pregnancy()).curve(1)
    assert (budget.count, budget.least, budget.bound) == (1, False, 0.0)
    monkeypatch.undo()
    monkeypatch.setattr("oddly.questions.scorecard.setting.MOST_ROWS", 0)
    assert scorecard(oddly.examples.pregnancy()).curve(1)[0].bound == 0.0


def test_progress_may_stop_the_work():
    def stop(what, done, total):
        if what == "budgets":  # before those, there is a diagram
            assert (done, total) == (0, 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scorecard(oddly.examples.tic_tac_toe()).curve(2, progress=stop)


@pytest.mark.parametrize("wrong", ["a", 0, -1, float("nan"), True])
def test_a_time_limit_is_a_number_of_seconds(wrong):
    with pytest.raises(ModelError, match="seconds: expected"):
        scorecard(oddly.examples.pregnancy(), seconds=wrong)
    with pytest.raises(ModelError, match="seconds"):
        scorecard(oddly.examples.pregnancy()).curve(2, seconds=wrong)


@pytest.mark.parametrize("wrong", ["a", None, -1, 0.5, True, []], ids=repr)
def test_tries_seeds_and_points_are_whole_numbers(wrong):
    for name in ("tries", "seed"):
        with pytest.raises(ModelError, match=f"{name}: expected a whole number from 0 on, found"):
            scorecard(oddly.examples.pregnancy()).curve(1, **{name: wrong})
    if wrong is not None:
        with pytest.raises(ModelError, match="max_points: expected a whole number from 0 on, found"):
            scorecard(oddly.examples.pregnancy(), max_points=wrong)


def test_a_curve_is_not_drawn_under_rows():
    with pytest.raises(Unsupported, match="not under the rows"):
        scorecard(oddly.examples.pregnancy()).curve(1, [{"U": "+ve", "B": "+ve", "S": "+ve"}])
