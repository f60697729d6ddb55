# SPDX-License-Identifier: Apache-2.0
"""pyAgrum's networks and classifiers, from memory: its numbers are doubles, and taken at their exact values."""

from fractions import Fraction
from typing import Any

import numpy as np

from oddly.errors import ModelError, Unsupported
from oddly.model import Bins, NaiveBayes, Network, NetworkClassifier, Node


def network_of(thing: Any) -> Network:
    """The network of a BayesNet, or of a fitted BNClassifier."""
    if _is(thing, "BNClassifier"):
        thing = _fitted(thing, "bn_")
    if not _is(thing, "BayesNet"):
        raise Unsupported(f"{type(thing).__name__}: only BayesNet and BNClassifier hold a Bayesian network of tables")
    return Network([_node(thing, place) for place in sorted(thing.nodes())])


def classifier_of(thing: Any) -> NaiveBayes | NetworkClassifier:
    """The classifier that a fitted BNClassifier is: its class given the class's Markov blanket.

    Two classes are held against its threshold, after the probability is rounded to `significant_digit` places; more
    than two are ranked by probability.
    """
    if not _is(thing, "BNClassifier"):
        raise Unsupported(
            f"{type(thing).__name__}: a network decides once its class is chosen: "
            "oddly.from_network(network).classifier(class_=...)"
        )
    blanket = network_of(_fitted(thing, "MarkovBlanket_"))
    others = [node.name for node in blanket.nodes if node.name != thing.target_]
    columns = sorted(others, key=lambda name: thing.variableNameIndexDictionary_.get(name, 0))
    values = blanket.node(thing.target_).values
    if len(values) != 2 or not thing.label_:
        return blanket.classifier(thing.target_, attributes=columns)
    threshold = _before_rounding(float(thing.threshold_), int(thing.significant_digit))
    return blanket.classifier(thing.target_, str(thing.label_), threshold, columns)


def _node(bn: Any, place: int) -> Node:
    """A table's axes are its variables' names in reverse, so that the variable itself comes last."""
    variable, table = bn.variable(place), bn.cpt(place)
    names = [str(name) for name in table.names][::-1]
    rows = np.asarray(table.toarray(), float).reshape(-1, variable.domainSize())
    return Node(str(variable.name()), list(variable.labels()), names[:-1], rows.tolist(), _bins(variable))


def _bins(variable: Any) -> Bins | None:
    """The inner ticks of a discretised variable: all but the last interval are open on the right."""
    try:
        ticks = variable.ticks()
    except (AttributeError, NotImplementedError):  # what pyAgrum says of a variable that is not cut into intervals
        return None
    return Bins([float(tick) for tick in ticks[1:-1]])


def _before_rounding(threshold: float, digits: int) -> Fraction:
    """The least probability that reaches the threshold once it is rounded to so many places.

    >>> _before_rounding(0.5, 3)
    Fraction(999, 2000)
    """
    steps = 10**digits
    least = int(Fraction(threshold) * steps)
    while float(Fraction(least, steps)) < threshold:
        least += 1
    while float(Fraction(least - 1, steps)) >= threshold:
        least -= 1
    return min(max(Fraction(2 * least - 1, 2 * steps), Fraction(0)), Fraction(1))


def _is(thing: Any, name: str) -> bool:
    kinds = [kind for kind in type(thing).__mro__ if kind.__module__.partition(".")[0].lower() == "pyagrum"]
    if name == "BNClassifier" and type(thing).__module__.partition(".")[0].lower() != "pyagrum":
        return False  # a subclass may decide otherwise
    return any(kind.__name__ == name for kind in kinds)


def _fitted(thing: Any, attribute: str) -> Any:
    found = getattr(thing, attribute, None)
    if found is None:
        raise ModelError(f"{type(thing).__name__} is not fitted: it has no {attribute}")
    return found
