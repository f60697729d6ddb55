# SPDX-License-Identifier: Apache-2.0
"""How fine must the grids be, until two diagrams around a classifier differ by no more than some share of all instances?

The error is what the two weigh apart, measured after the fact. It falls about as fast as the grids widen, so each
attempt says how wide the next has to be.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import nextafter
from typing import Any

import numpy as np

from oddly.diagram import ODD, Pair
from oddly.distribution.coarse import ROUNDINGS, Between
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import DataRows, Measure, Mixture, Probability, in_fractions, measure_of, uniform
from oddly.engine.order import Order, arrange, is_search
from oddly.engine.pairs import Likely, around
from oddly.errors import TooLarge
from oddly.lowering.score import Impossible, Score, lower
from oddly.model import Model
from oddly.model.numbers import as_float
from oddly.runtime import Watch, current, stopped

FIRST = 1 << 10  # points a level, to begin with: some tenths of a second
LEAST_STEP, MOST_STEP = 2, 16  # times as many points the next time
SURE = 1.2  # times as many points as the last error asks for, as it is not quite in proportion


def enclose(model: Model, order: Order, impossible: Impossible, error: Fraction, under: Any) -> ODD | Pair:
    """The diagrams around a sum of one weight per attribute that differ on at most this share of all instances.

    If the two turn out the same, that is the diagram. Cost: a search per edge and attempt, the last of which takes most.
    """
    score = lower(model.naive or model, 64, impossible)
    score = score.in_order(arrange(score, "auto" if is_search(order) else order))
    measure = _measure(score, under)
    points, reached = FIRST, None
    while True:
        try:
            below, above = around(score, points, _likely(measure, score), Watch(searches=False))
            found = apart(below, above, measure)
        except TooLarge as why:
            raise _given_up(reached, error, str(why)) from None
        if not found and below == above:
            return replace(below, source=score)
        if found <= error:
            return Pair(below, above, found, measure.name, score)
        if found == reached:
            tied = "what is left lies on the threshold, or too close to it for whole numbers of 64 bits"
            raise _given_up(reached, error, tied)
        current().poll("points", points, points + 1)
        reached, points = found, _next(points, found, error)


def apart(below: ODD, above: ODD, measure: Measure) -> float:
    """How much more does the upper diagram accept?  In floats never less than in truth, and 0 only if it is."""
    if below == above:
        return 0.0

    def weighed(exact: bool) -> list[Any]:
        return [sum(masses[1] for masses in label_masses(odd, measure, exact)) for odd in (below, above)]

    (least, most), exact = in_fractions(weighed, None, (below, above), 2)
    if exact:
        found = as_float(Fraction(most - least) / measure.mass)
        return nextafter(found, 1.0) if found else 0.0
    slack = roundings(below)
    return float((most * (1 + slack) - least * (1 - slack)) / float(measure.mass))


def roundings(odd: ODD) -> float:
    """The most by which a share in floats is off, relatively: twice what `oddly.distribution.measure` states, for both of its parts."""
    return 2 * (sum(len(v.values) + 1 for v in odd.variables) + 4) * ROUNDINGS


def outside(low: Probability, high: Probability, odd: ODD) -> Between:
    """Ends of a share that hold in truth, where floats may have rounded them; fractions are as they are."""
    slack = 0 if isinstance(low, Fraction) and isinstance(high, Fraction) else roundings(odd)
    return Between(max(low * (1 - slack), 0), min(high * (1 + slack), 1))


def _measure(score: Score, under: Any) -> Measure:
    """The distribution over the score's attributes, in its order."""
    blank = [np.zeros((1, len(v.values)), np.uint32) for v in score.variables]
    return measure_of(ODD(score.variables, score.labels, tuple(blank), 0, score.places, score), under)


def _likely(measure: Measure, score: Score) -> Sequence[Likely]:
    """About how probable values are: of rows, one by one; of a network nobody says it in a few products."""
    if isinstance(measure, DataRows):
        columns = zip(score.variables, measure.codes.T, strict=True)
        return [Likely(1.0, [np.bincount(codes, minlength=len(v.values)) / len(codes) for v, codes in columns])]
    mixture = measure if isinstance(measure, Mixture) else uniform(score.variables)
    return [Likely(float(p.weight), p.floats()) for p in mixture.products]


def _next(points: int, found: float, error: Fraction) -> int:
    """So many points the next time."""
    times = SURE * found / float(error) if error else MOST_STEP
    return int(points * min(max(times, LEAST_STEP), MOST_STEP))


def _given_up(reached: float | None, error: Fraction, why: str) -> TooLarge:
    if reached is None:
        return TooLarge(f"no two diagrams around it fit: {why}")
    wider = f"error={2 * reached:.1g}"
    return stopped(f"an error of {reached:.2g} was reached, {float(error):g} asked for: {why.rstrip('.')}", "", wider)
