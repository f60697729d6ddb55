# SPDX-License-Identifier: Apache-2.0
"""Weka's ARFF: declared attributes, then rows of comma-separated values.

Nominal, numeric and string attributes (dates are kept as strings), quoted names and values, `%` comments, `?` for
missing. What a nominal attribute lists are its values. Sparse rows, row weights and relational attributes are refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from oddly.errors import FormatError, Unsupported, listed
from oddly.formats.text import read_text
from oddly.learning.cells import MISSING, Column, is_number, of_cells

KINDS = dict.fromkeys(("numeric", "real", "integer"), "numeric") | dict.fromkeys(("string", "date"), "string")
Attributes = dict[str, tuple[str, Sequence[str]]]
"""By name: nominal, numeric or string; and the values of a nominal one."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TOKEN = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^,'"\s{}](?:[^,{}]*[^,\s{}])?)|(?P<none>))\s*"""
)
_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*""")


def read_arff(path: Path) -> dict[str, Column]:
    """The columns of an ARFF file."""
    lines = enumerate(read_text(path).split("\n"), 1)
    attributes = _header(path, lines)
    content = list(_content(lines))
    rows, numbers = [_row(f"{path}:{n}", line, len(attributes)) for n, line in content], [n for n, _ in content]
    if not rows:
        raise FormatError(f"{path}: no rows of data below @data")
    found = {}
    for (name, (kind, values)), cells in zip(attributes.items(), zip(*rows, strict=True), strict=True):
        factor = of_cells(cells)
        for place, cell in enumerate(factor.distinct):
            if wrong := _wrong(kind, values, cell):
                raise FormatError(f"{path}:{numbers[int(np.argmax(factor.codes == place))]}  {name}{wrong}")
        found[name] = replace(factor, declared=tuple(v for v in values if v not in MISSING) or None)
    return found


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> Attributes:
    attributes: Attributes = {}
    for number, line in _content(lines):
        where = f"{path}:{number}"
        keyword, _, rest = line.strip().replace("\t", " ", 1).partition(" ")
        match keyword.lower():
            case "@relation":
                continue
            case "@attribute":
                name, kind, *values = _attribute(where, rest)
                if name in attributes:
                    raise FormatError(f"{path}: the attribute {name!r} stands twice")
                attributes[name] = kind, values
            case "@data" if attributes:
                return attributes
            case "@data":
                raise FormatError(f"{where}  @data, but no @attribute came before it")
            case _:
                raise FormatError(f"{where}  expected @relation, @attribute or @data, found {line.strip()[:40]!r}")
    raise FormatError(f"{path}: expected a header of @relation and @attribute lines, then @data")


def _attribute(where: str, text: str) -> list[str]:
    """The name, the kind, and the values of a nominal one."""
    match = _NAME.match(text)
    if match is None:
        raise FormatError(f"{where}  expected a name and a type after @attribute")
    name = _unescaped(next(group for group in match.groups() if group is not None))
    kind = re.sub(r"\}\s*%[^}]*$", "}", text[match.end() :].strip())  # a comment may follow
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise FormatError(f"{where}  {name}: expected a closing brace on the same line")
        values = _cells(f"{where}  {name}", kind[1:-1])
        if len(set(values)) < len(values) or not all(values):
            raise FormatError(f"{where}  {name}: expected different values, found {', '.join(values)}")
        return [name, "nominal", *values]
    word = kind.split()[0].lower() if kind else ""
    if word in KINDS:
        return [name, KINDS[word]]
    if word == "relational":
        raise Unsupported(f"{where}  {name}: a relational attribute holds tables, and a classifier reads one row")
    raise FormatError(f"{where}  {name}: expected numeric, string, date or {{values}}, found {kind[:40]!r}")


def _row(where: str, line: str, width: int) -> list[str]:
    if line.lstrip().startswith("{"):
        raise Unsupported(f"{where}  a sparse row; it leaves out what is zero or first.  Write the rows out in full.")
    if re.search(r"\{[^{}]*\}\s*$", line) and not line.rstrip().endswith(("'", '"')):
        raise Unsupported(f"{where}  a row with a weight; every row counts once here.  Repeat it instead.")
    quoted = "'" in line or '"' in line or "{" in line
    cells = _cells(where, line) if quoted else [cell.strip() for cell in line.split(",")]
    if len(cells) != width:
        raise FormatError(f"{where}  {width} values expected, found {len(cells)}")
    return cells


def _wrong(kind: str, values: Sequence[str], cell: str) -> str:
    """What is wrong with a cell of such an attribute, if anything."""
    if kind == "numeric" and cell not in MISSING and not is_number(cell):
        return f": expected a number, found {cell!r}"
    undeclared = kind == "nominal" and cell not in MISSING and cell not in values
    return f"={cell}.  It is declared as one of {listed(values)}." if undeclared else ""


def _cells(where: str, line: str) -> list[str]:
    """The values of a line, without their quotes."""
    cells, at = [], 0
    while True:
        match = _TOKEN.match(line, at)
        if match is None or (match.end() < len(line) and line[match.end()] != ","):
            shown = line[at:].strip()
            raise FormatError(f"{where}  expected a value, a comma after it, and quotes in pairs, found {shown[:40]!r}")
        quoted = match["single"] if match["single"] is not None else match["double"]
        cells.append(_unescaped(quoted) if quoted is not None else match["plain"] or "")
        if match.end() == len(line):
            return cells
        at = match.end() + 1


def _content(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("%"))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)
