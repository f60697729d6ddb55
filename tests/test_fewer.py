# SPDX-License-Identifier: Apache-2.0
"""Advice on which attributes to leave out of a network that is too large: it is followed, and then it fits."""

import re
import shlex
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

import oddly
from oddly.cli import main
from oddly.engine import fewer, fewest, table
from oddly.engine import plan as planning
from oddly.engine.plan import plan
from oddly.errors import TooLarge
from oddly.model import Network, NetworkClassifier, Node, elimination
from oddly.runtime import limited

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
        advised = [eval(kept) for kept in re.findall(r"attributes=(\[.*?\])", str(error))]
        assert [len(kept) for kept in advised] == sorted({len(kept) for kept in advised})
        assert all(advised)
        assert len(advised[-1]) < len(model.attributes)
        for kept in advised:
            plan(model.restricted(kept))
        assert len(advised) == 2 or name not in ("hepar2", "pathfinder")
    else:
        assert name == "hailfinder"


@pytest.fixture
def small(monkeypatch):
    """Limits that a network of a few attributes exceeds."""
    for module, name, value in [
        (elimination, "MOST_ENTRIES", 64),
        (planning, "MOST_ENTRIES", 64),
        (planning, "LARGE", 64),
        (planning, "MOST_INSTANCES", 64),
        (planning, "SMALL", 64),
        (fewest, "MOST_INSTANCES", 64),
        (table, "MOST_INSTANCES", 64),
    ]:
        monkeypatch.setattr(module, name, value)


def tangled(seed):
    """A class, hidden variables and attributes at random: some tied together twice, some above others, some zeros."""
    r = Random(seed)
    nodes = [Node("C", ["yes", "no"], [], [["1/3", "2/3"]])]
    for i in range(11):
        above = sorted(r.sample([n.name for n in nodes], min(len(nodes), r.choice([1, 1, 2]))))
        values = [f"v{k}" for k in range(r.choice([1, 2, 2, 3]))]
        rows = [[r.randint(0, 4) for _ in values] for _ in range(_rows(nodes, above))]
        nodes.append(Node(f"{r.choice('HAA')}{i}", values, above, [_shares(row) for row in rows]))
    return NetworkClassifier(Network(nodes), "C", [n.name for n in nodes if n.name[0] == "A"])


def _rows(nodes, above):
    sizes = {n.name: len(n.values) for n in nodes}
    return sizes[above[0]] * (sizes[above[1]] if above[1:] else 1)


def _shares(row):
    row = row if any(row) else [1] * len(row)
    return [f"{n}/{sum(row)}" for n in row]


def least(model):
    """How few attributes have to go, by trying them all."""
    for size in range(1, len(model.attributes)):
        for gone in combinations(model.attributes, size):
            if _is_planned(model, gone):
                return size
    return None


def _is_planned(model, gone):
    try:
        planning._plan(model.restricted([n for n in model.attributes if n not in gone]), "auto", "negative", "auto")
    except (TooLarge, oddly.errors.Unsupported):
        return False
    return True


@pytest.mark.parametrize("positive", [None, "yes"])
def test_the_fewest_to_leave_out_are_as_few_as_brute_force_finds(small, positive):
    refused = 0
    for seed in range(120):
        model = tangled(seed).replace(positive=positive)
        if not _is_planned(model, ()):
            refused += 1
            few = fewest.fewest(model, lambda names, m=model: _is_planned(m, {*m.attributes} - {*names}), 64, 60)
            assert (few and few.proven and len(few.left_out)) == least(model), seed
            assert few is None or _is_planned(model, few.left_out)
    assert refused > 10


def test_the_outline_of_a_network_has_its_blocks(small):
    for seed in range(60):
        model = tangled(seed)
        outline = fewest._TiedOutline(model, 64)
        for gone in combinations(model.attributes, 2):
            rest = model.restricted([n for n in model.attributes if n not in gone])
            names = [{n for p in block for n in p.names} for block in fewer.class_blocks(rest)]
            kept = sorted(sum(outline._bits[n] for n in some & {"C", *rest.attributes}) for some in names)
            assert kept == sorted(block.kept for block in outline.blocks(gone))
            if outline.hopeless(gone):
                assert not _is_planned(model, gone)


def lopsided():
    """Small attributes that tell much, and large ones that tell nothing, behind one hidden variable."""
    names, many = ["v0", "v1", "v2"], [f"w{k}" for k in range(32)]
    nodes = [Node("C", ["yes", "no"], [], [["1/2", "1/2"]])]
    nodes += [Node("H", names, ["C"], [["1/3"] * 3, ["1/2", "1/4", "1/4"]])]
    nodes += [Node(f"S{i}", ["a", "b"], ["H"], [["9/10", "1/10"], ["1/2", "1/2"], ["1/10", "9/10"]]) for i in range(24)]
    tells = [["1/64"] * 31 + ["33/64"], ["1/32"] * 32, ["33/64"] + ["1/64"] * 31]
    return NetworkClassifier(Network([*nodes, *(Node(f"W{i}", many, ["H"], tells) for i in range(2))]), "C")


def test_the_command_says_the_fewest_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model = lopsided()
    monkeypatch.setattr(fewer._Search, "ranked", lambda self, names: tuple(sorted(names, key=lambda n: n[0] != "W")))
    oddly.write(model.network, "lopsided.json")
    assert main(["info", "lopsided.json", "--class", "C"]) == 0
    said = capsys.readouterr().out
    option = re.search(r", or (--attributes \S+), which leaves out 2 of 26 \(W0, W1\), the fewest that do", said)[1]
    assert main(["info", "lopsided.json", "--class", "C", *shlex.split(option)]) == 0
    assert "entries" not in capsys.readouterr().out


def test_a_search_that_did_not_see_every_smaller_set_claims_nothing(monkeypatch):
    monkeypatch.setattr(fewest, "MOST_SETS", 20)
    model = NetworkClassifier(star(14), "C")
    few = fewest.fewest(model, lambda names: len(names) <= 11, 1, 60)
    assert len(few.left_out) == 3
    assert not few.proven


def test_the_search_for_the_fewest_is_polled():
    def stop(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), limited({"progress": stop}):
        fewest.fewest(NetworkClassifier(star(14), "C"), lambda names: False, 1, 60)


def test_little_memory_refuses_a_block_and_the_memory_advised_holds_it():
    free = [Node(f"F{i}", ["a", "b"], ["C"], [["1/3", "2/3"], ["1/2", "1/2"]]) for i in range(6)]
    model = NetworkClassifier(Network([*star(9).nodes, *free]), "C")
    plan(model)
    with (
        pytest.raises(TooLarge, match="524,288 entries .* 125,000 allowed") as error,
        limited({"max_memory": 8_000_000}),
    ):
        plan(model)
    with limited({"max_memory": 8_000_000}):
        for kept in re.findall(r"attributes=(\[.*?\])", str(error.value)):
            plan(model.restricted(eval(kept)))
    with limited({"max_memory": int(re.search(r"or max_memory=([\d_]+)", str(error.value))[1])}):
        plan(model)
