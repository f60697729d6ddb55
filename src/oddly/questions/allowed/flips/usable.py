# SPDX-License-Identifier: Apache-2.0
"""Is a range too narrow to be of use?  Then the one for a thousandth of all cases says more."""

from fractions import Fraction

from oddly.diagram import ODD
from oddly.diagram.sources import additive
from oddly.distribution.measure import Mixture, measure_of
from oddly.lowering.score import Score
from oddly.questions.allowed.flips.answer import flip_range
from oddly.questions.allowed.flips.by_grid import MovesOnGrid
from oddly.questions.allowed.flips.by_instances import MovesByInstance
from oddly.questions.allowed.flips.prepare import LISTED
from oddly.questions.allowed.flips.ranges import FlipRange
from oddly.questions.allowed.ranges import Range

A_THOUSANDTH = Fraction(1, 1000)
NARROW = 0.001  # of a probability, or of all that sums can differ by


def usable(odd: ODD, prior: Range | None) -> FlipRange | None:
    """The range of the prior, or intercept, for a thousandth of all cases; None if its own is wide enough, or it has none."""
    score = additive(odd.source, "what moving a prior changes")
    if prior is None or not _narrow(score, prior.probability or prior):
        return None
    measure = measure_of(odd)
    if not isinstance(measure, Mixture) or not measure.mass:
        return None
    moves = MovesByInstance if odd.instances <= LISTED else _of_first_attribute
    path = ("intercept",) if score.model.unit == "points" else ("prior",)
    known = {path: prior.probability or prior, ("log-odds", *path): prior}
    return flip_range(moves(odd, score, measure), path, known, A_THOUSANDTH)


def _of_first_attribute(odd: ODD, score: Score, measure: Mixture) -> MovesOnGrid:
    return MovesOnGrid(odd, score, measure, (0,))


def _narrow(score: Score, prior: Range) -> bool:
    whole = float(sum(score.finite_impact) * score.unit) if score.model.unit == "points" else 1.0
    return prior.high - prior.low < NARROW * whole
