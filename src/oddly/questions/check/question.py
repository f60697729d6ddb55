# SPDX-License-Identifier: Apache-2.0
"""Does it obey?  Each rule holds of all instances, or here is the smallest that breaks it.

Every rule is a product of diagrams: with the condition's, with itself one step along an attribute, with a baseline. What
breaks the rule is then a diagram of its own, whose members are counted and whose smallest is shown. Under a condition
all other instances get one more label, which breaks nothing.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, permutations
from typing import Any, Unpack

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.hinges import HINGES, apart, by_quantifying, hinges, pair
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.cases import Breach, Case, smallest_case
from oddly.distribution.coarse import Between
from oddly.distribution.joint import TINY
from oddly.distribution.listing import instances
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Measure, Probability, measure_of, of_model, share
from oddly.errors import ModelError, TooLarge, UnknownName, Unsupported
from oddly.learning.engines import is_postgres
from oddly.questions.check.language import Rules, as_rules
from oddly.questions.check.rules import EVERYTHING, Agrees, Ignores, Implies, Monotone, Rule
from oddly.questions.check.verdicts import Check, RuleVerdict
from oddly.questions.compare.difference import Difference
from oddly.questions.compare.question import compare
from oddly.questions.compare.weighing import in_words, named_distribution
from oddly.runtime import LimitArguments, limited

FINE, OUTSIDE = "fine", "outside the condition"
NEAR = 1e-9  # a float that comes closer to a tolerance is worked out exactly


def check(
    odd_or_model: Any, rules: Rules, *, under: Any = None, within: Within = None, **limits: Unpack[LimitArguments]
) -> Check:
    """Does every decision obey these rules?

    A rule is a text such as "monotone up in age", "ignores sex if job=full", "if U=+ve and B=+ve then yes", "never no if
    S=+ve", "yes only if S=+ve" or "agrees with old.json up to 0.001 under model", or one of `oddly.rules`; several are a
    list, or the path of a file. `under` is the distribution by which cases are completed, as in `oddly.count`. `within` a
    domain only its inputs count, and pairs of which both are in it: then a monotone rule is about all pairs of values, as
    those between may be missing, and a rule about several attributes is more than one about each. The limits are those of each product; a rule that would pass them stays undecided. Cost: one product of two diagrams per rule,
    one more under a condition, and one per step of a monotone rule.

    >>> import oddly
    >>> check(oddly.examples.pregnancy(), ["monotone down in U", "never no if S=+ve"])
    Holds: all 2 rules.
      Holds: monotone down in U: over all 4 steps of U, all else equal.
      Holds: never no if S=+ve: over all 4 instances with S=+ve.
    >>> check(oddly.examples.pregnancy(), "if U=+ve then yes")
    The rule fails.
      Fails: if U=+ve then yes: 1 of 4 instances with U=+ve. For example U=+ve, B=-ve, S=-ve: no.
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        written = as_rules(rules, odd)
        if not written:
            raise ModelError("there are no rules to check")
        if under is not None:
            measure_of(odd, under)  # what is wrong with it is said even if nothing is to be weighed
        asked = _Question(odd, under, domain_of(within, odd))
        verdicts = tuple(asked.verdict(text, rule) for text, rule in written)
        found, scope = [v.holds for v in verdicts], asked.domain.scope
        holds = False if False in found else None if None in found else True
        return Check(holds, scope.inputs, verdicts, odd, scope=scope)


