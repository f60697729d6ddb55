# SPDX-License-Identifier: Apache-2.0
"""Probabilities under a network: its own joint distribution, over any diagram, against plain enumeration."""

from collections import Counter
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import every, joint, network_classifiers, published
from oddly.diagram import ODD
from oddly.distribution.listing import instances
from oddly.distribution.measure import measure_of
from oddly.distribution.sampling import sample, sample_indices
from oddly.engine.table import fold
from oddly.errors import TooLarge, Unsupported
from oddly.lowering import distinct
from oddly.model import CPT, NaiveBayes, Network, NetworkClassifier, Node, Scoreboard, Tally, Variable, elimination
from oddly.model.elimination import class_masses, cutset, joint_factors
from oddly.questions.count import count

LABELS = ("no", "yes", "perhaps")


@st.composite
def questions(draw, names=None):
    """A network, and a diagram of any function over some of its attributes, in any order."""
    classifier = draw(network_classifiers())
    chosen = draw(st.lists(st.sampled_from(names or classifier.attributes or ["?"]), unique=True, max_size=4))
    chosen = [name for name in chosen if name in classifier.attributes]
    return classifier, draw(diagrams([classifier.network.node(name).variable for name in chosen]))


@st.composite
def diagrams(draw, variables):
    arities = [len(v.values) for v in variables]
    size = int(np.prod(arities, dtype=int))
    table = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), np.uint8)
    levels, root = fold(table, arities)
    places = tuple(draw(st.permutations(range(len(variables)))))
    return ODD(tuple(variables), LABELS, tuple(levels), root, places)


def masses(classifier, odd):
    """By instance, in the diagram's order of attributes: its label's place, and its probability with each class."""
    full = joint(classifier.replace(attributes=list(odd.order)))
    codes = every(full.shape[:-1])
    labels = odd.decide(codes[:, np.argsort(odd.places)])
    return [(tuple(c), int(label), full[tuple(c)]) for c, label in zip(codes.tolist(), labels, strict=True)]


@settings(deadline=None)
@given(questions(), st.booleans(), st.data())
def test_probabilities_are_those_of_the_network(question, carry, data):
    """Whether hidden variables are summed out at once or carried along with the class."""
    classifier, odd = question
    known = {v.name: data.draw(st.sampled_from(v.values)) for v in odd.variables if data.draw(st.booleans())}
    everything = masses(classifier, odd)
    fitting = [
        row
        for row in everything
        if all(odd.variables[i].values[row[0][i]] == known[name] for i, name in enumerate(odd.order) if name in known)
    ]
    total, whole = (sum(sum(m) for *_, m in rows) for rows in (fitting, everything))
    assume(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "COMFORTABLE", 1 if carry else 1 << 18)
        found = count(odd, given=known, under=classifier, exact=True)
        floats = count(odd, given=known, under=classifier)
    assert found.evidence == total / whole
    assert found.class_name == classifier.class_name
    if not total:
        assert found.probability is None
        return
    for place, label in enumerate(LABELS):
        assert found.probability[label] == sum(sum(m) for _, at, m in fitting if at == place) / total
        for c, value in enumerate(classifier.class_values):
            within = sum(m[c] for *_, m in fitting)
            if within:
                assert found.by_class[value][label] == sum(m[c] for _, at, m in fitting if at == place) / within
    assert floats.probability == pytest.approx({name: float(p) for name, p in found.probability.items()}, rel=1e-12)


def hub(leaves):
    """A hidden variable that many attributes hang on, each through another hidden one; a class above it."""
    nodes = [
        Node("class", ["a", "b"], [], [["0.3", "0.7"]]),
        Node("hub", ["x", "y", "z"], ["class"], [["0.2", "0.3", "0.5"], ["0.6", "0.3", "0.1"]]),
    ]
    for i in range(leaves):
        nodes.append(
            Node(
                f"way {i}", ["a", "b"], ["hub"], [["0.9", "0.1"], ["0.4", "0.6"], [f"0.{i % 9 + 1}", f"0.{9 - i % 9}"]]
            )
        )
        nodes.append(Node(f"leaf {i}", ["a", "b"], [f"way {i}"], [["0.7", "0.3"], ["0.2", "0.8"]]))
    return NetworkClassifier(Network(nodes), "class")


