# SPDX-License-Identifier: Apache-2.0
"""What can the missing attributes still make of a partial instance, and which one should be asked next?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from oddly.answers import MOST_CASES, Answer, Block, Count, Paragraph, Table, percent, told
from oddly.diagram import ODD
from oddly.diagram.passes.sweep import counts_for, through
from oddly.distribution.masses import information
from oddly.questions.explain.diagram import Case


@dataclass(frozen=True, repr=False)
class StillOpen(Answer):
    """How the completions of a partial instance are decided, and how many each answer would settle."""

    counts: Mapping[str, Count]
    """Completions by label."""
    settles: Mapping[str, Count]
    """For each missing attribute, of how many completions the label is certain once that attribute is known."""
    tells: Mapping[str, float]
    """For each missing attribute, how much it tells about the label, in bits, if all completions are equally likely."""
    ask: str | None
    """The attribute that settles the most; of equals, the one that tells the most; None if no single one tells anything."""

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
        return f"{told} {self._advice()}"

    def _advice(self) -> str:
        if self.ask is None:
            return "No single attribute tells anything about the decision; it takes several together."
        settled = self.settles[self.ask]
        if not settled:
            alone = list(self.tells.values()).count(self.tells[self.ask]) == 1
            most = f"{self.ask} tells most about the decision" if alone else f"none tells more than {self.ask}"
            return f"No single attribute settles any of them; {most}."
        alone = list(self.settles.values()).count(settled) == 1 < len(self.settles)
        number = "all" if settled == self.completions else f"{settled:,}"
        return f"Asking {self.ask} settles {number} of them{', more than any other attribute' if alone else ''}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        names = sorted(self.settles, key=lambda name: (-self.settles[name], -self.tells[name]))
        rows = tuple(
            (name, f"{self.settles[name]:,}", percent(self.settles[name], self.completions), f"{self.tells[name]:.4g}")
            for name in names
        )
        caption = f"What each answer would settle, of {self.completions:,} completions, and tell about the decision"
        table = Table(caption, ("attribute", "settles", "part of all", "bits"), rows, (1, 2, 3))
        return Paragraph(self.sentence()), table.cut(MOST_CASES)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def still_open(odd: ODD, case: Case) -> StillOpen:
    """Count the completions of a case by the label they get, for every value of every missing attribute at once.

    One pass up and one down: what reaches an edge from above times what follows below it.
    """
    both = zip(case, odd.arities, strict=True)
    rows = [[int(own is None or own == value) for value in range(arity)] for own, arity in both]
    found = through(odd.levels, odd.root, np.eye(len(odd.labels)), rows, counts_for(odd.levels, odd.instances))
    counted = [[list(map(int, by_label)) for by_label in row] for row in found]
    by_value = {name: row for name, row, own in zip(odd.order, counted, case, strict=True) if own is None}
    settles, tells = {}, {}
    for name in [column for column in odd.columns if column in by_value]:
        counts = by_value[name]
        settles[name] = sum(sum(found) for found in counts if sum(n > 0 for n in found) == 1)
        tells[name] = information(counts)
    ask = max(settles, key=lambda name: (settles[name], tells[name]))
    totals = dict(zip(odd.labels, map(sum, zip(*counted[0], strict=True)), strict=True))
    return StillOpen(totals, settles, tells, ask if tells[ask] else None)
