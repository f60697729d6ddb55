# SPDX-License-Identifier: Apache-2.0
"""May I stop testing?  Which test next?

Some attributes are known, and the model already decides: by the probability of the class given what is known. The
*same-decision probability* is the chance that this decision stands once everything is known. It is a sum over the
instances that remain, so one pass over the diagram finds it; and a forward-backward pass finds, for every test that
could come next and each of its results, what would be decided then and how likely that is to stand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Unpack

import numpy as np

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import ROUNDED, ScopedAnswer, as_features, signed
from oddly.answers.blocks import Block, Facts, Table
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.rows import known_values
from oddly.distribution.masses import edge_masses, information, masses_within
from oddly.distribution.measure import Known, Measure, measure_of, shown
from oddly.errors import Unsupported, look_up
from oddly.model import Probabilistic
from oddly.model.numbers import Number, probability
from oddly.runtime import LimitArguments, limited

Masses = list[Fraction]
Share = Annotated[Fraction, ROUNDED]
NO_SINGLE = "no single test tells anything about the final decision; it takes several together"


@dataclass(frozen=True)
class Test:
    """What one more attribute would do."""

    __test__ = False  # no test of ours

    attribute: str
    expected: Share
    """The same-decision probability to expect after it."""
    gain: Share
    """By how much that is more than now. It may be less: a threshold can make an unlikely decision the one to take."""
    foretold: Share
    """The probability to expect of whichever final decision is likeliest after it; never less than now."""
    changes: Share
    """How probable it is that the decision after it is another than now."""
    settles: Share
    """How probable it is that the decision after it stands for certain."""
    tells: float
    """How much it tells about the final decision, in bits; 0 only if that is independent of it."""
    decisions: Mapping[str, str | None]
    """By its result: what would be decided then; None for a result that is impossible now."""


@dataclass(frozen=True, repr=False)
class SameDecision(ScopedAnswer):
    """What is decided so far, how likely that is to stand, and what each remaining test would do."""

    observed: Mapping[str, str]
    decision: str
    """What is decided now."""
    posterior: Mapping[str, Share] | None
    """Of each class value, given what is observed; None if the model has no class, and the likeliest decision counts."""
    probability: Share
    """That the decision stands once everything is known."""
    final: Mapping[str, Share]
    """How probable each decision is once everything is known."""
    evidence: Share
    """How probable what is observed is."""
    tests: tuple[Test, ...]
    """The attributes not yet observed, the best to ask first: by `foretold`, then `settles`, `tells` and `expected`."""
    under: str
    enough: Share | None
    """The probability from which on testing may stop, if one was given."""

    def __getitem__(self, attribute: str) -> Test:
        return look_up({test.attribute: test for test in self.tests}, attribute, "attribute not yet observed")

    @property
    def next(self) -> Test | None:
        """The best test to do now; None if the decision stands for certain, or no single test tells anything about it."""
        return self.tests[0] if self.tests and self.tests[0].tells else None

    def verdict(self) -> bool:
        """Whether the decision is as likely to stand as was asked for."""
        return self.enough is None or self.probability >= self.enough

    def sentence(self) -> str:
        known = as_features(self.observed) or "nothing"
        likely = "" if self.posterior is None else f" ({_listed(self.posterior)})"
        text = f"With {known} known it is {self.decision}{likely}"
        if self.probability == 1:
            return self.scope.said(f"{text}, and that stands whatever else comes in under {self.under}.")
        text += f", and that stands with probability {shown(self.probability)} under {self.under}."
        if self.enough is not None:
            text += f" That is {'' if self else 'not '}enough."
        if self.next is None:
            return self.scope.said(f"{text} {NO_SINGLE[0].upper()}{NO_SINGLE[1:]}.")
        return self.scope.said(f"{text} Ask {self.next.attribute} next: {self._why(self.next)}.")

    def _why(self, best: Test) -> str:
        """What the best test does for the decision; where that is nothing, what it tells about the final one."""
        if best.changes or best.settles:
            certain = f", and for certain with {shown(best.settles)}" if best.settles else ""
            return f"the decision after it stands with {shown(best.expected)} on average{certain}"
        if best.foretold > max(self.final.values()):
            return f"the final decision can then be foretold with {shown(best.foretold)} on average"
        alone = [test.tells for test in self.tests].count(best.tells) == 1
        most = "it tells most" if alone else "no other tells more"
        quiet = not any(test.changes for test in self.tests)
        though = ", though no single test changes the decision or makes it certain" if quiet else ""
        return f"{most} about the final decision{though}"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        facts = [("observed", as_features(self.observed) or "nothing"), ("decided", self.decision)]
        if self.posterior is not None:
            facts.append(("because", _listed(self.posterior)))
        facts.append(("stands", f"with probability {shown(self.probability)} under {self.under}"))
        if self.enough is not None:
            facts.append(("enough", f"{'yes' if self else 'no'}, {shown(self.enough)} was asked for"))
        if self.tests:
            none = "the decision stands whatever comes in" if self.probability == 1 else NO_SINGLE
            best = self.next
            facts.append(("next", f"none: {none}" if best is None else f"{best.attribute}: {self._why(best)}"))
        rows = tuple(
            (t.attribute, shown(t.expected), signed(t.gain), shown(t.settles), shown(t.changes), f"{t.tells:.4g}")
            for t in self.tests
        )
        caption = (
            "What each test would do: how probable it is that the decision after it stands, is certain, is another; and "
            "how many bits it tells about the final one"
        )
        columns = ("test", "stands", "gain", "certain", "changes", "bits")
        table = Table(caption, columns, rows, (1, 2, 3, 4, 5)).cut(most)
        return (Facts("What is decided so far", (*facts, *self.scope.facts())), *([table] if rows else []))


def same_decision(
    odd_or_model: Any,
    given: Mapping[str, object] | None = None,
    *,
    under: Any = None,
    within: Within = None,
    enough: Number | None = None,
    **limits: Unpack[LimitArguments],
) -> SameDecision:
    """May I stop testing?  How likely is it that the decision made now stands once everything is known?

    Now is decided as the model does, by the probability of the class given what is observed; a classifier without
    one, such as a scorecard, decides what is likeliest to be decided in the end (of equally likely ones, the positive
    or last). The missing attributes come in as `under` says: "model" (the default if it has a distribution), "uniform",
    another model or a table of rows; `within` a domain, all of it is given that. Everything is an exact fraction. The answer is true iff the probability is
    `enough`. Cost: two passes per class.

    >>> import oddly
    >>> answer = same_decision(oddly.examples.pregnancy(), {"U": "+ve"})
    >>> answer
    With U=+ve known it is yes (yes 0.9786, no 0.02143), and that stands with probability 0.9458 under the model. Ask S
    next: the decision after it stands with 0.9351 on average, and for certain with 0.8809.
    >>> answer.probability
    Fraction(...)
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        found = known_values(odd, {} if given is None else given)
        known = {odd.order.index(name): value for name, value in found.items()}
        told = {name: odd.variables[odd.order.index(name)].values[found[name]] for name in odd.columns if name in found}
        wanted = None if enough is None else probability(enough, "enough")
        measure, domain = measure_of(odd, under), domain_of(within, odd)
        domain.require(told, known)
        population = measure.knowing(known)
        if not population.mass:
            raise Unsupported(f"{as_features(told) or 'everything'} is impossible under {measure.name}")
        weighed = _FinalDecisions.of(domain, population)
        if not weighed.total:
            raise Unsupported(
                f"{as_features(told) or 'everything'} within {domain.words} is impossible under {measure.name}"
            )
        decider = _Decider(domain, known, under, weighed)
        final = [sum(column) / weighed.total for column in zip(*weighed.labels, strict=True)]
        now = decider.now(final)
        tests = _tests(odd, known, weighed, decider, now, final[now])
        return SameDecision(
            observed=told,
            decision=odd.labels[now],
            posterior=decider.posterior(),
            probability=final[now],
            final=dict(zip(odd.labels, final, strict=True)),
            evidence=weighed.total / Fraction(masses_within(domain, measure)[1] if domain.words else measure.mass),
            tests=tuple(tests),
            under=measure.name,
            enough=wanted,
            scope=domain.scope_given(known),
        )


