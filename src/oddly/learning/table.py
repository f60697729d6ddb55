# SPDX-License-Identifier: Apache-2.0
"""Tables of labels: what learning, classifying and asking about rows all read."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.learning.cells import Column, of_array, of_cells, of_series

Table = Mapping[str, Sequence[str | None]]
"""Columns of texts by name; None is a missing value."""


Columns = Mapping[str, Column]


def read_table(table: Any) -> Table:
    """Columns of texts from a file, a data frame, an array, a mapping of columns or a list of mappings."""
    found = {}
    for name, column in read_columns(table).items():
        cells = np.array([*column.texts, None], object)
        found[name] = cells[column.codes].tolist()
    return found


def read_columns(table: Any, columns: Sequence[str] | None = None) -> Columns:
    """The columns of a table of any kind; `columns` names those of a plain array."""
    if isinstance(table, str | os.PathLike):
        from oddly.learning.files import read_file

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
        raise ModelError(
            f"expected a path, a data frame, an array or a list of mappings, found {type(table).__name__}"
        ) from None


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
