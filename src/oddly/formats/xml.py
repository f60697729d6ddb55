# SPDX-License-Identifier: Apache-2.0
"""XML as a tree that remembers its places. Entities are refused: no file can blow up or reach outside."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, field

from oddly.errors import FormatError, Unsupported
from oddly.formats.text import Source, short

DEEPEST = 50


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


def parse_xml(data: bytes, name: str) -> tuple[XmlElement, Source]:
    """The root element, and the text that errors point into."""
    from xml.sax import SAXException, SAXParseException, xmlreader
    from xml.sax.handler import ContentHandler

    from defusedxml.common import DefusedXmlException, ExternalReferenceForbidden  # type: ignore[import-untyped]
    from defusedxml.sax import parseString  # type: ignore[import-untyped]

    source = Source(name, _shown(data))

    class XmlBuilder(ContentHandler):
        """Called by the parser as it goes."""

        def __init__(self) -> None:
            super().__init__()
            self.open: list[XmlElement] = []
            self.root: XmlElement | None = None
            self.line, self.start = 1, 0
            self.where: xmlreader.Locator | None = None

        def setDocumentLocator(self, locator: xmlreader.Locator) -> None:
            self.where = locator

        def place(self) -> int:
            line, column = (self.where.getLineNumber(), self.where.getColumnNumber()) if self.where else (1, 0)
            while self.line < (line or 1):  # forward only, so that a long file is walked once
                found = source.text.find("\n", self.start)
                if found < 0:  # the parser counts other line ends too
                    break
                self.start, self.line = found + 1, self.line + 1
            return self.start + (column or 0)

        def startElement(self, tag: str, attributes: xmlreader.AttributesImpl) -> None:
            element = XmlElement(tag, dict(attributes.items()), self.place())
            if len(self.open) >= DEEPEST:
                raise source.error(element.at, f"<{tag}> is nested more than {DEEPEST} deep")
            if self.open:
                self.open[-1].children.append(element)
            else:
                self.root = element
            self.open.append(element)

        def endElement(self, tag: str) -> None:
            self.open.pop()

        def characters(self, content: str) -> None:
            if self.open:
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
        at = source.offset(max(error.getLineNumber() or 1, 1), max(error.getColumnNumber() or 0, 0))
        raise source.error(at, f"not XML: {error.getMessage()}") from None
    except (SAXException, ValueError, LookupError) as error:
        raise FormatError(f"{name}: not XML that can be read: {error}") from None
    if build.root is None:
        raise FormatError(f"{name}: an empty file")
    return build.root, source


_UNSPEAKABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def escaped(text: str, what: str) -> str:
    """The text for the inside of an element or attribute; white space that a parser would change, as references."""
    if _UNSPEAKABLE.search(text):
        raise Unsupported(
            f"{short(text)} holds a character that XML has no way to write; write .json instead of {what}"
        )
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return re.sub(r"[\t\n\r]", lambda m: f"&#{ord(m[0])};", text)


def trimmed(text: str, what: str) -> str:
    """The text escaped, for places where white space at the ends does not count."""
    if text != text.strip(" \t\r\n") or not text:
        raise Unsupported(f"{short(text)} cannot be written in {what} files: it starts or ends with space, or is empty")
    return escaped(text, what)


def _shown(data: bytes) -> str:
    utf16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    latin = re.match(rb"<\?xml[^>]*encoding=[\"']iso-8859-1", data, re.IGNORECASE)
    return data.decode("utf-16" if utf16 else "latin-1" if latin else "utf-8", "replace")
