# SPDX-License-Identifier: Apache-2.0
"""The questions of a report, one after the other, each within its time; what cannot be answered says why."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Unpack

from oddly.answers.blocks import Paragraph
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.rows import known_values
from oddly.errors import TooLarge, Unsupported
from oddly.questions.check.files import Rules, as_rules
from oddly.reporting import origin
from oddly.reporting.content import Finding, Report, Section, Status
from oddly.runtime import LimitArguments, within

SECONDS = 30.0


def report(
    model: Any,
    *,
    against: Any = None,
    rules: Rules | None = None,
    cases: Iterable[Mapping[str, object]] = (),
    protected: str | Sequence[str] = (),
    under: Any = None,
    label: str | None = None,
    title: str | None = None,
    command: str | None = None,
    files: tuple[Any, Any] = (None, None),
    **limits: Unpack[LimitArguments],
) -> Report:
    """What should be known of this classifier, on one page?

    What it decides on all inputs and how that is proven; its diagram; what another classifier (`against`) decides otherwise;
    whether it obeys `rules` (as `oddly.check` takes them); how far each number may move; how robust it is and which
    attributes matter; the reasons of some `cases`; and whether decisions hinge on `protected` attributes. `under` is the
    distribution of all probabilities, as in `oddly.count`, and `label` the decision that groups are compared by. A part that
    takes longer than `seconds` (30 by default), or goes past another limit, is left out, and the page says so; what tells no
    progress cannot be stopped, and says how long it took. `files` are those that the two
    classifiers came from, for their names and digests, where they are not paths themselves; `command` is what to type for
    the same page. The answer is true iff every verdict in it holds.

    >>> import oddly
    >>> found = report(oddly.examples.pregnancy(), rules=["if U=+ve then yes"], cases=[{"U": "+ve", "B": "-ve", "S": "+ve"}])
    >>> found
    Report on P: 1 of 2 verdicts hold, over 8 instances.
      if U=+ve then yes: does not hold. 1 of 4 instances with U=+ve. For example U=+ve, B=-ve, S=-ve: no.
    >>> [section.title for section in found.sections][:3]
    ['The classifier', 'What it decides', 'The diagram']
    """
    with within({**limits, "seconds": None}):  # which are for each part
        from oddly.reporting import parts

        seconds = limits.get("seconds")
        cases = list(cases)
        groups = (protected,) if isinstance(protected, str) else tuple(protected)
        with within({"seconds": seconds}, least=5.0):
            odd = as_diagram(model)
        own, others = (
            file or (thing if origin.is_path(thing) else None)
            for file, thing in zip(files, (model, against), strict=True)
        )
        asked = ReportRequest(odd, own, against, others, rules, under, label, SECONDS if seconds is None else seconds)
        for case in cases:
            known_values(odd, case)  # what is wrong with one is said before any work
        if rules is not None:
            as_rules(rules, odd)
        sections = [
            asked.part("classifier", "The classifier", parts.classifier),
            asked.part("decisions", "What it decides", parts.decisions, judges=True),
            asked.part("diagram", "The diagram", parts.diagram),
        ]
        if against is not None:
            sections.append(asked.part("comparison", "Compared with another", parts.comparison, judges=True))
        if rules is not None:
            sections.append(asked.part("rules", "Rules", parts.rules, judges=True))
        sections += [asked.part(f"case-{i}", f"Case {i}", parts.case(case)) for i, case in enumerate(cases, start=1)]
        if groups:
            sections.append(asked.part("fairness", "Fairness", parts.fairness(groups), judges=True))
        sections += [
            asked.part("ranges", "How far each number may move", parts.ranges),
            asked.part("rounding", "Rounding", parts.rounding),
            asked.part("robustness", "Robustness", parts.robustness),
            asked.part("importance", "Which attributes matter", parts.importance),
        ]
        said = command or origin.command(model, against, rules, cases, groups, under, label)
        sections.append(parts.origin(asked, said))
        decided = "" if odd.source is None else odd.source.model.class_name
        return Report(
            title=title or f"Report on {origin.named(own, decided or 'a diagram')}",
            subtitle=origin.described(odd),
            instances=odd.instances,
            sections=tuple(sections),
            made=origin.made(),
        )


@dataclass(frozen=True)
class ReportRequest:
    """What a report is about, and what every part of it needs."""

    odd: ODD
    file: Any
    """Where it came from, if from a file."""
    against: Any
    other_file: Any
    rules: Rules | None
    under: Any
    label: str | None
    seconds: float

    def part(self, id: str, title: str, answer: "Part", judges: bool = False) -> Section:
        """A section, or the reason why there is none; one that `judges` is undecided then."""
        try:
            started = monotonic()
            with within({"seconds": self.seconds}):
                found = answer(self, Section(id, title, ()))
            late = monotonic() - started
            if late > self.seconds:
                said = (
                    f"This took {late:.3g} seconds: {self.seconds:g} were allowed, and it cannot be stopped on the way."
                )
                found = replace(found, blocks=(*found.blocks, Paragraph(said)))
            return found
        except Unsupported as error:
            words = _sentence(error)
            return Section(id, title, (Paragraph(f"Not answered: {words}"),), (Finding(title, "unanswered", words),))
        except (TooLarge, MemoryError) as error:
            words = _sentence(error)
            status: Status = "undecided" if judges else "unanswered"
            return Section(id, title, (Paragraph(f"Left out: {words}"),), (Finding(title, status, words),))


Part = Callable[[ReportRequest, Section], Section]
"""Fills an empty section."""


def _sentence(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
