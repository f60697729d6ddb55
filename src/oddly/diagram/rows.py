# SPDX-License-Identifier: Apache-2.0
"""Rows of data: into value indices, and through a diagram."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.diagram.passes.semirings import Levels
from oddly.errors import ModelError, UnknownName, UnknownValue, listed
from oddly.learning.cells import Column, is_missing, is_number, of_cells, of_series, text_of
from oddly.learning.cutting import Numbers, is_finite
from oddly.learning.files import factors
from oddly.learning.gaps import Gaps, gaps_of
from oddly.lowering.score import FINITE, Score
from oddly.model import MISSING_VALUE, Bins, Variable

if TYPE_CHECKING:
    from oddly.diagram.odd import ODD

Codes = NDArray[np.integer[Any]]

KNOWN = (np.uint8, np.int8, np.int32, np.int64)  # types of codes that the kernels take
CHUNK = 1 << 16  # rows at a time through NumPy, so that the intermediate arrays stay in cache


def encode(rows: Any, variables: Sequence[Variable]) -> Codes:
    """Rows as value indices, one column per variable: from a frame, mappings, columns, or indices already.

    A cell is a value's label, a number or truth value that prints as one, or, where the values are intervals, a number.
    """
    if isinstance(rows, np.ndarray) and rows.dtype.names is None:
        return checked(rows, variables)
    if isinstance(rows, Mapping) and not _is_columns(rows):
        rows = [rows]
    elif isinstance(rows, tuple | np.void) or _is_series(rows):
        rows = [one_row(rows, [v.name for v in variables])]
    columns = _columns(rows, variables)
    length = max((len(column.codes) for column in columns), default=len(rows))
    codes = np.empty((length, len(variables)), np.intp, order="F")
    for j, (column, variable) in enumerate(zip(columns, variables, strict=True)):
        if len(column.codes) != length:
            raise ModelError("the columns differ in length")
        codes[:, j] = _coded(column, variable)
    return codes


def label_of(value: object, variable: Variable) -> str:
    """The value of a variable that a cell means, or an error that says which there are.

    >>> from oddly.model import Bins
    >>> label_of("34.5", Variable("age", ("<30", ">=30"), Bins([30])))
    '>=30'
    """
    place = int(places([value], variable)[0])
    if place < 0:
        raise unknown(value, variable, "")
    return variable.values[place]


def places(cells: Iterable[object], variable: Variable) -> NDArray[np.intp]:
    """Where each cell stands among the variable's values; -1 if nowhere."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf" and variable.bins is not None:
        found = np.full(len(cells), -1, np.intp)
        finite = np.isfinite(cells)
        found[finite] = Numbers(cells[finite]).places(variable.bins)
        if variable.bins.missing and any(map(is_number, variable.bins.missing)):
            gaps = gaps_of(variable)
            gone = np.array([str(text_of(cell)) in gaps for cell in cells], bool)
            found[gone] = variable.values.index(MISSING_VALUE) if MISSING_VALUE in variable.values else UNKNOWN
        return found
    by_label, gaps = {label: i for i, label in enumerate(variable.values)}, gaps_of(variable)
    found = np.array([_place(cell, by_label, gaps) for cell in cells], np.intp)
    if variable.bins is not None and (found == NUMBER).any():
        _cut(list(cells), found, variable.bins)
    return np.maximum(found, -1)


def decide(
    codes: Codes, levels: Levels, root: int, ranks: NDArray[np.intp], labels: int, weights: Score | None
) -> NDArray[np.uint8]:
    """The label of each row: by adding up the weights if there are any, else by walking the diagram.

    ranks[k] is the column of `codes` that level k reads.
    """
    kind: Any = np.uint8 if labels <= 256 else np.uint16
    if not levels:
        return np.full(len(codes), root, kind)
    if native.AVAILABLE and labels <= 256:
        known = np.require(codes if codes.dtype in KNOWN else codes.astype(np.int64), requirements="A")
        if weights is None:
            return native.kernels.walk(known, ranks.tolist(), list(levels))
        numbers, states = ([[getattr(t, what) for t in ts] for ts in weights.terms] for what in ("weight", "state"))
        outcomes = [max(outcome, 0) for outcome in weights.outcomes]
        start = weights.start, weights.prior.state
        return native.kernels.add_up(known, ranks.tolist(), *start, numbers, states, outcomes)
    chunks = [codes[i : i + CHUNK] for i in range(0, max(len(codes), 1), CHUNK)]
    if weights is not None:
        return np.concatenate([_add_up(chunk, weights, ranks) for chunk in chunks])
    return np.concatenate([_walk(chunk, levels, ranks).astype(kind) for chunk in chunks])


