# SPDX-License-Identifier: Apache-2.0
"""What would change this decision?

The cheapest way to another decision is a shortest path: every edge of the diagram costs what it costs to have its
value, and edges that cannot be taken are left out. Forbidden combinations are a product with their own diagram. That no
path is left proves that nothing can be done under the rules.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice
from typing import Annotated, Any, Unpack

import numpy as np

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import Expression
from oddly.answers import Answer, As, Count, JsonName, ScopedAnswer, told
from oddly.answers.blocks import Block, Facts, Paragraph, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.diagram.passes.semirings import WHOLES
from oddly.diagram.passes.sweep import path_sums, walk
from oddly.diagram.paths import Path, cheapest
from oddly.diagram.rows import known_values
from oddly.errors import ModelError, UnknownName
from oddly.model.numbers import Number, written
from oddly.questions.change.rules import ChangeRules, Cost, Way, rules
from oddly.questions.explain.diagram import asked
from oddly.runtime import LimitArguments, limited

Forbidden = str | Expression | ODD
"""A combination of features that must not come out: an expression, or a diagram whose last label stands for yes."""
Prices = list[list[int | None]]
WANTED = ("other", "wanted")


@dataclass(frozen=True)
class Step:
    """The change of one attribute."""

    old: Annotated[str, JsonName("from")]
    """The value it has."""
    new: Annotated[str, JsonName("to")]
    """The value it would have."""


def _steps(changes: Mapping[str, tuple[str, str]]) -> dict[str, Step]:
    return {name: Step(old, new) for name, (old, new) in changes.items()}


@dataclass(frozen=True, repr=False)
class Alternative(Answer):
    """An instance that is decided as wanted, and what it changes."""

    decision: str
    changes: Annotated[Mapping[str, tuple[str, str]], As(Mapping[str, Step], _steps)]
    """From which value to which, by attribute."""
    cost: Fraction
    instance: Mapping[str, str]
    """All of it."""

    def sentence(self) -> str:
        return " and ".join(f"{name}={new} instead of {old}" for name, (old, new) in self.changes.items())


@dataclass(frozen=True, repr=False, eq=False)
class Change(ScopedAnswer):
    """The cheapest ways to another decision; false if there is none, which is then proven."""

    instance: Mapping[str, str]
    decision: str
    to: tuple[str, ...]
    """The decisions that are wanted."""
    alternatives: tuple[Alternative, ...]
    """At most k, the cheapest first; of equal costs, those with fewer changes. None does all that another one does
    and more."""
    allowed: Count
    """How many instances of the domain, this one included, the rules allow."""
    _odd: ODD
    _wanted: ODD
    _rules: ChangeRules
    _domain: Domain

    @property
    @told
    def possible(self) -> bool:
        """Whether there is a way under the rules."""
        return bool(self.alternatives)

    @property
    def best(self) -> Alternative | None:
        return self.alternatives[0] if self.alternatives else None

    @property
    def cost(self) -> Fraction | None:
        """What the best one costs."""
        return self.best.cost if self.best else None

    @cached_property
    @told
    def robustness(self) -> int | None:
        """The fewest attributes, of all, whose change makes the decision another; None if none ever does."""
        others = _wanted(self._domain.product, [label for label in self._odd.labels if label != self.decision])
        both = zip(self._rules.case, self._odd.arities, strict=True)
        prices = [[int(value != own) for value in range(arity)] for own, arity in both]
        found = next(cheapest(others.levels, others.root, prices, 1, 2), None)
        return None if found is None else found[0]

    def every(self) -> Iterator[Alternative]:
        """Every allowed instance that is decided as wanted, the cheapest first, needless changes and all; lazily."""
        prices, one = self._rules.prices()
        for price, path in cheapest(self._wanted.levels, self._wanted.root, prices, 1, 2):
            yield _alternative(self._odd, self._rules, path, price, one)

    def verdict(self) -> bool:
        return bool(self.alternatives)

    @told
    def sentence(self) -> str:
        """How the decision changes at the least cost, or that it cannot."""
        wanted = " or ".join(self.to)
        if not self.best:
            return self.scope.said(f"Impossible under these rules: {self._proof(wanted)}.")
        if not self.best.changes:
            return self.scope.said(f"It is {self.decision} already.")
        labels = {way.decision for way in self.alternatives}
        ways = [f"with {way} ({self._priced(way, told=len(labels) > 1)})" for way in self.alternatives]
        become = wanted if len(labels) > 1 else self.best.decision
        return self.scope.said(f"{self.decision} becomes {become} {'; or '.join(ways)}.")

    def _proof(self, wanted: str) -> str:
        """What becomes of all the instances that the rules allow."""
        others = [label for label in self._odd.labels if label not in self.to]
        decided = f"decided {others[0]}" if len(others) == 1 else f"not decided {wanted}"
        if self.allowed < 2:
            return f"the only instance they allow is {decided}" if self.allowed else "they allow no instance at all"
        return f"{'both' if self.allowed == 2 else f'all {self.allowed:,}'} instances they allow are {decided}"

    def _priced(self, way: Alternative, told: bool) -> str:
        n = len(way.changes)
        label = f"{way.decision}, " if told else ""
        cost = "" if way.cost == n else f", cost {written(way.cost)}"
        return f"{label}{n} change{'' if n == 1 else 's'}{cost}"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        n = self.robustness
        robust = f"{n} change{'' if n == 1 else 's'}, were all attributes free to change"
        robust = f"every instance is decided {self.decision}" if n is None else robust
        free = Facts("How robust the decision is", (("robustness", robust), *self.scope.facts()))
        if len(self.alternatives) < 2:
            return Paragraph(self.sentence()), free
        told = len(self.to) > 1
        rows = ((way.sentence(), written(way.cost), *([way.decision] if told else [])) for way in self.alternatives)
        head = ("change", "cost", *(["decision"] if told else []))
        return Table(f"{self.decision} becomes {' or '.join(self.to)} with", head, tuple(rows), (1,)).cut(most), free


def change(
    odd_or_model: Any,
    instance: Mapping[str, object],
    *,
    to: str | None = None,
    costs: Mapping[str, Cost] | None = None,
    step_costs: Mapping[str, Number] | None = None,
    fixed: Sequence[str] = (),
    one_way: Mapping[str, Way] | None = None,
    forbid: Forbidden | Sequence[Forbidden] = (),
    within: Within = None,
    k: int = 1,
    **limits: Unpack[LimitArguments],
) -> Change:
    """What is the cheapest change of this instance that changes its decision?

    To any other decision, or `to` the one that is named. A change of an attribute costs one, or its entry of `costs`
    (a number, or a mapping from new values to numbers, and then no other value can be had), or its entry of
    `step_costs` times the steps between the values. Attributes in `fixed` cannot change; those in `one_way` only "up",
    to values that are listed later, or "down". `forbid` has combinations of features that must not come out, and what
    comes out is `within` a domain, if one is named, as the instance is (`oddly.algebra.domain`). Up to `k` ways, none of which does all that another does and more. Cost: a pass over the diagram per way and change in it,
    after a product with what is forbidden.

    >>> import oddly
    >>> change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, k=2)
    no becomes yes with S=+ve instead of -ve (1 change); or with U=+ve instead of -ve and B=+ve instead of -ve (2 changes).
    >>> change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, fixed=["S"], forbid="U=+ve and B=+ve")
    Impossible under these rules: all 3 instances they allow are decided no.
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        if not isinstance(k, int | np.integer) or k < 1:
            raise ModelError(f"k: expected a number from 1 on, found {k!r}")
        known = known_values(odd, instance)
        if missing := [name for name in odd.columns if name not in known]:
            raise UnknownName(f"no value for {missing[0]}; what changes a decision is asked of a complete instance")
        case = [known[name] for name in odd.order]
        allowed = rules(odd, case, costs, step_costs, fixed, one_way)
        decision = odd.labels[walk(odd.levels, odd.root, case)[-1]]
        others = [label for label in odd.labels if label != decision]
        target = others if to is None else [odd.labels[odd.label_index(to)]]
        domain = domain_of(within, odd)
        domain.require(odd.instance_of(case), dict(enumerate(case)))
        wanted, number, forbidden = _wanted(domain.product, target), allowed.allowed, _ruled_out(domain, forbid)
        if forbidden is not None:
            wanted = combine(wanted, forbidden, lambda ours, theirs: int(ours and not theirs), WANTED)
            number = _allowed_of(odd, forbidden, allowed)
        about = odd.instance_of(case), decision, tuple(target), tuple(_ways(odd, wanted, allowed, k)), number
        return Change(*about, odd, wanted, allowed, domain, scope=domain.scope)


