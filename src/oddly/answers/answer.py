# SPDX-License-Identifier: Apache-2.0
"""Answers that speak: a sentence as `repr`, the verdict as truth value, and JSON for programs."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oddly.answers.blocks import Block, Facts, Paragraph, Table
from oddly.answers.html import fragment
from oddly.answers.json import TypedJson
from oddly.answers.words import as_features
from oddly.errors import OddlyError


@dataclass(frozen=True, repr=False)
class Answer(TypedJson, ABC):
    """What a question returns. A subclass says its `sentence`, and its `verdict` where it has one."""

    @abstractmethod
    def sentence(self) -> str:
        """The answer in words: verdict, scope, size, one example, what would change it."""

    def verdict(self) -> bool:
        """Whether what was asked holds; an answer that is no yes or no is always true."""
        return True

    def __repr__(self) -> str:
        return self.sentence()

    def __bool__(self) -> bool:
        return self.verdict()

    def summary(self) -> str:
        """The answer in a line, for a list of many answers."""
        return self.sentence()

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        """The answer laid out, once for every medium: by default its sentence and what is plain of its JSON.

        `most` is how many rows or cases a list shows; None: as many as fit.
        """
        return (Paragraph(self.sentence()), *_plain_blocks(self.to_json(), MOST_ROWS if most is None else most))

    def _repr_html_(self) -> str:
        """What `repr` says, and the blocks, for a notebook."""
        said = Paragraph(self.sentence())
        try:
            blocks = self.blocks()
        except OddlyError:  # a part of it that is too large, say
            blocks = ()
        blocks = blocks if said in blocks else (said, *blocks)
        return fragment(blocks)


MOST_ROWS = 20  # of a table beside a sentence
LONGEST = 200  # letters of a text in a cell


def _plain_blocks(told: Mapping[str, Any], most: int) -> Iterator[Block]:
    """The plain values of an answer's JSON as facts, and the first list of records as a table."""
    plain = [(n.replace("_", " "), _cell(v)) for n, v in told.items() if _is_plain(v) and n != "sentence"]
    if plain:
        yield Facts("", tuple(plain[:MOST_ROWS]))
    records = next((value for value in told.values() if _are_records(value)), None)
    if records is not None:
        names = [name for name in records[0] if all(_is_plain(r.get(name), True) for r in records)]
        rows = tuple(tuple(_cell(r.get(name)) for name in names) for r in records[:most])
        yield Table("", tuple(names), rows, left_out=max(len(records) - most, 0))


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
        return as_features({name: _cell(v) for name, v in value.items()})
    return f"{value:.6g}" if isinstance(value, float) else str(value)
