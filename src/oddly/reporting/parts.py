# SPDX-License-Identifier: Apache-2.0
"""The parts of a report: each an answer as it is laid out, with its finding and perhaps a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from oddly.algebra.groups import ValueGroups
from oddly.answers import as_features
from oddly.answers.blocks import Block, Command, Facts, Paragraph, Picture, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.sources import Source
from oddly.draw.curves import Line, curves
from oddly.draw.svg import svg
from oddly.draw.text import text
from oddly.errors import TooLarge, Unsupported, listed
from oddly.model import Model
from oddly.model.numbers import written
from oddly.questions.allowed.question import allowed
from oddly.questions.change.question import change
from oddly.questions.check.question import check
from oddly.questions.compare.question import compare
from oddly.questions.count import count
from oddly.questions.explain.question import Explanation, explain
from oddly.questions.fairness.question import fairness as how_fair
from oddly.questions.importance import importance as how_important
from oddly.questions.robustness import robustness as how_robust
from oddly.questions.rounding import rounding as rounded
from oddly.reporting.asking import Part, ReportRequest, described, digests, named
from oddly.reporting.content import Finding, Section, Status
from oddly.runtime import stopped

MOST_ROWS = 300
MOST_NODES = 30_000_000  # of diagrams whose numbers, digits and changes are looked at within a page
MOST_DIGITS = 6  # that are tried, one after the other
MOST_DECISIONS = 6  # by which groups are compared
LONGEST = 80  # letters of a case in a title
LEGIBLE = 100  # nodes that a page shows one by one
WIDEST = 1800.0  # twice a page: then letters are half their size
A_THOUSANDTH = "0.001"
MOST_CURVES = 24  # that a page shows in one picture
SMALL = 60  # nodes of a diagram that is also drawn as text


def classifier(asked: ReportRequest, section: Section) -> Section:
    """What the classifier is."""
    odd = asked.odd
    model = None if odd.source is None else odd.source.model
    rows = [("what it is", described(odd)), ("decides", listed(odd.labels))]
    if model is not None and model.limit and model.positive is not None:
        rows.append((model.limit.name, f"{written(model.limit.now)}; exactly on it is {_on_it(model)}"))
    if model is not None and model.positive is None:
        rows.append(("of equals", "the first one listed"))
    if odd.source is not None and odd.source.model.probabilistic:
        rows.append(("inputs of probability zero", f"decided as {_impossible(odd.source)}"))
    rows += digests(asked.file, odd)
    values = {v.name: listed(v.values, 40) for v in odd.variables}
    names = tuple((name, values[name]) for name in odd.columns)
    table = Table("The attributes it reads, and their values", ("attribute", "values"), names).cut()
    return replace(section, blocks=(Facts("The classifier", tuple(rows)), table))


def decisions(asked: ReportRequest, section: Section) -> Section:
    """How many inputs get which decision, how likely, and that it is proven."""
    odd = asked.odd
    counts = count(odd, under=asked.under, within=asked.within)
    if odd.source is None:
        words = "The diagram was combined from others, so there is no model to prove it against."
        return replace(section, blocks=(*counts.blocks(), Paragraph(words)), data=counts.to_json())
    proof = odd.certificate
    words = f"Over all {odd.instances:,} inputs."
    finding = Finding("every decision is the model's own", "holds" if proof.proven else "fails", words)
    blocks = (*counts.blocks(), Paragraph(f"{proof!r}."))
    return replace(section, blocks=blocks, findings=(finding,), data=counts.to_json())


def diagram(asked: ReportRequest, section: Section) -> Section:
    """The picture, and its size."""
    odd = asked.odd
    small = odd.reduced_size <= SMALL
    rows = (
        ("nodes", f"{odd.size:,}; {odd.reduced_size:,} without those that ask in vain"),
        ("at most, in any such diagram", f"{odd.bound:,} nodes"),
        ("order of the attributes", listed(odd.order, 60)),
    )
    words = text(odd, most=SMALL) if small else None
    picture = Picture("All that is ever decided, read from the top", legible(odd), words)
    return replace(section, blocks=(picture, Facts("The diagram", rows)))


def legible(odd: ODD, **marked: Any) -> str:
    """A drawing that can be read on a page: of nodes if they are few and it is no wider than that, of groups otherwise."""
    drawn = svg(odd, most=LEGIBLE, **marked)
    return drawn if drawn.size[0] <= WIDEST else svg(odd, most=0, **marked)


def comparison(asked: ReportRequest, section: Section) -> Section:
    """What is decided otherwise than by the other classifier: from its decisions to those of this one."""
    other = as_diagram(asked.against, like=asked.odd)
    found = compare(other, asked.odd, values=asked.values, labels=asked.labels, within=asked.within)
    question = f"decides as {named(asked.other_file, 'the other')} does"
    under = "b" if isinstance(asked.under, str) and asked.under == "model" else asked.under
    told = section.telling(found, question, "holds" if found.equivalent else "fails")
    blocks: list[Block] = [*(told.blocks if under is None else found.blocks(under=under))]
    names = named(asked.other_file, "the other"), named(asked.file, "this one")
    ways = ("read", f"from → to: from what {names[0]}, the first, decides to what {names[1]}, the second, does")
    rows = [ways, ("the first", described(other)), *digests(asked.other_file, other)]
    blocks.append(Facts("The other classifier, the first", tuple(rows)))
    if not found.equivalent:
        ours = {theirs: label for label, theirs in (asked.labels or {}).items()}
        same = replace(other, labels=tuple(ours.get(label, label) for label in other.labels), source=None)
        drawn = legible(asked.odd, against=same if ours else other)
        blocks.append(Picture("The diagram; marked is what the other decides otherwise", drawn))
    return replace(told, blocks=tuple(blocks))


def rules(asked: ReportRequest, section: Section) -> Section:
    """Whether every rule holds, and the smallest case that breaks it."""
    assert asked.rules is not None
    found = check(asked.odd, asked.rules, under=asked.under, within=asked.within)
    statuses: dict[bool | None, Status] = {None: "undecided", True: "holds", False: "fails"}
    findings = tuple(Finding(v.rule, statuses[v.holds], v.summary()) for v in found.verdicts)
    return replace(section, blocks=found.blocks(), findings=findings, data=found.to_json())


def case(given: Mapping[str, object]) -> Part:
    """Why one case is decided as it is, and what would change that."""

    def part(asked: ReportRequest, section: Section) -> Section:
        found = explain(asked.odd, given, within=asked.within)
        name = as_features(found.instance) or "nothing known"
        short = len(name) <= LONGEST
        told = section.telling(found, f"the case {name}" if short else section.title.lower())
        title = f"{section.title}: {name}" if short else section.title
        more = _beyond(asked, found) if found.decision is not None and not found.missing else []
        return replace(told, title=title, blocks=(*told.blocks, *more))

    return part


def _beyond(asked: ReportRequest, found: Explanation) -> list[Block]:
    """What would change a decision, and its path."""
    try:
        blocks = list(change(asked.odd, found.instance, within=asked.within, k=3).blocks())
    except (Unsupported, TooLarge) as error:
        blocks = [Paragraph(f"What would change it is not known: {error}")]
    if asked.odd.reduced_size <= LEGIBLE:
        blocks.append(Picture("Its path", legible(asked.odd, instance=found.instance)))
    return blocks


def fairness(protected: Sequence[str | ValueGroups]) -> Part:
    """Whether decisions hinge on protected attributes, and how groups are decided."""

    def part(asked: ReportRequest, section: Section) -> Section:
        odd = asked.odd
        labels = [asked.label] if asked.label is not None or len(odd.labels) == 2 else list(odd.labels[:MOST_DECISIONS])
        answers = [how_fair(odd, protected, under=asked.under, within=asked.within, label=label) for label in labels]
        first = answers[0]
        status: Status = "holds" if first.holds else "fails"
        told = section.telling(first, f"no decision hinges on {', '.join(first.protected)}", status)
        if len(answers) == 1:
            return told
        more = [block for answer in answers[1:] for block in answer.blocks()[1:]]  # what hinges is the same for all
        return replace(told, blocks=(*told.blocks, *more), data=[answer.to_json() for answer in answers])

    return part


def ranges(asked: ReportRequest, section: Section) -> Section:
    """Where each number may lie, and the input that stops it."""
    _not_too_large(asked.odd, "oddly allow")
    found = allowed(asked.odd, within=asked.within)
    return section.telling(found, "how far each number may move", most=MOST_ROWS)


def flips(asked: ReportRequest, section: Section) -> Section:
    """Where each number may lie if one case in a thousand may change, and what share of cases moving it changes."""
    _not_too_large(asked.odd, "oddly allow --flips 0.1%")
    found = allowed(asked.odd, flips=A_THOUSANDTH, under=asked.under)
    told = section.telling(found, "how far, if one case in a thousand may change", most=MOST_ROWS)
    lines = [Line(d.name, d.by.tolist(), d.most.tolist()) for d in found.steepest(MOST_CURVES)]
    title = "What share of cases changes, at most, if a number moves"
    drawn = [Picture(title, curves(lines, title, f"move, in {found.unit}", 0.001, 1e-5))] if lines else []
    return replace(told, blocks=(*drawn, *told.blocks))


def rounding(asked: ReportRequest, section: Section) -> Section:
    """How many digits are needed."""
    _not_too_large(asked.odd, "oddly round")
    if asked.odd.source is None:
        raise Unsupported("the diagram was combined from others, so there are no numbers to round")
    return section.telling(
        rounded(asked.odd.source.model, MOST_DIGITS, within=asked.within), "how many digits are needed"
    )


def robustness(asked: ReportRequest, section: Section) -> Section:
    """How many changes decisions withstand."""
    _not_too_large(asked.odd, "oddly robust")
    return section.telling(how_robust(asked.odd, under=asked.under, within=asked.within), "how robust decisions are")


def importance(asked: ReportRequest, section: Section) -> Section:
    """How often each attribute alone can change the decision."""
    _not_too_large(asked.odd, "oddly importance")
    return section.telling(how_important(asked.odd, under=asked.under, within=asked.within), "which attributes matter")


def _not_too_large(odd: ODD, command: str) -> None:
    if odd.size > MOST_NODES:
        raise stopped(f"{odd.size:,} nodes for a page", f"{MOST_NODES:,}", f"`{command}`, which asks this alone")


def origin(asked: ReportRequest, command: str | None) -> Section:
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
    if source.impossible == "apart":
        return "a label of their own"
    return labels[1] if source.impossible == "positive" and source.model.positive is not None else labels[0]


def _on_it(model: Model) -> str:
    return model.labels[1] if model.ties == "positive" else model.labels[0]
