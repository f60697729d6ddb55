# SPDX-License-Identifier: Apache-2.0
"""Diagrams in other libraries' forms have as many models as there are instances, and decide each as we do."""

import re
from itertools import product

import dd.autoref
import dd.dddmp
import networkx
import oxidd.bcdd
import oxidd.util
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oddly
from networks import network_classifiers
from oddly import Points, Scoreboard, Scorecard, Tally
from oddly.errors import UnknownValue, Unsupported
from oddly.export import to_cnf, to_dd, to_dddmp, to_graphml, to_networkx, to_oxidd, to_sdd
from oddly.export.bits import binary
from strategies import classifiers

FEW = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
ANY = classifiers() | network_classifiers()


def bits_of(odd, instance):
    """The truth of every bit, from the root down, by the documented encoding."""
    found = []
    for v in odd.variables:
        many, place = (len(v.values) - 1).bit_length(), v.index(instance[v.name])
        found += [bool(place >> (many - 1 - k) & 1) for k in range(many)]
    return found


def instances(odd):
    names = [v.name for v in odd.variables]
    return [dict(zip(names, row, strict=True)) for row in product(*(v.values for v in odd.variables))]


@FEW
@given(model=ANY, which=st.integers(0, 2))
def test_dd_counts_and_decides_as_we_do(model, which):
    odd = oddly.compile(model)
    label = odd.labels[which % len(odd.labels)]
    manager, function = to_dd(odd, label)
    names = [bit.name for bit in binary(odd, label).bits]
    assert manager.count(function, nvars=len(names)) == odd.count(label)
    for instance in instances(odd)[:40]:
        known = dict(zip(names, bits_of(odd, instance), strict=True))
        assert (manager.let(known, function) == manager.true) == (odd.classify([instance])[0] == label)


@FEW
@given(model=ANY, which=st.integers(0, 2))
def test_oxidd_counts_and_decides_as_we_do(model, which):
    odd = oddly.compile(model)
    label = odd.labels[which % len(odd.labels)]
    _, function = to_oxidd(odd, label)
    many = len(binary(odd, label).bits)
    assert function.sat_count(many) == odd.count(label)
    for instance in instances(odd)[:40]:
        assert function.eval(list(enumerate(bits_of(odd, instance)))) == (odd.classify([instance])[0] == label)


@FEW
@given(model=classifiers())
def test_pysdd_counts_as_we_do(model):
    pytest.importorskip("pysdd")
    odd = oddly.compile(model)
    _, node = to_sdd(odd)
    free = 0 if binary(odd).bits else 1  # it has at least one variable
    assert node.global_model_count() == odd.count(odd.labels[1]) << free


@FEW
@given(model=ANY)
def test_a_dddmp_file_is_read_by_dd_and_by_oxidd(model, tmp_path):
    odd = oddly.compile(model)
    label = odd.labels[-1]
    found = binary(odd, label)
    path = tmp_path / "made.dddmp"
    path.write_text(to_dddmp(odd, label))
    if found.nodes:  # neither reads a diagram without any
        manager = dd.dddmp.load(str(path))
        (root,) = manager.roots
        assert manager.count(root, nvars=len(found.bits)) == odd.count(label)
        path.write_text(re.sub("^#.*\n", "", path.read_text(), flags=re.MULTILINE))
        assert counted_by_oxidd(path, len(found.bits)) == odd.count(label)


def counted_by_oxidd(path, many):
    manager = oxidd.bcdd.BCDDManager(1 << 16, 1 << 12, 1)
    manager.add_vars(many)
    (function,) = manager.import_dddmp(oxidd.util.DDDMPFile(str(path)))
    return function.sat_count(many)


