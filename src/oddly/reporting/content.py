# SPDX-License-Identifier: Apache-2.0
"""What a report says, before anybody decides how it looks: sections of sentences, facts, tables and pictures.

Page, Markdown (both in `pages`), notebook and JSON show the same content.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Literal

from oddly.answers import Answer, Count, as_json, told
from oddly.answers.blocks import Block, Paragraph, Table
from oddly.errors import FormatError, TooLarge
from oddly.formats.text import written_safely

Status = Literal["holds", "fails", "undecided", "unanswered", "told"]
WORDS: Mapping[Status, str] = {
    "holds": "holds",
    "fails": "does not hold",
    "undecided": "undecided",
    "unanswered": "not answered",
    "told": "answered",
}
MARKS: Mapping[Status, str] = {"holds": "✓", "fails": "✗", "undecided": "?", "unanswered": "–", "told": "·"}


@dataclass(frozen=True)
class Finding:
    """One line of the summary."""

    question: str
    status: Status
    words: str


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

    @property
    @told
    def findings(self) -> tuple[Finding, ...]:
        """The summary: what was asked, and what came out."""
        return tuple(finding for section in self.sections for finding in section.findings)

    @property
    def scope(self) -> str:
        """What it is about, as a sentence."""
        many = "the only possible input" if self.instances == 1 else f"all {self.instances:,} possible inputs at once"
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
        lines = [f"  {f.question}: {WORDS[f.status]}. {f.words}" for f in judged if f.status != "holds"]
        return "\n".join([f"{head}, over {self.instances:,} instance{'' if self.instances == 1 else 's'}.", *lines])

    def summary_table(self) -> Table:
        """What was asked, and what came out."""
        rows = tuple(
            (f.question, f"{MARKS[f.status]} {WORDS[f.status]}", f.words.split("\n")[0]) for f in self.findings
        )
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
        from oddly.reporting.pages import page

        return page(self)

    def markdown(self) -> str:
        """The same as Markdown."""
        from oddly.reporting.pages import markdown

        return markdown(self)

    def json(self) -> str:
        """The same for programs."""
        return json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def text(self, format: str) -> str:
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


BY_SUFFIX = {".html": "html", ".htm": "html", ".md": "md", ".json": "json"}
