# SPDX-License-Identifier: Apache-2.0
"""General reasons: which other values may the features take as well?

A sufficient reason keeps a feature or sets it free. In between lies allowing some other values: "age in {30s, 40s},
and anything else". A box of allowed values around the instance is a general reason if all instances in it are decided
alike and no further value can be allowed. For sums, what a value costs is known, and a box is paid for out of the
margin; for any diagram, one pass tells whether a box holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, prod

from oddly.algebra.expressions import quoted
from oddly.answers import Answer, Count
from oddly.diagram import ODD
from oddly.questions.explain.additive import Chosen, IntegerScore
from oddly.questions.explain.diagram import KEEP, Case, fewest_kept, general_reason, labels_reached, minimal
from oddly.runtime import LimitArguments, limited

Allowed = list[set[int]]
"""Depth by depth, the values that a box allows."""


@dataclass(frozen=True, repr=False)
class GeneralReason(Answer):
    """Values around an instance for which the decision is the same, and no other value can be added to them."""

    decision: str
    allowed: Mapping[str, tuple[str, ...]]
    """Of each attribute that matters; all others may have any value."""
    size: Count
    """How many instances have only allowed values."""
    instances: Count
    """Of how many in all."""

    @property
    def condition(self) -> str:
        """The allowed values as an expression, such as `oddly must` takes."""
        features = ((quoted(name), [*map(quoted, values)]) for name, values in self.allowed.items())
        return " and ".join(
            f"{name}={v[0]}" if len(v) == 1 else f"{name} in {{{', '.join(v)}}}" for name, v in features
        )

    def sentence(self) -> str:
        if not self.allowed:
            return f"{self.decision} whatever the instance."
        return f"{self.decision} whenever {self.condition}: {self.size:,} of {self.instances:,} instances."


def widest(odd: ODD, label: int, case: Case, reason: Sequence[int], sums: IntegerScore | None) -> GeneralReason:
    """A general reason that allows many instances, and certainly all that the given reason does.

    `reason` has the depths of a sufficient reason's features; `sums` are positive where the label is decided. Not
    always the widest of all, but no value can be added to it; checked on the diagram.
    """
    start = [set(range(arity)) if own is None else {own} for arity, own in zip(odd.arities, case, strict=True)]
    freed = [own if depth in reason else set(range(odd.arities[depth])) for depth, own in enumerate(start)]
    if sums is None:
        found = _added_one_by_one(odd, label, freed)
    else:
        boxes = [_paid_for(sums, case, box) for box in (start, freed)]
        found = max(boxes, key=lambda box: prod(map(len, box)))
    assert labels_reached(odd, found) == {label}, "a general reason must hold on the diagram"
    return _told(odd, label, found)


def all_general(odd: ODD, label: int, case: Case, limits: LimitArguments) -> Iterator[GeneralReason]:
    """Every general reason, those that rule out the fewest values first; TooLarge past the limits."""
    with limited(limits):
        odd_of_pairs, pairs = general_reason(odd, label, case)
        found = minimal(odd_of_pairs)
    for path in fewest_kept(found):
        allowed = [set(range(arity)) for arity in odd.arities]
        for (depth, value), choice in zip(pairs, path, strict=True):
            if choice == KEEP:
                allowed[depth].remove(value)
        yield _told(odd, label, allowed)


def _added_one_by_one(odd: ODD, label: int, box: Allowed) -> Allowed:
    for depth, arity in enumerate(odd.arities):
        for value in set(range(arity)) - box[depth]:
            more = [*box[:depth], box[depth] | {value}, *box[depth + 1 :]]
            if labels_reached(odd, more) == {label}:
                box = more
    return box


def _paid_for(sums: IntegerScore, case: Case, box: Allowed) -> Allowed:
    """Widen a box by what multiplies its size most for what it costs, as long as the margin pays for it."""
    losses = sums.losses(case)
    paid = [max(loss[value] for value in values) for loss, values in zip(losses, box, strict=True)]
    margin = sums.margin(case) - sum(paid)
    while True:
        steps = [
            (_worth(loss, now, price), -price, -depth)
            for depth, (loss, now) in enumerate(zip(losses, paid, strict=True))
            for price in set(loss)
            if now < price <= now + margin
        ]
        if not steps:
            break
        _, price, depth = max(steps)
        margin -= -price - paid[-depth]
        paid[-depth] = -price
    return [{v for v, price in enumerate(loss) if price <= most} for loss, most in zip(losses, paid, strict=True)]


def _worth(loss: Sequence[int], now: int, price: int) -> float:
    before, after = sum(p <= now for p in loss), sum(p <= price for p in loss)
    return log(after / before) / (price - now)


def _told(odd: ODD, label: int, box: Sequence[set[int]]) -> GeneralReason:
    by_name = {
        v.name: tuple(v.values[i] for i in sorted(values))
        for v, values in zip(odd.variables, box, strict=True)
        if len(values) < len(v.values)
    }
    allowed = {name: by_name[name] for name in odd.columns if name in by_name}
    return GeneralReason(odd.labels[label], allowed, prod(map(len, box)), odd.instances)


def depths_of(odd: ODD, names: Sequence[str]) -> Chosen:
    """Where attributes stand in a diagram."""
    return tuple(odd.order.index(name) for name in names)
