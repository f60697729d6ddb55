# SPDX-License-Identifier: Apache-2.0
"""One table in every engine that is here; for tests that compare what comes of it with what memory gives."""

from contextlib import suppress
from importlib.util import find_spec

import pytest

PARTS = 3
HERE = ("polars", "duckdb", "dask", "folder", "dataset")


def needed(engine):
    """The modules without which an engine's tests are left out."""
    more = {"polars": ["polars"], "dask": ["dask.dataframe"], "postgres": ["psycopg"]}
    return ["pyarrow", *more.get(engine, ["duckdb"])]


def held_by(engine, table, room, server=None):
    """The same rows where an engine has them: `table` is of pyarrow, `room` an empty folder, `server` a connection."""
    for module in needed(engine):
        with suppress(ModuleNotFoundError):
            if find_spec(module) is not None:
                continue
        pytest.skip(f"no {module} here: {engine} is left out")
    from pyarrow import dataset, parquet

    size = -(-len(table) // PARTS)
    for i in range(PARTS):
        parquet.write_table(table.slice(i * size, size), room / f"part{i}.parquet", row_group_size=64)
    if engine == "polars":
        import polars as pl

        return pl.scan_parquet(room / "*.parquet")
    if engine == "duckdb":
        import duckdb

        return duckdb.connect().read_parquet(str(room / "*.parquet"))
    if engine == "dask":
        import dask.dataframe as dd

        return dd.from_pandas(table.to_pandas(), npartitions=PARTS)
    if engine == "postgres":
        return in_postgres(table, server)
    return room if engine == "folder" else dataset.dataset(room)


def in_postgres(table, server, name='it\'s a "table"'):
    """The URL of a new table on the server."""
    from urllib.parse import urlencode

    from psycopg import sql

    types = {"string": "text", "float": "real", "double": "float8", "int64": "bigint", "bool": "boolean"}
    columns = [sql.SQL("{} {}").format(sql.Identifier(f.name), sql.SQL(types[str(f.type)])) for f in table.schema]
    server.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(name)))
    server.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(name), sql.SQL(", ").join(columns)))
    with server.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(name))) as copy:
        for row in table.to_pylist():
            copy.write_row([str(v) if isinstance(v, float) else v for v in row.values()])
    options = {"host": server.info.host, "table": name}
    return f"postgresql://{server.info.user}@/{server.info.dbname}?{urlencode(options)}"
