# SPDX-License-Identifier: Apache-2.0
"""Rows of data: into value indices, and through a diagram."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import kernels
from oddly.diagram.passes import Levels
from oddly.errors import ModelError, UnknownName, UnknownValue
from oddly.learning import is_missing
from oddly.model import Variable
from oddly.score import FINITE, Score

Codes = NDArray[np.integer[Any]]

CHUNK = 1 << 16  # rows at a time through NumPy, so that the intermediate arrays stay in cache


def encode(rows: Any, variables: Sequence[Variable]) -> Codes:
    """Rows as value indices, one column per variable: from a frame, a list of mappings, or indices already."""
    if isinstance(rows, np.ndarray):
        return checked(rows, variables)
    if isinstance(rows, Mapping):
        rows = [rows]
    if isinstance(rows, Sequence) and not isinstance(rows, str):
        return _from_mappings(rows, variables)
    return _from_frame(rows, variables)


def decide(
    codes: Codes, levels: Levels, root: int, ranks: NDArray[np.intp], labels: int, weights: Score | None
) -> NDArray[np.uint8]:
    """The label of each row: by adding up the weights if there are any, else by walking the diagram.

    ranks[k] is the column of `codes` that level k reads.
    """
    if not levels:
        return np.full(len(codes), root, np.uint8)
    if kernels.AVAILABLE:
        if weights is not None:
            return kernels.add_up(codes, weights, ranks)
        return kernels.walk(codes, levels, ranks)
    chunks = [codes[i : i + CHUNK] for i in range(0, max(len(codes), 1), CHUNK)]
    if weights is not None:
        return np.concatenate([_add_up(chunk, weights, ranks) for chunk in chunks])
    return np.concatenate([_walk(chunk, levels, ranks) for chunk in chunks])


def _add_up(codes: Codes, score: Score, ranks: NDArray[np.intp]) -> NDArray[np.uint8]:
    sums = np.full(len(codes), score.start, np.int64)
    states = np.full(len(codes), score.prior.state, np.uint8)
    for column, terms in zip(ranks, score.terms, strict=True):
        sums += np.array([t.weight for t in terms], np.int64)[codes[:, column]]
        states |= np.array([t.state for t in terms], np.uint8)[codes[:, column]]
    return np.where(states == FINITE, sums >= 0, np.array(score.outcomes, np.int8)[states]).astype(np.uint8)


def _walk(codes: Codes, levels: Levels, ranks: NDArray[np.intp]) -> NDArray[np.uint8]:
    nodes: NDArray[Any] = np.zeros(len(codes), np.intp)
    for level, column in zip(levels, ranks, strict=True):
        nodes = level[nodes, codes[:, column]]
    return nodes.astype(np.uint8)


def checked(codes: NDArray[Any], variables: Sequence[Variable]) -> Codes:
    """An array of value indices, one column per variable, or an error that names what is wrong."""
    if codes.dtype.kind not in "iu":
        raise ModelError(f"an array of rows holds value indices, whole numbers; this one holds {codes.dtype}")
    if codes.ndim != 2 or codes.shape[1] != len(variables):
        raise ModelError(f"expected {len(variables)} columns, one per attribute, found shape {codes.shape}")
    for column, variable in zip(codes.T, variables, strict=True):
        if len(column) and not 0 <= int(column.min()) <= int(column.max()) < len(variable.values):
            wrong = int(np.flatnonzero((column < 0) | (column >= len(variable.values)))[0])
            raise UnknownValue(
                f"row {wrong + 1}: {variable.name} has index {column[wrong]}.  "
                f"It has {len(variable.values)} values, from index 0."
            )
    return codes


def _from_mappings(rows: Sequence[Any], variables: Sequence[Variable]) -> Codes:
    codes = np.empty((len(rows), len(variables)), np.intp)
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ModelError(f"row {i + 1}: expected a mapping from attribute to value, found {row!r}")
        for j, variable in enumerate(variables):
            if variable.name not in row:
                raise UnknownName(f"row {i + 1}: no value for {variable.name}")
            codes[i, j] = _code(row[variable.name], variable, i)
    return codes


def _from_frame(rows: Any, variables: Sequence[Variable]) -> Codes:
    import narwhals as nw

    try:
        frame = nw.from_native(rows, eager_only=True)
        columns = [str(name) for name in frame.columns]
    except nw.exceptions.DuplicateError as error:
        raise ModelError(f"a column stands twice: {error}") from None
    except TypeError:
        raise ModelError(
            f"expected a data frame, a list of mappings or an array of value indices, found {type(rows).__name__}"
        ) from None
    codes = np.empty((len(frame), len(variables)), np.intp, order="F")
    for j, variable in enumerate(variables):
        if variable.name not in frame.columns:
            raise UnknownName.among("column", variable.name, columns)
        column = frame[variable.name]
        mixed = column.dtype == nw.Object or column.null_count() > 0
        codes[:, j] = _one_by_one(column.to_list(), variable) if mixed else _by_distinct(column, variable)
    return codes


def _by_distinct(column: Any, variable: Variable) -> NDArray[np.intp]:
    """The codes of a column of one type: each distinct value is looked up once."""
    distinct = column.unique().to_list()
    try:
        codes = [_code(value, variable, 0) for value in distinct]
    except UnknownValue:
        return _one_by_one(column.to_list(), variable)  # to name the row
    if not distinct:
        return np.empty(0, np.intp)
    found: NDArray[np.intp] = column.replace_strict(distinct, codes).to_numpy()
    return found


def _one_by_one(values: Sequence[object], variable: Variable) -> NDArray[np.intp]:
    table: dict[tuple[type, object], int] = {}  # by type too: True, 1 and 1.0 are equal but print differently
    codes = np.empty(len(values), np.intp)
    for i, value in enumerate(values):
        key = (type(value), value)
        if key not in table:
            table[key] = _code(value, variable, i)
        codes[i] = table[key]
    return codes


def _code(value: object, variable: Variable, row: int) -> int:
    """The index of a value, given as its label or as a number or truth value that prints as its label."""
    label = value if isinstance(value, str) else str(value)
    if label in variable.values:
        return variable.values.index(label)
    if isinstance(value, float | np.floating) and value.is_integer() and str(int(value)) in variable.values:
        return variable.values.index(str(int(value)))  # 1.0, from a column that once had a gap
    if is_missing(value):
        raise UnknownValue(f"row {row + 1}: {variable.name} is missing, and it has no value for that")
    raise UnknownValue.of(variable.name, value, variable.values, f"row {row + 1}")
