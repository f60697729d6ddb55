# SPDX-License-Identifier: Apache-2.0
"""Reasons of a classifier that adds up: what an instance can lose, feature by feature, before its decision changes.

Freeing a feature costs at most its *gain*, the weight of its value less the least of its attribute. So a set of
features suffices iff the gains of what is kept come to what is *needed*: again a sum held against a threshold, over
one choice per feature, and the complete reason compiles with the engine that compiled the classifier. Negative
decisions are the mirror image. All numbers are the whole ones of the score, and the least sum of what remains open
is the sum of one instance: what is proven of the diagram's decisions holds for reasons too.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.lowering.score import ALWAYS, FINITE, IMPOSSIBLE, NEVER, Score
from oddly.model import Points, Scorecard
from oddly.questions.explain.diagram import CHOICES, SUFFICES, Case

Chosen = tuple[int, ...]
"""Features by their places, ascending."""


@dataclass(frozen=True)
class IntegerScore:
    """A classifier as whole numbers alone: positive iff start + the weights of the values >= 0."""

    start: int
    weights: tuple[tuple[int, ...], ...]

    def mirrored(self) -> "IntegerScore":
        """Positive where this is negative."""
        return IntegerScore(-self.start - 1, tuple(tuple(-w for w in ws) for ws in self.weights))

    def losses(self, case: Case) -> list[list[int]]:
        """What each other value of an attribute costs a case that is positive; nothing if it is as good."""
        both = zip(self.weights, case, strict=True)
        return [[0 if value is None else max(ws[value] - w, 0) for w in ws] for ws, value in both]

    def margin(self, case: Case) -> int:
        """How far above zero a case is at the least, whatever its unknown values are."""
        found = zip(self.weights, case, strict=True)
        return self.start + sum(min(ws) if value is None else ws[value] for ws, value in found)


def sums_of(odd: ODD) -> IntegerScore | None:
    """A diagram's classifier as sums, if it is one that adds up and the sums are proven to decide alike.

    An infinite weight becomes a number that nothing finite makes up for, and that of the side which an impossible
    instance is decided for one that nothing at all makes up for. At a threshold of 0 or 1 that may not fit: None.
    """
    score = odd.source
    if not isinstance(score, Score) or score.outcomes[NEVER : ALWAYS + 1] != (0, 1) or not odd.certificate.proven:
        return None
    finite = [[t.weight for t in terms if t.state == FINITE] for terms in score.terms]
    large = 1 + abs(score.start) + sum(max(map(abs, ws), default=0) for ws in finite)
    huge = large * (len(finite) + 3)
    for_sure = huge if score.outcomes[IMPOSSIBLE] else -huge
    by_state = {NEVER: min(-large, for_sure), ALWAYS: max(large, for_sure), IMPOSSIBLE: for_sure}
    start = score.start + by_state.get(score.prior.state, 0)
    return IntegerScore(start, tuple(tuple(by_state.get(t.state, t.weight) for t in terms) for terms in score.terms))


@dataclass(frozen=True)
class Threshold:
    """The sets of features whose gains come to what is needed; no gain is negative."""

    gains: tuple[int, ...]
    need: int

    def enough(self, chosen: Collection[int]) -> bool:
        return sum(self.gains[i] for i in chosen) >= self.need

    def dual(self) -> "Threshold":
        """The sets without which the rest is not enough."""
        return replace(self, need=sum(self.gains) - self.need + 1)

    def order(self) -> list[int]:
        """The features, the largest gain first."""
        return sorted(range(len(self.gains)), key=lambda i: (-self.gains[i], i))

    def smallest_first(self) -> Iterator[Chosen]:
        """The minimal sets, the smallest first.

        A heap of prefixes of the descending list, each with the size it comes to when the largest gains complete it,
        which is the least it can. Its other completions free one of the features so kept.
        """
        order, gains, left = self._descending()
        heap: list[tuple[int, Chosen, int]] = []

        def push(kept: Chosen, at: int, need: int) -> None:
            if left[at] >= need:
                end = at
                while need > 0:
                    need -= gains[end]
                    end += 1
                heapq.heappush(heap, (len(kept) + end - at, (*kept, *range(at, end)), at))

        push((), 0, self.need)
        while heap:
            size, found, at = heapq.heappop(heap)
            yield tuple(sorted(order[i] for i in found))
            prefix = size - sum(i >= at for i in found)
            for place in range(prefix, size):
                kept = found[:place]
                push(kept, found[place] + 1, self.need - sum(gains[i] for i in kept))

    def any_order(self) -> Iterator[Chosen]:
        """The minimal sets depth first over the descending list: a few steps per feature from one to the next."""
        order, gains, left = self._descending()
        waiting: list[tuple[Chosen, int, int]] = [((), 0, self.need)] if left[0] >= self.need else []
        while waiting:
            kept, at, need = waiting.pop()
            if need <= 0:
                yield tuple(sorted(order[i] for i in kept))
                continue
            if left[at + 1] >= need:
                waiting.append((kept, at + 1, need))
            waiting.append(((*kept, at), at + 1, need - gains[at]))

    def diagram(self, names: Sequence[str]) -> ODD:
        """Which sets are enough, compiled: over free and keep, the largest gain first."""
        small = self.shrunk()
        class_name = "reason"
        while class_name in names:
            class_name += "'"
        points = [Points(name, CHOICES, [0, gain]) for name, gain in zip(names, small.gains, strict=True)]
        card = Scorecard(points, cutoff=small.need, class_name=class_name, class_values=SUFFICES[::-1])
        found = compile(card, [names[i] for i in small.order()])
        return replace(found, source=None)  # these points are no one's weights

    def shrunk(self) -> "Threshold":
        """The same sets by smaller numbers: more than what is needed counts as just that, and what cannot be done
        without as a little more than all the others together."""
        gains, need = [min(gain, max(self.need, 0)) for gain in self.gains], self.need
        total = sum(gains)
        if not 0 < need <= total:
            return Threshold((0,) * len(gains), min(max(need, 0), 1))
        vital = [total - gain < need for gain in gains]
        need -= sum(gain for gain, v in zip(gains, vital, strict=True) if v)
        gains = [0 if v else min(gain, max(need, 0)) for gain, v in zip(gains, vital, strict=True)]
        more = sum(gains) + 1
        gains = [more if v else gain for gain, v in zip(gains, vital, strict=True)]
        return Threshold(tuple(gains), max(need, 0) + more * sum(vital))

    def _descending(self) -> tuple[list[int], list[int], list[int]]:
        """The order, the gains in it, and what is left from each place on."""
        order = self.order()
        gains = [self.gains[i] for i in order]
        return order, gains, list(accumulate(reversed(gains), initial=0))[::-1]


def threshold(sums: IntegerScore, case: Case, features: Sequence[int]) -> Threshold:
    """The features of a positive case, in this order, by what they gain; unknown attributes are always free."""
    losses = [max(loss) for loss in sums.losses(case)]
    gains = tuple(losses[i] for i in features)
    return Threshold(gains, sum(gains) - sums.margin(case))