@FEW
@given(model=ANY)
def test_clauses_have_one_assignment_per_instance_of_the_label(model):
    odd = oddly.compile(model)
    label = odd.labels[-1]
    many, clauses = read_cnf(to_cnf(odd, label))
    manager = dd.autoref.BDD()
    manager.declare(*(f"v{i}" for i in range(1, many + 1)))
    both = manager.true
    for clause in clauses:
        either = manager.false
        for literal in clause:
            side = manager.var(f"v{abs(literal)}")
            either |= side if literal > 0 else ~side
        both &= either
    assert manager.count(both, nvars=many) == odd.count(label)


def read_cnf(text):
    lines = [line for line in text.splitlines() if not line.startswith("c ")]
    many, stated = map(int, re.fullmatch(r"p cnf (\d+) (\d+)", lines[0]).groups())
    clauses = [[int(word) for word in line.split()][:-1] for line in lines[1:]]
    assert all(line.endswith("0") for line in lines[1:])
    assert stated == len(clauses)
    return many, clauses


@FEW
@given(model=ANY)
def test_graphs_lead_as_many_instances_to_each_label(model):
    odd = oddly.compile(model)
    graph = to_networkx(odd)
    again = networkx.parse_graphml(to_graphml(odd), node_type=int, force_multigraph=True)
    for found in (graph, again):
        assert len(found) == odd.reduced_size
        for label in odd.labels:
            assert counted(found, odd, label) == odd.count(label)
        node = int(found.graph["root"])
        for instance in instances(odd)[:20]:
            assert reached(found, node, instance) == odd.classify([instance])[0]


def counted(graph, odd, label):
    """Instances that reach a label: per node those of the attributes below it, skipped ones included."""
    arities = odd.arities

    def between(high, low):
        many = 1
        for arity in arities[high:low]:
            many *= arity
        return many

    ways = {}
    for node, told in sorted(graph.nodes(data=True), key=lambda pair: -pair[1]["depth"]):
        if "label" in told:
            ways[node] = int(told["label"] == label)
            continue
        edges = graph.out_edges(node)
        ways[node] = sum(ways[child] * between(told["depth"] + 1, graph.nodes[child]["depth"]) for _, child in edges)
    root = int(graph.graph["root"])
    return ways[root] * between(0, graph.nodes[root]["depth"])


def reached(graph, node, instance):
    while "label" not in graph.nodes[node]:
        value = instance[graph.nodes[node]["attribute"]]
        (node,) = [child for _, child, told in graph.out_edges(node, data=True) if told["value"] == value]
    return graph.nodes[node]["label"]


# ---- what the files say ----


def test_every_file_says_where_it_comes_from():
    model = oddly.examples.pregnancy()
    for text in (to_dddmp(model), to_cnf(model), to_graphml(model)):
        assert "SHA-256 of the model: 11d3911e10be" in text
        assert "Certificate: proven; the closest instance is 1.13" in text
    assert 'c 1: of the place from 0 on of "B" in ["+ve", "-ve"]' in to_cnf(model)


def test_names_that_are_hard_to_write_stay_in_their_lines():
    card = Scorecard(
        [Points("a\nb", ["x", "y\r\n0", "日本"], [0, 1, 2]), Points("a\nb.0", ["x", "y"], [0, 1])], cutoff=2
    )
    odd = oddly.compile(card)
    many, _ = read_cnf(to_cnf(odd))
    assert many == 3 + len(binary(odd).nodes)
    assert len({bit.name for bit in binary(odd).bits}) == 3
    assert len(networkx.parse_graphml(to_graphml(odd))) == odd.reduced_size
    assert to_dddmp(odd).isascii()


def test_what_cannot_be_written_says_why():
    board = Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"])
    with pytest.raises(Unsupported, match="say which of sun, rain, snow"):
        to_cnf(board)
    with pytest.raises(UnknownValue, match="hail"):
        to_cnf(board, "hail")
    with pytest.raises(Unsupported, match="XML"):
        to_graphml(Scorecard([Points("a\x01", ["x", "y"], [0, 1])], cutoff=1))
