# SPDX-License-Identifier: Apache-2.0
"""A fitted scikit-learn classifier, pipelines and thresholds included, as a scorecard or scoreboard."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.objects import SEARCHES, THRESHOLDS, fitted, kind, label, plain, refuse
from oddly.adapters.sklearn_domains import DeclaredValues, Probe, RawColumn, column, feature_table, stand_in
from oddly.adapters.sklearn_scores import Row, Scores, added, counted, log, scores_of
from oddly.adapters.sklearn_trace import Findings, Strand, Trace, by_column
from oddly.errors import ModelError, Unsupported
from oddly.model import NaiveBayes, Points, Scoreboard, Scorecard, Tally
from oddly.model.numbers import as_float

NEAR = 1e-9  # of the largest points: an estimator's own rounding stays far below


@dataclass(frozen=True)
class Parts:
    """An estimator taken apart: its transformers, its classifier, and a threshold of its own, if there is one."""

    steps: tuple[Any, ...]
    final: Any
    threshold: Any = None


def model_of(
    estimator: Any, columns: Sequence[str] | None, values: Any, target: str | None, counts: bool = False
) -> Scorecard | Scoreboard | NaiveBayes:
    """The model that decides as the estimator does, over its raw columns."""
    parts = take_apart(estimator)
    scores = scores_of(parts.final)
    probe, strands = _walked(estimator, parts, columns, values)
    tables = feature_table(probe, parts.steps, strands)
    features = list(by_column(strands).values())
    used = list(probe.columns.values())
    name = target or ("decision" if any(c.name == "class" for c in used) else "class")
    model: Scorecard | Scoreboard | NaiveBayes
    if not counts:
        model = _model(scores, parts, used, _points(scores, features, tables), name)
    elif parts.threshold is None:
        model = counted(parts.final, scores, used, features, tables, name)
    else:
        raise refuse(parts.threshold, "counts are read of a classifier without a threshold of its own")
    _check(estimator, model, probe)
    return model


def _walked(estimator: Any, parts: Parts, columns: Sequence[str] | None, values: Any) -> tuple[Probe, list[Strand]]:
    """The raw columns that matter, with their values, and the strands that reach the classifier."""
    first, given = _first_names(estimator, parts), parts.steps[0] if parts.steps else parts.final
    known = first if first is not None else [f"x{i}" for i in range(int(fitted(given, "n_features_in_")))]
    if columns is not None and (isinstance(columns, str) or len(columns) != len(known)):
        raise ModelError(f"columns: the estimator has {len(known)}, found {columns!r}")
    names = known if columns is None else [str(name) for name in columns]
    trace = Trace([Findings() for _ in names])
    strands = [Strand(i) for i in range(len(names))]
    for step in parts.steps:
        strands = trace.through(step, strands)
    trace.into(parts.final, strands)
    declared = DeclaredValues(values, names)
    used = {place: column(names[place], trace.findings[place], declared) for place in by_column(strands)}
    fill = [stand_in(f, declared.of(n, needed=False)) for f, n in zip(trace.findings, names, strict=True)]
    return Probe(known, fill, used, named=first is not None), strands


def take_apart(estimator: Any) -> Parts:
    """Transformers and classifier, out of any nesting of pipelines, searches and thresholds."""
    if kind(estimator, SEARCHES, "predict"):
        return take_apart(fitted(estimator, "best_estimator_"))
    if kind(estimator, THRESHOLDS, "predict"):
        inner = take_apart(getattr(estimator, "estimator_", estimator.estimator))
        return Parts(inner.steps, inner.final, estimator)
    if kind(estimator, {"Pipeline"}, "predict"):
        *before, (_, last) = estimator.steps
        inner = take_apart(last)
        steps = tuple(step for _, step in before if step is not None and not isinstance(step, str))
        return Parts(steps + inner.steps, inner.final, inner.threshold)
    return Parts((), estimator)


def _first_names(estimator: Any, parts: Parts) -> list[str] | None:
    """The raw columns as the estimator knows them, if it does."""
    for thing in (estimator, *parts.steps[:1], parts.final):
        if getattr(thing, "feature_names_in_", None) is not None and (thing is not parts.final or not parts.steps):
            return [str(name) for name in thing.feature_names_in_]
    return None


def _points(scores: Scores, features: Sequence[list[int]], tables: Sequence[NDArray[np.float64]]) -> list[list[Row]]:
    """For each raw column and value, the points of every class."""
    found = []
    for places, table in zip(features, tables, strict=True):
        rows = [[scores.points(f, float(x)) for f, x in zip(places, values, strict=True)] for values in table]
        found.append([added(row, len(scores.classes)) for row in rows])
    return found


def _model(
    scores: Scores, parts: Parts, columns: Sequence[RawColumn], points: Sequence[list[Row]], name: str
) -> Scorecard | Scoreboard:
    if len(scores.classes) > 2:
        if parts.threshold is not None:
            raise refuse(parts.threshold, f"a threshold needs two classes, found {len(scores.classes)}")
        tallies = [Tally(c.name, c.labels, rows, c.bins) for c, rows in zip(columns, points, strict=True)]
        return Scoreboard(tallies, scores.classes, scores.intercept, name)
    places = zip(columns, points, strict=True)
    cards = [Points(c.name, c.labels, [row[1] - row[0] for row in rows], c.bins) for c, rows in places]
    intercept = scores.intercept[1] - scores.intercept[0]
    card = Scorecard(cards, 0, intercept, name, scores.classes, scores.classes[1], "negative")
    return card if parts.threshold is None else _with_threshold(card, scores, parts)


def _with_threshold(card: Scorecard, scores: Scores, parts: Parts) -> Scorecard:
    """The class that is watched for wins from the threshold on."""
    wrapper = parts.threshold
    positive, response, threshold = _threshold(wrapper, scores, parts.final)
    if positive != card.positive:
        flipped = [Points(a.name, a.values, [-p for p in a.points], a.bins) for a in card.attributes]
        card = card.replace(attributes=flipped, intercept=-card.intercept, positive=positive)
    low = card.intercept + sum((min(a.points) for a in card.attributes), Fraction(0))
    high = card.intercept + sum((max(a.points) for a in card.attributes), Fraction(0))
    if response == "decision_function":
        cutoff = threshold
    elif threshold <= 0 or threshold > 1:
        cutoff = low if threshold <= 0 else high + 1  # a probability is always, or never, as large
    elif scores.link == "clipped":
        cutoff = 2 * threshold - 1
    elif scores.link == "logistic" and threshold < 1:
        cutoff = log(threshold / (1 - threshold))
    elif scores.link == "logistic":
        raise refuse(wrapper, "a probability reaches a threshold of 1 by rounding only")
    else:
        raise refuse(wrapper, f"how {type(parts.final).__name__} turns its points into probabilities is not known")
    return card.replace(cutoff=cutoff, ties="positive")


def _threshold(wrapper: Any, scores: Scores, final: Any) -> tuple[str, str, Fraction]:
    """The class watched for, what is compared with the threshold, and the threshold."""
    response = wrapper.response_method
    if response == "auto":
        response = "predict_proba" if hasattr(final, "predict_proba") else "decision_function"
    if kind(wrapper, {"TunedThresholdClassifierCV"}, "predict"):
        value, watched = fitted(wrapper, "best_threshold_"), _watched(wrapper)
    else:
        value, watched = wrapper.threshold, wrapper.pos_label
        if isinstance(value, str):
            value = 0.5 if response == "predict_proba" else 0.0
    positive = scores.classes[1] if watched is None else label(watched)
    return positive, response, Fraction(float(value))


def _watched(wrapper: Any) -> Any:
    """The class a tuned threshold watches for: what everything is decided, once nothing lies below the threshold."""
    lenient = copy(wrapper)
    anything = import_module("sklearn.dummy").DummyClassifier(strategy="uniform")
    lenient.estimator_ = anything.fit([[0]] * len(wrapper.classes_), wrapper.classes_)
    lenient.best_threshold_, lenient.response_method = -inf, "predict_proba"
    return lenient.predict([[0]])[0]


def _check(estimator: Any, model: Scorecard | Scoreboard | NaiveBayes, probe: Probe) -> None:
    """The estimator's own decisions on some instances: what its parameters say, but for its rounding."""
    codes = probe.sample()
    for row, raw, guess in zip(codes, probe.decisions(estimator, codes), _roughly(model, codes), strict=True):
        if label(raw) == guess:
            continue
        decided, near = decide(model, row)
        if label(raw) != decided and not near:
            instance = ", ".join(f"{c.name}={c.labels[v]}" for c, v in zip(probe.columns.values(), row, strict=True))
            otherwise = f"{plain(raw)!r} for {instance}, where its parameters say {decided}"
            raise Unsupported(f"{type(estimator).__name__} decides {otherwise}")


