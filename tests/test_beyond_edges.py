# SPDX-License-Identifier: Apache-2.0
"""Where networks and many classes come to an edge: limits, wide frontiers, missing witnesses, forged files."""

import random
from fractions import Fraction
from itertools import product

import pytest

import oddly
import oracle
from oddly import NaiveBayes, compiler
from oddly.diagram.sources import Tabled
from oddly.diagram.store import _header
from oddly.engine import plan
from oddly.lowering import frontiers, smallest_frontier
from oddly.lowering import models as lowering_module
from oddly.model import Network, NetworkClassifier, Node
from test_beyond import decides, hidden_masses, joint
from test_store import forged


def tree(attributes, seed, classes=2):
    """Every attribute hangs on the class and on one before it, chosen at random."""
    rng = random.Random(seed)
    values = [f"c{i}" for i in range(classes)]

    def row(size):
        numbers = [rng.randint(1, 50) for _ in range(size)]
        return [Fraction(n, sum(numbers)) for n in numbers]

    nodes = [Node("C", values, [], [row(classes)]), Node("A0", ["x", "y"], ["C"], [row(2) for _ in values])]
    for i in range(1, attributes):
        parents = ["C", f"A{rng.randrange(i)}"]
        nodes.append(Node(f"A{i}", ["x", "y"], parents, [row(2) for _ in range(2 * classes)]))
    return NetworkClassifier(Network(nodes), "C", [f"A{i}" for i in range(attributes)])


@pytest.mark.parametrize("seed", range(5))
def test_of_a_tree_no_more_than_log_n_attributes_are_remembered(seed):
    rng = random.Random(seed)
    scopes = [(rng.randrange(i), i) for i in range(1, 64)]
    order = smallest_frontier([2] * 64, scopes, [0.0] * 64)
    place = {a: depth for depth, a in enumerate(order)}
    moved = [sorted(place[a] for a in scope) for scope in scopes]
    assert sorted(order) == list(range(64))
    assert max(map(len, frontiers(moved, 64))) <= 6


def test_contexts_that_do_not_fit_are_named_before_they_are_made():
    with pytest.raises(oddly.TooLarge, match=r"combinations of the values of A\d+, .* to be told apart at attribute"):
        oddly.compile(tree(80, 1), "random:1")
    with pytest.raises(oddly.TooLarge, match="more than 1 MB hold"):
        oddly.compile(tree(60, 1), "random:1", max_memory=1_000_000)


def test_contexts_are_told_apart_where_only_one_class_is_possible():
    """No two classes are left to compare, and still what two attributes make impossible depends on both."""
    rows = [["0", "1/3", "2/3"], ["1/2", "1/2", "0"]]
    nodes = [
        Node("C", ["p", "q"], [], [["1", "0"]]),
        Node("A", ["x", "y"], [], [["1/2", "1/2"]]),
        Node("B", ["x", "y", "z"], ["A"], rows),
    ]
    for positive, threshold in product("pq", ["0", "1/2", "1"]):
        model = NetworkClassifier(Network(nodes), "C", ["A", "B"], positive, threshold)
        for impossible in ("negative", "positive"):
            odd = oddly.compile(model, impossible=impossible)
            truth = [decides(model, joint(model, i), impossible) for i in oracle.instances(model)]
            assert odd.decide(oracle.codes(model)).tolist() == truth
            assert odd.certificate.proven


def test_ties_among_too_many_numbers_for_a_witness_are_proven_in_wider_ones(monkeypatch):
    """Two classes alike in all but one value, neither table nor witness at 64 bits."""
    monkeypatch.setattr(lowering_module, "WITNESSES", 0)
    monkeypatch.setattr(plan, "SMALL", 0)
    attributes = [
        oddly.CPT(f"A{i}", ["x", "y"], {"p": ["1/3", "2/3"], "q": ["2/3", "1/3"], "r": ["1/3", "2/3"]})
        for i in range(4)
    ]
    model = NaiveBayes("C", ["p", "q", "r"], ["1/3", "1/3", "1/3"], attributes)
    odd = oddly.compile(model)
    posteriors = [model.posterior(i) for i in oracle.instances(model)]
    assert odd.source.bits == 128
    assert odd.certificate.proven
    assert odd.certificate.ties == sum(p.count(max(p)) > 1 for p in posteriors)
    assert odd.decide(oracle.codes(model)).tolist() == [p.index(max(p)) for p in posteriors]


