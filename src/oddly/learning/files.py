# SPDX-License-Identifier: Apache-2.0
"""Tables in files, by their suffix: CSV, TSV, Parquet, Arrow and Feather, ARFF."""

import csv
import io
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from oddly.errors import FormatError, Unsupported
from oddly.formats.text import read_text
from oddly.learning.arff import read_arff
from oddly.learning.cells import Column, of_arrow

PARQUET, ARROW, ARFF = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".arff",)
LARGE = 4 << 20  # bytes of text from which pyarrow is worth its import
CHUNK = 1 << 14  # rows


def read_file(path: Path) -> dict[str, Column]:
    """The columns of a table in a file; a suffix that is not known is taken for CSV."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _read_parquet(path)
    if suffix in ARROW:
        return _read_arrow(path)
    if suffix in ARFF:
        return read_arff(path)
    if path.is_file() and path.stat().st_size >= LARGE and _has_pyarrow():
        try:
            return delimited_by_arrow(path)
        except (_ArrowFailed, FormatError):
            pass  # the slow way reads it, or says in which line it cannot
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


class _ArrowFailed(Exception):
    """pyarrow could not read a file; why is better said by the standard library's reader."""


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
    except (pa.ArrowInvalid, OSError):
        raise _ArrowFailed from None
    if table.column_names != header or not len(table):
        raise _ArrowFailed
    return {name: of_arrow(table[name], declares=False) for name in header}


def _read_parquet(path: Path) -> dict[str, Column]:
    """A Parquet file. That a column is stored as a dictionary says nothing about the values it may take."""
    with _reading(path, "a .parquet file is read with pyarrow or duckdb"):
        from pyarrow import parquet

        table = parquet.read_table(path)
        return {name: of_arrow(column, declares=False) for name, column in _named(path, table).items()}


def _read_arrow(path: Path) -> dict[str, Column]:
    with _reading(path, f"a {path.suffix} file is read with pyarrow"):
        from pyarrow import feather

        return {name: of_arrow(column) for name, column in _named(path, feather.read_table(path)).items()}


@contextmanager
def _reading(path: Path, need: str) -> Iterator[None]:
    if not path.is_file():
        raise FormatError(f"{path}: {'a directory, not a file' if path.is_dir() else 'no such file'}")
    try:
        import pyarrow as pa
    except ImportError:
        package = need.split("with ")[1].split(" or ")[0]
        raise Unsupported(f"{path}: {need}.  Try: pip install {package}") from None
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise FormatError(f"{path}: {(str(error).splitlines() or ['damaged'])[0]}") from None


def _named(path: Path, table: Any) -> Mapping[str, Any]:
    """The columns by their names. A file may point its cells anywhere, so nothing is touched before all of it is looked at."""
    table.validate(full=True)
    checked_header(path, table.column_names)
    if not len(table):
        raise FormatError(f"{path}: no rows of data")
    return dict(zip(table.column_names, table.columns, strict=True))


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


def _has_pyarrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None
