# SPDX-License-Identifier: Apache-2.0
"""A network in another library, pyAgrum, to compare posteriors with."""

from importlib import import_module
from typing import Any

import numpy as np

from oddly.model import Network


def in_pyagrum(network: Network) -> Any:
    """The network from the same numbers: pyAgrum's own reader of files rounds them to 32 bits."""
    gum: Any = import_module("pyagrum")
    found = gum.BayesNet()
    for node in network.nodes:
        found.add(gum.LabelizedVariable(node.name, node.name, list(node.values)))
    for node in network.nodes:
        for parent in node.parents:
            found.addArc(parent, node.name)
    for node in network.nodes:
        cpt = found.cpt(node.name)
        shape = [len(network.node(p).values) for p in node.parents]
        numbers = np.array([[float(p) for p in row] for row in node.table]).reshape(*shape, len(node.values))
        axes = [*node.parents, node.name]
        cpt[:] = np.ascontiguousarray(numbers.transpose([axes.index(name) for name in reversed(cpt.names)]))
    return found
