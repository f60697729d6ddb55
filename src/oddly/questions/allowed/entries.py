# SPDX-License-Identifier: Apache-2.0
"""How far may a single probability of a CPT move, while the others of its row keep their proportions?

Let a row have the sum s, and let its entry p become q. Then the entry's odds factor, and with it the weight of its
value, changes by q/p, and that of every other value by (s − q)/(s − p); in the row of the negative class, by the
inverses. Theorem 2.3 allows each weight an interval, so each of the two ratios has one, and q must satisfy both:
q ∈ p·I and s − q ∈ (s − p)·J, with J the narrowest of the others' intervals. Both are intervals of q, so the
allowed entries are their intersection. Which of the two blocks an end also says whether the end is included.
"""

from collections.abc import Sequence
from fractions import Fraction

from oddly.model import NaiveBayes
from oddly.questions.allowed.ranges import End, Range
from oddly.questions.allowed.room import POSITIVE, Slack, Slacks, tightest

Entries = dict[str, dict[str, dict[str, Range | None]]]
"""By variable, row of its table and value."""


def entries(model: NaiveBayes, found: Slacks) -> Entries:
    """By attribute, class value and value. None for an entry that is 0, or alone in its row: it cannot move."""
    answer: Entries = {}
    for attribute, weights in zip(model.attributes, found.by_value, strict=True):
        rows = {}
        for label in model.class_values:
            # more under the negative class is less for the positive one
            room = weights if label == model.labels[POSITIVE] else [w.reversed() for w in weights]
            row = attribute.given[label]
            rows[label] = {v: entry(row, room, i) for i, v in enumerate(attribute.values)}
        answer[attribute.name] = rows
    return answer


def entry(row: Sequence[Fraction], rooms: Sequence[Slack], i: int) -> Range | None:
    """The range of the i-th probability of a row, from the rooms of the row's values."""
    now, rest = row[i], sum(row) - row[i]
    if not now or not rest:
        return None
    low, high = rooms[i].scaled(now)
    rest_low, rest_high = tightest([*rooms[:i], *rooms[i + 1 :]]).scaled(rest)
    total = now + rest
    lows = [End(Fraction(0)), low, End(total - rest_high.at, rest_high.included, rest_high.block)]
    highs = [End(total), high, End(total - rest_low.at, rest_low.included, rest_low.block)]
    return Range.between(
        max(lows, key=lambda end: (end.at, not end.included)),
        min(highs, key=lambda end: (end.at, end.included)),
        now,
        "probability",
    )
