# SPDX-License-Identifier: Apache-2.0
"""Hugin's NET: `.net`.

`node` and `potential` blocks of attributes, after a `net` header or inside a `class`. In `data` the numbers are
nested by the parents in the order they are named, and the child's value changes fastest. Layout, labels and other
attributes are skipped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from oddly.errors import Unsupported
from oddly.formats.parts import DeclaredVariable, Fill, Rows, WrittenTable, assemble, child_fastest, decimals
from oddly.formats.text import Misfit, Source, parse, short
from oddly.model import Network

GRAMMAR = r"""
start: item*
?item: block | "class" WORD "{" (block | attribute)* "}" -> oobn
block: WORD+ scope? "{" attribute* "}"
scope: "(" side ("|" side)? ")"
side: WORD*
attribute: WORD "=" VALUE ";"

WORD: /[^\s(){}=;"%|]++/
VALUE: /(?:"(?:[^"\\]|\\.)*+"|%[^\n]*+|[^;"%{}])++/
IGNORED: /(?:\s++|%[^\n]*+)++/
%ignore IGNORED
"""

TOKENS = {"WORD": "a name", "VALUE": "a value"}

_COMMENT = re.compile(r"%[^\n]*")
_STATES = re.compile(r'"((?:[^"\\]|\\.)*+)"|([^\s()",]++)')
_NOT_A_STATE = re.compile(r'[^\s(),"]')
_SEPARATOR = re.compile(r"[(),]")
_INNERMOST = re.compile(r"\(([^()]*+)\)")

REFUSED = {
    "continuous": "a continuous variable has no table of probabilities; only discrete ones are read",
    "decision": "a decision: an influence diagram has no probability for it; only chance nodes are read",
    "utility": "a utility: an influence diagram has no probability for it; only chance nodes are read",
    "function": "a function node has no table of probabilities; only chance nodes are read",
    "instance": "an instance of another class; save the network unfolded, as one .net file",
}


@dataclass(frozen=True)
class _NetBlock:
    words: tuple[str, ...]
    scope: tuple[tuple[str, ...], ...] | None
    attributes: dict[str, tuple[str, int]]
    at: int


def read_hugin(source: Source) -> Network:
    """The network in a NET text."""
    variables, potentials, name = [], [], ""
    for block in parse(GRAMMAR, BUILDER, source, TOKENS):
        kind = block.words[0]
        if kind in REFUSED:
            raise source.error(block.at, REFUSED[kind])
        if kind == "potential" and block.scope is not None:
            potentials.append(_potential(block, source))
        elif kind in ("node", "discrete") and block.scope is None:
            variables.append(_declared(block, source))
        elif kind == "net" and block.scope is None:
            name = block.attributes.get("name", ("", 0))[0].strip().strip('"')
        else:
            raise source.error(block.at, f"expected 'node' or 'potential', found {short(kind)}")
    return assemble(source, variables, potentials, name)


def hugin_text(network: Network) -> str:
    """The network as NET, every digit kept."""
    title = re.sub(r'["\\;\n]', " ", network.name).strip()
    lines = ["net", "{", "  node_size = (80 40);", *([f'  name = "{title}";'] if title else []), "}"]
    for node in network.nodes:
        values = " ".join(map(_quoted, node.values))
        lines += [f"node {_identifier(node.name)}", "{", f"  states = ({values});", "}"]
    for node in network.nodes:
        given = " | " + " ".join(node.parents) if node.parents else ""
        rows = [f"({' '.join(row)})" for row in decimals(node, ".net")]
        for parent in reversed(node.parents):  # a pair of parentheses per value, those of the last parent innermost
            size = len(network.node(parent).values)
            rows = ["(" + "\n    ".join(rows[at : at + size]) + ")" for at in range(0, len(rows), size)]
        lines += [f"potential ({node.name}{given})", "{", f"  data = {rows[0]};", "}"]
    return "\n".join(lines) + "\n"


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        why = "it holds letters, digits and _ only.  Write .json or .xmlbif, or rename it."
        raise Unsupported(f"the name {short(name)} cannot be written in a .net file: {why}")
    return name


def _quoted(value: str) -> str:
    if "\n" in value:
        raise Unsupported(f"the value {short(value)} cannot be written in a .net file; write .json, or rename it")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _declared(block: _NetBlock, source: Source) -> DeclaredVariable:
    if block.words[0] == "discrete" and block.words[1:2] != ("node",):
        raise source.error(block.at, "expected 'discrete node'")
    names = block.words[2:] if block.words[0] == "discrete" else block.words[1:]
    if len(names) != 1:
        raise source.error(block.at, f"a node has one name, found {len(names)}")
    if "states" not in block.attributes:
        raise source.error(block.at, f"the node {short(names[0])} has no states")
    text, at = block.attributes["states"]
    values = [m[2] if m[1] is None else re.sub(r"\\(.)", r"\1", m[1]) for m in _STATES.finditer(text)]
    if _NOT_A_STATE.search(_STATES.sub(" ", text)):
        raise source.error(at, 'expected states such as ("yes" "no")')
    return DeclaredVariable(names[0], tuple(values), block.at)


def _potential(block: _NetBlock, source: Source) -> WrittenTable:
    assert block.scope is not None
    children, *given = block.scope
    if len(children) != 1 or len(block.words) > 1:
        wanted = "expected one, given its parents: (A | B C)"
        raise source.error(block.at, f"a potential of {len(children)} variables; {wanted}")
    if "data" not in block.attributes:
        why = "given by an expression; save the network with its tables" if "model_data" in block.attributes else "none"
        raise source.error(block.at, f"the potential of {short(children[0])} has no data: {why}")
    text, at = block.attributes["data"]
    return WrittenTable(children[0], given[0] if given else (), _fill(text, at), block.at)


def _fill(data: str, at: int) -> Fill:
    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        text = _COMMENT.sub(" ", data)
        depths = list(accumulate((1 if mark == "(" else -1 for mark in re.findall(r"[()]", text)), initial=0))
        if min(depths) < 0 or depths[-1]:
            raise Misfit(at, "data: the parentheses do not match")
        if max(depths) > len(parents) + 1:
            raise Misfit(at, f"data: nested {max(depths):,} deep, but {child.name} has {len(parents)} parents")
        numbers, groups = (
            _SEPARATOR.sub(" ", text).split(),
            [_SEPARATOR.sub(" ", g).split() for g in _INNERMOST.findall(text)],
        )
        if sum(map(len, groups)) != len(numbers):
            raise Misfit(at, "data: a number outside of the innermost parentheses")
        width = len(child.values)
        for group in groups if len(groups) > 1 else ():  # one pair around all is how old files have it
            if len(group) != width:
                raise Misfit(at, f"data: a row of {child.name} needs {width} numbers, found {len(group)}")
        return child_fastest(numbers)(child, parents)

    return fill


class _NetBuilder:
    """Called by the parser as it goes, on what it has read: tokens, which are texts with a place."""

    def start(self, items: list[Any]) -> list[_NetBlock]:
        return [block for item in items for block in (item if isinstance(item, list) else [item])]

    def oobn(self, items: list[Any]) -> list[_NetBlock]:
        return [item for item in items if isinstance(item, _NetBlock)]

    def side(self, items: list[Any]) -> tuple[str, ...]:
        return tuple(map(str, items))

    def scope(self, items: list[Any]) -> list[Any]:
        return items

    def attribute(self, items: list[Any]) -> tuple[str, str, int]:
        return str(items[0]), str(items[1]), items[1].start_pos

    def block(self, items: list[Any]) -> _NetBlock:
        words = [item for item in items if isinstance(item, str)]
        scopes = [tuple(item) for item in items if isinstance(item, list)]
        attributes = {name: (value, at) for name, value, at in items[len(words) + len(scopes) :]}
        return _NetBlock(tuple(map(str, words)), scopes[0] if scopes else None, attributes, items[0].start_pos)


BUILDER = _NetBuilder()
