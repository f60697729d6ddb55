# SPDX-License-Identifier: Apache-2.0
"""What it is and what it decides: the model, its decisions, the diagram, a comparison, rules, and where it all comes from."""

import re
from dataclasses import replace
from typing import Any

from oddly.answers import as_features
from oddly.answers.blocks import Block, Command, Facts, Paragraph, Picture, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.sources import Source
from oddly.distribution.measure import shown
from oddly.draw.svg import svg
from oddly.draw.text import text
from oddly.errors import listed
from oddly.model import Model
from oddly.model.numbers import written
from oddly.questions.check.question import check
from oddly.questions.check.verdicts import RuleVerdict
from oddly.questions.compare.question import Difference, compare
from oddly.questions.count import count
from oddly.reporting import origin as origins
from oddly.reporting.asking import Asked
from oddly.reporting.content import Finding, Section, Status

MOST_ROWS = 300
MOST_CASES = 5
LEGIBLE = 100  # nodes that a page shows one by one
WIDEST = 1800.0  # twice a page: then letters are half their size
SMALL = 60  # nodes of a diagram that is also drawn as text


def classifier(asked: Asked, section: Section) -> Section:
    """What the classifier is."""
    odd = asked.odd
    model = None if odd.source is None else odd.source.model
    rows = [("what it is", origins.described(odd)), ("decides", listed(odd.labels))]
    if model is not None and model.limit and model.positive is not None:
        rows.append((model.limit.name, f"{written(model.limit.now)}; exactly on it is {_on_it(model)}"))
    if model is not None and model.positive is None:
        rows.append(("of equals", "the first one listed"))
    if odd.source is not None and odd.source.model.probabilistic:
        rows.append(("inputs of probability zero", f"decided as {_impossible(odd.source)}"))
    rows += origins.digests(asked.file, odd)
    names = odd.columns
    values = {v.name: v.values for v in odd.variables}
    cut = names[:MOST_ROWS]
    table = Table(
        "The attributes it reads, and their values",
        ("attribute", "values"),
        tuple((name, listed(values[name], 40)) for name in cut),
        left_out=len(names) - len(cut),
    )
    return replace(section, blocks=(Facts("The classifier", tuple(rows)), table))


def decisions(asked: Asked, section: Section) -> Section:
    """How many inputs get which decision, how likely, and that it is proven."""
    odd = asked.odd
    counts = count(odd, under=asked.under)
    rows = []
    for label in reversed(odd.labels):
        chance = "" if counts.probability is None else shown(counts.probability[label])
        rows.append((label, f"{counts.counts[label]:,}", f"{100 * counts.counts[label] / odd.instances:.4g}%", chance))
    head = ("decision", "inputs", "part of all", f"probability under {counts.under}")
    table = Table(f"All {odd.instances:,} inputs, by decision", head, tuple(rows), numeric=(1, 2, 3))
    blocks: list[Block] = [table, Paragraph(counts.sentence())]
    findings: tuple[Finding, ...] = ()
    if odd.source is not None:
        proof = odd.certificate
        words = f"{proof!r}."
        findings = (
            Finding(
                "every decision is the model's own",
                "holds" if proof.proven else "fails",
                f"Over all {odd.instances:,} inputs.",
            ),
        )
        blocks.append(Paragraph(words))
    else:
        blocks.append(Paragraph("The diagram was combined from others, so there is no model to prove it against."))
    return replace(section, blocks=tuple(blocks), findings=findings, data=counts.to_json())


def diagram(asked: Asked, section: Section) -> Section:
    """The picture, and its size."""
    odd = asked.odd
    small = odd.reduced_size <= SMALL
    facts = Facts(
        "The diagram",
        (
            ("nodes", f"{odd.size:,}; {odd.reduced_size:,} without those that ask in vain"),
            ("at most, in any such diagram", f"{odd.bound:,} nodes"),
            ("order of the attributes", listed(odd.order, 60)),
        ),
    )
    words = text(odd, most=SMALL) if small else None
    picture = Picture("All that is ever decided, read from the top", legible(odd), words)
    return replace(section, blocks=(picture, facts))


def legible(odd: ODD, **marked: Any) -> str:
    """A drawing that can be read on a page: of nodes if they are few and it is no wider than that, of groups otherwise."""
    drawn = svg(odd, most=LEGIBLE, **marked)
    width = re.search(r'width="([\d.]+)"', drawn)
    return drawn if width and float(width[1]) <= WIDEST else svg(odd, most=0, **marked)


