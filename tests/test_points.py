# SPDX-License-Identifier: Apache-2.0
"""Whole-number cards: exact, smallest, or impossible, against enumeration of all cards."""

import json
import sys
from collections import Counter
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
import strategies
from oddly import CPT, ODD, NaiveBayes, Points, Scorecard, TooLarge, Unsupported
from oddly.cli.numbers import scorecard as scorecard_command
from oddly.cli.options import Build, Limits
from oddly.diagram.canonical import canonical
from oddly.model import Network, Node, Variable
from oddly.questions.scorecard.cases import Unknowns
from oddly.questions.scorecard.question import scorecard

pytest.importorskip("scipy", reason="cards are found with SciPy")

SHAPE = (2, 3, 3)
CHAIN = [
    [["0.8", "0.2"], ["0.4", "0.6"]],
    [["0.9", "0.1"], ["0.3", "0.7"], ["0.6", "0.4"], ["0.5", "0.5"]],
    [["0.7", "0.3"], ["0.2", "0.8"], ["0.1", "0.9"], ["0.6", "0.4"]],
    [["0.5", "0.5"], ["0.9", "0.1"], ["0.4", "0.6"], ["0.2", "0.8"]],
]
VOTES = Path(__file__).parents[1] / "../shared/data/uci/votes.csv"


def diagram(table, shape, labels=("no", "yes")):
    """The diagram of a table of decisions, the last attribute's value changing fastest."""
    levels, nodes = [], 1
    for k, arity in enumerate(shape):
        last = k == len(shape) - 1
        children = np.asarray(table) if last else np.arange(nodes * arity)
        levels.append(children.reshape(nodes, arity).astype(np.uint32))
        nodes *= arity
    levels, root = canonical(levels, 0, len(labels), [None] * len(shape))
    variables = [Variable(f"A{i}", tuple(f"v{j}" for j in range(b))) for i, b in enumerate(shape)]
    return ODD(tuple(variables), tuple(labels), levels, root, tuple(range(len(shape))))


def smallest_by_enumeration(shape, most):
    """For every table of decisions that some card with points up to `most` makes: its least (largest, total)."""
    found = {}
    rows = [list(product(range(most + 1), repeat=b)) for b in shape]
    for card in product(*rows):
        size = (max(map(max, card)), sum(map(sum, card)))
        sums = np.array([0])
        for row in card:
            sums = np.add.outer(sums, row).ravel()
        for cutoff in range(sums.max() + 2):
            key = tuple((sums >= cutoff).astype(int))
            found[key] = min(found.get(key, size), size)
    return found


def assert_a_conflict(answer, odd):
    """The two sides have every value equally often, and are decided as said."""
    values = Counter()
    for case in answer.conflict:
        assert odd.classify([case.instance])[0] == case.decision
        for feature in case.instance.items():
            values[feature] += case.times * (1 if case.decision == answer.positive else -1)
    assert answer.conflict
    assert not any(values.values())


def test_figure_1_is_two_points_for_s_and_one_for_each_of_the_others():
    answer = scorecard(oddly.examples.pregnancy())
    assert answer.rows() == [
        (a, v, p * (v == "+ve")) for a, p in [("U", 1), ("B", 1), ("S", 2)] for v in ("+ve", "-ve")
    ]
    assert (answer.card.cutoff, answer.largest, answer.total, answer.smallest) == (2, 2, 4, True)
    assert repr(answer).startswith("yes from 2 points: the same decisions on all 8 instances.")
    assert bool(answer)


def test_of_the_256_decisions_on_three_bits_104_have_a_card_and_each_card_is_the_smallest():
    """104 is the number of threshold functions of three variables. Half are tried: the others are their negations."""
    known = smallest_by_enumeration((2, 2, 2), 2)
    exist = 0
    for table in product((0,), *[(0, 1)] * 7):
        odd = diagram(table, (2, 2, 2))
        answer = scorecard(odd)
        exist += answer.exists
        assert answer.decided
        if answer.exists:
            assert (answer.largest, answer.total) == known[table]
        else:
            assert table not in known
            assert_a_conflict(answer, odd)
    assert 2 * exist == 104


@pytest.fixture(scope="module")
def small_cards():
    return smallest_by_enumeration(SHAPE, 2)


@settings(max_examples=40, deadline=None)
@given(place=st.integers(0, 10**6))
def test_a_card_of_small_points_is_found_again_or_a_smaller_one(place, small_cards):
    table = sorted(small_cards)[place % len(small_cards)]
    answer = scorecard(diagram(table, SHAPE))
    assert (answer.largest, answer.total, answer.smallest) == (*small_cards[table], True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**18 - 1))