@dataclass(frozen=True)
class _Question:
    odd: ODD
    under: Any
    domain: Domain

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
        odd, condition = self.odd, self._condition(rule)
        bad = [label for label in odd.labels if rule.broken_by(label)]
        outcome = [bad.index(label) + 1 if label in bad else 0 for label in odd.labels]
        broken = combine(odd, condition, lambda i, holds: outcome[i] if holds else 0, _ways(bad))
        breach = Breach(broken, [(label,) for label in bad])
        scope, count = condition.count(condition.labels[1]), breach.count
        case, unit = smallest_case(odd, [breach], self.under) if count else None, _given("instances", rule)
        return RuleVerdict(text, not count, scope, unit, count, case, vacuous=not scope, settled=rule)

    def _monotone(self, text: str, rule: Monotone) -> RuleVerdict:
        """Each step is a product of two parts of the diagram: before and after."""
        label = self.odd.label_index(rule.label or "")
        ways = [(label, j) for j in range(len(self.odd.labels)) if j != label]
        condition = self._condition(rule)
        steps = rule.pairs if self.domain.members is not None and _reads(condition, rule.attribute) else rule.steps
        broken = self._steps(self._inside(rule), rule.attribute, steps, ways)
        count = sum(breach.count for breach in broken)
        both_inside = self._steps(condition, rule.attribute, steps, [(1, 1)])
        case = smallest_case(self.odd, broken, self.under) if broken else None
        scope = sum(breach.count for breach in both_inside)
        unit = _given(f"steps of {rule.attribute}", rule) + ", all else equal"
        return RuleVerdict(text, not count, scope, unit, count, case, vacuous=not scope, settled=rule)

    def _ignores(self, text: str, rule: Ignores) -> RuleVerdict:
        odd, condition, names = self._inside(rule), self._condition(rule), rule.attributes
        whole = odd is self.odd
        rest = hinges(odd, names) if whole else by_quantifying(odd, names, outside=len(odd.labels) - 1)
        hinging = combine(condition, rest, lambda inside, hinges: int(inside and hinges), [FINE, HINGES])
        count, inside = hinging.count(HINGES), condition.labels[1]
        case = self._one_step(odd, names, rest) if count else None
        scope, unit = condition.count(inside), _given("instances", rule)
        alone = scope == condition.for_some(*names).count(inside)  # each has its context to itself
        return RuleVerdict(text, not count, scope, unit, count, case, vacuous=alone, settled=rule)

    def _one_step(self, odd: ODD, attributes: Sequence[str], rest: ODD) -> Case:
        """Two instances that differ in one of these attributes; in more, if those between are outside a condition."""
        ways = list(permutations(range(len(self.odd.labels)), 2))
        with suppress(TooLarge):  # the verdict stands; any case will do
            found = [breach for name in attributes for breach in self._steps(odd, name, apart(odd, name), ways)]
            if found:
                return smallest_case(self.odd, found, self.under).in_order(self.odd.labels)
        context = next(instances(rest, HINGES, "uniform"))[0]
        two = pair(odd, context, attributes, None if odd is self.odd else OUTSIDE)
        known = {name: value for name, value in two[0].items() if two[1][name] == value}
        return Case(known, (), False, two, tuple(str(label) for label in self.odd.classify(list(two))))

    def _steps(
        self, odd: ODD, attribute: str, steps: Sequence[tuple[str, str]], ways: Sequence[tuple[int, int]]
    ) -> list[Breach]:
        """Where a step from one value to another takes the decision one of these ways."""
        bare, labels = replace(odd, source=None), odd.labels
        parts = {value: bare.restrict({attribute: value}) for value in dict.fromkeys(chain(*steps))}
        told = [(labels[i], labels[j]) for i, j in ways]
        names = _ways([f"{i} → {j}" for i, j in told])
        place = {way: number for number, way in enumerate(ways, start=1)}
        found = []
        for low, high in steps:
            broken = combine(parts[low], parts[high], lambda i, j: place.get((i, j), 0), names)
            found.append(Breach(broken, told, ({attribute: low}, {attribute: high})))
        return [breach for breach in found if breach.count]

    def _agrees(self, text: str, rule: Agrees) -> RuleVerdict:
        baseline = _in_order(rule.baseline, self.odd)
        whole = compare(self.odd, baseline, values=rule.values, labels=rule.labels)
        condition = Domain(self.odd) if self._everything(rule) else Domain(self.odd, self._condition(rule), "")
        difference = whole
        if condition.members is not None:
            difference = compare(self.odd, baseline, values=rule.values, labels=rule.labels, within=condition)
        scope, unit, case = difference.instances, _given(f"{whole.unit}s", rule), None
        if (one := difference.smallest) is not None:  # one instance, decided in two ways
            case = Case(one.known, one.others, one.fewest, (one.instance,) * 2, one.labels)
        rest = whole.left_out if whole.left_out.values else None
        found = RuleVerdict(text, difference.equivalent, scope, unit, difference.count, case, vacuous=not scope)
        found = replace(found, settled=rule, left_out=rest, _baseline=baseline)
        if not rule.weighed:
            return found
        if not whole.own:
            return self._enclosed(found, rule, whole)
        measure, under = self._distribution(rule, baseline, whole)
        probability, holds = _within(whole.diagram, self._inside(rule, whole.diagram), measure, rule.up_to)
        found = replace(found, holds=holds, probability=probability, up_to=rule.up_to, _measure=measure)
        return replace(found, under=_given(measure.name, rule, ", given"), settled=replace(rule, under=under))

    def _enclosed(self, found: RuleVerdict, rule: Agrees, whole: Difference) -> RuleVerdict:
        """The same within a tolerance, where the two value attributes differently: it may lie between the ends."""
        between, name = self._between(rule, whole)
        holds = True if between.high <= rule.up_to else False if between.low > rule.up_to else None
        given = _given(name, rule, ", given")
        why = f"a changed decision has probability {in_words(between, given)}" if holds is None else None
        p = between.low if between.settled else None
        return replace(found, holds=holds, probability=p, between=between, up_to=rule.up_to, under=given, why=why)

    def _between(self, rule: Agrees, whole: Difference) -> tuple[Between, str]:
        """Where the probability of a changed decision lies, if the two value attributes differently; under what."""
        under = (
            {"model": "a", "baseline": "b"}.get(rule.under, rule.under) if isinstance(rule.under, str) else rule.under
        )
        by = whole.distribution(under)
        words = {"a": "the model", "b": "the baseline"}
        name = words.get(by, named_distribution(by)) if isinstance(by, str) else named_distribution(by)
        if self._everything(rule):
            return whole.bounds(by), name
        labels, condition = ("same", "differ", OUTSIDE), self._condition(rule)
        ends = combine(whole.diagram, condition, lambda i, inside: int(i > 0) if inside else 2, labels, values="common")
        return whole.bounds_of(ends, by), name

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
        if (
            isinstance(under, str | os.PathLike)
            and under != "uniform"
            and not (os.path.exists(under) or is_postgres(under))
        ):
            wanted = "'model', 'baseline', 'uniform' or a file of rows"
            raise UnknownName(f"{os.fspath(under)}: expected {wanted}, and there is no such file")
        return measure_of(difference.diagram, under), under

    def _everything(self, rule: Rule) -> bool:
        """Whether it is about all instances there are."""
        return rule.condition == EVERYTHING and self.domain.members is None

    def _condition(self, rule: Rule) -> ODD:
        """The rule's condition within the domain; its second label is that of the instances that satisfy it."""
        return self.domain.narrowed(expression_diagram(rule.condition, self.odd))

    def _inside(self, rule: Rule, odd: ODD | None = None) -> ODD:
        """The diagram, by default the one that is asked, with one more label for what is outside the condition."""
        odd = self.odd if odd is None else odd
        if self._everything(rule):
            return odd
        outside, labels = len(odd.labels), (*odd.labels, OUTSIDE)
        return combine(odd, self._condition(rule), lambda i, inside: i if inside else outside, labels)


