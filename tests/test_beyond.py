# SPDX-License-Identifier: Apache-2.0
"""Networks whose attributes depend on each other: trees, forests and any graph, compiled as they decide."""

import pickle
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import NaiveBayes
from oddly.diagram.sources import Tabled
from oddly.diagram.zones import certify_families
from oddly.engine import frontier, plan
from oddly.lowering import distinct, frontiers, lower_families, smallest_frontier
from oddly.lowering import models as lowering_module
from oddly.model import Network, NetworkClassifier, Node, Scoreboard, Tally
from oddly.runtime import Watch
from strategies import rows
from test_multiclass import exam, widths


@st.composite
def networks(draw, most=6):
    """Classifiers over any graph: everything is observed, parents are up to three, the class is anywhere."""
    n = draw(st.integers(1, most + 1))
    zeros = draw(st.booleans())
    names = [f"X{i}" for i in range(n)]
    nodes, sizes = [], {}
    for i, name in enumerate(names):
        parents = draw(st.lists(st.sampled_from(names[:i]), max_size=3, unique=True)) if i else []
        size = draw(st.sampled_from([1, 2, 2, 2, 3]))
        sizes[name] = size
        combinations = int(np.prod([sizes[p] for p in parents], dtype=int))
        table = [draw(rows(size, zeros)) for _ in range(combinations)]
        nodes.append(Node(name, [f"v{j}" for j in range(size)], parents, table))
    target = draw(st.sampled_from(names))
    if sizes[target] == 1:
        at = names.index(target)
        size = draw(st.integers(2, 4))
        nodes = [_resized(node, names[at], size, sizes, draw, zeros) for node in nodes]
        sizes[target] = size
    observed = [name for name in names if name != target]
    known = draw(st.sampled_from([[], [], observed[:1]]))
    evidence = {name: f"v{draw(st.integers(0, sizes[name] - 1))}" for name in known}
    return NetworkClassifier(
        Network(nodes),
        target,
        [name for name in observed if name not in evidence],
        draw(st.sampled_from(["v0", "v1"])) if sizes[target] == 2 else None,
        draw(st.sampled_from(["1/2", "1/2", "1/3", "0.9", "0", "1"])),
        draw(st.sampled_from(["positive", "negative"])),
        evidence,
    )


def _resized(node, target, size, sizes, draw, zeros):
    """The node once the target has so many values."""
    if node.name == target:
        table = [draw(rows(size, zeros)) for _ in node.table]
        return Node(node.name, [f"v{j}" for j in range(size)], node.parents, table)
    if target not in node.parents:
        return node
    wanted = int(np.prod([size if p == target else sizes[p] for p in node.parents], dtype=int))
    return Node(node.name, node.values, node.parents, [draw(rows(len(node.values), zeros)) for _ in range(wanted)])


def joint(model, instance):
    """Pr(class value, instance, evidence) for each class value, by the chain rule."""
    known = {**instance, **dict(model.evidence)}
    found = []
    for value in model.class_values:
        world = known | {model.class_name: value}
        mass = Fraction(1)
        for node in model.network.nodes:
            place = 0
            for parent in node.parents:
                values = model.network.node(parent).values
                place = place * len(values) + values.index(world[parent])
            mass *= node.table[place][node.values.index(world[node.name])]
        found.append(mass)
    return found


def decides(model, masses, impossible):
    """The place of the label, by the definition."""
    if model.positive is None:
        return masses.index(max(masses))
    if sum(masses) == 0:
        return int(impossible == "positive")
    margin = masses[model.class_values.index(model.positive)] / sum(masses) - model.threshold
    return int(margin > 0 or (margin == 0 and model.ties == "positive"))


def tied(model, masses):
    """Whether an instance could as well be decided otherwise, two classes being possible."""
    if model.positive is None:
        return max(masses) > 0 and masses.count(max(masses)) > 1
    return 0 not in masses and masses[model.class_values.index(model.positive)] == model.threshold * sum(masses)


