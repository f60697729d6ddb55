# SPDX-License-Identifier: Apache-2.0
"""What can be told of a difference, if a classifier is known only as two diagrams around it?

Two surely differ where one surely accepts and the other surely refuses, and perhaps where one perhaps accepts and the
other perhaps refuses. No pair that leaves anything open proves that two are the same, not even of a model and itself: so
their numbers are looked at first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oddly.answers import Answer, Count, as_features, of_instances
from oddly.answers.blocks import Block, Paragraph
from oddly.compiler import as_diagram, as_model, compile, in_order_of, is_diagram
from oddly.diagram import ODD, Pair
from oddly.diagram.combine import same_labels
from oddly.distribution.coarse import Between
from oddly.distribution.enclose import outside
from oddly.distribution.listing import instances
from oddly.distribution.masses import probability_of
from oddly.distribution.measure import measure_of, shown
from oddly.errors import TooLarge, Unsupported
from oddly.lowering.score import Impossible

Operand = ODD | Pair


@dataclass(frozen=True, repr=False)
class DifferenceBounds(Answer):
    """Between which ends a difference lies."""

    equivalent: bool | None
    """Whether the two decide alike on every instance; null: undecided."""
    least: Count
    """How many instances are surely decided differently."""
    most: Count
    """How many perhaps are."""
    instances: Count
    """Of so many."""
    under: str
    """The distribution of the probability."""
    between: Between
    """Where the probability of a disagreement lies."""
    example: Mapping[str, str] | None
    """An instance that is decided differently."""
    labels: tuple[str, str] | None
    """What the first decides of it, and the second."""

    def verdict(self) -> bool:
        if self.equivalent is None:
            raise TooLarge(f"{self.sentence()}  Compile with a smaller error.")
        return self.equivalent

    def sentence(self) -> str:
        """The verdict, and how much differs at most."""
        if self.equivalent:
            every = of_instances(self.instances, self.instances)
            return f"The same classifier: both decide alike on {every}."
        ends = f"{shown(self.between.low)} to {shown(self.between.high)} under {self.under}"
        if self.equivalent is None:
            most = f"at most {of_instances(self.most, self.instances)} are decided differently, probability {ends}"
            return f"Undecided: {most}, and for none is it certain."
        first, second = self.labels or ("", "")
        some = f"they differ on {self.least:,} to {self.most:,} of {self.instances:,} instances, probability {ends}"
        return f"Not the same classifier: {some}. For example {as_features(self.example or {})}: {first} → {second}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        return (Paragraph(self.sentence()),)  # which has all of it


def compare_pairs(a: Any, b: Any, impossible: Impossible | None) -> DifferenceBounds:
    """Do two classifiers decide alike, of which one is a `Pair` at least?"""
    first, second = _operands(a, b, impossible)
    same_labels(first.lower, second.lower)
    model = first.source.model if first.source else second.source.model if second.source else None
    by = measure_of(first.lower, model if model and model.probabilistic else "uniform")
    if _same_numbers(first, second):
        return DifferenceBounds(True, 0, 0, first.instances, by.name, Between(0.0, 0.0), None, None)
    positive = first.labels[1]
    surely = (first.lower & ~second.upper) | (second.lower & ~first.upper)
    perhaps = (first.upper & ~second.lower) | (second.upper & ~first.lower)
    least, most = surely.count(positive), perhaps.count(positive)
    low, high = (probability_of(odd, positive, by) for odd in (surely, perhaps))
    verdict = False if least else None if most else True
    about = verdict, least, most, surely.instances, by.name, outside(low, high, surely)
    if not least:
        return DifferenceBounds(*about, None, None)
    found = [next(instances(surely, positive, how), None) for how in (by, "uniform")]
    example = next(instance for instance, _ in filter(None, found))
    labels = tuple(
        str(side.classify([{v.name: example[v.name] for v in side.variables}])[0]) for side in (first, second)
    )
    return DifferenceBounds(*about, example, (labels[0], labels[1]))


def _operands(a: Any, b: Any, impossible: Impossible | None) -> tuple[Operand, Operand]:
    """Both sides in one order; a model is compiled like the pair it is compared with, and as closely."""
    like = a if isinstance(a, Pair) else b
    first, second = (_operand(side, like, impossible) for side in (a, b))
    if first.variables != second.variables:
        raise Unsupported(
            "two diagrams around a classifier are compared over the same attributes with the same values in one order; "
            "compile both with the same order="
        )
    return first, second


def _operand(side: Any, like: Pair, impossible: Impossible | None) -> Operand:
    if isinstance(side, Pair):
        return side
    if is_diagram(side):
        return as_diagram(side)
    model = as_model(side)
    choice = impossible or (like.source.impossible if like.source else "negative")
    return compile(model, in_order_of(model, like.order), error=like.error, impossible=choice)


def _same_numbers(first: Operand, second: Operand) -> bool:
    """Whether both were made from one model, its impossible inputs decided alike."""
    if first.source is None or second.source is None:
        return False
    return (first.source.model, first.source.impossible) == (second.source.model, second.source.impossible)
