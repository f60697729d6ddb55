# SPDX-License-Identifier: Apache-2.0
"""pgmpy's discrete networks, from memory: floats are taken at their exact values, states under their names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.labels import labels
from oddly.errors import ModelError, Unsupported
from oddly.model import NaiveBayes, Network, NetworkClassifier, Node

NETWORKS = {"DiscreteBayesianNetwork", "BayesianNetwork", "BayesianModel", "NaiveBayes"}


def network_of(thing: Any) -> Network:
    """The network of a DiscreteBayesianNetwork with a table for every variable."""
    if not {kind.__name__ for kind in type(thing).__mro__} & NETWORKS:
        raise Unsupported(f"{type(thing).__name__}: only networks of discrete variables are read")
    tables = {name: _table(thing, name) for name in thing.nodes()}
    states = {name: labels(_states(cpd, name), f"variable {name}") for name, cpd in tables.items()}
    return Network([_node(name, cpd, states) for name, cpd in tables.items()])


def classifier_of(thing: Any) -> NaiveBayes | NetworkClassifier:
    """The classifier that a pgmpy NaiveBayes is: the most probable value of its dependent variable."""
    target = getattr(thing, "dependent", None)
    if target is None or "NaiveBayes" not in {kind.__name__ for kind in type(thing).__mro__}:
        raise Unsupported(
            f"{type(thing).__name__}: a network decides once its class is chosen: "
            "oddly.from_network(network).classifier(class_=...)"
        )
    network = network_of(thing)
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


def _node(name: Any, cpd: Any, states: dict[Any, tuple[str, ...]]) -> Node:
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