def _ways(odd: ODD, wanted: ODD, allowed: ChangeRules, k: int) -> Iterator[Alternative]:
    """The cheapest, then the cheapest of those that make all the changes of none before them, and so on.

    What does not make all of the changes a, b, c does not make a, or makes a and not b, or a and b and not c: each of
    these is the same diagram with some edges left out (Lawler, 1972), and costs one pass. What comes out of one of
    them may still make all the changes of a way that was found in another; then it is divided by that way's.
    """
    prices, one = allowed.prices()
    open_: list[tuple[int, Path, int, Prices]] = []
    found: list[frozenset[tuple[int, int]]] = []
    number = count()

    def look(prices: Prices) -> None:
        for price, path in islice(cheapest(wanted.levels, wanted.root, prices, 1, 2), 1):
            heapq.heappush(open_, (price, path, next(number), prices))

    look(prices)
    while open_ and len(found) < k:
        price, path, _, within = heapq.heappop(open_)
        changed = frozenset((i, new) for i, (own, new) in enumerate(zip(allowed.case, path, strict=True)) if own != new)
        known = next((way for way in found if way <= changed), None)
        if known is None:
            found.append(changed)
            yield _alternative(odd, allowed, path, price, one)
        for depth, new in sorted(changed if known is None else known) if len(found) < k else []:
            row = within[depth]
            without, only = ([p if (v == new) == same else None for v, p in enumerate(row)] for same in (False, True))
            look([*within[:depth], without, *within[depth + 1 :]])
            within = [*within[:depth], only, *within[depth + 1 :]]


