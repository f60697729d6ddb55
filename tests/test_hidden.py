# SPDX-License-Identifier: Apache-2.0
"""Networks with hidden variables: factors, posteriors and tables of decisions, against plain enumeration."""

from fractions import Fraction
from importlib import import_module
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from networks import decisions, every, joint, network_classifiers, published
from oddly.diagram import ODD
from oddly.engine import slices as slices_module
from oddly.engine import table as table_module
from oddly.engine.slices import Slices
from oddly.engine.table import MOST_INSTANCES, cells, decide_table, fold, with_idle
from oddly.errors import TooLarge, UnknownName
from oddly.model import CPT, NaiveBayes, Network, NetworkClassifier, Node, Variable
from oddly.model.elimination import class_masses, factors
from oddly.runtime import Limits, Watch
from strategies import rows


def multiplied(classifier, found, over=None):
    """The product of the factors, an axis per attribute and the class last."""
    names = classifier.attributes if over is None else over
    shape = [len(classifier.network.node(name).values) for name in names]
    table = np.full([*shape, len(classifier.class_values)], Fraction(1), object)
    for factor in found:
        axes = [size if i in factor.scope else 1 for i, size in enumerate(shape)]
        table = table * factor.table.reshape([*axes, -1]) * factor.scale
    return table


def diagram(model, order=None, impossible="negative"):
    order = list(range(len(model.variables))) if order is None else order
    levels, root, proof = decide_table(model, order, impossible)
    variables = tuple(model.variables[i] for i in order)
    return ODD(variables, model.labels, tuple(levels), root, tuple(order)), proof


def all_decisions(odd, model):
    """What a diagram decides of every instance, an axis per attribute in the model's order."""
    shape = [len(v.values) for v in model.variables]
    return odd.decide(every(shape)).reshape(shape)


# ---- factors ----


@settings(deadline=None)
@given(network_classifiers())
def test_the_factors_multiply_to_the_joint_distribution(classifier):
    found = factors(classifier, joint=True)
    assert np.array_equal(multiplied(classifier, found), joint(classifier))
    assert found[0].scope == ()
    assert all(list(f.scope) == sorted(set(f.scope)) for f in found)


@settings(deadline=None)
@given(network_classifiers())
def test_what_does_not_bear_on_the_class_changes_no_share_of_it(classifier):
    reduced, full = multiplied(classifier, factors(classifier)), joint(classifier)
    for ours, theirs in zip(reduced.reshape(-1, full.shape[-1]), full.reshape(-1, full.shape[-1]), strict=True):
        assert [x * sum(theirs) for x in ours] == [x * sum(ours) for x in theirs]
        assert bool(sum(ours)) == bool(sum(theirs))


@settings(deadline=None)
@given(network_classifiers(), st.data())
def test_attributes_that_are_left_out_are_summed_out(classifier, data):
    over = data.draw(st.lists(st.sampled_from(classifier.attributes), unique=True)) if classifier.attributes else []
    found = multiplied(classifier, factors(classifier, joint=True, over=over), over)
    assert np.array_equal(found, joint(classifier.replace(attributes=over)))


@settings(deadline=None)
@given(network_classifiers(), st.data())
def test_the_posterior_is_the_share_of_the_joint(classifier, data):
    full = joint(classifier)
    place = tuple(data.draw(st.integers(0, size - 1)) for size in full.shape[:-1])
    instance = {v.name: v.values[i] for v, i in zip(classifier.variables, place, strict=True)}
    total = sum(full[place])
    expected = tuple(p / total for p in full[place]) if total else None
    assert classifier.posterior(instance) == expected


@settings(deadline=None)
@given(network_classifiers())
def test_masses_of_many_rows_are_those_of_each(classifier):
    full = joint(classifier)
    masses, scale = class_masses(classifier, every(full.shape[:-1]))
    assert np.array_equal(masses * scale, full.reshape(-1, full.shape[-1]))
    everything, scale = class_masses(classifier)
    assert np.array_equal(everything[0] * scale, full.reshape(-1, full.shape[-1]).sum(axis=0))


