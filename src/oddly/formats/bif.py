# SPDX-License-Identifier: Apache-2.0
"""BIF, the interchange format: `.bif`.

A table's rows are named by the parents' values, in any order, with an optional `default` row; or `table` lists all
numbers, the child's value changing slowest and the last parent's fastest.
"""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from oddly.errors import FormatError, Unsupported
from oddly.formats.parts import MOST_FILLED, DeclaredVariable, Fill, Rows, WrittenTable, assemble, decimals, expect
from oddly.formats.text import NUMBERS, Misfit, Source, parse, short
from oddly.model import Network

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

TOKENS = {"STRING": "a name", "WORD": "a name", "NUMBERS": "a number", "ROW": "'('"}
TOKENS["PROPERTY"] = "a property that ends with ';'"
PLAIN = re.compile(r"(?:[^\s{}()\[\];,|\"/]|/(?![/*]))+")


def read_bif(source: Source) -> Network:
    """The network in a BIF text."""
    items = parse(GRAMMAR, BUILDER, source, TOKENS)
    names = [item for item in items if isinstance(item, str)]
    variables = [item for item in items if isinstance(item, DeclaredVariable)]
    tables = [item for item in items if isinstance(item, WrittenTable)]
    return assemble(source, variables, tables, names[-1] if names and names[-1] != "unknown" else "")


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


def _fill_rows(entries: Sequence[tuple[tuple[str, ...] | None, list[str], int]]) -> Fill:
    """Rows by the parents' values, None for the default row, with their numbers and places."""

    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        width, known = len(child.values), [(p, set(p.values)) for p in parents]
        found: dict[tuple[str, ...], list[str]] = {}
        default = None
        for given, numbers, at in entries:
            if len(numbers) != width:
                raise Misfit(at, f"a row of {child.name} needs {width} numbers, found {len(numbers)}")
            if given is None:
                if default is not None or child.entries(parents) > MOST_FILLED:
                    raise Misfit(at, f"a second default, or one for more than {MOST_FILLED:,} numbers")
                default = numbers
                continue
            if len(given) != len(parents):
                raise Misfit(at, f"({', '.join(given)}): a row names {len(parents)} values, one per parent")
            for value, (p, values) in zip(given, known, strict=True):
                if value not in values:
                    raise Misfit(at, f"{p.name}={short(value)}: no such value")
            if given in found:
                raise Misfit(at, f"the row ({', '.join(given)}) stands twice")
            found[given] = numbers
        every = [p.values for p in parents]
        missing = next((key for key in product(*every) if key not in found), None) if default is None else None
        if missing is not None:
            raise FormatError(f"no row ({', '.join(missing)}) for {child.name}, and no default")
        return [found.get(key) or default or [] for key in product(*every)]

    return fill


def _fill_table(numbers: list[str]) -> Fill:
    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        expect(numbers, child.entries(parents), child.name)
        rows = len(numbers) // len(child.values)
        return [numbers[at::rows] for at in range(rows)]  # the child's value changes slowest

    return fill


class _BifBuilder:
    """Called by the parser as it goes, on what it has read: tokens, which are texts with a place."""

    def start(self, items: list[Any]) -> list[Any]:
        return items

    words = start

    def word(self, items: list[Any]) -> Any:
        (token,) = items
        return token.update(value=token[1:-1]) if token.type == "STRING" else token

    def numbers(self, items: list[Any]) -> list[str]:
        return [text for token in items for text in token.replace(",", " ").split()]

    def network(self, items: list[Any]) -> str:
        return next((str(item) for item in items[1:] if item.type != "PROPERTY"), "")

    def type(self, items: list[Any]) -> tuple[Any, ...]:
        kind, *size = (item for item in items[1:] if isinstance(item, str))
        return kind, size, tuple(str(v) for item in items if isinstance(item, list) for v in item)

    def variable(self, items: list[Any]) -> DeclaredVariable:
        name, at, types = str(items[1]), items[1].start_pos, [item for item in items if isinstance(item, tuple)]
        if len(types) != 1:
            raise Misfit(at, f"the variable {short(name)} needs one type, found {len(types)}")
        ((kind, size, values),) = types
        if kind != "discrete":
            raise Misfit(kind.start_pos, f"a {kind} variable; only discrete ones have tables of probabilities")
        if size and (size[0].lstrip("0") or "0") != str(len(values)):
            wanted = f"{short(name)} should have {short(str(size[0]))} values"
            raise Misfit(kind.start_pos, f"{wanted}, found {len(values)}")
        return DeclaredVariable(name, values, at)

    def table(self, items: list[Any]) -> Fill:
        return _fill_table(items[1])

    def default(self, items: list[Any]) -> tuple[Any, ...]:
        return None, items[1], items[0].start_pos

    def row(self, items: list[Any]) -> tuple[Any, ...]:
        if isinstance(items[0], str):  # the whole row in one piece, as nearly all are
            head, _, numbers = items[0][1:-1].partition(")")
            return tuple(head.replace(",", " ").split()), numbers.replace(",", " ").split(), items[0].start_pos  # type: ignore[attr-defined]
        return tuple(map(str, items[0])), items[1], items[0][0].start_pos

    def probability(self, items: list[Any]) -> WrittenTable:
        child, rest = items[1], items[2:]
        parents = rest.pop(0) if rest and isinstance(rest[0], list) else []
        entries = [entry for entry in rest if not isinstance(entry, str)]
        tables = [entry for entry in entries if callable(entry)]
        if tables and len(entries) > 1:
            raise Misfit(child.start_pos, f"the table of {child} is given twice")
        fill = tables[0] if tables else _fill_rows(entries)
        return WrittenTable(str(child), tuple(map(str, parents)), fill, child.start_pos)


BUILDER = _BifBuilder()