def comparison(asked: Asked, section: Section) -> Section:
    """What the other classifier decides otherwise."""
    odd = asked.odd
    other = as_diagram(asked.against, like=odd, **asked.limits)
    found = compare(odd, other, **asked.limits)
    question = f"decides as {origins.named(asked.other_file, 'the other')} does"
    status: Status = "holds" if found.equivalent else "fails"
    rows = [("the other", origins.described(other)), *origins.digests(asked.other_file, other)]
    blocks: list[Block] = [Paragraph(found.sentence()), Facts("The other classifier", tuple(rows))]
    if not found.equivalent:
        blocks += _differences(found, asked, other)
    words = found.sentence()
    return replace(section, blocks=tuple(blocks), findings=(Finding(question, status, words),), data=found.to_json())


def _differences(found: Difference, asked: Asked, other: ODD) -> list[Block]:
    ways = [(way, f"{n:,}", f"{100 * n / found.instances:.4g}%") for way, n in found.directions.items() if n]
    blocks: list[Block] = [
        Table(
            "Decisions that differ: this classifier's, then the other's",
            ("from → to", "inputs", "part of all"),
            tuple(ways),
            (1, 2),
        )
    ]
    under = found.distribution()
    chance = {"a": "this classifier", "b": "the other"}.get(under, "the uniform distribution")
    blocks.append(Paragraph(f"Under {chance}, a decision differs with probability {shown(found.probability(under))}."))
    cases = found.examples(MOST_CASES)
    rows = tuple((as_features(case), str(a), str(b)) for case, a, b in zip(cases, *_labels(found, cases), strict=True))
    blocks.append(
        Table(f"Inputs decided differently, the most probable of {found.count:,}", ("input", "this", "other"), rows)
    )
    boxes = [(repr(box),) for box in found.boxes(0.9, MOST_CASES)]
    if boxes:
        blocks.append(Table("Where they lie, the largest part first", ("part",), tuple(boxes)))
    blocks.append(Picture("The diagram; marked is what the other decides otherwise", legible(asked.odd, against=other)))
    return blocks


def _labels(found: Difference, cases: list[dict[str, str]]) -> list[list[str]]:
    """What each side decides of the cases: the disagreement's own label names both."""
    ways = [str(way) for way in found.diagram.classify(cases)]
    sides = [odd.classify(cases).tolist() for odd in found.sides]
    assert all(f"{a} → {b}" == way for way, a, b in zip(ways, *sides, strict=True))
    return sides


def rules(asked: Asked, section: Section) -> Section:
    """Whether every rule holds, and the smallest case that breaks it."""
    assert asked.rules is not None
    found = check(asked.odd, asked.rules, under=asked.under, **asked.limits)
    rows = tuple(
        (v.rule, _verdict(v), f"{v.scope:,} {v.unit}", "" if v.count is None else f"{v.count:,}", str(v.case or ""))
        for v in found.verdicts
    )
    head = ("rule", "verdict", "over", "broken by", "for example")
    table = Table("Every rule, over all inputs it speaks of", head, rows, numeric=(3,))
    findings = tuple(Finding(v.rule, _status(v), _without_head(v)) for v in found.verdicts)
    return replace(
        section, blocks=(Paragraph(found.sentence().split("\n")[0]), table), findings=findings, data=found.to_json()
    )


def _status(verdict: RuleVerdict) -> Status:
    return "undecided" if verdict.holds is None else "holds" if verdict.holds else "fails"


def _verdict(verdict: RuleVerdict) -> str:
    return {"undecided": "?\u00a0undecided", "holds": "✓\u00a0holds", "fails": "✗\u00a0fails"}[_status(verdict)]


def _without_head(verdict: RuleVerdict) -> str:
    """The sentence without the rule, which stands beside it."""
    text = verdict.sentence().partition(f"{verdict.rule}: ")[2]
    return text[:1].upper() + text[1:]


def origin(asked: Asked, command: str | None) -> Section:
    """How to make the report again."""
    again = [Command(command)] if command else [Paragraph("Made by a program, from classifiers that are in no file.")]
    words = Paragraph(
        "Counts, verdicts, ranges and reasons are exact and hold for every possible input; nothing was sampled. "
        "Probabilities are shown to four digits. The digest of a model is that of its numbers, whichever file holds them: "
        "as JSON with sorted keys and no spaces."
    )
    return Section("origin", "How this page was made", (words, *again))


def _impossible(source: Source) -> str:
    labels = source.model.labels
    return labels[1] if source.impossible == "positive" and source.model.positive is not None else labels[0]


def _on_it(model: Model) -> str:
    return model.labels[1] if model.ties == "positive" else model.labels[0]