def test_the_floats_of_a_factor_are_its_fractions():
    classifier = published("asia").classifier("lung", attributes=["xray", "dysp", "smoke"])
    for factor in factors(classifier, joint=True):
        exact = np.array([float(x * factor.scale) for x in factor.table.flat]).reshape(factor.table.shape)
        assert np.allclose(factor.floats(), exact, rtol=1e-15, atol=0)


def test_a_posterior_needs_a_value_of_every_attribute():
    classifier = chain(3)
    with pytest.raises(UnknownName, match="no value for leaf 2"):
        classifier.posterior({"leaf 0": "a", "leaf 1": "a"})


def test_a_block_too_large_is_named_with_what_it_ties_together():
    with pytest.raises(TooLarge, match=r"sum state 0, state 1, .* ties class, leaf 0, leaf 1"):
        factors(chain(12), limit=1000)


def test_an_attribute_apart_from_the_class_leaves_only_what_it_makes_impossible():
    nodes = [
        Node("class", ["a", "b"], [], [["0.5", "0.5"]]),
        Node("test", ["a", "b"], ["class"], [["0.9", "0.1"], ["0.2", "0.8"]]),
        Node("noise", ["a", "b", "c"], [], [["0.3", "0.7", "0"]]),
        Node("hum", ["a", "b"], [], [["0.3", "0.7"]]),
    ]
    classifier = NetworkClassifier(Network(nodes), "class", ["test", "noise", "hum"])
    found = {f.scope: f.table.tolist() for f in factors(classifier)}
    assert found[(1,)] == [[1, 1], [1, 1], [0, 0]]
    assert (2,) not in found
    assert {f.scope for f in factors(classifier, joint=True)} == {(), (0,), (1,), (2,)}


# ---- tables ----


@settings(deadline=None)
@given(network_classifiers(), st.sampled_from(["negative", "positive"]), st.data())
def test_a_table_decides_as_the_definition_does_in_any_order(classifier, impossible, data):
    order = data.draw(st.permutations(range(len(classifier.attributes))))
    odd, proof = diagram(classifier, order, impossible)
    expected, ties = decisions(classifier, impossible)
    assert np.array_equal(all_decisions(odd, classifier), expected)
    assert proof.ties == ties
    assert proof.impossible == sum(not total for total in np.ravel(joint(classifier).sum(axis=-1)))


@settings(max_examples=60, deadline=None)
@given(network_classifiers(), st.data())
def test_slices_underflow_and_exact_decisions_change_nothing(classifier, data):
    fixed = data.draw(st.integers(0, len(classifier.attributes)))
    with pytest.MonkeyPatch.context() as patch:
        tries = data.draw(st.integers(1, 4))
        patch.setattr(Slices, "plan", property(lambda slices: (fixed, slices._planned(fixed, tries)[2])))
        if data.draw(st.booleans()):
            patch.setattr(slices_module, "TINY", inf)  # as if everything could underflow
        if data.draw(st.booleans()):
            patch.setattr(table_module._Judge, "slack", 2.0)  # as if floats could not be trusted at all
            patch.setattr(table_module, "BATCH", data.draw(st.integers(1, 5)))
        odd, proof = diagram(classifier)
    expected, ties = decisions(classifier)
    assert np.array_equal(all_decisions(odd, classifier), expected)
    assert proof.ties == ties


@settings(deadline=None)
@given(network_classifiers())
def test_the_closest_instance_is_as_close_as_enumeration_says(classifier):
    _, proof = diagram(classifier)
    p, closest = classifier.threshold, inf
    for masses in joint(classifier).reshape(-1, len(classifier.class_values)):
        if classifier.positive is None:
            second, first = sorted(masses)[-2:]
        else:
            at = classifier.class_values.index(classifier.positive)
            first, second = masses[at] * (1 - p), (sum(masses) - masses[at]) * p
        if first and second:
            closest = min(closest, abs(log(first / second)))
    assert proof.closest == pytest.approx(closest, rel=1e-9, abs=1e-15)


