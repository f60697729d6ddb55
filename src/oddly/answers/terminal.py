# SPDX-License-Identifier: Apache-2.0
"""Blocks as lines of text, for a terminal or a pipe."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from oddly.answers.blocks import Block, Command, Facts, Paragraph, Picture, Table
from oddly.answers.lettering import clean, columns, visible

Line = tuple[str, str]
"""What stands out where lines can be styled, and the rest."""


def lines(blocks: Iterable[Block]) -> Iterator[Line]:
    """Blocks as lines, an empty one between two blocks."""
    for place, block in enumerate(blocks):
        if place:
            yield "", ""
        yield from _block(block)


def _block(block: Block) -> Iterator[Line]:
    if isinstance(block, Paragraph):
        yield from (("", line) for line in clean(block.text).split("\n"))
    elif isinstance(block, Command):
        yield "", f"  {block.text}"
    elif isinstance(block, Picture):
        yield from (("", line) for line in (block.text or block.caption).split("\n"))
    elif isinstance(block, Facts):
        yield from facts(block.rows)
    else:
        if block.caption:
            yield block.caption, ""
        yield from _table(block)


def facts(rows: Iterable[tuple[str, str]]) -> Iterator[Line]:
    """One fact a line, its name in the first column."""
    rows = [(visible(name) if name else "", fact) for name, fact in rows]
    width = max((columns(name) for name, _ in rows), default=0) + 2
    yield from ((_padded(name, width), fact) for name, fact in rows)


def _table(table: Table) -> Iterator[Line]:
    rows = [
        [clean(cell.replace("\n", " ").replace("\u00a0", " ")) for cell in row] for row in (table.head, *table.rows)
    ]
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    for place, row in enumerate(rows):
        cells = [_padded(cell, w, i in table.numeric) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        first, rest = f"  {cells[0]}  ", "  ".join(cells[1:]).rstrip()
        yield (first + rest, "") if place == 0 else (first, rest)
    if table.left_out:
        yield "", f"  … and {table.left_out:,} more; --json has all of them"


def plain(table: Table) -> list[str]:
    """The rows as text, without a head."""
    bare = replace(table, head=("",) * len(table.head))
    return ["".join(line).rstrip() for line in list(_table(bare))[1:]]


def _padded(text: str, width: int, right: bool = False) -> str:
    room = " " * (width - columns(text))
    return room + text if right else text + room
