# SPDX-License-Identifier: Apache-2.0
"""The cells of a table: texts, numbers or missing; and a column as codes into its distinct cells.

What is done per cell is then done once per distinct one. Frames keep their columns in their own ways, and each has its
own fast way to number the distinct cells.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError

MISSING = ("", "?")
"""The texts that say a cell is empty in any column, once the spaces around them are gone."""

_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


def is_missing(value: object) -> bool:
    """Whether a cell is empty, in the ways that tables say so: None, NaN, pandas' NA and NaT."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and bool(value != value))
        or (isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value)))
    )


def text_of(value: object) -> str | None:
    """A cell as a label, None if it is missing. A float is its shortest decimal, a whole one without a point.

    >>> text_of(" x "), text_of(1.0), text_of(True), text_of(np.float32(0.1)), text_of("?"), text_of(float("nan"))
    ('x', '1', 'True', '0.1', None, None)
    >>> text_of(1e17), text_of(-0.0), text_of(b"x")
    ('100000000000000000', '0', 'x')
    """
    if type(value) is str:  # by far the most
        text = value.strip()
        return None if text in MISSING else text
    if is_missing(value):
        return None
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(Decimal(str(value))))  # not int(value): 1e23 is not what its nearest float is
    return text_of(str(value.decode(errors="replace") if isinstance(value, bytes) else value))


