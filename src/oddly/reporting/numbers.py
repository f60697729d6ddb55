# SPDX-License-Identifier: Apache-2.0
"""What small changes do: to the numbers of a model, to their digits, and to the inputs."""

from collections.abc import Iterator
from dataclasses import replace

from oddly.answers import as_features, as_json
from oddly.answers.blocks import Bar, Block, Paragraph, Table
from oddly.diagram import ODD
from oddly.errors import TooLarge, Unsupported
from oddly.questions.allowed.families import AllowedZone
from oddly.questions.allowed.question import Allowed, allowed
from oddly.questions.allowed.ranges import Block as Blocking
from oddly.questions.allowed.ranges import Range
from oddly.questions.importance.question import importance as how_important
from oddly.questions.robustness import robustness as how_robust
from oddly.questions.rounding import rounding as rounded
from oddly.reporting.asking import Asked
from oddly.reporting.content import Finding, Section

MOST_ROWS = 300
MOST_NODES = 30_000_000  # of diagrams whose numbers, digits and changes are looked at within a page
MOST_DIGITS = 6  # that are tried, one after the other


def ranges(asked: Asked, section: Section) -> Section:
    """Where each number may lie, and the input that stops it."""
    _not_too_large(asked.odd, "oddly allow")
    found = allowed(asked.odd, progress=asked.limits["progress"])
    rows = [
        (name, r) for name, r in (_of_two(found) if isinstance(found, Allowed) else _of_many(found)) if r is not None
    ]
    cases: dict[str, int] = {}
    tables = [
        _table(unit, [(n, r) for n, r in rows if r.unit == unit], cases)
        for unit in ("points", "log-odds", "probability")
    ]
    blocks: list[Block] = [
        Paragraph(found.sentence()),
        Paragraph(
            "Each number moves alone here, all others as they are. Square brackets belong to the range, round ones do not."
        ),
        *(table for table in tables if table.rows),
    ]
    if cases:
        numbered = tuple((str(n), case) for case, n in cases.items())
        blocks.append(Table("The inputs that stop them", ("no.", "the first to be decided otherwise"), numbered, (0,)))
    finding = Finding("how far each number may move", "told", _first(found, len(rows)))
    return replace(section, blocks=tuple(blocks), findings=(finding,), data=as_json(found))


def _table(unit: str, rows: list[tuple[str, Range]], cases: dict[str, int]) -> Table:
    shown_rows = rows[:MOST_ROWS]
    cells = []
    for name, r in shown_rows:
        now = r.texts()[2]
        cells.append((name, now, r.interval(), _stopped(r.below, cases), _stopped(r.above, cases)))
    captions = {"points": "Points", "log-odds": "Weights, in log-odds", "probability": "Probabilities"}
    return Table(
        captions[unit],
        ("number", "now", "may be in", "stopped below by", "stopped above by"),
        tuple(cells),
        numeric=(1, 2),
        bars=tuple(Bar(r.low, r.high, r.now) for _, r in shown_rows),
        left_out=len(rows) - len(shown_rows),
    )


def _stopped(block: Blocking | None, cases: dict[str, int]) -> str:
    """An input by its number; the first time it is met it gets one."""
    if block is None:
        return "nothing"
    case = f"{as_features(block.instance) or 'every input'} becomes {block.becomes}"
    return f"input {cases.setdefault(case, len(cases) + 1)}"


def _of_two(found: Allowed) -> Iterator[tuple[str, Range | None]]:
    points = found.unit == "points"
    prior = "intercept" if points else f"Pr({found.class_name}={found.positive})"
    for name, r in ((prior, found.prior), ("cut-off" if points else "threshold", found.threshold)):
        if r is not None:
            yield name, r.probability or r
    for attribute, by_value in found.weights.items():
        for value, r in by_value.items():
            yield f"{attribute}={value}", r
    yield from _entries(found)


def _of_many(found: AllowedZone) -> Iterator[tuple[str, Range | None]]:
    for label, r in found.prior.items():
        yield (f"intercept of {label}" if found.unit == "points" else f"Pr({found.class_name}={label})"), r
    for attribute, values in found.weights.items():
        for value, classes in values.items():
            for label, r in classes.items():
                yield f"{attribute}={value}, for {label}", r
    yield from _entries(found)


def _entries(found: Allowed | AllowedZone) -> Iterator[tuple[str, Range | None]]:
    for attribute, by_row in found.entries.items():
        for given, by_value in by_row.items():
            for value, r in by_value.items():
                yield f"Pr({attribute}={value}{f' | {given}' if given else ''})", r


def _first(found: Allowed | AllowedZone, numbers: int) -> str:
    """The prior in one sentence, or how many numbers there are."""
    if isinstance(found, AllowedZone) or found.prior is None:
        return f"{numbers:,} numbers, each with its range." if numbers else "No number here can move alone."
    told = found.prior.probability or found.prior
    name = "The intercept" if found.unit == "points" else f"Pr({found.class_name}={found.positive})"
    return f"{name} may be {'anything' if told.any else f'in {told.interval()}'}, now {told.texts()[2]}."


def rounding(asked: Asked, section: Section) -> Section:
    """How many digits are needed."""
    _not_too_large(asked.odd, "oddly round")
    if asked.odd.source is None:
        raise Unsupported("the diagram was combined from others, so there are no numbers to round")
    return section.telling(rounded(asked.odd.source.model, MOST_DIGITS), "how many digits are needed")


def robustness(asked: Asked, section: Section) -> Section:
    """How many changes decisions withstand."""
    _not_too_large(asked.odd, "oddly robust")
    return section.telling(how_robust(asked.odd, under=asked.under, **asked.limits), "how robust decisions are")


def importance(asked: Asked, section: Section) -> Section:
    """How often each attribute alone can change the decision."""
    _not_too_large(asked.odd, "oddly importance")
    return section.telling(how_important(asked.odd, under=asked.under, **asked.limits), "which attributes matter")


def _not_too_large(odd: ODD, command: str) -> None:
    if odd.size > MOST_NODES:
        raise TooLarge(f"{odd.size:,} nodes, and a page looks at {MOST_NODES:,}.  `{command}` asks this alone.")