@settings(deadline=None)
@given(st.data())
def test_one_of_many_classes_against_the_rest(data):
    arities = data.draw(st.lists(st.integers(1, 3), max_size=4))
    classes = ["red", "green", "blue"]
    cpts = [
        CPT(f"A{i}", [f"v{j}" for j in range(n)], {c: data.draw(rows(n, True)) for c in classes})
        for i, n in enumerate(arities)
    ]
    model = NaiveBayes(
        "colour", classes, data.draw(rows(3, True)), cpts, "green", data.draw(st.sampled_from(["1/2", "1/3"]))
    )
    odd, proof = diagram(model)
    expected, ties = decisions(NetworkClassifier.of(model))
    assert odd.labels == ("not green", "green")
    assert np.array_equal(all_decisions(odd, model), expected)
    assert proof.ties == ties


@settings(deadline=None)
@given(st.data())
def test_a_folded_table_has_one_node_per_function(data):
    arities = data.draw(st.lists(st.integers(1, 4), max_size=5))
    labels = data.draw(st.integers(2, 3))
    size = int(np.prod(arities, dtype=int))
    table = np.array(data.draw(st.lists(st.integers(0, labels - 1), min_size=size, max_size=size)), np.uint8)
    levels, root = fold(table, arities)
    for k, level in enumerate(levels):
        above = int(np.prod(arities[:k], dtype=int))
        assert len(level) == len(np.unique(table.reshape(above, -1), axis=0))
    nodes = np.full(size, root)
    for level, values in zip(levels, np.unravel_index(np.arange(size), arities or [1]), strict=False):
        nodes = level[nodes, values]
    assert np.array_equal(nodes, table)


def test_wide_levels_fold_alike_by_lookup_by_sorting_and_by_rows(monkeypatch):
    table = np.random.default_rng(5).integers(0, 2, 4**9).astype(np.uint8)
    levels, _ = fold(table, [4] * 9)
    sorted_, _ = fold_with(monkeypatch, table, [4] * 9, dense=-(1 << 20))
    assert all(map(np.array_equal, levels, sorted_))
    wide = np.random.default_rng(6).integers(0, 2, 11 * 2**16).astype(np.uint8)
    levels, root = fold(wide, [11, 2**8, 2**8])  # 2816 nodes below, eleven children each: keys of 125 bits
    assert len(levels[0]) == 1
    assert root == 0


def fold_with(monkeypatch, table, arities, dense):
    monkeypatch.setattr(import_module("oddly.lowering.distinct"), "DENSE", dense)
    return fold(table, arities)


@settings(deadline=None)
@given(st.data())
def test_attributes_that_decide_nothing_are_put_in_anywhere(data):
    arities = data.draw(st.lists(st.integers(1, 3), max_size=5))
    idle = [data.draw(st.booleans()) for _ in arities]
    small = [1 if skip else arity for skip, arity in zip(idle, arities, strict=True)]
    size = int(np.prod(small, dtype=int))
    table = np.array(data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), np.uint8).reshape(small)
    real = [arity for skip, arity in zip(idle, arities, strict=True) if not skip]
    levels, root = with_idle(*fold(table.reshape(-1), real), idle, arities)
    full = np.broadcast_to(table, arities).reshape(-1)
    expected, expected_root = fold(full, arities)
    variables = tuple(Variable(f"A{i}", tuple(map(str, range(n)))) for i, n in enumerate(arities))
    places = tuple(range(len(arities)))
    assert ODD(variables, ("a", "b", "c"), tuple(levels), root, places) == ODD(
        variables, ("a", "b", "c"), tuple(expected), expected_root, places
    )


