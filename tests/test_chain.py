# SPDX-License-Identifier: Apache-2.0
"""Long chains of hidden variables, searched by sectors: the same diagrams as the table's, and past any table."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import decisions, every
from oddly.diagram import ODD
from oddly.engine.chain import chain_order, decide_chain
from oddly.engine.table import decide_table
from oddly.errors import TooLarge, Unsupported
from oddly.model import Network, NetworkClassifier, Node
from oddly.runtime import Limits, Watch
from strategies import rows


@st.composite
def chains(draw, most=4):
    """States that follow one another, each seen through attributes that may depend on the last one; a class somewhere."""
    nodes, attributes = [], []

    def add(name, size, parents):
        combinations = int(np.prod([len(p.values) for p in parents], dtype=int))
        table = [draw(rows(size, False)) for _ in range(combinations)]
        nodes.append(Node(name, [f"v{i}" for i in range(size)], [p.name for p in parents], table))
        return nodes[-1]

    state = add("S0", 2, [])
    for i in range(draw(st.integers(1, most))):
        state = add(f"S{i + 1}", 2, [state]) if draw(st.booleans()) else state
        parents = [state] if draw(st.integers(0, 3)) else []
        parents += attributes[-1:] if draw(st.booleans()) else []
        attributes.append(add(f"A{i}", draw(st.sampled_from([1, 2, 2, 3])), parents))
    seen = add("E", 2, [state])
    leaf = add("C", draw(st.sampled_from([2, 3])), [state])
    states = [node for node in nodes if node.name[0] == "S"]
    target = draw(st.sampled_from([*states, leaf]))
    return NetworkClassifier(
        Network(nodes),
        target.name,
        [a.name for a in attributes],
        draw(st.sampled_from(target.values)),
        draw(st.sampled_from(["1/2", "1/3", "2/3", "0.9", "0", "1"])),
        draw(st.sampled_from(["positive", "negative"])),
        {seen.name: "v0"} if draw(st.booleans()) else {},
    )


def searched(classifier, order):
    levels, root, _ = decide_chain(classifier, order)
    variables = tuple(classifier.variables[i] for i in order)
    return ODD(variables, classifier.labels, tuple(levels), root, tuple(order))


@settings(deadline=None)
@given(chains(), st.data())
def test_a_chain_is_decided_as_the_definition_says(classifier, data):
    places = list(range(len(classifier.attributes)))
    order = data.draw(st.sampled_from([places, places[::-1]]) | st.permutations(places))
    try:
        odd = searched(classifier, order)
    except Unsupported:
        assume(False)
    expected, ties = decisions(classifier)
    assert decide_chain(classifier, order)[2].ties == (ties if 0 < classifier.threshold < 1 else 0)
    assert np.array_equal(odd.decide(every(expected.shape)).reshape(expected.shape), expected)
    levels, root, _ = decide_table(classifier, order)
    assert odd == ODD(odd.variables, odd.labels, tuple(levels), root, odd.places)


@settings(deadline=None)
@given(chains())
def test_a_chain_can_be_read_from_its_beginning_or_from_its_end(classifier):
    if classifier.class_name in ("S0", "C"):  # elsewhere the class itself has to wait with a state
        assert searched(classifier, chain_order(classifier)).size


def steady(length, target=0):
    """A hidden state that seldom changes, seen dimly at each step; the class is where it began, or is at some step."""
    nodes = [Node("S0", ["a", "b"], [], [["0.4", "0.6"]])]
    for i in range(length):
        nodes.append(Node(f"S{i + 1}", ["a", "b"], [f"S{i}"], [["0.95", "0.05"], ["0.1", "0.9"]]))
        nodes.append(Node(f"A{i}", ["a", "b"], [f"S{i + 1}"], [["0.7", "0.3"], ["0.2", "0.8"]]))
    return NetworkClassifier(Network(nodes), f"S{target}", [f"A{i}" for i in range(length)])


def test_many_steps_agree_with_the_posterior_on_random_instances():
    classifier = steady(27)
    odd = searched(classifier, range(27))
    assert odd.instances == 2**27
    rng = np.random.default_rng(7)
    for codes in rng.integers(0, 2, (60, 27)):
        instance = {v.name: v.values[i] for v, i in zip(classifier.variables, codes, strict=True)}
        positive = classifier.posterior(instance)[0] >= classifier.threshold
        assert odd.labels[odd.decide(codes[None])[0]] == ("a" if positive else "b")


def test_compiling_falls_back_on_the_chain_where_no_table_would_do(tmp_path):
    classifier = steady(28)
    odd = oddly.compile(classifier)
    words = "proven; no instance exactly on the threshold; how close the others come was not worked out"
    assert repr(odd.certificate) == f"Certificate: {words}"
    odd.save(tmp_path / "chain.odd")
    assert repr(oddly.load(tmp_path / "chain.odd").certificate) == repr(odd.certificate)
    assert odd.instances == 2**28
    assert odd.certificate.proven
    assert odd == searched(classifier, chain_order(classifier))
    assert oddly.count(odd, "a").probability["a"] == pytest.approx(0.4, abs=0.2)


def test_limits_hold_and_what_is_no_chain_is_refused():
    with pytest.raises(TooLarge, match="100 allowed"):
        decide_chain(steady(30), range(30), Watch(limits=Limits(max_nodes=100)))
    zero = Node("A0", ["a", "b"], ["S0"], [["1", "0"], ["0.2", "0.8"]])
    with_zero = NetworkClassifier(Network([steady(1).network.nodes[0], zero]), "S0", ["A0"])
    with pytest.raises(Unsupported, match="no probability of zero"):
        decide_chain(with_zero, [0])
    with pytest.raises(Unsupported, match="more than one two-valued variable"):
        decide_chain(steady(8), [0, 7, 1, 6, 2, 5, 3, 4])


def test_a_prefix_that_leaves_nothing_to_weigh_is_told_apart_from_its_neighbours():
    """The third state forgets the second: a prefix that ties leaves the zero vector, and no other prefix does."""
    rows = {"S1": ["2/3 1/3", "1/4 3/4"], "A0": ["1/4 3/4", "1/2 1/2"], "S2": ["1/4 3/4", "1/2 1/2"]}
    rows |= {"A1": ["1/3 2/3"] * 2, "S3": ["1/3 2/3"] * 2, "A2": ["1/4 3/4", "1/2 1/2"]}
    parents = {"S1": "S0", "A0": "S1", "S2": "S1", "A1": "S2", "S3": "S2", "A2": "S3"}
    nodes = [Node("S0", ["a", "b"], [], [["2/3", "1/3"]])]
    nodes += [Node(name, ["a", "b"], [parents[name]], [row.split() for row in rows[name]]) for name in rows]
    for ties in ("positive", "negative"):
        classifier = NetworkClassifier(Network(nodes), "S0", ["A0", "A1", "A2"], "a", "32/53", ties)
        expected, tied = decisions(classifier)
        odd = searched(classifier, range(3))
        assert np.array_equal(odd.decide(every(expected.shape)).reshape(expected.shape), expected)
        assert decide_chain(classifier, range(3))[2].ties == tied == 4


def test_a_search_keeps_to_the_memory():
    with pytest.raises(TooLarge, match="1 MB allowed"):
        decide_chain(steady(30), range(30), Watch(limits=Limits(max_memory=1_000_000)))
