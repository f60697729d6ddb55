# SPDX-License-Identifier: Apache-2.0
"""What do small points change?  For each budget the best card found, compiled and compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddly.answers import Answer, of_instances
from oddly.diagram import ODD
from oddly.errors import ModelError, Unsupported
from oddly.model import Scorecard
from oddly.questions.compare import compare
from oddly.questions.measure import Table, measure_of, shown
from oddly.questions.points_card import as_scorecard, card_json, said_from
from oddly.questions.points_search import Search


@dataclass(frozen=True, repr=False)
class Budget(Answer):
    """The best card found with points up to a budget, and what it changes."""

    largest: int
    """The budget: no value earns more."""
    card: Scorecard
    count: int
    """How many decisions it changes."""
    instances: int
    probability: float
    under: str

    def verdict(self) -> bool:
        return self.count == 0

    def sentence(self) -> str:
        what = "nothing" if not self.count else of_instances(self.count, self.instances)
        likely = f", probability {shown(self.probability)}" if self.count else ""
        return f"points up to {self.largest}: {said_from(self.card)}; changes {what}{likely}"

    def to_json(self) -> dict[str, Any]:
        return {
            "largest": self.largest,
            **card_json(self.card),
            "count": str(self.count),
            "instances": str(self.instances),
            "probability": self.probability,
            "under": self.under,
        }


@dataclass(frozen=True, repr=False)
class Curve(Answer):
    """By budget: the best cards found."""

    budgets: tuple[Budget, ...]

    def __iter__(self) -> Iterator[Budget]:
        return iter(self.budgets)

    def __len__(self) -> int:
        return len(self.budgets)

    def __getitem__(self, place: int) -> Budget:
        return self.budgets[place]

    def verdict(self) -> bool:
        """Whether some budget changes nothing."""
        return any(self.budgets)

    def sentence(self) -> str:
        under = f", under {self.budgets[0].under}" if self.budgets else ""
        return "\n".join([f"The best cards found{under}:", *(f"  {budget!r}" for budget in self.budgets)])


def curve(odd: ODD, exact: Scorecard | None, most: int, under: Any, tries: int, seed: int) -> Curve:
    """The best cards found with points up to 1, 2, 3…, up to the first that changes nothing.

    `exact` is a card known to change nothing: it ends the search, and scaled down it is a start.
    """
    if not isinstance(most, int) or most < 1:
        raise ModelError(f"curve: expected points from 1 on, found {most!r}")
    measure = measure_of(odd, under)
    if isinstance(measure, Table) or not measure.mass:
        raise Unsupported(f"a curve is drawn under a model or the uniform distribution, not under {measure.name}")
    search, found = Search(odd, measure, seed), []
    known: list[Any] = []
    for budget in range(1, most + 1):
        card = exact if exact and _largest(exact) <= budget else None
        if card is None:
            shrunk = [_shrunk(odd, exact, budget)] if exact else []
            points, cutoff = search.best(budget, known + shrunk, tries)
            known = [points]
            card = as_scorecard(odd, points, cutoff)
        difference = compare(odd, card)
        likely = difference.probability(measure)
        found.append(Budget(budget, card, difference.count, difference.instances, likely, measure.name))
        if difference.equivalent:
            break
    return Curve(tuple(found))


def _shrunk(odd: ODD, card: Scorecard, budget: int) -> list[Any]:
    """A card's points scaled down to a budget."""
    scale = budget / max(_largest(card), 1)
    by_name = {a.name: np.array([float(p) for p in a.points]) for a in card.attributes}
    return [np.round(by_name[name] * scale).astype(np.int64) for name in odd.order]


def _largest(card: Scorecard) -> int:
    return max((int(p) for a in card.attributes for p in a.points), default=0)
