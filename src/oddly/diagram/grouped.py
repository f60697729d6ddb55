# SPDX-License-Identifier: Apache-2.0
"""The rows of a table that stays where it is, by the values of attributes: each combination once, and how often it occurs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.rows import Codes, places, unknown
from oddly.errors import UnknownName
from oddly.learning.cells import Column
from oddly.learning.counted import key_of
from oddly.learning.engines import Engine, Key, Recode
from oddly.learning.source import Counts
from oddly.model import Variable


def grouped(engine: Engine, variables: Sequence[Variable]) -> tuple[Codes, Counts]:
    """Value indices, a column per variable, and how many rows have each; a cell that is no value is an error.

    Two passes: one for the distinct cells of every column, and one for the combinations of values.
    """
    for v in variables:
        if v.name not in engine.columns:
            raise UnknownName.among("column", v.name, engine.columns)
    if not variables:
        raise UnknownName("a classifier without attributes says nothing about rows")
    cells = engine.counted([[v.name] for v in variables])
    keys = [_key(groups.columns[v.name], v) for groups, v in zip(cells, variables, strict=True)]
    found = engine.counted([keys])[0]
    codes = np.empty((len(found.times), len(variables)), np.intp, order="F")
    for j, (key, v) in enumerate(zip(keys, variables, strict=True)):
        column = found.columns[v.name]
        codes[:, j] = (column.distinct if isinstance(key, Recode) else _places(column, v))[column.codes]
    return codes, found.times


def _places(column: Column, variable: Variable) -> NDArray[Any]:
    """The value of each distinct cell, and at the end that of a missing one."""
    return np.append(places(column.distinct, variable), places([None], variable))


def _key(column: Column, variable: Variable) -> Key:
    found = _places(column, variable)
    codes = found[column.codes]
    if (codes < 0).any():
        at = column.codes[int(np.argmax(codes < 0))]
        raise unknown(None if at < 0 else column.distinct[at], variable, "some row")
    return key_of(variable.name, column, found[:-1].astype(np.int32), int(found[-1]), len(variable.values))
