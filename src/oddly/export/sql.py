# SPDX-License-Identifier: Apache-2.0
"""A decision in SQL: a SELECT of a table's columns and one more, or of the rows on which two classifiers differ."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, get_args

from oddly.errors import UnknownName, Unsupported
from oddly.export.cells import Cell, CellKind
from oddly.export.dialects import Dialect, Expression, blanks, checked, engine_of, number, sqlglot, text
from oddly.export.reasons import reason_expressions, score_expression
from oddly.export.subject import Subject, needs_score, subject
from oddly.export.weighing import SQLDecision, weighed
from oddly.runtime import LimitArguments, limited

Also = Literal["score", "reason"]
ROW = "t"
"""What the table is called in a query."""
PART = r'"(?:[^"]|"")+"|[^".]+'


def to_sql(
    thing: Any,
    dialect: str,
    table: str = "rows",
    *,
    column: str = "decision",
    types: Mapping[str, CellKind] | None = None,
    also: Collection[Also] = (),
    against: Any = None,
    **limits: Unpack[LimitArguments],
) -> str:
    """The decision of a model or diagram as a SELECT: the table's columns, and one with each row's label.

    `dialect` is an engine, such as "duckdb". `types` says which columns are numbers or truth values and not texts; an
    attribute that is cut is a number unless it says otherwise. `also` adds columns: "score", the points or log-odds, and
    "reason", the value that counts most. With `against`, another model or diagram, the rows are those on which the two
    differ, and a column `other` has its label. A row with a missing cell that the model has no value for, or an unknown
    value, has the decision NULL.

    >>> from oddly import Points, Scorecard
    >>> card = Scorecard([Points("age", ["young", "old"], [0, 2])], cutoff=1)
    >>> print(to_sql(card, "duckdb", "people").splitlines()[-2])
    FROM "people" AS "t"
    """
    with limited(limits, orders=True):
        subjects = [subject(side) for side in ([thing] if against is None else [thing, against])]
        query = selected(subjects, engine_of(dialect), table, column, types or {}, also)
        head = [*subjects[0].origin, *(f"Against: {line}" for other in subjects[1:] for line in other.origin)]
        said = "".join(f"-- {line}\n" for line in head)
        return f"{said}{query.sql(dialect=dialect, pretty=True)}\n"


def selected(
    subjects: Sequence[Subject],
    engine: Dialect,
    table: str | Expression,
    column: str = "decision",
    types: Mapping[str, CellKind] | None = None,
    also: Collection[Also] = (),
) -> Expression:
    """The SELECT as a sqlglot expression: of one classifier's decisions, or of the rows that two decide differently.

    The table may be a sqlglot expression too, such as another SELECT as a subquery.
    """
    exp = sqlglot()
    source = _table(table) if isinstance(table, str) else table
    taken = {found.name.lower() for found in source.find_all(exp.Identifier)}
    blank, edges = _free("blanks", taken), _free("edges", taken)
    chars = exp.column("letters", blank, quoted=True)
    sides = [_side(d, engine, types or {}, chars, f"{edges}{'_' * i}") for i, d in enumerate(subjects)]
    decisions = [side.decision([text(label) for label in side.subject.labels]) for side in sides]
    columns = [exp.Column(this=exp.Star(), table=exp.to_identifier(ROW, quoted=True))]
    columns.append(_named(decisions[0].expression, column))
    columns += [_named(sides[0].beside(name), name) for name in _checked(also)]
    columns += [_named(decision.expression, "other") for decision in decisions[1:]]
    query = exp.Select().select(*columns, copy=False)  # what is large is not copied at every step
    query.from_(exp.alias_(source, ROW, table=True, quoted=True), copy=False)
    if engine.name != "mysql" and any(side.trims for side in sides):
        letters = exp.select(exp.alias_(blanks(engine), "letters", quoted=True))
        query.with_(exp.to_identifier(blank, quoted=True), as_=letters, copy=False)
        query.join(exp.to_table(exp.to_identifier(blank, quoted=True)), join_type="CROSS", copy=False)
    for decision in decisions:
        for join in decision.joins:
            query.join(join, copy=False)
        for name, rows in decision.tables:
            query.with_(exp.to_identifier(name, quoted=True), as_=rows, copy=False)
    return query.where(_differ(*sides), copy=False) if len(sides) == 2 else query


@dataclass(frozen=True)
class Side:
    """One classifier of a query."""

    subject: Subject
    cells: Sequence[Cell]
    engine: Dialect
    name: str
    """What a table of its nodes would be called."""

    @property
    def trims(self) -> bool:
        """Whether blanks are taken off some cells."""
        return any(cell.kind == "text" for cell in self.cells)

    def decision(self, outcomes: Sequence[Expression]) -> SQLDecision:
        """The outcome of a row's label."""
        return weighed(self.subject, self.cells, outcomes, self.engine, self.name)

    def beside(self, name: Also) -> Expression:
        """What is asked for beside the decision."""
        score = needs_score(self.subject, f"a {name}")
        if name == "score":
            return score_expression(score, self.cells, self.engine)
        return self.decision(reason_expressions(score, self.cells, self.engine)).expression


