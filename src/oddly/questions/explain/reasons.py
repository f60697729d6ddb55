# SPDX-License-Identifier: Apache-2.0
"""The reasons of one decision: the smallest, how many, how large, which features they use, and all of them in turn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np

from oddly.answers import MOST_CASES, UNTOLD, Answer, Block, Count, Facts, Table, as_features, told
from oddly.diagram import ODD
from oddly.diagram.passes.semirings import Numbers
from oddly.diagram.passes.sweep import value_counts
from oddly.errors import TooLarge, listed
from oddly.questions.explain.additive import Chosen
from oddly.questions.explain.diagram import FREE, KEEP
from oddly.questions.explain.sets import Sets

Kind = Literal["sufficient", "necessary"]
Reason = dict[str, str]
"""Features of the instance: attributes with their values."""
CAPTIONS: Mapping[Kind, str] = {
    "sufficient": "Features that force the decision, whatever the others are",
    "necessary": "Features whose change can undo it",
}


@dataclass(frozen=True, repr=False, eq=False)
class Reasons(Answer):
    """All minimal sets of features of an instance that suffice for its decision, or that it needs.

    *Sufficient*: whatever the other attributes are, the decision stands. *Necessary* (contrastive): the decision
    changes for some other values of just these. Iterating gives the smallest first, without listing them all.
    """

    kind: Annotated[Kind, UNTOLD]
    instance: Annotated[Mapping[str, str], UNTOLD]
    """What is known of it."""
    _sets: Sets

    @property
    @told
    def smallest(self) -> Reason | None:
        """One that no other is smaller than (but see `fewest`); None if there is no reason."""
        chosen, _ = self._smallest
        return None if chosen is None else self._named(chosen)

    @property
    @told
    def fewest(self) -> bool:
        """Whether it is proven that no reason is smaller. If not, at least no feature of it can be left out."""
        return self._smallest[1]

    @cached_property
    @told
    def count(self) -> Count | None:
        """How many there are, without listing them; None where that is too much work, and `limit` says so."""
        found = self._sets.reasons
        return None if isinstance(found, TooLarge) else found.count("reason")

    @property
    @told
    def limit(self) -> str | None:
        """What stopped the counting, if anything did."""
        if not isinstance(self._sets.reasons, TooLarge):
            return None
        return str(self._sets.reasons).partition(".  Try")[0]  # another order of the model would not change much here

    @cached_property
    @told
    def by_size(self) -> dict[int, Count] | None:
        """How many there are of each size."""
        if isinstance(self._sets.reasons, TooLarge):
            return None
        return {size: int(found) for size, found in enumerate(_by_size(self._sets.reasons)) if found}

    @cached_property
    @told
    def used(self) -> dict[str, Count] | None:
        """How many use each feature."""
        if isinstance(odd := self._sets.reasons, TooLarge):
            return None
        counts = dict(zip(odd.order, value_counts(odd.levels, odd.root, 1, 2, odd.instances), strict=True))
        return {name: counts[name][KEEP] for name in self._sets.names}

    @cached_property
    @told
    def always(self) -> tuple[str, ...]:
        """The attributes that are in every reason."""
        every, enough = range(len(self._sets.names)), self._sets.enough
        found = [i for i in every if not enough([j for j in every if j != i])] if enough(every) else []
        return tuple(self._sets.names[i] for i in found)

    @cached_property
    @told
    def never(self) -> tuple[str, ...] | None:
        """The attributes that are in none: those the decision does not depend on, here. None past the limits."""
        try:
            odd = self._sets.diagram
        except TooLarge:
            return None
        levels = dict(zip(odd.order, odd.levels, strict=True))
        return tuple(name for name in self._sets.names if (levels[name][:, FREE] == levels[name][:, KEEP]).all())

    @property
    def diagram(self) -> ODD:
        """The reasons themselves as a diagram over *free* and *keep*, labelled "reason"; TooLarge past the limits."""
        return self._sets.minimal

    def __iter__(self) -> Iterator[Reason]:
        """The smallest first."""
        return map(self._named, self._sets.smallest_first())

    def any_order(self) -> Iterator[Reason]:
        """All of them, a few steps from one to the next however many there are, in no order of size."""
        return map(self._named, self._sets.any_order())

    def verdict(self) -> bool:
        return self.smallest is not None

    def sentence(self) -> str:
        """How many, and the smallest."""
        if self.smallest is None:
            return f"No {self.kind} reason."
        least = as_features(self.smallest) or "none of the features"
        if self.count == 1:
            return f"1 {self.kind} reason: {least}."
        many = "Uncounted" if self.count is None else f"{self.count:,}"
        size = "the smallest is" if self.fewest else "one is"
        return f"{many} {self.kind} reasons; {size} {least}{''.join(f'; {words}' for words in self._everywhere())}."

    def _everywhere(self) -> list[str]:
        found = (("all have", self.always), ("none has", self.never or ()))
        return [f"{what} {listed(names)}" for what, names in found if names]

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = self._told(MOST_CASES if most is None else most)
        left_out = max((self.count or 0) - len(rows), 0)
        table = Table(f"{CAPTIONS[self.kind]}; the smallest first", ("reason",), rows, left_out=left_out)
        return (Facts("How many", self.facts()), *([table] if rows else []))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """How many reasons, of which sizes, with which features."""
        if self.count is None:
            many = f"not counted: {self.limit}"
        else:
            sizes = ", ".join(f"{found:,} of size {size}" for size, found in (self.by_size or {}).items())
            many = f"{self.count:,} reason{'' if self.count == 1 else 's'}: {sizes}" if self.count else "no reason"
        return (self.kind, many), *(("", words) for words in self._everywhere() if self.count != 1)

    def _told(self, most: int) -> tuple[tuple[str], ...]:
        """A few reasons; past the limits only the one that is known."""
        try:
            found = list(islice(self, most))
        except TooLarge:
            found = [] if self.smallest is None else [self.smallest]
        return tuple((as_features(reason) or "no feature at all",) for reason in found)

    @cached_property
    def _smallest(self) -> tuple[Chosen | None, bool]:
        return self._sets.smallest()

    def _named(self, chosen: Chosen) -> Reason:
        return {name: self.instance[name] for name in (self._sets.names[i] for i in chosen)}


def _by_size(odd: ODD) -> Numbers:
    """The number of positive instances by how many features they keep: polynomials, from the sinks up."""
    kind: Any = np.int64 if len(odd.levels) < 62 else object
    found: Numbers = np.zeros((2, len(odd.levels) + 1), kind)
    found[1, 0] = 1
    for level in reversed(odd.levels):
        above = found[level[:, FREE]]
        above[:, 1:] += found[level[:, KEEP], :-1]
        found = above
    return np.asarray(found[odd.root])
