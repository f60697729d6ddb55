# SPDX-License-Identifier: Apache-2.0
"""A naive Bayes estimator as the fractions it counted, instead of the logarithms it rounded them to."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.sklearn_domains import RawColumn
from oddly.adapters.sklearn_kinds import BAYES, fitted, kind, refuse
from oddly.adapters.sklearn_scores import Scores
from oddly.model import CPT, NaiveBayes
from oddly.model.numbers import exact

LEAST = 1e-10  # what scikit-learn raises a smaller alpha to, unless force_alpha


def counted(
    estimator: Any,
    scores: Scores,
    columns: Sequence[RawColumn],
    features: Sequence[Sequence[int]],
    tables: Sequence[NDArray[np.float64]],
    target: str,
) -> NaiveBayes:
    """The naive Bayes whose probabilities are the estimator's own counts, exactly.

    That takes a raw column for each feature, and a value for each of the feature's.
    """
    name = kind(estimator, BAYES, "predict")
    if name not in ("CategoricalNB", "BernoulliNB"):
        raise refuse(estimator, "only CategoricalNB and BernoulliNB keep the counts of every value")
    cpts = []
    for column, places, table in zip(columns, features, tables, strict=True):
        if len(places) != 1:
            raise refuse(estimator, f"column {column.name} becomes {len(places)} features, which are counted apart")
        given = _categorical(estimator, places[0]) if name == "CategoricalNB" else _bernoulli(estimator, places[0])
        values = (
            table[:, 0] if name == "CategoricalNB" or estimator.binarize is None else table[:, 0] > estimator.binarize
        )
        codes = [int(x) for x in values]
        if sorted(codes) != list(range(len(given[0]))):
            raise refuse(estimator, f"column {column.name} has {len(codes)} values, its feature {len(given[0])}")
        rows = {c: [row[code] for code in codes] for c, row in zip(scores.classes, given, strict=True)}
        cpts.append(CPT(column.name, column.labels, rows, column.bins))
    two = len(scores.classes) == 2
    positive = scores.classes[1] if two else None
    return NaiveBayes(target, scores.classes, _prior(estimator), cpts, positive, ties="negative" if two else "positive")


def _categorical(estimator: Any, feature: int) -> list[list[Fraction]]:
    alpha = _alpha(estimator, feature)
    return [_frequencies(row, alpha) for row in fitted(estimator, "category_count_")[feature]]


def _bernoulli(estimator: Any, feature: int) -> list[list[Fraction]]:
    """Absent and present, by class."""
    alpha = _alpha(estimator, feature)
    present = fitted(estimator, "feature_count_")[:, feature]
    return [_frequencies([n - k, k], alpha) for n, k in zip(estimator.class_count_, present, strict=True)]


def _frequencies(counts: Any, alpha: Fraction) -> list[Fraction]:
    smoothed = [exact(float(n), "count") + alpha for n in counts]
    return [n / sum(smoothed) for n in smoothed]


def _alpha(estimator: Any, feature: int) -> Fraction:
    alpha = float(np.broadcast_to(estimator.alpha, (estimator.n_features_in_,))[feature])
    return exact(alpha if estimator.force_alpha else max(alpha, LEAST), "alpha")


def _prior(estimator: Any) -> list[Fraction]:
    classes = len(estimator.classes_)
    if estimator.class_prior is not None:
        return [exact(float(p), "class_prior") for p in estimator.class_prior]
    if not estimator.fit_prior:
        return [Fraction(1, classes)] * classes
    counts = [exact(float(n), "class_count_") for n in fitted(estimator, "class_count_")]
    return [n / sum(counts) for n in counts]
