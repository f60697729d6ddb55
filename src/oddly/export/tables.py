# SPDX-License-Identifier: Apache-2.0
"""A decision for every row of a table that stays where it is: the same table with one more column, and nothing is pulled.

DuckDB decides in SQL, the one that `to_sql` writes. polars, Dask and Arrow hand over batches of rows where they have them,
which are decided as rows in memory are, and so does PostgreSQL where rows leave it anyway (inside it, `to_sql` decides). A row that does not fit has no decision, in every engine.
"""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.rows import places
from oddly.errors import ModelError, UnknownName, Unsupported
from oddly.export.cells import CellKind
from oddly.export.sql import to_sql
from oddly.learning.cells import of_series
from oddly.learning.engines import Frame, is_lazy, is_postgres, said
from oddly.learning.postgres import opened_batches

ROWS = "oddly_rows"
SHORT = " (32 bits)"  # what a column of short floats is called while its decimals stand in its place


def decided(odd: ODD, table: Any, column: str = "decision") -> Any:
    """The table, of the same engine, with the label of each row in a column `column`; None where a row does not fit."""
    if not is_lazy(table):
        return _in_batches(odd, table, column)
    frame = Frame(table)
    _check(odd, frame.columns, column)
    kind = frame.frame.implementation
    with said(frame.where):
        if kind.is_duckdb():
            return _in_duckdb(odd, frame, column)
        native = frame.frame.to_native()
        decide = partial(with_decision, odd, column=column)
        if kind.is_polars():
            import polars as pl

            schema = {**native.collect_schema(), column: pl.String}
            return native.map_batches(decide, schema=schema, streamable=True)
        if kind.is_dask():
            return native.map_partitions(decide, meta=decide(native._meta))
    raise Unsupported(f"{frame.where}: it takes the decision as SQL: odd.to_sql({frame.where!r}, table=...)")


def with_decision(odd: ODD, native: Any, column: str) -> Any:
    """A frame in memory with one more column."""
    import narwhals as nw

    frame = nw.from_native(native, eager_only=True)
    labels = nw.new_series(column, labels_of(odd, frame).tolist(), nw.String(), backend=frame.implementation)
    if frame.implementation.is_pandas_like():  # whose rows have names
        native_labels = labels.to_native()
        native_labels.index = frame.to_native().index
        labels = nw.from_native(native_labels, series_only=True)
    return frame.with_columns(labels).to_native()


def labels_of(odd: ODD, frame: Any) -> NDArray[Any]:
    """The label of each row of a narwhals frame; None where some cell is no value of its attribute."""
    codes = np.empty((len(frame), len(odd.columns)), np.intp, order="F")
    for j, name in enumerate(odd.columns):
        cells, variable = of_series(frame[name]), odd.attribute(name)
        codes[:, j] = np.append(places(cells.distinct, variable), places([None], variable))[cells.codes]
    fits = (codes >= 0).all(axis=1)
    found = np.full(len(codes), None, object)
    found[fits] = np.array(odd.labels, object)[odd.decide(codes[fits])]
    return found


def _check(odd: ODD, names: list[str], column: str) -> None:
    for name in odd.columns:
        if name not in names:
            raise UnknownName.among("column", name, names)
    if column in names:
        raise ModelError(f"the table has a column {column!r} already; rename it first")


def _in_duckdb(odd: ODD, frame: Frame, column: str) -> Any:
    """By SQL; a short float means its own shortest decimal, so that takes its place while the row is decided."""
    import narwhals as nw

    schema = frame.frame.collect_schema()
    kinds: dict[str, CellKind] = {}
    for name in odd.columns:
        if schema[name].is_float():
            kinds[name] = "number"
        elif not schema[name].is_numeric():
            kinds[name] = "boolean" if schema[name] == nw.Boolean else "text"
    relation = frame.frame.to_native()
    short = [name for name in odd.columns if schema[name] == nw.Float32]
    if short:
        decimals = ", ".join(f"CAST(CAST({_q(n)} AS VARCHAR) AS DOUBLE) AS {_q(n)}" for n in short)
        kept = ", ".join(f"{_q(n)} AS {_q(n + SHORT)}" for n in short)
        relation = relation.project(f"* REPLACE ({decimals}), {kept}")
    found = relation.query(ROWS, to_sql(odd, "duckdb", ROWS, column=column, types=kinds))
    if short:
        gone = ", ".join(_q(n + SHORT) for n in short)
        back = ", ".join(f"{_q(n + SHORT)} AS {_q(n)}" for n in short)
        found = found.project(f"* EXCLUDE ({gone}) REPLACE ({back})")
    return found


def _q(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in_batches(odd: ODD, table: Any, column: str) -> Any:
    """A reader of the batches of an Arrow dataset, a folder or a PostgreSQL table, each decided when it is asked for."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        raise Unsupported(f"{table}: it is read with pyarrow.  Try: pip install pyarrow") from None
    if is_postgres(table):
        found = opened_batches(table)
        schema, source = next(found), found
    else:
        with said(str(table)):
            table = dataset.dataset(table, partitioning="hive") if isinstance(table, str | os.PathLike) else table
        schema, source = table.schema, table.to_batches()
    _check(odd, schema.names, column)
    wider = schema.append(pa.field(column, pa.string()))

    def batches() -> Iterator[Any]:
        for batch in source:
            yield from with_decision(odd, pa.Table.from_batches([batch]), column).cast(wider).to_batches()

    return pa.RecordBatchReader.from_batches(wider, batches())