def _add_up(codes: Codes, score: Score, ranks: NDArray[np.intp]) -> NDArray[np.uint8]:
    sums = np.full(len(codes), score.start, np.int64)
    states = np.full(len(codes), score.prior.state, np.uint8)
    for column, terms in zip(ranks, score.terms, strict=True):
        sums += np.array([t.weight for t in terms], np.int64)[codes[:, column]]
        states |= np.array([t.state for t in terms], np.uint8)[codes[:, column]]
    return np.where(states == FINITE, sums >= 0, np.array(score.outcomes, np.int8)[states]).astype(np.uint8)


def _walk(codes: Codes, levels: Levels, ranks: NDArray[np.intp]) -> NDArray[Any]:
    nodes: NDArray[Any] = np.zeros(len(codes), np.intp)
    for level, column in zip(levels, ranks, strict=True):
        nodes = level[nodes, codes[:, column]]
    return nodes


def checked(codes: NDArray[Any], variables: Sequence[Variable]) -> Codes:
    """An array of value indices, one column per variable, or an error that names what is wrong."""
    if codes.dtype.kind not in "iu":
        raise ModelError(f"an array of rows holds value indices, whole numbers; this one holds {codes.dtype}")
    if codes.ndim != 2 or codes.shape[1] != len(variables):
        raise ModelError(f"expected {len(variables)} columns, one per attribute, found shape {codes.shape}")
    for column, variable in zip(codes.T, variables, strict=True):
        if len(column) and not 0 <= int(column.min()) <= int(column.max()) < len(variable.values):
            wrong = int(np.flatnonzero((column < 0) | (column >= len(variable.values)))[0])
            where = f"row {wrong + 1}: {variable.name} has index {column[wrong]}."
            raise UnknownValue(f"{where}  It has {len(variable.values)} values, from index 0.")
    return codes