def test_any_table_has_a_card_or_a_conflict(bits):
    odd = diagram([bits >> i & 1 for i in range(prod(SHAPE))], SHAPE)
    answer = scorecard(odd)
    assert answer.decided
    if answer.exists:
        assert oddly.compare(odd, answer.card)
    else:
        assert_a_conflict(answer, odd)
        assert "every value equally often" in repr(answer)


@settings(max_examples=40, deadline=None)
@given(strategies.classifiers(), st.sampled_from(["negative", "positive"]))
def test_every_card_decides_as_its_model_by_the_definition(model, impossible):
    """Ties, zeros, impossible instances, one-valued attributes, thresholds of 0 and 1."""
    answer = scorecard(oddly.compile(model, impossible=impossible), seconds=20)
    if answer.exists:
        assert (oracle.decisions(answer.card) == oracle.decisions(model, impossible)).all()
        assert answer.bound <= answer.largest
        assert all(min(a.points) == 0 for a in answer.card.attributes)
        assert all(p.denominator == 1 for a in answer.card.attributes for p in a.points)
    else:  # only zeros at a threshold of 0 or 1 decide in a way that no sum can
        assert model.threshold in (0, 1)
        assert_a_conflict(answer, oddly.compile(model, impossible=impossible))


def test_infinite_weights_become_points_that_outweigh_all_others():
    model = NaiveBayes(
        "C",
        ["yes", "no"],
        ["1/2", "1/2"],
        [
            CPT("never", ["a", "b"], {"yes": [0, 1], "no": ["1/2", "1/2"]}),
            CPT("always", ["a", "b"], {"yes": ["1/2", "1/2"], "no": [0, 1]}),
            CPT("some", ["a", "b"], {"yes": ["0.6", "0.4"], "no": ["0.3", "0.7"]}),
        ],
    )
    for impossible in ("negative", "positive"):
        answer = scorecard(oddly.compile(model, impossible=impossible))
        assert answer.smallest
        assert (oracle.decisions(answer.card) == oracle.decisions(model, impossible)).all()


def test_what_only_zeros_decide_may_have_no_card():
    """At a threshold of 0 whatever is possible is positive: impossible are the pairs that contradict each other."""
    zeros = {"yes": [0, "1/2", "1/2"], "no": ["1/2", 0, "1/2"]}
    names = ["not yes", "not no", "either"]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [CPT(n, names, zeros) for n in ("A", "B")], threshold=0)
    answer = scorecard(model)
    assert answer.exists is False
    assert not answer
    assert_a_conflict(answer, oddly.compile(model))


