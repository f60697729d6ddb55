# SPDX-License-Identifier: Apache-2.0
"""The ranges of all numbers, one after the other, and laid out: what stops most of them are the same few cases."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oddly.answers import ScopedAnswer, as_features, many_instances
from oddly.answers.blocks import Bar, Block, Facts, Paragraph, Table
from oddly.questions.allowed.ranges import Block as Stop
from oddly.questions.allowed.ranges import Range, Unit

FEW = 100  # probabilities of tables that are all shown
FIRST = 40  # of more, so many
CAPTIONS: Mapping[Unit, str] = {"probability": "Probabilities", "log-odds": "Log-odds", "points": "Points"}
HEAD = ("number", "now", "may be in", "stopped below by", "stopped above by")
ALONE = "Each number moves alone here, all others as they are. Square brackets belong to a range, round ones do not."

Path = tuple[str, ...]
"""As `Model.numbers` has it; and ("weight", attribute, value), ("log-odds", "prior") or ("log-odds", "threshold")."""
Number = tuple[Path, str, Range | None]
"""Where it stands, its name, and where it may lie; None: it cannot move a little."""


class Ranges(ScopedAnswer):
    """What the answers of `allowed` have in common."""

    class_name: str
    instances: int
    unit: Unit
    weights: Mapping[str, Mapping[str, Any]]
    entries: Mapping[str, Mapping[str, Mapping[str, Range | None]]]
    entries_unknown: str

    @abstractmethod
    def weighing(self) -> Iterator[Number]:
        """The prior, the threshold and the weights, or what stands for them."""

    @abstractmethod
    def decided(self) -> str:
        """What is decided, in words."""

    def ranges(self) -> Iterator[Number]:
        """Every number with its name and its range."""
        yield from self.weighing()
        for name, rows in self.entries.items():
            for given, values in rows.items():
                for value, found in values.items():
                    yield ("entry", name, given, value), f"Pr({name}={value}{f' | {given}' if given else ''})", found

    def summary(self) -> str:
        many = sum(found is not None for *_, found in self.ranges())
        return f"{many:,} numbers, each with its range." if many else "No number here can move alone."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        cases = StoppingCases()
        decided = f"{self.decided()}, {many_instances(self.instances)}"
        facts = [("decided", decided), *self.scope.facts(), *self.about(cases)]
        rows, left_out = self._shown(most)
        units = [(unit, [row for row in rows if unit_of(row) == unit]) for unit in CAPTIONS]
        tables = [_table(CAPTIONS[unit], found, cases) for unit, found in units if found]
        return (
            Facts("What is decided", tuple(facts)),
            *([Paragraph(ALONE)] if tables else []),
            *tables,
            *([Facts("Not shown", tuple(left_out))] if left_out else []),
            *cases.blocks(),
        )

    def about(self, cases: "StoppingCases") -> Iterator[tuple[str, str]]:
        """What else there is to say of all numbers."""
        yield from ()

    def _shown(self, most: int | None) -> tuple[list[Number], list[tuple[str, str]]]:
        """The numbers that are shown, and what is said of all others: of many entries, those with the least room."""
        found = list(self.ranges())
        entries = [row for row in found if row[0][0] == "entry"]
        if len(entries) <= (FEW if most is None else most):
            return found, [("unknown", self.entries_unknown)] if self.entries_unknown else []
        stopped = sorted(((r.room, place) for place, (*_, r) in enumerate(entries) if r is not None and not r.any))
        shown = [entries[place] for _, place in stopped[: FIRST if most is None else most]]
        fixed = sum(row[2] is None for row in entries)
        others = [
            ("more", len(stopped) - len(shown), "that have more room, each alone"),
            ("free", len(entries) - len(stopped) - fixed, "that nothing stops, each alone"),
            ("fixed", fixed, "of 0 or 1, which cannot move a little"),
        ]
        told = [(what, f"{count:,} probabilities {why}") for what, count, why in others if count]
        return [row for row in found if row[0][0] != "entry"] + shown, told


class StoppingCases:
    """The cases that stop numbers, counted as they come up."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, stop: Stop | None) -> str:
        if stop is None:
            return "nothing"
        said = f"{as_features(stop.instance) or 'every case'} becomes {stop.becomes}"
        return f"case {self.known.setdefault(said, len(self.known) + 1)}"

    def blocks(self) -> Iterator[Table]:
        if self.known:
            rows = tuple((str(number), said) for said, number in self.known.items())
            yield Table("The cases that stop them", ("case", "is the first to be decided otherwise"), rows, (0,))


def unit_of(number: Number) -> Unit:
    path, _, found = number
    return found.unit if found is not None else "log-odds" if path[0] == "weight" else "probability"


def _table(caption: str, numbers: Sequence[Number], cases: StoppingCases) -> Table:
    rows = tuple(_row(name, found, cases) for _, name, found in numbers)
    return Table(caption, HEAD, rows, (1, 2), bars(numbers)).cut()


def bars(numbers: Sequence[Number]) -> tuple[Bar | None, ...]:
    """Every number in its range, as a picture."""
    return tuple(None if found is None else Bar(found.low, found.high, found.now) for *_, found in numbers)


def _row(name: str, found: Range | None, cases: StoppingCases) -> tuple[str, ...]:
    if found is None:
        return name, "", "cannot move", "", ""
    return name, found.texts()[2], found.interval(), cases(found.below), cases(found.above)
