# SPDX-License-Identifier: Apache-2.0
"""How are groups decided?  Rates by group, the gaps between them, and the values through which a gap arises.

For a group g, a decision L and the class C, under a distribution or over the rows of a table:

    rate             Pr(decided L | g)              demographic parity: the same in every group
    true positives   Pr(decided L | g, C = L)       equal opportunity
    false positives  Pr(decided L | g, C ≠ L)       with the one above: equalised odds
    precision        Pr(C = L | g, decided L)       predictive parity

A gap is the greatest less the least of a measure. Between the groups h and l of the greatest and the least rate, a value v
of an attribute has the share p(v) = Pr(v | group) and the rate r(v) = Pr(decided L | v, group); with bars for the mean of
the two groups and R for the rate of the whole group, it contributes

    (p_h(v) − p_l(v)) · (r̄(v) − R̄)    because the one group has the value more often than the other, and
    (r_h(v) − r_l(v)) · p̄(v)           because those who have it are decided differently,

and over all values of an attribute this adds up to the gap R_h − R_l, exactly (Kitagawa, 1955). Where nobody in one group
has a value, its rate there counts as the other group's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any, Protocol

from oddly.answers import Rounded, told

NAMES = {
    "rate": "rate",
    "true_positives": "true positive rate",
    "false_positives": "false positive rate",
    "precision": "precision",
}
ROUNDING = 1e-12  # of a share in floats
Values = Mapping[str, str]
Shares = Mapping[str, Mapping[str, tuple[Any, Any]]]
"""By attribute and value: what instances with it weigh, and those of them that get the label."""


@dataclass(frozen=True)
class Group:
    """How one group is decided; None where there is nobody to ask about."""

    values: Values
    share: Rounded
    """Of everybody who is in a group."""
    rate: Rounded
    true_positives: Rounded | None = None
    false_positives: Rounded | None = None
    precision: Rounded | None = None


@dataclass(frozen=True)
class Gap:
    """How far apart the groups are in one measure."""

    measure: str
    size: Rounded
    """The difference."""
    high: Values
    low: Values


@dataclass(frozen=True)
class Contribution:
    """What one value of an attribute contributes to the gap in rates between two groups."""

    attribute: str
    value: str
    shares: tuple[Rounded, Rounded]
    """Of the group with the greater rate, and of the other."""
    rates: tuple[Rounded | None, Rounded | None]
    """The same; None where nobody in the group has the value."""
    composition: Rounded
    """Because one group has it more often."""
    decision: Rounded
    """Because those who have it are decided differently."""

    @property
    @told
    def total(self) -> Rounded:
        """Both together."""
        return self.composition + self.decision

    @property
    def varies(self) -> bool:
        """Whether anybody has another value: a gap does not arise through what all have in common."""
        return min(self.shares) < 1 - ROUNDING


@dataclass(frozen=True)
class Masses:
    """What a group weighs: all of it, who gets the label; and of those whose class is known, who should, who does too."""

    all: Any
    labelled: Any
    known: Any = 0
    known_labelled: Any = 0
    true: Any = 0
    hits: Any = 0

    def __add__(self, other: "Masses") -> "Masses":
        return Masses(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def group(self, values: Values, everybody: Any) -> Group:
        return Group(
            values,
            _part(self.all, everybody) or 0 * self.all,
            _part(self.labelled, self.all) or 0 * self.all,
            _part(self.hits, self.true),
            _part(self.known_labelled - self.hits, self.known - self.true),
            _part(self.hits, self.known_labelled),
        )


class Population(Protocol):
    """Whom decisions are about."""

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def groups(self) -> Sequence[Values]: ...
    def masses(self, group: Values) -> Masses: ...
    def shares(self, group: Values) -> Shares: ...


def groups_of(population: Population) -> tuple[Group, ...]:
    """All groups that there are, as they are decided."""
    found = [(values, population.masses(values)) for values in population.groups()]
    everybody = sum((masses.all for _, masses in found), start=0)
    return tuple(masses.group(values, everybody) for values, masses in found if masses.all)


def gaps_of(groups: Sequence[Group]) -> dict[str, Gap]:
    """The gap in each measure that two groups at least have."""
    found = {}
    for measure in NAMES:
        known = [(getattr(g, measure), g) for g in groups if getattr(g, measure) is not None]
        if len(known) > 1:
            (most, high), (least, low) = (choose(known, key=itemgetter(0)) for choose in (max, min))
            found[measure] = Gap(measure, most - least, high.values, low.values)
    return found


def contributions_of(population: Population, gap: Gap) -> tuple[Contribution, ...]:
    """Through which values of which attributes a gap in rates arises, the greatest contribution first.

    What everybody has in common comes last, though all of the gap is among those who have it.
    """
    sides = population.shares(gap.high), population.shares(gap.low)
    whole = [population.masses(group) for group in (gap.high, gap.low)]
    mean = sum(_part(m.labelled, m.all) or 0 for m in whole) / 2
    found = []
    for attribute, values in sides[0].items():
        for value in values:
            cells = [side[attribute][value] for side in sides]
            p = [mass / m.all for (mass, _), m in zip(cells, whole, strict=True)]
            r = [_part(labelled, mass) for mass, labelled in cells]
            found.append(_contribution(attribute, value, p, r, mean))
    return tuple(sorted(found, key=lambda c: (c.varies, abs(float(c.total))), reverse=True))


def _contribution(attribute: str, value: str, p: list[Any], r: list[Any], mean: Any) -> Contribution:
    high, low = (x if x is not None else y for x, y in (r, r[::-1]))
    if high is None:
        return Contribution(attribute, value, (p[0], p[1]), (None, None), 0 * mean, 0 * mean)
    composition = (p[0] - p[1]) * ((high + low) / 2 - mean)
    decision = (high - low) * (p[0] + p[1]) / 2
    return Contribution(attribute, value, (p[0], p[1]), (r[0], r[1]), composition, decision)


def _part(part: Any, whole: Any) -> Any:
    """A share; None of nothing. Floats are kept from passing one by a rounding."""
    if not whole:
        return None
    return part / whole if isinstance(whole, Fraction) else min(part / whole, 1.0)
