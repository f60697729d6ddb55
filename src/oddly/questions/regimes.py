# SPDX-License-Identifier: Apache-2.0
"""How many different classifiers are there, if only the prior moves?  And if one attribute's CPT does?

As the prior grows, an instance turns positive where prior + its weights reaches the threshold. So the classifiers
that some prior induces are the gaps between the distinct values of −(sum of weights), the *breakpoints* of the
diagram's root before any are dropped, and each gap is a regime. Sums are listed with the number of instances that
share them, which gives the size of every regime.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import inf
from typing import Annotated, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly.answers import Answer, As, Count, Unbounded, apart, of_instances, percent
from oddly.answers.blocks import Block, Facts, Table
from oddly.compiler import as_diagram
from oddly.diagram.certificate import scaled
from oddly.diagram.sources import additive
from oddly.errors import Unsupported, listed
from oddly.lowering.score import FINITE, Score, lower
from oddly.model.variable import Ties
from oddly.questions.allowed.ranges import Unit
from oddly.questions.sums import Sums, distinct_sums, ends_in
from oddly.runtime import LimitArguments, limited

Floats = NDArray[np.float64]

MAX_REGIMES = 1_000_000
TELLING = 10**12  # classifiers; that there are at most so many, or more, tells nobody anything
MOST_SHOWN = 25  # regimes that a person may want to see, around the model's own


@dataclass(frozen=True)
class Sweep:
    """How many instances are positive as one number moves: a step function, ready to plot.

    positives[i] holds from edges[i-1] to edges[i]; `plt.stairs(sweep.positives, [0, *sweep.edges, 1])` draws it.
    """

    edges: Annotated[Floats, As(tuple[Unbounded, ...], list)]
    """Ascending: probabilities, or points."""
    positives: Annotated[NDArray[Any], As(tuple[Count, ...], list)]
    """Exact counts, one more than there are edges."""


@dataclass(frozen=True)
class Regime:
    """One classifier among those that the prior can induce."""

    low: float
    high: float
    """The priors, or intercepts, that induce it lie between these."""
    includes_low: bool
    includes_high: bool
    positives: int
    now: bool
    """Whether it is the model's own."""

    def interval(self) -> str:
        """The numbers that induce it, as mathematicians write it."""
        low, high = apart(self.low, self.high)
        return f"{'[' if self.includes_low else '('}{low}, {high}{']' if self.includes_high else ')'}"