def test_more_classes_than_a_byte_holds_are_decided_in_a_table_and_kept_in_a_file(tmp_path, monkeypatch):
    values = [f"c{i}" for i in range(300)]
    prior = [Fraction(i + 1, 300 * 301 // 2) for i in range(300)]
    given_class = [["9/10", "1/10"] if i < 290 else ["1/1000", "999/1000"] for i in range(300)]
    nodes = [
        Node("C", values, [], [prior]),
        Node("H", ["x", "y"], ["C"], given_class),
        Node("A", ["x", "y"], ["H"], [["3/4", "1/4"], ["1/8", "7/8"]]),
        Node("B", ["x", "y"], ["H"], [["3/4", "1/4"], ["1/8", "7/8"]]),
    ]
    model = NetworkClassifier(Network(nodes), "C", ["A", "B"])
    truth = [(m := hidden_masses(model, i)).index(max(m)) for i in oracle.instances(model)]
    assert max(truth) > 255
    monkeypatch.setattr(plan, "LARGE", 0)
    odd = oddly.compile(model)
    assert isinstance(odd.source, Tabled)
    assert odd.decide(oracle.codes(model)).tolist() == truth
    odd.save(tmp_path / "many.odd")
    assert oddly.load(tmp_path / "many.odd").decide(oracle.codes(model)).tolist() == truth


class TestForgedFiles:
    def table(self, monkeypatch):
        monkeypatch.setattr(plan, "LARGE", 0)
        return oddly.compile(tree(4, 3), "as-given")

    def test_a_table_that_decides_otherwise_is_not_proven_by_its_own_word(self, tmp_path, monkeypatch):
        odd = self.table(monkeypatch)
        path = forged(odd, tmp_path / "table.odd")
        assert oddly.load(path).certificate == odd.certificate
        assert oddly.load(path).certificate.proven
        turned = [*odd.levels[:-1], 1 - odd.levels[-1]]
        with pytest.raises(oddly.FormatError, match="contradicts the model"):
            oddly.load(forged(odd, tmp_path / "table.odd", turned))

    def test_a_table_too_large_to_decide_again_is_loaded_as_not_proven(self, tmp_path, monkeypatch):
        path = forged(self.table(monkeypatch), tmp_path / "table.odd")

        def too_large(*_, **__):
            raise oddly.TooLarge("needed 9 GB")

        monkeypatch.setattr(compiler, "compile", too_large)
        loaded = oddly.load(path)
        assert not loaded.certificate.proven
        assert "could not be decided again: needed 9 GB" in loaded.unproven

    def test_what_is_impossible_has_one_of_two_names(self, tmp_path, monkeypatch):
        odd = self.table(monkeypatch)
        source = {**_header(odd)["source"], "impossible": "perhaps"}
        with pytest.raises(oddly.FormatError, match="impossible is 'perhaps'"):
            oddly.load(forged(odd, tmp_path / "table.odd", source=source))

    def test_a_diagram_without_attributes_has_the_label_of_its_prior(self, tmp_path):
        odd = oddly.compile(NaiveBayes("C", ["yes", "no"], ["0.9", "0.1"], []))
        assert oddly.load(forged(odd, tmp_path / "prior.odd")) == odd
        with pytest.raises(oddly.FormatError, match="contradicts the model"):
            oddly.load(forged(odd, tmp_path / "prior.odd", root=1 - odd.root))

    @pytest.mark.parametrize("prior", [["1/2", "1/2"], ["0", "1"]])
    def test_a_label_that_a_zero_decides_cannot_be_another(self, tmp_path, prior):
        cpt = oddly.CPT("A", ["x", "y", "z"], {"yes": ["0", "1/2", "1/2"], "no": ["1/2", "1/2", "0"]})
        odd = oddly.compile(NaiveBayes("C", ["yes", "no"], prior, [cpt]))
        for value in range(3):
            level = odd.levels[0].copy()
            level[0, value] = 1 - level[0, value]
            with pytest.raises(oddly.FormatError, match="contradicts the model"):
                oddly.load(forged(odd, tmp_path / "zero.odd", [level]))


def test_a_part_of_a_table_is_proven_by_deciding_it_again(monkeypatch):
    monkeypatch.setattr(plan, "LARGE", 0)
    model = tree(5, 8)
    part = oddly.compile(model).restrict(A1="x", A3="y")
    assert isinstance(part.source, Tabled)
    assert part.certificate.proven
    assert part == oddly.compile(model.observe({"A1": "x", "A3": "y"}), list(part.order))
