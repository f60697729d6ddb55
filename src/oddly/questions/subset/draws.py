# SPDX-License-Identifier: Apache-2.0
"""A small set of attributes that will do, where there are too many instances for tables over all of them.

Instances drawn from the model choose what to leave out: always what changes fewest of their decisions, then, as long as
that finds something, one attribute back for two others out. What is chosen is held against the limit exactly, on
the diagrams. No smaller set is proven impossible that way, so a bound goes with it: an attribute without which even the
best rule falls short is in every set. Where the decision hinges on it, some of its values are decided otherwise than
the others, so any rule errs there at least as often as its rarest value comes. And the smallest sets of all are few
enough to be tried one by one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.hinges import HINGES, hinges
from oddly.diagram import ODD
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import measure_of
from oddly.distribution.sampling import sample_indices
from oddly.model import CPT, NaiveBayes
from oddly.questions.subset.search import Agreement, Floats, Places

Columns = tuple[int, ...]
"""Attributes, by their places among the diagram's columns."""

DRAWS = 1 << 14
MOST_TRIED, MOST_NODES = 600, 1 << 27  # sets of one size, and nodes walked for them: some seconds, or a minute
NEVER = -1e4  # the logarithm of zero, such that it can be taken back


def beyond_tables(agreement: Agreement, model: NaiveBayes) -> tuple[Places, int]:
    """A set that can be removed, the largest found, and how many attributes are needed at least."""
    odd, share = agreement.odd, agreement.share

    def places(columns: Columns) -> Places:
        return tuple(odd.order.index(odd.columns[i]) for i in columns)

    def reaches(columns: Columns) -> bool:
        return agreement.reached(places(columns))

    draws = _Draws.of(odd, model)
    columns, at_least = _tried(odd, _found_by_draws(draws, share, reaches), reaches)
    if at_least < len(odd.columns) - len(columns):
        likely = [a for place, a in enumerate(draws.attributes) if draws.may_be_needed(place, 1 - share)]
        at_least = max(at_least, sum(_is_needed(odd, model, a, share) for a in likely))
    return places(columns), at_least


def _found_by_draws(draws: "_Draws", share: Fraction, reaches: Callable[[Columns], bool]) -> Columns:
    """A set of attributes to leave out, as large as the draws could find; what it reaches is asked exactly."""
    chain = list(draws.chain(()))
    guess = max((n for n, (_, agreed) in enumerate(chain) if agreed >= share), default=0)
    while guess and not reaches(chain[guess][0]):
        guess -= 1
    best = chain[guess][0]
    while (better := draws.exchanged(best, share)) is not None and reaches(better):
        best = better
    return best


def _tried(odd: ODD, removed: Columns, reaches: Callable[[Columns], bool]) -> tuple[Columns, int]:
    """The same set to leave out or a larger one, and how many attributes every set keeps: all small sets are tried."""
    every = range(len(odd.columns))
    for size in range(len(every) - len(removed)):
        if (sets := comb(len(every), size)) > MOST_TRIED or sets * odd.size > MOST_NODES:
            return removed, size
        for kept in combinations(every, size):
            others = tuple(i for i in every if i not in kept)
            if reaches(others):
                return others, size
    return removed, len(every) - len(removed)


def _is_needed(odd: ODD, model: NaiveBayes, a: CPT, share: Fraction) -> bool:
    """Whether an attribute is in every set that reaches the share, as far as its hinges can tell."""
    contexts = hinges(odd, [a.name])
    measure = measure_of(odd, "model", contexts.variables)
    at = contexts.labels.index(HINGES)
    rarest = [min(a.given[c]) for c in model.class_values]
    masses = label_masses(contexts, measure, exact=True)
    lost = sum((of_class[at] * least for of_class, least in zip(masses, rarest, strict=True)), Fraction(0))
    return lost > (1 - share) * measure.mass


@dataclass(frozen=True, eq=False)
class _Draws:
    """Some instances, and what the model makes of parts of them."""

    odd: ODD
    model: NaiveBayes
    attributes: list[CPT]
    codes: NDArray[np.intp]
    decided: NDArray[np.intp]
    prior: Floats
    parts: list[Floats]
    """By attribute: what its value adds to the logarithm of each class, by draw."""

    @classmethod
    def of(cls, odd: ODD, model: NaiveBayes) -> "_Draws":
        codes = sample_indices(odd, DRAWS, under="model")
        by_name = {a.name: a for a in model.attributes}
        attributes = [by_name[name] for name in odd.columns]
        tables = [np.array([[_log(p) for p in a.given[c]] for c in model.class_values]).T for a in attributes]
        parts = [table[codes[:, i]] for i, table in enumerate(tables)]
        prior = np.array([_log(p) for p in model.prior])
        return cls(odd, model, attributes, codes, odd.decide(codes).astype(np.intp), prior, parts)

    def chain(self, removed: Columns) -> Iterator[tuple[Columns, float]]:
        """Ever more attributes left out, always the one that changes least, and how many draws still agree."""
        kept = (part for i, part in enumerate(self.parts) if i not in removed)
        logs = sum(kept, np.tile(self.prior, (len(self.codes), 1)))
        yield removed, self._agreed(logs)
        left = [i for i in range(len(self.parts)) if i not in removed]
        while left:
            agreed, best = max((self._agreed(logs - self.parts[i]), i) for i in left)
            logs = logs - self.parts[best]
            left.remove(best)
            removed = (*removed, best)
            yield removed, agreed

    def exchanged(self, removed: Columns, share: Fraction) -> Columns | None:
        """One more attribute left out than before: one of these back, two others out."""
        options = []
        for back in removed:
            *_, (more, agreed) = islice(self.chain(tuple(i for i in removed if i != back)), 3)
            options.append((len(more), agreed, more))
        size, agreed, more = max(options, default=(0, 0.0, ()))
        return more if size > len(removed) and agreed >= share else None

    def may_be_needed(self, place: int, allowed: Fraction) -> bool:
        """Whether the decision hinges on an attribute in about as many draws as would make it needed."""
        a = self.attributes[place]
        tips = np.zeros(len(self.codes), bool)
        for value in range(len(a.values)):
            changed = self.codes.copy()
            changed[:, place] = value
            tips |= self.odd.decide(changed) != self.decided
        rarest = max(min(a.given[c]) for c in self.model.class_values)
        return bool(1.1 * tips.mean() * float(rarest) > allowed)

    def _agreed(self, logs: Floats) -> float:
        """The share of draws decided as with all attributes."""
        model = self.model
        if model.positive is None:
            return float((logs.argmax(axis=1) == self.decided).mean())
        at = model.class_values.index(model.positive)
        others = np.logaddexp.reduce(np.delete(logs, at, axis=1), axis=1)
        if model.threshold in (0, 1):
            ahead = (logs[:, at] if model.threshold == 0 else -others) > NEVER / 2
        else:
            ahead = logs[:, at] - others >= _log(model.threshold) - _log(1 - model.threshold)
        return float((ahead == self.decided).mean())


def _log(p: Fraction) -> float:
    return log(p.numerator) - log(p.denominator) if p else NEVER