@dataclass(frozen=True, repr=False)
class Regimes(Answer):
    """The classifiers that come of changing the prior alone, and bounds for changing one attribute's CPT."""

    class_name: str
    positive: str
    instances: Count
    unit: Unit
    count: Count
    """How many classifiers changing the prior induces; at most that many if not `exact`."""
    exact: bool
    bound: Count
    """Theorem 2.2: the number of instances, plus one."""
    bound_by_attribute: Mapping[str, Count]
    """Theorem 2.4; for a scorecard, whose points are free, (k + 1)^b."""
    now: int | None
    """Which regime the model is in, counted from 0; None if there are too many, or its prior is 0 or 1."""
    by_prior: Sweep | None
    """Positive instances against the prior's probability, or the intercept; None if there are too many regimes."""
    by_threshold: Sweep | None
    """The same against the threshold's probability, or the cut-off, the prior staying as it is."""
    ties: Ties
    """What an instance exactly on the threshold is: "positive" puts an edge of `by_prior` into the regime above it."""

    def __iter__(self) -> Iterator[Regime]:
        """The regimes from the lowest prior up."""
        if self.by_prior is None:
            raise Unsupported(f"up to {self.count:,} regimes, too many to list.  Try a larger max_regimes.")
        least, most = (-inf, inf) if self.unit == "points" else (0.0, 1.0)
        edges = [least, *self.by_prior.edges.tolist(), most]
        upward = self.ties == "positive"
        last = len(edges) - 2
        for i, positives in enumerate(self.by_prior.positives.tolist()):
            yield Regime(edges[i], edges[i + 1], upward and i > 0, not upward and i < last, positives, i == self.now)

    @property
    def _number(self) -> str:
        return "the intercept" if self.unit == "points" else f"Pr({self.class_name}={self.positive})"

    def sentence(self) -> str:
        few = f"{shortened(self.count)} classifier{'' if self.count == 1 else 's'}"
        said = f"{few if self.exact else f'At most {few} (Theorem 2.2)'} by changing {self._number}"
        if self.by_prior is not None and self.now is not None:
            positives = of_instances(int(self.by_prior.positives[self.now]), self.instances)
            said += f"; the model is number {self.now + 1:,}, with {positives} {self.positive}"
        every = [f"{name} {shortened(n)}" for name, n in self.bound_by_attribute.items() if n < TELLING]
        bounds = every if len(every) <= 6 else [*every[:6], "…"]
        bounds += ["more than 10^12 for others"] if 0 < len(every) < len(self.bound_by_attribute) else []
        theorem = "" if self.unit == "points" else " (Theorem 2.4)"
        if self.bound_by_attribute and not every:
            return (
                f"{said}. By changing one attribute: the bound{theorem} is more than 10^12 for each, and says little."
            )
        return said + (f". By changing one attribute at most{theorem}: {', '.join(bounds)}." if bounds else ".")

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        how = "exactly" if self.exact else "at most"
        bound = "" if self.unit == "points" or not self.exact else f" (at most {shortened(self.bound)} by Theorem 2.2)"
        count = f"{how} {shortened(self.count)} by changing {self._number}{bound}"
        facts = Facts("Different classifiers", (("classifiers", count), *self._by_attribute()))
        return (facts, self._listed(MOST_SHOWN if most is None else most)) if self.exact else (facts,)

    def _by_attribute(self) -> Iterator[tuple[str, str]]:
        """The bound depends on the number of values alone, so attributes share theirs."""
        theorem = "" if self.unit == "points" else " (Theorem 2.4)"
        shared: dict[int, list[str]] = {}
        for name, bound in self.bound_by_attribute.items():
            shared.setdefault(min(bound, TELLING), []).append(name)
        for bound, names in shared.items():
            one_of = names[0] if len(names) == 1 else f"one of {listed(names)}"
            if bound < TELLING:
                yield "", f"at most {shortened(bound)} by changing {one_of}{theorem}"
            else:
                yield "", f"by changing {one_of}: the bound{theorem} is more than 10^12, and says little"

    def _listed(self, most: int) -> Table:
        """So many regimes around the model's own."""
        first = max((self.now or 0) - most // 2, 0) if self.count > most else 0
        every, shown = self.instances, islice(self, first, first + most)
        now = {True: "the model", False: ""}
        rows = tuple((r.interval(), f"{r.positives:,}", percent(r.positives, every), now[r.now]) for r in shown)
        head = ("intercept" if self.unit == "points" else "prior", self.positive, f"of {self.instances:,}", "now")
        caption = f"The classifiers, from the lowest {head[0]} up"
        return Table(caption, head, rows, (1, 2), left_out=self.count - len(rows))


def regimes(odd_or_model: Any, max_regimes: int = MAX_REGIMES, **limits: Unpack[LimitArguments]) -> Regimes:
    """How many different classifiers can changing the prior induce?

    The exact number, with every regime and its size, while there are no more than `max_regimes`; else the bound of
    Theorem 2.2, and it says so. Priors of 0 and 1 are not counted. Cost: O(regimes × values), and up to
    2^attributes regimes.

    >>> import oddly
    >>> regimes(oddly.examples.pregnancy())
    9 classifiers by changing Pr(P=yes); the model is number 6, with 5 of 8 instances yes.
    By changing one attribute at most (Theorem 2.4): U 17, B 17, S 17.
    >>> [regime.positives for regime in regimes(oddly.examples.pregnancy())]
    [0, 1, 2, 3, 4, 5, 6, 7, 8]
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        if odd.source is None:
            raise Unsupported("this diagram was combined from others, so there is no prior behind it that could move")
        score = additive(odd.source, "counting the classifiers of all priors")
        weighted = _with_weights(score)
        sums = distinct_sums(weighted, max_regimes - 1)
        by_prior, by_threshold = _by_prior(score, sums), _by_threshold(weighted, sums)
        model, every = score.model, odd.instances
        count = len(by_prior.positives) if by_prior else every + 1
        bounds = {v.name: _theorem_2_4(every, len(v.values), model.unit) for v in model.variables}
        exact, now = by_prior is not None, _current(score, sums)
        about = (model.class_name, score.labels[1], every, model.unit)
        return Regimes(*about, count, exact, every + 1, bounds, now, by_prior, by_threshold, model.ties)


def _with_weights(score: Score) -> Score:
    """The score; at a threshold of 0 or 1, which no finite weight reaches and which has none, that of one half."""
    if not score.model.certain:
        return score
    return lower(score.model.replace(threshold=Fraction(1, 2)), score.bits, score.impossible)


def _by_prior(score: Score, sums: Sums | None) -> Sweep | None:
    """The breakpoints are the priors at which a sum comes to the threshold, so the greatest sum's comes first."""
    states = ends_in(score)
    if score.model.certain:  # every finite instance is decided alike, whatever the prior
        return _sweep(np.empty(0), _decided(score, states) + states[FINITE] * int(score.threshold < 0))
    if sums is None:
        return None
    edges = scaled(-sums.values[::-1], sums.score.unit) + score.threshold
    return _sweep(_in_users_terms(score, edges), _decided(score, states), sums.ways[::-1])


def _by_threshold(score: Score, sums: Sums | None) -> Sweep | None:
    """The same steps downward: a threshold that rises leaves one instance after another behind."""
    states = ends_in(score, score.prior.state)
    if score.prior.state != FINITE:
        return _sweep(np.empty(0), _decided(score, states))
    if sums is None:
        return None
    edges = scaled(sums.values + sums.score.prior.weight, sums.score.unit) + score.threshold
    return _sweep(_in_users_terms(score, edges), _decided(score, states) + states[FINITE], -sums.ways)


def _decided(score: Score, states: Mapping[int, int]) -> int:
    """How many instances are positive because of probabilities of zero."""
    return sum(score.outcomes[state] * many for state, many in states.items() if state != FINITE)


def _current(score: Score, sums: Sums | None) -> int | None:
    """How many breakpoints the prior has passed."""
    if score.prior.state != FINITE:
        return None
    if score.model.certain:
        return 0
    return None if sums is None else int(np.count_nonzero(sums.values + sums.score.start >= 0))


def _sweep(edges: Floats, first: int, steps: NDArray[Any] | None = None) -> Sweep:
    steps = np.empty(0, np.int64) if steps is None else steps
    kind = object if steps.dtype == object or first >= 1 << 62 else np.int64
    return Sweep(edges, np.cumsum(np.concatenate([np.array([first], kind), steps.astype(kind)])))


def _theorem_2_4(instances: int, b: int, unit: Unit) -> int:
    """(k + 1)^b − ⌊k/2⌋^b − ⌈k/2⌉^b: the weights of a CPT are never all positive, nor all negative; points may be."""
    k = instances // b
    all_one_way = 0 if unit == "points" else (k // 2) ** b + (k - k // 2) ** b
    return int((k + 1) ** b - all_one_way)


def _in_users_terms(score: Score, sums: Floats) -> Floats:
    """Points as they are, log-odds as probabilities."""
    if score.model.unit == "points":
        return sums
    small = np.exp(-np.abs(sums))
    return np.asarray(np.where(sums < 0, small, 1) / (1 + small))


def shortened(number: int) -> str:
    """A whole number, rounded where it is too long to read.

    >>> shortened(19684), shortened(2**80)
    ('19,684', '1.2e+24')
    """
    return f"{number:,}" if number < 10**15 else f"{Decimal(number):.1e}"
