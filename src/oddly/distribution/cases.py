# SPDX-License-Identifier: Apache-2.0
"""What breaks a rule: one instance, or two of which one would have to be decided as the other is.

The smallest case states the fewest values from which its decisions follow, whatever the other attributes are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from oddly.answers import JsonName, TypedJson, as_features
from oddly.diagram import ODD
from oddly.distribution.listing import instances
from oddly.distribution.measure import Measure, measure_of, uniform
from oddly.distribution.smallest import smallest_of
from oddly.errors import Unsupported

MOST_NAMED = 4  # attributes that do not matter; of more only the number is told


@dataclass(frozen=True)
class Case(TypedJson):
    """What breaks a rule: an instance, or two that differ in one step."""

    known: Mapping[str, str]
    """The values from which the decisions follow, whatever the others; where there are two instances, both have them."""
    others: Annotated[tuple[str, ...], JsonName("any")]
    """The attributes that may have any value."""
    fewest: bool
    """Whether it is proven that no other case needs fewer attributes to be stated."""
    instances: tuple[Mapping[str, str], ...]
    """One, or two; of the values that do not matter the most probable ones."""
    decisions: tuple[str, ...]

    def in_order(self, labels: Sequence[str]) -> "Case":
        """The same with the instance first whose decision is listed first."""
        if labels.index(self.decisions[0]) <= labels.index(self.decisions[-1]):
            return self
        return replace(self, instances=self.instances[::-1], decisions=self.decisions[::-1])

    def __str__(self) -> str:
        told = stated(self.known, self.others)
        if len(self.instances) == 1 or self.instances[0] == self.instances[1]:
            return f"{told or 'any instance'}: {' against '.join(self.decisions)}"
        steps = [{n: v for n, v in i.items() if self.instances[1 - k][n] != v} for k, i in enumerate(self.instances)]
        ways = [f"{d} with {as_features(step)}" for d, step in zip(self.decisions, steps, strict=True)]
        return f"{told + ': ' if told else ''}{', '.join(ways)}"


def stated(known: Mapping[str, str], others: Sequence[str]) -> str:
    """What is known, and what may be anything; nothing if nothing is known."""
    if not (known and others):
        return as_features(known)
    few = len(others) <= MOST_NAMED
    return f"{as_features(known)}, any {' and any '.join(others) if few else f'value of the {len(others)} others'}"


@dataclass(frozen=True, eq=False)
class Breach:
    """Where a rule is broken: a diagram whose first label stands for "nowhere"."""

    odd: ODD
    ways: Sequence[tuple[str, ...]]
    """For each of its other labels, how the instances are decided."""
    apart: tuple[Mapping[str, str], ...] = ({},)
    """For each instance of a case, what it has that the diagram does not read."""

    @property
    def count(self) -> int:
        """How many instances of the diagram break the rule."""
        return self.odd.instances - self.odd.count(self.odd.labels[0])

    @property
    def met(self) -> list[int]:
        """The places of the labels, but the first, that some instance gets."""
        met = np.unique(self.odd.levels[-1]).tolist() if self.odd.levels else [self.odd.root]
        return [place for place in met if place]


def smallest_case(odd: ODD, breaches: Sequence[Breach], under: Any) -> Case:
    """The case that is stated with the fewest values; of what it leaves open, the values that are most probable."""
    tried = [(breach, place) for breach in breaches for place in breach.met]
    found = smallest_of([(breach.odd, breach.odd.labels[place]) for breach, place in tried])
    assert found is not None
    (breach, place), best = tried[found[0]], found[1]
    known = breach.odd.instance_of(best.choices)
    others = tuple(name for name in breach.odd.columns if name not in known)
    rest = _most_probable(odd, breach.odd, breach.odd.labels[place], known, under)
    whole = [{**rest, **apart} for apart in breach.apart]
    told = tuple({name: one[name] for name in odd.columns if name in one} for one in whole)
    return Case(known, others, len(known) <= best.least, told, breach.ways[place - 1])


def _most_probable(odd: ODD, broken: ODD, label: str, known: Mapping[str, str], under: Any) -> dict[str, str]:
    own = under is None or (isinstance(under, str) and under == "model")
    if isinstance(under, np.ndarray) and len(broken.order) < len(odd.order):
        measure: Measure = uniform(broken.variables)  # its columns are those of all attributes
    else:
        measure = measure_of(odd if own else broken, under, broken.variables)
    try:
        return next(instances(broken, label, measure, given=known))[0]
    except (Unsupported, StopIteration):  # impossible, or in no row
        return next(instances(broken, label, uniform(broken.variables), given=known))[0]
