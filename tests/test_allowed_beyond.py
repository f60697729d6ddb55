# SPDX-License-Identifier: Apache-2.0
"""How far numbers may move in networks and among many classes: every end is tried, and just past it something changes."""

from fractions import Fraction
from math import exp, isinf, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.model import Network, NetworkClassifier, Node, Scoreboard, Tally
from oddly.questions.allowed.families import AllowedZone
from test_beyond import decides, joint, networks, tree
from test_multiclass import exam, most_probable, scoreboards, winners

TINY = Fraction(1, 10**9)


def decisions(model):
    return [decides(model, joint(model, instance), "negative") for instance in oracle.instances(model)]


def tries(found):
    """Numbers at the ends of a range, a little to each side of them, and well inside."""
    low, high = found.exact
    numbers = [Fraction(found.now)]
    for end in (low, high):
        if not isinf(end):
            end = Fraction(end)
            numbers += [end, end - TINY, end + TINY]
    return numbers


def with_row(row, at, q):
    """The row with one number changed, while the others keep their proportions."""
    rest = sum(row) - row[at]
    return [q if i == at else p * (sum(row) - q) / rest for i, p in enumerate(row)]


def with_entry(model, name, row, at, q):
    """The classifier with one probability changed, the others of its row in proportion."""
    nodes = []
    for node in model.network.nodes:
        if node.name == name:
            table = list(node.table)
            table[row] = with_row(table[row], at, q)
            node = Node(node.name, node.values, node.parents, table)
        nodes.append(node)
    return model.replace(network=Network(nodes))


class TestNetworks:
    @given(model=networks(most=4))
    @settings(max_examples=40, deadline=None)
    def test_a_probability_moves_up_to_what_blocks_it(self, model):
        before = decisions(model)
        answer = oddly.allowed(model)
        for name, table in answer.entries.items():
            node = model.network.node(name)
            assert len(table) == len(node.table)
            for row, ranges in enumerate(table.values()):
                for at, found in enumerate(ranges.values()):
                    total = sum(node.table[row])
                    if found is None:
                        assert node.table[row][at] in (0, total)
                        continue
                    assert found.now == pytest.approx(float(node.table[row][at]))
                    for q in tries(found):
                        if 0 < q < total:
                            same = decisions(with_entry(model, name, row, at, q)) == before
                            assert same == (q in found), (name, row, at, q, found)

    @given(model=networks(most=5))
    @settings(max_examples=40, deadline=None)
    def test_the_prior_and_the_threshold_move_up_to_what_blocks_them(self, model):
        before = decisions(model)
        answer = oddly.allowed(model)
        node = model.network.node(model.class_name)
        if isinstance(answer, AllowedZone):
            ranges = dict(answer.prior)
        else:
            ranges = {model.positive: answer.prior and answer.prior.probability}
            if answer.threshold is not None:
                for p in tries(answer.threshold.probability):
                    if 0 < p < 1:
                        same = decisions(model.replace(threshold=p)) == before
                        assert same == (p in answer.threshold.probability)
        for value, found in ranges.items():
            if found is not None:
                at = node.values.index(value)
                for q in tries(found):
                    if 0 < q < sum(node.table[0]):
                        same = decisions(with_entry(model, node.name, 0, at, q)) == before
                        assert same == (q in found)

    def test_a_blocking_case_is_named_and_becomes_what_it_says(self):
        model = tree(11, 6)
        answer = oddly.allowed(model)
        name, row = "A3", next(iter(answer.entries["A3"]))
        found = answer.entries[name][row]["0"]
        at = list(answer.entries[name]).index(row)
        for block, q in ((found.below, found.exact[0] - TINY), (found.above, found.exact[1] + TINY)):
            if block is not None:
                changed = with_entry(model, name, at, 0, q)
                label = decides(changed, joint(changed, block.instance), "negative")
                assert model.labels[label] == block.becomes
                assert list(oddly.compile(model).classify([block.instance])) != [block.becomes]

    def test_a_naive_network_gives_the_numbers_of_the_naive_bayes(self):
        """The same classifier once as a chain whose links say nothing: its ranges are those of the paper."""
        naive = oddly.examples.pregnancy()
        nodes = [Node("P", naive.class_values, [], [naive.prior])]
        for i, a in enumerate(naive.attributes):
            rows = [a.given[c] for c in naive.class_values]
            above = [naive.attributes[i - 1].name] if i else []
            table = [row for row in rows for _ in range(2 ** len(above))]
            nodes.append(Node(a.name, a.values, ["P", *above], table))
        names = [a.name for a in naive.attributes]
        answer = oddly.allowed(NetworkClassifier(Network(nodes), "P", names, "yes", naive.threshold))
        wanted = oddly.allowed(naive)
        for side in ("prior", "threshold"):
            assert getattr(answer, side).exact == pytest.approx(getattr(wanted, side).exact)
            assert getattr(answer, side).probability.exact == getattr(wanted, side).probability.exact
        assert (answer.alpha, answer.beta) == pytest.approx((wanted.alpha, wanted.beta))
        assert answer.entries["U"] == wanted.entries["U"]

    def test_with_hidden_variables_the_prior_still_has_its_range(self):
        nodes = [
            Node("C", ["p", "q"], [], [["0.6", "0.4"]]),
            Node("H", ["x", "y"], ["C"], [["0.7", "0.3"], ["0.2", "0.8"]]),
            Node("A", ["x", "y"], ["H"], [["0.9", "0.1"], ["0.4", "0.6"]]),
            Node("B", ["x", "y"], ["H"], [["0.8", "0.2"], ["0.3", "0.7"]]),
        ]
        model = NetworkClassifier(Network(nodes), "C", ["A", "B"])
        answer = oddly.allowed(model)
        assert answer.entries.keys() == {"H", "A", "B"}
        found = answer.prior.probability
        before = oddly.compile(model, ["A", "B"])
        for q in tries(found):
            assert (oddly.compile(with_entry(model, "C", 0, 0, q), ["A", "B"]) == before) == (q in found)

    def test_a_class_with_parents_has_entries_and_no_prior(self):
        table = [["0.9", "0.1"], ["0.2", "0.8"]]
        nodes = [Node("A", ["x", "y"], [], [["0.5", "0.5"]]), Node("C", ["p", "q"], ["A"], table)]
        answer = oddly.allowed(NetworkClassifier(Network(nodes), "C", ["A"]))
        assert answer.prior is None
        assert answer.entries["C"]["A=x"]["p"].interval() == "[0.500, 1)"
        assert answer.entries["C"]["A=y"]["p"].interval() == "(0, 0.500)"
        assert "cannot move" not in repr(answer)


