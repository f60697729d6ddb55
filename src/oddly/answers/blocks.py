# SPDX-License-Identifier: Apache-2.0
"""What an answer is laid out in: a few kinds of blocks, which a terminal, a page, Markdown and a notebook all render.

An answer says once what stands where (`Answer.blocks`); how that looks is the renderers' affair (`html`, `markdown`,
`terminal`). Cells are texts: numbers are put into words by the answer, never by a renderer.
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from oddly.answers.json import UNTOLD

MOST_ROWS = 300  # of a table, where nobody says how many
MOST_CASES = 5  # that are shown of many, where nobody says how many


@dataclass(frozen=True)
class Paragraph:
    """Sentences; lines stay lines."""

    kind: ClassVar[Literal["paragraph"]] = "paragraph"
    text: str


@dataclass(frozen=True)
class Bar:
    """A number in its range, drawn to the scale of its table where there is room for pictures."""

    low: float
    high: float
    now: float


@dataclass(frozen=True)
class Table:
    """Rows under a head; `numeric` columns are aligned to the right."""

    kind: ClassVar[Literal["table"]] = "table"
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    bars: Annotated[tuple[Bar | None, ...], UNTOLD] = ()
    """One a row, or none at all."""
    left_out: int = 0
    """How many more rows there are."""

    def cut(self, most: int | None = None) -> "Table":
        """The first rows, and how many are left out."""
        most = MOST_ROWS if most is None else most
        left_out = self.left_out + max(len(self.rows) - most, 0)
        return replace(self, rows=self.rows[:most], bars=self.bars[:most], left_out=left_out)


@dataclass(frozen=True)
class Facts:
    """Names and what they are."""

    kind: ClassVar[Literal["facts"]] = "facts"
    caption: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Picture:
    """A drawing; `text` stands in for it where there are no pictures."""

    kind: ClassVar[Literal["picture"]] = "picture"
    caption: str
    svg: str
    text: str | None = None


@dataclass(frozen=True)
class Command:
    """What to type."""

    kind: ClassVar[Literal["command"]] = "command"
    text: str


Block = Paragraph | Table | Facts | Picture | Command
