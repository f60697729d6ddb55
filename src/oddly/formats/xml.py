# SPDX-License-Identifier: Apache-2.0
"""Networks in XML: XMLBIF 0.3 (`.xmlbif`, `.bifxml` or `.xml`), and XDSL, the format of GeNIe and SMILE (`.xdsl`).

A tree that remembers its places. Entities are refused: no file can blow up or reach outside. In both formats tables list
the child's value changing fastest, then the last parent's. In XDSL a deterministic node names the state that follows from
each combination of its parents', and nodes are written parents first, as SMILE wants them.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import dataclass, field

from oddly.errors import FormatError, Unsupported
from oddly.formats.parts import DeclaredVariable, Fill, Rows, WrittenTable, assemble, child_fastest, decimals
from oddly.formats.text import Source, short
from oddly.model import Network, Node

DEEPEST = 50
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


@dataclass
class XmlElement:
    """An element, its attributes, the text directly inside, and where it starts."""

    tag: str
    attributes: dict[str, str]
    at: int
    children: list["XmlElement"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip(" \t\r\n")

    def all(self, *tags: str) -> list["XmlElement"]:
        """The children with one of these tags."""
        return [child for child in self.children if child.tag in tags]

    def one(self, tag: str, source: Source) -> "XmlElement":
        """The only child with this tag."""
        found = self.all(tag)
        if len(found) != 1:
            raise source.error(self.at, f"<{self.tag}> needs one <{tag}>, found {len(found)}")
        return found[0]


def read_xml(data: bytes, name: str) -> Network:
    """The network in an XML file of either format; its root says which."""
    root, source = parse_xml(data, name)
    if root.tag == "smile":
        return network_from_xdsl(root, source)
    if root.tag == "BIF":
        return network_from_xmlbif(root, source)
    raise source.error(root.at, f"expected <BIF> or <smile>, found <{root.tag[:40]}>")


def parse_xml(data: bytes, name: str) -> tuple[XmlElement, Source]:
    """The root element, and the text that errors point into."""
    from xml.sax import SAXException, SAXParseException, xmlreader
    from xml.sax.handler import ContentHandler

    from defusedxml.common import DefusedXmlException, ExternalReferenceForbidden
    from defusedxml.sax import parseString

    utf16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    latin = re.match(rb"<\?xml[^>]*encoding=[\"']iso-8859-1", data, re.IGNORECASE)
    source = Source(name, data.decode("utf-16" if utf16 else "latin-1" if latin else "utf-8", "replace"))

    class XmlBuilder(ContentHandler):
        """Called by the parser as it goes."""

        def __init__(self) -> None:
            super().__init__()
            self.open = [XmlElement("", {}, 0)]  # what holds the root
            self.line, self.start = 1, 0

        def setDocumentLocator(self, locator: xmlreader.Locator) -> None:
            self.where = locator

        def place(self, where: xmlreader.Locator | SAXParseException) -> int:
            while self.line < (where.getLineNumber() or 1):  # forward only, so that a long file is walked once
                found = source.text.find("\n", self.start)
                if found < 0:  # the parser counts other line ends too
                    break
                self.start, self.line = found + 1, self.line + 1
            return self.start + (where.getColumnNumber() or 0)

        def startElement(self, tag: str, attributes: xmlreader.AttributesImpl) -> None:
            element = XmlElement(tag, dict(attributes.items()), self.place(self.where))
            if len(self.open) > DEEPEST:
                raise source.error(element.at, f"<{tag}> is nested more than {DEEPEST} deep")
            self.open[-1].children.append(element)
            self.open.append(element)

        def endElement(self, tag: str) -> None:
            self.open.pop()

        def characters(self, content: str) -> None:
            self.open[-1].pieces.append(content)

    build = XmlBuilder()
    try:
        parseString(data, build, forbid_dtd=False)
    except FormatError:
        raise
    except ExternalReferenceForbidden:
        raise FormatError(f"{name}: its DOCTYPE refers to another file, which is not read; remove that line") from None
    except DefusedXmlException:
        raise FormatError(f"{name}: the file declares XML entities, and those are refused") from None
    except SAXParseException as error:
        raise source.error(build.place(error), f"not XML: {error.getMessage()}") from None
    except (SAXException, ValueError, LookupError) as error:
        raise FormatError(f"{name}: not XML that can be read: {error}") from None
    if not build.open[0].children:
        raise FormatError(f"{name}: an empty file")
    return build.open[0].children[0], source


_UNSPEAKABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def escaped(text: str, what: str) -> str:
    """The text for the inside of an element or attribute; white space that a parser would change, as references."""
    if _UNSPEAKABLE.search(text):
        advice = f"write .json instead of {what}"
        raise Unsupported(f"{short(text)} holds a character that XML has no way to write; {advice}")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return re.sub(r"[\t\n\r]", lambda m: f"&#{ord(m[0])};", text)


def _tagged(tag: str, text: str) -> str:
    """An element of XMLBIF, in which white space at the ends does not count."""
    if text != text.strip(" \t\r\n") or not text:
        raise Unsupported(
            f"{short(text)} cannot be written in .xmlbif files: it starts or ends with space, or is empty"
        )
    return f"<{tag}>{escaped(text, '.xmlbif')}</{tag}>"


UNNAMED = "unknown"  # the format insists on a name
TYPES = {"", "nature", "discrete"}


def network_from_xmlbif(root: XmlElement, source: Source) -> Network:
    """The network below a BIF element."""
    network = root.one("NETWORK", source)
    titles = [child.text for child in network.all("NAME")]
    variables = [_declared(v, source) for v in network.all("VARIABLE")]
    potentials = []
    for element in network.all("DEFINITION", "PROBABILITY"):
        child, parents = element.one("FOR", source).text, tuple(given.text for given in element.all("GIVEN"))
        table = element.one("TABLE", source)
        potentials.append(WrittenTable(child, parents, child_fastest(table.text.split()), table.at))
    for other in network.children:
        if other.tag not in ("NAME", "VARIABLE", "DEFINITION", "PROBABILITY", "PROPERTY"):
            raise source.error(other.at, f"expected <VARIABLE> or <DEFINITION>, found <{other.tag}>")
    return assemble(source, variables, potentials, titles[0] if titles and titles[0] != UNNAMED else "")


def xmlbif_text(network: Network) -> str:
    """The network as XMLBIF, every digit kept."""
    lines = [DECLARATION, '<BIF VERSION="0.3">', "<NETWORK>", _tagged("NAME", network.name.strip() or UNNAMED)]
    for node in network.nodes:
        outcomes = "".join(_tagged("OUTCOME", value) for value in node.values)
        lines.append(f'<VARIABLE TYPE="nature">{_tagged("NAME", node.name)}{outcomes}</VARIABLE>')
    for node in network.nodes:
        given = "".join(_tagged("GIVEN", parent) for parent in node.parents)
        lines.append(f"<DEFINITION>{_tagged('FOR', node.name)}{given}<TABLE>")
        lines += [*(" ".join(row) for row in decimals(node, ".xmlbif")), "</TABLE></DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _declared(element: XmlElement, source: Source) -> DeclaredVariable:
    kind = element.attributes.get("TYPE", "")
    name = element.one("NAME", source).text
    if kind not in TYPES:
        raise source.error(element.at, f"{short(name)} is a {kind} node; only chance nodes (nature) are read")
    return DeclaredVariable(name, tuple(child.text for child in element.all("OUTCOME", "VALUE")), element.at)


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
    drawn = [genie.attributes for e in root.all("extensions") for genie in e.all("genie")]
    titles = [attributes["name"] for attributes in drawn if "name" in attributes]
    return assemble(source, variables, potentials, titles[0] if titles else root.attributes.get("id", ""))


def xdsl_text(network: Network) -> str:
    """The network as XDSL, every digit kept."""
    title = escaped(network.name.strip(), ".xdsl")
    identifier = re.sub(r"\W", "_", network.name.strip(), flags=re.ASCII) or "network"
    lines = [DECLARATION, f'<smile version="1.0" id="{identifier}" numsamples="1000">', "<nodes>"]
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
        why = "spaces separate names there.  Write .json or .xmlbif, or rename it."
        raise Unsupported(f"the name {short(name)} cannot be written in a .xdsl file: {why}")
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
        for state in dict.fromkeys(states):
            if state not in child.values:
                raise FormatError(f"{child.name}={short(state)}: no such state")
            unit[state] = ["1" if state == value else "0" for value in child.values]
        return [unit[state] for state in states]

    return fill
