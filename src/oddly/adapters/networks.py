# SPDX-License-Identifier: Apache-2.0
"""The networks of pgmpy and pyAgrum, from memory: floats are taken at their exact values, states under their names."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.objects import labels
from oddly.errors import ModelError, Unsupported
from oddly.model import Bins, NaiveBayes, Network, NetworkClassifier, Node

PGMPY = {"DiscreteBayesianNetwork", "BayesianNetwork", "BayesianModel", "NaiveBayes"}


def _undecided(thing: Any) -> Unsupported:
    advice = "oddly.from_network(network).classifier(class_=...)"
    return Unsupported(f"{type(thing).__name__}: a network decides once its class is chosen: {advice}")


# ---- pgmpy ----


def pgmpy_network(thing: Any) -> Network:
    """The network of a DiscreteBayesianNetwork with a table for every variable."""
    if not {kind.__name__ for kind in type(thing).__mro__} & PGMPY:
        raise Unsupported(f"{type(thing).__name__}: only networks of discrete variables are read")
    tables = {name: _table(thing, name) for name in thing.nodes()}
    states = {name: labels(_states(cpd, name), f"variable {name}") for name, cpd in tables.items()}
    return Network([_pgmpy_node(name, cpd, states) for name, cpd in tables.items()])


def pgmpy_classifier(thing: Any) -> NaiveBayes | NetworkClassifier:
    """The classifier that a pgmpy NaiveBayes is: the most probable value of its dependent variable."""
    target = getattr(thing, "dependent", None)
    if target is None or "NaiveBayes" not in {kind.__name__ for kind in type(thing).__mro__}:
        raise _undecided(thing)
    network = pgmpy_network(thing)
    return network.classifier(str(target), attributes=[n.name for n in network.nodes if n.name != str(target)])


def _table(thing: Any, name: Any) -> Any:
    found = thing.get_cpds(name)
    if found is None:
        raise ModelError(f"variable {name}: no table of probabilities; fit the network, or add_cpds")
    if not hasattr(found, "values") or not hasattr(found, "variables"):
        raise Unsupported(f"variable {name}: {type(found).__name__} is no table of probabilities")
    return found


def _states(cpd: Any, name: Any) -> Sequence[Any]:
    """The states' names; where there are none, their numbers."""
    known = (cpd.state_names or {}).get(name)
    at = list(cpd.variables).index(name)
    return list(known) if known is not None else list(range(int(cpd.cardinality[at])))


def _pgmpy_node(name: Any, cpd: Any, states: dict[Any, tuple[str, ...]]) -> Node:
    """A table's first axis is the variable, the others are its parents; a row of ours is one combination of theirs."""
    parents = list(cpd.variables)[1:]
    table: NDArray[np.float64] = np.asarray(cpd.values, float)
    for axis, parent in enumerate(parents, start=1):
        here = labels(_states(cpd, parent), f"variable {name}, parent {parent}")
        if sorted(here) != sorted(states[parent]):
            raise ModelError(f"variable {name}: its parent {parent} has the states {here} here, {states[parent]} there")
        table = table.take([here.index(state) for state in states[parent]], axis)  # a table may list them otherwise
    rows = np.moveaxis(table, 0, -1).reshape(-1, len(states[name]))
    return Node(str(name), states[name], [str(p) for p in parents], rows.tolist())


# ---- pyAgrum ----


def pyagrum_network(thing: Any) -> Network:
    """The network of a BayesNet, or of a fitted BNClassifier."""
    if _is(thing, "BNClassifier"):
        thing = _fitted(thing, "bn_")
    if not _is(thing, "BayesNet"):
        raise Unsupported(f"{type(thing).__name__}: only BayesNet and BNClassifier hold a Bayesian network of tables")
    return Network([_pyagrum_node(thing, place) for place in sorted(thing.nodes())])


def pyagrum_classifier(thing: Any) -> NaiveBayes | NetworkClassifier:
    """The classifier that a fitted BNClassifier is: its class given the class's Markov blanket.

    Two classes are held against its threshold, after the probability is rounded to `significant_digit` places; more
    than two are ranked by probability.
    """
    if not _is(thing, "BNClassifier"):
        raise _undecided(thing)
    blanket = pyagrum_network(_fitted(thing, "MarkovBlanket_"))
    others = [node.name for node in blanket.nodes if node.name != thing.target_]
    columns = sorted(others, key=lambda name: thing.variableNameIndexDictionary_.get(name, 0))
    values = blanket.node(thing.target_).values
    if len(values) != 2 or not thing.label_:
        return blanket.classifier(thing.target_, attributes=columns)
    threshold = _before_rounding(float(thing.threshold_), int(thing.significant_digit))
    return blanket.classifier(thing.target_, str(thing.label_), threshold, columns)


def _pyagrum_node(bn: Any, place: int) -> Node:
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


NETWORKS = {"pgmpy": pgmpy_network, "pyagrum": pyagrum_network}
CLASSIFIERS = {"pgmpy": pgmpy_classifier, "pyagrum": pyagrum_classifier}
