# SPDX-License-Identifier: Apache-2.0
"""Diagrams for other programs: DDDMP and DIMACS CNF of one label's binary diagram, GraphML of the whole."""

import json
import re
from collections.abc import Iterator
from typing import Any, Unpack
from xml.etree import ElementTree

from oddly.errors import Unsupported
from oddly.export.bits import FALSE, TRUE, BinaryDiagram, binary
from oddly.export.subject import subject
from oddly.runtime import LimitArguments, limited

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_dddmp(thing: Any, label: str | None = None, **limits: Unpack[LimitArguments]) -> str:
    """A binary diagram in the text format of CUDD's DDDMP 2.0, which dd reads too, and OxiDD once its comments are gone.

    Bits are called x0, x1, … there, since a name of that format is a word; the comments at its head say what each is.
    """
    found = binary(thing, label, limits)
    nodes, root = _complemented(found)
    used = sorted({bit for bit, _, _ in nodes})
    place = {bit: i for i, bit in enumerate(used)}
    names, kept = [f"x{i}" for i in range(len(found.bits))], " ".join(map(str, used))
    lines = [f"# {line}" for line in [*found.subject.origin, *_legend(found, 0)]]
    lines += [".ver DDDMP-2.0", ".mode A", ".varinfo 0", f".dd sha256_{found.subject.digest}"]
    lines += [f".nnodes {len(nodes) + 1}", f".nvars {len(found.bits)}", f".nsuppvars {len(used)}"]
    lines += [f".suppvarnames {' '.join(names[i] for i in used)}", f".orderedvarnames {' '.join(names)}"]
    lines += [f".ids {kept}", f".permids {kept}", ".nroots 1", f".rootids {root}", ".nodes", "1 T 1 0 0"]
    lines += [f"{i} {bit} {place[bit]} {high} {low}" for i, (bit, low, high) in enumerate(nodes, 2)]
    return "\n".join([*lines, ".end", ""])


def _complemented(found: BinaryDiagram) -> tuple[list[tuple[int, int, int]], int]:
    """The same with one sink and edges that negate, as CUDD has it: nodes from 2 on, true is 1, and -n is not n.

    Only the edge of a false bit may negate: a node whose other edge would is the negation of its opposite.
    """
    made: dict[tuple[int, int, int], int] = {}
    stands = {FALSE: -1, TRUE: 1}
    for node, bit, low, high in found.numbered():
        sign = 1 if stands[high] > 0 else -1
        key = (bit, sign * stands[low], sign * stands[high])
        stands[node] = sign * made.setdefault(key, len(made) + 2)
    return list(made), stands[found.root]


def to_cnf(thing: Any, label: str | None = None, **limits: Unpack[LimitArguments]) -> str:
    """Clauses, in DIMACS, that as many assignments satisfy as there are instances with the label.

    Variables 1, 2, … are the bits; those after them are nodes of the binary diagram, each true iff the bits lead from it to
    the label, so that every instance has one assignment.
    """
    found = binary(thing, label, limits)
    clauses = list(_clauses(found))
    many = len(found.bits) + len(found.nodes)
    head = [f"c {line}" for line in [*found.subject.origin, *_legend(found, 1)]]
    body = [" ".join(map(str, [*clause, 0])) for clause in clauses]
    return "\n".join([*head, f"p cnf {many} {len(clauses)}", *body, ""])


def _clauses(found: BinaryDiagram) -> Iterator[list[int]]:
    """A node is the node below it on the side of its bit; the root is true."""
    first = len(found.bits) - 1  # node 2 is the first variable after the bits
    for node, bit, low, high in found.numbered():
        x, v = bit + 1, node + first
        for side, child in ((-x, high), (x, low)):
            if child != TRUE:
                yield [-v, side, *([] if child == FALSE else [child + first])]
            if child != FALSE:
                yield [v, side, *([] if child == TRUE else [-(child + first)])]
    if found.root != TRUE:
        yield [] if found.root == FALSE else [found.root + first]


def _legend(found: BinaryDiagram, start: int) -> Iterator[str]:
    """What the bits are, names and values in JSON, so that each is one line of plain letters."""
    yield f"True of: {json.dumps(found.label)}"
    for i, bit in enumerate(found.bits, start):
        which = f"bit {bit.place + 1} of {bit.of}, " if bit.of > 1 else ""
        values = json.dumps(list(bit.attribute.values))
        yield f"{'x' if start == 0 else ''}{i}: {which}of the place from 0 on of {json.dumps(bit.attribute.name)} in {values}"


# ---- with its values as they are ----


def to_graphml(thing: Any, **limits: Unpack[LimitArguments]) -> str:
    """The reduced diagram as GraphML: a node has its attribute and depth, or its label; an edge its value.

    An edge may skip depths: attributes in between do not matter there.
    """
    nodes, edges, top, origin = parts(thing, limits)
    root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    kinds = {"attribute": "node", "label": "node", "depth": "node", "value": "edge", "root": "graph", "origin": "graph"}
    for name, kind in kinds.items():
        typed = "int" if name == "depth" else "string"
        ElementTree.SubElement(root, "key", {"id": name, "for": kind, "attr.name": name, "attr.type": typed})
    graph = ElementTree.SubElement(root, "graph", edgedefault="directed")
    _data(graph, {"root": str(top), "origin": origin})
    for node, told in nodes:
        _data(ElementTree.SubElement(graph, "node", id=str(node)), told)
    for number, (node, child, value) in enumerate(edges):
        edge = ElementTree.SubElement(graph, "edge", id=f"e{number}", source=str(node), target=str(child))
        _data(edge, {"value": value})
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _data(element: Any, told: dict[str, Any]) -> None:
    for name, value in told.items():
        if NOT_IN_XML.search(str(value)):
            raise Unsupported(f"{value!r} holds a letter that XML has no place for")
        ElementTree.SubElement(element, "data", key=name).text = str(value)


def parts(
    thing: Any, limits: LimitArguments
) -> tuple[list[tuple[int, dict[str, Any]]], list[tuple[int, int, str]], int, str]:
    """The nodes and edges of the reduced diagram, its root and its origin; sinks first, then from the root down."""
    with limited(limits, orders=True):
        written = subject(thing)
        reduced = written.walked.reduce()
    nodes: list[tuple[int, dict[str, Any]]] = [
        (i, {"label": label, "depth": len(reduced.variables)}) for i, label in enumerate(reduced.labels)
    ]
    edges = []
    for depth, (variable, level, start) in enumerate(
        zip(reduced.variables, reduced.levels, reduced.starts, strict=True)
    ):
        for i, children in enumerate(level.tolist(), start):
            nodes.append((i, {"attribute": variable.name, "depth": depth}))
            edges += [(i, child, value) for child, value in zip(children, variable.values, strict=True)]
    return nodes, edges, reduced.root, " ".join(written.origin)
