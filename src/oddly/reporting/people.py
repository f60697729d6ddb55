# SPDX-License-Identifier: Apache-2.0
"""What decisions mean for those they are about: the reasons of chosen cases, and how groups are decided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from oddly.answers import as_features
from oddly.answers.blocks import Block, Facts, Paragraph, Picture, Table
from oddly.distribution.measure import Probability, shown
from oddly.errors import TooLarge, Unsupported
from oddly.questions.change.question import change
from oddly.questions.explain.question import Explanation, explain
from oddly.questions.explain.reasons import Reasons
from oddly.questions.fairness.question import NAMES, Fairness
from oddly.questions.fairness.question import fairness as how_fair
from oddly.reporting.asking import Asked, Part
from oddly.reporting.content import Finding, Section, Status
from oddly.reporting.parts import LEGIBLE, legible

MOST_REASONS = 5
LONGEST = 80  # letters of a case in a title
MOST_DECISIONS = 6
MOST_CONTRIBUTIONS = 8


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
        blocks: list[Block] = [Paragraph(first.about_hinges())]
        for answer in answers:
            blocks += _groups(answer)
        status: Status = "holds" if first.holds else "fails"
        question = f"no decision hinges on {', '.join(protected)}"
        data = first.to_json() if len(answers) == 1 else [answer.to_json() for answer in answers]
        return replace(
            section, blocks=tuple(blocks), findings=(Finding(question, status, first.about_hinges()),), data=data
        )

    return part


def _groups(answer: Fairness) -> list[Block]:
    measures = [m for m in NAMES if any(getattr(g, m) is not None for g in answer.groups)]
    rows = tuple(
        (as_features(g.values), _shown(g.share), *(_shown(getattr(g, m)) for m in measures)) for g in answer.groups
    )
    numeric = tuple(range(1, 2 + len(measures)))
    head = ("group", "part of all", *(NAMES[m] for m in measures))
    blocks: list[Block] = [
        Table(f"How often each group is decided {answer.label}, under {answer.under}", head, rows, numeric)
    ]
    gaps = tuple(
        (NAMES[m], _shown(gap.size), as_features(gap.high), as_features(gap.low)) for m, gap in answer.gaps.items()
    )
    if gaps:
        blocks.append(
            Table(f"The gaps between groups, for {answer.label}", ("measure", "gap", "most", "least"), gaps, (1,))
        )
    through = tuple(
        (f"{c.attribute}={c.value}", _shown(c.total), _shown(c.composition), _shown(c.decision))
        for c in answer.contributions[:MOST_CONTRIBUTIONS]
    )
    if through:
        head = ("value", "contributes", "by its frequency", "by the decisions")
        blocks.append(
            Table(
                f"Through which values the gap in the rate of {answer.label} arises, the greatest first",
                head,
                through,
                (1, 2, 3),
            )
        )
    return blocks


def _shown(p: Probability | None) -> str:
    return "–" if p is None else shown(p) if p >= 0 else f"-{shown(-p)}"
