# SPDX-License-Identifier: Apache-2.0
"""Where two classifiers decide differently: what `oddly.compare` answers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal

from oddly.algebra.domain import Domain
from oddly.answers import UNTOLD, Count, Rounded, ScopedAnswer, as_features, of_instances, percent, told
from oddly.answers.blocks import MOST_CASES, Block, Facts, Paragraph, Table
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.boxes import Box, Lift, boxes, lifts
from oddly.distribution.coarse import Between, Chance
from oddly.distribution.earned import total, with_points
from oddly.distribution.listing import instances
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Measure, Probability, shown
from oddly.errors import TooLarge, Unsupported, listed
from oddly.model import Model
from oddly.questions.compare.counterexample import Counterexample, counterexample
from oddly.questions.compare.sides import LeftOut, Meeting, ways_of
from oddly.questions.compare.weighing import Weighing, in_words, named_distribution

SAME = "same"
EVENT = (SAME, "differ", "outside")
LARGE = 0.01  # of what differs: a box that holds less describes nothing
SCATTERED = 0.2  # of what differs: if the largest boxes hold less, it lies nowhere in particular
MOST_PARTS = 5  # boxes that are shown


@dataclass(frozen=True, repr=False)
class Difference(ScopedAnswer):
    """Where two classifiers decide differently."""

    equivalent: bool
    count: Count
    """How many instances are decided differently."""
    instances: Count
    """Of so many: all there are, or those within the domain."""
    directions: Mapping[str, Count]
    """How many in each direction, such as {"no → yes": 2}: the first classifier's label, then the second's."""
    unit: Literal["instance", "cell"]
    """What is counted. Where the two cut numbers differently, cells: the values of both, cut as finely as either does."""
    left_out: LeftOut
    """What is not compared."""
    diagram: Annotated[ODD, UNTOLD] = field(compare=False)
    """The disagreement: labels "same" and one per direction; what is outside the domain counts as the same."""
    sides: Annotated[tuple[ODD, ODD], UNTOLD] = field(compare=False)
    """The diagrams of both, such as to see what each decides of an example."""
    _meeting: Meeting = field(compare=False)
    _names: tuple[str, str] = field(default=("model a", "model b"), compare=False)
    """How an error calls each side."""
    _domain: Domain | None = field(default=None, compare=False)
    """What it is about; None: all inputs."""

    def probability(self, under: Any = "a") -> float:
        """How likely is an instance that is decided differently?

        `under` is the distribution: "a" or "b" (that side's model), "uniform", another model, or a table of rows. It is
        that of the values which both sides know. Where a model does not say, because it cuts a number more coarsely than
        the other side, it is an error that names `bounds`.
        """
        found = self.bounds(under)
        if not found.settled:
            raise Unsupported(f"the probability is {in_words(found, named_distribution(under))}")
        return float(found.low)

    def bounds(self, under: Any = "a") -> Between:
        """Between which ends does that probability lie?  They are the same where it is settled.

        A model that cuts a number more coarsely than the other side does not say how its values divide. The ends are those
        of all distributions with the same probabilities of its values.
        """
        return self._weighing.chance(under).event

    def event(self, ways: Sequence[str]) -> ODD:
        """These directions as the second label of a diagram; what is outside the domain has a third."""
        such = {self.diagram.labels.index(way) for way in ways}
        found = combine(self.diagram, self.diagram, lambda i, _: int(i in such), EVENT[:2])
        return found if self._among is None else combine(found, self._among, lambda i, j: i if j else 2, EVENT)

    def bounds_of(self, event: ODD, under: Any) -> Between:
        """The same of the second label of a diagram over the same values, given its first or second."""
        return self._weighing.of(event, under).event

    def own_case(self, case: Mapping[str, str]) -> dict[str, str]:
        """A case in the first side's own values."""
        return self._meeting.sides[0].own(case)

    @property
    def own(self) -> bool:
        """Whether the two value their attributes alike."""
        return self._meeting.own

    def left_out_share(self, under: Any = "a") -> Between:
        """How probable is what is not compared, because only one side has a value for it?"""
        return self._weighing.chance(under).outside

    def decisions(self, rows: Any) -> list[tuple[str, str] | None]:
        """What does each side decide of these rows?  None of one with a value that only one side knows."""
        return self._weighing.decisions(rows)

    def _inside(self, measure: Measure) -> Probability:
        """What all inputs weigh that it is about."""
        if self._among is None:
            return measure.mass
        return float(sum(masses[1] for masses in label_masses(self._among, measure, exact=False)))

    def distribution(self, under: Any = None) -> Any:
        """The distribution asked for, or else the one to prefer: a's model, b's model, the uniform one."""
        return next(iter(self._own), "uniform") if under is None else under

    @cached_property
    @told
    def smallest(self) -> Counterexample | None:
        """The disagreement that needs the fewest attributes to be stated, whatever the values of all others.

        Where `fewest` is not set that none needs fewer is not proven; none of its own can be left out in any case.
        """
        if self.equivalent:
            return None
        first, second = self._meeting.sides
        ways = ways_of(first.cells, second.cells)
        return counterexample(self.diagram, ways, (first, second), self._weighing.order(self.distribution()))

    @told
    def examples(self, most: int = 5, under: Any = None) -> list[dict[str, str]]:
        """Some instances that are decided differently, the most probable first."""
        return list(islice(self.members(under), max(most, 0)))

    @told
    def points(self, most: int = 5, under: Any = None) -> list[tuple[Rounded | None, Rounded | None]]:
        """The points of these examples on both sides; null where a side has none."""
        return [self._points(case) for case in self.examples(most, under)]

    def _points(self, case: Mapping[str, str]) -> tuple[Rounded | None, Rounded | None]:
        first, second = (total(side.odd, side.own(case)) for side in self._meeting.sides)
        return first, second

    def members(self, under: Any = None) -> Iterator[dict[str, str]]:
        """All instances that are decided differently, lazily, the most probable first."""
        if self.equivalent:
            return
        for instance, _ in instances(self._differ, "differ", self._weighing.order(self.distribution(under))):
            yield instance

    @told
    def boxes(self, share: float = 0.9, most: int = 20) -> list[Box]:
        """Where it lies: disjoint boxes, largest first, until that share of it is covered."""
        return [] if self.equivalent else boxes(self._differ, "differ", share, most)

    @told
    def lifts(self, most: int = 5) -> list[Lift]:
        """The attribute values that are most over-represented in it."""
        return [] if self.equivalent else lifts(self._differ, "differ", most, self._among)

    @property
    def _among(self) -> ODD | None:
        return None if self._domain is None else self._domain.inside

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        rest = f" Not compared are {self.left_out.told(self.unit)}." if self.left_out.values else ""
        if self.equivalent:
            every = "they are about no input" if not self.instances else ""
            every = every or f"both decide alike on {of_instances(self.instances, self.instances, self.unit)}"
            return self.scope.said(f"The same classifier: {every}.{rest}")
        ways = ", ".join(f"{found:,} {way}" for way, found in self.directions.items() if found)
        some = of_instances(self.count, self.instances, self.unit)
        head = f"Not the same classifier: they differ on {some} ({ways})."
        return self.scope.said(f"{head} For example {self.smallest!r}.{rest}")

    def blocks(self, most: int | None = None, under: Any = None) -> tuple[Block, ...]:
        """`most` is how many examples there are, the most probable first by the distribution `under`."""
        by = self.distribution(under)
        compared = tuple(self._compared(by))
        told: tuple[Block, ...] = (Paragraph(self.sentence()),)
        told += (Facts("What is compared", compared),) if compared else ()
        if self.equivalent:
            return told
        ways = tuple((way, f"{n:,}", percent(n, self.instances)) for way, n in self.directions.items() if n)
        caption = "Decisions that differ: from the first classifier's to the second's"
        return (
            *told,
            Facts("How probable a disagreement is", tuple(self._chances(by))),
            Table(caption, ("from → to", f"{self.unit}s", "part of all"), ways, (1, 2)),
            *self._where(),
            *self.cases(MOST_CASES if most is None else most, by),
        )

    def _compared(self, by: Any) -> Iterator[tuple[str, str]]:
        """Which cells there are, and what is left out."""
        if cut := self._meeting.cut:
            yield "cells", f"the values of both, cut as finely as either does: {listed(cut, 60)}"
        if self.left_out.values:
            share = self.left_out_share(by)
            ends = shown(share.low) if share.settled else f"{shown(share.low)} to {shown(share.high)}"
            yield "left out", f"{self.left_out.told(self.unit)}; probability {ends} under {named_distribution(by)}"

    def _chances(self, by: Any) -> Iterator[tuple[str, str]]:
        """How probable a disagreement is by this distribution, then by all others there are."""
        yield "probability", in_words(self.bounds(by), named_distribution(by))
        for name in (*self._own, "uniform"):
            if not isinstance(by, str) or name != by:
                try:
                    yield "", in_words(self.bounds(name), named_distribution(name))
                except TooLarge as error:
                    yield "", f"undecided under {named_distribution(name)}: {error}"

    def _where(self) -> Iterator[Block]:
        """The values that are more frequent in the disagreement than elsewhere, and its largest parts."""
        lifts = tuple((f"{x.attribute}={x.value}", percent(x.share), percent(x.usual)) for x in self.lifts(3))
        if lifts:
            yield Table("Values more frequent than usual", ("value", "of these", "of all"), lifts, (1, 2))
        boxes = self.boxes(0.9, MOST_PARTS)
        held = float(sum(box.share for box in boxes))
        if held < SCATTERED:
            yield Paragraph(f"They lie scattered: the {len(boxes)} largest parts hold only {percent(held)} of them.")
        shares = [(box, percent(float(box.share))) for box in boxes if box.share >= LARGE]
        rows = tuple((box.condition, f"{box.size:,}", share) for box, share in shares)
        if rows:
            yield Table("Where they lie, the largest part first", ("part", f"{self.unit}s", "of these"), rows, (1, 2))

    def cases(self, most: int, under: Any = None) -> Iterator[Block]:
        """The most probable disagreements as a table."""
        by = self.distribution(under)
        found = self.decided(most, by)
        if not found:
            return
        rows = tuple((as_features(case), f"{first} → {second}") for case, first, second in found)
        points = [self._points(case) for case, _, _ in found]
        own = self.unit == "instance" or not (isinstance(by, Model) or by in ("a", "b"))
        first = "the most probable first" if own else "first what lies in the most probable values of the model"
        table = Table(f"Decided differently, {first}", (self.unit, "from → to"), rows, left_out=self.count - len(rows))
        yield table if points[0] == (None, None) else with_points(table, points)

    def decided(self, most: int = MOST_CASES, under: Any = None) -> list[tuple[dict[str, str], str, str]]:
        """Some instances that are decided differently, the most probable first, and what each side decides."""
        first, second = self._meeting.sides
        return [(case, first.decides(case), second.decides(case)) for case in self.examples(most, under)]

    @told
    def _probability(self) -> dict[str, float]:
        """How probable a disagreement is: under a or b, each model that says so, the uniform distribution, and given rows."""
        return {name: float(found.event.low) for name, found in self._known.items() if found.event.settled}

    @told
    def between(self) -> dict[str, Between]:
        """Between which ends it lies under a model that does not say how its values divide."""
        return {name: found.event for name, found in self._known.items() if not found.event.settled}

    @told
    def _left_out_probability(self) -> dict[str, Between]:
        """How probable what is left out is, under each distribution, if anything is."""
        return {name: found.outside for name, found in self._known.items()} if self.left_out.values else {}

    def to_json(self, exact: bool = False, *, examples: int = 5, under: Any = None, **instead: Any) -> dict[str, Any]:
        """The verdict, counts, probabilities and what describes it; so many examples by the distribution `under`."""
        cases = self.examples(examples, under)
        return super().to_json(exact, examples=cases, points=[self._points(case) for case in cases], **instead)

    @cached_property
    def _own(self) -> list[str]:
        """The sides whose model says how probable every instance is: an attribute that it lacks it says nothing of.

        One that calls all of a domain impossible has no probabilities there.
        """
        sources, order = [odd.source for odd in self.sides], self.diagram.order
        known = [name for name, s in zip("ab", sources, strict=True) if s is not None and s.model.knows(order)]
        whole = self._domain is None and not self.left_out.values
        return known if whole else [name for name in known if self._inside(self._weighing.order(name))]

    @cached_property
    def _differ(self) -> ODD:
        """The disagreement with its directions taken together: labels "same" and "differ"."""
        return combine(self.diagram, self.diagram, lambda i, _: int(i > 0), EVENT[:2])

    @cached_property
    def _known(self) -> dict[str, Chance]:
        """By distribution; without those that take too long."""
        found = {}
        for name in (*self._own, "uniform"):
            with suppress(TooLarge):
                found[name] = self._weighing.chance(name)
        return found

    def measure(self, under: Any) -> Measure:
        """The distribution that `under` names, over the instances that are compared."""
        return self._weighing.measure(under)

    @cached_property
    def _weighing(self) -> Weighing:
        event = self.event(list(self.directions))
        return Weighing(self.diagram, event, self.sides, self._meeting, self._names, self.scope.within)
