# SPDX-License-Identifier: Apache-2.0
"""Why this decision?

A *sufficient* reason is a smallest set of the instance's features that forces the decision, whatever the rest; a *necessary*
one a smallest set whose change can undo it. Every necessary reason meets every sufficient one, and each kind is the set of
minimal hitting sets of the other. Classifiers that add up (`additive`) are answered from their weights, all
others (`diagram`) from the diagram. Of a partial instance: what can the missing attributes still make of it, and
which one should be asked next?
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from oddly.algebra.domain import Domain, Within, domain_of, require_possible
from oddly.answers import (
    MOST_CASES,
    Answer,
    Block,
    Count,
    Facts,
    Paragraph,
    ScopedAnswer,
    Table,
    as_features,
    percent,
    told,
)
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.passes.sweep import counts_for, through
from oddly.diagram.rows import known_values
from oddly.distribution.earned import Earned, earned
from oddly.distribution.masses import information
from oddly.errors import listed
from oddly.questions.explain.additive import IntegerScore, Threshold, sums_of, threshold
from oddly.questions.explain.diagram import Case, labels_reached
from oddly.questions.explain.general import GeneralReason, all_general, depths_of, widest
from oddly.questions.explain.reasons import Reasons
from oddly.questions.explain.sets import Added, Sets, Walked, dual_of
from oddly.questions.explain.wording import counted_are, listed_and
from oddly.runtime import LimitArguments, limited

MOST_NODES = 1_000_000  # of the diagrams of reasons, unless told otherwise


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
        (label, most), *others = sorted(((c, n) for c, n in self.counts.items() if n), key=lambda pair: -pair[1])
        rest = "".join(f", {n:,} {'is' if n == 1 else 'are'} {label}" for label, n in others)
        told = f"still open: {most:,} of {self.completions:,} completions {'is' if most == 1 else 'are'} {label}{rest}."
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
        found = [(name, self.settles[name], self.tells[name]) for name in names]
        rows = tuple((name, f"{n:,}", percent(n, self.completions), f"{bits:.4g}") for name, n, bits in found)
        caption = f"What each answer would settle, of {self.completions:,} completions, and tell about the decision"
        table = Table(caption, ("attribute", "settles", "part of all", "bits"), rows, (1, 2, 3))
        return Paragraph(self.sentence()), table.cut(MOST_CASES)


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(ScopedAnswer):
    """Why an instance is decided as it is; true if it is decided, which a partial one may not be."""

    instance: Mapping[str, str]
    """What is known of it, in the model's order of attributes."""
    decision: str | None
    """The label; None while the missing attributes leave it open."""
    missing: tuple[str, ...]
    """The attributes that are not known."""
    sufficient: Reasons
    """The minimal sets of features that force the decision, whatever the other attributes are."""
    necessary: Reasons
    """The minimal sets of features that another decision would need to change."""
    _odd: ODD
    _case: Case
    _sums: IntegerScore | None
    """Positive where this decision is made, if they add up."""
    _domain: Domain
    """What inputs there are; in the diagram, those outside of it are decided as this case is."""

    @property
    def reason_diagram(self) -> ODD:
        """The complete reason: which sets of features suffice, as a diagram over *free* and *keep*."""
        return self.sufficient._sets.diagram

    @cached_property
    @told
    def general(self) -> GeneralReason | None:
        """A wide box of values around the instance in which every decision is the same; None while it is open."""
        if self.decision is None:
            return None
        reason = depths_of(self._odd, list(self.sufficient.smallest or {}))
        found = widest(self._odd, self._odd.label_index(self.decision), self._case, reason, self._sums)
        return self._inside(found)

    def _inside(self, box: GeneralReason) -> GeneralReason:
        """A box with the inputs in it that exist."""
        if self._domain.members is None:
            return box
        return replace(box, size=self._domain.size(box.condition), instances=self.scope.inputs)

    def all_general(self) -> Iterator[GeneralReason]:
        """Every such box that no value can be added to, those that rule out the fewest values first.

        For small cases: one choice per attribute and other value; TooLarge past the limits.
        """
        if self.decision is None:
            return iter(())
        limits = self.sufficient._sets.limits
        return map(self._inside, all_general(self._odd, self._odd.label_index(self.decision), self._case, limits))

    @cached_property
    @told
    def open(self) -> StillOpen | None:
        """What the missing attributes can still make of it; None once it is decided."""
        return _still_open(self._odd, self._case, self._domain.odd.labels) if self.decision is None else None

    @cached_property
    @told
    def points(self) -> Earned | None:
        """The points it earns, value by value; None without a scorecard, or while not all of it is known."""
        return earned(self._domain.odd, self.instance)

    def verdict(self) -> bool:
        return self.decision is not None

    @told
    def sentence(self) -> str:
        """The decision and its smallest reason, how many there are, and what could undo it."""
        if self.open is not None:
            return self.scope.said(self.open.sentence())
        already = "decided already: " if self.missing else ""
        parts = [already + self.because(), self._reasons_told(), self._undone()]
        return self.scope.said(" ".join(filter(None, parts)))

    def because(self) -> str:
        """The decision with its smallest reason, in one sentence.

        >>> import oddly
        >>> explain(oddly.examples.pregnancy(), {"U": "+ve", "B": "-ve", "S": "+ve"}).because()
        'yes, because S=+ve; whatever U and B are.'
        """
        reason = self.sufficient.smallest or {}
        others = [name for name in self._odd.columns if name not in reason]
        if not reason:
            return f"{self.decision}, whatever {counted_are(others)}."
        whatever = f"; whatever {counted_are(others, 'the other ')}" if others else ""
        features = [f"{name}={value}" for name, value in reason.items()]
        return f"{self.decision}, because {listed_and(features)}{whatever}."

    def summary(self) -> str:
        return self.sentence() if self.decision is None else self.because()

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        missing = [("not known", listed(self.missing))] if self.missing else []
        rows = [("instance", as_features(self.instance) or "nothing known"), *missing]
        if self.open is not None:
            _, *settled = self.open.blocks(most)
            return Paragraph(self.sentence()), Facts("The case", tuple(rows)), *settled
        kinds = self.sufficient, self.necessary
        rows += [("points", self.points.words())] if self.points is not None else []
        rows += [("decision", self.decision or ""), *(fact for kind in kinds for fact in kind.facts())]
        rows += [("in general", self.general.sentence())] if self.general is not None else []
        tables = (block for kind in kinds for block in kind.blocks(most)[1:])
        return Paragraph(self.sentence()), Facts("The case", tuple(rows)), *tables

    def _reasons_told(self) -> str:
        reasons = self.sufficient
        if not reasons.smallest:
            return ""
        if reasons.count == 1:
            return "There is no other sufficient reason."
        if reasons.count is None:
            least = "No feature of it can be left out, but a smaller reason may exist"
            least = "No reason is smaller" if reasons.fewest else least
            return f"{least}; how many there are is not known ({reasons.limit})."
        always = f"; all have {listed_and(reasons.always)}" if reasons.always else ""
        return f"None of the {reasons.count:,} sufficient reasons is smaller{always}."

    def _undone(self) -> str:
        needed = self.necessary.smallest
        if not needed:
            return ""
        others = [label for label in self._odd.labels if label != self.decision]
        become = f"make it {others[0]}" if len(others) == 1 else "change that"
        return f"Changing {listed_and(list(needed))} can {become}."