def _added_up(model: Scorecard | Scoreboard) -> tuple[tuple[str, ...], list[Row], list[Sequence[Row]]]:
    """The labels, what every instance has, and by attribute and value what is added: points of each label."""
    if isinstance(model, Scoreboard):
        return model.class_values, [model.intercept], [a.points for a in model.attributes]
    zero = Fraction(0)
    points: list[Sequence[Row]] = [[(zero, p) for p in a.points] for a in model.attributes]
    return model.labels, [(zero, model.intercept), (zero, -model.cutoff)], points


def _roughly(model: Scorecard | Scoreboard | NaiveBayes, codes: NDArray[np.intp]) -> list[str]:
    """Decisions in floats, which are quick: what they agree on with the estimator needs no second look."""
    if isinstance(model, NaiveBayes):
        return [decide(model, row)[0] for row in codes]
    labels, always, tables = _added_up(model)
    totals = np.tile([as_float(p) for p in added(always, len(labels))], (len(codes), 1))
    for rows, places in zip(tables, codes.T, strict=True):
        totals += np.array([[as_float(p) for p in row] for row in rows])[places]
    return [labels[at] for at in totals.argmax(axis=1)]


def decide(model: Scorecard | Scoreboard | NaiveBayes, codes: Sequence[int] | NDArray[np.intp]) -> tuple[str, bool]:
    """The decision on an instance, and whether it is so close that floats may see it otherwise, as every tie is."""
    if isinstance(model, NaiveBayes):
        chances = model.posterior({v.name: v.values[at] for v, at in zip(model.variables, codes, strict=True)})
        if chances is None:  # impossible: the estimator takes the first class
            return model.class_values[0], True
        first, second = sorted(chances, reverse=True)[:2]
        return model.class_values[chances.index(first)], first - second <= NEAR
    labels, always, tables = _added_up(model)
    rows = [*always, *(table[at] for table, at in zip(tables, codes, strict=True))]
    totals = added(rows, len(labels))
    size = max(sum(abs(row[c]) for row in rows) for c in range(len(totals)))
    most, next_most = sorted(totals, reverse=True)[:2]
    return labels[totals.index(most)], most - next_most <= NEAR * size