def _alternative(odd: ODD, allowed: ChangeRules, path: Path, price: int, one: int) -> Alternative:
    old, instance, label = odd.instance_of(allowed.case), odd.instance_of(path), walk(odd.levels, odd.root, path)[-1]
    changes = {name: (old[name], value) for name, value in instance.items() if old[name] != value}
    return Alternative(odd.labels[label], changes, Fraction(price - len(changes), one), instance)


def _wanted(odd: ODD, labels: Sequence[str]) -> ODD:
    """A diagram of two labels: is the decision one of these?"""
    levels, root = asked(odd, [odd.label_index(label) for label in labels])
    return ODD(odd.variables, WANTED, tuple(levels), root, odd.places)


def _combinations(forbid: Forbidden | Sequence[Forbidden]) -> Sequence[Forbidden]:
    found = [forbid] if isinstance(forbid, Forbidden) else forbid
    if not isinstance(found, Sequence) or not all(isinstance(one, Forbidden) for one in found):
        example = "an expression such as 'U=+ve and B=+ve'"
        raise ModelError(f"forbid: expected {example}, a diagram or several, found {forbid!r}")
    return found


def _ruled_out(domain: Domain, forbid: Forbidden | Sequence[Forbidden]) -> ODD | None:
    """All that is forbidden, and all that is outside the domain."""
    found = _forbidden(domain.odd, _combinations(forbid))
    if domain.members is None:
        return found
    outside = combine(domain.inside, domain.inside, lambda i, _: 1 - i, WANTED)
    return outside if found is None else combine(found, outside, lambda ours, theirs: int(ours or theirs), WANTED)


def _forbidden(odd: ODD, combinations: Sequence[Forbidden]) -> ODD | None:
    """One diagram of everything that is forbidden, over the attributes of this one."""
    if not combinations:
        return None
    found = _wanted(odd, [])
    for combination in combinations:
        rule = combination if isinstance(combination, ODD) else expression_diagram(combination, odd)
        for name in rule.order:
            if name not in odd.order:
                raise UnknownName.among("attribute", name, odd.columns)
        broken = _wanted(rule, rule.labels[-1:])
        found = combine(found, broken, lambda ours, theirs: int(ours or theirs), WANTED)
    return found


def _allowed_of(odd: ODD, forbidden: ODD, allowed: ChangeRules) -> int:
    """How many instances the rules allow that are not forbidden."""
    kind = WHOLES.holding(odd.instances).kind
    rows = [np.array([int(cost is not None) for cost in row], kind) for row in allowed.costs]
    return int(path_sums(forbidden.levels, forbidden.root, 2, rows)[0])
