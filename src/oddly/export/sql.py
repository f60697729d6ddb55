# SPDX-License-Identifier: Apache-2.0
"""A decision in SQL: a SELECT of a table's columns and one more, or of the rows on which two classifiers differ."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args

from oddly.errors import UnknownName, Unsupported
from oddly.export.cells import Cell, Kind
from oddly.export.decider import Decider, decider, needs_score
from oddly.export.dialects import Dialect, Expression, blanks, dialect, number, sqlglot, text
from oddly.export.reasons import reason_expression, score_expression
from oddly.export.weighing import SQLDecision, weighed

Also = Literal["score", "reason"]
ROW = "t"
"""What the table is called in a query."""
PART = r'"(?:[^"]|"")+"|[^".]+'


def to_sql(
    thing: Any,
    dialect_name: str,
    table: str = "rows",
    *,
    column: str = "decision",
    types: Mapping[str, Kind] | None = None,
    also: Collection[Also] = (),
    against: Any = None,
) -> str:
    """The decision of a model or diagram as a SELECT: the table's columns, and one with each row's label.

    `types` says which columns are numbers or truth values and not texts; an attribute that is cut is a number unless it
    says otherwise. `also` adds columns: "score", the points or log-odds, and "reason", the value that counts most. With
    `against`, another model or diagram, the rows are those on which the two differ, and a column `other` has its label.
    A row with a missing cell that the model has no value for, or an unknown value, has the decision NULL.

    >>> from oddly import examples
    >>> print(to_sql(examples.pregnancy(), "duckdb", "patients"))  # doctest: +SKIP
    """
    engine, written = dialect(dialect_name), decider(thing)
    others = [] if against is None else [decider(against)]
    query = selected([written, *others], engine, table, column, types or {}, also)
    head = [*written.origin, *(f"Against: {line}" for other in others for line in other.origin)]
    said = "".join(f"-- {line}\n" for line in head)
    return f"{said}{query.sql(dialect=engine.name, pretty=True)}\n"


def selected(
    deciders: list[Decider],
    engine: Dialect,
    table: str = "rows",
    column: str = "decision",
    types: Mapping[str, Kind] | None = None,
    also: Collection[Also] = (),
) -> Expression:
    """The SELECT as a sqlglot expression: of one classifier's decisions, or of the rows that two decide differently."""
    exp = sqlglot()
    taken = {part.lower() for part in _parts(table)}
    blank = _free("blanks", taken)
    chars = exp.column("letters", blank, quoted=True)
    found = [
        Written(d, engine, types or {}, chars, _free(f"edges{'' if i == 0 else '_other'}", taken))
        for i, d in enumerate(deciders)
    ]
    query = exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier(ROW, quoted=True)))
    query = query.select(_named(found[0].labelled.expression, column))
    for name in _checked(also):
        query = query.select(_named(found[0].beside(name), name))
    query = query.from_(exp.alias_(_table(table), ROW, table=True, quoted=True))
    if engine.name != "mysql" and any(w.trims for w in found):
        letters = exp.alias_(blanks(engine), "letters", quoted=True)
        query = query.with_(exp.to_identifier(blank, quoted=True), as_=exp.select(letters))
        query = query.join(exp.to_table(exp.to_identifier(blank, quoted=True)), join_type="CROSS")
    for one in found:
        for join in one.labelled.joins:
            query = query.join(join.copy())
        for title, edges in one.labelled.tables:
            query = query.with_(exp.to_identifier(title, quoted=True), as_=edges)
    if len(found) == 2:
        _same_labels(*deciders)
        places = found[1].placed([deciders[0].labels.index(label) for label in deciders[1].labels])
        query = query.select(_named(found[1].labelled.expression, "other"))
        query = query.where(exp.NEQ(this=found[0].placed(range(len(deciders[0].labels))), expression=places))
    return query


class Written:
    """One classifier in one query."""

    def __init__(
        self, decider: Decider, engine: Dialect, types: Mapping[str, Kind], chars: Expression, name: str
    ) -> None:
        exp = sqlglot()
        self.decider, self.engine, self.name = decider, engine, name
        kinds = _kinds(decider, types)
        columns = [exp.column(v.name, ROW, quoted=True) for v in decider.variables]
        for v in decider.variables:
            text(v.name)
        pairs = zip(decider.variables, columns, kinds, strict=True)
        self.cells = [Cell(v, column, kind, engine, chars) for v, column, kind in pairs]
        self.trims = "text" in kinds
        self.labelled = self._decision([text(label) for label in decider.labels])

    def _decision(self, outcomes: list[Expression]) -> SQLDecision:
        return weighed(self.decider, self.cells, outcomes, self.engine, self.name)

    def placed(self, places: Any) -> Expression:
        """The decision as a number."""
        return self._decision([number(place) for place in places]).expression

    def beside(self, name: Also) -> Expression:
        """What is asked for beside the decision."""
        score = needs_score(self.decider, f"a {name}")
        if name == "score":
            return score_expression(score, self.cells, self.engine)
        return reason_expression(score, self.cells, self.placed((0, 1)), self.engine)


def _kinds(decider: Decider, types: Mapping[str, Kind]) -> list[Kind]:
    names = [v.name for v in decider.variables]
    for name, kind in types.items():
        if name not in names:
            raise UnknownName.among("attribute", name, names)
        if kind not in get_args(Kind):
            raise UnknownName.among("type of column", kind, get_args(Kind))
    return [types.get(v.name, "text" if v.bins is None else "number") for v in decider.variables]


def _checked(also: Collection[Also]) -> list[Also]:
    for name in also:
        if name not in get_args(Also):
            raise UnknownName.among("column", name, get_args(Also))
    return list(dict.fromkeys(also))


def _same_labels(a: Decider, b: Decider) -> None:
    if set(a.labels) != set(b.labels):
        raise Unsupported(f"the two decide between different labels: {', '.join(a.labels)}, and {', '.join(b.labels)}")


def _named(expression: Expression, name: str) -> Expression:
    return sqlglot().alias_(expression, name, quoted=True)


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
    text(name)
    if not re.fullmatch(rf"(?:{PART})(?:\.(?:{PART})){{0,2}}", name):
        return [name]
    found = re.findall(PART, name)
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in found]


def _free(name: str, taken: set[str]) -> str:
    while any(part.startswith(name) for part in taken):
        name += "_"
    return name
