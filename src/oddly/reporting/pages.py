# SPDX-License-Identifier: Apache-2.0
"""A report as one page of HTML, which prints, reads on light and dark screens and aloud, fetches nothing and runs nothing;
and as Markdown.
"""

from collections.abc import Iterator
from html import escape

from oddly.answers.html import block_html, text_html
from oddly.answers.markdown import block_markdown, line_markdown
from oddly.draw.style import DARK, FONT, LIGHT, Palette
from oddly.reporting.content import MARKS, WORDS, Finding, Report, Section

_ROOT = """\
  --paper: {paper}; --ink: {ink}; --muted: {muted}; --band: {band}; --rule: {rule};
  --bad: {bad}; --bad-pale: {bad_pale}; --good: {good}; --good-pale: {good_pale};
  --open: {open}; --open-pale: {open_pale}; --link: {link};
"""


def _colours(p: Palette, rule: str) -> str:
    (bad, bad_pale), (link, _), (good, good_pale), _, (open_, open_pale) = p.labels[:5]
    return _ROOT.format(
        paper=p.paper,
        ink=p.ink,
        muted=p.muted,
        band=p.band,
        rule=rule,
        bad=bad,
        bad_pale=bad_pale,
        good=good,
        good_pale=good_pale,
        open=open_,
        open_pale=open_pale,
        link=link,
    )


STYLE = f"""
:root {{
{_colours(LIGHT, "#dcdfe3")}}}
@media screen and (prefers-color-scheme: dark) {{ :root {{
{_colours(DARK, "#343a44")}}} }}
* {{ box-sizing: border-box; }}
html {{ background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }}
body {{ margin: 0; font: 16px/1.55 {FONT}; font-variant-ligatures: none; }}
main {{ max-width: 60rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }}
h1 {{ font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 0.75rem; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.3rem; line-height: 1.3; letter-spacing: -0.01em; margin: 0 0 0.75rem; overflow-wrap: anywhere; }}
section {{ border-top: 1px solid var(--rule); padding-top: 1.75rem; margin-top: 2.25rem; }}
#summary {{ border: 0; padding-top: 0; }}
p {{ margin: 0 0 0.9rem; }}
.lead {{ color: var(--muted); margin-bottom: 0.25rem; }}
.told {{ white-space: pre-line; overflow-wrap: anywhere; max-width: 46rem; }}
a {{ color: var(--link); text-decoration-thickness: 0.06em; text-underline-offset: 0.18em; }}
nav ol {{ columns: 2; column-gap: 2rem; padding-left: 1.4rem; margin: 1.5rem 0 0; color: var(--muted); }}
nav li {{ break-inside: avoid; padding: 0.1rem 0; }}
.wide {{ overflow-x: auto; margin: 0 0 1.4rem; }}
table {{ border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; color: var(--muted); padding: 0 0 0.45rem; }}
caption.quiet {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }}
th, td {{ text-align: left; vertical-align: top; padding: 0.42rem 0.9rem 0.42rem 0; border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }}
td {{ min-width: 5.4rem; }}
thead th {{ font-weight: 600; color: var(--muted); border-bottom: 2px solid var(--rule); white-space: nowrap; }}
tbody th {{ font-weight: 600; min-width: 11rem; }}
tr > :last-child {{ padding-right: 0; }}
.number {{ text-align: right; white-space: nowrap; }}
.facts th {{ width: 14rem; color: var(--muted); font-weight: 400; }}
.summary tbody th {{ width: 34%; font-weight: 400; }}
.summary td:nth-child(2) {{ width: 9rem; white-space: nowrap; }}
.badge {{ display: inline-block; white-space: nowrap; font-size: 0.82rem; font-weight: 600; line-height: 1.5; padding: 0 0.55rem; border-radius: 1rem; border: 1px solid currentColor; }}
.badge.holds {{ color: var(--good); background: var(--good-pale); }}
.badge.fails {{ color: var(--bad); background: var(--bad-pale); border-radius: 0.2rem; }}
.badge.undecided {{ color: var(--open); background: var(--open-pale); border-style: dashed; }}
.badge.unanswered, .badge.told {{ color: var(--muted); border-color: var(--rule); }}
figure {{ margin: 0 0 1.4rem; }}
figure > svg {{ display: block; max-width: 100%; height: auto; }}
figcaption {{ color: var(--muted); font-size: 0.9rem; margin-top: 0.4rem; }}
pre {{ background: var(--band); border-radius: 0.5rem; padding: 0.9rem 1.1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85rem; }}
code {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }}
.bar line {{ stroke: var(--rule); stroke-width: 1; }}
.bar rect {{ fill: var(--good-pale); stroke: var(--good); stroke-width: 1; }}
.bar circle {{ fill: var(--ink); }}
footer {{ border-top: 1px solid var(--rule); margin-top: 2.5rem; padding-top: 1rem; color: var(--muted); font-size: 0.85rem; }}
footer dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1.2rem; margin: 0; }}
footer dd {{ margin: 0; }}
@media (max-width: 40rem) {{
  main {{ padding: 1.5rem 1rem 3rem; }}
  nav ol {{ columns: 1; }}
  .facts th {{ width: 9rem; min-width: 0; }}
  .summary, .summary tbody, .summary tr, .summary tbody th, .summary td {{ display: block; width: auto; }}
  .summary thead {{ display: none; }}
  .summary tbody th, .summary td {{ border: 0; padding: 0.1rem 0; min-width: 0; }}
  .summary tr {{ border-bottom: 1px solid var(--rule); padding: 0.5rem 0; }}
}}
@media print {{
  @page {{ margin: 18mm 16mm; }}
  :root {{ --paper: #fff; }}
  body {{ font-size: 10pt; }}
  table, figcaption {{ font-size: 9pt; }}
  main {{ max-width: none; padding: 0; }}
  nav {{ display: none; }}
  a {{ color: inherit; text-decoration: none; }}
  h2, caption, thead {{ break-after: avoid; }}
  h2 {{ break-inside: avoid; }}
  h2::after {{ content: ""; display: block; height: 7rem; margin-bottom: -7rem; }} /* a title wants some lines below it */
  tr, figure, pre {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
  .wide {{ overflow: visible; }}
  figure > svg {{ max-height: 235mm; }}
  * {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
}}
"""


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
