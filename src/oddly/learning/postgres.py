# SPDX-License-Identifier: Apache-2.0
"""A table or query of PostgreSQL, counted by the server.

    postgresql://user@host/database?table=schema.name      a table, or a view
    postgresql://user@host/database#SELECT …               the rows of a query

psycopg sends plain GROUP BY: it keeps NUMERIC as it is written, and needs no right but to read. Everything is read in one
transaction, so that all counts are of one moment, and several groupings in one pass (GROUPING SETS).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import numpy as np

from oddly.errors import FormatError, Unsupported
from oddly.learning.cells import Column, of_array, of_cells
from oddly.learning.engines import Groups, Key, Recode, name_of, said
from oddly.runtime import polled

TOGETHER = 31  # columns in one pass: GROUPING takes no more
REAL = 700  # the number of the type that keeps 24 bits, and must be compared as such
FLOATS, INTEGERS = (REAL, 701), (20, 21, 23)
BATCH = 1 << 14  # rows at a time
PATIENCE = 10  # seconds until a server must answer


@contextmanager
def connected(url: str) -> Iterator["Postgres"]:
    """The table or query that a URL names, for as long as it is asked about."""
    try:
        import psycopg
    except ImportError:
        raise Unsupported("a PostgreSQL table is read with psycopg.  Try: pip install 'psycopg[binary]'") from None
    address, relation, where = _parts(url)
    with said(where):
        base = psycopg.connect(address, connect_timeout=PATIENCE)
    with base:
        base.isolation_level, base.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
        yield Postgres(base, relation, where)
        base.rollback()


def _parts(url: str) -> tuple[str, Any, str]:
    """What the driver connects to, what stands after FROM, and how to call it without its password."""
    from psycopg import sql

    split = urlsplit(url)
    options = dict(parse_qsl(split.query))
    table, query = options.pop("table", ""), unquote(split.fragment).strip().rstrip(";")
    server = f"{split.hostname or options.get('host', 'localhost')}{split.path}"
    if bool(table) == bool(query):
        raise FormatError(f"postgresql://{server}: expected ?table=NAME, or #SELECT …, after the database")
    address = split._replace(query=urlencode(options), fragment="").geturl()
    if query:
        return address, sql.SQL("({}) AS q").format(sql.SQL(query)), f"the query on {server}"
    return address, sql.Identifier(*table.split(".")), f"the table {table} of {server}"


@dataclass(frozen=True, eq=False)
class Postgres:
    """A relation that a server counts."""

    base: Any
    relation: Any
    """What stands after FROM."""
    where: str

    @cached_property
    def types(self) -> dict[str, int]:
        """The number of each column's type."""
        from psycopg import sql

        found = self._asked(sql.SQL("SELECT * FROM {} LIMIT 0").format(self.relation)).description
        names = [column.name for column in found]
        if len(set(names)) < len(names):
            raise FormatError(f"{self.where}: a column stands twice")
        return {column.name: column.type_code for column in found}

    @property
    def columns(self) -> list[str]:
        return list(self.types)

    def where_known(self, recodes: Sequence[Recode]) -> "Postgres":
        from psycopg import sql

        known = sql.SQL(" AND ").join(sql.SQL("{} >= 0").format(self._expression(recode)) for recode in recodes)
        rows = sql.SQL("(SELECT * FROM {} WHERE {}) AS k").format(self.relation, known)
        return Postgres(self.base, rows, self.where)

    def counted(self, questions: Sequence[Sequence[Key]]) -> list[Groups]:
        some: list[list[Sequence[Key]]] = [[]]
        for keys in questions:
            if len({name_of(key) for question in [*some[-1], keys] for key in question}) > TOGETHER and some[-1]:
                some.append([])
            some[-1].append(keys)
        return [groups for part in polled(some, "passes over PostgreSQL") for groups in self._together(part)]

    def _together(self, questions: Sequence[Sequence[Key]]) -> list[Groups]:
        """The groups of several questions in one pass; GROUPING says which columns a row leaves open, first column first."""
        from psycopg import sql

        keys = {name_of(key): key for question in questions for key in question}
        names = {name: sql.Identifier(f"k{i}") for i, name in enumerate(keys)}
        cells = [sql.SQL("{} AS {}").format(self._expression(key), names[name]) for name, key in keys.items()]
        wanted = [[name_of(key) for key in question] for question in questions]
        sets = _bracketed([_bracketed([names[name] for name in question]) for question in wanted])
        query = sql.SQL("SELECT GROUPING{}, count(*), {} FROM (SELECT {} FROM {}) AS g GROUP BY GROUPING SETS {}")
        every, comma = list(names.values()), sql.SQL(", ")
        parts = _bracketed(every), comma.join(every), comma.join(cells), self.relation, sets
        found: dict[int, list[tuple[Any, ...]]] = {}
        for mask, *row in self._asked(query.format(*parts)):
            found.setdefault(mask, []).append(tuple(row))
        places = {name: place for place, name in enumerate(keys)}
        masks = [sum(1 << (len(keys) - 1 - places[name]) for name in keys if name not in q) for q in wanted]
        groups = []
        for question, mask in zip(questions, masks, strict=True):
            times, *columns = zip(*found.get(mask, []), strict=True) if mask in found else ((), *([()] * len(keys)))
            read = {name_of(key): self._column(key, columns[places[name_of(key)]]) for key in question}
            groups.append(Groups(read, np.array(times, np.int64)))
        return groups

    def _column(self, key: Key, cells: Sequence[Any]) -> Column:
        """What the driver brought, of the type that the server has."""
        if isinstance(key, Recode):
            return of_array(np.array(cells, np.int32))
        kind = self.types[key]
        if kind in FLOATS:
            return of_array(np.array([nan if c is None else c for c in cells], np.float32 if kind == REAL else float))
        return of_array(np.array(cells, np.int64)) if kind in INTEGERS and None not in cells else of_cells(cells)

    def _expression(self, key: Key) -> Any:
        """A column, or a CASE of its codes."""
        from psycopg import sql

        column = sql.Identifier(name_of(key))
        if isinstance(key, str):
            return column
        number = self.types[key.name]
        cast = sql.SQL("::real" if number == REAL else "")
        gap = sql.SQL("{0} IS NULL" if number not in FLOATS else "({0} IS NULL OR {0} = 'NaN')").format(column)
        whens = [sql.SQL("WHEN {} THEN {}").format(gap, key.gap)]
        for test, code in key.tests:
            cells = [sql.Literal(cell) + cast for cell in (test if isinstance(test, list) else [test])]
            fits = sql.SQL("IN" if isinstance(test, list) else "<=") + _bracketed(cells)
            whens.append(sql.SQL("WHEN {} {} THEN {}").format(column, fits, code))
        return sql.SQL("CASE {} ELSE {} END").format(sql.SQL(" ").join(whens), key.otherwise)

    def _asked(self, query: Any) -> Any:
        with said(self.where):
            return self.base.execute(query)


def opened_batches(url: str) -> Iterator[Any]:
    """The schema of a table or query, and then its rows in Arrow batches; the server keeps what is not asked for yet."""
    import pyarrow as pa

    kinds = {16: pa.bool_(), REAL: pa.float32(), 701: pa.float64(), **dict.fromkeys(INTEGERS, pa.int64())}
    with connected(url) as table:
        schema = pa.schema([(name, kinds.get(kind, pa.string())) for name, kind in table.types.items()])
        yield schema
        from psycopg import sql

        with said(table.where), table.base.cursor("oddly") as cursor:
            cursor.execute(sql.SQL("SELECT * FROM {}").format(table.relation))
            while rows := cursor.fetchmany(BATCH):
                columns = zip(schema, zip(*rows, strict=True), strict=True)
                arrays = [pa.array(map(_texts, c) if f.type == pa.string() else c, f.type) for f, c in columns]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _texts(cell: Any) -> str | None:
    return None if cell is None else str(cell)


def _bracketed(parts: Sequence[Any]) -> Any:
    from psycopg import sql

    return sql.SQL("({})").format(sql.SQL(", ").join(parts))