def test_what_holds_a_block_together_is_carried_along():
    assert cutset(hub(4), hub(4).attributes) == ()
    large = hub(30)
    assert cutset(large, large.attributes) == ("hub",)
    odd = flat(large)
    assert measure_of(odd, large).mass == 1
    by_hub = [f.table.shape for f in joint_factors(large, large.attributes, ["hub"])]
    assert by_hub == [(6,)] + [(2, 6)] * 30
    first, p = next(iter(instances(odd, under=large)))
    masses, scale = class_masses(large, np.array([[v.values.index(first[v.name]) for v in large.variables]]))
    assert p == pytest.approx(float(sum(masses[0]) * scale))


def test_carried_variables_change_no_draw_and_no_member():
    small = hub(6)
    odd = flat(small)
    plain = list(instances(odd, under=small))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "COMFORTABLE", 1)
        assert cutset(small, small.attributes)
        carried = list(instances(odd, under=small))
        drawn = Counter(i["leaf 0"] for i in sample(odd, 5000, under=small))
    assert [p for _, p in carried] == pytest.approx([p for _, p in plain])
    assert drawn["a"] / 5000 == pytest.approx(sum(p for i, p in plain if i["leaf 0"] == "a"), abs=0.03)


def test_tables_too_large_for_whole_numbers_are_weighed_in_floats(monkeypatch):
    small = hub(5)
    odd = flat(small)
    exact = count(odd, given={"leaf 1": "a"}, under=small, exact=True)
    monkeypatch.setattr(elimination, "MOST_ENTRIES", 20)
    monkeypatch.setattr(elimination, "COMFORTABLE", 1 << 18)
    floats = count(odd, given={"leaf 1": "a"}, under=small)
    assert floats.evidence == pytest.approx(float(exact.evidence))
    assert floats.by_class == {c: pytest.approx(row) for c, row in exact.by_class.items()}
    with pytest.raises(TooLarge):
        count(odd, under=small, exact=True)


@settings(max_examples=50, deadline=None)
@given(questions(), st.sampled_from([None, *LABELS]))
def test_members_come_with_their_probabilities_the_most_probable_first(question, label):
    classifier, odd = question
    everything = masses(classifier, odd)
    total = sum(sum(m) for *_, m in everything)
    assume(total)
    expected = {
        tuple(odd.variables[i].values[v] for i, v in enumerate(codes)): float(sum(m) / total)
        for codes, at, m in everything
        if label is None or LABELS[at] == label
    }
    found = [(tuple(i[name] for name in odd.order), p) for i, p in instances(odd, label, classifier)]
    assert dict(found) == pytest.approx(expected, rel=1e-12)
    assert len(found) == len(expected)
    assert all(p >= q * (1 - 1e-11) for (_, p), (_, q) in pairwise(found))


@settings(max_examples=25, deadline=None)
@given(questions(), st.sampled_from([None, *LABELS]))
def test_draws_follow_the_network(question, label):
    classifier, odd = question
    weights = {codes: sum(m) for codes, at, m in masses(classifier, odd) if label is None or LABELS[at] == label}
    total = sum(weights.values())
    if not total:
        with pytest.raises(Unsupported):
            sample_indices(odd, 1, label, classifier)
        return
    draws = 4000
    codes = sample_indices(odd, draws, label, classifier, seed=3)[:, list(odd.places)]
    times = Counter(map(tuple, codes.tolist()))
    assert set(times) <= {instance for instance, weight in weights.items() if weight}
    for instance, weight in weights.items():
        p = float(weight / total)
        assert abs(times[instance] - draws * p) <= 6 * (draws * p * (1 - p)) ** 0.5 + 1e-6


def test_hidden_variables_of_a_network_may_be_asked_about_too():
    network = published("asia")
    classifier = network.classifier("lung", attributes=["xray"])
    other = NetworkClassifier(network, "lung", ["smoke", "xray"])
    by_either = measure_of(flat(other), classifier), measure_of(flat(other), other)
    assert by_either[0].mass == by_either[1].mass
    assert classifier.knows(["smoke", "xray"])
    assert not classifier.knows(["lung"])
    assert not classifier.knows(["weather"])


def flat(model):
    """A diagram over a model's attributes that decides everything alike."""
    levels = tuple(np.zeros((1, len(v.values)), np.uint32) for v in model.variables)
    return ODD(model.variables, model.labels, levels, 0, tuple(range(len(levels))))


