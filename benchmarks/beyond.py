# SPDX-License-Identifier: Apache-2.0
"""Sizes and seconds beyond naive Bayes of two classes: many classes, trees over the attributes, hidden variables.

python -m benchmarks.beyond           prints the tables: about five minutes
python -m benchmarks.beyond quick     the smaller sizes only
python -m benchmarks.beyond write     prints them, and writes them into docs/beyond.md
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import oddly
from benchmarks import data
from benchmarks.agrum import in_pyagrum
from oddly import CPT, NaiveBayes
from oddly.diagram import ODD
from oddly.errors import OddlyError
from oddly.lowering import Families, frontiers
from oddly.model import Model, Network, NetworkClassifier, Node

PAGE = data.ROOT / "docs" / "beyond.md"
START, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SHORT = 0.5  # seconds; shorter work is done three times, and the best counts

LEARNED = {"votes": "republican", "spect-train": "1", "kr-vs-kp": "won", "mushroom": "e"}
LEAVES = [
    ("asia", "lung", None),
    ("child", "Disease", None),
    ("alarm", "HYPOVOLEMIA", None),
    ("insurance", "Accident", None),
    ("hailfinder", "Scenario", None),
    ("win95pts", "PTROFFLINE", "Offline"),
    ("win95pts", "PTROFFLINE", "Online"),
    ("andes", "SNode_117", "false"),
]
DRAWN = {"child": 0, "alarm": 1, "insurance": 0, "hailfinder": 2, "hepar2": 2, "andes": 0}  # and the seed
MOST_DRAWN = 1 << 22  # instances of a drawn classifier
NEEDED = data.tables(LEARNED) + data.networks([*(name for name, _, _ in LEAVES), *DRAWN])
SAMPLED = 100  # instances compared with another library, as the network draws them, and as many of all alike

Row = Sequence[str]


def main() -> None:
    """Measure, print, and write the page if that is asked for."""
    measure("quick" in sys.argv[1:], "write" in sys.argv[1:])


def measure(quick: bool = False, write: bool = False) -> None:
    """The tables, printed one after the other; written only if none is left out."""
    if write:
        data.stop_without(NEEDED)
    found = []
    for section in (many_classes, trees, learned, published):
        found.append(section(quick))
        print(found[-1], flush=True)
    if write:
        before, rest = PAGE.read_text().split(START)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{START}\n\n" + "\n".join(found) + f"\n{END}{after}")


# ---- the tables ----


def many_classes(quick: bool) -> str:
    """Random naive Bayes classifiers of three and five classes."""
    sizes = (10, 15) if quick else (10, 15, 20, 25)
    body = []
    for n in sizes:
        cells = [cell(random_naive_bayes(n, m, seed=n)) for m in (2, 3, 5)]
        body.append((str(n), *(cell for nodes, seconds, _ in cells for cell in (nodes, seconds))))
    head = ("n", "two classes", "", "three classes", "", "five classes", "")
    return table("### Many classes: nodes and seconds", head, body)


def trees(quick: bool) -> str:
    """Random trees over two-valued attributes, against the bound."""
    body = []
    for n in (16, 20, 24) if quick else (16, 20, 24, 28, 32, 36):
        nodes, seconds, odd = cell(random_tree(n, seed=n))
        assert odd is not None
        body.append((str(n), nodes, f"{odd.bound:,}", f"{_frontier(odd)}", f"{n.bit_length() - 1}", seconds))
    head = ("n", "nodes", "bound", "largest frontier", "⌊log2 n⌋", "seconds")
    return table("### Trees over the attributes", head, body)


def learned(quick: bool) -> str:
    """Trees learned from data, beside the naive Bayes of the same table."""
    title = "### Learned from data"
    if not (data.DATA / "uci").exists():
        return f"{title}\n\nLeft out: the data sets are not beside the project.\n"
    body = []
    for name, positive in LEARNED.items():
        for alpha in (0, 1):
            if quick and name == "mushroom":
                continue
            cells, odd = list[str](), None
            for structure in ("naive", "tan"):
                path = data.DATA / "uci" / f"{name}.csv"
                model = oddly.learn(path, "class", positive, alpha=alpha, structure=structure)
                nodes, seconds, odd = cell(model)
                cells += [nodes, seconds]
            assert odd is not None
            body.append((name, str(alpha), *cells, str(_frontier(odd)), f"{odd.count(positive):,}"))
    head = ("data", "alpha", "naive Bayes", "", "tree", "", "largest frontier", "positive under the tree")
    return table(title, head, body)


def published(quick: bool) -> str:
    """Published networks, the remaining variables hidden."""
    title = "### Networks with hidden variables"
    if not (data.DATA / "networks").exists():
        return f"{title}\n\nLeft out: the networks are not beside the project.\n"
    body = [_network_row("admission", admission())]
    for name, target, positive in LEAVES:
        if quick and name in ("hailfinder", "andes"):
            continue
        body.append(_network_row(f"{name}, leaves", _read(name).classifier(target, positive)))
    for name, seed in DRAWN.items():
        classifiers = [drawn(_read(name), most, seed) for most in ((8,) if quick else (8, 14, 20))]
        body += [_network_row(f"{name}, drawn", model) for model in dict.fromkeys(classifiers)]
    head = ("network", "class", "attributes", "hidden", "instances", "by", "nodes", "seconds", "as another library")
    return table(title, head, body)


def _read(name: str) -> Network:
    found = oddly.read(data.DATA / "networks" / f"{name}.bif")
    assert isinstance(found, Network)
    return found


def _network_row(name: str, model: NaiveBayes | NetworkClassifier) -> Row:
    print(f"  {name}, {model.class_name}", file=sys.stderr, flush=True)
    full = NetworkClassifier.of(model)
    hidden = len(full.relevant.nodes) - len(full.attributes) - 1
    nodes, seconds, odd = cell(model)
    target = f"{model.class_name}={model.positive}" if len(model.class_values) == 2 else model.class_name
    if odd is None:
        return (name, target, str(len(full.attributes)), str(hidden), "", "", nodes, seconds, "")
    way = {"Score": "sums", "Families": "sums", "Tabled": "table"}[type(odd.source).__name__]
    counts = f"{odd.instances:,}"
    if model.positive is not None:
        counts = f"{odd.count(odd.labels[1]):,} of {counts}"
    return (name, target, str(len(full.attributes)), str(hidden), counts, way, nodes, seconds, agreement(full, odd))


def _frontier(odd: ODD) -> int:
    """The most attributes that a depth has to remember."""
    if not isinstance(odd.source, Families):
        return 0
    return max(map(len, frontiers(odd.source.scopes, len(odd.variables))))


def cell(model: Model) -> tuple[str, str, ODD | None]:
    """Nodes, seconds from the model to the proof, and the diagram; or why there is none."""
    best = float("inf")
    for _ in range(3):
        start = perf_counter()
        try:
            odd = oddly.compile(model)
            assert odd.certificate.proven
        except OddlyError as why:
            return f"{type(why).__name__}: {why}", "", None
        best = min(best, perf_counter() - start)
        if best > SHORT:
            break
    return f"{odd.size:,}", f"{best:.3f} s" if best < 1 else f"{best:.1f} s", odd


# ---- models ----


def random_naive_bayes(n: int, classes: int, seed: int) -> NaiveBayes:
    """n two-valued attributes; every row of probabilities from counts of up to 999."""
    r = random.Random(seed)
    names = [f"c{i}" for i in range(classes)]
    prior = _row(r, classes)
    return NaiveBayes("C", names, prior, [CPT(f"A{i}", ["t", "f"], {c: _row(r, 2) for c in names}) for i in range(n)])


def random_tree(n: int, seed: int) -> NetworkClassifier:
    """Every attribute depends on the class and on one of the attributes before it, drawn at random."""
    r = random.Random(seed)
    nodes = [Node("C", ["yes", "no"], [], [_row(r, 2)])]
    for i in range(n):
        above = [f"A{r.randrange(i)}"] if i else []
        nodes.append(Node(f"A{i}", ["t", "f"], ["C", *above], [_row(r, 2) for _ in range(2 ** (1 + len(above)))]))
    return NetworkClassifier(Network(nodes), "C", [f"A{i}" for i in range(n)])


def _row(r: random.Random, size: int) -> list[Fraction]:
    counts = [r.randint(1, 999) for _ in range(size)]
    return [Fraction(c, sum(counts)) for c in counts]


def admission() -> NaiveBayes | NetworkClassifier:
    """The admission network of Shih, Choi and Darwiche (2018)."""
    given = {
        "FirstTimeApplicant": ("0.2", "0.7"),
        "EntranceExam": ("0.15", "0.4"),
        "GPA": ("0.11", "0.97"),
        "WorkExperience": ("0.1", "0.96"),
    }
    nodes = [Node("Admit", ["state0", "state1"], [], [["0.7", "0.3"]])]
    for name, chances in given.items():
        rows = [[1 - Fraction(p), Fraction(p)] for p in chances]
        nodes.append(Node(name, ["state0", "state1"], ["Admit"], rows))
    return Network(nodes).classifier("Admit", "state1")


def drawn(network: Network, most: int, seed: int) -> NetworkClassifier:
    """A classifier of a random variable from up to so many random others."""
    names = [str(name) for name in np.random.default_rng(seed).permutation([n.name for n in network.nodes])]
    target = next(name for name in names if len(network.node(name).values) > 1)
    attributes, size = list[str](), 1
    for name in names:
        arity = len(network.node(name).values)
        if name != target and len(attributes) < most and size * arity <= MOST_DRAWN:
            attributes.append(name)
            size *= arity
    return NetworkClassifier(network, target, attributes)


# ---- another library ----


def agreement(model: NetworkClassifier, odd: ODD) -> str:
    """Of sampled instances that are possible and no near-ties, how many another library's posterior decides alike."""
    try:
        gum: Any = import_module("pyagrum")
    except ImportError:
        return "not installed"
    engine = gum.LazyPropagation(in_pyagrum(model.network))
    engine.setTargets({model.class_name})
    alike = compared = 0
    codes = _sampled(model)
    for row, label in zip(codes, odd.decide(codes), strict=True):
        engine.setEvidence({v.name: v.values[i] for v, i in zip(model.variables, row, strict=True)})
        try:
            engine.makeInference()
            possible = engine.evidenceProbability() > 0
        except gum.GumException:
            possible = False
        theirs, lead = _decided(model, engine.posterior(model.class_name).toarray()) if possible else (0, 0.0)
        if lead > 1e-9:
            compared += 1
            alike += theirs == label
    return f"{alike} of {compared}"


