# SPDX-License-Identifier: Apache-2.0
"""`oddly allow`: how far every number may move, and what blocks it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.answers import as_features
from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, diagram
from oddly.cli.output import emit_json, facts, heading
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from oddly.questions.allowed import Allowed
    from oddly.questions.allowed_families import AllowedZone
    from oddly.questions.ranges import Block, Range

EXAMPLE = """\
Example:
  oddly allow model.json
  oddly allow model.odd --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """How far may each number move before any decision changes?

    The prior, the threshold, every weight and every probability, each alone, and all of them together; and for
    each end the case that is the first to be decided otherwise.
    """
    from oddly.questions.allowed import allowed
    from oddly.questions.allowed_families import AllowedZone

    with Bar() as bar:
        odd = diagram(diagram_or_model, build, bar)
        answer = allowed(odd)
    if as_json:
        emit_json(answer.to_json())
    elif isinstance(answer, AllowedZone):
        _show_zone(answer)
    else:
        _show(answer)
    return 0


def _show_zone(answer: "AllowedZone") -> None:
    """The same for a choice among many classes."""
    cases = _Cases()
    points = answer.unit == "points"
    rows: list[Sequence[str]] = [("number", "now", "may be in", "low end", "high end")]
    rows += [
        _row(f"intercept of {label}" if points else f"Pr({answer.class_name}={label})", number, cases)
        for label, number in answer.prior.items()
    ]
    rows += [
        _row(f"points of {name}={value} for {label}", number, cases)
        for name, values in answer.weights.items()
        for value, labels in values.items()
        for label, number in labels.items()
    ]
    rows += _entries(answer, cases)
    facts([("decided", f"{answer.class_name} of {', '.join(answer.labels)}, {answer.instances:,} instances")])
    heading("")
    _table(rows)
    if cases.known:
        heading("")
        facts((str(i), said) for said, i in cases.known.items())


def _entries(answer: "Allowed | AllowedZone", cases: "_Cases") -> list[Sequence[str]]:
    return [
        _row(f"Pr({name}={value} | {label})", number, cases)
        for name, labels in answer.entries.items()
        for label, values in labels.items()
        for value, number in values.items()
    ]


def _show(answer: "Allowed") -> None:
    cases = _Cases()
    card = answer.unit == "points"
    rows: list[Sequence[str]] = [("number", "now", "may be in", "low end", "high end")]
    rows += _chance(f"Pr({answer.class_name}={answer.positive})", "intercept", answer.prior, cases)
    rows += _chance("threshold", "cut-off", answer.threshold, cases)
    rows += [
        _row(f"{'points' if card else 'weight'} of {name}={value}", number, cases)
        for name, values in answer.weights.items()
        for value, number in values.items()
    ]
    rows += _entries(answer, cases)
    facts(
        [
            ("decided", f"{answer.class_name}={answer.positive}, {answer.instances:,} instances"),
            ("margins", f"positive from {answer.alpha:.6g}, negative up to {answer.beta:.6g} {answer.unit}"),
            ("together", _together(answer, cases)),
        ]
    )
    heading("")
    _table(rows)
    if cases.known:
        heading("")
        facts((str(i), said) for said, i in cases.known.items())


class _Cases:
    """The blocking cases, numbered as they come up: the same few block most numbers."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, block: "Block | None") -> str:
        if block is None:
            return "free"
        said = f"{as_features(block.instance) or 'every case'} becomes {block.becomes}"
        return f"case {self.known.setdefault(said, len(self.known) + 1)}"


def _chance(name: str, of_a_card: str, number: "Range | None", cases: _Cases) -> Iterator[Sequence[str]]:
    """The prior or the threshold: as a probability and as log-odds, or in points."""
    if number is None or number.probability is not None:
        yield _row(name, number and number.probability, cases)
        if number is not None:
            yield _row("  its log-odds", number, cases)
    else:
        yield _row(of_a_card, number, cases)


def _row(name: str, number: "Range | None", cases: _Cases) -> Sequence[str]:
    if number is None:
        return name, "", "cannot move", "", ""
    return name, number.texts()[2], number.interval(), cases(number.below), cases(number.above)


def _together(answer: "Allowed", cases: _Cases) -> str:
    numbers = "intercept and points" if answer.unit == "points" else "prior and weights"
    both = answer.together
    ends = f"{cases(both.below)} below, {cases(both.above)} above"
    return f"{numbers} may all move by {both.interval()} {answer.unit} at once ({ends})"


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    facts((row[0], "".join(cell.ljust(w) for cell, w in zip(row[1:], widths[1:], strict=True))) for row in rows)