def least_largest_by_potentials(odd):
    """The mixed-integer programme with two potentials per node, which writes no case down at all."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    starts = np.cumsum([0, *odd.arities])
    firsts = starts[-1] + 2 + np.cumsum([0, *odd.widths])
    cutoff, largest, size = starts[-1], starts[-1] + 1, firsts[-1] + sum(odd.widths)
    able, potential = [np.array([i == label for i in (0, 1)]) for label in (0, 1)], (firsts, firsts + sum(odd.widths))
    rows, low = [], []

    def at_least(bound):
        rows.append(np.zeros(size))
        low.append(bound)
        return rows[-1]

    for depth in reversed(range(len(odd.levels))):
        for label, sign in ((1, 1), (0, -1)):  # A <= points + A of the child; B >= points + B of the child
            for node, value in product(range(odd.widths[depth]), range(odd.arities[depth])):
                child = odd.levels[depth][node, value]
                if able[label][child]:
                    row = at_least(0)
                    row[starts[depth] + value] += sign
                    row[potential[label][depth + 1] + child] += sign
                    row[potential[label][depth] + node] -= sign
        able = [reach[odd.levels[depth]].any(axis=1) for reach in able]
    for label, sign, bound in ((1, 1, 0), (0, -1, 1)):
        row = at_least(bound)
        row[potential[label][0] + odd.root], row[cutoff] = sign, -sign
    for i in range(starts[-1]):
        row = at_least(0)
        row[largest], row[i] = 1, -1
    lows, highs = np.zeros(size), np.full(size, np.inf)
    lows[firsts[0] :] = -np.inf
    for label in (0, 1):
        sink = potential[label][len(odd.levels)] + label
        lows[sink] = highs[sink] = 0
    whole = np.append(np.ones(largest + 1), np.zeros(size - largest - 1))
    cost = (np.arange(size) == largest).astype(float)
    found = milp(cost, constraints=LinearConstraint(np.array(rows), low), integrality=whole, bounds=Bounds(lows, highs))
    return round(found.fun)


def test_where_the_best_fractions_are_not_whole_branching_finds_the_least_and_proves_it():
    points = [[0, 130, 57, 100], [0, 32, 33, 12], [0, 195, 92, 111], [0, 154, 21, 75], [0, 38, 190, 16]]
    card = Scorecard([Points(f"A{i}", list("wxyz"), row) for i, row in enumerate(points)], cutoff=322)
    answer = scorecard(card)
    assert (answer.largest, answer.smallest) == (63, True)
    assert least_largest_by_potentials(oddly.compile(card)) == 63
    assert scorecard(card, max_points=62).exists is False
    assert scorecard(card, max_points=63).largest == 63


def test_the_programme_over_nodes_agrees():
    for model in (oddly.examples.pregnancy(), oddly.examples.tic_tac_toe()):
        assert scorecard(model).largest == least_largest_by_potentials(oddly.compile(model))


def test_classifiers_that_decide_everything_alike_have_a_card_of_zeros():
    for cutoff, table in ((0, [1] * 4), (1, [0] * 4)):
        answer = scorecard(diagram(table, (2, 2)))
        assert (answer.largest, answer.total, answer.card.cutoff, answer.smallest) == (0, 0, cutoff, True)
    for prior, cutoff in (("0.9", 0), ("0.1", 1)):
        answer = scorecard(NaiveBayes("C", ["yes", "no"], [prior, "0.1" if prior == "0.9" else "0.9"], []))
        assert (answer.rows(), answer.card.cutoff) == ([], cutoff)


def test_values_that_decide_alike_share_an_unknown():
    odd = diagram([0, 0, 1, 0, 0, 1, 1, 1, 1], (3, 3))
    assert [len(set(row)) for row in Unknowns.of(odd).numbers] == [2, 2]
    assert scorecard(odd).total == 2


def test_of_many_labels_one_is_named():
    odd = diagram([0, 1, 1, 2], (2, 2), ("low", "middle", "high"))
    with pytest.raises(Unsupported, match="label='low'"):
        scorecard(odd)
    assert scorecard(odd, label="high").card.cutoff == 2
    assert scorecard(odd, label="low").exists
    assert_a_conflict(scorecard(odd, label="middle"), odd.is_("middle"))


def test_the_other_decision_can_be_the_one_that_earns_points():
    answer = scorecard(oddly.examples.pregnancy(), label="no")
    assert answer.positive == "no"
    assert {(a, v): p for a, v, p in answer.rows()}["S", "-ve"] == 2


def test_without_time_nothing_is_claimed():
    answer = scorecard(oddly.examples.tic_tac_toe(), seconds=1e-9)
    assert (answer.exists, answer.decided, answer.smallest) == (None, False, False)
    with pytest.raises(TooLarge, match="seconds"):
        bool(answer)
    assert repr(answer).startswith("Undecided: time ran out.")


def test_points_too_large_to_search_still_decide_exactly_and_say_what_is_known():
    rows = [[0, 3**i] for i in range(14)]
    card = Scorecard([Points(f"A{i}", ["x", "y"], row) for i, row in enumerate(rows)], cutoff=(3**14 - 1) // 4)
    answer = scorecard(card)
    assert answer.exists
    assert answer.bound <= answer.largest <= 3**13
    assert answer.smallest or answer.gave_up


def test_without_scipy_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(Unsupported, match="pip install scipy"):
        scorecard(oddly.examples.pregnancy())


@pytest.mark.skipif(not VOTES.exists(), reason="the UCI data are not here")
def test_the_votes_need_2457_points_to_be_exact():
    answer = scorecard(oddly.learn(VOTES, target="class", positive="republican"))
    assert (answer.largest, answer.total, answer.smallest) == (2457, 15771, True)
    assert scorecard(oddly.learn(VOTES, target="class", positive="republican"), max_points=2456).exists is False
    curve = answer.curve(3, tries=2)
    assert [b.probability for b in curve] == sorted((b.probability for b in curve), reverse=True)
    assert curve[2].probability < 0.001


# ---- the curve ----


@settings(max_examples=15, deadline=None)
@given(strategies.naive_bayes(zeros=False), st.sampled_from(["model", "uniform"]))
def test_what_a_budget_changes_is_what_enumeration_says(model, under):
    curve = scorecard(model).curve(2, under, tries=1)
    right = oracle.decisions(model)
    for budget in curve:
        changed = oracle.decisions(budget.card) != right
        assert budget.count == changed.sum()
        assert max((p for a in budget.card.attributes for p in a.points), default=0) <= budget.largest
        assert budget.probability == pytest.approx(float(chance(model, changed, under)))


def chance(model, chosen, under):
    if under == "uniform":
        return chosen.mean()
    total = 0
    for instance, here in zip(oracle.instances(model), chosen, strict=True):
        for label, prior in zip(model.class_values, model.prior, strict=True):
            given = [a.given[label][a.values.index(instance[a.name])] for a in model.attributes]
            total += here * prior * prod(given)
    return total


@pytest.mark.parametrize("budget", [1, 2])
def test_the_best_found_is_the_best_of_all_on_small_models(budget):
    model = NaiveBayes(
        "C",
        ["yes", "no"],
        ["0.4", "0.6"],
        [
            CPT("A", ["x", "y", "z"], {"yes": ["0.5", "0.3", "0.2"], "no": ["0.2", "0.2", "0.6"]}),
            CPT("B", ["x", "y"], {"yes": ["0.7", "0.3"], "no": ["0.2", "0.8"]}),
            CPT("D", ["x", "y"], {"yes": ["0.35", "0.65"], "no": ["0.6", "0.4"]}),
        ],
    )
    right = oracle.decisions(model)
    tables = smallest_by_enumeration((3, 2, 2), budget)
    best = min(float(chance(model, np.array(t, bool) != right, "model")) for t in tables)
    assert scorecard(model).curve(budget)[-1].probability == pytest.approx(best)


def test_a_curve_ends_where_nothing_changes_and_is_drawn_for_what_has_no_card():
    curve = scorecard(oddly.examples.pregnancy()).curve()
    assert [b.count for b in curve] == [1, 0]
    assert curve
    assert repr(curve).splitlines()[-1] == "  points up to 2: yes from 2 points; changes nothing"
    either_or = scorecard(diagram([0, 1, 1, 0], (2, 2))).curve(2)
    assert [b.count for b in either_or] == [1, 1]
    assert not either_or


def test_under_a_network_a_changed_decision_is_as_likely_as_the_network_says():
    flags = ["yes", "no"]
    children = [Node(f"A{i}", flags, ["C", f"A{i - 1}"] if i else ["C"], rows) for i, rows in enumerate(CHAIN)]
    network = Network([Node("C", flags, [], [["0.4", "0.6"]]), *children])
    odd = oddly.compile(network.classifier(class_="C", positive="yes", attributes=[n.name for n in children]))
    for budget in scorecard(odd).curve(2):
        changed = 0.0
        for label in odd.labels:
            for instance, p in oddly.instances(odd, label):
                changed += p * (oracle.decides(budget.card, instance) != (label == "yes"))
        assert budget.probability == pytest.approx(changed)


# ---- the command ----


def test_the_command_prints_a_table_for_a_clerk(capsys):
    assert scorecard_command(Path("example:pregnancy")) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split() for line in out[3:6]] == [["attribute", "value", "points"], ["U", "+ve", "1"], ["-ve", "0"]]
    assert repr(oddly.scorecard(oddly.examples.pregnancy())).splitlines()[1:3] == ["  U  +ve  1", "     -ve  0"]


def test_the_command_says_no_with_exit_code_1_and_undecided_with_3(capsys, tmp_path):
    output = tmp_path / "card.json"
    assert scorecard_command(Path("example:tic-tac-toe"), max_points=5, output=output) == 1
    assert not output.exists()
    assert scorecard_command(Path("example:tic-tac-toe"), build=Build(limits=Limits(seconds=1e-9)), as_json=True) == 3
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["exists"] is None


def test_the_command_writes_a_model_or_a_table(capsys, tmp_path):
    assert scorecard_command(Path("example:pregnancy"), output=tmp_path / "card.json", as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["card"]["cutoff"], told["card"]["points"]["S"], told["instances"]) == (2, {"+ve": 2, "-ve": 0}, "8")
    assert oddly.compare(oddly.examples.pregnancy(), tmp_path / "card.json")
    assert scorecard_command(Path("example:pregnancy"), curve=1, output=tmp_path / "card.csv") == 0
    assert "1 of 8 instances  0.02722, proven least" in capsys.readouterr().out
    assert oddly.compare(oddly.examples.pregnancy(), tmp_path / "card.csv").count == 1  # it reads back as a model
    assert (tmp_path / "card.csv").read_text().splitlines()[0] == "attribute,value,points"