def test_what_the_network_does_not_have_is_named():
    network = published("asia")
    classifier = NetworkClassifier(network, "lung", ["xray"], evidence={"asia": "yes"})
    for name in ("lung", "asia", "weather"):
        odd = ODD((Variable(name, ("yes", "no")),), ("no", "yes"), (np.zeros((1, 2), np.uint32),), 0, (0,))
        with pytest.raises(Unsupported, match=f"the model has no attribute {name}, so it says nothing"):
            count(odd, under=classifier)


def test_values_in_another_order_keep_their_probabilities():
    network = Network(
        [
            Node("rain", ["yes", "no"], [], [["0.2", "0.8"]]),
            Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.1", "0.9"]]),
        ]
    )
    classifier = NetworkClassifier(network, "rain")
    odd = ODD((Variable("wet", ("no", "yes")),), ("dry", "wet"), (np.array([[0, 1]], np.uint32),), 0, (0,))
    assert count(odd, under=classifier, exact=True).probability == {"dry": Fraction(74, 100), "wet": Fraction(26, 100)}


def test_evidence_is_given_throughout():
    network = published("asia")
    plain = NetworkClassifier(network, "lung", ["xray", "dysp", "smoke"])
    given_smoke = plain.observe({"smoke": "yes"})
    odd = flat(given_smoke)
    direct = count(odd, under=given_smoke, exact=True).by_class
    assert direct == count(flat(plain), given={"smoke": "yes"}, under=plain, exact=True).by_class
    first = next(iter(instances(odd, under=given_smoke)))
    again = next(iter(instances(flat(plain), under=plain, given={"smoke": "yes"})))
    assert again == ({**first[0], "smoke": "yes"}, pytest.approx(first[1]))


def test_under_impossible_evidence_nothing_has_a_probability():
    nodes = [
        Node("class", ["a", "b"], [], [["0.5", "0.5"]]),
        Node("never", ["x", "y"], [], [["1", "0"]]),
        Node("leaf", ["x", "y"], ["class", "never"], [["0.5", "0.5"], ["0.1", "0.9"], ["0.3", "0.7"], ["0.2", "0.8"]]),
    ]
    impossible = NetworkClassifier(Network(nodes), "class", ["leaf"], evidence={"never": "y"})
    odd = oddly.compile(impossible)
    found = count(odd, exact=True)
    assert found.counts == {"b": 2, "a": 0}
    assert found.evidence == 0
    assert found.probability is None
    assert "Under the model they are impossible" in repr(found)
    for ask in (
        lambda: next(instances(odd)),
        lambda: sample(odd, 1, under="model"),
        lambda: oddly.compare(odd, ~odd).probability(impossible),
    ):
        with pytest.raises(Unsupported, match="impossible|nothing is possible|no instance"):
            ask()


def test_contexts_too_many_for_a_word_are_told_apart_alike():
    rng = np.random.default_rng(2)
    children = rng.integers(0, 5, 200).astype(np.uint32)
    context = [rng.integers(0, 3, 200), rng.integers(0, 4, 200)]
    (first, which), (first_wide, which_wide) = (distinct([children, *(n * c for c in context)]) for n in (1, 1 << 40))
    assert len(first) == len(first_wide)
    assert len(set(zip(which.tolist(), which_wide.tolist(), strict=True))) == len(first)
    for found, place in ((first, which), (first_wide, which_wide)):
        assert np.array_equal(children[found][place], children)
        assert all(np.array_equal(column[found][place], column) for column in context)


def test_a_scoreboard_has_no_distribution_of_its_own():
    board = Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"])
    odd = ODD(board.variables, board.labels, (np.array([[0, 1]], np.uint32),), 0, (0,))
    assert not board.knows(["sky"])
    with pytest.raises(Unsupported, match="a scoreboard says nothing about how probable"):
        count(odd, under=board)


# ---- compiled ----


