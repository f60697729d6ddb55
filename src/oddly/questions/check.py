# SPDX-License-Identifier: Apache-2.0
"""Does it obey?  Each rule holds of all instances, or here is the smallest that breaks it.

Every rule is a product of diagrams: with the condition's, with itself one step along an attribute, with a baseline. What
breaks the rule is then a diagram of its own, whose members are counted and whose smallest is shown.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, permutations
from typing import Any

from oddly.diagram import ODD
from oddly.engine import Progress
from oddly.errors import ModelError, TooLarge, UnknownName, Unsupported
from oddly.questions.cases import Breach, Case, smallest_case
from oddly.questions.combine import combine
from oddly.questions.compare import Difference, compare
from oddly.questions.diagrams import as_diagram
from oddly.questions.features import MOST, expression_diagram
from oddly.questions.hinges import HINGES, apart, hinges, pair
from oddly.questions.listing import instances
from oddly.questions.measure import Measure, Probability, joint_masses, measure_of, of_model, share
from oddly.questions.rule_files import Rules, as_rules
from oddly.questions.rules import EVERYTHING, Agrees, Ignores, Implies, Monotone, Rule
from oddly.questions.verdicts import Check, RuleVerdict

FINE = "fine"
NEAR = 1e-9  # a float that comes closer to a tolerance is worked out exactly


def check(
    odd_or_model: Any,
    rules: Rules,
    *,
    under: Any = None,
    max_nodes: int | None = None,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> Check:
    """Does every decision obey these rules?

    A rule is a text such as "monotone up in age", "ignores sex", "if U=+ve and B=+ve then yes", "never no if S=+ve", "yes only if S=+ve" or
    "agrees with old.json within 0.001 under model", or one of `oddly.rules`; several are a list, or the path of a file.
    `under` is the distribution by which cases are completed, as in `oddly.count`. The limits are those of
    each product; a rule that would pass them stays undecided. Cost: one product of two diagrams per rule, and per
    step of a monotone one.

    >>> import oddly
    >>> check(oddly.examples.pregnancy(), ["monotone down in U", "never no if S=+ve"])
    Holds: all 2 rules.
      Holds: monotone down in U: over all 4 steps of U, all else equal.
      Holds: never no if S=+ve: over all 4 instances with S=+ve.
    >>> check(oddly.examples.pregnancy(), "if U=+ve then yes")
    1 of 1 rule fails.
      Fails: if U=+ve then yes: 1 of 4 instances with U=+ve. For example U=+ve, B=-ve, S=-ve: no.
    """
    limits: dict[str, Any] = {"max_nodes": max_nodes, "max_memory": max_memory, "progress": progress}
    odd = as_diagram(odd_or_model, **limits)
    written = as_rules(rules, odd)
    if not written:
        raise ModelError("there are no rules to check")
    if under is not None:
        measure_of(odd, under)  # what is wrong with it is said even if nothing is to be weighed
    asked = _Asked(odd, under, limits)
    verdicts = tuple(asked.verdict(text, rule) for text, rule in written)
    found = [v.holds for v in verdicts]
    return Check(False if False in found else None if None in found else True, odd.instances, verdicts, odd)


@dataclass(frozen=True)
class _Asked:
    """A diagram, and how it is asked."""

    odd: ODD
    under: Any
    limits: dict[str, Any]

    def verdict(self, text: str, rule: Rule) -> RuleVerdict:
        rule = rule.settled(self.odd)
        try:
            if isinstance(rule, Implies):
                return self._implies(text, rule)
            if isinstance(rule, Monotone):
                return self._monotone(text, rule)
            return self._ignores(text, rule) if isinstance(rule, Ignores) else self._agrees(text, rule)
        except TooLarge as error:
            return RuleVerdict(text, None, self.odd.instances, "instances", None, None, why=str(error), settled=rule)

    def _implies(self, text: str, rule: Implies) -> RuleVerdict:
        odd, tree = self.odd, rule.tree(self.odd.variables)
        condition = expression_diagram(tree, odd, max_nodes=self.limits["max_nodes"] or MOST)
        bad = [label for label in odd.labels if rule.broken_by(label)]
        outcome = [bad.index(label) + 1 if label in bad else 0 for label in odd.labels]
        broken = combine(odd, condition, lambda i, holds: outcome[i] if holds else 0, _ways(bad), **self.limits)
        breach = Breach(broken, [(label,) for label in bad])
        unit = "instances" if rule.condition == EVERYTHING else f"instances with {tree}"
        scope, count = condition.count(condition.labels[1]), breach.count
        case = smallest_case(odd, [breach], self.under) if count else None
        return RuleVerdict(text, not count, scope, unit, count, case, settled=rule)

    def _monotone(self, text: str, rule: Monotone) -> RuleVerdict:
        """Each step is a product of two parts of the diagram: before and after."""
        label = self.odd.label_index(rule.label or "")
        ways = [(label, j) for j in range(len(self.odd.labels)) if j != label]
        broken = self._steps(rule.attribute, rule.steps, ways)
        count = sum(breach.count for breach in broken)
        steps = self.odd.instances // self._arity(rule.attribute) * len(rule.steps)
        case = smallest_case(self.odd, broken, self.under) if broken else None
        return RuleVerdict(
            text, not count, steps, f"steps of {rule.attribute}, all else equal", count, case, settled=rule
        )

    def _ignores(self, text: str, rule: Ignores) -> RuleVerdict:
        rest = hinges(self.odd, rule.attributes, **self.limits)
        times = self.odd.instances // rest.instances
        count = rest.count(HINGES) * times
        case = self._one_step(rule.attributes, rest) if count else None
        return RuleVerdict(text, not count, self.odd.instances, "instances", count, case, settled=rule)

    def _one_step(self, attributes: Sequence[str], rest: ODD) -> Case:
        """Two instances that differ in one of these attributes: where some decision hinges on them there are such."""
        ways = list(permutations(range(len(self.odd.labels)), 2))
        try:
            found = [breach for name in attributes for breach in self._steps(name, apart(self.odd, name), ways)]
            return smallest_case(self.odd, found, self.under).in_order(self.odd.labels)
        except TooLarge:  # the verdict stands; any case will do
            context = next(instances(rest, HINGES, "uniform"))[0]
            two = pair(self.odd, context, attributes)
            known = {name: value for name, value in two[0].items() if two[1][name] == value}
            return Case(known, (), False, two, tuple(str(label) for label in self.odd.classify(list(two))))

    def _steps(self, attribute: str, steps: Sequence[tuple[str, str]], ways: Sequence[tuple[int, int]]) -> list[Breach]:
        """Where a step from one value to another takes the decision one of these ways."""
        bare, labels = replace(self.odd, source=None), self.odd.labels
        parts = {value: bare.restrict({attribute: value}) for value in dict.fromkeys(chain(*steps))}
        told = [(labels[i], labels[j]) for i, j in ways]
        names = _ways([f"{i} → {j}" for i, j in told])
        place = {way: number for number, way in enumerate(ways, start=1)}
        found = []
        for low, high in steps:
            broken = combine(parts[low], parts[high], lambda i, j: place.get((i, j), 0), names, **self.limits)
            found.append(Breach(broken, told, ({attribute: low}, {attribute: high})))
        return [breach for breach in found if breach.count]

    def _agrees(self, text: str, rule: Agrees) -> RuleVerdict:
        baseline = _in_order(rule.baseline, self.odd, self.limits)
        difference = compare(self.odd, baseline, **self.limits)
        under, holds, probability = None, difference.equivalent, None
        if rule.weighed:
            measure, under = self._distribution(rule, baseline, difference)
            probability, holds = _within(difference, measure, rule.within)
            rule = replace(rule, under=under)
            under = measure.name
        case = None
        if smallest_ := difference.smallest:
            case = Case(
                smallest_.known, smallest_.others, smallest_.fewest, (smallest_.instance,) * 2, smallest_.labels
            )
        return RuleVerdict(
            rule=text,
            holds=holds,
            scope=difference.instances,
            unit="instances",
            count=difference.count,
            case=case,
            probability=probability,
            within=rule.within if rule.weighed else None,
            under=under,
            settled=rule,
            _baseline=baseline,
        )

    def _distribution(self, rule: Agrees, baseline: ODD, difference: Difference) -> tuple[Measure, Any]:
        """The distribution of a tolerance, and its name in the language of rules."""
        default = {"a": "model", "b": "baseline"}.get(difference.distribution(), "uniform")
        under = default if rule.under is None else rule.under
        if isinstance(under, str) and under in ("model", "baseline"):
            source = (self.odd if under == "model" else baseline).source
            if source is None:
                raise Unsupported(f"under {under}: it was combined from others, so it has no model; try 'uniform'")
            name = "the model" if under == "model" else "the baseline"
            return of_model(source.model, difference.diagram.variables, name), under
        if isinstance(under, str | os.PathLike) and under != "uniform" and not os.path.exists(under):
            raise UnknownName(
                f"{os.fspath(under)}: expected 'model', 'baseline', 'uniform' or a file of rows, and there is no such file"
            )
        return measure_of(difference.diagram, under), under

    def _arity(self, attribute: str) -> int:
        return self.odd.arities[self.odd.order.index(attribute)]


def _ways(names: Sequence[str]) -> list[str]:
    """The labels of what breaks a rule: in no way, or in one of these."""
    return [FINE, *(f"broken: {name}" for name in names)]


def _within(difference: Difference, measure: Measure, tolerance: Fraction) -> tuple[Probability, bool]:
    """How probable a changed decision is, and whether that is no more than the tolerance; exact where floats are not sure."""
    for exact in (False, True):
        masses = joint_masses(difference.diagram, measure, exact)
        p = share(sum(sum(row[1:]) for row in masses), measure.mass)
        if exact or abs(p - float(tolerance)) > NEAR * float(tolerance):
            break
    return p, p <= tolerance


def _in_order(baseline: Any, odd: ODD, limits: dict[str, Any]) -> ODD:
    """The baseline's diagram, in an order that goes with the other's; compiled anew where it must be and can be."""
    found = as_diagram(baseline, like=odd, **limits)
    shared = [name for name in found.order if name in odd.order]
    if found.source is None or shared == [name for name in odd.order if name in found.order]:
        return found
    return as_diagram(found.source.model, like=odd, impossible=found.source.impossible, **limits)