def _is_columns(rows: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns; otherwise it is one row, and no cell of a row is a list."""
    return bool(rows) and all(isinstance(v, list | tuple | np.ndarray) for v in rows.values())


def _columns(rows: Any, variables: Sequence[Variable]) -> list[Column]:
    """The column of each variable."""
    names = [v.name for v in variables]
    if isinstance(rows, Mapping | np.ndarray):
        held = rows if isinstance(rows, Mapping) else {name: rows[name] for name in rows.dtype.names or ()}
        for name in names:
            if name not in held:
                raise UnknownName.among("column", name, map(str, held))
        return list(factors({name: held[name] for name in names}).values())
    if isinstance(rows, Sequence) and not isinstance(rows, str):
        return [of_cells(cells) for cells in _transposed(rows, names)]
    return _of_frame(rows, names)


def _transposed(rows: Sequence[Any], names: Sequence[str]) -> list[list[object]]:
    for i, row in enumerate(rows := [one_row(row, names, f"row {i}: ") for i, row in enumerate(rows, start=1)]):
        for name in names:
            if name not in row:
                raise UnknownName(f"row {i + 1}: no value for {name}")
    return [[row[name] for row in rows] for name in names]


def _of_frame(rows: Any, names: Sequence[str]) -> list[Column]:
    import narwhals as nw

    try:
        frame = nw.from_native(rows, eager_only=True)
        columns = {str(name): name for name in frame.columns}
    except nw.exceptions.DuplicateError as error:
        raise ModelError(f"a column stands twice: {error}") from None
    except TypeError:
        wanted = "a data frame, a list of mappings or an array of value indices"
        raise ModelError(f"expected {wanted}, found {type(rows).__name__}") from None
    for name in names:
        if name not in columns:
            raise UnknownName.among("column", name, columns)
    return [of_series(frame[columns[name]]) for name in names]


def _coded(column: Column, variable: Variable) -> NDArray[np.intp]:
    """A column's codes; each distinct cell is looked up once."""
    gap = places([None], variable)
    codes: NDArray[np.intp] = np.append(places(column.distinct, variable), gap)[column.codes]
    if codes.min(initial=0) < 0:
        row = int(np.argmax(codes < 0))
        place = column.codes[row]
        raise unknown(None if place < 0 else column.distinct[place], variable, f"row {row + 1}")
    return codes


UNKNOWN, NUMBER = -1, -2


def _place(cell: object, by_label: Mapping[str, int], gaps: Gaps) -> int:
    """The place of a label, or of what a missing cell has; NUMBER for what may be one."""
    if is_missing(cell):
        return by_label.get(MISSING_VALUE, UNKNOWN)
    if str(cell) in by_label:
        return by_label[str(cell)]
    label = text_of(cell)  # as learning reads it: 1.0 is "1", spaces around do not count
    if label is not None and label in by_label:
        return by_label[label]
    if label is None or label in gaps:
        return by_label.get(MISSING_VALUE, UNKNOWN)
    return UNKNOWN if isinstance(cell, bool | np.bool_) else NUMBER


def _cut(cells: Sequence[object], found: NDArray[np.intp], bins: Bins) -> None:
    """Put the numbers among the cells into their intervals."""
    texts = {i: text_of(cells[i]) or "" for i in np.flatnonzero(found == NUMBER).tolist()}
    numbers = [i for i, text in texts.items() if is_finite(text)]
    if numbers:
        found[numbers] = Numbers(np.array([texts[i] for i in numbers], object)).places(bins)


def unknown(cell: object, variable: Variable, where: str) -> UnknownValue:
    """The error that says what a cell is not."""
    place = f"{where}: " if where else ""
    if (text := text_of(cell)) is None or text in gaps_of(variable):
        return UnknownValue(f"{place}{variable.name} is missing, and it has no value for that")
    if variable.bins is None:
        return UnknownValue.of(variable.name, cell, variable.values, where)
    shown = cell if isinstance(cell, str) else repr(cell)
    values = listed(variable.values)
    kind = "whole number" if variable.bins.whole else "number"
    return UnknownValue(f"{place}{variable.name}={shown}.  {variable.name} is a {kind}, or one of {values}.")


def known_values(odd: "ODD", instance: Any) -> dict[str, int]:
    """An instance, complete or not, by the places of its values; the class itself may stand beside it."""
    row = one_row(instance, odd.order)
    target = getattr(getattr(odd.source, "model", None), "class_name", None)
    names = [name for name in row if name != target or name in odd.order]
    for name in names:
        if name not in odd.order:
            raise UnknownName.among("attribute", name, odd.columns)
    variables = {name: odd.attribute(name) for name in names}
    return {name: v.index(label_of(row[name], v)) for name, v in variables.items()}


def one_row(row: Any, names: Sequence[str], where: str = "") -> Mapping[str, object]:
    """One row by the names of its columns, whatever it comes as.

    A mapping is taken as it is. A Series, a frame of one row, a record or a named tuple comes out of a table that may hold more
    than is asked about: only these names are taken.
    """
    if isinstance(row, Mapping):
        return row
    if isinstance(row, tuple) and hasattr(row, "_asdict"):
        found = row._asdict()
    elif isinstance(row, np.ndarray | np.void) and row.dtype.names and row.size == 1:
        found = dict(zip(row.dtype.names, row.item(), strict=True))
    elif _is_series(row):
        found = dict(row.items())
    else:
        found = _of_one_row_frame(row, where)
    return {str(name): value for name, value in found.items() if str(name) in names}


def _is_series(row: object) -> bool:
    """Whether it is a Series with names beside its values, as pandas has it."""
    return hasattr(row, "items") and hasattr(row, "index") and not hasattr(row, "columns")


def _of_one_row_frame(row: Any, where: str) -> dict[str, object]:
    import narwhals as nw

    frame = nw.from_native(row, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        kinds = "a mapping from attribute to value, a Series, a named tuple or a frame of one row"
        raise ModelError(f"{where}expected {kinds}, found {row!r}")
    if len(frame) != 1:
        raise ModelError(
            f"{where}expected one row, found a frame of {len(frame):,}.  Ask about one of them: frame.iloc[[0]]."
        )
    return dict(zip(frame.columns, frame.row(0), strict=True))
