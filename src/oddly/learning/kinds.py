# SPDX-License-Identifier: Apache-2.0
"""What does a column hold that nobody said anything about?  Labels, measurements, dates, a key, or numbers with a slip."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import listed
from oddly.learning.cells import is_number
from oddly.learning.cutting import FEW, looks_measured

KEY_SHARE = 10
"""A column of labels is nearly a key if fewer than one in so many of its cells repeats another."""

SLIPS = 10
"""Of a column of numbers, at most one in so many distinct texts may be none for those to look like slips."""

_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?"  # 2024-03-01 12:30
    r"|\d{1,2}([-/.])\d{1,2}\6\d{2,4}([T ]\d{1,2}:\d{2}(:\d{2})?)?"  # 1.3.2024, 03/01/24
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}|[A-Za-z]{3,9} \d{1,2}, ?\d{4}",  # 1 March 2024, March 1, 2024
    re.ASCII,
)


def is_key(distinct: int, cells: int) -> bool:
    """Whether labels nearly tell every row from every other, as names and numbers of customers do.

    >>> is_key(200, 210), is_key(200, 1000), is_key(20, 20)
    (True, False, False)
    """
    return distinct > FEW and (cells - distinct) * KEY_SHARE < cells


def looks_dated(distinct: NDArray[Any]) -> bool:
    """Whether a column's distinct values are dates, or points in time, and more than labels would be.

    >>> looks_dated(np.array([f"2024-03-{day:02}" for day in range(1, 29)], object))
    True
    """
    if distinct.dtype.kind in "iuf" or len(distinct) <= FEW:
        return False
    return all(isinstance(cell, date | datetime) or _DATE.fullmatch(str(cell)) is not None for cell in distinct)


def slips(distinct: NDArray[Any]) -> list[str]:
    """The texts that are no numbers in a column that otherwise looks like measurements; none if it does not."""
    if distinct.dtype.kind in "iuf":
        return []
    texts = [str(text) for text in distinct]
    wrong = [text for text in texts if not is_number(text)]
    if not wrong or len(wrong) * SLIPS > len(texts):
        return []
    return wrong if looks_measured(np.array([t for t in texts if is_number(t)], object)) else []


@dataclass(frozen=True)
class Unsettled:
    """Columns that cannot be learned from until someone says what they are."""

    measured: dict[str, int]
    """How many different numbers."""
    dated: dict[str, str]
    """One of the dates."""
    slipped: dict[str, Sequence[str]]
    """What stands among the numbers."""

    def sentences(self) -> list[str]:
        """What is wrong, and what would be right."""
        slipped = [_slipped(name, texts) for name, texts in self.slipped.items()]
        dated = [_dated(self.dated)] if self.dated else []
        return [*([_measured(self.measured)] if self.measured else []), *slipped, *dated]


def _measured(columns: Mapping[str, int]) -> str:
    what = ", ".join(f"{name} ({n:,} different numbers)" for name, n in list(columns.items())[:6])
    more, first = f" and {len(columns) - 6} more" if len(columns) > 6 else "", next(iter(columns))
    them = f"{'column' if len(columns) == 1 else 'columns'} {what}{more}: measurements, it seems, not labels."
    cut = f'bins="mdl", or bins={{"{first}": [10, 20]}}'
    return f'{them}  Cut them: {cut}; or keep them as labels: bins={{"{first}": "labels"}}.'


def _slipped(name: str, texts: Sequence[str]) -> str:
    found = f"column {name}: numbers, but for {listed([repr(text) for text in texts])}."
    say = "[" + ", ".join(f'"{text}"' for text in texts[:6]) + "]"
    return f'{found}  If that means missing: missing_text={say}; if all are labels: bins={{"{name}": "labels"}}.'


def _dated(columns: Mapping[str, str]) -> str:
    name, example = next(iter(columns.items()))
    them = f"{'column' if len(columns) == 1 else 'columns'} {', '.join(columns)}: dates, such as {example}."
    make = "Make a column of what may matter in them, such as the year, the month or the days between two dates"
    leave = f'leave_out=["{name}"], or keep them as labels: bins={{"{name}": "labels"}}'
    return f"{them}  {make}; or leave them out: {leave}."