class TestManyClasses:
    @given(model=most_probable(), data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_priors_in_the_zone_and_no_others_keep_every_decision(self, model, data):
        assume(all(model.prior))
        answer = oddly.allowed(model)
        before = winners(model)
        counts = data.draw(st.lists(st.integers(1, 30), min_size=len(model.prior), max_size=len(model.prior)))
        prior = [Fraction(c, sum(counts)) for c in counts]
        inside, near = True, False
        for i, a in enumerate(model.class_values):
            for j, b in enumerate(model.class_values):
                if i != j:
                    found, ratio = answer.zone[a][b], log(prior[i] / prior[j])
                    near |= min(abs(ratio - found.low), abs(ratio - found.high)) < 1e-9
                    inside &= found.low < ratio < found.high
        if not near:
            assert inside == bool(np.array_equal(winners(model.replace(prior=prior)), before))

    @given(model=most_probable())
    @settings(max_examples=25, deadline=None)
    def test_each_prior_moves_up_to_what_blocks_it(self, model):
        before = winners(model)
        for at, found in enumerate(oddly.allowed(model).prior.values()):
            if found is None:
                assert model.prior[at] in (0, 1)
                continue
            for q in tries(found):
                if 0 < q < 1:
                    same = np.array_equal(winners(model.replace(prior=with_row(model.prior, at, q))), before)
                    assert same == (q in found)

    @given(model=scoreboards())
    @settings(max_examples=40, deadline=None)
    def test_points_move_up_to_what_blocks_them(self, model):
        before = winners(model)
        answer = oddly.allowed(model)
        for c, found in enumerate(answer.prior.values()):
            for q in _tried_points(found):
                points = [q if i == c else p for i, p in enumerate(model.intercept)]
                assert np.array_equal(winners(model.replace(intercept=points)), before) == (q in found)
        for a, tally in enumerate(model.attributes[:2]):
            for v, value in enumerate(tally.values[:2]):
                for c, label in enumerate(model.class_values[:2]):
                    found = answer.weights[tally.name][value][label]
                    for q in _tried_points(found):
                        changed = _with_points(model, a, v, c, q)
                        assert np.array_equal(winners(changed), before) == (q in found)

    def test_it_speaks_and_turns_into_json(self):
        answer = oddly.allowed(exam(1, 4, 3))
        assert repr(answer).startswith("All 16 instances stay as decided while\n  Pr(C=c0) is in [")
        assert answer.to_json()["instances"] == "16"
        assert set(answer.to_json()["zone"]) == {"c0", "c1", "c2"}
        zone = answer.zone["c0"]["c1"]
        assert exp(zone.now) == pytest.approx(float(exam(1, 4, 3).prior[0] / exam(1, 4, 3).prior[1]))


def _tried_points(found):
    ends = [Fraction(end) for end in found.exact if not isinf(end)]
    small = Fraction(1, 10**12)
    return [*ends, *(end - small for end in ends), *(end + small for end in ends)]


def _with_points(model, a, v, c, q):
    tally = model.attributes[a]
    points = [list(row) for row in tally.points]
    points[v][c] = q
    changed = [*model.attributes]
    changed[a] = Tally(tally.name, tally.values, points)
    return Scoreboard(changed, model.class_values, model.intercept, model.class_name)


def test_a_class_below_others_has_no_prior_and_says_so():
    coin = Node("coin", ["h", "t"], [], [["0.4", "0.6"]])
    for values in (["x", "y"], ["x", "y", "z"]):
        most = [[f"{3 + (i == j)}/{3 * len(values) + 1}" for j in range(len(values))] for i in range(2)]
        target = Node("C", values, ["coin"], most)
        seen = Node("A", ["a", "b"], ["C"], [[f"0.{7 - 2 * i}", f"0.{3 + 2 * i}"] for i in range(len(values))])
        network = Network([coin, target, seen])
        hidden = oddly.allowed(NetworkClassifier(network, "C", ["A"]))
        open_ = oddly.allowed(NetworkClassifier(network, "C", ["A", "coin"]))
        assert "0 or 1" not in f"{hidden} {open_}"
        assert "Pr(C=" not in f"{hidden} {open_}"
        if len(values) == 3:
            assert repr(hidden).endswith("no prior to move; the ranges of single probabilities are in entries.")
            assert repr(open_).endswith("no prior to move; the ranges of single probabilities are in entries.")
