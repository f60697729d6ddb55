# SPDX-License-Identifier: Apache-2.0
"""`oddly allow`: how far every number may move, and what blocks it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.answers import as_features, many_instances
from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, diagram
from oddly.cli.output import emit_json, facts, heading
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from oddly.questions.allowed.families import AllowedZone
    from oddly.questions.allowed.question import Allowed
    from oddly.questions.allowed.ranges import Block, Range

EXAMPLE = """\
Example:
  oddly allow model.json
  oddly allow network.bif --class fault --positive yes
  oddly allow model.odd --json"""

FEW = 100  # probabilities of tables that are all shown
FIRST = 40  # of more, so many


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    most: Annotated[
        int | None,
        Parameter(name="--list", help="Show so many probabilities of tables, those with the least room first."),
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """How far may each number move before any decision changes?

    The prior, the threshold, every weight and every probability, each alone, and all of them together; and for
    each end the case that is the first to be decided otherwise. Of more than 100 probabilities in tables those with
    the least room are shown, 40 or as many as --list says; --json has them all.
    """
    from oddly.questions.allowed.families import AllowedZone
    from oddly.questions.allowed.question import allowed

    with Bar() as bar:
        odd = diagram(diagram_or_model, build, bar)
        answer = allowed(odd, max_memory=build.limits()["max_memory"], progress=bar)
    if as_json:
        emit_json(answer.to_json())
    elif isinstance(answer, AllowedZone):
        _show_zone(answer, most)
    else:
        _show(answer, most)
    return 0


def _show_zone(answer: "AllowedZone", most: int | None) -> None:
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
    shown, left_out = _entries(answer, most)
    rows += [_row(name, number, cases) for name, number in shown]
    facts([("decided", f"{answer.class_name} of {', '.join(answer.labels)}, {many_instances(answer.instances)}")])
    _ranges(rows, left_out, cases)


def _entries(
    answer: "Allowed | AllowedZone", most: int | None
) -> "tuple[list[tuple[str, Range | None]], list[tuple[str, str]]]":
    """The probabilities of tables that are shown, and what is said of all others."""
    found = [
        (f"Pr({name}={value}{f' | {label}' if label else ''})", number)
        for name, labels in answer.entries.items()
        for label, values in labels.items()
        for value, number in values.items()
    ]
    if len(found) <= FEW and most is None:
        return found, [("unknown", answer.entries_unknown)] if answer.entries_unknown else []
    stopped = [(name, number) for name, number in found if number is not None and not number.any]
    shown = sorted(stopped, key=lambda entry: _least_room(entry[1]))[: FIRST if most is None else most]
    fixed = sum(number is None for _, number in found)
    others = [
        ("more", len(stopped) - len(shown), "that have more room, each alone"),
        ("free", len(found) - len(stopped) - fixed, "that nothing stops, each alone"),
        ("fixed", fixed, "of 0 or 1, which cannot move a little"),
    ]
    return list(shown), [(what, f"{count:,} probabilities {why}") for what, count, why in others if count]


def _least_room(number: "Range") -> float:
    """How far the nearest case is that stops a probability."""
    ends = ((number.below, number.now - number.low), (number.above, number.high - number.now))
    return min(away for block, away in ends if block is not None)


def _show(answer: "Allowed", most: int | None) -> None:
    cases = _Cases()
    card = answer.unit == "points"
    rows: list[Sequence[str]] = [("number", "now", "may be in", "low end", "high end")]
    if answer.prior is not None or answer.class_name not in answer.entries:
        rows += _chance(f"Pr({answer.class_name}={answer.positive})", "intercept", answer.prior, cases)
    rows += _chance("threshold", "cut-off", answer.threshold, cases)
    rows += [
        _row(f"{'points' if card else 'weight'} of {name}={value}", number, cases)
        for name, values in answer.weights.items()
        for value, number in values.items()
    ]
    shown, left_out = _entries(answer, most)
    rows += [_row(name, number, cases) for name, number in shown]
    facts(
        [
            ("decided", f"{answer.class_name}={answer.positive}, {many_instances(answer.instances)}"),
            ("margins", f"positive from {answer.alpha:.6g}, negative up to {answer.beta:.6g} {answer.unit}"),
            ("together", _together(answer, cases)),
        ]
    )
    _ranges(rows, left_out, cases)


def _ranges(rows: Sequence[Sequence[str]], left_out: list[tuple[str, str]], cases: "_Cases") -> None:
    """The table, what it leaves out, and the cases that its numbers stand for."""
    heading("")
    _table(rows)
    if left_out:
        heading("")
        facts(left_out)
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
