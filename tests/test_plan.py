# SPDX-License-Identifier: Apache-2.0
"""What will be done about a model: said in a sentence, never less than what is built, and refused at once or not at all."""

import re
import time

import pytest
from hypothesis import given, settings

import oddly
from networks import DATA, network_classifiers
from oddly.compiler import planned
from oddly.engine.plan import ChainPlan, SumsPlan, TablePlan
from oddly.model import Network, Node
from strategies import naive_bayes, scorecards


def most(sentence):
    """The number that a plan says its diagram has at most, in nodes or cells."""
    found = re.search(r"(?:at most|table of) ([\d,]+|10\^\d+) (?:nodes|cells)", sentence)
    assert found, sentence
    return eval(found[1].replace(",", "").replace("^", "**"))


@settings(max_examples=60, deadline=None)
@given(naive_bayes() | scorecards())
def test_no_diagram_has_more_nodes_than_its_plan_says(model):
    for order in ("ascending", "descending"):
        plan = planned(model, order)
        assert type(plan) is SumsPlan
        assert plan.build().size <= most(plan.sentence)


@settings(max_examples=60, deadline=None)
@given(network_classifiers())
def test_a_plan_is_built_as_it_says(classifier):
    plan = planned(classifier)
    odd = plan.build()
    assert isinstance(plan, TablePlan) <= (odd.source.__class__.__name__ == "Tabled")
    assert odd == oddly.compile(classifier)
    if isinstance(plan, TablePlan):
        assert most(plan.sentence) <= odd.instances
    else:
        assert odd.size <= most(plan.sentence)


def test_equal_partial_sums_are_counted_once():
    """Thirty attributes of one point each: k + 1 sums at depth k, where the theorem knows 2^k prefixes."""
    points = [oddly.Points(f"A{i}", ["no", "yes"], [0, 1]) for i in range(30)]
    plan = planned(oddly.Scorecard(points, cutoff=15))
    assert most(plan.sentence) == sum(min(k + 1, 30 - k + 2) for k in range(30)) + 2
    assert plan.build().size <= most(plan.sentence)


def chain(length):
    nodes = [Node("H0", ["a", "b"], [], [["1/2", "1/2"]])]
    for i in range(length):
        nodes.append(Node(f"H{i + 1}", ["a", "b"], [f"H{i}"], [["9/10", "1/10"], ["1/5", "4/5"]]))
        nodes.append(Node(f"A{i}", ["x", "y"], [f"H{i + 1}"], [["7/10", "3/10"], ["2/5", "3/5"]]))
    return Network(nodes).classifier("H0", "a", attributes=[f"A{i}" for i in range(length)])


def test_long_chains_are_followed_and_short_ones_added_up():
    assert type(planned(chain(4))) is SumsPlan
    long = planned(chain(30))
    assert type(long) is ChainPlan
    assert "chain of hidden variables" in long.sentence
    with pytest.raises(oddly.Unsupported, match="one by one"):
        planned(chain(30), engine="native")


def test_a_table_that_memory_cannot_hold_is_refused_before_any_work():
    nodes = [Node("C", ["p", "q", "r"], [], [["1/2", "1/4", "1/4"]])]
    nodes += [Node(f"A{i}", ["x", "y"], ["C"], [["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]]) for i in range(16)]
    model = Network(nodes).classifier("C", "p")
    assert "table of 65,536 cells" in planned(model).sentence
    with pytest.raises(oddly.TooLarge, match="65,536 instances to decide one by one, 1,024 allowed"):
        oddly.compile(model, max_memory=1 << 13)


@pytest.mark.skipif(not DATA.exists(), reason="the public networks are not here")
@pytest.mark.parametrize(
    ("name", "target"), [("hepar2", "PBC"), ("hepar2", "Cirrhosis"), ("pathfinder", "F29"), ("pathfinder", "Fault")]
)
def test_public_networks_that_cannot_fit_are_refused_at_once(name, target):
    network = oddly.read(DATA / f"{name}.bif")
    leaves = [leaf for leaf in network.leaves if leaf != target]
    model = network.classifier(target, network.node(target).values[0], attributes=leaves)
    started = time.process_time()
    with pytest.raises(oddly.TooLarge, match=r"Try (fewer|attributes=\[)"):
        oddly.compile(model)
    assert time.process_time() - started < 10
