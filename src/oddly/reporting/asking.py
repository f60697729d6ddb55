# SPDX-License-Identifier: Apache-2.0
"""The questions of a report, one after the other, each within its time; what cannot be answered says why."""

import atexit
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from oddly.answers.blocks import Paragraph
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.errors import ModelError, TooLarge, Unsupported
from oddly.questions.check.files import Rules, as_rules
from oddly.questions.explain.question import known_values
from oddly.reporting import origin
from oddly.reporting.content import Finding, Report, Section, Status
from oddly.runtime import Progress, within

SECONDS = 30.0
GRACE = 1.0  # seconds more for what stops by itself
PATIENCE = 60.0  # seconds at the end of a program for what does not


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
    seconds: float = SECONDS,
    max_nodes: int | None = None,
    command: str | None = None,
    files: tuple[Any, Any] = (None, None),
    progress: Progress | None = None,
) -> Report:
    """What should be known of this classifier, on one page?

    What it decides on all inputs and how that is proven; its diagram; what another classifier (`against`) decides otherwise;
    whether it obeys `rules` (as `oddly.check` takes them); how far each number may move; how robust it is and which
    attributes matter; the reasons of some `cases`; and whether decisions hinge on `protected` attributes. `under` is the
    distribution of all probabilities, as in `oddly.count`, and `label` the decision that groups are compared by. A part that
    takes longer than `seconds`, or more than `max_nodes`, is left out, and the page says so. `files` are those that the two
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
    from oddly.reporting import parts

    if not seconds > 0:
        raise ModelError(f"seconds: expected some time, found {seconds!r}")
    cases = list(cases)
    groups = (protected,) if isinstance(protected, str) else tuple(protected)
    with within({"max_nodes": max_nodes, "progress": progress}):
        odd = as_diagram(model)
    own, others = (
        file or (thing if origin.is_path(thing) else None) for file, thing in zip(files, (model, against), strict=True)
    )
    asked = ReportRequest(odd, own, against, others, rules, under, label, seconds, progress, max_nodes)
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
    progress: Progress | None
    max_nodes: int | None = None
    deadline: float = inf

    @property
    def limits(self) -> dict[str, Any]:
        """How far a question may go; those that tell their progress stop when their time is over."""
        return {"progress": self._tick, "max_nodes": self.max_nodes}

    def part(self, id: str, title: str, answer: "Part", judges: bool = False) -> Section:
        """A section, or the reason why there is none; one that `judges` is undecided then."""
        asked = replace(self, deadline=time.monotonic() + self.seconds)
        try:
            return self._within(lambda: answer(asked, Section(id, title, ())))
        except Unsupported as error:
            words = _sentence(error)
            return Section(id, title, (Paragraph(f"Not answered: {words}"),), (Finding(title, "unanswered", words),))
        except (TooLarge, MemoryError) as error:
            words = _sentence(error)
            status: Status = "undecided" if judges else "unanswered"
            return Section(id, title, (Paragraph(f"Left out: {words}"),), (Finding(title, status, words),))

    def _within(self, answer: Callable[[], Section]) -> Section:
        """The section, if it comes in time. What is still at work is told to stop, and left behind."""
        found: list[Section] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                found.append(answer())
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(self.seconds + GRACE)
        if failed:
            raise failed[0]
        if not found:
            _stop(thread)
            raise _late(self.seconds)
        return found[0]

    def _tick(self, what: str, done: int, total: int) -> None:
        if time.monotonic() > self.deadline:
            raise _late(self.seconds)
        if self.progress is not None:
            self.progress(what, done, total)


Part = Callable[[ReportRequest, Section], Section]
"""Fills an empty section."""


class _Stopped(BaseException):
    """What work that is left behind meets at its next step."""


def _stop(thread: threading.Thread) -> None:
    """Stop a thread as soon as it is back in Python; a program that ends before that waits for it a while."""
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_Stopped))
    atexit.register(thread.join, PATIENCE)


def _late(seconds: float) -> TooLarge:
    return TooLarge(f"it took more than {seconds:g} seconds.  Allow more: seconds={4 * seconds:g}.")


def _sentence(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
