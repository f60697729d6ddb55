# SPDX-License-Identifier: Apache-2.0
"""Answers that speak: a sentence as `repr`, the verdict as truth value, and JSON for programs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from html import escape
from math import isfinite
from typing import Any

import numpy as np

from oddly.errors import OddlyError
from oddly.model.numbers import written


@dataclass(frozen=True, repr=False)
class Answer(ABC):
    """What a question returns. A subclass says its `sentence`, and its `verdict` where it has one."""

    @abstractmethod
    def sentence(self) -> str:
        """The answer in words: verdict, scope, size, one example, what would change it."""

    def verdict(self) -> bool:
        """Whether what was asked holds; an answer that is no yes or no is always true."""
        return True

    def to_json(self) -> dict[str, Any]:
        """The public fields, as json.dumps takes them; counts are decimal strings."""
        return {f.name: as_json(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def __repr__(self) -> str:
        return self.sentence()

    def __bool__(self) -> bool:
        return self.verdict()

    def _repr_html_(self) -> str:
        """The sentence, and a table of what fits into one, for a notebook."""
        try:
            told = self.to_json()
        except OddlyError:  # a part of it that is too large, say
            told = {}
        return as_html(self.sentence(), told)


def as_json(value: Any) -> Any:
    """A value as JSON: exact fractions as text, infinities as null, whole numbers beyond 2^53 as text."""
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, Fraction):
        return written(value)
    if isinstance(value, int | np.integer):
        return int(value) if abs(int(value)) < 1 << 53 else str(int(value))
    if isinstance(value, float | np.floating):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return [as_json(v) for v in value.tolist()]
    if isinstance(value, Sequence):
        return [as_json(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    raise TypeError(f"no JSON for {type(value).__name__}")


def of_instances(count: int, total: int) -> str:
    """A count in its scope, as a person would say it.

    >>> of_instances(0, 8), of_instances(8, 8), of_instances(5, 8)
    ('none of 8 instances', 'all 8 instances', '5 of 8 instances')
    """
    if total == 1:
        return "the only instance" if count else "no instance"
    if count == 0:
        return f"none of {total:,} instances"
    return f"all {total:,} instances" if count == total else f"{count:,} of {total:,} instances"


def as_features(instance: Mapping[str, Any]) -> str:
    """An instance in the user's own words.

    >>> as_features({"U": "+ve", "B": "-ve"})
    'U=+ve, B=-ve'
    """
    return ", ".join(f"{name}={value}" for name, value in instance.items())


# ---- for notebooks ----

MOST_ROWS = 20  # of a table beside a sentence
LONGEST = 200  # letters of a text in a cell


def as_html(sentence: str, told: Mapping[str, Any]) -> str:
    """A sentence and beside it the plain values of its JSON, and the first list of records, as tables.

    >>> as_html("2 < 3.", {"holds": True, "deep": {"a": {"b": 1}}})
    '<div class="oddly-answer"><p style="white-space:pre-wrap">2 &lt; 3.</p><table><tr><th scope="row">holds</th><td>yes</td></tr></table></div>'
    """
    plain = [(name.replace("_", " "), _cell(v)) for name, v in told.items() if _is_plain(v) and name != "sentence"]
    rows = [f'<tr><th scope="row">{escape(name)}</th><td>{cell}</td></tr>' for name, cell in plain[:MOST_ROWS]]
    tables = [f"<table>{''.join(rows)}</table>"] if rows else []
    records = next((value for value in told.values() if _are_records(value)), None)
    if records is not None:
        tables.append(_records(records))
    return f'<div class="oddly-answer"><p style="white-space:pre-wrap">{escape(sentence)}</p>{"".join(tables)}</div>'


def _records(records: Sequence[Mapping[str, Any]]) -> str:
    names = [name for name in records[0] if all(_is_plain(r.get(name), True) for r in records)]
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in names)
    rows = ["".join(f"<td>{_cell(r.get(name))}</td>" for name in names) for r in records[:MOST_ROWS]]
    if len(records) > MOST_ROWS:
        rows.append(f'<td colspan="{len(names)}">… {len(records) - MOST_ROWS:,} more</td>')
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _is_plain(value: Any, none: bool = False) -> bool:
    """Whether a value fits into a cell; a mapping of values such as an instance does."""
    if isinstance(value, Mapping) and value:
        return all(isinstance(v, str | int | float) for v in value.values()) and len(as_features(value)) <= LONGEST
    if value is None or value == "":
        return none
    return isinstance(value, str | int | float) and len(str(value)) <= LONGEST


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) and v for v in value)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return escape(as_features({name: _text(v) for name, v in value.items()}))
    return escape(_text(value))


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
