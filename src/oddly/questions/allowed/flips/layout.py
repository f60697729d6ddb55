# SPDX-License-Identifier: Apache-2.0
"""The ranges for a budget laid out, and what share of cases moves of every number change."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from oddly.answers import many_instances, told
from oddly.answers.blocks import Block, Facts, Paragraph, Table
from oddly.model.numbers import exact
from oddly.questions.allowed.flips.moves import POINTS, Drift, LeverMoves, Moves
from oddly.questions.allowed.flips.ranges import FlipRange
from oddly.questions.allowed.layout import CAPTIONS, Number, Path, Ranges, bars, unit_of
from oddly.questions.allowed.ranges import Range
from oddly.runtime import polled

MOST_CURVES = 60  # of one picture
FEW_CURVES = 4
FRAME = 10  # times the way to the end of the budget that a picture shows


class Flips(Ranges):
    """What the answers with a budget have in common."""

    flips: Fraction
    under: str
    moves: Moves

    def drift(self, path: Path) -> Drift:
        """The share of cases that change as one number moves: the whole curve."""
        return self.moves.drift(tuple(path))

    @cached_property
    @told
    def drifts(self) -> tuple[Drift, ...]:
        """What moves of a tenth of a log-odds and of a whole one change, or of points: of the prior, the threshold and all weights.

        Empty where each share would take a model to compile.
        """
        scale = self.moves.scale
        by = [-scale, -scale / 10, scale / 10, scale]
        return tuple(self.moves.drift(path, by) for path in polled(self.weighed_paths(), "drift"))

    def steepest(self, most: int = MOST_CURVES) -> list[Drift]:
        """Whole curves: that of the prior first, then of the weights that change most cases. The threshold's is the prior's, mirrored.

        Where each share takes a model to compile, those of the priors alone, and coarse.
        """
        if not self.drifts:
            found = [path for path in self.moves.paths if path[0] != "entry"][:FEW_CURVES]
            return [self.moves.drift(path, [self.moves.scale * x / 2 for x in range(-4, 5)]) for path in found]
        single = [d for d in self.drifts if d.path[0] not in ("threshold", "cutoff")]
        first = sorted(single, key=lambda d: (len(d.path) > 1, -float(d.most.sum())))
        moves = np.linspace(-1, 1, POINTS) * self._frame(first[0].path)
        return [self.moves.drift(d.path, moves.tolist()) for d in first[:most]]

    def _frame(self, path: Path) -> float:
        """Moves that a picture shows: some times as far as the budget lets the first number go, or three times the scale."""
        fall, rise = (abs(self.moves.distance(path, reach.at)) for reach in self.moves.reaches(path, self.flips))
        far = max((x for x in (fall, rise) if 0 < x < inf), default=inf)
        return min(FRAME * far, 3 * self.moves.scale)

    def weighed_paths(self) -> list[Path]:
        """The numbers that sums are made of; none where there are no sums."""
        found = self.moves.paths if isinstance(self.moves, LeverMoves) else ()
        return [path for path in found if path[0] != "entry"]

    def share(self, path: Path, to: Any) -> tuple[Fraction | float, Fraction | float]:
        """What share of cases changes if a number becomes this one: at least, and at most."""
        return self.moves.share(tuple(path), exact(to, " / ".join(path)))

    def budget(self) -> str:
        """The share, in words."""
        return f"{said_share(self.flips)} of cases under {self.under}"

    def about_budget(self) -> Iterator[tuple[str, str]]:
        yield "may change", f"at most {self.budget()}; the distribution stays, whatever moves"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows, left_out = self._shown(most)
        facts = [("decided", f"{self.decided()}, {many_instances(self.instances)}"), *self.about_budget()]
        units = [(unit, [row for row in rows if unit_of(row) == unit]) for unit in CAPTIONS]
        tables = [_table(CAPTIONS[unit], found) for unit, found in units if found]
        return (
            Facts("What is decided", tuple(facts)),
            *([Paragraph(ALONE)] if tables else []),
            *tables,
            *([Facts("Not shown", tuple(left_out))] if left_out else []),
            *([self._drift_table().cut(most)] if self.drifts else []),
        )

    def _drift_table(self) -> Table:
        """What share of cases changes, at most, if a number moves so far."""
        head = ("number", *(f"{by:+g}" for by in self.drifts[0].by.tolist()))
        rows = tuple((d.name, *(f"{100 * share:.3g}%" for share in d.most.tolist())) for d in self.drifts)
        caption = f"What share of cases changes, at most, if a number moves by so many {self.unit}"
        return Table(caption, head, rows, (1, 2, 3, 4))


ALONE = (
    "Each number moves alone here, all others as they are. What is in a range is proven to change no more than that; from the "
    "numbers on the right outwards more changes for certain."
)
HEAD = ("number", "now", "may be in", "more changes below", "more changes above")


def _table(caption: str, numbers: Sequence[Number]) -> Table:
    rows = tuple(_row(name, found) for _, name, found in numbers)
    return Table(caption, HEAD, rows, (1, 2, 3, 4), bars(numbers)).cut()


def _row(name: str, found: Range | None) -> tuple[str, ...]:
    if not isinstance(found, FlipRange):
        return name, "", "cannot move", "", ""
    below, above = found.outer_texts()
    return name, found.texts()[2], "anything" if found.any else found.interval(), below or "nothing", above or "nothing"


def said_share(share: Fraction) -> str:
    """
    >>> said_share(Fraction(1, 1000)), said_share(Fraction(1, 3))
    ('0.1%', '33.3333%')
    """
    return f"{float(100 * share):.6g}%"
