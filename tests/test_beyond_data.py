# SPDX-License-Identifier: Apache-2.0
"""Real data and published networks beyond naive Bayes of two classes: every row decided as the model says."""

from pathlib import Path

import numpy as np
import pytest

import oddly
import oracle
from networks import decisions, every, published
from oddly.diagram import ODD
from oddly.diagram.sources import Tabled
from oddly.engine.table import decide_table
from oddly.learning import read_table
from oddly.lowering import Families
from oddly.model import NaiveBayes, Network, NetworkClassifier, Node
from oddly.model.elimination import class_masses

UCI = Path(__file__).parents[2] / "shared" / "data" / "uci"


def table(name):
    """The columns of a data set, or one line that says it is not here."""
    path = UCI / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"no {name}.csv beside the project")
    return read_table(path)


def complete(columns, names):
    """The rows without a missing cell, as mappings."""
    rows = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows if "?" not in row and None not in row]


def exact_labels(model, codes):
    """What each row is decided as, from its probability with every class in whole numbers."""
    masses = class_masses(model, codes)[0]
    if model.positive is None:
        return [int(np.argmax(row)) for row in masses]
    at, p = model.class_values.index(model.positive), model.threshold
    return [int(any(row) and row[at] * (1 - p) >= (sum(row) - row[at]) * p) for row in masses]


# ---- trees over the attributes ----


@pytest.mark.parametrize(
    ("name", "positive", "alpha", "positives"),
    [
        ("votes", "republican", 1, 23_348),
        ("votes", "republican", 0, 14_857),
        ("spect-train", "1", 1, 3_342_032),
        ("spect-train", "1", 0, 809_461),
        ("kr-vs-kp", "won", 1, 20_830_596_838),
        ("kr-vs-kp", "won", 0, 86_130_053),
        ("mushroom", "e", 0, 50_674_220),
    ],
)
def test_a_learned_tree_decides_every_row_as_its_probabilities_do(name, positive, alpha, positives):
    columns = table(name)
    model = oddly.learn(columns, "class", positive, alpha=alpha, structure="tan")
    odd = oddly.compile(model)
    assert isinstance(odd.source, Families)
    assert odd.certificate.proven
    assert odd.count(positive) == positives
    assert odd.size <= odd.bound
    rows = complete(columns, model.attributes)
    codes = odd.encode(rows)
    assert odd.decide(codes).tolist() == exact_labels(model, codes)
    anything = np.random.default_rng(1).integers(0, [len(v.values) for v in model.variables], (500, codes.shape[1]))
    assert odd.decide(anything).tolist() == exact_labels(model, anything)


def test_a_smoothed_tree_of_half_the_mushroom_attributes_decides_every_row():
    columns = table("mushroom")
    left_out = [name for name in columns if name != "class"][::2]
    model = oddly.learn(columns, "class", "e", alpha=1, structure="tan", missing="value", leave_out=left_out)
    odd = oddly.compile(model)
    assert odd.certificate.proven
    codes = odd.encode(columns)
    assert odd.decide(codes).tolist() == exact_labels(model, codes)


def test_two_parents_and_three_classes_decide_every_row_as_the_probabilities_do():
    columns = table("tic-tac-toe")
    middle = next(name for name in columns if "middle" in name)
    model = oddly.learn(columns, middle, alpha=1, structure="kdb", k=2)
    assert len(model.class_values) == 3
    odd = oddly.compile(model)
    assert odd.certificate.proven
    codes = odd.encode(columns)
    assert odd.decide(codes).tolist() == exact_labels(model, codes)


# ---- many classes, beside scikit-learn ----


def habitats():
    columns = table("mushroom")
    kept = ["cap-shape", "cap-surface", "odor", "gill-spacing", "stalk-root", "ring-number", "population", "class"]
    return {name: columns[name] for name in (*kept, "habitat")}, "habitat", {"missing": "value"}


def mitoses():
    columns = table("breast-cancer-w")
    kept = ["Clump_Thickness", "Bare_Nuclei", "Bland_Chromatin", "class"]
    return {name: columns[name] for name in (*kept, "Mitoses")}, "Mitoses", {"missing": "value"}


def iris():
    found = pytest.importorskip("sklearn.datasets").load_iris()
    columns = {name: found.data[:, i].tolist() for i, name in enumerate(found.feature_names)}
    species = [str(found.target_names[t]) for t in found.target]
    return {**columns, "species": species}, "species", {"bins": "frequency:6"}


