# SPDX-License-Identifier: Apache-2.0
"""XDSL, the format of GeNIe and SMILE: `.xdsl`.

Tables list the node's state changing fastest, then the last parent's. A deterministic node names the state that
follows from each combination of its parents'. Nodes are written parents first, as SMILE wants them.
"""

import re
from collections.abc import Sequence

from oddly.errors import FormatError, Unsupported
from oddly.formats.decimals import decimals
from oddly.formats.parts import DeclaredVariable, Fill, Rows, WrittenTable, assemble, child_fastest
from oddly.formats.text import Source, short
from oddly.formats.xml import XmlElement, escaped
from oddly.model import Network, Node

REFUSED = {
    "noisymax": "a noisy-MAX node; change its type to general (a full table) and save it again",
    "noisyadder": "a noisy adder; change its type to general (a full table) and save it again",
    "demorgan": "a DeMorgan node; change its type to general (a full table) and save it again",
    "decision": "a decision: an influence diagram has no probability for it; only chance nodes are read",
    "utility": "a utility: an influence diagram has no probability for it; only chance nodes are read",
    "mau": "a utility: an influence diagram has no probability for it; only chance nodes are read",
    "equation": "a continuous node has no table of probabilities; discretize it and save it again",
}


def network_from_xdsl(root: XmlElement, source: Source) -> Network:
    """The network below a smile element."""
    if root.all("dynamic"):
        raise source.error(root.all("dynamic")[0].at, "a dynamic network; unroll it and save it again")
    variables, potentials = [], []
    for element in root.one("nodes", source).children:
        if element.tag in REFUSED:
            raise source.error(element.at, REFUSED[element.tag])
        if element.tag not in ("cpt", "deterministic"):
            raise source.error(element.at, f"expected <cpt> or <deterministic>, found <{element.tag}>")
        name = _id(element, source)
        variables.append(DeclaredVariable(name, tuple(_id(s, source) for s in element.all("state")), element.at))
        parents = tuple(parent for given in element.all("parents") for parent in given.text.split())
        potentials.append(WrittenTable(name, parents, _fill(element, source), element.at))
    titles = [
        genie.attributes["name"]
        for e in root.all("extensions")
        for genie in e.all("genie")
        if "name" in genie.attributes
    ]
    return assemble(source, variables, potentials, titles[0] if titles else root.attributes.get("id", ""))


def xdsl_text(network: Network) -> str:
    """The network as XDSL, every digit kept."""
    title = escaped(network.name.strip(), ".xdsl")
    identifier = re.sub(r"\W", "_", network.name.strip(), flags=re.ASCII) or "network"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<smile version="1.0" id="{identifier}" numsamples="1000">',
        "<nodes>",
    ]
    for node in parents_first(network):
        lines.append(f'<cpt id="{_word(node.name)}">')
        lines += [f'  <state id="{escaped(value, ".xdsl")}" />' for value in node.values]
        if node.parents:
            lines.append(f"  <parents>{' '.join(map(_word, node.parents))}</parents>")
        numbers = " ".join(number for row in decimals(node, ".xdsl") for number in row)
        lines += [f"  <probabilities>{numbers}</probabilities>", "</cpt>"]
    # Some readers insist on the part for a drawing program, even an empty one.
    drawing = f'<extensions><genie version="1.0" app="Oddly" name="{title}"></genie></extensions>'
    return "\n".join([*lines, "</nodes>", drawing, "</smile>", ""])


def parents_first(network: Network) -> Sequence[Node]:
    """The nodes as they stand if parents come first already, else sorted so that they do."""
    seen: set[str] = set()
    for node in network.nodes:
        if not seen.issuperset(node.parents):
            return network.topological
        seen.add(node.name)
    return network.nodes


def _word(name: str) -> str:
    if name.split() != [name]:
        raise Unsupported(
            f"the name {short(name)} cannot be written in a .xdsl file: spaces separate names there.  "
            "Write .json or .xmlbif, or rename it."
        )
    return escaped(name, ".xdsl")


def _id(element: XmlElement, source: Source) -> str:
    if "id" not in element.attributes:
        raise source.error(element.at, f"<{element.tag}> has no id")
    return element.attributes["id"]


def _fill(element: XmlElement, source: Source) -> Fill:
    if element.tag == "cpt":
        return child_fastest(element.one("probabilities", source).text.split())
    states = element.one("resultingstates", source).text.split()

    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        unit: dict[str, list[str]] = {}
        for state in states:
            if state not in unit:
                if state not in child.values:
                    raise FormatError(f"{child.name}={short(state)}: no such state")
                unit[state] = ["1" if state == value else "0" for value in child.values]
        return [unit[state] for state in states]

    return fill
