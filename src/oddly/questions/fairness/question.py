# SPDX-License-Identifier: Apache-2.0
"""Is it fair?  Which decisions hinge on protected attributes, and how differently are groups decided?

Two questions that are easily confused. A decision *hinges* on sex if the same person with another sex would be decided
otherwise: that is about single decisions, and the verdict. *Parity* is about groups: who is decided how often,
and how often rightly. Either may fail while the other holds.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Unpack

from oddly.algebra.domain import OUTSIDE, Domain, Within, domain_of
from oddly.algebra.hinges import HINGES, hinges_within, pair
from oddly.answers import Count, Rounded, ScopedAnswer, as_features, of_instances, signed
from oddly.answers.blocks import Block, Paragraph, Table
from oddly.compiler import as_diagram, as_model, is_diagram
from oddly.diagram import ODD
from oddly.distribution.cases import Case
from oddly.distribution.listing import instances
from oddly.distribution.masses import probability_of
from oddly.distribution.measure import Measure, Probability, measure_of, shown
from oddly.errors import ModelError, UnknownName, Unsupported, listed
from oddly.learning import read_table
from oddly.model import Model
from oddly.model.variable import distinct
from oddly.questions.fairness.parity import NAMES, Contribution, Gap, Group, contributions_of, gaps_of, groups_of
from oddly.questions.fairness.populations import GroupQuestion, Rows
from oddly.runtime import LimitArguments, limited

MOST_VALUES = 8  # through which a gap arises


@dataclass(frozen=True, repr=False)
class Fairness(ScopedAnswer):
    """Which decisions hinge on protected attributes, and how groups are decided."""

    holds: bool
    """Whether no decision hinges on them."""
    protected: tuple[str, ...]
    count: Count
    """How many instances would be decided otherwise with other values of these."""
    instances: Count
    under: str
    """The distribution, or the rows."""
    probability: Rounded
    """Of such an instance."""
    case: Case | None
    """The most probable one, and the same with one protected value changed."""
    label: str
    """The decision that groups are compared by."""
    groups: tuple[Group, ...]
    """By the values of all protected attributes together; those that nobody is in are left out."""
    gaps: Mapping[str, Gap]
    """By measure: "rate", and where classes are known "true_positives", "false_positives" and "precision"."""
    contributions: tuple[Contribution, ...]
    """Through which values of the other attributes the gap in rates arises, the greatest first; last, those that
    everybody has."""
    _hinges: ODD | None = field(compare=False)

    @property
    def hinging(self) -> ODD | None:
        """Where decisions hinge, as a diagram over all other attributes; None if it has none of the protected ones."""
        return self._hinges

    def through(self, attribute: str) -> tuple[Contribution, ...]:
        """What each value of an attribute contributes to the gap in rates: all together, the gap."""
        found = tuple(c for c in self.contributions if c.attribute == attribute)
        if not found:
            raise UnknownName.among("attribute", attribute, dict.fromkeys(c.attribute for c in self.contributions))
        return found

    def verdict(self) -> bool:
        return self.holds

    def sentence(self) -> str:
        """The verdict with an example, the rate of each group, and the gaps."""
        return " ".join(filter(None, [self.about_hinges(), self._about_groups(), self._about_gaps()]))

    def about_hinges(self) -> str:
        """The verdict with its example."""
        names = listed(self.protected)
        what, otherwise = of_instances(self.count, self.instances), "would be decided otherwise with other values"
        if self.holds:
            return self.scope.said(f"No decision hinges on {names}: {what} {otherwise}.")
        likely = f"probability {shown(self.probability)} under {self.under}"
        return self.scope.said(f"Decisions hinge on {names}: {what} ({likely}) {otherwise}. For example {self.case}.")

    def summary(self) -> str:
        return self.about_hinges()

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        tables = (self._groups(), self._gaps(), self._through(MOST_VALUES if most is None else most))
        return (Paragraph(self.about_hinges()), *(table for table in tables if table.rows))

    def _groups(self) -> Table:
        measures = [m for m in NAMES if any(getattr(group, m) is not None for group in self.groups)]
        rows = [(as_features(g.values), *(_shown(getattr(g, m)) for m in ("share", *measures))) for g in self.groups]
        head = ("group", "part of all", *(NAMES[m] for m in measures))
        caption = f"How often each group is decided {self.label}, under {self.under}"
        return Table(caption, head, tuple(rows), tuple(range(1, len(head)))).cut()

    def _gaps(self) -> Table:
        """Where groups are alike there is no greatest and no least."""
        rows = [
            (NAMES[m], shown(gap.size), *((as_features(gap.high), as_features(gap.low)) if gap.size else ("–", "–")))
            for m, gap in self.gaps.items()
        ]
        caption = f"The gaps between groups, for {self.label}"
        return Table(caption, ("measure", "gap", "most", "least"), tuple(rows), (1,))

    def _through(self, most: int) -> Table:
        found = [c for c in self.contributions if c.total and c.varies][:most]
        rows = [(f"{c.attribute}={c.value}", *map(signed, (c.total, c.composition, c.decision))) for c in found]
        head = ("value", "contributes", "by how common it is", "by how it is decided")
        caption = f"Through which values the gap in the rate of {self.label} arises, the greatest first"
        return Table(caption, head, tuple(rows), (1, 2, 3))

    def _about_groups(self) -> str:
        told = [f"{shown(g.rate)} where {as_features(g.values)}" for g in self.groups]
        return f"Decided {self.label} under {self.under}: {listed(told, 6)}." if told else ""

    def _about_gaps(self) -> str:
        told = ", ".join(f"{NAMES[name]} {shown(gap.size)}" for name, gap in self.gaps.items())
        return f"Gaps: {told}." if told else ""


def _shown(p: Probability | None) -> str:
    return "–" if p is None else shown(p)


def fairness(
    odd_or_model: Any,
    protected: str | Sequence[str],
    *,
    under: Any = None,
    within: Within = None,
    label: str | None = None,
    target: str | None = None,
    exact: bool | None = None,
    **limits: Unpack[LimitArguments],
) -> Fairness:
    """Does any decision hinge on protected attributes, and are groups decided alike?

    The answer is true iff no instance would be decided otherwise with other values of these attributes. Groups are the
    combinations of their values, compared by how often they are decided `label` (of two, the positive one), and by how
    often rightly where the class is known: under a model it is; in rows it is the column `target`, by default that of the
    class's name. `under` is as in `oddly.count`; a protected attribute that the classifier does not read may be a
    column of the rows, or a variable of the network. Probabilities are exact fractions, or floats where that
    would take too long (`exact`). `within` a domain only its inputs, pairs of these, and their shares count. `oddly.questions.fairness.parity` defines every measure.

    Cost: two diagrams and their product for a sum of weights, else a product per value of each protected attribute; and
    a pass per group.

    >>> import oddly
    >>> fairness(oddly.examples.pregnancy(), "B")
    Decisions hinge on B: 2 of 8 instances (probability 0.07728 under the model) would be decided otherwise with other values.
    For example U=+ve, S=-ve: no with B=-ve, yes with B=+ve. Decided yes under the model: 0.9523 where B=+ve, 0.6591
    where B=-ve. Gaps: rate 0.2932, true positive rate 0.073, false positive rate 0.1059, precision 0.001166.
    """
    with limited(limits):
        model = None if is_diagram(odd_or_model) else as_model(odd_or_model)
        odd = as_diagram(odd_or_model if model is None else model)
        if model is not None and model.others and (under is None or (isinstance(under, str) and under == "model")):
            under = model  # it may know variables that its diagram does not
        several = [protected] if isinstance(protected, str) else protected
        names = tuple(several) if isinstance(several, Iterable) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise ModelError(f"protected: expected an attribute, found {protected!r}")
        distinct(names, "the protected attributes", "name")
        domain = domain_of(within, odd)
        asked = GroupQuestion(odd, names, _chosen(odd, label), domain)
        rows = _rows(under)
        if target is not None and rows is None:
            raise ModelError(f"target={target!r} is a column of rows, and `under` names none")
        population = asked.distributed(under, exact) if rows is None else asked.tabled(under, rows, target)
        groups = groups_of(population)
        gaps = gaps_of(groups)
        through = contributions_of(population, gaps["rate"]) if "rate" in gaps else ()
        inside = [name for name in names if name in odd.order]
        rest, tips = hinges_within(domain, inside) if inside else (None, None)
        count = tips.count(HINGES) if tips is not None else 0
        likely: Probability = Fraction(int(count > 0))
        case = None
        if rest is not None and tips is not None and count:
            over = rest if domain.members is None else tips  # a domain ties the protected ones to the others
            measure = _measure(odd, over, under, rows)
            if measure is not None:
                likely = probability_of(over, HINGES, measure, population.exact, domain)
            case = _case(domain, over, measure, inside)
        found = (not count, names, count, domain.scope.inputs, population.name, likely, case)
        return Fairness(*found, odd.labels[asked.label], groups, gaps, through, rest, scope=domain.scope)


def _measure(odd: ODD, rest: ODD, under: Any, rows: Rows | None) -> Measure | None:
    """The distribution over the attributes that are asked about; None if rows have none of them."""
    if rows is None:
        return measure_of(odd, under, rest.variables)
    return measure_of(rest, {c: list(rows[c]) for c in rest.columns}) if rest.columns else None


def _case(domain: Domain, tips: ODD, measure: Measure | None, names: Sequence[str]) -> Case:
    """The most probable context in which the decision hinges, and two instances of it."""
    found = [next(instances(tips, HINGES, by), None) for by in (measure, "uniform") if by is not None]
    context = next(instance for instance, _ in filter(None, found))
    two = pair(domain.product, context, names, None if domain.members is None else OUTSIDE)
    shared = {name: value for name, value in two[0].items() if two[1][name] == value}
    return Case(shared, (), False, two, tuple(str(label) for label in domain.odd.classify(list(two))))


def _chosen(odd: ODD, label: str | None) -> int:
    if label is None and len(odd.labels) != 2:
        say = f"say which one groups are compared by: label='{odd.labels[0]}'"
        raise Unsupported(f"there are {len(odd.labels)} decisions; {say}")
    return len(odd.labels) - 1 if label is None else odd.label_index(label)


def _rows(under: Any) -> Rows | None:
    """The table that decisions are about; None if it is a distribution."""
    if under is None or isinstance(under, Model) or (isinstance(under, str) and under in ("model", "uniform")):
        return None
    if isinstance(under, str | os.PathLike) and not os.path.exists(under):
        wanted = "expected 'model', 'uniform' or a file of rows, and there is no such file"
        raise UnknownName(f"{os.fspath(under)}: {wanted}")
    rows = read_table(under)
    if not rows:
        raise ModelError("the rows: there are none")
    return rows
