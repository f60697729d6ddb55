# SPDX-License-Identifier: Apache-2.0
"""Other libraries' objects: their kinds by the names of types, importing nothing, and their values as a model's texts."""

from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from oddly.errors import ModelError, Unsupported
from oddly.learning import is_missing
from oddly.model import MISSING_VALUE


def label(value: Any) -> str:
    """A value as a model writes it, and as rows of data are matched.

    >>> label(1.0), label(True), label(0.5), label(float("nan"))
    ('1', 'True', '0.5', '?')
    """
    value = plain(value)
    if is_missing(value):
        return MISSING_VALUE
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def labels(values: Iterable[Any], where: str) -> tuple[str, ...]:
    """The texts of several values, which must stay apart as texts."""
    found: dict[str, Any] = {}
    for value in values:
        text = label(value)
        if text in found:
            raise Unsupported(f"{where}: {found[text]!r} and {plain(value)!r} are both written {text!r}")
        found[text] = plain(value)
    return tuple(found)


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


SEARCHES = {"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"}
THRESHOLDS = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}
LINEAR = {"LinearSVC", "SGDClassifier", "Perceptron", "PassiveAggressiveClassifier", "LinearDiscriminantAnalysis"}
LINEAR |= {"LogisticRegression", "LogisticRegressionCV", "RidgeClassifier", "RidgeClassifierCV"}
BAYES = {"CategoricalNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB"}
SELECTORS = {"GenericUnivariateSelect", "RFE", "RFECV", "SequentialFeatureSelector", "VarianceThreshold"}
SELECTORS |= {f"Select{how}" for how in ("Fdr", "Fpr", "FromModel", "Fwe", "KBest", "Percentile")}


def kind(thing: Any, known: Container[str], method: str) -> str | None:
    """The first known name among an object's scikit-learn types.

    A subclass that brings its own `method` is not what its parent is, and is not known.
    """
    for parent in type(thing).__mro__:
        ours = parent.__module__.partition(".")[0] == "sklearn"
        if ours and parent.__name__ in known:
            return parent.__name__
        if not ours and method in vars(parent):
            return None
    return None


def fitted(thing: Any, attribute: str) -> Any:
    """An attribute that fitting gives."""
    if not hasattr(thing, attribute):
        raise ModelError(f"{type(thing).__name__} is not fitted: it has no {attribute}")
    return getattr(thing, attribute)


def refuse(thing: Any, why: str) -> Unsupported:
    """The error for an estimator that no model can stand for exactly."""
    return Unsupported(f"{type(thing).__name__}: {why}")