def test_a_hundred_attributes_of_one_value_are_no_axes():
    more = [Node(f"only {i}", ["one"], ["class"], [["1"], ["0.999999"]]) for i in range(100)]
    network = Network([*chain(3).network.nodes, *more])
    classifier = NetworkClassifier(network, "class", [n.name for n in more] + list(chain(3).attributes))
    odd, proof = diagram(classifier)
    assert proof.instances == 8
    assert odd.count("a") == diagram(chain(3))[0].count("a")
    single = {n.name: "one" for n in more}
    leaves = {f"leaf {i}": "a" for i in range(3)}
    (plain, other), (ours, theirs) = chain(3).posterior(leaves), classifier.posterior({**single, **leaves})
    assert theirs / ours == other / plain * Fraction("0.999999") ** 100


def test_what_decides_nothing_takes_no_room_in_the_table():
    nodes = [Node(f"coin {i}", ["heads", "tails"], [], [["0.5", "0.5"]]) for i in range(40)]
    more = chain(5).network.nodes
    classifier = NetworkClassifier(
        Network([*nodes, *more]), "class", [f"coin {i}" for i in range(40)] + list(chain(5).attributes)
    )
    assert cells(classifier) <= MOST_INSTANCES
    odd, proof = diagram(classifier, [*range(20), *range(40, 45), *range(20, 40)])
    small, _ = diagram(chain(5))
    assert proof.instances == odd.instances == 2**45
    assert odd.count("a") == small.count("a") * 2**40
    assert odd.widths[20:26] == [*small.widths[:-1], 2]


def test_probabilities_too_small_for_floats_are_decided_in_whole_numbers():
    tiny = Fraction(1, 10**200)
    leaves = [Node(f"leaf {i}", ["a", "b"], ["class"], [[tiny, 1 - tiny], [2 * tiny, 1 - 2 * tiny]]) for i in range(3)]
    prior = Node("class", ["x", "y"], [], [["8/9", "1/9"]])
    classifier = NetworkClassifier(Network([prior, *leaves]), "class", [n.name for n in leaves], ties="negative")
    odd, proof = diagram(classifier)
    expected, ties = decisions(classifier)
    assert ties == 1  # 8/9 · t³ against 1/9 · (2t)³
    assert proof.ties == 1
    assert proof.exact
    assert np.array_equal(all_decisions(odd, classifier), expected)


def test_a_threshold_next_to_zero_is_kept_apart_from_it():
    nodes = [
        Node("class", ["x", "y"], [], [["1/2", "1/2"]]),
        Node("leaf", ["a", "b"], ["class"], [[Fraction(1, 10**330), 1 - Fraction(1, 10**330)], ["1/2", "1/2"]]),
    ]
    for threshold, positives in ((Fraction(1, 10**329), 1), (Fraction(1, 10**331), 2)):
        classifier = NetworkClassifier(Network(nodes), "class", ["leaf"], threshold=threshold)
        assert diagram(classifier)[0].count("x") == positives


def chain(length):
    """A hidden state that moves on from step to step, seen through a leaf at each; the class is where it began."""
    nodes = [Node("class", ["a", "b"], [], [["0.4", "0.6"]])]
    for i in range(length):
        above = f"state {i - 1}" if i else "class"
        nodes.append(Node(f"state {i}", ["a", "b"], [above], [["0.95", "0.05"], ["0.1", "0.9"]]))
        nodes.append(Node(f"leaf {i}", ["a", "b"], [f"state {i}"], [["0.7", "0.3"], ["0.2", "0.8"]]))
    return NetworkClassifier(Network(nodes), "class")


def test_more_instances_than_a_table_holds_are_too_large():
    with pytest.raises(TooLarge, match="1,073,741,824 instances to decide one by one"):
        decide_table(chain(30), range(30))


