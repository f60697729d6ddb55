# SPDX-License-Identifier: Apache-2.0
"""Small random networks, and what they say by the definition: every value of every variable, in exact fractions."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

import oddly
from oddly.model import Network, NetworkClassifier, Node
from strategies import rows

DATA = Path(__file__).parents[2] / "shared" / "data" / "networks"
MOST_STATES = 800  # of all variables together


@st.composite
def networks(draw, most=6):
    """Variables with up to three values, one-valued ones among them, and up to three parents each."""
    zeros = draw(st.booleans())
    sizes, nodes, states = [], [], 1
    for i in range(draw(st.integers(1, most))):
        size = draw(st.sampled_from([2, 2, 2, 3, 1] if i else [2, 3]))
        if states * size > MOST_STATES:
            break
        states *= size
        parents = draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else []
        combinations = int(np.prod([sizes[p] for p in parents], dtype=int))
        table = [draw(rows(size, zeros)) for _ in range(combinations)]
        nodes.append(Node(f"N{i}", [f"v{v}" for v in range(size)], [f"N{p}" for p in parents], table))
        sizes.append(size)
    return Network(draw(st.permutations(nodes)))


@st.composite
def network_classifiers(draw, evidence=True):
    """Any variable as the class, any others as attributes or evidence, the rest hidden; thresholds 0 and 1 too."""
    network = draw(networks())
    target = draw(st.sampled_from([n for n in network.nodes if len(n.values) > 1]))
    others = draw(st.permutations([n for n in network.nodes if n is not target]))
    roles = [draw(st.sampled_from("aaahe" if evidence else "aaah")) for _ in others]
    known = {n.name: draw(st.sampled_from(n.values)) for n, role in zip(others, roles, strict=True) if role == "e"}
    return NetworkClassifier(
        network,
        target.name,
        [n.name for n, role in zip(others, roles, strict=True) if role == "a"],
        draw(st.sampled_from([None, *target.values])),
        draw(st.sampled_from(["1/2", "1/3", "0.9", "0", "1"])),
        draw(st.sampled_from(["positive", "negative"])),
        known,
    )


def joint(classifier):
    """Pr(attributes, class, evidence), an axis per attribute and the class last: a sum over everything else."""
    nodes = classifier.network.nodes
    place = {node.name: i for i, node in enumerate(nodes)}
    known = [(place[name], nodes[place[name]].values.index(value)) for name, value in classifier.evidence]
    axes = [place[name] for name in (*classifier.attributes, classifier.class_name)]
    parents = [[place[p] for p in node.parents] for node in nodes]
    found = np.full([len(nodes[i].values) for i in axes], Fraction(0), object)
    for values in product(*(range(len(node.values)) for node in nodes)):
        if any(values[i] != v for i, v in known):
            continue
        weight = Fraction(1)
        for node, above, value in zip(nodes, parents, values, strict=True):
            row = 0
            for parent in above:
                row = row * len(nodes[parent].values) + values[parent]
            weight *= node.table[row][value]
        found[tuple(values[i] for i in axes)] += weight
    return found


def decision(classifier, masses, impossible="negative"):
    """The place of an instance's label, from its probability with each class; and whether that was a tie."""
    total = sum(masses)
    if classifier.positive is None:
        best = max(masses)
        return list(masses).index(best), bool(best) and list(masses).count(best) > 1
    if not total:
        return int(impossible == "positive"), False
    p = masses[classifier.class_values.index(classifier.positive)] / total
    tie = p == classifier.threshold
    return int(p > classifier.threshold or (tie and classifier.ties == "positive")), tie and 0 < p < 1


def decisions(classifier, impossible="negative"):
    """The decisions of all instances, an axis per attribute, and how many are ties."""
    masses = joint(classifier)
    shape = masses.shape[:-1]
    found = [decision(classifier, masses[i], impossible) for i in np.ndindex(*shape)]
    return np.array([label for label, _ in found]).reshape(shape), sum(tie for _, tie in found)


def every(shape):
    """Every instance as a row of value indices."""
    rows = list(product(*(range(size) for size in shape)))
    return np.array(rows, np.intp).reshape(len(rows), len(shape))


def published(name):
    """A network of the public repository, or one line that says it is not here."""
    path = DATA / f"{name}.bif"
    if not path.exists():
        pytest.skip(f"no {name}.bif beside the project")
    return oddly.read(path)