class TestEveryNetwork:
    @given(model=networks(), impossible=st.sampled_from(["negative", "positive"]), seed=st.integers(0, 99))
    @settings(max_examples=200, deadline=None)
    def test_decides_every_instance_as_the_definition_does(self, model, impossible, seed):
        odd = oddly.compile(model, f"random:{seed}", impossible=impossible)
        masses = [joint(model, i) for i in oracle.instances(model)]
        truth = np.array([decides(model, m, impossible) for m in masses])
        assert np.array_equal(odd.decide(oracle.codes(model)), truth)
        shape = [len(v.values) for v in model.variables]
        order = [model.attributes.index(name) for name in odd.order]
        assert odd.widths == [*widths(truth.reshape(shape), order), len(odd.labels)]
        assert odd.certificate.proven
        if model.positive is None or model.threshold not in (0, 1):
            assert odd.certificate.ties == sum(tied(model, m) for m in masses)

    @given(model=networks())
    @settings(max_examples=60, deadline=None)
    def test_any_order_gives_the_same_function(self, model):
        truth = oddly.compile(model, "as-given").decide(oracle.codes(model))
        for order in ("auto", "ascending", "descending"):
            assert np.array_equal(oddly.compile(model, order).decide(oracle.codes(model)), truth)

    @given(model=networks(most=5))
    @settings(max_examples=30, deadline=None)
    def test_is_the_same_in_wide_integers_and_without_witnesses(self, model):
        wide = lower_families(model, 256)
        levels, root = frontier.build(wide, Watch())
        assert certify_families(levels, root, wide).proven
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lowering_module, "MOST_WITNESSES", 0)
            plain = lower_families(model, 256)
            assert not plain.witnessed
            found = certify_families(levels, root, plain)
            if not found.proven:  # only where something may be a tie
                assert certify_families(levels, root, wide).ties

    @given(model=networks(), data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_a_diagram_with_known_values_is_that_of_the_remaining_model(self, model, data):
        odd = oddly.compile(model)
        if not odd.order:
            return
        name = data.draw(st.sampled_from(odd.order))
        value = data.draw(st.sampled_from(model.network.node(name).values))
        rest = odd.restrict({name: value})
        again = oddly.compile(model.observe({name: value}), list(rest.order))
        assert rest == again
        assert rest.certificate.proven


def hidden_masses(model, instance):
    """Pr(class value, instance, evidence) for each class value, summed over every other variable."""
    known = {**instance, **dict(model.evidence)}
    hidden = [n for n in model.network.nodes if n.name != model.class_name and n.name not in known]
    found = [Fraction(0)] * len(model.class_values)
    for values in product(*(n.values for n in hidden)):
        world = known | {n.name: v for n, v in zip(hidden, values, strict=True)}
        found = [a + b for a, b in zip(found, joint(model, world), strict=True)]
    return found


class TestHiddenVariables:
    @given(
        model=networks(most=5),
        hidden=st.integers(1, 2),
        witnesses=st.sampled_from([0, 1500]),
        table=st.booleans(),
        impossible=st.sampled_from(["negative", "positive"]),
    )
    @settings(max_examples=120, deadline=None)
    def test_are_summed_out_exactly(self, model, hidden, witnesses, table, impossible):
        """By sums, with and without witnesses of ties, and case by case."""
        model = model.replace(attributes=model.attributes[hidden:])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lowering_module, "WITNESSES", witnesses)
            patch.setattr(plan, "LARGE", 0 if table else 1 << 13)
            odd = oddly.compile(model, impossible=impossible)
        masses = [hidden_masses(model, i) for i in oracle.instances(model)]
        truth = [decides(model, m, impossible) for m in masses]
        assert np.array_equal(odd.decide(oracle.codes(model)), truth)
        assert odd.certificate.proven
        if model.positive is None or model.threshold not in (0, 1):
            assert odd.certificate.ties == sum(tied(model, m) for m in masses)

    def test_a_tie_without_a_witness_is_settled_case_by_case(self, monkeypatch):
        monkeypatch.setattr(lowering_module, "WITNESSES", 0)
        third = [["1/3", "2/3"], ["2/3", "1/3"]]
        nodes = [
            Node("C", ["p", "q"], [], [["1/2", "1/2"]]),
            Node("A", ["x", "y"], ["C"], third),
            Node("B", ["x", "y"], ["C", "A"], [["2/3", "1/3"], ["1/4", "3/4"], ["1/3", "2/3"], ["3/4", "1/4"]]),
        ]
        model = NetworkClassifier(Network(nodes), "C", ["A", "B"])
        odd = oddly.compile(model)
        assert isinstance(odd.source, Tabled)
        masses = [joint(model, i) for i in oracle.instances(model)]
        assert odd.certificate.ties == sum(tied(model, m) for m in masses) > 0
        assert np.array_equal(odd.decide(oracle.codes(model)), [decides(model, m, "negative") for m in masses])


