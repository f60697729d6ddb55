# SPDX-License-Identifier: Apache-2.0
"""What SQL engines differ in that sqlglot does not know: exact comparison of texts, blanks, wide whole numbers, joins.

SQL itself is written by sqlglot, from expressions; here is only what the expressions must be.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

from oddly.errors import UnknownName, Unsupported

Expression = Any
"""An expression of sqlglot, which those who write no SQL need not have."""

CHAIN = 50  # terms of a sum without parentheses, or of a function: engines take only so many

BLANKS = tuple(i for i in range(0x3001) if chr(i).isspace())
"""The letters that do not count around a cell, as `classify` has it: Unicode's white space."""


@dataclass(frozen=True)
class Dialect:
    """One engine."""

    name: str
    wide: str | None = "DECIMAL(38, 0)"
    """The type of whole numbers past 63 bits."""
    most: int = 10**38 - 1
    """The greatest of them."""
    collation: str | None = None
    """How texts are compared letter by letter, whatever a column's collation says; None: they always are."""
    joins: int = 1000
    """How many tables one SELECT may join."""
    codes: bool = True
    """Whether CHR makes any letter of its number."""


DIALECTS = {
    d.name: d
    for d in (
        Dialect("duckdb", "INT128", 2**127 - 1, '"C"'),
        Dialect("postgres", "NUMERIC", 10**1000, '"C"'),
        Dialect("sqlite", None, 0, "BINARY", joins=60),
        Dialect("spark", codes=False),
        Dialect("databricks", codes=False),
        Dialect("bigquery", "BIGDECIMAL", collation="''"),
        Dialect("snowflake", collation="''"),
        Dialect("mysql", "DECIMAL(65, 0)", 10**65 - 1, "utf8mb4_0900_bin", joins=60),
        Dialect("trino"),
        Dialect("redshift"),
    )
}


def engine_of(name: str) -> Dialect:
    """The engine of that name."""
    if name not in DIALECTS:
        raise UnknownName.among("SQL dialect", name, DIALECTS)
    return DIALECTS[name]


def sqlglot() -> Any:
    """sqlglot's expressions, or how to get them."""
    try:
        from sqlglot import exp
    except ImportError:
        raise Unsupported("SQL is written by sqlglot, which is not installed.  Try: pip install 'oddly[sql]'") from None
    return exp


def blanks(engine: Dialect) -> Expression:
    """All letters that count as blank, as one text."""
    exp = sqlglot()
    if not engine.codes:
        return exp.Literal.string("".join(map(chr, BLANKS)))
    letter = "CHAR" if engine.name == "sqlite" else "CHR"
    each = [exp.Anonymous(this=letter, expressions=[number(code)]) for code in BLANKS]
    return reduce(lambda some, one: exp.DPipe(this=some, expression=one), each)


def trimmed(cell: Expression, engine: Dialect, chars: Expression) -> Expression:
    """A text without the blanks around it."""
    exp = sqlglot()
    if engine.name != "mysql":  # there TRIM takes one text off, not a set of letters
        return exp.Trim(this=cell, expression=chars, position="BOTH")
    blank = "[" + "".join(rf"\u{code:04x}" for code in BLANKS) + "]+"
    return exp.RegexpReplace(this=cell, expression=text(f"^{blank}|{blank}$"), replacement=text(""))


def letters(cell: Expression, engine: Dialect) -> Expression:
    """A text that is compared letter by letter."""
    exp = sqlglot()
    if engine.collation is None:
        return cell
    if engine.collation == "''":
        return exp.Collate(this=cell, expression=text(""))
    name = engine.collation.strip('"')
    as_name = exp.to_identifier(name, quoted=True) if name != engine.collation else exp.Var(this=name)
    return exp.Collate(this=exp.paren(cell) if isinstance(cell, exp.Binary) else cell, expression=as_name)


def wide_type(engine: Dialect) -> Any:
    """The type of whole numbers past 63 bits."""
    return sqlglot().DataType.build(engine.wide)


def number(value: int) -> Expression:
    return sqlglot().Literal.number(value)


def text(value: str) -> Expression:
    return sqlglot().Literal.string(checked(value))


def checked(value: str) -> str:
    """A text or a name, if SQL can hold it."""
    if "\0" in value:
        raise Unsupported(f"{value!r} holds the letter NUL, which no text in SQL can")
    return value


def greatest(expressions: list[Any], engine: Dialect, least: str = "") -> Expression:
    """The greatest of several numbers; `least` is "least" for the least."""
    exp = sqlglot()
    if len(expressions) == 1:
        return expressions[0]
    if len(expressions) > CHAIN:
        parts = [expressions[i : i + CHAIN] for i in range(0, len(expressions), CHAIN)]
        return greatest([greatest(part, engine, least) for part in parts], engine, least)
    names = ("MIN", "LEAST") if least else ("MAX", "GREATEST")
    return exp.Anonymous(this=names[engine.name != "sqlite"], expressions=expressions)