def _tests(
    odd: ODD, known: Known, weighed: "_FinalDecisions", decider: "_Decider", now: int, stands: Fraction
) -> list[Test]:
    """Every attribute that is not known, the best first; of equal ones, in the model's order."""
    found = []
    for depth in np.argsort(odd.places).tolist():
        if depth not in known:
            results = list(zip(*(of_class[depth] for of_class in weighed.edges), strict=True))
            shares = [[sum(column) / weighed.total for column in zip(*result, strict=True)] for result in results]
            found.append(_test(odd, depth, shares, decider, now, stands))
    return sorted(found, key=lambda test: (-test.foretold, -test.settles, -test.tells, -test.expected))


def _test(odd: ODD, depth: int, shares: list[Masses], decider: "_Decider", now: int, stands: Fraction) -> Test:
    """What a test does, from the probabilities of each result together with each final decision."""
    then = [decider.after(depth, value, final) if any(final) else None for value, final in enumerate(shares)]
    possible = [(final, label) for final, label in zip(shares, then, strict=True) if label is not None]
    expected = sum((final[label] for final, label in possible), Fraction(0))
    return Test(
        attribute=odd.order[depth],
        expected=expected,
        gain=expected - stands,
        foretold=sum((max(final) for final in shares), Fraction(0)),
        changes=sum((sum(final, Fraction(0)) for final, label in possible if label != now), Fraction(0)),
        settles=sum((final[label] for final, label in possible if final[label] == sum(final)), Fraction(0)),
        tells=information(shares),
        decisions={
            value: None if label is None else odd.labels[label]
            for value, label in zip(odd.variables[depth].values, then, strict=True)
        },
    )