BOARD = Scoreboard(
    [
        Tally("A", ["x", "y"], [[1, 2, 2], [0, 0, 1]]),
        Tally("B", ["x", "y", "z"], [[1, 0, 2], [0, "1/2", 1], [3, 0, 0]]),
    ],
    ["a", "b", "c"],
    [0, 0, "1/3"],
)


@pytest.fixture(params=["tree", "three classes", "tree of three classes", "scoreboard", "one against others"])
def model(request):
    return {
        "tree": lambda: tree(1, 6),
        "three classes": lambda: exam(1, 5, 3),
        "tree of three classes": lambda: tree(2, 5, ("a", "b", "c")),
        "scoreboard": lambda: BOARD,
        "one against others": lambda: exam(5, 5, 3).replace(positive="c0", threshold="1/3"),
    }[request.param]()


class TestWhatAnyDiagramCanDo:
    def test_it_survives_save_and_load(self, model, tmp_path):
        odd = oddly.compile(model)
        odd.save(tmp_path / "x.odd")
        again = oddly.load(tmp_path / "x.odd")
        assert again == odd
        assert again.source.model == model
        assert again.certificate == odd.certificate
        assert pickle.loads(pickle.dumps(odd)) == odd

    def test_a_file_that_contradicts_its_model_is_refused(self, model, tmp_path):
        odd = oddly.compile(model)
        if isinstance(odd.source, Tabled):
            return  # its model has no sums to hold against it
        wrong = replace(odd, levels=(*odd.levels[:-1], (odd.levels[-1] + 1) % len(odd.labels)))
        wrong.save(tmp_path / "x.odd")
        with pytest.raises(oddly.FormatError, match="contradicts the model"):
            oddly.load(tmp_path / "x.odd")

    def test_it_compares_and_combines(self, model):
        odd = oddly.compile(model)
        assert oddly.compare(odd, oddly.compile(model, "descending")).equivalent
        assert oddly.compare(odd, model).equivalent
        parts = [odd.is_(label) for label in odd.labels]
        assert [part.count(label) for part, label in zip(parts, odd.labels, strict=True)] == [
            odd.count(label) for label in odd.labels
        ]
        assert (parts[0] & ~parts[0]).count(odd.labels[0]) == 0

    def test_it_can_be_drawn_and_counted(self, model):
        odd = oddly.compile(model)
        assert oddly.draw.svg(odd).startswith("<svg")
        assert sum(odd.count(label) for label in odd.labels) == odd.instances
        assert odd.size <= odd.bound
        assert repr(odd).startswith(f"ODD: {odd.size} nodes deciding {model.class_name}")
        assert "proven" in repr(odd.certificate)

    def test_what_needs_a_sum_of_weights_says_so(self, model):
        odd = oddly.compile(model)
        with pytest.raises(oddly.Unsupported, match="an interval needs a sum of one weight per attribute"):
            odd.intervals()
        with pytest.raises(oddly.Unsupported, match="needs a sum of one weight per attribute"):
            oddly.regimes(odd)


def tree(seed, n, classes=("yes", "no"), parents=1, digits=3, values=2):
    """A classifier in which every attribute depends on the class and on up to so many attributes before it."""
    r = random.Random(seed)

    def row(size):
        counts = [r.randint(1, 10**digits - 1) for _ in range(size)]
        return [Fraction(c, sum(counts)) for c in counts]

    nodes = [Node("C", classes, [], [row(len(classes))])]
    for i in range(n):
        above = [f"A{j}" for j in r.sample(range(i), min(i, parents))]
        table = [row(values) for _ in range(len(classes) * values ** len(above))]
        nodes.append(Node(f"A{i}", [str(v) for v in range(values)], ["C", *above], table))
    r.shuffle(nodes)
    return NetworkClassifier(Network(nodes), "C", [f"A{i}" for i in range(n)])


