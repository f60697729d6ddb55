# SPDX-License-Identifier: Apache-2.0
"""What every network file says, whatever its grammar: variables, and a table of numbers for each.

A reader hands over the parts as they were written, with their places; here they become a network, or an error that
points at the part that does not fit. Nothing is allocated that the file does not itself contain: a table's size is
checked before it is made.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import prod

from oddly.errors import FormatError, OddlyError, Unsupported
from oddly.formats.text import NUMBER, Misfit, Source, cut, short
from oddly.model import Network, Node
from oddly.model.numbers import MOST_DIGITS, exact, places_of, pointed, written
from oddly.model.variable import variable

MOST_NUMBERS = 10**7  # in one table: what is larger is a mistake or an attack
MOST_FILLED = 10**6  # in a table that one default row stands for, so that a short file cannot ask for much
LONGEST_NAME = 10_000

_NUMBER = re.compile(NUMBER, re.ASCII)


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable as a file declares it."""

    name: str
    values: tuple[str, ...]
    at: int

    def entries(self, parents: Sequence["DeclaredVariable"]) -> int:
        """How many numbers its table has, given these parents."""
        return prod(len(p.values) for p in parents) * len(self.values)


Rows = Sequence[Sequence[str]]
Fill = Callable[[DeclaredVariable, Sequence[DeclaredVariable]], Rows]
"""From the child and its parents to the table: a row of number texts per combination, the last parent fastest."""


@dataclass(frozen=True)
class WrittenTable:
    """A table as a file gives it."""

    child: str
    parents: tuple[str, ...]
    fill: Fill
    at: int


def assemble(
    source: Source, variables: Sequence[DeclaredVariable], potentials: Iterable[WrittenTable], name: str = ""
) -> Network:
    """The network of these parts; its variables in the order they were declared."""
    declared = _by_name(source, variables)
    numbers = cache(_number)  # the same few texts come again and again
    nodes: dict[str, Node] = {}
    for potential in potentials:
        nodes[potential.child] = _node(source, potential, declared, nodes, numbers)
    for v in variables:
        if v.name not in nodes:
            raise source.error(v.at, f"the variable {short(v.name)} has no table of probabilities")
    try:
        return Network([nodes[v.name] for v in variables], name)
    except OddlyError as error:
        raise FormatError(f"{source.name}: {cut(str(error))}") from None


def child_fastest(numbers: Sequence[str]) -> Fill:
    """A plain list of numbers in which the child's value changes fastest, then the last parent's."""

    def fill(child: DeclaredVariable, parents: Sequence[DeclaredVariable]) -> Rows:
        width = len(child.values)
        expect(numbers, child.entries(parents), child.name)
        return [numbers[at : at + width] for at in range(0, len(numbers), width)]

    return fill


def expect(numbers: Sequence[str], size: int, name: str) -> None:
    """Refuse a table of another size."""
    if len(numbers) != size:
        raise FormatError(f"the table of {name} needs {size:,} numbers, found {len(numbers):,}")


def _by_name(source: Source, variables: Sequence[DeclaredVariable]) -> dict[str, DeclaredVariable]:
    if not variables:
        raise FormatError(f"{source.name}: no variables")
    found: dict[str, DeclaredVariable] = {}
    for v in variables:
        if v.name in found:
            raise source.error(v.at, f"the variable {short(v.name)} stands twice")
        for text in (v.name, *v.values):
            if len(text) > LONGEST_NAME:
                raise source.error(v.at, f"a name of {len(text):,} characters, {short(text)}")
        try:
            variable(v.name, v.values, "variable")
        except OddlyError as error:
            raise source.error(v.at, cut(str(error))) from None
        found[v.name] = v
    return found


def _node(
    source: Source,
    given: WrittenTable,
    declared: dict[str, DeclaredVariable],
    before: dict[str, Node],
    numbers: Callable[[str], Fraction],
) -> Node:
    for name in (given.child, *given.parents):
        if name not in declared:
            raise source.error(given.at, f"a table that names {short(name)}, which is no variable of the file")
    if given.child in before:
        raise source.error(given.at, f"a second table for {short(given.child)}")
    child, parents = declared[given.child], [declared[name] for name in given.parents]
    size = child.entries(parents)
    if size > MOST_NUMBERS:
        many = f"{size:,}" if size < 10**15 else f"about 10^{int(size.bit_length() * 0.30103)}"
        found = f"a table of {many} numbers for {short(child.name)}"
        raise source.error(given.at, f"{found}; at most {MOST_NUMBERS:,} are read")
    try:
        table = [[numbers(text) for text in row] for row in given.fill(child, parents)]
        if len(table) * len(child.values) != size:
            rows = size // len(child.values)
            raise FormatError(f"the table of {child.name} needs {rows:,} rows, found {len(table):,}")
        return Node(child.name, child.values, given.parents, table)
    except OddlyError as error:
        at = error.at if isinstance(error, Misfit) else given.at
        raise source.error(at, cut(str(error))) from None


def _number(text: str) -> Fraction:
    if not _NUMBER.fullmatch(text):
        raise FormatError(f"expected a number, found {short(text)}")
    number = exact(text, "table")
    if number > 2:  # a row that is off by little has its own error
        raise FormatError(f"expected a probability, found {short(text)}")
    return number


def decimals(node: Node, what: str) -> list[list[str]]:
    """The rows of a node's table as decimals, or an error that names the first number that has none."""
    texts = cache(partial(_decimal, node.name, what))
    return [[texts(number) for number in row] for row in node.table]


def decimal(number: Fraction) -> str | None:
    """The number as an exact decimal, if it has one that ends within a few thousand digits.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(1, 3)), decimal(Fraction(1, 10**12)), decimal(Fraction(3))
    ('0.125', None, '1e-12', '3')
    """
    places = places_of(number.denominator)
    if places is None or places > MOST_DIGITS:
        return None
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    if places - len(digits) > 6:
        head, tail = f"{'-' if number < 0 else ''}{digits[0]}", digits[1:]
        return f"{head}{'.' if tail else ''}{tail}e-{places - len(tail)}"
    return pointed(number, digits, places)


def _decimal(where: str, what: str, number: Fraction) -> str:
    text = decimal(number)
    if text is None:
        found = written(number)
        found = found if len(found) <= 40 else f"a number near {float(number):.6g}"
        advice = "Write .json, which keeps it, or round knowingly: digits=12 (--digits 12)."
        raise Unsupported(f"{where}: {found} has no decimal that ends, and {what} files hold decimals only.  {advice}")
    return text
