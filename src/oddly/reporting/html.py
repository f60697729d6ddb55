# SPDX-License-Identifier: Apache-2.0
"""A report as one page of HTML: it prints, reads on light and dark screens and aloud, fetches nothing and runs nothing."""

from collections.abc import Iterator
from html import escape
from math import isfinite

from oddly.reporting.content import (
    MARKS,
    WORDS,
    Bar,
    Block,
    Command,
    Facts,
    Finding,
    Paragraph,
    Picture,
    Report,
    Section,
    Table,
    clean,
)
from oddly.reporting.page_style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_WIDE, _HIGH = 150.0, 14.0  # of a bar beside a number


def page(report: Report) -> str:
    """The whole page."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="generator" content="Oddly">',
        f"<title>{_text(report.title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        *_header(report),
        *(line for section in report.sections for line in _section(section)),
        *_footer(report),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _header(report: Report) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>{_text(report.title)}</h1>"
    yield f'<p class="lead">{_text(report.subtitle)}</p>'
    yield f'<p class="lead">{report.scope}</p>'
    yield "</header>"
    rows = [(section, finding) for section in report.sections for finding in section.findings]
    yield '<section id="summary" aria-labelledby="summary-title">'
    yield '<h2 id="summary-title">Summary</h2>'
    yield '<div class="wide"><table class="summary"><caption>What was asked, and what came out</caption>'
    yield '<thead><tr><th scope="col">question</th><th scope="col">verdict</th><th scope="col">in words</th></tr></thead><tbody>'
    for section, finding in rows:
        link = f'<a href="#{escape(section.id)}">{_text(_short(finding.question))}</a>'
        yield f'<tr><th scope="row">{link}</th><td>{_badge(finding)}</td><td>{_text(_short(finding.words))}</td></tr>'
    yield "</tbody></table></div>"
    yield "</section>"
    yield '<nav aria-label="Contents"><ol>'
    for section in report.sections:
        yield f'<li><a href="#{escape(section.id)}">{_text(_short(section.title))}</a></li>'
    yield "</ol></nav>"


def _section(section: Section) -> Iterator[str]:
    id = escape(section.id)
    yield f'<section id="{id}" aria-labelledby="{id}-title">'
    yield f'<h2 id="{id}-title">{_text(section.title)}</h2>'
    judged = [f for f in section.findings if f.status != "told"]
    if len(judged) == 1:
        yield f"<p>{_badge(judged[0])} {_text(judged[0].question)}</p>"
    for block in section.blocks:
        yield from _block(block)
    yield "</section>"


def _footer(report: Report) -> Iterator[str]:
    rows = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in report.made.items())
    yield f"<footer><dl>{rows}</dl></footer>"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f'<p class="told">{_text(block.text)}</p>'
    elif isinstance(block, Command):
        yield f"<pre><code>{_text(block.text)}</code></pre>"
    elif isinstance(block, Picture):
        yield f"<figure>{block.svg.strip()}<figcaption>{_text(block.caption)}</figcaption></figure>"
    elif isinstance(block, Facts):
        rows = "".join(f'<tr><th scope="row">{_text(n)}</th><td>{_text(v)}</td></tr>' for n, v in block.rows)
        caption = f'<caption class="quiet">{_text(block.caption)}</caption>'
        yield f'<div class="wide"><table class="facts">{caption}<tbody>{rows}</tbody></table></div>'
    else:
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    bars = bool(table.bars)
    head = "".join(f'<th scope="col"{_align(i, table)}>{_text(name)}</th>' for i, name in enumerate(table.head))
    head += '<th scope="col">the range, and now</th>' if bars else ""
    yield f'<div class="wide"><table><caption>{_text(table.caption)}</caption><thead><tr>{head}</tr></thead><tbody>'
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
    return f"<{tag}{scope}{_align(i, table)}>{_text(cell)}</{tag}>"


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


# ---- words ----


def _badge(finding: Finding) -> str:
    return f'<span class="badge {finding.status}"><span aria-hidden="true">{MARKS[finding.status]}</span> {WORDS[finding.status]}</span>'


def _short(text: str, most: int = 300) -> str:
    """A text for one cell: its first line, cut where it is very long."""
    line = text.split("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"


def _text(text: str) -> str:
    return escape(clean(text))
