# SPDX-License-Identifier: Apache-2.0
"""Advice on which attributes to leave out of a network that is too large: it is followed, and then it fits."""

import re
import shlex
from pathlib import Path

import pytest

import oddly
from oddly.cli import main
from oddly.engine import fewer
from oddly.engine.plan import plan
from oddly.errors import TooLarge
from oddly.model import Network, NetworkClassifier, Node

NETWORKS = Path(__file__).parents[1] / ".." / "shared" / "data" / "networks"


def star(leaves, values=4):
    """A class behind one hidden variable that ties all leaves together; leaf number i tells the more, the greater i."""
    names = [f"v{k}" for k in range(values)]
    hidden = Node("H", names, ["C"], [["1/4"] * 4, ["1/2", "1/4", "1/8", "1/8"]])
    nodes = [Node("C", ["yes", "no"], [], [["1/2", "1/2"]]), hidden]
    for i in range(leaves):
        sure = [[f"{100 + 50 * i if k == j else 100}/{400 + 50 * i}" for j in range(values)] for k in range(values)]
        nodes.append(Node(f"L{i}_0", names, ["H"], sure))
    return Network(nodes)


def test_the_most_telling_attributes_are_kept_and_no_other_would_fit():
    model = NetworkClassifier(star(14), "C")
    with pytest.raises(TooLarge, match=r"which leaves out \d+ of 14") as error:
        plan(model)
    kept = eval(re.search(r"attributes=(\[.*?\])", str(error.value))[1])
    assert kept == [f"L{i}_0" for i in range(14 - len(kept), 14)]
    plan(model.restricted(kept))
    with pytest.raises(TooLarge):
        plan(model.restricted([*kept, "L0_0"]))


def test_what_bears_on_the_class_by_itself_is_kept():
    network = star(14)
    free = Node("free", ["a", "b"], ["C"], [["1/3", "2/3"], ["1/2", "1/2"]])
    model = NetworkClassifier(Network([*network.nodes, free]), "C")
    assert "free" not in fewer.tied_attributes(model)
    with pytest.raises(TooLarge, match=r"attributes=\[.*'free'\], which leaves out") as error:
        plan(model)
    assert "L0_0" in str(error.value).partition("leaves out")[2]


def test_the_command_says_it_ready_to_be_pasted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    oddly.write(star(14), "star.json")
    assert main(["compile", "star.json", "--class", "C"]) == 3
    option = re.search(r"Try (--attributes .*?), which leaves out", capsys.readouterr().err)[1]
    assert main(["info", "star.json", "--class", "C", *shlex.split(option)]) == 0
    assert "entries" not in capsys.readouterr().out
    assert main(["info", "star.json", "--class", "C"]) == 0
    assert f"Try {option}, which leaves out" in capsys.readouterr().out


def test_a_search_without_time_says_what_it_always_said(monkeypatch):
    monkeypatch.setattr(fewer, "SECONDS", -1.0)
    with pytest.raises(TooLarge, match="Try fewer of these as attributes"):
        plan(NetworkClassifier(star(14), "C"))


@pytest.mark.parametrize(
    ("name", "target", "most"),
    [
        ("hepar2", "Cirrhosis", None),
        ("pathfinder", "Fault", None),
        ("hailfinder", "Scenario", None),
        ("andes", "GOAL_2", 40),
    ],
)
def test_advice_on_published_networks_does_not_fail_again(name, target, most):
    if not (NETWORKS / f"{name}.bif").exists():
        pytest.skip("no shared data")
    network = oddly.read(NETWORKS / f"{name}.bif")
    names = [n for n in network.leaves if n != target]
    others = [n.name for n in network.nodes if n.name != target and n.name not in names]
    model = network.classifier(target, attributes=[*names, *others][:most] if most else names)
    try:
        plan(model)
    except TooLarge as error:
        kept = eval(re.search(r"attributes=(\[.*?\])", str(error))[1])
        assert 0 < len(kept) < len(model.attributes)
        plan(model.restricted(kept))
