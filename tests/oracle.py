# SPDX-License-Identifier: Apache-2.0
"""What a model decides, worked out one instance at a time in exact fractions: the oracle of the tests."""

from itertools import product

import numpy as np

from oddly import NaiveBayes, Scorecard


def instances(model):
    """Every instance as a mapping, in the order of `codes`."""
    names = [v.name for v in model.variables]
    return [dict(zip(names, values, strict=True)) for values in product(*(v.values for v in model.variables))]


def codes(model):
    """Every instance as a row of value indices."""
    found = list(product(*(range(len(v.values)) for v in model.variables)))
    return np.array(found, np.int64).reshape(len(found), len(model.variables))


def margin(model, instance):
    """How far an instance lies above the threshold: exact, and only its sign matters; None if it has no posterior."""
    if isinstance(model, Scorecard):
        points = sum(a.points[a.values.index(instance[a.name])] for a in model.attributes)
        return model.intercept + points - model.cutoff
    posterior = model.posterior(instance)
    if posterior is None:
        return None
    return posterior[model.class_values.index(model.positive)] - model.threshold


def decides(model, instance, impossible="negative"):
    """Whether an instance is positive, by the definition."""
    m = margin(model, instance)
    if m is None:
        return impossible == "positive"
    return m > 0 or (m == 0 and model.ties == "positive")


def decisions(model, impossible="negative"):
    """The decisions of all instances, in the order of `codes`."""
    return np.array([decides(model, i, impossible) for i in instances(model)], bool)


def ties(model):
    """How many instances lie exactly on the threshold, both classes being possible."""
    found = 0
    for instance in instances(model):
        certain = isinstance(model, NaiveBayes) and (p := model.posterior(instance)) is not None and 0 in p
        found += margin(model, instance) == 0 and not certain
    return found


def widths(model, order, impossible="negative"):
    """The number of distinct sub-functions at each depth: tabulate the decisions and count distinct rows."""
    shape = [len(v.values) for v in model.variables]
    table = decisions(model, impossible).reshape(shape or [1])
    if shape:
        table = table.transpose(order)
    found = []
    above = 1
    for k in range(len(shape)):
        found.append(len(np.unique(table.reshape(above, -1), axis=0)))
        above *= shape[order[k]]
    return [*found, 2]