def _reads(odd: ODD, attribute: str) -> bool:
    """Whether a diagram depends on an attribute."""
    return bool(hinges(replace(odd, source=None), [attribute]).count(HINGES))


def _given(things: str, rule: Rule, if_any: str = " with") -> str:
    return things if rule.condition == EVERYTHING else f"{things}{if_any} {rule.condition}"


def _ways(names: Sequence[str]) -> list[str]:
    """The labels of what breaks a rule: in no way, or in one of these."""
    return [FINE, *(f"broken {number}: {name}" for number, name in enumerate(names, start=1))]  # two may read alike


def _within(whole: ODD, inside: ODD, measure: Measure, tolerance: Fraction) -> tuple[Probability, bool]:
    """How probable a changed decision is, and whether that is no more than the tolerance; exact where floats are not sure.

    Among what is inside the condition: there is one more label if there is one.
    """
    labels = len(whole.labels)
    for exact in (False, True):
        masses = label_masses(inside, measure, exact)
        changed = sum(sum(row[1:labels]) for row in masses)
        possible = measure.mass if inside is whole else sum(sum(row[:labels]) for row in masses)
        nothing = inside is not whole and not possible  # that can happen satisfies the condition
        p: Probability = 0.0 if nothing else share(changed, possible)
        if exact or (possible > TINY and abs(p - float(tolerance)) > NEAR * float(tolerance)):
            break
    return p, p <= tolerance


def _in_order(baseline: Any, odd: ODD) -> ODD:
    """The baseline's diagram, in an order that goes with the other's; compiled anew where it must be and can be."""
    found = as_diagram(baseline, like=odd)
    shared = [name for name in found.order if name in odd.order]
    if found.source is None or shared == [name for name in odd.order if name in found.order]:
        return found
    return as_diagram(found.source.model, like=odd, impossible=found.source.impossible)
