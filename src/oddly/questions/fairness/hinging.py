# SPDX-License-Identifier: Apache-2.0
"""Which decisions hinge on protected attributes: how many, how probable, and the most probable one.

Where every value is a group of its own, contexts decide: all instances of one hinge, or none. Among groups of values an
instance may be decided as all other groups are and yet have a neighbour in its own group that is not, so
instances themselves are told apart (`algebra.hinges.between`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from oddly.algebra.domain import OUTSIDE, Domain
from oddly.algebra.hinges import HINGES, SETTLED, between, hinges_within, pair
from oddly.diagram import ODD
from oddly.distribution.cases import Case
from oddly.distribution.listing import instances
from oddly.distribution.masses import label_masses, probability_of
from oddly.distribution.measure import Measure, Probability, measure_of, share
from oddly.errors import ModelError, listed
from oddly.questions.fairness.partitions import Partition, boxes
from oddly.questions.fairness.populations import MOST_GROUPS, Rows
from oddly.runtime import stopped


@dataclass(frozen=True)
class Hinging:
    """How many instances would be decided otherwise in another group, of how many that are in one."""

    count: int
    instances: int
    probability: Probability
    case: Case | None
    contexts: ODD | None
    """Over all other attributes; None if no protected attribute is read."""


@dataclass(frozen=True)
class HingeQuestion:
    """A diagram and its domain, the partitions of what it reads, and whom it is about."""

    domain: Domain
    partitions: Sequence[Partition]
    under: Any
    rows: Rows | None
    exact: bool

    @property
    def odd(self) -> ODD:
        return self.domain.odd

    def answer(self) -> Hinging:
        if not self.partitions:
            return Hinging(0, self.domain.scope.inputs, Fraction(0), None, None)
        plain = all(name == value for p in self.partitions for value, name in p.by_value.items())
        whole = plain and not any(p.left_out for p in self.partitions)
        return self._of_values() if whole else self._of_groups()

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(p.of for p in self.partitions))

    def _measure(self, over: ODD) -> Measure | None:
        """The distribution over a diagram's attributes; None if rows have none of them."""
        if self.rows is None:
            return measure_of(self.odd, self.under, over.variables)
        return measure_of(over, {c: list(self.rows[c]) for c in over.columns}) if over.columns else None

    # ---- every value a group ----

    def _of_values(self) -> Hinging:
        rest, tips = hinges_within(self.domain, self._names)
        count, inputs = tips.count(HINGES), self.domain.scope.inputs
        if not count:
            return Hinging(0, inputs, Fraction(0), None, rest)
        whole = self.domain.members is None
        over = rest if whole else tips  # a domain ties the protected ones to the others
        measure = self._measure(over)
        likely = Fraction(1) if measure is None else probability_of(over, HINGES, measure, self.exact, self.domain)
        context = _most_probable(over, measure)
        case = self._case(*pair(self.domain.product, context, self._names, None if whole else OUTSIDE))
        return Hinging(count, inputs, likely, case, rest)

    # ---- groups of values ----

    def _of_groups(self) -> Hinging:
        groups = boxes(self.partitions)
        if len(groups) < 2:
            raise ModelError(f"protected: no two groups of {listed(p.name for p in self.partitions)} have any values")
        if len(groups) > MOST_GROUPS:
            raise stopped(f"{len(groups):,} groups", f"{MOST_GROUPS:,}", "fewer protected attributes")
        rest, told = between(self.domain, groups)
        count = told.count(HINGES)
        inside = count + told.count(SETTLED)
        if not count:
            return Hinging(0, inside, Fraction(0), None, rest)
        measure = self._measure(told)
        assert measure is not None
        settled, hinging, _ = (sum(column) for column in zip(*label_masses(told, measure, self.exact), strict=True))
        here = _most_probable(told, measure)
        case = self._case(here, self._elsewhere(here))
        return Hinging(count, inside, share(hinging, settled + hinging, self.exact), case, rest)

    def _elsewhere(self, here: Mapping[str, str]) -> Mapping[str, str]:
        """An instance of another group that is decided otherwise, as few protected values changed as can be."""
        found = self.domain.product
        left_out = (found.classify([here])[0], *(() if self.domain.members is None else (OUTSIDE,)))
        others = (i for i in self._nearby(here) if None not in self._group(i) and self._group(i) != self._group(here))
        return next(i for i in others if found.classify([i])[0] not in left_out)

    def _nearby(self, here: Mapping[str, str]) -> Iterator[dict[str, str]]:
        for many in range(1, len(self._names) + 1):
            for names in combinations(self._names, many):
                for values in product(*(self.odd.attribute(name).values for name in names)):
                    yield {**here, **dict(zip(names, values, strict=True))}

    def _group(self, instance: Mapping[str, str]) -> list[str | None]:
        return [p.by_value.get(instance[p.of]) for p in self.partitions]

    def _case(self, one: Mapping[str, str], two: Mapping[str, str]) -> Case:
        shared = {name: value for name, value in one.items() if two[name] == value}
        return Case(shared, (), False, (one, two), tuple(str(label) for label in self.odd.classify([one, two])))


def _most_probable(told: ODD, measure: Measure | None) -> dict[str, str]:
    """The most probable instance that hinges; any, where none is possible."""
    found = (next(instances(told, HINGES, by), None) for by in (measure, "uniform") if by is not None)
    return next(instance for instance, _ in filter(None, found))