def _side(subject: Subject, engine: Dialect, types: Mapping[str, CellKind], chars: Expression, name: str) -> Side:
    exp = sqlglot()
    columns = [exp.column(checked(v.name), ROW, quoted=True) for v in subject.variables]
    described = zip(subject.variables, columns, _kinds(subject, types), strict=True)
    return Side(subject, [Cell(v, column, kind, engine, chars) for v, column, kind in described], engine, name)


def _differ(a: Side, b: Side) -> Expression:
    """Whether both decide, and differently; by number, as texts may be compared in many ways."""
    labels = a.subject.labels
    if set(labels) != set(b.subject.labels):
        theirs = ", ".join(b.subject.labels)
        raise Unsupported(f"the two decide between different labels: {', '.join(labels)}, and {theirs}")
    sides = [side.decision([number(labels.index(label)) for label in side.subject.labels]) for side in (a, b)]
    return sqlglot().NEQ(this=sides[0].expression, expression=sides[1].expression)


def _kinds(subject: Subject, types: Mapping[str, CellKind]) -> list[CellKind]:
    names = [v.name for v in subject.variables]
    for name, kind in types.items():
        if name not in names:
            raise UnknownName.among("attribute", name, names)
        if kind not in get_args(CellKind):
            raise UnknownName.among("type of column", kind, get_args(CellKind))
    return [types.get(v.name, "text" if v.bins is None else "number") for v in subject.variables]


def _checked(also: Collection[Also]) -> list[Also]:
    for name in also:
        if name not in get_args(Also):
            raise UnknownName.among("column", name, get_args(Also))
    return list(dict.fromkeys(also))


def _named(expression: Expression, name: str) -> Expression:
    if not name:
        raise Unsupported("a column has a name")
    return sqlglot().alias_(expression, checked(name), quoted=True, copy=False)


def _table(name: str) -> Expression:
    exp = sqlglot()
    parts = [exp.to_identifier(part, quoted=True) for part in _parts(name)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))


def _parts(name: str) -> list[str]:
    """A table's name, perhaps after its schema and catalog; a part with a dot in it stands in double quotes.

    >>> _parts("public.rows"), _parts('"a.b"'), _parts("my rows"), _parts("a..b")
    (['public', 'rows'], ['a.b'], ['my rows'], ['a..b'])
    """
    if not name:
        raise Unsupported("a table has a name")
    checked(name)
    if not re.fullmatch(rf"(?:{PART})(?:\.(?:{PART})){{0,2}}", name):
        return [name]
    found = re.findall(PART, name)
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in found]


def _free(name: str, taken: set[str]) -> str:
    while any(part.startswith(name) for part in taken):
        name += "_"
    return name
