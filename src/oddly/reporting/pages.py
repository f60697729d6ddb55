# SPDX-License-Identifier: Apache-2.0
"""A report as one page of HTML, which prints, reads on light and dark screens and aloud, fetches nothing and runs nothing;
and as Markdown."""

from collections.abc import Iterator
from html import escape

from oddly.answers.html import block_html, text_html
from oddly.answers.markdown import block_markdown, line_markdown
from oddly.reporting.content import MARKS, WORDS, Finding, Report, Section
from oddly.reporting.page_style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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
        f"<title>{text_html(report.title)}</title>",
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
    yield f"<h1>{text_html(report.title)}</h1>"
    yield f'<p class="lead">{text_html(report.subtitle)}</p>'
    yield f'<p class="lead">{report.scope}</p>'
    yield "</header>"
    rows = [(section, finding) for section in report.sections for finding in section.findings]
    yield '<section id="summary" aria-labelledby="summary-title">'
    yield '<h2 id="summary-title">Summary</h2>'
    yield '<div class="wide"><table class="summary"><caption>What was asked, and what came out</caption>'
    yield '<thead><tr><th scope="col">question</th><th scope="col">verdict</th><th scope="col">in words</th></tr></thead><tbody>'
    for section, finding in rows:
        link = f'<a href="#{escape(section.id)}">{text_html(_short(finding.question))}</a>'
        yield f'<tr><th scope="row">{link}</th><td>{_badge(finding)}</td><td>{text_html(_short(finding.words))}</td></tr>'
    yield "</tbody></table></div>"
    yield "</section>"
    yield '<nav aria-label="Contents"><ol>'
    for section in report.sections:
        yield f'<li><a href="#{escape(section.id)}">{text_html(_short(section.title))}</a></li>'
    yield "</ol></nav>"


def _section(section: Section) -> Iterator[str]:
    id = escape(section.id)
    yield f'<section id="{id}" aria-labelledby="{id}-title">'
    yield f'<h2 id="{id}-title">{text_html(section.title)}</h2>'
    judged = [f for f in section.findings if f.status != "told"]
    if len(judged) == 1:
        yield f"<p>{_badge(judged[0])} {text_html(judged[0].question)}</p>"
    for block in section.blocks:
        yield from block_html(block)
    yield "</section>"


def _footer(report: Report) -> Iterator[str]:
    rows = "".join(f"<dt>{text_html(name)}</dt><dd>{text_html(value)}</dd>" for name, value in report.made.items())
    yield f"<footer><dl>{rows}</dl></footer>"


def markdown(report: Report) -> str:
    """The same as Markdown, with tables as GitHub reads them."""
    lines = [f"# {line_markdown(report.title)}", "", line_markdown(report.subtitle), "", report.scope, ""]
    sections = [
        ("Summary", (report.summary_table(),)),
        *((section.title, section.blocks) for section in report.sections),
    ]
    for title, blocks in sections:
        lines += [f"## {line_markdown(title)}", ""]
        for block in blocks:
            lines += [*block_markdown(block), ""]
    lines += [f"{line_markdown(name)}: {line_markdown(value)}  " for name, value in report.made.items()]
    return "\n".join(lines).rstrip() + "\n"


# ---- words ----


def _badge(finding: Finding) -> str:
    return f'<span class="badge {finding.status}"><span aria-hidden="true">{MARKS[finding.status]}</span> {WORDS[finding.status]}</span>'


def _short(text: str, most: int = 300) -> str:
    """A text for one cell: its first line, cut where it is very long."""
    line = text.split("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"
