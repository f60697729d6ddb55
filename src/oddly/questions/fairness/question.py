# SPDX-License-Identifier: Apache-2.0
"""Is it fair?  Which decisions hinge on protected attributes, and how differently are groups decided?

Two questions that are easily confused. A decision *hinges* on sex if the same person with another sex would be decided
otherwise: that is about single decisions, and the verdict. *Parity* is about groups: who is decided how often,
and how often rightly. Either may fail while the other holds.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from oddly.algebra.domain import Within, domain_of
from oddly.algebra.groups import ValueGroups, says_groups
from oddly.algebra.groups import groups as groups_from
from oddly.answers import Count, Rounded, ScopedAnswer, as_features, of_instances, signed
from oddly.answers.blocks import Block, Paragraph, Table
from oddly.compiler import as_diagram, as_model, is_diagram
from oddly.diagram import ODD
from oddly.distribution.cases import Case
from oddly.distribution.measure import NO_SUCH, Probability, Truth, read_under, shown
from oddly.errors import ModelError, UnknownName, Unsupported, listed
from oddly.learning import read_table
from oddly.learning.counted import distinct_texts
from oddly.learning.engines import is_postgres, stays
from oddly.model.variable import distinct
from oddly.questions.fairness.hinging import HingeQuestion
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
    made_of: Mapping[str, str]
    """By protected attribute, the one whose values were put in groups; those whose values are groups themselves are absent."""
    left_out: Mapping[str, tuple[str, ...]]
    """By attribute, the values that are in no group: whoever has one is left out of everything else here."""
    outside: Rounded
    """What part of everybody that is."""
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
        told = [self.about_hinges(), self._about_left_out(), self._about_groups(), self._about_gaps()]
        return " ".join(filter(None, told))

    def about_hinges(self) -> str:
        """The verdict with its example."""
        names, elsewhere = listed(self.protected), "in another group" if self.made_of else "with other values"
        what, otherwise = of_instances(self.count, self.instances), f"would be decided otherwise {elsewhere}"
        if self.holds:
            return self.scope.said(f"No decision hinges on {names}: {what} {otherwise}.")
        likely = f"probability {shown(self.probability)} under {self.under}"
        return self.scope.said(f"Decisions hinge on {names}: {what} ({likely}) {otherwise}. For example {self.case}.")

    def summary(self) -> str:
        return self.about_hinges()

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        tables = (self._groups(), self._gaps(), self._through(MOST_VALUES if most is None else most))
        left_out = [Paragraph(told) for told in [self._about_left_out()] if told]
        return (Paragraph(self.about_hinges()), *left_out, *(table for table in tables if table.rows))

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

    def _about_left_out(self) -> str:
        told = "; ".join(f"{name}={value}" for name, values in self.left_out.items() for value in values)
        return f"Left out, as in no group: {told} ({shown(self.outside)} of all)." if told else ""

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
    protected: str | ValueGroups | Sequence[str | ValueGroups],
    *,
    under: Any = None,
    within: Within = None,
    label: str | None = None,
    target: str | None = None,
    exact: bool | None = None,
    **limits: Unpack[LimitArguments],
) -> Fairness:
    """Does any decision hinge on protected attributes, and are groups decided alike?

    The answer is true iff no instance would be decided otherwise with other values of these attributes, or, of those that
    are `oddly.ValueGroups` of another's values, in another group. Groups are the combinations of all of them, compared by how
    often they are decided `label` (of two, the positive one), and by how often rightly where the class is known: under a
    model it is; in rows it is the column `target`, by default that of the class's name. `under` is as in `oddly.count`; a
    protected attribute that the classifier does not read may be a column of the rows, or a variable of the network.
    Probabilities are exact fractions, or floats where that would take too long (`exact`). `within` a domain only its
    inputs, pairs of these, and their shares count. `oddly.questions.fairness.parity` defines every measure.

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
        under = read_under(under, odd)
        domain = domain_of(within, odd)
        asked = GroupQuestion(odd, as_protected(protected, odd), _chosen(odd, label), domain)
        needed = [*odd.columns, *(one if isinstance(one, str) else one.of for one in asked.asked)]
        own = odd.source.model.class_name if odd.source else None
        rows = _rows(under, needed, [name for name in (target, own) if name is not None])
        if target is not None and rows is None:
            raise ModelError(f"target={target!r} is a column of rows, and `under` names none")
        population = asked.distributed(under, exact) if rows is None else asked.tabled(under, rows, target)
        groups = groups_of(population)
        gaps = gaps_of(groups)
        through = contributions_of(population, gaps["rate"]) if "rate" in gaps else ()
        parts = population.partitions
        inside = [p for p in parts if p.of in odd.order]
        found = HingeQuestion(domain, inside, under, rows, population.exact).answer()
        return Fairness(
            not found.count,
            tuple(p.name for p in parts),
            found.count,
            found.instances,
            population.name,
            found.probability,
            found.case,
            odd.labels[asked.label],
            groups,
            gaps,
            through,
            {one.name: one.of for one in asked.asked if isinstance(one, ValueGroups)},
            {p.of: p.left_out for p in parts if p.left_out},
            population.outside,
            found.contexts,
            scope=domain.scope,
        )


def as_protected(protected: Any, odd: ODD) -> tuple[str | ValueGroups, ...]:
    """Attributes by name, and groups of values as such or as texts: one, or several."""
    several = [protected] if isinstance(protected, str | ValueGroups) else protected
    found = tuple(several) if isinstance(several, Iterable) and not isinstance(several, Mapping) else ()
    if not found or not all(isinstance(one, str | ValueGroups) for one in found):
        raise ModelError(
            f"protected: expected an attribute or several, or groups as oddly.ValueGroups makes, found {protected!r}"
        )
    texts = {one for one in found if isinstance(one, str) and one not in odd.order and says_groups(one)}
    read = tuple(groups_from(one) if isinstance(one, str) and one in texts else one for one in found)
    for one in read:
        if isinstance(one, ValueGroups) and one.name != one.of and one.name in odd.order:
            raise ModelError(f"protected: {one.name} is an attribute already; call the groups of {one.of} otherwise")
    distinct([one if isinstance(one, str) else one.name for one in read], "the protected attributes", "name")
    return read


def _chosen(odd: ODD, label: str | None) -> int:
    if label is None and len(odd.labels) != 2:
        say = f"say which one groups are compared by: label='{odd.labels[0]}'"
        raise Unsupported(f"there are {len(odd.labels)} decisions; {say}")
    return len(odd.labels) - 1 if label is None else odd.label_index(label)


def _rows(under: Any, needed: Sequence[str], also: Sequence[str]) -> Rows | None:
    """The table that decisions are about; None if it is a distribution."""
    if under is None or isinstance(under, Truth) or (isinstance(under, str) and under in ("model", "uniform")):
        return None
    if isinstance(under, str | os.PathLike) and not (os.path.exists(under) or is_postgres(under)):
        raise UnknownName(f"{os.fspath(under)}: {NO_SUCH}")
    if stays(under):
        distinct_rows, times = distinct_texts(under, needed, also)
        return {name: np.repeat(np.array(cells, object), times).tolist() for name, cells in distinct_rows.items()}
    rows = read_table(under)
    if not rows:
        raise ModelError("the rows: there are none")
    return rows