def explain(
    odd_or_model: Any, instance: Mapping[str, object], *, within: Within = None, **limits: Unpack[LimitArguments]
) -> Explanation:
    """Why is this instance decided so?

    The smallest reason costs O(n log n) for a model that adds up, and one compilation of n choices to count all; for
    any other diagram one product of diagrams per value. Those stop at `max_nodes`, by default a million besides the
    diagram's own, and the answer then says what is not known; the decision and a reason are always there. An instance
    may be partial: then it is decided already or still open.

    With `within`, only inputs of that domain count (`oddly.algebra.domain`): a reason is sufficient if all of them that
    have it are decided alike. An instance outside of it, or impossible under the model, has no reason: an error says so.

    >>> import oddly
    >>> explain(oddly.examples.pregnancy(), {"U": "+ve", "B": "-ve", "S": "+ve"})
    yes, because S=+ve; whatever U and B are. There is no other sufficient reason. Changing S can make it no.
    >>> explain(oddly.examples.pregnancy(), {})
    still open: 5 of 8 completions are yes, 3 are no. Asking S settles 4 of them, more than any other attribute.
    """
    with limited({**limits, "max_nodes": None}) as door:  # which is about reasons
        odd = as_diagram(odd_or_model)
        limits["max_nodes"] = limits.get("max_nodes") or door.max_nodes or MOST_NODES + odd.size
        known = known_values(odd, instance)
        case: Case = [known.get(name) for name in odd.order]
        told = odd.instance_of(case)
        features = tuple(told)
        missing = tuple(name for name in odd.columns if name not in known)
        allowed = [range(arity) if own is None else [own] for own, arity in zip(case, odd.arities, strict=True)]
        places = {depth: value for depth, value in enumerate(case) if value is not None}
        domain = domain_of(within, odd)
        domain.require(told, places)
        require_possible(odd, told, places)
        reached = labels_reached(domain.product, allowed)
        label, *others = sorted(i for i in reached if i < len(odd.labels))
        walked = domain.product if others else domain.otherwise(odd, label)
        sums, depths = None if others else sums_of(walked), depths_of(odd, features)
        if sums is not None and label == 0:
            sums = sums.mirrored()
        if sums is None and not others:
            sets: Sets = Walked(features, limits, walked, label, case, depths)
        else:
            nothing = Threshold((0,) * len(features), 1)
            sets = Added(features, limits, nothing if sums is None else threshold(sums, case, depths))
        reasons = Reasons("sufficient", told, sets), Reasons("necessary", told, dual_of(sets))
        about = told, None if others else odd.labels[label], missing, *reasons, walked, case, sums, domain
        return Explanation(*about, scope=domain.scope)


def _still_open(odd: ODD, case: Case, labels: Sequence[str]) -> StillOpen:
    """Count the completions of a case by the label they get, for every value of every missing attribute at once.

    Only these labels count, the diagram's first ones: another is that of completions outside a domain.
    One pass up and one down: what reaches an edge from above times what follows below it.
    """
    both = zip(case, odd.arities, strict=True)
    rows = [[int(own is None or own == value) for value in range(arity)] for own, arity in both]
    found = through(
        odd.levels, odd.root, np.eye(len(odd.labels))[: len(labels)], rows, counts_for(odd.levels, odd.instances)
    )
    counted = [[list(map(int, by_label)) for by_label in row] for row in found]
    by_name = {name: row for name, row, own in zip(odd.order, counted, case, strict=True) if own is None}
    by_name = {name: by_name[name] for name in odd.columns if name in by_name}
    settles = {c: sum(sum(found) for found in row if sum(n > 0 for n in found) == 1) for c, row in by_name.items()}
    tells = {name: information(row) for name, row in by_name.items()}
    ask = max(settles, key=lambda name: (settles[name], tells[name]))
    totals = dict(zip(labels, map(sum, zip(*counted[0], strict=True)), strict=True))
    return StillOpen(totals, settles, tells, ask if tells[ask] else None)
