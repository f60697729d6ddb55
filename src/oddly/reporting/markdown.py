# SPDX-License-Identifier: Apache-2.0
"""A report as Markdown, with tables as GitHub reads them; whatever a name holds is only a name."""

from oddly.answers.markdown import block_markdown, rows_markdown, text_markdown
from oddly.reporting.content import MARKS, WORDS, Report


def markdown(report: Report) -> str:
    """The whole text."""
    lines = [f"# {text_markdown(report.title)}", "", text_markdown(report.subtitle), ""]
    lines += [report.scope, "", "## Summary", ""]
    summary = [(f.question, f"{MARKS[f.status]} {WORDS[f.status]}", f.words.split("\n")[0]) for f in report.findings]
    lines += [*rows_markdown(("question", "verdict", "in words"), summary, ()), ""]
    for section in report.sections:
        lines += [f"## {text_markdown(section.title)}", ""]
        for block in section.blocks:
            lines += [*block_markdown(block), ""]
    lines += [f"{text_markdown(name)}: {text_markdown(value)}  " for name, value in report.made.items()]
    return "\n".join(lines).rstrip() + "\n"
