# SPDX-License-Identifier: Apache-2.0
"""Which kind of scikit-learn object is this? By the names of its types, importing nothing."""

from collections.abc import Container
from typing import Any

from oddly.errors import ModelError, Unsupported

SEARCHES = {"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"}
THRESHOLDS = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}
LINEAR = {
    "LogisticRegression",
    "LogisticRegressionCV",
    "LinearSVC",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "Perceptron",
    "PassiveAggressiveClassifier",
    "LinearDiscriminantAnalysis",
}
BAYES = {"CategoricalNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB"}
SELECTORS = {
    "GenericUnivariateSelect",
    "RFE",
    "RFECV",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SequentialFeatureSelector",
    "VarianceThreshold",
}


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