def _sampled(model: NetworkClassifier) -> NDArray[np.intp]:
    """Instances as the network draws them, and as many of all alike, as value indices."""
    rng = np.random.default_rng(0)
    values: dict[str, NDArray[np.intp]] = {}
    for node in model.network.topological:
        row = np.zeros(SAMPLED, np.intp)
        for parent in node.parents:
            row = row * len(model.network.node(parent).values) + values[parent]
        above = np.cumsum(np.array(node.table, float), axis=1)[row]
        values[node.name] = (rng.random(SAMPLED)[:, None] * above[:, -1:] >= above).sum(axis=1)
    likely = np.stack([values[name] for name in model.attributes], axis=1)
    uniform = rng.integers(0, [len(v.values) for v in model.variables], likely.shape)
    return np.concatenate([likely, uniform])


def _decided(model: NetworkClassifier, masses: NDArray[Any]) -> tuple[int, float]:
    """The place of the label, and by how much it was chosen."""
    if model.positive is None:
        first, second = np.sort(masses)[:-3:-1]
        return int(np.argmax(masses)), float(first - second)
    over = float(masses[model.class_values.index(model.positive)]) - float(model.threshold)
    return int(over > 0), abs(over)


def table(title: str, head: Row, body: Sequence[Row]) -> str:
    lines = [title + "\n", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body)]) + "\n"


if __name__ == "__main__":
    main()
