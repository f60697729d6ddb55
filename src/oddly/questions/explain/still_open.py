# SPDX-License-Identifier: Apache-2.0
"""What can the missing attributes still make of a partial instance, and which one should be asked next?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from oddly.answers import Answer, Count, percent, told
from oddly.answers.blocks import MOST_CASES, Block, Paragraph, Table
from oddly.diagram import ODD
from oddly.diagram.passes import counts_for, through
from oddly.questions.explain.diagram import Case


@dataclass(frozen=True, repr=False)
class StillOpen(Answer):
    """How the completions of a partial instance are decided, and how many each answer would settle."""

    counts: Mapping[str, Count]
    """Completions by label."""
    settles: Mapping[str, Count]
    """For each missing attribute, of how many completions the label is certain once that attribute is known."""
    ask: str
    """The attribute that settles the most; of equals, the one that leaves the larger majorities."""

    @property
    @told
    def completions(self) -> Count:
        """How many ways there are to complete it."""
        return sum(self.counts.values())

    def verdict(self) -> bool:
        return False

    def sentence(self) -> str:
        ranked = sorted(((n, label) for label, n in self.counts.items() if n), key=lambda pair: -pair[0])
        (most, label), *others = ranked
        rest = "".join(f", {n:,} {_is(n)} {label}" for n, label in others)
        told = f"still open: {most:,} of {self.completions:,} completions {_is(most)} {label}{rest}."
        settled = self.settles[self.ask]
        if not settled:
            return f"{told} No single attribute settles any of them; {self.ask} says most."
        alone = len([n for n in self.settles.values() if n == settled]) == 1 and len(self.settles) > 1
        number = "all" if settled == self.completions else f"{settled:,}"
        return f"{told} Asking {self.ask} settles {number} of them{', more than any other attribute' if alone else ''}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        settles = sorted(self.settles.items(), key=lambda pair: (-pair[1], pair[0] != self.ask))
        rows = tuple((name, f"{n:,}", percent(n, self.completions)) for name, n in settles)
        caption = f"What each answer would settle, of {self.completions:,} completions"
        table = Table(caption, ("attribute", "settles", "part of all"), rows, (1, 2))
        return Paragraph(self.sentence()), table.cut(MOST_CASES)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def still_open(odd: ODD, case: Case) -> StillOpen:
    """Count the completions of a case by the label they get, for every value of every missing attribute at once.

    One pass up and one down: what reaches an edge from above times what follows below it.
    """
    rows = [
        [int(own is None or own == value) for value in range(arity)]
        for own, arity in zip(case, odd.arities, strict=True)
    ]
    found = through(odd.levels, odd.root, np.eye(len(odd.labels)), rows, counts_for(odd.levels, odd.instances))
    counted = [[list(map(int, by_label)) for by_label in row] for row in found]
    by_value = {name: row for name, row, own in zip(odd.order, counted, case, strict=True) if own is None}
    settles, majority = {}, {}
    for name in [column for column in odd.columns if column in by_value]:
        counts = by_value[name]
        settles[name] = sum(sum(found) for found in counts if sum(n > 0 for n in found) == 1)
        majority[name] = sum(max(found) for found in counts)
    ask = max(settles, key=lambda name: (settles[name], majority[name]))
    totals = dict(zip(odd.labels, map(sum, zip(*counted[0], strict=True)), strict=True))
    return StillOpen(totals, settles, ask)