@pytest.mark.parametrize("alpha", [1, 0])
@pytest.mark.parametrize("data", [habitats, mitoses, iris])
def test_many_classes_are_told_apart_as_scikit_learn_does(data, alpha):
    sklearn = pytest.importorskip("sklearn.naive_bayes")
    columns, target, options = data()
    model = oddly.learn(columns, target, alpha=alpha, **options)
    assert len(model.class_values) > 2
    odd = oddly.compile(model)
    assert odd.certificate.proven
    codes = odd.encode({name: values for name, values in columns.items() if name != target})
    sizes = [len(v.values) for v in model.variables]
    theirs = sklearn.CategoricalNB(alpha=alpha, force_alpha=True, min_categories=sizes)
    with np.errstate(divide="ignore"):
        theirs.fit(codes, [model.class_values.index(str(value)) for value in columns[target]])
    sampled = np.random.default_rng(2).integers(0, sizes, (2000, len(sizes)))
    for rows in (codes, sampled):
        first, second = np.sort(theirs.predict_joint_log_proba(rows), axis=1)[:, :-3:-1].T
        with np.errstate(invalid="ignore"):
            clear = np.isneginf(second) | (first - second > 1e-9)  # impossible under all: both take the first class
        assert clear.mean() > 0.95
        assert np.array_equal(odd.decide(rows)[clear], theirs.predict(rows)[clear])
        near = rows[~clear]
        assert odd.decide(near).tolist() == exact_labels(NetworkClassifier.of(model), near)


def test_a_class_against_the_rest_is_decided_as_enumeration_says():
    columns, target, options = iris()
    model = oddly.learn(columns, target, "versicolor", alpha=1, threshold="0.4", **options)
    odd = oddly.compile(model)
    assert isinstance(odd.source, Tabled)
    assert odd.labels == ("not versicolor", "versicolor")
    expected = [oracle.decides(model, instance) for instance in oracle.instances(model)]
    assert odd.decide(oracle.codes(model)).tolist() == expected
    assert 0 < odd.count("versicolor") < odd.instances


# ---- published networks ----


def test_win95pts_compiles_to_16466_offline_and_49070_online():
    network = published("win95pts")
    for positive, count in (("Offline", 16466), ("Online", 49070)):
        odd = oddly.compile(network.classifier("PTROFFLINE", positive))
        assert (odd.instances, odd.count(positive), odd.certificate.ties) == (65536, count, 0)


def test_the_admission_network_compiles_to_6_of_16():
    given_class = {
        "FirstTimeApplicant": ("0.2", "0.7"),
        "EntranceExam": ("0.15", "0.4"),
        "GPA": ("0.11", "0.97"),
        "WorkExperience": ("0.1", "0.96"),
    }
    nodes = [Node("Admit", ["state0", "state1"], [], [["0.7", "0.3"]])]
    for name, (given_0, given_1) in given_class.items():
        rows = [[f"{1 - float(p):.2f}", p] for p in (given_0, given_1)]
        nodes.append(Node(name, ["state0", "state1"], ["Admit"], rows))
    model = Network(nodes).classifier("Admit", "state1")
    assert isinstance(model, NaiveBayes)
    odd = oddly.compile(model)
    assert (odd.count("state1"), odd.instances) == (6, 16)
    assert odd.decide(oracle.codes(model)).tolist() == oracle.decisions(model).tolist()


def test_hidden_variables_are_not_dear_where_a_table_could_settle_ties():
    """A thousand ratios of five hundred bits have no coprime base worth its time; the sums prove themselves."""
    network = published("insurance")
    model = NetworkClassifier(network, "Accident")
    odd = oddly.compile(model)
    assert isinstance(odd.source, Families)
    assert not odd.source.witnessed
    assert odd.certificate.proven
    places = [model.attributes.index(name) for name in odd.order]
    levels, root, proof = decide_table(model, places)  # in floats, without logarithms
    assert odd == ODD(odd.variables, odd.labels, tuple(levels), root, odd.places)
    assert odd.certificate.closest == pytest.approx(proof.closest)
    codes = every([len(v.values) for v in model.variables])[::20]
    assert odd.decide(codes).tolist() == exact_labels(model, codes)


def test_asia_with_ties_and_zeros_agrees_with_enumeration():
    network = published("asia")
    for target, attributes in (("either", ["tub", "lung", "xray"]), ("bronc", ["smoke", "dysp", "either"])):
        for impossible in ("negative", "positive"):
            model = NetworkClassifier(network, target, attributes, "yes")
            odd = oddly.compile(model, impossible=impossible)
            expected, _ = decisions(model, impossible)
            assert np.array_equal(odd.decide(every(expected.shape)), expected.reshape(-1))
