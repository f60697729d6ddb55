# SPDX-License-Identifier: Apache-2.0
"""How robust is the classifier?

The robustness of an instance is the fewest attributes whose change makes its decision another. For every k one diagram
holds the instances that survive any k changes (`survival`); counting and weighing them gives the robustness of all
instances at once: its distribution, its mean, and the instances that a single change tips, the most probable first.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, pairwise, zip_longest
from typing import Any, Literal, Unpack

from oddly.algebra.combine import combine
from oddly.algebra.survival import is_additive, survivors
from oddly.answers import Answer, Count, Rounded, as_features, many_instances, of_instances, percent, told
from oddly.answers.blocks import MOST_CASES, Block, Paragraph, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.listing import exactly, instances
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Measure, Probability, measure_of, share, shown
from oddly.errors import ModelError, TooLarge, UnknownName, Unsupported
from oddly.runtime import LimitArguments, within

MOST_EXACT = 3_000_000  # edges: beyond that fractions take too long, and floats serve
LONG = 100_000  # nodes: beyond that a sentence does without an example
TIPPED = ("other", "tipped")
Route = Literal["auto", "sums", "products"]


@dataclass(frozen=True)
class Step:
    """The instances of one robustness."""

    changes: int | None
    """So many changes at least make the decision another; None: no number does, or more than were looked at."""
    count: Count
    probability: Rounded
    by_decision: Mapping[str, Count]
    """How many of them are decided how."""


@dataclass(frozen=True)
class Fragile:
    """An instance that few changes tip."""

    instance: Mapping[str, str]
    decision: str
    probability: Rounded


@dataclass(frozen=True, repr=False)
class Robustness(Answer):
    """How many changes the decisions withstand, over all instances and over the population."""

    histogram: tuple[Step, ...]
    """By robustness, the least first; those beyond `max_changes`, or that nothing changes, last."""
    instances: Count
    mean: Rounded | None
    """Over all instances, each counting once; None if some are beyond what was looked at, or nothing changes them."""
    expected: Rounded | None
    """The mean over the population."""
    under: str
    max_changes: int | None
    exact: bool
    """Whether probabilities are fractions; if not, they are floats whose error is below 1e-12."""
    _odd: ODD = field(compare=False)
    _measure: Measure = field(compare=False)
    _survivors: Mapping[str, Sequence[ODD]] = field(compare=False)

    def __getitem__(self, changes: int) -> Step:
        for step in self.histogram:
            if step.changes == changes:
                return step
        raise UnknownName(f"no instance is looked at whose robustness is {changes!r}")

    def fragile(self, changes: int = 1) -> Iterator[Fragile]:
        """The instances of this robustness, lazily, the most probable first."""
        if changes < 1 or (self.max_changes is not None and changes > self.max_changes):
            looked = f"to {self.max_changes}" if self.max_changes else "on"
            raise ModelError(f"changes: expected a number from 1 {looked}, found {changes!r}")
        return heapq.merge(
            *(self._listed(label, changes) for label in self._survivors), key=lambda found: -found.probability
        )

    @told
    def _fragile(self, most: int = 5, exact: bool = False) -> tuple[Fragile, ...]:
        """Instances that one change tips, the most probable first."""
        found = tuple(islice(self.fragile(), most))
        if not exact:
            return found
        return tuple(replace(f, probability=exactly(self._odd, f.instance, self._measure)) for f in found)

    def to_json(self, exact: bool = False, *, most: int = 5, **instead: Any) -> dict[str, Any]:
        """The fields, and so many of the instances that one change tips."""
        return super().to_json(exact, fragile=self._fragile(most, exact), **instead)

    def _listed(self, label: str, changes: int) -> Iterator[Fragile]:
        tipped = self.diagram(label, changes)
        if tipped is not None:
            for instance, p in instances(tipped, TIPPED[1], self._measure):
                yield Fragile(instance, label, p)

    def diagram(self, label: str, changes: int) -> ODD | None:
        """The instances decided `label` whose robustness is `changes`; None if there are none."""
        kept = self._survivors[self._odd.labels[self._odd.label_index(label)]]
        if len(kept) < changes or changes not in [step.changes for step in self.histogram]:
            return None
        before, after = kept[changes - 1], kept[changes] if changes < len(kept) else None
        if after is None:
            return combine(before, before, lambda i, _: i, TIPPED)
        return combine(before, after, lambda i, j: int(i and not j), TIPPED)

    def shares(self) -> list[float]:
        """What part of all instances each step of the histogram is."""
        return [step.count / self.instances for step in self.histogram]

    def sentence(self) -> str:
        first = self.histogram[0]
        if first.changes is None and self.max_changes is None:  # there is no other step
            return f"Nothing changes a decision: {of_instances(self.instances, self.instances)} are decided alike."
        parts = [f"{self.needed(s)}: {of_instances(s.count, self.instances)}" for s in self.histogram]
        text = f"Changes that it takes to change the decision: {'; '.join(parts)}."
        if self.mean is not None and self.expected is not None:
            text += f" {float(self.mean):.4g} on average, {float(self.expected):.4g} under {self.under}."
        example = next(self.fragile(), None) if first.changes == 1 and self._odd.size <= LONG else None
        if example is not None:
            text += f" One change tips instances of probability {shown(first.probability)}, such as "
            text += f"{as_features(example.instance)} ({example.decision})."
        return text

    def needed(self, step: Step) -> str:
        """How many changes a step is about, in words."""
        return str(step.changes or (f"more than {self.max_changes}" if self.max_changes else "never"))

    def summary(self) -> str:
        if self.mean is None or self.expected is None:
            return self.sentence()
        changes = "change" if self.mean == 1 else "changes"
        return f"{float(self.mean):.4g} {changes} on average, {float(self.expected):.4g} under {self.under}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        steps = tuple(
            (self.needed(s), f"{s.count:,}", percent(s.count, self.instances), shown(s.probability))
            for s in self.histogram
        )
        caption = f"The fewest attributes whose change makes the decision another, of {many_instances(self.instances)}"
        head = ("changes", "instances", "part of all", f"probability under {self.under}")
        table = Table(caption, head, steps, (1, 2, 3))
        found = islice(self.fragile(), MOST_CASES if most is None else most) if self.histogram[0].changes == 1 else ()
        cases = tuple((f.decision, shown(f.probability), as_features(f.instance)) for f in found)
        caption = "Instances that one change tips, the most probable first"
        tipped = Table(caption, ("decision", "probability", "instance"), cases, (1,))
        return (Paragraph(self.summary()), table, *([tipped] if cases else []))


def robustness(
    odd_or_model: Any,
    *,
    under: Any = None,
    max_changes: int | None = None,
    exact: bool | None = None,
    route: Route = "auto",
    **limits: Unpack[LimitArguments],
) -> Robustness:
    """How robust is the classifier?  How many attributes must change before its decisions do?

    Counts and their mean are exact. `under` is the population: "model" (the default if it has a distribution),
    "uniform", another model or a table of rows; its probabilities are fractions for diagrams of moderate size, floats
    beyond, or as `exact` says. No more than `max_changes` are looked at. The `route` is by "sums" where one weight per
    value decides, and by "products" of diagrams otherwise; both give the same. No diagram on the way may have more
    than `max_nodes` nodes.

    >>> import oddly
    >>> robustness(oddly.examples.pregnancy(), under="uniform")
    Changes that it takes to change the decision: 1: 7 of 8 instances; 2: 1 of 8 instances. 1.125 on average, 1.125
    under the uniform distribution. One change tips instances of probability 0.875, such as
    U=-ve, B=+ve, S=-ve (no).
    """
    with within(limits):
        if max_changes is not None and (
            isinstance(max_changes, bool) or not isinstance(max_changes, int) or max_changes < 1
        ):
            raise ModelError(f"max_changes: expected a number from 1 on, found {max_changes!r}")
        odd = as_diagram(odd_or_model)
        measure = measure_of(odd, under)
        if not measure.mass:
            raise Unsupported(f"nothing is possible under {measure.name}, so it has no probabilities")
        constant = any(odd.count(label) == odd.instances for label in odd.labels)
        most = len(odd.variables) if max_changes is None else min(max_changes, len(odd.variables) + 1)
        fast = _fast(odd, route)
        kept = {label: list(islice(survivors(odd, label, fast), 1 if constant else most + 1)) for label in odd.labels}
        steps, exact = _weighed(kept, measure, 0 if constant else max_changes, exact)
        whole = all(step.changes is not None for step in steps)
        return Robustness(
            histogram=steps,
            instances=odd.instances,
            mean=Fraction(sum((s.changes or 0) * s.count for s in steps), odd.instances) if whole else None,
            expected=sum((s.changes or 0) * s.probability for s in steps) if whole else None,
            under=measure.name,
            max_changes=None if constant else max_changes,
            exact=exact,
            _odd=odd,
            _measure=measure,
            _survivors=kept,
        )


def _fast(odd: ODD, route: Route) -> bool:
    if route not in ("auto", "sums", "products"):
        raise UnknownName.among("route", route, ("auto", "sums", "products"))
    additive = is_additive(odd)
    if route == "sums" and not additive:
        raise Unsupported("route='sums' needs one weight per value that decides between two labels; try 'products'")
    return additive and route != "products"


def _weighed(
    kept: Mapping[str, Sequence[ODD]], measure: Measure, most: int | None, exact: bool | None
) -> tuple[tuple[Step, ...], bool]:
    """The histogram, in fractions if it must be or can be; and whether it is."""
    edges = sum(level.size for diagrams in kept.values() for s in diagrams for level in s.levels)
    if exact is None and edges <= MOST_EXACT:
        with suppress(TooLarge):  # a network's whole numbers may be
            return tuple(_steps(kept, measure, most, True)), True
    return tuple(_steps(kept, measure, most, bool(exact))), bool(exact)


def _steps(kept: Mapping[str, Sequence[ODD]], measure: Measure, most: int | None, exact: bool) -> Iterator[Step]:
    """An instance has robustness k if it survives k − 1 changes, and not k; what survives `most` comes last."""
    counts = (_falls([s.count(label) for s in diagrams]) for label, diagrams in kept.items())
    chances = (_falls([_chance(s, measure, exact) for s in diagrams]) for diagrams in kept.values())
    columns = (zip_longest(*rows, fillvalue=0) for rows in (counts, chances))
    for k, (count, chance) in enumerate(zip(*columns, strict=True), start=1):
        if any(count):
            changes = None if most is not None and k > most else k
            yield Step(changes, sum(count), sum(chance), dict(zip(kept, count, strict=True)))


def _falls(survive: Sequence[Any]) -> list[Any]:
    """What survives k − 1 changes and not k, for every k; floats may be off a little."""
    return [max(before - after, 0) for before, after in pairwise([*survive, 0])]


def _chance(odd: ODD, measure: Measure, exact: bool) -> Probability:
    return share(sum(masses[1] for masses in label_masses(odd, measure, exact)), measure.mass)
