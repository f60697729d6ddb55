# SPDX-License-Identifier: Apache-2.0
"""What a report says, sections of sentences, facts, tables and pictures; and how it looks: as one page of HTML, which prints,
reads on light and dark screens and aloud, fetches nothing and runs nothing, as Markdown, in a notebook and as JSON.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from oddly.answers import Answer, Count, as_json, told
from oddly.answers.blocks import Block, Paragraph, Table
from oddly.answers.html import block_html, text_html
from oddly.answers.markdown import block_markdown, line_markdown
from oddly.draw.style import DARK, FONT, LIGHT, Palette
from oddly.errors import FormatError, TooLarge
from oddly.formats.text import written_safely

Format = Literal["html", "md", "json"]
BY_SUFFIX: Mapping[str, Format] = {".html": "html", ".htm": "html", ".md": "md", ".json": "json"}
Status = Literal["holds", "fails", "undecided", "unanswered", "told"]
MARKS: Mapping[Status, tuple[str, str]] = {
    "holds": ("✓", "holds"),
    "fails": ("✗", "does not hold"),
    "undecided": ("?", "undecided"),
    "unanswered": ("–", "not answered"),
    "told": ("·", "answered"),
}


@dataclass(frozen=True)
class Finding:
    """One line of the summary."""

    question: str
    status: Status
    words: str

    @property
    def mark(self) -> tuple[str, str]:
        """A sign for its status, and the words."""
        return MARKS[self.status]


@dataclass(frozen=True)
class Section:
    """One question, answered or not."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    findings: tuple[Finding, ...] = ()
    data: Any = None
    """The answer's own JSON."""

    def telling(self, answer: Answer, question: str, status: Status = "told", most: int | None = None) -> "Section":
        """The section with an answer as it is laid out, and its line of the summary."""
        finding = Finding(question, status, answer.summary())
        return replace(self, blocks=answer.blocks(most), findings=(finding,), data=as_json(answer))


@dataclass(frozen=True, repr=False)
class Report(Answer):
    """What was asked of a classifier, and every answer."""

    title: str
    subtitle: str
    instances: Count
    sections: tuple[Section, ...]
    made: Mapping[str, str] = field(default_factory=dict)
    """When, and with which versions: all that may differ between two reports on the same."""
    within: str | None = None
    """The domain that it is about; null: all inputs."""

    @property
    @told
    def findings(self) -> tuple[Finding, ...]:
        """The summary: what was asked, and what came out."""
        return tuple(finding for section in self.sections for finding in section.findings)

    @property
    def scope(self) -> str:
        """What it is about, as a sentence."""
        many = "the only possible input" if self.instances == 1 else f"all {self.instances:,} possible inputs at once"
        if self.within is not None:
            many = f"the {self.instances:,} inputs within {self.within}"
        return f"Asked about {many}."

    def section(self, id: str) -> Section:
        """A section by its name in links."""
        return next(section for section in self.sections if section.id == id)

    def verdict(self) -> bool:
        found = {finding.status for finding in self.findings}
        if "fails" not in found and "undecided" in found:
            raise TooLarge(self.sentence())
        return "fails" not in found

    def sentence(self) -> str:
        """How many verdicts hold, and those that do not."""
        judged = [f for f in self.findings if f.status in ("holds", "fails", "undecided")]
        head = f"{self.title}: {sum(f.status == 'holds' for f in judged)} of {len(judged)} verdicts hold"
        lines = [f"  {f.question}: {f.mark[1]}. {f.words}" for f in judged if f.status != "holds"]
        return "\n".join([f"{head}, over {self.instances:,} instance{'' if self.instances == 1 else 's'}.", *lines])

    def summary_table(self) -> Table:
        """What was asked, and what came out."""
        rows = tuple((f.question, " ".join(f.mark), f.words.split("\n")[0]) for f in self.findings)
        return Table("What was asked, and what came out", ("question", "verdict", "in words"), rows)

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        head = Paragraph(f"{self.title}\n{self.subtitle}\n{self.scope}")
        sections = (b for section in self.sections for b in (Paragraph(section.title), *section.blocks))
        return head, self.summary_table(), *sections

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that a notebook's style and the page's leave each other alone."""
        return f'<iframe srcdoc="{escape(self.html())}" style="width: 100%; height: 40em; border: 0"></iframe>'

    def html(self) -> str:
        """A page of its own: nothing is fetched, nothing runs."""
        parts = [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="Oddly">',
            f"<title>{text_html(self.title)}</title>",
            f"<style>{STYLE}</style>",
            "</head>\n<body>\n<main>",
            *_header(self),
            *(line for section in self.sections for line in _section(section)),
            *_footer(self),
            "</main>\n</body>\n</html>",
        ]
        return "\n".join(parts) + "\n"

    def markdown(self) -> str:
        """The same as Markdown, with tables as GitHub reads them."""
        lines = [f"# {line_markdown(self.title)}", "", line_markdown(self.subtitle), "", self.scope, ""]
        summary: tuple[Block, ...] = (self.summary_table(),)
        for title, blocks in [("Summary", summary), *((section.title, section.blocks) for section in self.sections)]:
            lines += [f"## {line_markdown(title)}", ""]
            for block in blocks:
                lines += [*block_markdown(block), ""]
        lines += [f"{line_markdown(name)}: {line_markdown(value)}  " for name, value in self.made.items()]
        return "\n".join(lines).rstrip() + "\n"

    def json(self) -> str:
        """The same for programs."""
        return json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def text(self, format: Format) -> str:
        """In one of the formats: "html", "md" or "json"."""
        return {"html": self.html, "md": self.markdown, "json": self.json}[format]()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it; the name's ending says how: .html, .md or .json. A save that fails leaves the old file."""
        format = BY_SUFFIX.get(Path(path).suffix.lower())
        if format is None:
            raise FormatError(f"{os.fspath(path)}: expected a name that ends in {', '.join(BY_SUFFIX)}")
        data = self.text(format).encode("utf-8", "replace")
        with written_safely(path) as file:
            file.write(data)


# ---- a page ----


def _colours(p: Palette, rule: str) -> str:
    found = {"paper": p.paper, "ink": p.ink, "muted": p.muted, "band": p.band, "rule": rule}
    for name, (strong, pale) in zip(("bad", "link", "good", "", "open"), p.labels, strict=False):
        found |= {name: strong, f"{name}-pale": pale} if name else {}
    return " ".join(f"--{name}: {colour};" for name, colour in found.items())


STYLE = f"""
:root {{ --font: {FONT}; {_colours(LIGHT, "#dcdfe3")} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK, "#343a44")} }} }}
{(files("oddly.reporting") / "page.css").read_text("utf-8").partition("*/")[2].strip()}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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


# ---- words ----


def _badge(finding: Finding) -> str:
    sign, words = finding.mark
    return f'<span class="badge {finding.status}"><span aria-hidden="true">{sign}</span> {words}</span>'


def _short(text: str, most: int = 300) -> str:
    """A text for one cell: its first line, cut where it is very long."""
    line = text.split("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"
