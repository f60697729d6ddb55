# SPDX-License-Identifier: Apache-2.0
"""Tables of labels, which learning, classifying and asking about rows all read: in memory, or in files of any suffix."""

import csv
import io
import os
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import FormatError, ModelError, Unsupported
from oddly.formats.text import read_text
from oddly.learning.arff import read_arff
from oddly.learning.cells import Column, of_array, of_arrow, of_cells, of_series

PARQUET, ARROW, ARFF = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".arff",)
LARGE = 4 << 20  # bytes of text from which pyarrow is worth its import
CHUNK = 1 << 14  # rows

Table = Mapping[str, Sequence[str | None]]
"""Columns of texts by name; None is a missing value."""
Columns = Mapping[str, Column]


def read_table(table: Any) -> Table:
    """Columns of texts from a file, a data frame, an array, a mapping of columns or a list of mappings."""
    return texts_of(read_columns(table))


def texts_of(columns: Columns) -> Table:
    """The label of each cell."""
    read = {name: column.by_text() for name, column in columns.items()}
    return {name: np.array([*c.texts, None], object)[c.codes].tolist() for name, c in read.items()}


def read_columns(table: Any, columns: Sequence[str] | None = None) -> Columns:
    """The columns of a table of any kind; `columns` names those of a plain array."""
    if isinstance(table, str | os.PathLike):
        return {name: column.by_text() for name, column in read_file(Path(table)).items()}
    if isinstance(table, Mapping) and table and all(isinstance(column, Column) for column in table.values()):
        return table  # read before, from what can be read once only
    found = {name: column.by_text() for name, column in factors(table, columns).items()}
    if len({len(column.codes) for column in found.values()}) > 1:
        raise ModelError("the columns differ in length")
    return found


def factors(table: Any, columns: Sequence[str] | None = None) -> dict[str, Column]:
    """The columns of a table in memory, their cells as they stand."""
    if isinstance(table, np.ndarray):
        return _of_array(table, columns)
    if columns is not None:
        raise ModelError(f"columns= names the columns of a NumPy array; a {type(table).__name__} has its own names")
    if isinstance(table, Mapping):
        return {str(name): _named(str(name), column) for name, column in table.items()}
    if isinstance(table, Sequence) and not isinstance(table, str):
        return _of_mappings(table)
    return _of_frame(table)


def _of_array(array: NDArray[Any], columns: Sequence[str] | None) -> dict[str, Column]:
    names = array.dtype.names
    if names is not None and array.ndim == 1:
        return {name: of_array(array[name]) for name in names}
    if array.ndim != 2:
        raise ModelError(f"expected an array of rows and columns, found shape {array.shape}")
    if columns is None:
        raise ModelError("an array has no names for its columns: give columns=[...], or a structured array")
    if len(columns) != array.shape[1] or len(set(columns)) < len(columns):
        raise ModelError(f"columns: expected {array.shape[1]} different names, found {', '.join(map(str, columns))}")
    return {str(name): of_array(np.ascontiguousarray(column)) for name, column in zip(columns, array.T, strict=True)}


def _of_mappings(rows: Sequence[Any]) -> dict[str, Column]:
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ModelError(f"row {i + 1}: expected a mapping from column to value, found {row!r}")
    names = dict.fromkeys(name for row in rows for name in row)
    return {str(name): _named(str(name), [row.get(name) for row in rows]) for name in names}


def _of_frame(table: Any) -> dict[str, Column]:
    import narwhals as nw

    try:
        frame = nw.from_native(table, eager_only=True)
        return {str(name): _named(str(name), frame[name]) for name in frame.columns}
    except nw.exceptions.DuplicateError as error:
        raise ModelError(f"a column stands twice: {error}") from None
    except TypeError:
        wanted = "a path, a data frame, an array or a list of mappings"
        raise ModelError(f"expected {wanted}, found {type(table).__name__}") from None


def _named(name: str, column: Any) -> Column:
    try:
        if isinstance(column, np.ndarray) and column.ndim == 1:
            return of_array(column)
        if hasattr(column, "implementation") and hasattr(column, "to_native"):
            return of_series(column)
        if isinstance(column, str):
            raise ModelError(f"expected a list of values, found {column!r}")
        return of_cells(column)
    except ModelError as error:
        error.args = (f"column {name}: {error}",)
        raise
    except TypeError:
        raise ModelError(f"column {name}: expected a list of values, found {column!r}") from None


def read_file(path: Path) -> dict[str, Column]:
    """The columns of a table in a file; a suffix that is not known is taken for CSV."""
    suffix = path.suffix.lower()
    if suffix in (*PARQUET, *ARROW):
        return _read_arrow(path)
    if suffix in ARFF:
        return read_arff(path)
    if path.is_file() and path.stat().st_size >= LARGE and find_spec("pyarrow") is not None:
        with suppress(FormatError):  # the slow way reads it, or says in which line it cannot
            return delimited_by_arrow(path)
    return delimited(path)


