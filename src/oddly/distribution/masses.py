# SPDX-License-Identifier: Apache-2.0
"""What the instances of each label weigh, in all and by the value of every attribute at once.

Sums over the paths of a diagram (`oddly.diagram.passes`), whose edges have a probability each, for every part of the
distribution: of all paths to a label, or of those that take a value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log, log1p
from typing import Any

import numpy as np

from oddly.algebra.domain import Domain
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.diagram.passes.semirings import Numbers
from oddly.diagram.passes.sweep import path_sums, value_sums
from oddly.distribution.joint import TINY, Joint
from oddly.distribution.measure import DataRows, Measure, Mixture, Probability, measure_of, share, uniform

Masses = list[Any]
"""By label: fractions, or floats."""


def probability_of(
    odd: ODD, label: str, measure: Measure, exact: bool = False, among: Domain | None = None
) -> Probability:
    """How probable is it that an instance gets this label?  Among a domain's, in which all of it are.  One pass per product.

    >>> import oddly
    >>> from oddly.distribution.measure import uniform
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> probability_of(odd, "yes", uniform(odd.variables), exact=True)
    Fraction(5, 8)
    """
    place = odd.label_index(label)
    if among is None or among.members is None:
        return label_shares(label_masses(odd, measure, exact), measure.mass, exact)[place]
    walked = combine(among.inside, odd, lambda inside, i: 2 if i == place else inside, ("outside", "other", "this"))
    masses = [row[1:] for row in label_masses(walked, measure, exact)]
    if not any(row[1] for row in masses):
        return Fraction(0) if exact else 0.0
    return label_shares(masses, sum(map(sum, masses)), exact)[1]


def label_shares(masses: Sequence[Masses], whole: Probability, exact: bool) -> list[Probability]:
    """By label, its part of the whole in all classes together: 1, and no rounding short of it, where no other has any."""
    found = [sum(column) for column in zip(*masses, strict=True)]
    alone = sum(mass > 0 for mass in found) == 1
    return [share(whole if alone and mass else mass, whole, exact) for mass in found]


def label_masses(odd: ODD, measure: Measure, exact: bool = True) -> list[Masses]:
    """By class or product of the measure, what the instances of each label weigh: one pass each.

    In fractions where `exact` asks for them, and where all together is so improbable that floats would underflow.

    >>> import oddly
    >>> from oddly.distribution.measure import measure_of
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> label_masses(odd, measure_of(odd, "uniform"))
    [[Fraction(3, 8), Fraction(5, 8)]]
    """
    exact = exact or 0 < measure.mass < TINY
    if isinstance(measure, DataRows):
        return [_counted(odd, measure, exact)]
    found: dict[int, Masses] = {}
    for part in parts(odd, measure, exact):
        sums = path_sums(part.odd.levels, part.odd.root, len(odd.labels), part.rows)
        masses = [_times(mass, part.weight, exact) for mass in sums]
        found[part.place] = _added(found.get(part.place), masses)
    return list(found.values())


def masses_within(domain: Domain, measure: Measure, exact: bool = True) -> tuple[list[Masses], Probability]:
    """By class, what the instances of each label inside a domain weigh, and all of these together.

    In fractions, too, where what is inside is so improbable that floats would underflow.
    """
    joint = label_masses(domain.product, measure, exact)
    if domain.members is None:
        return joint, measure.mass
    joint = [masses[:-1] for masses in joint]
    total: Probability = sum(map(sum, joint))
    exact = exact or isinstance(total, Fraction)
    return (joint, total) if exact or total > TINY else masses_within(domain, measure)


def measure_within(domain: Domain, under: Any, source: ODD | None = None) -> Measure:
    """The distribution a caller names over a domain's inputs; by default the model's own (that of `source`, if it is
    another diagram), unless that calls all of the domain impossible: then the uniform one."""
    odd = domain.odd
    own = source is not None and (under is None or (isinstance(under, str) and under == "model"))
    measure = measure_of(source, under, odd.variables) if own and source else measure_of(odd, under)
    if under is None and domain.members is not None and not masses_within(domain, measure, exact=False)[1]:
        return uniform(odd.variables)
    return measure


def edge_masses(odd: ODD, measure: Measure, exact: bool = True) -> list[list[list[Masses]]]:
    """By class, depth and value: what the instances of each label that have the value weigh."""
    if isinstance(measure, DataRows):
        return [[_by_value(odd, measure, depth, exact) for depth in range(len(odd.variables))]]
    found: dict[int, list[list[Masses]]] = {}
    for part in parts(odd, measure, exact):
        before, more = found.get(part.place), _both_ways(part, exact)
        if before is not None:
            more = [[_added(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(before, more, strict=True)]
        found[part.place] = more
    return list(found.values())


def information(masses: Sequence[Sequence[Fraction | int]]) -> float:
    """How much does a value tell about the label, in bits?  From what each value weighs together with each label.

    The mutual information to twelve digits, as a sum of terms none of which is negative: so it is 0 exactly where the
    two are independent, and true however little is told.

    >>> information([[1, 0], [0, 1]]), information([[1, 2], [2, 4]])
    (1.0, 0.0)
    """
    total = Fraction(sum(map(sum, masses)))
    labels = [sum(column) / total for column in zip(*masses, strict=True)]
    cells = ((mass, sum(row), label) for row in masses for mass, label in zip(row, labels, strict=True))
    pairs = ((mass / total, of_value / total * label) for mass, of_value, label in cells)
    return float(f"{fsum(_surprise(p, q) for p, q in pairs if q) / log(2):.12g}")


def _surprise(p: Fraction, q: Fraction) -> float:
    """p log(p / q) - p + q, by its series where that would cancel."""
    more = p / q - 1
    if abs(more) < Fraction(1, 100):
        return float(q) * fsum((-float(more)) ** k / (k * (k - 1)) for k in range(2, 10))
    if more < 1:
        return float(q - p) + (float(p) * log1p(more) if p else 0.0)
    return float(q - p) + float(p) * (log((p / q).numerator) - log((p / q).denominator))  # floats may not hold p / q


@dataclass(frozen=True, eq=False)
class Part:
    """One of the terms whose sum a distribution is: a diagram with a number per value, or per node and value."""

    odd: ODD
    rows: Sequence[Numbers]
    weight: Fraction
    """What every instance is multiplied by."""
    place: int
    """Of the class that it belongs to."""


def parts(odd: ODD, measure: Mixture | Joint, exact: bool) -> Iterator[Part]:
    """The terms of a distribution, class by class; a network may have several of each."""
    if isinstance(measure, Joint):
        unfolded = measure.unfolded(odd, exact)
        each = len(unfolded.weights) // len(measure.classes)
        for i, (rows, weight) in enumerate(zip(unfolded.rows, unfolded.weights, strict=True)):
            number = Fraction(int(weight)) if exact else Fraction(float(weight))
            yield Part(unfolded.odd, rows, number * unfolded.scale, i // each)
        return
    for place, product in enumerate(measure.products):
        rows, scale = product.integers() if exact else (product.floats(), 1)
        yield Part(odd, rows, product.weight / scale, place)


def _both_ways(part: Part, exact: bool) -> list[list[Masses]]:
    sums = value_sums(part.odd.levels, part.odd.root, len(part.odd.labels), part.rows)
    return [[[_times(mass, part.weight, exact) for mass in of_labels] for of_labels in by_value] for by_value in sums]


def _by_value(odd: ODD, table: DataRows, depth: int, exact: bool) -> list[Masses]:
    return [_counted(odd, table.knowing({depth: value}), exact) for value in range(odd.arities[depth])]


def _counted(odd: ODD, table: DataRows, exact: bool) -> Masses:
    decided = odd.decide(table.codes[:, np.argsort(odd.places)])
    return [Fraction(n) if exact else float(n) for n in table.counted(decided, len(odd.labels))]


def _added(masses: Masses | None, more: Masses) -> Masses:
    return more if masses is None else [a + b for a, b in zip(masses, more, strict=True)]


def _times(mass: Any, weight: Fraction, exact: bool) -> Any:
    return int(mass) * weight if exact else float(mass) * float(weight)
