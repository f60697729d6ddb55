# SPDX-License-Identifier: Apache-2.0
"""The questions of a report, one after the other, each within its time; what cannot be answered says why. And where it comes
from: the model's digests, the versions, the date, the command that makes it again.
"""

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from shlex import join
from time import monotonic
from typing import Any, Unpack

import numpy as np

from oddly import native
from oddly.algebra.domain import Within, domain_of
from oddly.algebra.groups import ValueGroups
from oddly.answers.blocks import Paragraph
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.refine import Values
from oddly.diagram.rows import known_values
from oddly.errors import TooLarge, Unsupported
from oddly.formats import model_digest
from oddly.formats.text import comma_text
from oddly.questions.check.language import Rules, as_rules
from oddly.reporting.content import Finding, Report, Section, Status
from oddly.runtime import LimitArguments, limited

SECONDS = 30.0


def report(
    model: Any,
    *,
    against: Any = None,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    rules: Rules | None = None,
    cases: Iterable[Mapping[str, object]] = (),
    protected: str | ValueGroups | Sequence[str | ValueGroups] = (),
    under: Any = None,
    within: Within = None,
    label: str | None = None,
    title: str | None = None,
    command: str | None = None,
    files: tuple[Any, Any] = (None, None),
    **limits: Unpack[LimitArguments],
) -> Report:
    """What should be known of this classifier, on one page?

    What it decides on all inputs and how that is proven; its diagram; what it decides otherwise than another classifier
    (`against`), read from that one's decisions to its own, with `values` and `labels` as in `oddly.compare(against, model)`; whether
    it obeys `rules` (as `oddly.check` takes them); how far each number may move; how robust it is and which
    attributes matter; the reasons of some `cases`; and whether decisions hinge on `protected` ones, as in
    `oddly.fairness`. `under` is the
    distribution of all probabilities, as in `oddly.count`, `within` the domain of inputs that exist, and `label` the decision that groups are compared by. A part that
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
    with limited({**limits, "seconds": None}):  # which are for each part
        from oddly.reporting import parts

        seconds = limits.get("seconds")
        cases = list(cases)
        groups = (protected,) if isinstance(protected, str | ValueGroups) else tuple(protected)
        with limited({"seconds": seconds}, least=5.0):
            odd = as_diagram(model)
        own, others = (
            file or (thing if _is_path(thing) else None) for file, thing in zip(files, (model, against), strict=True)
        )
        seconds = SECONDS if seconds is None else seconds
        asked = ReportRequest(odd, own, against, others, rules, under, label, seconds, within, values, labels)
        scope = domain_of(within, odd).scope
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
        sections.append(asked.part("ranges", "How far each number may move", parts.ranges))
        if odd.source is not None and odd.source.model.additive:
            sections.append(asked.part("flips", "How far, if a few decisions may change", parts.flips))
        sections += [
            asked.part("rounding", "Rounding", parts.rounding),
            asked.part("robustness", "Robustness", parts.robustness),
            asked.part("importance", "Which attributes matter", parts.importance),
        ]
        said = command or command_line(model, against, rules, cases, groups, under, label, within_words(within))
        sections.append(parts.origin(asked, said))
        decided = "a diagram" if odd.source is None else odd.source.model.class_name or "a diagram"
        title = title or f"Report on {named(own, decided)}"
        return Report(title, described(odd), scope.inputs, tuple(sections), _made(), scope.within)


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
    within: Within
    """Which inputs it is about."""
    values: Values = "common"
    """What becomes of values that only one of the two knows."""
    labels: Mapping[str, str] | None = None
    """What the other calls the labels of this one."""

    def part(self, id: str, title: str, answer: "Part", judges: bool = False) -> Section:
        """A section, or the reason why there is none; one that `judges` is undecided then."""
        try:
            started = monotonic()
            with limited({"seconds": self.seconds}):
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


# ---- where it comes from ----


def digests(file: Any, odd: ODD) -> list[tuple[str, str]]:
    """SHA-256 of the file and of the model in it, as far as there is one."""
    found = []
    if file is not None and os.path.isfile(file):
        with open(file, "rb") as data:
            found.append(("SHA-256 of the file", hashlib.file_digest(data, "sha256").hexdigest()))
    if odd.source is not None:
        found.append(("SHA-256 of the model", model_digest(odd.source.model)))
    return found


def _is_path(thing: Any) -> bool:
    return isinstance(thing, str | os.PathLike)


def named(file: Any, otherwise: str) -> str:
    """A classifier as a page calls it: by its file's name, or by what it is."""
    return otherwise if file is None else os.path.basename(os.fspath(file))


def described(odd: ODD) -> str:
    """What a classifier is, in a sentence."""
    return repr(odd) if odd.source is None else repr(odd.source.model)


def _made() -> dict[str, str]:
    """The moment, or what SOURCE_DATE_EPOCH says it is, and the versions."""
    import oddly

    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    return {
        "date": moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "Oddly": str(oddly.__version__),
        "engine": "native, in C++" if native.AVAILABLE else "NumPy",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }


def within_words(within: Within) -> list[str]:
    """A domain as one types it, as far as it came as texts."""
    several = within if isinstance(within, list | tuple) else [] if within is None else [within]
    return [f"--within={os.fspath(one)}" for one in several if _is_path(one)]


def command_line(
    model: Any,
    against: Any,
    rules: Any,
    cases: Iterable[Mapping[str, object]],
    protected: Sequence[str | ValueGroups],
    under: Any,
    label: str | None,
    more: Sequence[str] = (),
    output: str = "report.html",
) -> str | None:
    """What to type for the same report; None where something came from a program and not from a file."""
    files = [thing for thing in (model, against, under) if thing is not None]
    if not all(map(_is_path, files)) or not (rules is None or isinstance(rules, str | os.PathLike | list | tuple)):
        return None
    words = ["oddly", "report", os.fspath(model)]
    words += ["--against", os.fspath(against)] if against is not None else []
    if isinstance(rules, os.PathLike):
        words += ["--rules", os.fspath(rules)]
    else:
        words += [f"--rule={rule}" for rule in ([rules] if isinstance(rules, str) else rules or ())]
    words += [f"--case={comma_text(f'{name}={value}' for name, value in case.items())}" for case in cases]
    words += [word for name in protected for word in ("--protected", str(name))]
    words += ["--under", os.fspath(under)] if under is not None else []
    words += ["--label", label] if label is not None else []
    return join([*words, *more, "-o", output])
