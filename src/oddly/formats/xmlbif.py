# SPDX-License-Identifier: Apache-2.0
"""XMLBIF 0.3: `.xmlbif`, `.bifxml` or `.xml`.

A table lists the child's value changing fastest, then the last GIVEN's.
"""

from oddly.formats.decimals import decimals
from oddly.formats.parts import DeclaredVariable, WrittenTable, assemble, child_fastest
from oddly.formats.text import Source, short
from oddly.formats.xml import XmlElement, trimmed
from oddly.model import Network

UNNAMED = "unknown"  # the format insists on a name
TYPES = {"", "nature", "discrete"}


def network_from_xmlbif(root: XmlElement, source: Source) -> Network:
    """The network below a BIF element."""
    network = root.one("NETWORK", source)
    titles = [child.text for child in network.all("NAME")]
    variables = [_declared(v, source) for v in network.all("VARIABLE")]
    potentials = [_potential(d, source) for d in network.all("DEFINITION", "PROBABILITY")]
    for other in network.children:
        if other.tag not in ("NAME", "VARIABLE", "DEFINITION", "PROBABILITY", "PROPERTY"):
            raise source.error(other.at, f"expected <VARIABLE> or <DEFINITION>, found <{other.tag}>")
    return assemble(source, variables, potentials, titles[0] if titles and titles[0] != UNNAMED else "")


def xmlbif_text(network: Network) -> str:
    """The network as XMLBIF, every digit kept."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append(f"<NAME>{trimmed(network.name.strip() or UNNAMED, '.xmlbif')}</NAME>")
    for node in network.nodes:
        outcomes = "".join(f"<OUTCOME>{trimmed(v, '.xmlbif')}</OUTCOME>" for v in node.values)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{trimmed(node.name, ".xmlbif")}</NAME>{outcomes}</VARIABLE>')
    for node in network.nodes:
        given = "".join(f"<GIVEN>{trimmed(p, '.xmlbif')}</GIVEN>" for p in node.parents)
        table = "\n".join(" ".join(row) for row in decimals(node, ".xmlbif"))
        lines.append(f"<DEFINITION><FOR>{trimmed(node.name, '.xmlbif')}</FOR>{given}<TABLE>")
        lines.append(f"{table}\n</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _declared(element: XmlElement, source: Source) -> DeclaredVariable:
    kind = element.attributes.get("TYPE", "")
    name = element.one("NAME", source).text
    if kind not in TYPES:
        raise source.error(element.at, f"{short(name)} is a {kind} node; only chance nodes (nature) are read")
    return DeclaredVariable(name, tuple(child.text for child in element.all("OUTCOME", "VALUE")), element.at)


def _potential(element: XmlElement, source: Source) -> WrittenTable:
    child = element.one("FOR", source).text
    parents = tuple(given.text for given in element.all("GIVEN"))
    table = element.one("TABLE", source)
    return WrittenTable(child, parents, child_fastest(table.text.split()), table.at)
