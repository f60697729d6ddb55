# SPDX-License-Identifier: Apache-2.0
"""Which features must hold of every instance that is decided so?

A combination of features is itself a diagram. The instances that break the rule are the product of the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from oddly.algebra.domain import Within, domain_of
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import Expression
from oddly.answers import Count, ScopedAnswer, as_features
from oddly.answers.blocks import Block, Paragraph
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.listing import instances
from oddly.distribution.masses import label_shares, masses_within, measure_within
from oddly.distribution.measure import Probability, shown
from oddly.runtime import LimitArguments, limited

EXCEPTION = "exception"


@dataclass(frozen=True, repr=False)
class Verdict(ScopedAnswer):
    """Whether all instances of a decision satisfy an expression, and which do not."""

    holds: bool
    label: str
    expression: str
    instances: Count
    """How many are decided so."""
    count: Count
    """How many of these do not satisfy it."""
    under: str
    """The distribution of the probabilities."""
    probability: Probability
    """Of an instance that is decided so and does not satisfy it."""
    example: Mapping[str, str] | None
    """The most probable of these."""
    _exceptions: ODD = field(compare=False)

    @property
    def exceptions(self) -> ODD:
        """All of them, as a diagram with the labels "fine" and "exception"."""
        return self._exceptions

    def verdict(self) -> bool:
        return self.holds

    def sentence(self) -> str:
        """The verdict, its scope, and the exceptions with the most probable one."""
        if not self.instances:
            return self.scope.said(f"Holds: no instance is decided {self.label}.")
        one = self.instances == 1
        some = f"{'the only instance' if one else f'{self.instances:,} instances'} decided {self.label}"
        if self.holds:
            every = "" if one else "all "
            return self.scope.said(f"Holds: {every}{some} {'satisfies' if one else 'satisfy'} {self.expression}.")
        which = some if one else f"of {some}, {self.count:,}"
        return self.scope.said(
            f"Does not hold: {which} {'does' if self.count == 1 else 'do'} not satisfy {self.expression} (probability "
            f"{shown(self.probability)} under {self.under}). {'It is' if one else 'For example'} {as_features(self.example or {})}."
        )

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        return (Paragraph(self.sentence()),)  # which has all of it


def must_hold(
    odd_or_model: Any,
    label: str,
    features: str | Expression | ODD,
    *,
    under: Any = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Verdict:
    """Do all instances that are decided `label` satisfy this combination of features?

    The features are written as in `U=+ve or (B=+ve and S=-ve)` (`oddly.algebra.expressions` has the grammar), or
    given as a diagram whose last label stands for yes. `under` says which distribution weighs the exceptions, as in
    `oddly.count`, and only what is `within` a domain counts. Cost: one node per reachable pair of the two diagrams' nodes; an expression's own diagram is small.

    >>> import oddly
    >>> must_hold(oddly.examples.pregnancy(), "yes", "S=+ve or (U=+ve and B=+ve)")
    Holds: all 5 instances decided yes satisfy S=+ve or (U=+ve and B=+ve).
    >>> must_hold(oddly.examples.pregnancy(), "yes", "S=+ve")
    Does not hold: of 5 instances decided yes, 1 does not satisfy S=+ve (probability 0.04211 under the model).
    For example U=+ve, B=+ve, S=-ve.
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        place = odd.label_index(label)
        rule = features if isinstance(features, ODD) else expression_diagram(features, odd)
        told = "the given diagram" if isinstance(features, ODD) else str(features).strip()
        yes = len(rule.labels) - 1
        walked = combine(
            odd, rule, lambda i, j: 0 if i != place else 1 if j == yes else 2, ["other", "fine", EXCEPTION]
        )
        domain = domain_of(within, walked, odd)
        measure = measure_within(domain, under, odd)
        exceptions = combine(domain.product, walked, lambda i, _: int(i == 2), ["fine", EXCEPTION])
        fine, count = (domain.product.count(label) for label in walked.labels[1:])
        example = None
        weight: Probability = 0.0
        if count:
            found = [next(instances(exceptions, EXCEPTION, by), None) for by in (measure, "uniform")]
            example = next(instance for instance, _ in filter(None, found))
        if count or domain.members is None:
            weight = label_shares(*masses_within(domain, measure, exact=False), False)[2]
        about = count == 0, label, told, fine + count, count, measure.name, weight, example, exceptions
        return Verdict(*about, scope=domain.scope)
