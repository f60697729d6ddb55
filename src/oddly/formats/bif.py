# SPDX-License-Identifier: Apache-2.0
"""BIF, the interchange format: `.bif`.

A table's rows are named by the parents' values, in any order, with an optional `default` row; or `table` lists all
numbers, the child's value changing slowest and the last parent's fastest.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from oddly.errors import FormatError, Unsupported
from oddly.formats.parts import MOST_FILLED, DeclaredVariable, Misfit, Rows, WrittenTable, assemble, decimals, expect
from oddly.formats.text import NUMBERS, Source, parse, parser, short
from oddly.model import Network

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = rf"""
start: (network | variable | probability)*
network: NETWORK word? "{{" PROPERTY* "}}"
variable: VARIABLE word "{{" (type | PROPERTY)* "}}"
type: TYPE WORD ("[" WORD "]")? "{{" words? "}}" ";"
probability: PROBABILITY "(" word ("|" words? | ","? words)? ")" "{{" (table | default | row | PROPERTY)* "}}"
table: TABLE numbers ";"
default: DEFAULT numbers ";"
row: ROW | "(" words ")" numbers ";"
words: word (","? word)*
word: WORD | STRING
numbers: NUMBERS (","? NUMBERS)*

NETWORK.2: /network\b/
VARIABLE.2: /variable\b/
PROBABILITY.2: /probability\b/
TYPE.2: /type\b/
TABLE.2: /table\b/
DEFAULT.2: /default\b/
PROPERTY.2: /property\b(?:"[^"]*+"|[^";])*+;/
STRING: /"[^"\n]*+"/
WORD: /(?:[^\s{{}}()\[\];,|"\/]|\/(?![\/*]))++/
NUMBERS.1: /{NUMBERS}/
ROW.3: /\([^()"\/;]*+\)\s*+{NUMBERS}\s*+;/
IGNORED: /(?:\s++|\/\/[^\n]*+|\/\*(?s:.*?)\*\/)++/
%ignore IGNORED
"""

ENDED = "a property that ends with ';'"
TOKENS = {"STRING": "a name", "WORD": "a name", "NUMBERS": "a number", "ROW": "'('", "PROPERTY": ENDED}
PLAIN = re.compile(r"(?:[^\s{}()\[\];,|\"/]|/(?![/*]))+")


def read_bif(source: Source) -> Network:
    """The network in a BIF text."""
    name, variables, potentials = "", [], []
    for item in parse(_parser(), source, TOKENS):
        if isinstance(item, str):
            name = "" if item == "unknown" else item
        elif isinstance(item, WrittenTable):
            potentials.append(item)
        else:
            variables.append(_declared(item, source))
    return assemble(source, variables, potentials, name)


def bif_text(network: Network) -> str:
    """The network as BIF, every digit kept."""
    title = re.sub(r"[\"\n]", " ", network.name).strip() or "unknown"
    lines = [f"network {_word(title)} {{", "}"]
    for node in network.nodes:
        values = ", ".join(map(_word, node.values))
        lines += [f"variable {_word(node.name)} {{", f"  type discrete [ {len(node.values)} ] {{ {values} }};", "}"]
    for node in network.nodes:
        given = " | " + ", ".join(map(_word, node.parents)) if node.parents else ""
        lines.append(f"probability ( {_word(node.name)}{given} ) {{")
        combinations = product(*(map(_word, network.node(p).values) for p in node.parents))
        for combination, row in zip(combinations, decimals(node, ".bif"), strict=True):
            head = f"({', '.join(combination)})" if node.parents else "table"
            lines.append(f"  {head} {', '.join(row)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    """A name as it stands if that is one word, else in quotes."""
    if PLAIN.fullmatch(text) and text.isprintable():
        return text
    if '"' in text or "\n" in text or not text:
        raise Unsupported(f"the name {short(text)} cannot be written in a .bif file; write .json, or rename it")
    return f'"{text}"'


@dataclass(frozen=True)
class _Type:
    kind: str
    size: str | None
    values: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class _BifVariable:
    name: str
    types: list[_Type]
    at: int


@dataclass(frozen=True)
class _CptRow:
    given: tuple[str, ...] | None
    """The parents' values; none for the default row."""
    numbers: list[str]
    at: int


def _declared(v: _BifVariable, source: Source) -> DeclaredVariable:
    if len(v.types) != 1:
        raise source.error(v.at, f"the variable {short(v.name)} needs one type, found {len(v.types)}")
    (found,) = v.types
    if found.kind != "discrete":
        raise source.error(found.at, f"a {found.kind} variable; only discrete ones have tables of probabilities")
    if found.size is not None and (found.size.lstrip("0") or "0") != str(len(found.values)):
        wanted = f"{short(v.name)} should have {short(found.size)} values"
        raise source.error(found.at, f"{wanted}, found {len(found.values)}")
    return DeclaredVariable(v.name, found.values, v.at)


def _fill_rows(entries: Sequence[_CptRow]) -> Any:
    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        width = len(child.values)
        places = [{value: i for i, value in enumerate(p.values)} for p in parents]
        found: dict[tuple[int, ...], list[str]] = {}
        default = None
        for entry in entries:
            if len(entry.numbers) != width:
                raise Misfit(entry.at, f"a row of {child.name} needs {width} numbers, found {len(entry.numbers)}")
            if entry.given is None:
                if default is not None or child.entries(parents) > MOST_FILLED:
                    raise Misfit(entry.at, f"a second default, or one for more than {MOST_FILLED:,} numbers")
                default = entry.numbers
                continue
            if len(entry.given) != len(parents):
                raise Misfit(entry.at, f"({', '.join(entry.given)}): a row names {len(parents)} values, one per parent")
            for value, place, p in zip(entry.given, places, parents, strict=True):
                if value not in place:
                    raise Misfit(entry.at, f"{p.name}={short(value)}: no such value")
            key = tuple(place[value] for value, place in zip(entry.given, places, strict=True))
            if key in found:
                raise Misfit(entry.at, f"the row ({', '.join(entry.given)}) stands twice")
            found[key] = entry.numbers
        if default is None and len(found) < prod(len(p.values) for p in parents):
            missing = next(k for k in product(*(range(len(p.values)) for p in parents)) if k not in found)
            names = ", ".join(p.values[i] for p, i in zip(parents, missing, strict=True))
            raise FormatError(f"no row ({names}) for {child.name}, and no default")
        return [found.get(key) or default or [] for key in product(*(range(len(p.values)) for p in parents))]

    return fill


def _fill_table(numbers: list[str]) -> Any:
    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        expect(numbers, child.entries(parents), child.name)
        rows = len(numbers) // len(child.values)
        return [numbers[at::rows] for at in range(rows)]  # the child's value changes slowest

    return fill


@cache
def _parser() -> "Lark":
    from lark import Token, Transformer

    class BifBuilder(Transformer[Any, Any]):
        """Called by the parser as it goes, on what it has read."""

        def start(self, items: list[Any]) -> list[Any]:
            return items

        def word(self, items: list[Token]) -> Token:
            (token,) = items
            return token.update(value=token[1:-1]) if token.type == "STRING" else token

        def words(self, items: list[Any]) -> list[Any]:
            return items

        def numbers(self, items: list[Token]) -> list[str]:
            return [text for token in items for text in token.replace(",", " ").split()]

        def network(self, items: list[Any]) -> str:
            names = [str(item) for item in items[1:] if item.type != "PROPERTY"]
            return names[0] if names else ""

        def type(self, items: list[Any]) -> _Type:
            head = [item for item in items if not isinstance(item, list)]
            values = [str(v) for item in items if isinstance(item, list) for v in item]
            return _Type(str(head[1]), str(head[2]) if len(head) > 2 else None, tuple(values), head[1].start_pos)

        def variable(self, items: list[Any]) -> _BifVariable:
            return _BifVariable(str(items[1]), [i for i in items if isinstance(i, _Type)], items[1].start_pos)

        def table(self, items: list[Any]) -> list[str]:
            return items[1]  # type: ignore[no-any-return]

        def default(self, items: list[Any]) -> _CptRow:
            return _CptRow(None, items[1], items[0].start_pos)

        def row(self, items: list[Any]) -> _CptRow:
            if items[0].__class__ is Token:  # the whole row in one piece, as nearly all are
                head, _, numbers = items[0][1:-1].partition(")")
                given = tuple(head.replace(",", " ").split())
                return _CptRow(given, numbers.replace(",", " ").split(), items[0].start_pos or 0)
            return _CptRow(tuple(map(str, items[0])), items[1], items[0][0].start_pos)

        def probability(self, items: list[Any]) -> WrittenTable:
            child, rest = items[1], items[2:]
            parents: list[Any] = []
            if rest and isinstance(rest[0], list) and (not rest[0] or isinstance(rest[0][0], Token)):
                parents = rest.pop(0)
            entries = [entry for entry in rest if not isinstance(entry, Token)]
            tables = [entry for entry in entries if isinstance(entry, list)]
            fill = _fill_table(tables[0]) if tables else _fill_rows(entries)
            if len(tables) > 1 or (tables and len(entries) > 1):
                fill = _two_tables
            return WrittenTable(str(child), tuple(map(str, parents)), fill, child.start_pos)

    return parser(GRAMMAR, BifBuilder())


def _two_tables(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
    raise FormatError(f"the table of {child.name} is given twice")
