# SPDX-License-Identifier: Apache-2.0
"""Values of an attribute in groups, as a person writes them: `sex from status: male = single man, married man; female = woman`.

`GRAMMAR` has the language. A group's values stand between commas, groups between semicolons, spaces inside them as they are. What
holds one of , ; : = or begins with a quote is written in quotes, as in conditions (`oddly.algebra.expressions`). Of a
number that is cut into intervals a group may also be a range, such as <25, >=25 or [25, 40): all intervals inside it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

from oddly.algebra.expressions import END, QUOTED, Reader, unquoted
from oddly.errors import ModelError, UnknownValue, listed
from oddly.formats.text import NUMBER, parser
from oddly.model import Bins
from oddly.model.numbers import exact, written
from oddly.model.variable import distinct, keep

if TYPE_CHECKING:
    from lark import Lark, Token

Edge = tuple[Fraction | float, int]
"""A place between numbers: just below one (0), or just above it (1)."""


@dataclass(frozen=True, init=False)
class ValueGroups:
    """What a column tells that another was made of: a person's sex, where only `male single` and the like are recorded.

    Each group has a name and some values of the attribute `of`; of a number also ranges, such as "<25". Values in no
    group are left out of whatever is asked about the groups.

    >>> ValueGroups("sex", "status", {"male": ["single man", "married man"], "female": ["woman"]})
    sex from status: male = single man, married man; female = woman
    """

    name: str
    of: str
    groups: Mapping[str, tuple[str, ...]]

    def __init__(self, name: str, of: str, groups: Mapping[str, Sequence[str]]) -> None:
        if not (isinstance(name, str) and name and isinstance(of, str) and of):
            raise ModelError(f"groups: expected a name and an attribute, found {name!r} and {of!r}")
        if not isinstance(groups, Mapping) or len(groups) < 2:
            raise ModelError(f"{name}: expected two groups of values at least, found {groups!r}")
        for group, values in groups.items():
            texts = (
                not isinstance(values, str) and isinstance(values, Iterable) and all(isinstance(v, str) for v in values)
            )
            if not isinstance(group, str) or not group or not texts or not values:
                raise ModelError(f"{name}: expected a group's name and a list of values, found {group!r}: {values!r}")
        keep(self, name=name, of=of, groups={group: tuple(values) for group, values in groups.items()})
        distinct([value for values in self.groups.values() for value in values], f"{name} from {of}", "value")

    def among(self, values: Sequence[str], bins: Bins | None = None) -> dict[str, str]:
        """The group of each of an attribute's values; those in no group are absent.

        >>> age = ValueGroups("age", "years", {"young": ["<25"], "old": [">=25"]})
        >>> age.among(["<25", "[25, 40)", ">=40"], Bins([25, 40]))
        {'<25': 'young', '[25, 40)': 'old', '>=40': 'old'}
        """
        found: dict[str, str] = {}
        for group, texts in self.groups.items():
            for value in [value for text in texts for value in self._meant(text, values, bins)]:
                self._once(found, value, group)
        return {value: found[value] for value in values if value in found}

    def of_cells(self, cells: Iterable[str]) -> dict[str, str]:
        """The same of the cells of a column, where a value that no cell has is no mistake, and numbers lie in ranges."""
        found: dict[str, str] = {}
        every = list(dict.fromkeys(cells))
        for group, texts in self.groups.items():
            for text in texts:
                edges = _edges(text)
                for cell in every:
                    if cell == text or (edges and text not in every and _lies(cell, edges)):
                        self._once(found, cell, group)
        if every and not found:
            raise UnknownValue(f"{self.name}: no value of {self.of} is in a group.  {self.of} has {listed(every)}.")
        return found

    def _once(self, found: dict[str, str], value: str, group: str) -> None:
        if found.setdefault(value, group) != group:
            raise ModelError(f"{self.name} from {self.of}: {value!r} is in two groups, {found[value]} and {group}")

    def _meant(self, text: str, values: Sequence[str], bins: Bins | None) -> Sequence[str]:
        """A value, or all intervals inside a range."""
        edges = _edges(text)
        if text in values or not (bins and edges):
            if text not in values:
                raise UnknownValue.of(self.of, text, values, self.name)
            return [text]
        cuts: list[Edge] = [*bins.boundaries]
        if not {*edges} <= {(-inf, 0), (inf, 0), *cuts}:
            where = f"{self.of} is cut at {listed([written(cut) for cut in bins.cuts])}: {listed(values)}"
            raise UnknownValue(f"{self.name}: {text} cuts through an interval.  {where}.")
        below = [(-inf, 0), *cuts]
        found = [values[i] for i, edge in enumerate(below) if edges[0] <= edge < edges[1]]
        if not found:
            raise UnknownValue(f"{self.name}: there is no number in {text}")
        return found

    def __repr__(self) -> str:
        groups = (f"{_said(g)} = {', '.join(map(_said, values))}" for g, values in self.groups.items())
        return f"{_said(self.name)} from {_said(self.of)}: {'; '.join(groups)}"


# ---- ranges of a number ----

_RANGE = re.compile(
    rf"(?P<sign>[<>]=?)\s*(?P<limit>{NUMBER})|(?P<open>[\[(])\s*(?P<low>{NUMBER})\s*,\s*(?P<high>{NUMBER})\s*(?P<close>[\])])"
)


def _edges(text: str) -> tuple[Edge, Edge] | None:
    """Where a range begins and ends; None if it is none."""
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        return None
    if match["sign"] is None:
        low, high = (exact(match[end], "number") for end in ("low", "high"))
        return (low, int(match["open"] == "(")), (high, int(match["close"] == "]"))
    edge = exact(match["limit"], "number"), int(match["sign"] in ("<=", ">"))
    return ((-inf, 0), edge) if match["sign"][0] == "<" else (edge, (inf, 0))


def _lies(cell: str, edges: tuple[Edge, Edge]) -> bool:
    """Whether a cell is a number inside a range."""
    try:
        place = exact(cell, "number"), 0.5  # neither just below nor just above
    except ModelError:
        return False
    return edges[0] < place < edges[1]


# ---- as a text ----

BARE = r"(?![\"'\s])[^,;:=]*[^,;:=\s]"
GRAMMAR = rf"""
start: WHAT ":" group (";" group)* ";"?
group: GROUP "=" VALUE ("," VALUE)*
WHAT: /(?:{QUOTED}|(?![\"'\s])[^,;:=]+?)\s+from\s+(?:{QUOTED}|{BARE})/
GROUP: /{QUOTED}|{BARE}/
VALUE: /{QUOTED}|[\[(]\s*{NUMBER}\s*,\s*{NUMBER}\s*[\])]|[<>]=?\s*{NUMBER}|{BARE}/
%ignore /\s++/
"""
_WHAT = re.compile(rf"({QUOTED}|.+?)\s+from\s+({QUOTED}|.+)", re.DOTALL)
_IS_TEXT = re.compile(rf"\s*(?:{QUOTED}|[^,;:=]+?)\s+from\s+(?:{QUOTED}|[^,;:=]+):", re.DOTALL)
ALONE = {
    "WHAT": "NAME from ATTRIBUTE, such as sex from personal_status",
    "GROUP": "a group such as NAME = VALUE, VALUE",
    "VALUE": "a value, or a range such as <25",
}
AMONG = {"COLON": "':'", "EQUAL": "'='", "COMMA": "','", "SEMICOLON": "';'"} | END


def says_groups(text: str) -> bool:
    """Whether a text is about groups, and no list of names: it has NAME from ATTRIBUTE before a colon."""
    return _IS_TEXT.match(text) is not None


def groups(text: str) -> ValueGroups:
    """A text as groups of values. Cost: linear in the text.

    >>> groups('age from years: young = <25; middle = [25, 60); "60, or more" = >=60').groups
    {'young': ('<25',), 'middle': ('[25, 60)',), '60, or more': ('>=60',)}
    >>> groups("sex from status: male single")
    Traceback (most recent call last):
    oddly.errors.FormatError: expected '=', found the end
        sex from status: male single
                                    ^
    """
    reader = Reader(text, ())
    reader.alone, reader.among, reader.meanings = ALONE, AMONG, {}
    found: ValueGroups = reader.read(_parser())
    return found


class _Builder:
    def start(self, parts: "list[Any]") -> ValueGroups:
        match = _WHAT.fullmatch(parts[0])
        assert match
        distinct([name for name, _ in parts[1:]], str(parts[0]), "group")
        return ValueGroups(unquoted(match[1]), unquoted(match[2].strip()), dict(parts[1:]))

    def group(self, words: "list[Token]") -> tuple[str, list[str]]:
        name, *values = (unquoted(word) for word in words)
        return name, values


@cache
def _parser() -> "Lark":
    return parser(GRAMMAR, _Builder())


def _said(text: str) -> str:
    """A name or value as the language takes it, in quotes if it needs them."""
    if _RANGE.fullmatch(text) or (re.fullmatch(BARE, text) and " from " not in text):
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
