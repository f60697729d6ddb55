# SPDX-License-Identifier: Apache-2.0
"""OddlyClassifier: scikit-learn's own checks, and the same decisions as the exact posterior."""

import pickle
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import oddly
from oddly.errors import ModelError, UnknownValue
from oddly.model import NaiveBayes, NetworkClassifier

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.naive_bayes import CategoricalNB  # noqa: E402
from sklearn.preprocessing import OrdinalEncoder  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from oddly.sklearn import OddlyClassifier  # noqa: E402


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([OddlyClassifier(), OddlyClassifier(structure="tan", missing="value")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def table(rows=150, seed=1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], rows),
            "age": rng.normal(40, 12, rows).round(2),
            "owner": rng.random(rows) < 0.5,
            "rooms": rng.integers(1, 6, rows),
        }
    )
    score = frame["age"] / 12 + frame["rooms"] * (1 + frame["owner"]) / 3 + (frame["colour"] == "red") * 2
    return frame, score + rng.normal(0, 0.5, rows)


def classes(score, names):
    return np.array(names)[np.digitize(score, np.quantile(score, np.linspace(0, 1, len(names) + 1)[1:-1]))]


def instance(model, row):
    """A row of raw cells as the model's own values."""
    return {v.name: v.values[v.bins.place(float(row[v.name]))] if v.bins else str(row[v.name]) for v in model.variables}


def joint(model, values):
    """Pr(class, instance) for each class, exactly, by the chain rule."""
    if isinstance(model, NaiveBayes):
        tables = [(a, a.given) for a in model.attributes]
        rows = [[g[c][a.values.index(values[a.name])] for a, g in tables] for c in model.class_values]
        return [p * prod(row) for p, row in zip(model.prior, rows, strict=True)]
    return [_full(model.network, {**values, model.class_name: c}) for c in model.class_values]


def _full(network, values):
    share = Fraction(1)
    for node in network.nodes:
        at = 0
        for parent in node.parents:
            known = network.node(parent).values
            at = at * len(known) + known.index(values[parent])
        share *= node.table[at][node.values.index(values[node.name])]
    return share


def normalised(shares):
    return [p / sum(shares) for p in shares]


@pytest.mark.parametrize("names", [["no", "yes"], ["a", "b", "c"]], ids=["two", "three"])
@pytest.mark.parametrize("structure", ["naive", "tan"])
@pytest.mark.parametrize("alpha", [1, "1/3"])
def test_it_decides_and_says_as_the_exact_posterior(structure, names, alpha):
    frame, score = table()
    fitted = OddlyClassifier(structure=structure, alpha=alpha).fit(frame, classes(score, names))
    assert isinstance(fitted.model_, NaiveBayes if structure == "naive" else NetworkClassifier)
    assert fitted.odd_.labels == fitted.model_.labels
    rows = pd.DataFrame(
        list(product(["red", "green", "blue"], [-5.0, 30, 41.5, 52, 1e6], [False, True], [1, 3, 5])),
        columns=list(frame.columns),
    )
    decided, chances = fitted.predict(rows), fitted.predict_proba(rows)
    for (_, row), label, given in zip(rows.iterrows(), decided, chances, strict=True):
        exact = normalised(joint(fitted.model_, instance(fitted.model_, row)))
        assert label == fitted.classes_[exact.index(max(exact))]
        assert list(given) == [float(p) for p in exact]


def test_the_diagram_is_there_and_the_questions_take_the_classifier():
    frame, score = table()
    fitted = OddlyClassifier().fit(frame, classes(score, ["no", "yes"]))
    assert fitted.odd_.certificate.proven
    assert oddly.compile(fitted).size == fitted.odd_.size
    assert oddly.compare(fitted.odd_, fitted.model_).equivalent
    through = fitted.odd_.classify([instance(fitted.model_, row) for _, row in frame.iterrows()])
    assert (through == fitted.predict(frame)).all()


def test_it_learns_what_scikit_learn_learns_from_labels():
    frame, score = table()
    labels = frame[["colour", "owner"]].astype(str)
    y = classes(score, ["no", "yes"])
    ours = OddlyClassifier(alpha=1).fit(labels, y)
    codes = OrdinalEncoder().fit_transform(labels)
    theirs = CategoricalNB(alpha=1).fit(codes, y)
    assert ours.predict_proba(labels) == pytest.approx(theirs.predict_proba(codes))


