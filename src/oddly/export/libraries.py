# SPDX-License-Identifier: Apache-2.0
"""Diagrams as objects of other libraries: dd, OxiDD, PySDD and networkx, none of which Oddly itself needs."""

from importlib import import_module
from typing import Any, Unpack

from oddly.errors import Unsupported
from oddly.export.bits import binary
from oddly.export.diagrams import parts
from oddly.runtime import LimitArguments

ROOM = 4  # times the nodes of a diagram that OxiDD is given


def to_dd(thing: Any, label: str | None = None, **limits: Unpack[LimitArguments]) -> tuple[Any, Any]:
    """The binary diagram of one label in dd: its manager, a `dd.autoref.BDD`, and the function.

    The bits are the manager's variables, in order; see `oddly.export.bits` for how they spell values.

    >>> from oddly import examples
    >>> manager, function = to_dd(examples.pregnancy())
    >>> manager.count(function, nvars=len(manager.vars))
    5
    """
    found, manager = binary(thing, label, limits), _library("dd.autoref").BDD()
    manager.declare(*(bit.name for bit in found.bits))
    nodes = [manager.false, manager.true]
    for _, bit, low, high in found.numbered():
        nodes.append(manager.find_or_add(found.bits[bit].name, nodes[low], nodes[high]))
    return manager, nodes[found.root]


def to_oxidd(thing: Any, label: str | None = None, **limits: Unpack[LimitArguments]) -> tuple[Any, Any]:
    """The same in OxiDD: its `oxidd.bdd.BDDManager` and the function."""
    found = binary(thing, label, limits)
    room = ROOM * (len(found.nodes) + len(found.bits)) + 1024
    manager = _library("oxidd.bdd", "oxidd").BDDManager(room, room, 1)
    manager.add_named_vars([bit.name for bit in found.bits])
    nodes = [manager.false(), manager.true()]
    for _, bit, low, high in found.numbered():
        nodes.append(manager.var(bit).ite(nodes[high], nodes[low]))
    return manager, nodes[found.root]


def to_sdd(thing: Any, label: str | None = None, **limits: Unpack[LimitArguments]) -> tuple[Any, Any]:
    """The same as a sentential decision diagram in PySDD: its `SddManager` and the node; variable i + 1 is bit i."""
    found, library = binary(thing, label, limits), _library("pysdd.sdd", "pysdd")
    many = max(len(found.bits), 1)
    manager = library.SddManager.from_vtree(library.Vtree(many, list(range(1, many + 1)), "balanced"))
    nodes = [manager.false(), manager.true()]
    for _, bit, low, high in found.numbered():
        literal = manager.literal(bit + 1)
        nodes.append((literal & nodes[high]) | (~literal & nodes[low]))
    return manager, nodes[found.root]


def to_networkx(thing: Any, **limits: Unpack[LimitArguments]) -> Any:
    """The reduced diagram as a `networkx.MultiDiGraph`, as in GraphML; the graph itself has `root` and `origin`.

    >>> from oddly import examples
    >>> graph = to_networkx(examples.pregnancy())
    >>> len(graph), graph.nodes[graph.graph["root"]]["attribute"]
    (5, 'B')
    """
    nodes, edges, root, origin = parts(thing, limits)
    graph = _library("networkx").MultiDiGraph(root=root, origin=origin)
    graph.add_nodes_from(nodes)
    graph.add_edges_from((node, child, {"value": value}) for node, child, value in edges)
    return graph


def _library(name: str, package: str = "") -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = package or name.partition(".")[0]
        raise Unsupported(f"{package} is not installed.  Try: pip install {package}") from None
