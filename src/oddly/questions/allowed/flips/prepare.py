# SPDX-License-Identifier: Apache-2.0
"""One preparation for all numbers of a model: what moving any of them changes, found in the way that fits the model."""

from collections.abc import Mapping
from typing import Any, Unpack

from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.measure import DataRows, Measure, possible_under
from oddly.errors import Unsupported
from oddly.lowering.score import Score
from oddly.questions.allowed.flips.by_comparison import MovesByComparison
from oddly.questions.allowed.flips.by_grid import MovesOnGrid
from oddly.questions.allowed.flips.by_instances import MovesByInstance
from oddly.questions.allowed.flips.moves import Moves
from oddly.questions.allowed.layout import Path
from oddly.questions.allowed.ranges import Range
from oddly.runtime import LimitArguments, limited

NO_NUMBERS = "this diagram was combined from others, so there are no numbers behind it that could move"
LISTED = 1 << 12  # instances that are looked at one by one
MOST_COMPARED = 60_000_000  # nodes of all the moved models that are compiled for entries
USUAL_MODELS = 30  # that it takes for a number
SMALLEST = 2000  # nodes that compiling takes as long as, whatever the size


def prepare(odd_or_model: Any, *, under: Any = None, **limits: Unpack[LimitArguments]) -> Moves:
    """What share of cases does moving any number change?  Ask the result, as often as you like: a slider can.

    `share(path, to)` has the share between two bounds, `drift(path)` the whole curve, `reaches(path, budget)` how far the number may
    go; `paths` are the numbers, named as `model.numbers()` does. Cost: a few seconds at most for a sum of weights, and then
    a fraction of a millisecond for a share. For networks and many classes each share compiles a model.

    >>> import oddly
    >>> found = prepare(oddly.examples.pregnancy(), under="uniform")
    >>> from fractions import Fraction
    >>> found.share(("prior",), Fraction("0.98"))
    (Fraction(1, 4), Fraction(1, 4))
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        if odd.source is None:
            raise Unsupported(NO_NUMBERS)
        return moves_of(odd, possible_under(odd, under))[0]


def moves_of(odd: ODD, measure: Measure, known: Mapping[Path, Range | None] | None = None) -> tuple[Moves, str]:
    """What moving numbers changes, and why not of all numbers, if so; `known` are ranges in which nothing changes."""
    if isinstance(odd.source, Score) and not isinstance(measure, Joint):
        if isinstance(measure, DataRows) or odd.instances <= LISTED:
            return MovesByInstance(odd, odd.source, measure), ""
        return MovesOnGrid(odd, odd.source, measure), ""
    if known is None or len(known) * USUAL_MODELS * (odd.size + SMALLEST) <= MOST_COMPARED:
        return MovesByComparison(odd, measure, known), ""
    few = {path: number for path, number in known.items() if path[0] != "entry"}
    why = f"{len(known) - len(few):,} probabilities, each with some {USUAL_MODELS} moved models to compile and compare"
    return MovesByComparison(odd, measure, few), why