def test_a_diagram_too_large_is_done_without():
    frame, score = table()
    y = classes(score, ["no", "yes"])
    small, full = OddlyClassifier(max_nodes=3).fit(frame, y), OddlyClassifier().fit(frame, y)
    assert small.odd_ is None
    assert (small.predict(frame) == full.predict(frame)).all()


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_a_gap_is_summed_out(structure):
    frame, score = table()
    fitted = OddlyClassifier(structure=structure).fit(frame, classes(score, ["no", "yes"]))
    rows = frame[:5].astype(object)
    rows["age"] = np.nan
    age = next(v for v in fitted.model_.variables if v.name == "age")
    for (_, row), given in zip(rows.iterrows(), fitted.predict_proba(rows), strict=True):
        known = instance(fitted.model_, dict(row) | {"age": 0})
        each = [joint(fitted.model_, known | {"age": value}) for value in age.values]
        assert list(given) == [float(p) for p in normalised([sum(column) for column in zip(*each, strict=True)])]


def test_missing_cells_may_be_a_value_of_their_own():
    frame, score = table()
    frame.loc[::4, "age"] = np.nan
    fitted = OddlyClassifier(missing="value").fit(frame, classes(score, ["no", "yes"]))
    age = next(v for v in fitted.model_.variables if v.name == "age")
    assert age.values[-1] == "?"
    gaps = frame[frame["age"].isna()]
    for (_, row), given in zip(gaps.iterrows(), fitted.predict_proba(gaps), strict=True):
        values = instance(fitted.model_, dict(row) | {"age": 0.0}) | {"age": "?"}
        assert list(given) == [float(p) for p in fitted.model_.posterior(values)]


def test_an_unseen_label_is_ignored_or_an_error():
    frame, score = table()
    y = classes(score, ["no", "yes"])
    odd_one = frame[:1].assign(colour="mauve")
    lenient = OddlyClassifier().fit(frame, y)
    without = lenient.model_.replace(attributes=[a for a in lenient.model_.attributes if a.name != "colour"])
    expected = without.posterior(instance(without, odd_one.iloc[0]))
    assert list(lenient.predict_proba(odd_one)[0]) == [float(p) for p in expected]
    with pytest.raises(UnknownValue, match="row 1: colour=mauve"):
        OddlyClassifier(handle_unknown="error").fit(frame, y).predict(odd_one)


def test_an_impossible_row_is_decided_by_the_prior():
    X = pd.DataFrame({"a": ["x", "y", "y"], "b": ["u", "v", "v"]})
    fitted = OddlyClassifier(alpha=0).fit(X, ["n", "p", "p"])
    row = pd.DataFrame({"a": ["x"], "b": ["v"]})
    assert fitted.predict_proba(row)[0] == pytest.approx([1 / 3, 2 / 3])
    assert fitted.predict(row).tolist() == ["p"]


def test_bins_may_be_given_by_column():
    frame, score = table()
    y = classes(score, ["no", "yes"])
    fitted = OddlyClassifier(bins={"age": [30, 50], "*": "width:3"}).fit(frame, y)
    by_name = {v.name: v for v in fitted.model_.variables}
    assert by_name["age"].values == ("<30", "[30, 50)", ">=50")
    assert len(by_name["rooms"].values) == 3
    assert by_name["owner"].values == ("False", "True")
    with pytest.raises(ModelError, match="structure"):
        OddlyClassifier(structure="forest").fit(frame, y)


def test_it_is_a_good_citizen():
    frame, score = table(120)
    y = classes(score, [1, 2])
    fitted = OddlyClassifier().fit(frame, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(frame) == fitted.predict(frame)).all()
    assert fitted.predict(frame).dtype == y.dtype
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    assert cross_val_score(clone(fitted), frame, y, cv=3).mean() > 0.6
    strange = OddlyClassifier().fit(frame, np.where(y == 1, "?", " a "))
    assert set(strange.predict(frame)) == {"?", " a "}