def posteriors(model, rows_):
    """Logarithms of the joint probabilities of rows, by the chain rule in floats."""
    columns = {name: rows_[:, i] for i, name in enumerate(model.attributes)}
    found = []
    for c in range(len(model.class_values)):
        columns[model.class_name] = np.full(len(rows_), c)
        total = np.zeros(len(rows_))
        for node in model.network.nodes:
            place = np.zeros(len(rows_), int)
            for parent in node.parents:
                place = place * len(model.network.node(parent).values) + columns[parent]
            total += np.log(np.array(node.table, float))[place, columns[node.name]]
        found.append(total)
    return np.stack(found, axis=1)


def check_against_floats(model, odd, rows_):
    sums = posteriors(model, rows_)
    if model.positive is not None:
        at = model.class_values.index(model.positive)
        sums = sums[:, [1 - at, at]]
    lead = np.diff(np.sort(sums, axis=1)[:, -2:], axis=1)[:, 0]
    clear = lead > 1e-9
    assert clear.mean() > 0.99
    assert np.array_equal(odd.decide(rows_)[clear], sums.argmax(axis=1)[clear])


@pytest.mark.parametrize(("seed", "n"), [(0, 13), (1, 14), (2, 16), (3, 16)])
def test_trees_agree_with_every_posterior(seed, n):
    model = tree(seed, n)
    odd = oddly.compile(model)
    assert odd.certificate.proven
    check_against_floats(model, odd, oracle.codes(model))


@pytest.mark.parametrize(("parents", "classes"), [(2, ("a", "b")), (3, ("a", "b")), (2, ("a", "b", "c", "d"))])
def test_more_parents_and_classes_agree_with_every_posterior(parents, classes):
    model = tree(7, 11, classes, parents)
    odd = oddly.compile(model)
    assert odd.certificate.proven
    check_against_floats(model, odd, oracle.codes(model))


def test_a_tree_of_thirty_attributes_is_compiled():
    model = tree(3, 30)
    odd = oddly.compile(model)
    assert odd.certificate.proven
    assert odd.count("yes") + odd.count("no") == 2**30
    check_against_floats(model, odd, np.random.default_rng(1).integers(0, 2, (20_000, 30)))


def test_a_tree_decides_as_the_naive_bayes_that_it_is():
    naive = oddly.examples.pregnancy()
    given = {a.name: a for a in naive.attributes}
    nodes = [Node("P", naive.class_values, [], [naive.prior])]
    for above, name in pairwise([None, *given]):  # a chain whose links make no difference
        rows_ = [given[name].given[c] for c in naive.class_values]
        parents = ["P"] if above is None else ["P", above]
        table = rows_ if above is None else [row for row in rows_ for _ in range(2)]
        nodes.append(Node(name, given[name].values, parents, table))
    chain = NetworkClassifier(Network(nodes), "P", list(given), "yes", naive.threshold)
    assert chain.naive is None
    odd, wanted = oddly.compile(chain, "as-given"), oddly.compile(naive, "as-given")
    assert odd.labels == wanted.labels
    assert odd == wanted
    assert odd.certificate.interval == pytest.approx(wanted.certificate.interval)
    assert odd.certificate.closest == pytest.approx(wanted.certificate.closest)


def test_a_naive_network_is_a_naive_bayes():
    naive = oddly.examples.pregnancy()
    model = NetworkClassifier.of(naive)
    assert isinstance(oddly.compile(model).source.model, NaiveBayes)


def test_a_class_with_parents_is_decided_by_its_own_table():
    table = [["0.9", "0.1"], ["0.2", "0.8"], ["0.5", "0.5"], ["0.1", "0.9"]]
    nodes = [
        Node("A", ["x", "y"], [], [["0.5", "0.5"]]),
        Node("B", ["x", "y"], [], [["0.5", "0.5"]]),
        Node("C", ["p", "q"], ["A", "B"], table),
    ]
    odd = oddly.compile(NetworkClassifier(Network(nodes), "C", ["A", "B"]))
    assert list(odd.classify([dict(zip("AB", v, strict=True)) for v in product("xy", "xy")])) == ["p", "q", "p", "q"]
    assert odd.certificate.ties == 1
    assert odd.certificate.interval is None  # there is no prior that could move


