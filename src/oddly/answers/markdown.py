# SPDX-License-Identifier: Apache-2.0
"""Blocks as Markdown, with tables as GitHub reads them; whatever a name holds is only a name."""

import re
from collections.abc import Iterable, Iterator

from oddly.answers.blocks import Block, Command, Facts, Paragraph, Picture, Table
from oddly.answers.lettering import clean, visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_STARTS = re.compile(r"^(\s*)([-+=:]|\d+[.)](?=\s|$))", re.MULTILINE)


def blocks_markdown(blocks: Iterable[Block]) -> str:
    """Blocks one after the other, with a line between."""
    return "\n".join(line for block in blocks for line in (*block_markdown(block), ""))


def block_markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield "  \n".join(text_markdown(line.strip()) for line in block.text.split("\n"))
    elif isinstance(block, Command):
        yield from _fenced(block.text)
    elif isinstance(block, Picture):
        yield f"*{line_markdown(block.caption)}*" + ("" if block.text else " (in the page, not here)")
        if block.text:
            yield ""
            yield from _fenced(block.text)
    elif isinstance(block, Facts):
        yield from rows_markdown((block.caption, ""), block.rows, ())
    else:
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"*{line_markdown(table.caption)}*"
        yield ""
    yield from rows_markdown(table.head, table.rows, table.numeric)
    if table.left_out:
        yield ""
        yield f"… and {table.left_out:,} more; the JSON has all of them."


def rows_markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], numeric: tuple[int, ...]) -> Iterator[str]:
    yield _row(head)
    yield "| " + " | ".join("---:" if i in numeric else "---" for i in range(len(head))) + " |"
    for row in rows:
        yield _row(row)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_plain(cell.replace("\n", " ")) for cell in cells) + " |"


def _fenced(text: str) -> list[str]:
    """A block of code whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, clean(text), fence]


def line_markdown(text: str) -> str:
    """The same where one line must stay one: a title, a caption."""
    return text_markdown(visible(text)) if text else ""


def text_markdown(text: str) -> str:
    r"""A text in which nothing is markup.

    >>> print(text_markdown("a*b* <i> & 1. 2"), text_markdown("- a"), text_markdown("1. b"))
    a\*b\* \<i\> &amp; 1. 2 \- a 1\. b
    """
    return _STARTS.sub(lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", _plain(text))


def _plain(text: str) -> str:
    """The same where no line begins."""
    return _SPECIAL.sub(r"\\\1", clean(text).replace("&", "&amp;"))
