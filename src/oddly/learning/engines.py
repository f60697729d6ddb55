# SPDX-License-Identifier: Apache-2.0
"""Tables that stay where they are: an engine groups equal cells, and only the groups and their counts come here.

The engine never says what a cell means. It compares cells for equality, or with a number, and every distinct cell is read
here as one in memory is, so that both agree to the last row. narwhals speaks to polars, DuckDB, Dask, Spark and Ibis; a
folder of Parquet files and an Arrow dataset are read by DuckDB, and PostgreSQL has a module of its own.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from oddly.errors import FormatError, ModelError, OddlyError, Unsupported
from oddly.learning.cells import Column, of_series
from oddly.learning.source import Counts
from oddly.runtime import polled

TOGETHER = 64  # questions in one pass: their groups are in memory at the same time
GROUPS = "n"


@dataclass(frozen=True)
class Recode:
    """A column as small whole numbers, made where the table is."""

    name: str
    tests: tuple[tuple[Any, int], ...]
    """In turn: a list of cells, or the largest number, and the code of what is in it, or at most that."""
    gap: int
    """The code of what is missing."""
    otherwise: int
    nan: bool
    """Whether a float may be missing by not being a number."""


Key: TypeAlias = str | Recode


@dataclass(frozen=True, eq=False)
class Groups:
    """The distinct combinations of some columns, and how many rows have each."""

    columns: dict[str, Column]
    times: Counts


class Engine(Protocol):
    """Whatever counts rows."""

    @property
    def columns(self) -> Sequence[str]: ...

    def counted(self, questions: Sequence[Sequence[Key]]) -> list[Groups]:
        """The groups of each list of columns, in as few passes as the engine knows how to."""

    def where_known(self, recodes: Sequence[Recode]) -> "Engine":
        """The rows in which no code is negative."""


def name_of(key: Key) -> str:
    return key if isinstance(key, str) else key.name


@contextmanager
def located(table: Any) -> Iterator[Engine | None]:
    """The table where it is; None if it is here, or a file to be read."""
    if is_postgres(table):
        from oddly.learning.postgres import connected

        with connected(table) as engine:
            yield engine
    elif (folder := _folder(table)) is not None or _is_dataset(table):
        with duckdb_connection(f"{folder or 'an Arrow dataset'}") as base:
            yield Frame(base.from_arrow(table) if folder is None else parquet_folder(base, folder))
    else:
        yield Frame(table) if is_lazy(table) else None


def is_lazy(table: Any) -> bool:
    """Whether a table is a frame that some engine has yet to work out."""
    import narwhals as nw

    if isinstance(table, nw.LazyFrame):
        return True
    return isinstance(nw.from_native(table, pass_through=True), nw.LazyFrame)


def stays(table: Any) -> bool:
    """Whether a table is worked on where it is."""
    return is_postgres(table) or _folder(table) is not None or _is_dataset(table) or is_lazy(table)


def is_postgres(table: Any) -> bool:
    """Whether a text is the address of a PostgreSQL table or query."""
    return isinstance(table, str) and table.startswith(("postgresql://", "postgres://"))


def _folder(table: Any) -> Path | None:
    return Path(table) if isinstance(table, str | os.PathLike) and os.path.isdir(table) else None


def _is_dataset(table: Any) -> bool:
    return type(table).__module__.startswith("pyarrow._dataset")


@contextmanager
def duckdb_connection(what: str) -> Iterator[Any]:
    """A database of its own in memory."""
    try:
        import duckdb
    except ImportError:
        raise Unsupported(f"{what}: it is read with duckdb.  Try: pip install duckdb") from None
    with duckdb.connect() as base:
        yield base


def parquet_folder(base: Any, folder: Path) -> Any:
    """All Parquet files below a folder as one relation; folders called name=value are columns."""
    if not any(folder.rglob("*.parquet")):
        raise FormatError(f"{folder}: a folder without a .parquet file")
    with said(str(folder)):
        return base.read_parquet(str(folder / "**" / "*.parquet"), hive_partitioning=True, union_by_name=True)


@contextmanager
def said(where: str) -> Iterator[None]:
    """Whatever goes wrong in another program is one sentence here; each has errors of its own kinds."""
    try:
        yield
    except OddlyError:
        raise
    except Exception as error:
        raise FormatError(f"{where}: {' '.join(str(error).split())[:300] or type(error).__name__}") from None


@dataclass(frozen=True, eq=False)
class Frame:
    """A lazy frame of any engine that narwhals knows."""

    native: Any

    @cached_property
    def frame(self) -> Any:
        import narwhals as nw

        return self.native if isinstance(self.native, nw.LazyFrame) else nw.from_native(self.native)

    @property
    def where(self) -> str:
        return str(self.frame.implementation.value)

    @cached_property
    def columns(self) -> list[str]:
        with said(self.where):
            names = [str(name) for name in self.frame.collect_schema().names()]
        if len({name.lower() for name in names}) < len(names) and self.where == "duckdb":
            raise Unsupported("DuckDB does not tell apart columns whose names differ in case only")
        return names

    def where_known(self, recodes: Sequence[Recode]) -> "Frame":
        frame = self.frame
        for recode in recodes:
            frame = frame.filter(_expression(recode) >= 0)
        return Frame(frame)

    def counted(self, questions: Sequence[Sequence[Key]]) -> list[Groups]:
        found = []
        some = [questions[i : i + TOGETHER] for i in range(0, len(questions), TOGETHER)]
        for part in polled(some, f"passes over {self.where}"):
            with said(self.where):
                frames = _collected([self._grouped(keys) for keys in part])
            found += [_groups(frame, keys) for frame, keys in zip(frames, part, strict=True)]
        return found

    def _grouped(self, keys: Sequence[Key]) -> Any:
        import narwhals as nw

        columns = [_expression(key).alias(f"k{i}") for i, key in enumerate(keys)]
        names = [f"k{i}" for i in range(len(keys))]
        return self.frame.select(*columns).group_by(*names).agg(nw.len().alias(GROUPS))


def _groups(frame: Any, keys: Sequence[Key]) -> Groups:
    columns = {}
    for i, key in enumerate(keys):
        try:
            columns[name_of(key)] = of_series(frame[f"k{i}"])
        except ModelError as error:
            raise ModelError(f"column {name_of(key)}: {error}") from None
    return Groups(columns, np.array(frame[GROUPS].to_list(), np.int64))


def _collected(frames: Sequence[Any]) -> list[Any]:
    """Lazy frames worked out, together where the engine then reads the table once."""
    import narwhals as nw

    natives = [frame.to_native() for frame in frames]
    if frames[0].implementation.is_polars():
        import polars as pl

        return [nw.from_native(found, eager_only=True) for found in pl.collect_all(natives)]
    if frames[0].implementation.is_dask():
        dask: Any = import_module("dask")
        return [nw.from_native(found, eager_only=True) for found in dask.compute(*natives)]
    return [frame.collect() for frame in frames]


def _expression(key: Key) -> Any:
    """A column, or what its codes are; a cell that is missing, and then the tests from the last to the first."""
    import narwhals as nw

    column = nw.col(name_of(key))
    if isinstance(key, str):
        return column
    found = nw.lit(key.otherwise)
    for test, code in reversed(key.tests):
        fits = column.is_in(test) if isinstance(test, list) else column <= test
        found = nw.when(fits).then(nw.lit(code)).otherwise(found)
    gap = column.is_null()
    if key.nan:  # by its text: a Parquet file's statistics leave NaN out, and DuckDB believes them
        gap = gap | (column.cast(nw.String).str.to_lowercase() == "nan")
    return nw.when(gap).then(nw.lit(key.gap)).otherwise(found)