def test_zeros_between_attributes_make_instances_impossible():
    """B copies A, so that A and B differ in no possible instance; what those decide is the caller's choice."""
    nodes = [
        Node("C", ["p", "q"], [], [["0.6", "0.4"]]),
        Node("A", ["x", "y"], ["C"], [["0.5", "0.5"], ["0.9", "0.1"]]),
        Node("B", ["x", "y"], ["A"], [["1", "0"], ["0", "1"]]),
    ]
    model = NetworkClassifier(Network(nodes), "C", ["A", "B"])
    every = [dict(zip("AB", v, strict=True)) for v in product("xy", "xy")]
    assert list(oddly.compile(model).classify(every)) == ["q", "q", "q", "p"]
    assert list(oddly.compile(model, impossible="positive").classify(every)) == ["q", "p", "p", "p"]


class TestTheSmallestFrontier:
    def test_a_chain_is_no_worse_than_walked_from_its_end(self):
        """One attribute is remembered there; near the root, where prefixes are few, more cost nothing."""
        n = 20
        scopes = [(i, i + 1) for i in range(n - 1)]
        r = random.Random(1)
        order = smallest_frontier([2] * n, scopes, [r.random() for _ in range(n)])
        sizes = [self.sizes(n, scopes, o) for o in (order, range(n))]
        bounds = [sum(min(2**k, 2**f * (2 ** (n - k) + 1)) for k, f in enumerate(s)) for s in sizes]
        assert sizes[1] == [0] + [1] * (n - 1) + [0]
        assert bounds[0] <= bounds[1]

    @pytest.mark.parametrize("seed", range(10))
    def test_a_tree_remembers_a_logarithm(self, seed):
        r = random.Random(seed)
        n = 60
        scopes = [(r.randrange(i), i) for i in range(1, n)]
        order = smallest_frontier([2] * n, scopes, [r.random() for _ in range(n)])
        assert sorted(order) == list(range(n))
        assert max(self.sizes(n, scopes, order)) <= n.bit_length()

    def test_what_nothing_ties_together_ascends(self):
        assert smallest_frontier([2] * 3, [(0,), (1,), (2,)], [3, 1, 2]) == [1, 2, 0]

    def sizes(self, n, scopes, order):
        place = {a: k for k, a in enumerate(order)}
        return [len(front) for front in frontiers([sorted(place[a] for a in scope) for scope in scopes], n)]


def test_rows_of_equal_key_that_differ_are_told_apart(monkeypatch):
    from oddly.lowering import distinct as function

    module = __import__("sys").modules["oddly.lowering.distinct"]
    monkeypatch.setattr(module, "_MIX", np.uint64(0))
    columns = [np.array([1, 1, 2, 2, 1]), -np.array([3, 4, 3, 3, 3])]  # negative: they have no key of their own
    first, which = function(columns)
    assert len(first) == 3
    assert which[0] == which[4] != which[1]
    assert which[2] == which[3]
    assert all(np.array_equal(c, c[first][which]) for c in columns)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-(10**30), 10**30).map(lambda x: x % 3 * 10**29))))
def test_distinct_rows_are_those_of_a_set(found):
    columns = [np.array([a for a, _ in found], np.int64), np.array([b for _, b in found], object)]
    first, which = distinct(columns)
    assert len(first) == len(set(found))
    assert all(np.array_equal(c, c[first][which]) for c in columns)


def test_choices_are_checked_where_instances_are_decided_one_by_one():
    third = NaiveBayes("C", ["x", "y", "z"], ["0.5", "0.3", "0.2"], [], positive="x")
    with pytest.raises(oddly.ModelError, match="impossible: expected 'negative', 'positive' or 'apart', found 'never'"):
        oddly.compile(third, impossible="never")
    with pytest.raises(oddly.UnknownName, match="no engine 'steam'"):
        oddly.compile(third, engine="steam")
    with pytest.raises(oddly.Unsupported, match="engine='numpy'"):
        oddly.compile(third, engine="native")