def delimited(path: Path) -> dict[str, Column]:
    """A CSV or TSV file, by the standard library's reader."""
    text = read_text(path)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(path, first_line(text)))
    try:
        header = checked_header(path, next(filter(None, rows), []))
        places: list[defaultdict[str, int]] = [defaultdict() for _ in header]
        for places_of_column in places:
            places_of_column.default_factory = places_of_column.__len__
        codes = [array("i") for _ in header]
        for chunk in _chunks(rows, path, len(header)):
            for column, cells, found in zip(codes, zip(*chunk, strict=True), places, strict=True):
                column.extend(map(found.__getitem__, cells))
    except csv.Error as error:
        raise FormatError(f"{path}:{rows.line_num}  {error}") from None
    if not codes[0]:
        raise FormatError(f"{path}: no rows of data below the header")
    return {
        name: Column(np.array(column, np.int32), np.array(list(found), object))
        for name, column, found in zip(header, codes, places, strict=True)
    }


def delimiter_of(path: Path, header: str) -> str:
    """A tab in .tsv and .tab; otherwise a comma, unless the header has none and has semicolons or tabs."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    header = re.sub(r'"[^"]*"', "", header)
    if "," in header:
        return ","
    return next((mark for mark in (";", "\t") if mark in header), ",")


def checked_header(path: Path, header: Sequence[str]) -> list[str]:
    """The names of the columns, no two alike."""
    if not header:
        raise FormatError(f"{path}: an empty file; expected a header row and data rows")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise FormatError(f"{path}:1  the column {twice!r} stands twice")
    return list(header)


def header_of(path: Path) -> tuple[list[str], str]:
    """The names of a delimited file's columns, and what stands between them; nothing else is read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = delimiter_of(path, file.readline())
            file.seek(0)
            return checked_header(path, next(csv.reader(file, delimiter=mark), [])), mark
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text, at byte {error.start}") from None
    except (OSError, csv.Error) as error:
        raise FormatError(f"{path}: {error}") from None


def delimited_by_arrow(path: Path) -> dict[str, Column]:
    """A CSV or TSV file, by pyarrow's parallel reader: every column as text, so that labels are as written."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    header, mark = header_of(path)
    labels = pa.dictionary(pa.int32(), pa.string())
    try:
        parse = arrow.ParseOptions(delimiter=mark, newlines_in_values=True)
        types = dict.fromkeys(header, labels)
        convert = arrow.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[])
        table = arrow.read_csv(path, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, OSError) as error:
        raise FormatError(f"{path}: {error}") from None
    if table.column_names != header or not len(table):
        raise FormatError(f"{path}: other columns than in its header, or no rows")
    return {name: of_arrow(table[name], declares=False) for name in header}


def _read_arrow(path: Path) -> dict[str, Column]:
    """A Parquet, Arrow or Feather file. That Parquet stores a column as a dictionary says nothing about its values."""
    is_parquet = path.suffix.lower() in PARQUET
    if not path.is_file():
        raise FormatError(f"{path}: {'a directory, not a file' if path.is_dir() else 'no such file'}")
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        kind, need = (".parquet", "pyarrow or duckdb") if is_parquet else (path.suffix, "pyarrow")
        raise Unsupported(f"{path}: a {kind} file is read with {need}.  Try: pip install pyarrow") from None
    try:
        table = (parquet if is_parquet else feather).read_table(path)
        table.validate(full=True)  # a file may point its cells anywhere: nothing is touched before all is looked at
        names = checked_header(path, table.column_names)
        if not len(table):
            raise FormatError(f"{path}: no rows of data")
        return {name: of_arrow(column, not is_parquet) for name, column in zip(names, table.columns, strict=True)}
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise FormatError(f"{path}: {(str(error).splitlines() or ['damaged'])[0]}") from None


def _chunks(rows: Any, path: Path, width: int) -> Iterator[list[list[str]]]:
    """Rows by the thousand, empty lines left out; a row of another width is an error that names its line."""
    while chunk := list(islice(_checked(rows, path, width), CHUNK)):
        yield chunk


def _checked(rows: Any, path: Path, width: int) -> Iterator[list[str]]:
    for row in rows:
        if len(row) == width:
            yield row
        elif row:
            raise FormatError(f"{path}:{rows.line_num}  {width} columns expected, found {len(row)}")


def first_line(text: str) -> str:
    """The first line that is not empty."""
    start = len(text) - len(text.lstrip("\r\n"))
    end = text.find("\n", start)
    return text[start : None if end < 0 else end]