def test_slices_keep_to_the_memory_there_is():
    classifier, common = chain(10), []
    plain = diagram(classifier)[0]
    for memory in (1 << 14, 1 << 17):
        watch = Watch(limits=Limits(max_memory=memory))
        levels, root, _ = decide_table(classifier, range(10), watch=watch)
        assert ODD(classifier.variables, classifier.labels, tuple(levels), root, tuple(range(10))) == plain
        fixed, plans = Slices(classifier, tuple(range(10)), memory).plan
        common.append(fixed)
        assert max(8 * plan.peak for plan in plans) <= memory
        assert 8 * slices_module.COPIES * 2 * 2 ** (10 - fixed) <= memory
    assert common[0] > common[1]
    with pytest.raises(TooLarge, match="1,024 instances, and tables of .* entries to sum 10 hidden variables out"):
        list(Slices(classifier, tuple(range(10)), 100))


def test_more_work_than_some_minutes_is_too_large(monkeypatch):
    monkeypatch.setattr(slices_module, "MOST_WORK", 1000)
    with pytest.raises(TooLarge, match="steps, 1,000 allowed, to sum 10 hidden variables out"):
        diagram(chain(10))


# ---- published networks ----


def test_win95pts_has_16466_offline_of_65536():
    classifier = published("win95pts").classifier("PTROFFLINE", "Offline")
    assert len(classifier.attributes) == 16
    odd, proof = diagram(classifier)
    assert odd.count("Offline") == 16466
    assert proof.ties == proof.impossible == 0
    assert diagram(classifier.replace(positive="Online"))[0].count("Online") == 49070


def test_the_admission_network_is_a_naive_bayes_with_6_of_16_positive():
    given_class = {
        "FirstTimeApplicant": ("0.2", "0.7"),
        "EntranceExam": ("0.15", "0.4"),
        "GPA": ("0.11", "0.97"),
        "WorkExperience": ("0.1", "0.96"),
    }
    nodes = [Node("Admit", ["state0", "state1"], [], [["0.7", "0.3"]])]
    for name, chances in given_class.items():
        rows_ = [[1 - Fraction(p), Fraction(p)] for p in chances]
        nodes.append(Node(name, ["state0", "state1"], ["Admit"], rows_))
    model = Network(nodes).classifier("Admit", "state1")
    assert isinstance(model, NaiveBayes)
    assert diagram(model)[0].count("state1") == 6
    assert NetworkClassifier.of(model).naive == model


@pytest.mark.parametrize(
    ("name", "target", "attributes"),
    [
        ("asia", "lung", None),
        ("asia", "tub", ["asia", "xray", "dysp", "smoke", "either"]),
        ("cancer", "Cancer", None),
        ("cancer", "Smoker", ["Xray", "Dyspnoea", "Pollution"]),
        ("earthquake", "Burglary", None),
        ("survey", "E", ["T", "S", "A"]),
    ],
)
def test_small_published_networks_agree_with_enumeration(name, target, attributes):
    classifier = NetworkClassifier(published(name), target, attributes)
    expected, ties = decisions(classifier)
    odd, proof = diagram(classifier)
    assert np.array_equal(all_decisions(odd, classifier), expected)
    assert proof.ties == ties


def test_sachs_agrees_with_the_product_of_all_its_tables():
    network = published("sachs")
    classifier = NetworkClassifier(network, "PKA", ["Akt", "P38", "Jnk", "Erk", "PIP2"])
    names = [node.name for node in network.nodes]
    full = np.ones([len(node.values) for node in network.nodes])
    for node in network.nodes:
        scope = [*node.parents, node.name]
        table = np.array([[float(p) for p in row] for row in node.table])
        table = table.reshape([len(network.node(name).values) for name in scope])
        table = table.transpose([scope.index(name) for name in names if name in scope])
        full *= table.reshape([len(v.values) if v.name in scope else 1 for v in network.variables])
    kept = [*classifier.attributes, "PKA"]
    full = full.sum(axis=tuple(i for i, name in enumerate(names) if name not in kept))
    expected = full.transpose([[n for n in names if n in kept].index(name) for name in kept]).argmax(axis=-1)
    odd, proof = diagram(classifier)
    assert proof.closest > 1e-9
    assert np.array_equal(all_decisions(odd, classifier), expected)


