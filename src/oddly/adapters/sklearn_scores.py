# SPDX-License-Identifier: Apache-2.0
"""A fitted classifier as points per class: what it adds up, feature by feature, before it takes the largest.

Parameters are floats and taken at their exact binary values. Only GaussianNB, and thresholds on a probability, need
a logarithm; it is worked out to 77 digits. Or a naive Bayes as the fractions it counted, instead of logarithms.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.objects import BAYES, LINEAR, fitted, kind, labels, refuse
from oddly.adapters.sklearn_domains import RawColumn
from oddly.model import CPT, NaiveBayes
from oddly.model.numbers import exact

GRID = 1 << 256  # what is not a fraction is rounded to a multiple of 1 / GRID
DIGITS = Context(prec=100)

Row = tuple[Fraction, ...]
Link = Literal["logistic", "clipped"]


@dataclass(frozen=True)
class Scores:
    """The class with the most points wins, the first of equals."""

    classes: tuple[str, ...]
    intercept: Row
    points: Callable[[int, float], Row]
    """By feature and its value, for each class."""
    link: Link | None
    """How the probability of two classes follows from the difference of their points, if it does."""


def scores_of(estimator: Any) -> Scores:
    """The points of a linear or naive Bayes classifier."""
    linear = kind(estimator, LINEAR, "predict")
    bayes = kind(estimator, BAYES, "predict")
    if linear is None and bayes is None:
        raise refuse(estimator, f"not a classifier that adds up; those are {', '.join(sorted(LINEAR | BAYES))}")
    raw = fitted(estimator, "classes_")
    if isinstance(raw, list) or np.ndim(raw) != 1:
        raise refuse(estimator, "it decides several classes at once")
    if len(raw) < 2:
        raise refuse(estimator, f"it knows one class only, {raw[0]!r}")
    names = labels(raw, "classes")
    intercept, points = _linear(estimator) if linear else BAYESIAN[bayes or ""](estimator)
    return Scores(names, intercept, points, _link(estimator, linear))


def _linear(estimator: Any) -> tuple[Row, Callable[[int, float], Row]]:
    """Two classes have one row of coefficients: points for the second."""
    coefficients = fitted(estimator, "coef_")
    coefficients = np.atleast_2d(coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients)
    classes, rows = len(estimator.classes_), len(coefficients)
    if rows not in (1, classes) or (rows == 1 and classes != 2):
        raise refuse(estimator, f"{rows} rows of coefficients for {classes} classes")
    base = np.broadcast_to(np.asarray(estimator.intercept_, float).reshape(-1), (rows,))
    before = (Fraction(0),) * (classes - rows)

    def points(feature: int, x: float) -> Row:
        value = Fraction(x)
        return before + tuple(exact(float(c), f"coefficient {feature}") * value for c in coefficients[:, feature])

    return before + _floats(base, estimator, "intercept_"), points


def _categorical(estimator: Any) -> tuple[Row, Callable[[int, float], Row]]:
    tables = fitted(estimator, "feature_log_prob_")

    def points(feature: int, x: float) -> Row:
        if not 0 <= int(x) < tables[feature].shape[1]:
            raise refuse(estimator, f"feature {feature} has values 0 to {tables[feature].shape[1] - 1}, not {x:g}")
        return _floats(tables[feature][:, int(x)], estimator, "feature_log_prob_")

    return _priors(estimator), points


def _multinomial(estimator: Any) -> tuple[Row, Callable[[int, float], Row]]:
    table = fitted(estimator, "feature_log_prob_")

    def points(feature: int, x: float) -> Row:
        if x < 0:
            raise refuse(estimator, f"feature {feature} counts {x}; a count is not negative")
        return tuple(p * Fraction(x) for p in _floats(table[:, feature], estimator, "feature_log_prob_"))

    return _priors(estimator), points


def _bernoulli(estimator: Any) -> tuple[Row, Callable[[int, float], Row]]:
    present = fitted(estimator, "feature_log_prob_")
    with np.errstate(divide="ignore"):
        absent = np.log(1 - np.exp(present))

    def points(feature: int, x: float) -> Row:
        one = _floats(present[:, feature], estimator, "feature_log_prob_")
        none = _floats(absent[:, feature], estimator, "feature_log_prob_")
        value = Fraction(x if estimator.binarize is None else x > estimator.binarize)
        return tuple(n + value * (o - n) for o, n in zip(one, none, strict=True))

    return _priors(estimator), points


def _gaussian(estimator: Any) -> tuple[Row, Callable[[int, float], Row]]:
    """The logarithm of a normal density, without the 2π that all classes share."""
    means, variances = fitted(estimator, "theta_"), fitted(estimator, "var_")
    if not (np.asarray(variances) > 0).all() or not (np.asarray(estimator.class_prior_) > 0).all():
        raise refuse(estimator, "a variance or a prior is zero")
    priors = [Fraction(float(p)) for p in estimator.class_prior_]
    spread = [sum((log(Fraction(float(v))) for v in row), Fraction(0)) / 2 for row in variances]

    def points(feature: int, x: float) -> Row:
        pairs = zip(means[:, feature], variances[:, feature], strict=True)
        rows = [(Fraction(x) - Fraction(float(mean)), Fraction(float(v))) for mean, v in pairs]
        return tuple(_on_grid(-(away**2) / (2 * v)) for away, v in rows)

    return tuple(_on_grid(log(p) - s) for p, s in zip(priors, spread, strict=True)), points


BAYESIAN = {
    "CategoricalNB": _categorical,
    "BernoulliNB": _bernoulli,
    "MultinomialNB": _multinomial,
    "ComplementNB": lambda estimator: (
        (Fraction(0),) * len(estimator.classes_),
        _multinomial(estimator)[1],
    ),  # no prior
    "GaussianNB": _gaussian,
}


def _priors(estimator: Any) -> Row:
    return _floats(fitted(estimator, "class_log_prior_"), estimator, "class_log_prior_")


def _floats(numbers: Any, estimator: Any, what: str) -> Row:
    if np.isneginf(numbers).any():
        why = "has a probability of zero, whose logarithm is no number"
        raise refuse(estimator, f"{what} {why}.  Fit with alpha > 0, or read its counts: counts=True")
    return tuple(exact(float(n), what) for n in numbers)


def _link(estimator: Any, linear: str | None) -> Link | None:
    if getattr(estimator, "multi_class", None) == "multinomial" and linear != "LinearSVC":
        return None  # older versions double the score of two classes
    if linear == "SGDClassifier":
        return {"log_loss": "logistic", "modified_huber": "clipped"}.get(estimator.loss)  # type: ignore[return-value]
    probable = {"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"}
    return "logistic" if linear is None or linear in probable else None


def log(number: Fraction) -> Fraction:
    """The natural logarithm, to a multiple of 1 / GRID."""
    quotient = DIGITS.ln(Decimal(number.numerator)) - DIGITS.ln(Decimal(number.denominator))
    return _on_grid(Fraction(quotient))


def _on_grid(number: Fraction) -> Fraction:
    return Fraction(round(number * GRID), GRID)


def added(rows: Sequence[Row], classes: int) -> Row:
    """Points of several features together."""
    return tuple(sum((row[c] for row in rows), Fraction(0)) for c in range(classes))


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
        given = _rates(estimator, places[0])
        cut = None if name == "CategoricalNB" else estimator.binarize
        codes = [int(x if cut is None else x > cut) for x in table[:, 0]]
        if sorted(codes) != list(range(len(given[0]))):
            raise refuse(estimator, f"column {column.name} has {len(codes)} values, its feature {len(given[0])}")
        rows = {c: [row[code] for code in codes] for c, row in zip(scores.classes, given, strict=True)}
        cpts.append(CPT(column.name, column.labels, rows, column.bins))
    decision: dict[str, Any] = {"positive": scores.classes[1], "ties": "negative"} if len(scores.classes) == 2 else {}
    return NaiveBayes(target, scores.classes, _prior(estimator), cpts, **decision)


def _rates(estimator: Any, feature: int) -> list[list[Fraction]]:
    """The frequencies of a feature's categories, or of absent and present, by class."""
    alpha = float(np.broadcast_to(estimator.alpha, (estimator.n_features_in_,))[feature])
    extra = exact(alpha if estimator.force_alpha else max(alpha, LEAST), "alpha")
    if hasattr(estimator, "category_count_"):
        counts = estimator.category_count_[feature]
    else:
        present = fitted(estimator, "feature_count_")[:, feature]
        counts = np.column_stack([estimator.class_count_ - present, present])
    smoothed = [[exact(float(n), "count") + extra for n in row] for row in counts]
    return [[n / sum(row) for n in row] for row in smoothed]


def _prior(estimator: Any) -> list[Fraction]:
    classes = len(estimator.classes_)
    if estimator.class_prior is not None:
        return [exact(float(p), "class_prior") for p in estimator.class_prior]
    if not estimator.fit_prior:
        return [Fraction(1, classes)] * classes
    counts = [exact(float(n), "class_count_") for n in fitted(estimator, "class_count_")]
    return [n / sum(counts) for n in counts]
