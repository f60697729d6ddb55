# SPDX-License-Identifier: Apache-2.0
"""How robust is the classifier?

The robustness of an instance is the fewest attributes whose change makes its decision another. For every k one diagram
holds the instances that survive any k changes (`survival`); counting and weighing them gives that of all instances at
once: its distribution, its mean, and the instances that a single change tips, the most probable first.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain, islice, repeat, zip_longest
from typing import Any, Unpack

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.algebra.survival import Route, survivors, survivors_within
from oddly.answers import Count, Rounded, ScopedAnswer, told
from oddly.answers.blocks import MOST_CASES, Block, Paragraph, Table
from oddly.answers.words import as_features, decided_alike, many_instances, of_instances, percent
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.listing import exactly, instances
from oddly.distribution.masses import masses_within, measure_within, probability_of
from oddly.distribution.measure import Measure, in_fractions, possible_under, shown
from oddly.errors import ModelError, UnknownName, Unsupported
from oddly.model.numbers import whole
from oddly.runtime import LimitArguments, limited

LONG = 100_000  # nodes: beyond that a sentence does without an example
TIPPED = ("other", "tipped")


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
class Robustness(ScopedAnswer):
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
    _domain: Domain = field(compare=False)

    def __getitem__(self, changes: int) -> Step:
        found = {step.changes: step for step in self.histogram if step.changes is not None}
        if changes not in found:
            raise UnknownName(f"no instance is looked at whose robustness is {changes!r}")
        return found[changes]

    def fragile(self, changes: int = 1, exact: bool = False) -> Iterator[Fragile]:
        """The instances of this robustness, lazily, the most probable first; with fractions, if `exact`."""
        if changes < 1 or (self.max_changes is not None and changes > self.max_changes):
            looked = f"to {self.max_changes}" if self.max_changes else "on"
            raise ModelError(f"changes: expected a number from 1 {looked}, found {changes!r}")
        tipped = {label: found for label in self._survivors if (found := self.diagram(label, changes)) is not None}
        inside = self._domain
        ones = {label: instances(odd, TIPPED[1], self._measure, within=inside) for label, odd in tipped.items()}
        listed = [zip(some, repeat(label)) for label, some in ones.items()]
        merged = heapq.merge(*listed, key=lambda found: -found[0][1])
        return (Fragile(i, label, self._exactly(i) if exact else p) for (i, p), label in merged)

    def _exactly(self, instance: Mapping[str, str]) -> Fraction:
        """How probable an instance is, given the domain."""
        more = self._measure.mass / Fraction(masses_within(self._domain, self._measure)[1])
        return exactly(self._odd, instance, self._measure) * more

    @told
    def _fragile(self, most: int = 5, exact: bool = False) -> tuple[Fragile, ...]:
        """Instances that one change tips, the most probable first."""
        return tuple(islice(self.fragile(exact=exact), most))

    def to_json(self, exact: bool = False, *, most: int = 5, **instead: Any) -> dict[str, Any]:
        """The fields, and so many of the instances that one change tips."""
        return super().to_json(exact, fragile=self._fragile(most, exact), **instead)

    def diagram(self, label: str, changes: int) -> ODD | None:
        """The instances decided `label` whose robustness is `changes`; None if there are none."""
        kept = self._survivors[self._odd.labels[self._odd.label_index(label)]]
        if len(kept) < changes or changes not in [step.changes for step in self.histogram]:
            return None
        before, after = kept[changes - 1], kept[changes] if changes < len(kept) else ~kept[changes - 1]
        return combine(before, after, lambda i, j: int(i and not j), TIPPED)

    def shares(self) -> list[float]:
        """What part of all instances each step of the histogram is."""
        return [step.count / self.instances for step in self.histogram]

    def sentence(self) -> str:
        if not self.histogram:
            return self.scope.said("There is no input, so nothing changes a decision.")
        first = self.histogram[0]
        if first.changes is None and self.max_changes is None:  # there is no other step
            return self.scope.said(f"Nothing changes a decision: {decided_alike(self.instances)}.")
        parts = [f"{self.needed(s)}: {of_instances(s.count, self.instances)}" for s in self.histogram]
        text = f"Changes that it takes to change the decision: {'; '.join(parts)}."
        if self.mean is not None and self.expected is not None:
            text += f" {float(self.mean):.4g} on average, {float(self.expected):.4g} under {self.under}."
        if first.changes == 1 and self._odd.size <= LONG and (example := next(self.fragile(), None)):
            text += f" One change tips instances of probability {shown(first.probability)}, such as "
            text += f"{as_features(example.instance)} ({example.decision})."
        return self.scope.said(text)

    def needed(self, step: Step) -> str:
        """How many changes a step is about, in words."""
        return str(step.changes or (f"more than {self.max_changes}" if self.max_changes else "never"))

    def summary(self) -> str:
        if self.mean is None or self.expected is None:
            return self.sentence()
        changes = f"{float(self.mean):.4g} change{'' if self.mean == 1 else 's'} on average"
        return self.scope.said(f"{changes}, {float(self.expected):.4g} under {self.under}.")

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        if not self.histogram:
            return (Paragraph(self.sentence()),)
        head = ("changes", "instances", "part of all", f"probability under {self.under}")
        caption = f"The fewest attributes whose change makes the decision another, of {many_instances(self.instances)}"
        every = self.instances
        rows = [(self.needed(s), f"{s.count:,}", percent(s.count, every), shown(s.probability)) for s in self.histogram]
        table = Table(caption, head, tuple(rows), (1, 2, 3))
        found = self._fragile(MOST_CASES if most is None else most) if self.histogram[0].changes == 1 else ()
        cases = tuple((f.decision, shown(f.probability), as_features(f.instance)) for f in found)
        columns = ("decision", "probability", "instance")
        tipped = Table("Instances that one change tips, the most probable first", columns, cases, (1,))
        return (Paragraph(self.summary()), table, *([tipped] if cases else []))


def robustness(
    odd_or_model: Any,
    *,
    under: Any = None,
    within: Within = None,
    max_changes: int | None = None,
    exact: bool | None = None,
    route: Route = "auto",
    **limits: Unpack[LimitArguments],
) -> Robustness:
    """How robust is the classifier?  How many attributes must change before its decisions do?

    Counts and their mean are exact. `under` is the population: "model" (the default if it has a distribution),
    "uniform", another model or a table of rows; its probabilities are fractions for diagrams of moderate size, floats
    beyond, or as `exact` says. Only inputs `within` a domain count, if one is named, and only changes to another of these;
    probabilities are given it, and its route is "products". No more than `max_changes` are looked at. The `route` is by "sums" where one weight per
    value decides, and by "products" of diagrams otherwise; both give the same. No diagram on the way may have more
    than `max_nodes` nodes.

    >>> import oddly
    >>> robustness(oddly.examples.pregnancy(), under="uniform")
    Changes that it takes to change the decision: 1: 7 of 8 instances; 2: 1 of 8 instances. 1.125 on average, 1.125
    under the uniform distribution. One change tips instances of probability 0.875, such as
    U=-ve, B=+ve, S=-ve (no).
    """
    with limited(limits):
        wanted = None if max_changes is None else whole(max_changes, "max_changes", 1, "a number")
        odd = as_diagram(odd_or_model)
        domain = domain_of(within, odd)
        measure, every = _measured(domain, under), domain.scope.inputs
        if any(domain.product.count(label) == every for label in odd.labels):
            wanted = 0  # no number of changes makes the decision another
        most = None if wanted is None else wanted + 1
        kept = {label: list(islice(_survivors(domain, label, route), most)) for label in odd.labels}
        steps, exact = in_fractions(partial(_steps, kept, domain, measure, wanted), exact, chain(*kept.values()))
        known = bool(steps) and all(step.changes is not None for step in steps)
        mean = Fraction(sum((s.changes or 0) * s.count for s in steps), every) if known else None
        expected = sum((s.changes or 0) * s.probability for s in steps) if known else None
        about = steps, every, mean, expected, measure.name, wanted or None, exact, odd, measure, kept, domain
        return Robustness(*about, scope=domain.scope)


def _measured(domain: Domain, under: Any) -> Measure:
    if domain.members is None:
        return possible_under(domain.odd, under)
    measure = measure_within(domain, under)
    if domain.scope.inputs and not masses_within(domain, measure, exact=False)[1]:
        raise Unsupported(f"nothing within {domain.words} is possible under {measure.name}, so it has no probabilities")
    return measure


def _survivors(domain: Domain, label: str, route: Route) -> Iterator[ODD]:
    return survivors(domain.odd, label, route) if domain.members is None else survivors_within(domain, label)


def _steps(
    kept: Mapping[str, Sequence[ODD]], domain: Domain, measure: Measure, most: int | None, exact: bool
) -> tuple[Step, ...]:
    """An instance has robustness k if it survives k − 1 changes, and not k; what survives `most` comes last."""
    counts = _falls([s.count(label) for s in found] for label, found in kept.items())
    weighed = partial(probability_of, measure=measure, exact=exact, among=domain)
    chances = _falls([weighed(s, label) for s in found] for label, found in kept.items())
    return tuple(
        Step(k if most is None or k <= most else None, sum(count), sum(chance), dict(zip(kept, count, strict=True)))
        for k, (count, chance) in enumerate(zip(counts, chances, strict=True), start=1)
        if any(count)
    )


def _falls(survive: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """For every k, by decision: what survives k − 1 changes and not k; floats may be off a little."""
    falls = ([max(a - b, 0) for a, b in zip_longest(row, row[1:], fillvalue=0)] for row in survive)
    return zip_longest(*falls, fillvalue=0)
