# SPDX-License-Identifier: Apache-2.0
"""How far may each number move, if a few decisions may change?

No change at all is the paper's question. On models learned from data the answer is true and narrow: some case is always next to the
threshold. With a budget, a share of all cases, ranges are as wide as people mean. The cases are weighed as before the move. By
how the share is found: instance by instance (`by_instances`), on a grid with bounds (`by_grid`), or by comparison with the
moved model (`by_comparison`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any

from oddly.answers import UNTOLD, Count
from oddly.diagram import ODD
from oddly.distribution.measure import possible_under
from oddly.errors import ModelError
from oddly.model.numbers import exact
from oddly.questions.allowed.flips.layout import Flips
from oddly.questions.allowed.flips.moves import Moves
from oddly.questions.allowed.flips.prepare import moves_of
from oddly.questions.allowed.flips.ranges import Convert, FlipRange, converted, widened
from oddly.questions.allowed.layout import Number, Path, Ranges
from oddly.questions.allowed.ranges import Range, Unit
from oddly.runtime import polled

By = Mapping[str, FlipRange | None]


@dataclass(frozen=True, repr=False)
class AllowedFlips(Flips):
    """Where every number may lie while at most a share of cases changes, each moving alone. Units as in `Allowed`.

    None stands for what cannot move: an infinite weight, a probability of 1, a prior of 0 or 1. A probability of 0 can become more.
    """

    class_name: str
    positive: str
    instances: Count
    unit: Unit
    flips: Fraction
    """The share of cases that may change."""
    under: str
    """How cases are distributed."""
    prior: FlipRange | None
    threshold: FlipRange | None
    weights: Mapping[str, By]
    """By attribute and value; empty where there are none, and where moved models were compared."""
    entries: Mapping[str, Mapping[str, By]]
    """By attribute, class value and value, the others of the row keeping their proportions."""
    entries_unknown: str
    """Why entries that should be there are not: what would have been too large."""
    moves: Annotated[Moves, UNTOLD] = field(compare=False)

    @property
    def _prior(self) -> str:
        return "intercept" if self.unit == "points" else f"Pr({self.class_name}={self.positive})"

    def sentence(self) -> str:
        card = self.unit == "points"
        found = [("the intercept" if card else self._prior, self.prior)]
        found.append(("the cut-off" if card else "the threshold", self.threshold))
        lines = [f"  {name} is {(r.probability or r)!r}" for name, r in found if r is not None]
        if not lines:
            return f"The ranges of single numbers while at most {self.budget()} change are in weights and entries."
        return "\n  or".join([f"At most {self.budget()} change while\n{lines[0]}", *(line[1:] for line in lines[1:])])

    def summary(self) -> str:
        if self.prior is None:
            return super().summary()
        found = self.prior.probability or self.prior
        return (
            f"{'The ' if self.unit == 'points' else ''}{self._prior} may be {found!r}, if {self.budget()} may change."
        )

    def weighing(self) -> Iterator[Number]:
        card = self.unit == "points"
        kinds = (
            (("intercept", self._prior), ("cutoff", "cut-off"))
            if card
            else (("prior", self._prior), ("threshold",) * 2)
        )
        for (kind, name), found in zip(kinds, (self.prior, self.threshold), strict=True):
            if found is not None:
                yield (kind,), name, found.probability or found
            if found is not None and found.probability is not None:
                yield ("log-odds", kind), f"log-odds of the {kind}", found
        kind = "points" if card else "weight"
        for name, values in self.weights.items():
            for value, found in values.items():
                yield (kind, name, value), f"{kind} of {name}={value}", found

    def decided(self) -> str:
        return f"{self.class_name}={self.positive}"


@dataclass(frozen=True, repr=False)
class AllowedZoneFlips(Flips):
    """The same of a choice among many classes."""

    class_name: str
    labels: tuple[str, ...]
    instances: Count
    unit: Unit
    flips: Fraction
    """The share of cases that may change."""
    under: str
    """How cases are distributed."""
    prior: By
    """By class: its prior, while the others keep their proportions; or its intercept."""
    weights: Mapping[str, Mapping[str, By]]
    """By attribute, value and class: the points of a scoreboard. Empty for others."""
    entries: Mapping[str, Mapping[str, By]]
    """By attribute, row and value."""
    entries_unknown: str
    """Why entries that should be there are not: what would have been too large."""
    moves: Annotated[Moves, UNTOLD] = field(compare=False)

    def sentence(self) -> str:
        lines = [f"{self._named(label)} is {found!r}" for label, found in self.prior.items() if found is not None]
        if not lines:
            return f"The ranges of single numbers while at most {self.budget()} change are in weights and entries."
        return f"At most {self.budget()} change while\n  " + "\n  or ".join(lines)

    def _named(self, label: str) -> str:
        return f"the intercept of {label}" if self.unit == "points" else f"Pr({self.class_name}={label})"

    def weighing(self) -> Iterator[Number]:
        kind = "intercept" if self.unit == "points" else "prior"
        for label, found in self.prior.items():
            yield (kind, label), self._named(label), found
        for name, values in self.weights.items():
            for value, labels in values.items():
                for label, found in labels.items():
                    yield ("points", name, value, label), f"points of {name}={value} for {label}", found

    def decided(self) -> str:
        return f"{self.class_name} of {', '.join(self.labels)}"


def with_budget(odd: ODD, strict: Ranges, flips: Any, under: Any) -> AllowedFlips | AllowedZoneFlips:
    """The ranges for a budget, from those without one."""
    assert odd.source is not None
    budget, model = share_of(flips), odd.source.model
    measure = possible_under(odd, under)
    known = {path: number for path, _, number in strict.ranges()}
    moves, unknown = moves_of(odd, measure, known)
    found = {path: flip_range(moves, path, known, budget) for path in polled(moves.paths, "ranges")}
    about = (odd.instances, strict.unit, budget, measure.name)
    card = strict.unit == "points"
    kind = "points" if card else "weight"
    weights = _mirrored(found, (kind,), strict.weights if any(path[0] == kind for path in found) else {})
    rest = (weights, _mirrored(found, ("entry",), strict.entries), strict.entries_unknown or unknown, moves)
    if model.positive is None:
        kind = "intercept" if card else "prior"
        prior = {label: found.get((kind, label)) for label in model.class_values if model.start is not None}
        return AllowedZoneFlips(model.class_name, model.labels, *about, prior, *rest)
    own, limit = ("intercept", "cutoff") if card else ("prior", "threshold")
    return AllowedFlips(model.class_name, model.labels[1], *about, found.get((own,)), found.get((limit,)), *rest)


def share_of(flips: Any) -> Fraction:
    """A share of all cases as people write it.

    >>> share_of("0.1%"), share_of("0.001"), share_of("1/1000")
    (Fraction(1, 1000), Fraction(1, 1000), Fraction(1, 1000))
    """
    percent = isinstance(flips, str) and flips.strip().endswith("%")
    found = exact(flips.strip()[:-1] if percent else flips, "flips") / (100 if percent else 1)
    if not 0 <= found <= 1:
        raise ModelError(f"flips: expected a share of all cases, such as 0.001 or 0.1%, found {flips!r}")
    return found


def flip_range(moves: Moves, path: Path, known: Mapping[Path, Range | None], budget: Fraction) -> FlipRange:
    """What is known to be allowed without any change is allowed with some."""
    fall, rise = moves.reaches(path, budget)
    strict, odds = known.get(path), known.get(("log-odds", *path))
    now, unit, total = moves.place(path)
    if unit == "log-odds":
        assert strict is not None
        fall, rise = converted((fall, rise), Convert(strict.now))
        now = strict.now
    fall, rise = widened(fall, rise, strict)
    found = FlipRange.reaching(fall, rise, now, unit)
    if path not in (("prior",), ("threshold",)):
        return found
    convert = Convert(0.0, total)
    fall, rise = widened(*converted((fall, rise), convert), odds)
    return FlipRange.reaching(fall, rise, convert(now), "log-odds", found)


def _mirrored(found: Mapping[Path, FlipRange], path: Path, like: Any) -> Any:
    """The ranges in the same nest of names."""
    if isinstance(like, Mapping):
        return {name: _mirrored(found, (*path, name), inside) for name, inside in like.items()}
    return found.get(path)
