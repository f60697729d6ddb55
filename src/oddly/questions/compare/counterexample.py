# SPDX-License-Identifier: Apache-2.0
"""The smallest thing to say that shows two classifiers to differ.

A partial instance whose completions are all decided alike by each side, and differently by the two; at its most
probable completion, what each side thinks of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from oddly.answers import UNTOLD, JsonName, Rounded, TypedJson, as_features, told
from oddly.diagram import ODD
from oddly.distribution.cases import MOST_NAMED, smallest, stated
from oddly.distribution.listing import instances
from oddly.distribution.measure import Measure, known_places, uniform
from oddly.model import Probabilistic
from oddly.questions.compare.sides import ComparedSide


@dataclass(frozen=True)
class Posterior:
    """How probable one side takes a label to be."""

    of: str
    """The label it is of."""
    probability: Rounded | None
    """None where a side has none."""


@dataclass(frozen=True, repr=False)
class Counterexample(TypedJson):
    """Few attributes that suffice for the two sides to decide differently, whatever the others."""

    known: Mapping[str, str]
    """The attributes that matter, with their values."""
    others: Annotated[tuple[str, ...], JsonName("any")]
    """Those that may have any value."""
    labels: tuple[str, str]
    """What the first side decides of it, and the second."""
    fewest: bool
    """Whether it is proven that no disagreement can be stated with fewer attributes."""
    instance: Mapping[str, str]
    """Its most probable completion, of a distribution that has any."""
    of: Annotated[tuple[str, str], UNTOLD]
    """The label that each posterior is of: the first side's positive one, or of more than two what a side decides."""
    posteriors: Annotated[tuple[Fraction | None, Fraction | None], UNTOLD]
    """Of that instance, on each side; None where a side has none."""
    _told: tuple[str, str]

    @told
    def _posteriors(self) -> tuple["Posterior", "Posterior"]:
        """How probable each side takes it to be."""
        first, second = map(Posterior, self.of, self.posteriors)
        return first, second

    def __repr__(self) -> str:
        """What is known, what may be anything, and how each side decides."""
        told = f"{stated(self.known, self.others) or 'any instance'}: {' → '.join(self._told)}"
        if self._told == self.labels or not self.others:
            return told
        rest = {name: self.instance[name] for name in self.others}
        return f"{told} at its most probable" + (f", {as_features(rest)}" if len(rest) <= MOST_NAMED else "")


def counterexample(
    difference: ODD, ways: Sequence[tuple[str, str]], sides: Sequence[ComparedSide], by: Measure
) -> Counterexample:
    """The smallest counterexample: of all the directions the one whose partial instance fixes the fewest attributes.

    `difference` has the label "same" and then one per way, (the first side's label, the second's).
    """
    found = [(way, smallest(difference, label)) for way, label in zip(ways, difference.labels[1:], strict=True)]
    tried = [(way, one) for way, one in found if one is not None]
    way, best = min(tried, key=lambda pair: pair[1].fixed)
    known = difference.instance_of(best.choices)
    others = tuple(name for name in difference.columns if name not in known)
    fewest = best.fixed <= min(one.least for _, one in tried)
    case = _most_probable(difference, known, by)
    labels = sides[0].odd.labels
    of = (labels[-1],) * 2 if len(labels) == 2 else way
    posteriors = _posterior(sides[0], case, of[0]), _posterior(sides[1], case, of[1])
    decisions = _decision(sides[0], way[0], case, of[0]), _decision(sides[1], way[1], case, of[1])
    return Counterexample(known, others, way, fewest, case, of, posteriors, decisions)


def _most_probable(odd: ODD, known: Mapping[str, str], by: Measure) -> dict[str, str]:
    """The most probable instance of these values; the first values for the rest if they are impossible."""
    zeros = [np.zeros((1, arity), np.uint32) for arity in odd.arities]
    anything = ODD(odd.variables, ("anything",), tuple(zeros), 0, odd.places)
    possible = by.knowing(known_places(known, odd)).mass
    instance, _ = next(instances(anything, None, by if possible else uniform(odd.variables), given=known))
    return instance


def _posterior(side: ComparedSide, case: Mapping[str, str], of: str) -> Fraction | None:
    """The probability of a label, where a side has one: it may have no model, and the case be impossible under it."""
    model = _probabilistic(side)
    found = model and model.posterior(side.own(case))
    return found[model.class_values.index(side.own_label(of))] if model and found else None


def _decision(side: ComparedSide, label: str, case: Mapping[str, str], of: str) -> str:
    """A side's decision with its posterior, if it has a model that gives one."""
    model, p = _probabilistic(side), _posterior(side, case, of)
    if model is None or p is None:
        return label if model is None else f"{label} (impossible)"
    if model.positive is None:
        return f"{label} ({float(p):.3f})"
    return f"{label} ({_apart(p, model.threshold if model.positive == side.own_label(of) else 1 - model.threshold)})"


def _probabilistic(side: ComparedSide) -> Probabilistic | None:
    """The model behind a side, if it speaks of probabilities."""
    return None if side.odd.source is None else side.odd.source.model.probabilistic


def _apart(p: Fraction, threshold: Fraction) -> str:
    """A probability with three digits, or as many as tell it from the threshold."""
    digits = next((d for d in range(3, 18) if p == threshold or round(p, d) != round(threshold, d)), 18)
    return f"{float(p):.{digits}f}"
