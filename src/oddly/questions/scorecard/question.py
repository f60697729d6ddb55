# SPDX-License-Identifier: Apache-2.0
"""Can this be decided with a pencil?  The smallest whole-number card that decides alike, and what smaller ones change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Unpack

from oddly.answers import Answer, As, Block, Count, Paragraph, as_features, of_instances, told
from oddly.answers.terminal import plain
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.measure import measure_of
from oddly.errors import Unsupported
from oddly.model import Scorecard
from oddly.model.numbers import whole
from oddly.questions.compare.question import compare
from oddly.questions.scorecard.cases import Case, Sums, Unknowns, as_scorecard, class_name, cutoff_of
from oddly.questions.scorecard.curve import Curve, WholePoints, curve, largest, points_table, rows_of, said_from
from oddly.questions.scorecard.programme import OUT_OF_TIME, Solution, smallest_points
from oddly.runtime import LimitArguments, in_time, limited, stopped

SECONDS, CURVE_SECONDS = 60.0, 10.0
LONG = 300  # letters that a sentence may spend on one side of a conflict


@dataclass(frozen=True)
class Weighed:
    """A case, and how often it counts in a conflict."""

    times: int
    instance: Mapping[str, str]
    decision: str


@dataclass(frozen=True, repr=False)
class Card(Answer):
    """The smallest card of whole-number points that makes every decision of a classifier, or why there is none."""

    class_name: str
    positive: str
    instances: Count
    card: Annotated[Scorecard, As(WholePoints, WholePoints.of)] | None
    """Compiled anew and compared with the classifier on every instance."""
    largest: int | None
    """The largest points of any value."""
    total: int | None
    """The points of all values together."""
    smallest: bool
    """Whether it is proven that no exact card has less for its largest points, nor, with those, less in all."""
    bound: int
    """The largest points of no exact card are below this: proven in whole numbers."""
    most: int | None
    """The largest points that were asked for."""
    conflict: tuple[Weighed, ...]
    """Why there is no card at all: the cases of both decisions have every value equally often between them."""
    gave_up: str
    """What stopped the search, if it did not come to an end."""
    _odd: ODD = field(compare=False)
    _asked: ODD = field(compare=False)
    """The same before one of its labels was asked for: it has the model."""

    @property
    @told
    def exists(self) -> bool | None:
        """Whether there is a card as asked; None if that is not known."""
        if self.card is not None:
            return True
        return False if self.conflict or (self.most is not None and self.bound > self.most) else None

    @property
    def decided(self) -> bool:
        """Whether the question is settled: the smallest card found, or none possible."""
        return self.smallest or self.exists is False

    def rows(self) -> list[tuple[str, str, int]]:
        """(attribute, value, points), as a clerk would look them up."""
        return rows_of(self.card) if self.card else []

    def curve(
        self, most: int = 10, under: Any = None, *, tries: int = 20, seed: int = 0, **limits: Unpack[LimitArguments]
    ) -> Curve:
        """How likely is a changed decision if no value may earn more than 1, 2, 3… points?

        The best card of each budget, up to the first that changes nothing. `under` is "model" (the default if there
        is one) or "uniform". Each card is compiled and compared, and no card with points up to its budget changes
        less where `least` says so: proven. Where `seconds` for all budgets together (by default 10) do not do for that,
        `bound` is what any card changes at least, and `tries` random starts look for a better one.

        >>> import oddly
        >>> scorecard(oddly.examples.pregnancy()).curve()
        The best cards, under the model:
          points up to 1: yes from 1 point; changes 1 of 8 instances, probability 0.02722, proven least
          points up to 2: yes from 2 points; changes nothing
        """
        with in_time(limits, CURVE_SECONDS) as deadline:
            measure = measure_of(self._asked, under)
            return curve(self._odd, self.card, most, measure, tries=tries, seed=seed, deadline=deadline)

    def verdict(self) -> bool:
        if self.exists is None:
            raise stopped(f"undecided: {self.gave_up}", "", "seconds=600" if self.gave_up == OUT_OF_TIME else "")
        return self.exists

    def sentence(self) -> str:
        return "\n".join([self.summary(), *(plain(points_table(self.card)) if self.card else ())])

    def summary(self) -> str:
        if self.card is None:
            return self._none()
        text = f"{said_from(self.card)}: the same decisions on {of_instances(self.instances, self.instances)}."
        if self.smallest and not self.total:
            return f"{text} No value earns any points."
        if self.smallest:
            text += f" No such card has less than {self.largest:,} as its largest points, nor with that less than"
            return f"{text} {self.total:,} in all (proven in whole numbers)."
        least = f"that they are at least {self.bound:,} is proven in whole numbers; what lies between is undecided"
        return f"{text} The largest points are {self.largest:,}; {least}: {self.gave_up}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        return (Paragraph(self.summary()), *([points_table(self.card)] if self.card else []))

    def _none(self) -> str:
        if self.conflict:
            yes, no = (self._side(label) for label in self._odd.labels[::-1])
            text = f"No card: no points whatever make these decisions. {yes} and {no} have every value equally often,"
            return f"{text} so any card gives both sides the same points (checked in whole numbers)."
        if self.exists is False:
            least = f"the largest points are at least {self.bound:,} (proven in whole numbers)"
            return f"No card with points up to {self.most:,}: {least}."
        known = f" The largest points are at least {self.bound:,} (proven in whole numbers)." if self.bound else ""
        return f"Undecided: {self.gave_up}.{known}"

    def _side(self, label: str) -> str:
        """The cases of one decision in a conflict; many are only counted."""
        cases = [case for case in self.conflict if case.decision == label]
        text = " + ".join(f"{case.times} × " * (case.times > 1) + f"({as_features(case.instance)})" for case in cases)
        return (
            f"{text} ({label})" if len(text) < LONG else f"{len(cases)} cases decided {label}, listed in `.conflict`,"
        )


def scorecard(
    odd_or_model: Any, *, label: str | None = None, max_points: int | None = None, **limits: Unpack[LimitArguments]
) -> Card:
    """Which whole-number points, the smallest, make exactly the same decisions?

    The least largest points, and of those the least in all; every value earns 0 or more, and each attribute's least
    value 0. `label` asks for one decision against all others, `max_points` whether such a card exists with points up
    to that. The search stops after `seconds`, by default 60, with what it has, and says so. Needs SciPy.

    >>> import oddly
    >>> scorecard(oddly.examples.pregnancy())
    yes from 2 points: the same decisions on all 8 instances. No such card has less than 2 as its largest points, nor
    with that less than 4 in all (proven in whole numbers).
      U  +ve  1
         -ve  0
      B  +ve  1
         -ve  0
      S  +ve  2
         -ve  0
    """
    if max_points is not None:
        whole(max_points, "max_points")
    with limited(limits, least=5.0):  # so that there is a diagram to say something of
        odd = asked = as_diagram(odd_or_model)
    if label is not None and (len(odd.labels) > 2 or label != odd.labels[1]):
        odd = odd.is_(label)
    if len(odd.labels) != 2:
        found = f"a card decides between two labels, and there are {len(odd.labels)}"
        raise Unsupported(f"{found}; name the one that points count for, such as label={odd.labels[0]!r}")
    with in_time(limits, SECONDS) as deadline:
        return _answer(odd, smallest_points(odd, max_points, deadline), max_points, asked)


def _answer(odd: ODD, found: Solution, most: int | None, asked: ODD) -> Card:
    card = None if found.points is None else _checked(odd, Unknowns.of(odd).points(found.points))
    most_of_one = None if card is None else largest(card)
    total = None if card is None else sum(points for *_, points in rows_of(card))
    conflict = tuple(_weighed(odd, times, case) for times, case in found.conflict or ())
    known = found.smallest and card is not None, found.bound, most, conflict, found.gave_up
    return Card(class_name(odd), odd.labels[1], odd.instances, card, most_of_one, total, *known, odd, asked)


def _checked(odd: ODD, points: list[Sums]) -> Scorecard:
    cutoff = cutoff_of(odd, points) if odd.levels else 1 - odd.root
    assert cutoff is not None
    card = as_scorecard(odd, points, cutoff)
    difference = compare(odd, card)
    if not difference.equivalent:  # unreachable unless there is a bug: the passes over the diagram said otherwise
        raise AssertionError(f"a card that was found exact is not: {difference!r}")
    return card


def _weighed(odd: ODD, times: int, case: Case) -> Weighed:
    """Of values that always decide alike the first stands for all, so that a conflict balances value by value."""
    alike = [row.index(row[value]) for row, value in zip(Unknowns.of(odd).numbers, case, strict=True)]
    return Weighed(abs(times), odd.instance_of(alike), odd.labels[int(times > 0)])