def test_a_compiled_network_is_weighed_by_itself():
    classifier = NetworkClassifier(published("asia"), "lung", ["xray", "dysp", "smoke"])
    odd = oddly.compile(classifier)
    full = joint(classifier)
    decided = odd.decide(every(full.shape[:-1])).reshape(full.shape[:-1])
    found = count(odd, exact=True)
    assert found.under == "the model"
    assert found.probability["yes"] == full[decided == odd.labels.index("yes")].sum()
    right = [
        full[(*codes, classifier.class_values.index(odd.labels[label]))] for codes, label in np.ndenumerate(decided)
    ]
    assert found.accuracy == sum(right)
    assert {i["xray"] for i in sample(odd, 50, "yes", "model")} == {"yes"}
    top, p = next(iter(instances(odd)))
    assert p == pytest.approx(float(full.sum(axis=-1).max()))
    assert classifier.posterior(top)


def test_two_networks_differ_with_the_probability_that_enumeration_gives():
    network = published("asia")
    first = NetworkClassifier(network, "lung", ["xray", "dysp", "smoke"], threshold="1/2")
    second = NetworkClassifier(network, "lung", ["xray", "smoke"], threshold="1/2")
    found = oddly.compare(first, second)
    full = joint(first)
    apart = Fraction(0)
    for x, d, s in np.ndindex(2, 2, 2):
        instance = {v.name: v.values[i] for v, i in zip(first.variables, (x, d, s), strict=True)}
        if (first.posterior(instance)[0] >= first.threshold) != (second.posterior(instance)[0] >= second.threshold):
            apart += full[x, d, s].sum()
    assert apart
    assert found.probability("a") == pytest.approx(float(apart))
    assert found.probability("b") == pytest.approx(float(apart))  # it is the same network
    probable = found.examples(3)
    assert [first.posterior(i) is not None for i in probable] == [True] * len(probable)


def test_many_classes_are_weighed_by_class():
    cpts = [
        CPT(f"A{i}", ["x", "y"], {"r": ["0.9", "0.1"], "g": ["0.5", "0.5"], "b": [f"0.{i + 1}", f"0.{9 - i}"]})
        for i in range(3)
    ]
    model = NaiveBayes("colour", ["r", "g", "b"], ["0.3", "0.3", "0.4"], cpts)
    odd = oddly.compile(model)
    found = count(odd, exact=True)
    full = joint(NetworkClassifier.of(model))
    decided = odd.decide(every(full.shape[:-1])).reshape(full.shape[:-1])
    for place, label in enumerate(odd.labels):
        assert found.probability[label] == full[decided == place].sum()
    best = [p for _, p in islice(instances(odd), 8)]
    assert best == pytest.approx(sorted((float(p) for p in full.sum(axis=-1).flat), reverse=True))


def improbable():
    """What was seen has a probability of 1e-400, far below any float, whatever the class and the attribute."""
    once = Fraction(1, 10**200)
    nodes = [
        Node("C", ["p", "q"], [], [["1/3", "2/3"]]),
        Node("A", ["x", "y"], ["C"], [["1/4", "3/4"], ["1/2", "1/2"]]),
        Node("E", ["e", "f"], ["A"], [[once, 1 - once], [3 * once, 1 - 3 * once]]),
        Node("F", ["e", "f"], ["C"], [[once, 1 - once], [once, 1 - once]]),
    ]
    return NetworkClassifier(Network(nodes), "C", ["A"], "p", evidence={"E": "e", "F": "e"})


def test_after_something_most_improbable_floats_are_as_near_as_ever():
    model = improbable()
    masses = joint(model)
    total = masses.sum()
    exact = oddly.count(model, exact=True).probability
    assert exact["q"] == sum(masses[i].sum() for i in range(2) if 2 * masses[i][0] < masses[i].sum()) / total
    for answer in (oddly.count(model), oddly.count(model, given={"A": "y"})):
        assert all(isinstance(p, float) for p in answer.probability.values())
        assert sum(answer.probability.values()) == pytest.approx(1)
    found = {instance["A"]: p for instance, p in oddly.instances(model)}
    assert found == pytest.approx({"x": float(masses[0].sum() / total), "y": float(masses[1].sum() / total)})
    drawn = oddly.sample(model, 2000, under="model")
    assert sum(i["A"] == "x" for i in drawn) / 2000 == pytest.approx(found["x"], abs=0.05)


def test_a_network_without_attributes_has_exact_probabilities_too():
    model = improbable().replace(attributes=[])
    answer = oddly.count(model, exact=True)
    masses = joint(model)
    assert answer.by_class == {"p": {"q": 1, "p": 0}, "q": {"q": 1, "p": 0}}
    assert answer.accuracy == masses[1] / masses.sum()
