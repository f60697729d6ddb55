# SPDX-License-Identifier: Apache-2.0
"""Files larger than memory: DuckDB counts, and what is learned from the counts is what memory would have given.

Cells are compared in Python by their texts, as everywhere; DuckDB only groups equal ones. The distinct values of one
column at a time have to fit into memory.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import FormatError, ModelError, Unsupported
from oddly.learning.cells import is_missing, objects, text_of
from oddly.learning.files import ARFF, ARROW, PARQUET, header_of
from oddly.learning.gaps import Gaps
from oddly.learning.source import Cells, ClassCounts, Coding, Counts, MissingTexts
from oddly.runtime import free_memory

SHARE = 4  # of what is free, a file of this part goes to DuckDB: its columns in memory take more than the file


@contextmanager
def opened(table: Any, via: str = "auto") -> Iterator["Big | None"]:
    """The table as DuckDB sees it, or None where it is better read into memory."""
    if via not in ("auto", "memory", "duckdb"):
        raise ModelError(f"via: expected auto, memory or duckdb, found {via!r}")
    path = Path(table) if isinstance(table, str | os.PathLike) else None
    if via == "memory" or (via == "auto" and (path is None or not _too_large(path))):
        yield None
        return
    if path is None:
        raise Unsupported(f'via="duckdb" reads files; a {type(table).__name__} is in memory already')
    if path.suffix.lower() in (*ARROW, *ARFF):
        raise Unsupported(f"{path}: DuckDB reads CSV, TSV and Parquet files, not {path.suffix}")
    try:
        import duckdb
    except ImportError:
        raise Unsupported(f"{path}: a file of this size is read with duckdb.  Try: pip install duckdb") from None
    with tempfile.TemporaryDirectory(prefix="oddly-") as room, duckdb.connect(str(Path(room) / "counts.db")) as base:
        try:
            yield _opened(base, path)
        except duckdb.Error as error:
            raise FormatError(f"{path}: {' '.join(str(error).split())[:200]}") from None


@dataclass(frozen=True, eq=False)
class Big:
    """Counts of a table that DuckDB reads."""

    base: Any
    relation: str
    """What stands after FROM."""
    columns: Mapping[str, str]
    """How each column is called there, in quotes."""
    target: str = ""
    label_of: Mapping[Any, int] = field(default_factory=dict)
    """The class of each raw cell of the target."""
    number: int = 0
    """Of classes."""
    coded_as: Mapping[str, str] = field(default_factory=dict)
    """How the codes of each column are called in the table `coded`, once it is there."""
    gone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The texts that stand for missing cells, by column."""

    def distinct(self, name: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
        return objects(dict.fromkeys(text for cell in self._cells(name) if (text := self._text(name, cell)))), None

    def cells(self, name: str) -> Cells:
        ((rows, missing),) = self._query(
            f"SELECT count(*), count(*) FILTER (WHERE {self._lacks(name)}) FROM {self.relation}"
        )
        return Cells(rows - missing, missing)

    def without(self, gaps: Gaps, declared: Mapping[str, tuple[str, ...]]) -> tuple["Big", MissingTexts]:
        found = MissingTexts()
        for name in self.columns:
            if gaps.own is None and self._types[name] != "VARCHAR":
                continue
            texts = gaps.among([str(text) for text in self.distinct(name)[0]])
            if gone := [text for text in texts if text not in declared.get(name, ())]:
                sizes = zip(*self.classes(name)[:2], strict=True)
                found[name] = {text: int(n) for text, n in sizes if text in gone}
        return replace(self, gone={name: frozenset(texts) for name, texts in found.items()}), found

    def classes(self, target: str) -> tuple[tuple[str, ...], Counts, tuple[str, ...] | None]:
        sizes: dict[str, int] = {}
        for cell, n in self._query(f"SELECT {self.columns[target]}, count(*) FROM {self.relation} GROUP BY ALL"):
            if (text := self._text(target, cell)) is not None:
                sizes[text] = sizes.get(text, 0) + n
        return tuple(sizes), np.array(list(sizes.values()), np.int64), None

    def of_classes(self, target: str, classes: Sequence[str], complete: Sequence[str]) -> "Big":
        place = {label: i for i, label in enumerate(classes)}
        texts = {cell: self._text(target, cell) for cell in self._cells(target)}
        kept = " AND ".join(f"NOT ({self._lacks(name)})" for name in (target, *complete))
        relation = f"(SELECT * FROM {self.relation} WHERE {kept})"
        label_of = {cell: place[text] for cell, text in texts.items() if text is not None}
        return replace(self, relation=relation, target=target, label_of=label_of, number=len(classes))

    def tally(self, name: str) -> ClassCounts:
        columns = f"{self.columns[name]}, {self.columns[self.target]}"
        places: dict[str, int] = {}
        cells = []
        for cell, label, n in self._query(f"SELECT {columns}, count(*) FROM {self.relation} GROUP BY ALL"):
            text = self._text(name, cell)
            place = -1 if text is None else places.setdefault(text, len(places))
            cells.append((place, self.label_of[label], n))
        found = np.array(cells, np.int64).reshape(-1, 3)
        counts = np.zeros((len(places) + 1, self.number), np.int64)
        np.add.at(counts, (found[:, 0], found[:, 1]), found[:, 2])
        return ClassCounts(objects(places), counts[:-1], counts[-1])

    def coded(self, codings: Sequence[Coding], tallies: Sequence[ClassCounts]) -> "Big":
        """The same, with a table of small whole numbers to count combinations in."""
        todo = {self.target: {self._text(self.target, cell): place for cell, place in self.label_of.items()}}
        for c, tally in zip(codings, tallies, strict=True):
            todo[c.name] = {**dict(zip(tally.texts, c.codes.tolist(), strict=True)), None: c.missing}
        for i, (name, codes) in enumerate(todo.items()):
            self._map(i, name, codes)
        selected = ", ".join(f"m{i}.code AS c{i}" for i in range(len(todo)))
        same = [f"t.{self.columns[name]} IS NOT DISTINCT FROM m{i}.raw" for i, name in enumerate(todo)]
        rows = f"{self.relation} t {' '.join(f'LEFT JOIN m{i} ON {equal}' for i, equal in enumerate(same))}"
        self.base.execute(f"CREATE TABLE coded AS SELECT {selected} FROM {rows}")
        return replace(self, coded_as={name: f"c{i}" for i, name in enumerate(todo)})

    def joint(self, codings: Sequence[Coding]) -> Counts:
        names = [self.coded_as[c.name] for c in codings]
        known = " AND ".join(f"{name} >= 0" for name in names)
        keys = ", ".join([self.coded_as[self.target], *names])
        rows = self._query(f"SELECT {keys}, count(*) FROM coded WHERE {known} GROUP BY ALL")
        sizes = (self.number, *(len(c.values) for c in codings))
        found = np.array(rows, np.int64).reshape(-1, len(sizes) + 1)
        counts = np.zeros(sizes, np.int64)
        counts[tuple(found[:, :-1].T)] = found[:, -1]
        return counts

    def _map(self, i: int, name: str, codes: Mapping[str | None, int]) -> None:
        """The table m<i> from a column's raw cells to their codes."""
        column = self.columns[name]
        self.base.execute(
            f"CREATE TABLE d{i} AS SELECT raw, row_number() OVER () - 1 AS place "
            f"FROM (SELECT DISTINCT {column} AS raw FROM {self.relation})"
        )
        cells = self._query(f"SELECT raw FROM d{i} ORDER BY place")
        found = [codes[self._text(name, cell)] for (cell,) in cells]
        self.base.execute(
            f"CREATE TABLE m{i} AS SELECT raw, code FROM d{i} JOIN "
            "(SELECT unnest(range(?::BIGINT)) AS place, unnest(?::INTEGER[]) AS code) USING (place)",
            [len(found), found],
        )

    def _cells(self, name: str) -> list[Any]:
        return [cell for (cell,) in self._query(f"SELECT DISTINCT {self.columns[name]} FROM {self.relation}")]

    def _lacks(self, name: str) -> str:
        """A condition: the cell is missing."""
        column = self.columns[name]
        if self._types[name] in ("FLOAT", "DOUBLE"):
            # by its text: a Parquet file's statistics leave NaN out, and isnan() believes them
            lacks = f"{column} IS NULL OR CAST({column} AS VARCHAR) = 'nan'"
            return lacks + (f" OR {self._among(name)}" if self.gone.get(name) else "")
        return f"{column} IS NULL OR {self._among(name)}"

    def _among(self, name: str) -> str:
        """A condition: the cell is one of those, other than NULL and NaN, whose text stands for a missing one."""
        gone = [c for c in self._cells(name) if not is_missing(c) and self._text(name, c) is None]
        texts = ["'" + c.replace("'", "''") + "'" if isinstance(c, str) else str(c) for c in gone]
        return f"{self.columns[name]} IN ({', '.join(texts)})" if texts else "false"

    def _text(self, name: str, cell: Any) -> str | None:
        """A cell's label; 32-bit floats arrive as wider ones, and mean their own shortest decimal."""
        text = text_of(np.float32(cell) if cell is not None and self._types[name] == "FLOAT" else cell)
        return None if text in self.gone.get(name, ()) else text

    @cached_property
    def _types(self) -> dict[str, str]:
        described = self._query(f"DESCRIBE SELECT {', '.join(self.columns.values())} FROM {self.relation}")
        return {name: str(row[1]) for name, row in zip(self.columns, described, strict=True)}

    def _query(self, text: str) -> list[tuple[Any, ...]]:
        return self.base.execute(text).fetchall()  # type: ignore[no-any-return]


def _opened(base: Any, path: Path) -> Big:
    """A file as DuckDB reads it; a text is copied into its own columns first, on disk."""
    if not path.is_file():
        raise FormatError(f"{path}: {'not a plain file, as DuckDB needs' if path.exists() else 'no such file'}")
    file = "'" + str(path).replace("'", "''") + "'"
    if path.suffix.lower() in PARQUET:
        described = base.execute(f"DESCRIBE SELECT * FROM read_parquet({file})").fetchall()
        stored = {name for (name,) in base.execute(f"SELECT name FROM parquet_schema({file})").fetchall()}
        if any(name not in stored for name, *_ in described):
            raise Unsupported(f"{path}: DuckDB does not tell apart columns whose names differ in case only")
        columns = {name: '"' + name.replace('"', '""') + '"' for name, *_ in described}
        base.execute(f"CREATE VIEW data AS SELECT * FROM read_parquet({file})")
    else:
        header, mark = header_of(path)
        columns = {name: f'"{i}"' for i, name in enumerate(header)}
        types = ", ".join(f"'{i}': 'VARCHAR'" for i in range(len(header)))
        base.execute(  # a table, not a view: every column would parse the text again
            f"CREATE TABLE data AS SELECT * FROM read_csv({file}, header = true, auto_detect = false, "
            f"columns = {{{types}}}, delim = '{mark}', quote = '\"', escape = '\"')"
        )
    return Big(base, "data", columns)


def _too_large(path: Path) -> bool:
    if path.suffix.lower() in (*ARROW, *ARFF) or not path.is_file() or find_spec("duckdb") is None:
        return False
    return (path.suffix.lower() in PARQUET and find_spec("pyarrow") is None) or not fits(path)


def fits(path: Path) -> bool:
    """Whether a file's columns can be held in the memory that is free; of a pipe nobody knows."""
    return not path.is_file() or path.stat().st_size * SHARE <= free_memory()
