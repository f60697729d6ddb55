# SPDX-License-Identifier: Apache-2.0
"""Naive Bayes models from tables of data, by exact relative frequencies.

The paper's conventions: a missing value is skipped in its own attribute only, and only observed values count.
"""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from oddly.errors import FormatError, ModelError, UnknownName, UnknownValue
from oddly.formats.files import read_text
from oddly.model import CPT, Learned, NaiveBayes, Number
from oddly.model.numbers import exact

MISSING = ("", "?")

Table = Mapping[str, Sequence[str | None]]
"""Columns by name; None is a missing value."""


def learn(
    table: Any,
    target: str,
    positive: str | None = None,
    alpha: Number = 0,
    threshold: Number = Fraction(1, 2),
) -> NaiveBayes:
    """A naive Bayes classifier of column `target` from all the others.

    `table` is a CSV file's path, a data frame, a mapping of columns, or a list of mappings. Every probability is a fraction of counts,
    exactly; `alpha` is added to each count (0: relative frequencies, 1: Laplace).

    >>> rows = [{"wind": "weak", "play": "yes"}, {"wind": "strong", "play": "no"}, {"wind": "weak", "play": "no"}]
    >>> learn(rows, target="play", positive="yes").attributes[0].given
    {'no': (Fraction(1, 2), Fraction(1, 2)), 'yes': (Fraction(0, 1), Fraction(1, 1))}
    """
    columns = read_table(table)
    if target not in columns:
        raise UnknownName.among("column", target, columns)
    if (more := exact(alpha, "alpha")) < 0:
        raise ModelError(f"alpha: smoothing is not negative, found {alpha}")
    labels = columns[target]
    classes = _values(columns[target])
    if len(classes) < 2:
        raise ModelError(f"column {target}: a classifier needs two classes, found {', '.join(classes) or 'none'}")
    if positive is not None and positive not in classes:
        raise UnknownValue.of(target, positive, classes, "positive")
    rows_of = Counter(label for label in labels if label is not None)
    attributes = [_cpt(name, column, labels, classes, more) for name, column in columns.items() if name != target]
    total = sum(rows_of.values())
    prior = [Fraction(rows_of[c]) / total for c in classes]
    observed = [_observed(column, labels, classes) for name, column in columns.items() if name != target]
    learned = Learned(more, tuple(rows_of[c] for c in classes), tuple(observed))
    return NaiveBayes(target, classes, prior, attributes, positive, threshold, learned=learned)


def read_table(table: Any) -> Table:
    """Columns of texts from a CSV file, a data frame, a mapping of columns or a list of mappings."""
    if isinstance(table, str | os.PathLike):
        return _read_csv(Path(table))
    if isinstance(table, Mapping):
        columns = {str(name): [_text(v) for v in column] for name, column in table.items()}
        if len({len(column) for column in columns.values()}) > 1:
            raise ModelError("the columns differ in length")
        return columns
    if isinstance(table, Sequence):
        for i, row in enumerate(table):
            if not isinstance(row, Mapping):
                raise ModelError(f"row {i + 1}: expected a mapping from column to value, found {row!r}")
        names = list(dict.fromkeys(name for row in table for name in row))
        return {name: [_text(row.get(name)) for row in table] for name in names}
    import narwhals as nw

    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError:
        raise ModelError(f"expected a path, a data frame or a list of mappings, found {type(table).__name__}") from None
    return {str(name): [_text(v) for v in frame[name].to_list()] for name in frame.columns}


def natural(value: str) -> tuple[Any, ...]:
    """A sorting key that puts 2 before 10, in numbers and in names that contain them."""
    try:
        return (0, float(value), value)
    except ValueError:
        return (1, [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", value)], value)


def _read_csv(path: Path) -> Table:
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    try:
        header = next(rows, [])
        if not header:
            raise FormatError(f"{path}: an empty file; expected a header row and data rows")
        if len(set(header)) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise FormatError(f"{path}:1  the column {twice!r} stands twice")
        columns: list[list[str | None]] = [[] for _ in header]
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise FormatError(f"{path}:{rows.line_num}  {len(header)} columns expected, found {len(row)}")
            for column, cell in zip(columns, row, strict=True):
                column.append(_text(cell))
    except csv.Error as error:
        raise FormatError(f"{path}:{rows.line_num}  {error}") from None
    if not columns[0]:
        raise FormatError(f"{path}: no rows of data below the header")
    return dict(zip(header, columns, strict=True))


def _text(value: object) -> str | None:
    if is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    return None if text in MISSING else text


def is_missing(value: object) -> bool:
    """Whether a cell is empty, in the ways that tables say so: None, NaN, pandas' NA and NaT."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _values(column: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({v for v in column if v is not None}, key=natural))


def _observed(column: Sequence[str | None], labels: Sequence[str | None], classes: Sequence[str]) -> tuple[int, ...]:
    """In how many rows of each class the column is known."""
    known = Counter(c for c, v in zip(labels, column, strict=True) if v is not None)
    return tuple(known[c] for c in classes)


def _cpt(
    name: str,
    column: Sequence[str | None],
    labels: Sequence[str | None],
    classes: Sequence[str],
    alpha: Fraction,
) -> CPT:
    counts = Counter((c, v) for c, v in zip(labels, column, strict=True) if c is not None and v is not None)
    values = _values(v for _, v in counts)
    given = {}
    for c in classes:
        total = sum(counts[c, v] for v in values) + alpha * len(values)
        if total == 0:
            raise ModelError(f"column {name}: no value is known in any row of class {c}; leave the column out")
        given[c] = [(counts[c, v] + alpha) / total for v in values]
    return CPT(name, values, given)