def natural(value: str) -> tuple[Any, ...]:
    """A sorting key that puts 2 before 10, in numbers and in names that contain them."""
    with suppress(ValueError):
        if not isnan(number := float(value)):
            return (0, number, value)
    return (1, [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", value)], value)


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, as measurements are written; a fraction such as 1/2 reads as a label.

    >>> is_number("-1.5e3"), is_number("1/2"), is_number("3b")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None


Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Column:
    """A column's cells as places among the distinct ones; -1 where the table has none.

    Cells as they stand; once read as labels, no two distinct ones have the same text, and -1 is a missing cell.
    """

    codes: Codes
    distinct: NDArray[Any]
    """Numbers, if the column is one of numbers; otherwise cells, or their texts, as objects."""
    declared: tuple[str, ...] | None = None
    """The values the column may take, in their order, where its type says so."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct values as labels."""
        return tuple(str(text_of(value)) for value in self.distinct)

    def take(self, rows: NDArray[Any]) -> "Column":
        """Some of the rows; the distinct values stay, seen or not."""
        return replace(self, codes=self.codes[rows])

    def without(self, gone: Container[str]) -> "Column":
        """The same, with the cells of these texts missing."""
        stays = np.array([text not in gone for text in self.texts], bool)
        codes = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1).astype(np.int32)[self.codes]
        declared = None if self.declared is None else tuple(v for v in self.declared if v not in gone)
        return Column(codes, self.distinct[stays], declared)

    def by_text(self) -> "Column":
        """The same by the texts of cells: spaces around them do not count, and 1, 1.0 and "1" are one value."""
        if self.distinct.dtype.kind in "iuf":
            return self
        texts = [text_of(cell) for cell in self.distinct]
        places = {text: i for i, text in enumerate(dict.fromkeys(text for text in texts if text is not None))}
        codes = self.codes
        if len(places) < len(texts):
            codes = np.array([*(-1 if text is None else places[text] for text in texts), -1], np.int32)[codes]
        return Column(codes, objects(places), self.declared)


def of_cells(cells: Iterable[object]) -> Column:
    """Any cells, told apart by type too: True, 1 and 1.0 are equal but print differently."""
    cells = cells if isinstance(cells, list | tuple) else list(cells)
    places: defaultdict[tuple[type, object], int] = defaultdict()
    places.default_factory = places.__len__
    try:
        codes = np.fromiter(map(places.__getitem__, zip(map(type, cells), cells, strict=True)), np.int32, len(cells))
    except TypeError:
        odd_one = next(cell for cell in cells if getattr(cell, "__hash__", None) is None)
        raise ModelError(f"a cell holds a text or a number, found {odd_one!r}") from None
    return Column(codes, objects(cell for _, cell in places))


def of_array(array: NDArray[Any]) -> Column:
    """The cells of a NumPy array."""
    if array.dtype.kind not in "iufUS":
        return of_cells(array.tolist() if array.dtype.kind == "b" else list(array))
    distinct, codes = np.unique(array, return_inverse=True)
    if array.dtype.kind in "US":
        return _cells(codes, distinct.tolist())
    return _numbers(codes, distinct)


def of_series(series: Any) -> Column:
    """The cells of a narwhals series."""
    import narwhals as nw

    if series.dtype == nw.Object:
        return of_cells(series.to_list())
    kind, native = series.implementation, series.to_native()
    if kind.is_pandas_like():
        return _of_pandas(series, native)
    if kind.is_polars():
        return _of_polars(series, native)
    return of_arrow(native) if kind.is_pyarrow() else of_cells(series.to_list())


def of_arrow(column: Any, declares: bool = True) -> Column:
    """The cells of a pyarrow array; a dictionary's entries are declared values, unless it is only how a file stores them."""
    import pyarrow as pa

    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    ordered = bool(column.type.ordered) if declares and encoded is column else None
    encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # of no chunks
        return of_cells(column.to_pylist())
    codes = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    entries = encoded.dictionary
    if pa.types.is_integer(entries.type) or pa.types.is_floating(entries.type):
        return _numbers(codes, entries.to_numpy(zero_copy_only=False), ordered)
    return _cells(codes, entries.to_pylist(), ordered)


def _of_pandas(series: Any, native: Any) -> Column:
    import narwhals as nw

    if series.dtype in (nw.Categorical, nw.Enum):
        codes, cells, ordered = native.cat.codes.to_numpy(), native.cat.categories, bool(native.cat.ordered)
    else:
        (codes, cells), ordered = native.factorize(), None
    if getattr(cells, "dtype", None) is not None and series.dtype.is_numeric() and not series.dtype.is_decimal():
        return _numbers(codes, cells.to_numpy(), ordered)
    return _cells(codes, cells.tolist(), ordered)


def _of_polars(series: Any, native: Any) -> Column:
    import narwhals as nw
    import polars as pl

    if series.dtype == nw.Enum:
        codes = native.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return _cells(codes, native.dtype.categories, True)
    if series.dtype == nw.Categorical:  # polars keeps the categories of all columns together: they declare nothing
        native = native.cast(pl.String)
    distinct = native.drop_nulls().unique()
    places = pl.Series(np.arange(len(distinct), dtype=np.int32))
    codes = np.full(len(native), -1, np.int32)
    if len(distinct):
        codes = native.replace_strict(distinct, places, default=-1, return_dtype=pl.Int32).to_numpy()
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        return _numbers(codes, distinct.to_numpy())
    return _cells(codes, distinct.to_list())


def _numbers(codes: NDArray[Any], distinct: NDArray[Any], ordered: bool | None = None) -> Column:
    """A column of numbers; NaN is no cell. (Half and extended precision are rare enough to go the slow way.)"""
    if distinct.dtype.kind not in "iuf" or distinct.dtype.itemsize not in (1, 2, 4, 8) or distinct.dtype == np.float16:
        return _cells(codes, distinct.tolist())
    if distinct.dtype.kind == "f" and (gaps := np.isnan(distinct)).any():
        places = np.where(gaps, -1, np.cumsum(~gaps) - 1)
        codes, distinct = np.append(places, -1)[codes], distinct[~gaps]
    return Column(codes.astype(np.int32), distinct, _declared(distinct, ordered))


def _cells(codes: NDArray[Any], cells: Iterable[object], ordered: bool | None = None) -> Column:
    distinct = objects(cells)
    return Column(codes.astype(np.int32), distinct, _declared(distinct, ordered))


def _declared(cells: Iterable[object], ordered: bool | None) -> tuple[str, ...] | None:
    """What a type lists, if it does (None), is a set, unless it says that the order means something."""
    if ordered is None:
        return None
    texts = list(dict.fromkeys(text for cell in cells if (text := text_of(cell)) is not None))
    return tuple(texts if ordered else sorted(texts, key=natural))


def objects(cells: Iterable[object]) -> NDArray[Any]:
    """An array of the cells themselves, whatever they are."""
    cells = list(cells)
    found = np.empty(len(cells), object)
    for i, cell in enumerate(cells):  # not at once: NumPy would take a list of tuples for a table
        found[i] = cell
    return found
