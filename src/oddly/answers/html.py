# SPDX-License-Identifier: Apache-2.0
"""Blocks as HTML that fetches nothing and runs nothing: the parts of a report's page, and what a notebook shows."""

from collections.abc import Iterable, Iterator
from html import escape
from math import isfinite

from oddly.answers.blocks import Bar, Block, Command, Facts, Paragraph, Picture, Table
from oddly.answers.lettering import clean

_WIDE, _HIGH = 150.0, 14.0  # of a bar beside a number


def fragment(blocks: Iterable[Block]) -> str:
    """Blocks as one element, for a notebook."""
    lines = (line for block in blocks for line in block_html(block))
    return f'<div class="oddly-answer">{"".join(lines)}</div>'


def block_html(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f'<p class="told" style="white-space:pre-wrap">{text_html(block.text)}</p>'
    elif isinstance(block, Command):
        yield f"<pre><code>{text_html(block.text)}</code></pre>"
    elif isinstance(block, Picture):
        yield f"<figure>{block.svg.strip()}<figcaption>{text_html(block.caption)}</figcaption></figure>"
    elif isinstance(block, Facts):
        rows = "".join(f'<tr><th scope="row">{text_html(n)}</th><td>{text_html(v)}</td></tr>' for n, v in block.rows)
        caption = f'<caption class="quiet">{text_html(block.caption)}</caption>' if block.caption else ""
        yield f'<div class="wide"><table class="facts">{caption}<tbody>{rows}</tbody></table></div>'
    else:
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    bars = bool(table.bars)
    head = "".join(f'<th scope="col"{_align(i, table)}>{text_html(name)}</th>' for i, name in enumerate(table.head))
    head += '<th scope="col">the range, and now</th>' if bars else ""
    caption = f"<caption>{text_html(table.caption)}</caption>" if table.caption else ""
    yield f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>'
    scale = _scale([bar for bar in table.bars if bar is not None])
    for place, row in enumerate(table.rows):
        cells = "".join(_cell(i, cell, table) for i, cell in enumerate(row))
        if bars:
            bar = table.bars[place]
            cells += f"<td>{_bar(bar, *scale) if bar else ''}</td>"
        yield f"<tr>{cells}</tr>"
    if table.left_out:
        wide = len(table.head) + bars
        yield f'<tr><td colspan="{wide}">… and {table.left_out:,} more; the JSON has all of them.</td></tr>'
    yield "</tbody></table></div>"


def _cell(i: int, cell: str, table: Table) -> str:
    tag, scope = ("th", ' scope="row"') if i == 0 and len(table.head) > 1 else ("td", "")
    return f"<{tag}{scope}{_align(i, table)}>{text_html(cell)}</{tag}>"


def _align(i: int, table: Table) -> str:
    return ' class="number"' if i in table.numeric else ""


# ---- bars ----


def _scale(bars: list[Bar]) -> tuple[float, float]:
    """From where to where the bars of a table run; what is infinite runs off."""
    ends = [x for bar in bars for x in (bar.low, bar.high, bar.now) if isfinite(x)]
    if not ends or min(ends) == max(ends):
        middle = ends[0] if ends else 0.0
        return middle - 1, middle + 1
    margin = 0.06 * (max(ends) - min(ends))
    return min(ends) - margin, max(ends) + margin


def _bar(bar: Bar, left: float, right: float) -> str:
    """A range on a line, with a dot for now; told in words in the columns beside it."""

    def x(value: float) -> float:
        return (min(max(value, left), right) - left) / (right - left) * _WIDE

    low, high, now = x(bar.low), x(bar.high), x(bar.now)
    return (
        f'<svg class="bar" aria-hidden="true" width="{_WIDE:g}" height="{_HIGH:g}" viewBox="0 0 {_WIDE:g} {_HIGH:g}">'
        f'<line x1="0" x2="{_WIDE:g}" y1="7" y2="7"/>'
        f'<rect x="{low:.1f}" y="3" width="{max(high - low, 1):.1f}" height="8" rx="2"/>'
        f'<circle cx="{now:.1f}" cy="7" r="3"/></svg>'
    )


def text_html(text: str) -> str:
    """A text in which nothing is markup."""
    return escape(clean(text))
