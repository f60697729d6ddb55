# SPDX-License-Identifier: Apache-2.0
"""What a diagram was built from: the sums of a score, those of families, or a table of all instances."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from oddly.diagram.certificate import Certificate
from oddly.errors import Unsupported
from oddly.lowering import Families
from oddly.lowering.score import Impossible, Score
from oddly.model import Model

Choice = Impossible | Literal["apart"]
"""What an impossible instance is decided as; apart: a label of its own."""


@dataclass(frozen=True)
class Tabled:
    """A model whose instances were decided one by one, or whose impossible ones have a label of their own."""

    model: Model
    impossible: Choice
    certificate: Certificate | None
    """How they were decided; None once some attributes are known, and in a file of unknown origin."""
    bits: int = 64
    why: str | None = None
    """Why nothing is proven, where that was tried."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.model.labels


Source = Score | Families | Tabled


def bounds(arities: Sequence[int], labels: int, contexts: Sequence[int] | None) -> list[int]:
    """At most how many nodes has each depth, the sinks last?  Theorem 3.2, in each of so many contexts.

    Without contexts, where the theorem does not apply: no more than there are prefixes, or functions of what is left.

    >>> sum(bounds([2, 2, 2], 2, [1, 1, 1]))
    8
    """
    above = [prod(arities[:k]) for k in range(len(arities))]
    below = [prod(arities) // a for a in above]
    left = [min(b, a.bit_length()) for a, b in zip(above, below, strict=True)]  # more would not be the lesser
    most = [int(labels**rest) for rest in left]
    if contexts is not None:
        most = [min(m, c * (b + 1)) for m, c, b in zip(most, contexts, below, strict=True)]
    return [*map(min, above, most), labels]


def additive(source: Source | None, what: str) -> Score:
    """The sum of one weight per attribute that decides between two labels, or an error: `what` needs one."""
    if isinstance(source, Score):
        return source
    if source is None:
        raise Unsupported(f"this diagram was combined from others, and {what} needs the numbers behind it")
    wanted = "a sum of one weight per attribute that decides between two labels"
    raise Unsupported(f"{what} needs {wanted}; this is {_kind(source)}")


def _kind(source: Families | Tabled) -> str:
    if isinstance(source, Tabled):
        return "a classifier whose instances were decided one by one"
    if any(len(family.scope) > 1 for family in source.families):
        return "a model that ties attributes together"
    return f"a choice among {len(source.labels)} classes"