def inference(network):
    """The network in another library, built from the same numbers."""
    gum = pytest.importorskip("pyagrum")
    agrum = pytest.importorskip("benchmarks.agrum", reason="not run from the project's root")
    return gum.LazyPropagation(agrum.in_pyagrum(network))


@pytest.mark.parametrize("name", ["child", "alarm", "insurance", "hailfinder", "hepar2", "andes"])
def test_larger_published_networks_agree_with_another_library(name):
    network = published(name)
    engine = inference(network)
    rng = np.random.default_rng(sum(map(ord, name)))
    classifier = drawn(network, rng, int(rng.integers(8, 13)))
    odd, proof = diagram(classifier)
    assert proof.ties == 0
    shape = [len(v.values) for v in classifier.variables]
    for _ in range(25):
        codes = rng.integers(0, shape)
        instance = {v.name: v.values[i] for v, i in zip(classifier.variables, codes, strict=True)}
        theirs = their_posterior(engine, classifier, instance)
        ours = classifier.posterior(instance)
        if theirs is None:
            assert ours is None
            continue
        assert [float(p) for p in ours] == pytest.approx(theirs, rel=1e-9, abs=1e-12)
        assert odd.labels[odd.decide(codes[None])[0]] == label_of(classifier, theirs)


def drawn(network, rng, most, instances=1 << 18):
    """A classifier of a random variable from up to so many random others."""
    names = list(rng.permutation([n.name for n in network.nodes]))
    target = next(name for name in names if len(network.node(name).values) > 1)
    attributes, size = [], 1
    for name in names:
        arity = len(network.node(name).values)
        if name != target and len(attributes) < most and size * arity <= instances:
            attributes.append(str(name))
            size *= arity
    return NetworkClassifier(network, str(target), attributes)


def their_posterior(engine, classifier, instance):
    engine.setEvidence(instance)
    engine.setTargets({classifier.class_name})
    try:
        engine.makeInference()
        return engine.posterior(classifier.class_name).tolist() if engine.evidenceProbability() else None
    except Exception as error:
        assert "ncompatible" in str(error)  # noqa: PT017
        return None


def label_of(classifier, posterior):
    if classifier.positive is None:
        return classifier.class_values[int(np.argmax(posterior))]
    p = posterior[classifier.class_values.index(classifier.positive)]
    return classifier.labels[int(p >= classifier.threshold)]


def test_limits_name_what_would_help():
    classifier = chain(10)
    with pytest.raises(
        TooLarge, match=r"1,024 instances .*, 125 allowed.  Try fewer attributes, or max_memory=16_384\."
    ):
        decide_table(classifier, range(10), watch=Watch(limits=Limits(max_memory=1000)))
    with pytest.raises(TooLarge, match=r"nodes .*, 1 allowed.  Try max_nodes="):  # there is no search for an order
        decide_table(classifier, range(10), watch=Watch(limits=Limits(max_nodes=1), searches=False))


def test_more_classes_than_a_byte_can_number():
    """Class v(2i) is the likeliest at A0=a and v(2i+1) at A0=b, where i is the value of A1; the scale is hidden."""
    many = 300
    classes = [f"v{i}" for i in range(many)]
    half = [[Fraction(1 + (i % 2 == 0), 3), Fraction(1 + (i % 2), 3)] for i in range(many)]
    near = [[Fraction(2 if i // 2 == j else 1, many // 2 + 1) for j in range(many // 2)] for i in range(many)]
    nodes = [
        Node("C", classes, [], [[Fraction(1, many)] * many]),
        Node("H", ["x", "y"], ["C"], [["1/2", "1/2"]] * many),
        Node("A0", ["a", "b"], ["C", "H"], [row for row in half for _ in "xy"]),
        Node("A1", [str(j) for j in range(many // 2)], ["C"], near),
    ]
    odd, proof = diagram(NetworkClassifier(Network(nodes), "C", ["A0", "A1"]))
    assert odd.decide(every([2, many // 2])).tolist() == [2 * j + i for i in range(2) for j in range(many // 2)]
    assert proof.ties == 0