@dataclass(frozen=True)
class _FinalDecisions:
    """Everything that a distribution says about final decisions, given what is known."""

    total: Fraction
    labels: list[Masses]
    """By class."""
    edges: list[list[list[Masses]]]
    """By class, depth and value."""

    @classmethod
    def of(cls, domain: Domain, measure: Measure) -> "_FinalDecisions":
        labels, total = masses_within(domain, measure)
        kept = len(domain.odd.labels)  # and not what is outside
        found = edge_masses(domain.product, measure)
        edges = [[[masses[:kept] for masses in by_value] for by_value in of_class] for of_class in found]
        return cls(Fraction(total), labels, edges)


class _Decider:
    """What is decided from a part of the attributes: by the model, or else what is likeliest in the end."""

    def __init__(self, domain: Domain, known: Known, under: Any, weighed: _FinalDecisions) -> None:
        odd = domain.odd
        self.model = None if odd.source is None else odd.source.model.probabilistic
        self.own = weighed
        if self.model is not None and not (under is None or (isinstance(under, str) and under == "model")):
            own = measure_of(odd, "model").knowing(known)
            if not own.mass or not masses_within(domain, own)[1]:
                raise Unsupported("what is observed is impossible under the model, so it decides nothing")
            self.own = _FinalDecisions.of(domain, own)

    def posterior(self) -> dict[str, Fraction] | None:
        if self.model is None:
            return None
        of_class = [sum(masses, Fraction(0)) for masses in self.own.labels]
        return {c: m / sum(of_class) for c, m in zip(self.model.class_values, of_class, strict=True)}

    def now(self, final: Sequence[Fraction]) -> int:
        """The place of the label that is decided with what is known; `final` are the shares of all labels."""
        return self._decided(self.own.labels, final)

    def after(self, depth: int, value: int, final: Sequence[Fraction]) -> int:
        """And with one more value known."""
        return self._decided([of_class[depth][value] for of_class in self.own.edges], final)

    def _decided(self, masses: Sequence[Masses], final: Sequence[Fraction]) -> int:
        of_class = [sum(row, Fraction(0)) for row in masses]
        if self.model is None or not any(of_class):  # the model may call impossible what others do not
            return max(range(len(final)), key=lambda label: (final[label], label))
        return decided(self.model, of_class)


def decided(model: Probabilistic, masses: Sequence[Fraction]) -> int:
    """The place of the label that a model decides where its class values have these shares, not all zero.

    >>> import oddly
    >>> decided(oddly.examples.pregnancy(), [Fraction(9), Fraction(1)])
    1
    """
    if model.positive is None:
        return max(range(len(masses)), key=lambda c: (masses[c], -c))
    lead = masses[model.class_values.index(model.positive)] - model.threshold * sum(masses)
    return int(lead > 0 or (lead == 0 and model.ties == "positive"))


def _listed(posterior: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{value} {shown(p)}" for value, p in posterior.items())
