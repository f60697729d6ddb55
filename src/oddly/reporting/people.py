# SPDX-License-Identifier: Apache-2.0
"""What decisions mean for those they are about: the reasons of chosen cases, and how groups are decided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from oddly.answers import as_features
from oddly.answers.blocks import Block, Facts, Paragraph, Picture, Table
from oddly.errors import TooLarge, Unsupported
from oddly.questions.change.question import change
from oddly.questions.explain.question import Explanation, explain
from oddly.questions.explain.reasons import Reasons
from oddly.questions.fairness.question import fairness as how_fair
from oddly.reporting.asking import Asked, Part
from oddly.reporting.content import Finding, Section, Status
from oddly.reporting.parts import LEGIBLE, legible

MOST_REASONS = 5
LONGEST = 80  # letters of a case in a title
MOST_DECISIONS = 6


def case(given: Mapping[str, object]) -> Part:
    """Why one case is decided as it is."""

    def part(asked: Asked, section: Section) -> Section:
        found = explain(asked.odd, given, **asked.limits)
        told = as_features(found.instance) or "nothing known"
        facts = [("the case", told), ("decision", found.decision or "still open")]
        facts += [("not known", ", ".join(found.missing))] if found.missing else []
        blocks: list[Block] = [Paragraph(found.sentence()), Facts("The case", tuple(facts))]
        if found.decision is not None:
            blocks += _reasons(found)
        if found.decision is not None and not found.missing:
            blocks += _way_out(asked, found)
            if asked.odd.reduced_size <= LEGIBLE:
                path = {name: str(value) for name, value in found.instance.items()}
                blocks.append(Picture("Its path", legible(asked.odd, instance=path)))
        short = len(told) <= LONGEST
        finding = Finding(
            f"the case {told}" if short else section.title.lower(),
            "told",
            found.because() if found.decision is not None else found.sentence(),
        )
        return replace(
            section,
            title=f"{section.title}: {told}" if short else section.title,
            blocks=tuple(blocks),
            findings=(finding,),
            data=found.to_json(),
        )

    return part


def _reasons(found: Explanation) -> list[Block]:
    blocks: list[Block] = []
    kinds = (
        (found.sufficient, "Features that force the decision, whatever the others are"),
        (found.necessary, "Features whose change can undo it"),
    )
    for reasons, caption in kinds:
        rows = _smallest(reasons)
        if rows:
            many = "not all of them counted" if reasons.count is None else f"{reasons.count:,} in all"
            blocks.append(Table(f"{caption}: the smallest first, {many}", ("reason",), tuple(rows)))
    if found.general is not None:
        blocks.append(Paragraph(f"In general: {found.general.sentence()}"))
    return blocks


def _smallest(reasons: Reasons) -> list[tuple[str]]:
    """A few reasons; past the limits only the one that is known."""
    rows: list[tuple[str]] = []
    try:
        for reason in reasons:
            rows.append((as_features(reason) or "no feature at all",))
            if len(rows) == MOST_REASONS:
                break
    except TooLarge:
        rows = [] if reasons.smallest is None else [(as_features(reasons.smallest) or "no feature at all",)]
    return rows


def _way_out(asked: Asked, found: Explanation) -> list[Block]:
    try:
        return [Paragraph(f"What would change it: {change(asked.odd, found.instance, k=3, **asked.limits).sentence()}")]
    except (Unsupported, TooLarge) as error:
        return [Paragraph(f"What would change it is not known: {error}")]


def fairness(protected: Sequence[str]) -> Part:
    """Whether decisions hinge on protected attributes, and how groups are decided."""

    def part(asked: Asked, section: Section) -> Section:
        odd = asked.odd
        labels = [asked.label] if asked.label is not None or len(odd.labels) == 2 else list(odd.labels[:MOST_DECISIONS])
        answers = [how_fair(odd, protected, under=asked.under, label=label, **asked.limits) for label in labels]
        first = answers[0]
        status: Status = "holds" if first.holds else "fails"
        told = section.telling(first, f"no decision hinges on {', '.join(protected)}", status)
        if len(answers) == 1:
            return told
        more = [block for answer in answers[1:] for block in answer.blocks()[1:]]  # what hinges is the same for all
        return replace(told, blocks=(*told.blocks, *more), data=[answer.to_json() for answer in answers])

    return part
