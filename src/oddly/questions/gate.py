# SPDX-License-Identifier: Apache-2.0
"""May the new model take the old one's place?  Every term that was agreed on, measured, and one verdict.

The terms are shares of changed decisions (of all inputs, and under a distribution), directions that must not happen,
rules, and how far each number may move. All are exact: a share of a thousandth is compared as a fraction.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, Literal, Unpack

from oddly.algebra.domain import Within
from oddly.answers import UNTOLD, Answer, Count, of_instances
from oddly.answers.blocks import MOST_CASES, Block, Paragraph, Table
from oddly.compiler import as_diagram
from oddly.diagram.refine import Values
from oddly.distribution.coarse import Between
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import share, shown
from oddly.errors import ModelError, TooLarge, UnknownName, listed
from oddly.model import Model
from oddly.model.numbers import Number, exact, portion, written
from oddly.questions.allowed.question import allowed
from oddly.questions.check.language import Rules
from oddly.questions.check.question import check
from oddly.questions.check.verdicts import MARKS
from oddly.questions.compare.difference import Difference
from oddly.questions.compare.question import compare
from oddly.questions.compare.weighing import in_words, named_distribution
from oddly.runtime import LimitArguments, limited

TermKind = Literal["changed", "direction", "rule", "room"]
ARROW = " → "
ANY = "*"


@dataclass(frozen=True)
class GateTerm:
    """One thing that was agreed on, and what was found."""

    kind: TermKind
    """Which kind of term it is."""
    asked: str
    """What was asked, in words."""
    holds: bool | None
    """None: undecided within the limits."""
    found: str
    """What was found, in words."""


@dataclass(frozen=True, repr=False)
class Gate(Answer):
    """Whether a new model may take the old one's place, term by term."""

    holds: bool | None
    """None: no term fails, and some are undecided."""
    terms: tuple[GateTerm, ...]
    """What was agreed on, in the order in which it was written."""
    count: Count | None
    """How many inputs are decided otherwise; None where that is undecided."""
    instances: Count
    """Of so many."""
    directions: Mapping[str, Count]
    """How many in each direction: the old model's decision, then the new one's."""
    difference: Annotated[Difference | None, UNTOLD] = field(default=None, compare=False)
    """The comparison itself, old against new."""

    def verdict(self) -> bool:
        if self.holds is None:
            raise TooLarge(self.sentence())
        return self.holds

    def sentence(self) -> str:
        """The verdict, and the terms that do not hold."""
        open_terms = [term for term in self.terms if not term.holds]
        return "\n".join([self.summary(), *(f"  {MARKS[t.holds]} {t.asked}: {t.found}" for t in open_terms)])

    def summary(self) -> str:
        total, kept = len(self.terms), sum(term.holds is True for term in self.terms)
        words = {True: "The gate is open", False: "The gate stays shut", None: "Undecided"}[self.holds]
        terms = "the only term holds" if total == kept == 1 else f"{kept} of {total} terms hold"
        changed = self._changed()
        return f"{words}: {terms}. {changed if self.difference is None else self.difference.scope.said(changed)}"

    def _changed(self) -> str:
        if self.count is None:
            return "How many decisions change is not known."
        unit, left_out = self.difference.unit if self.difference is not None else "instance", ""
        if self.difference is not None and self.difference.left_out.values:
            left_out = f" Not compared are {self.difference.left_out.told(unit)}."
        if not self.count:
            return f"No decision changes, over {of_instances(self.instances, self.instances, unit)}.{left_out}"
        ways = ", ".join(f"{n:,} {way}" for way, n in self.directions.items() if n)
        return f"Decisions change on {of_instances(self.count, self.instances, unit)} ({ways}).{left_out}"

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((MARKS[t.holds], t.asked, t.found) for t in self.terms)
        table = Table("What was agreed on, and what was found", ("", "term", "found"), rows)
        return Paragraph(self.summary()), table, *self._cases(MOST_CASES if most is None else most)

    def _cases(self, most: int) -> Iterator[Block]:
        if self.difference is not None and self.count:
            yield Paragraph(f"The smallest change: {self.difference.smallest!r}.")
            yield from self.difference.cases(most)


def gate(
    baseline: Any,
    candidate: Any,
    *,
    changed: Number | None = None,
    directions: Mapping[str, Number] | None = None,
    under: Any = None,
    changed_under: Number | None = None,
    directions_under: Mapping[str, Number] | None = None,
    rules: Rules | None = None,
    room: Number | None = None,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Gate:
    """May `candidate` take the place of `baseline`?

    Each is a model, a diagram, or the path of either. Shares are numbers from 0 to 1, or texts such as "0.1%".

    - `changed`: at most this share of all inputs may be decided otherwise. Without any term: 0, no decision at all.
    - `directions`: the same by direction, {"yes → no": 0}, the old decision first; "yes -> no" is read too, and "* → no"
      stands for every direction to no.
    - `under`: a distribution, such as a table of rows; `changed_under` and `directions_under` are shares of it. A
      table without either asks that none of its rows be decided otherwise.
    - `rules`: what the candidate must obey, as in `oddly.check`.
    - `values`, `labels` and `within` are those of `oddly.compare`: values that one side lacks, the candidate's labels by the
      baseline's, and the inputs that exist: shares are of these, and rules are checked within these, too.
    - `room`: every number of the candidate may move by this much, either way, before any decision (within these) changes.

    >>> import oddly
    >>> old = oddly.examples.pregnancy()
    >>> gate(old, old.replace(prior=["0.6", "0.4"]), changed="20%", directions={"yes → no": 0})
    The gate stays shut: 1 of 2 terms hold. Decisions change on 1 of 8 instances (1 yes → no).
      ✗ yes → no, of all inputs: none: 1 of 8
    """
    with limited(limits):
        if changed is None and not directions and under is None and rules is None and room is None:
            changed = 0
        if under is not None and changed_under is None and not directions_under:
            changed_under = 0
        if under is None and (changed_under is not None or directions_under):
            raise ModelError("changed_under and directions_under are shares of a distribution: say which, under=…")
        asked = _Terms(baseline, candidate, under, within, values=values, labels=labels)
        terms = [
            *asked.of_all_inputs(changed, directions or {}),
            *asked.of_distribution(changed_under, directions_under or {}),
            *asked.of_rules(rules),
            *asked.of_room(room),
        ]
        found = {term.holds for term in terms}
        holds = False if False in found else None if None in found else True
        return asked.answer(holds, tuple(terms))


class _Terms:
    """Two models, and what was agreed on, term by term."""

    def __init__(self, baseline: Any, candidate: Any, under: Any, within: Within, **how: Any) -> None:
        self.under, self.within, self.why = under, within, ""
        self.difference: Difference | None = None
        try:
            self.candidate = as_diagram(candidate)
            self.difference = compare(baseline, self.candidate, within=within, **how)
        except TooLarge as error:
            self.why = str(error)

    def answer(self, holds: bool | None, terms: tuple[GateTerm, ...]) -> Gate:
        if self.difference is None:
            return Gate(holds, terms, None, 0, {})
        found = self.difference
        return Gate(holds, terms, found.count, found.instances, found.directions, found)

    def of_all_inputs(self, changed: Number | None, directions: Mapping[str, Number]) -> Iterator[GateTerm]:
        def counted(ways: Sequence[str], most: Fraction) -> tuple[bool | None, str]:
            assert self.difference is not None
            count, total = sum(self.difference.directions[way] for way in ways), self.difference.instances
            return count <= most * total, f"{count:,} of {total:,}"

        yield from self._shares(changed, directions, self._whole("inputs", "all inputs"), counted)

    def of_distribution(self, changed: Number | None, directions: Mapping[str, Number]) -> Iterator[GateTerm]:
        if self.under is None:
            return

        name = named_distribution(self.under)

        def weighed(ways: Sequence[str], most: Fraction) -> tuple[bool | None, str]:
            found = self._mass(ways)
            holds = True if found.high <= most else False if found.low > most else None
            return holds, shown(found.low) if found.settled else in_words(found, name)

        yield from self._shares(changed, directions, self._whole(name, name), weighed)

    def of_rules(self, rules: Rules | None) -> Iterator[GateTerm]:
        if rules is None:
            return
        if self.difference is None:
            yield GateTerm("rule", "the candidate obeys the rules", None, self.why)
            return
        for verdict in check(self.candidate, rules, within=self.within).verdicts:
            yield GateTerm("rule", verdict.rule, verdict.holds, verdict.summary())

    def of_room(self, room: Number | None) -> Iterator[GateTerm]:
        if room is None:
            return
        if (least := exact(room, "room")) < 0:
            raise ModelError(f"room: expected how far numbers may move, from 0 on, found {room}")
        asked = f"every number may move by {written(least)}, either way"
        try:
            tight = list(self._tight(least))
        except TooLarge as error:
            yield GateTerm("room", asked, None, str(error))
            return
        first = f"{len(tight):,} may not; {tight[0]}" if tight else "each may"
        yield GateTerm("room", asked, not tight, first)

    def _tight(self, least: Fraction) -> Iterator[str]:
        """The numbers that have less room, by name and range; log-odds are left to the probabilities they are of."""
        for _, name, found in allowed(self.candidate, within=self.within).ranges():
            if found is None or found.unit == "log-odds":
                continue
            now, whole = Fraction(found.exact_now), found.unit == "probability"
            ends = (
                (max(now - least, Fraction(0)), min(now + least, Fraction(1))) if whole else (now - least, now + least)
            )
            if not all(end in found for end in ends):
                yield f"{name} may be in {found.interval()}, and is {found.texts()[2]}"

    def _shares(
        self,
        changed: Number | None,
        directions: Mapping[str, Number],
        whole: str,
        measure: Callable[[Sequence[str], Fraction], tuple[bool | None, str]],
    ) -> Iterator[GateTerm]:
        """A term for all changes together, and one per direction."""
        asked: list[tuple[TermKind, str, Number]] = [] if changed is None else [("changed", ANY + ARROW + ANY, changed)]
        asked += [("direction", way, most) for way, most in directions.items()]
        for kind, way, most in asked:
            name = "changed decisions" if kind == "changed" else _direction(way)
            limit = portion(most, name)
            words = f"{name}, of {whole}: {f'at most {written(limit * 100)}%' if limit else 'none'}"
            if self.difference is None:
                yield GateTerm(kind, words, None, self.why)
            else:
                yield GateTerm(kind, words, *measure(self._matching(way), limit))

    def _whole(self, some: str, all_: str) -> str:
        """What a share is of: these inputs or this distribution, within a domain if there is one."""
        words = None if self.difference is None else self.difference.scope.within
        return all_ if words is None else f"{some} within {words}"

    def _matching(self, way: str) -> list[str]:
        """The directions that one stands for: "yes → no", or with * for any label."""
        assert self.difference is not None
        old = new = self.difference.sides[0].labels  # the new model's labels go by the old one's names
        said = _direction(way)
        for i, j in product((ANY, *old), (ANY, *new)):
            if said == i + ARROW + j:
                pairs = product(old if i == ANY else [i], new if j == ANY else [j])
                if found := [a + ARROW + b for a, b in pairs if a != b]:
                    return found
                raise ModelError(f"directions: {way!r} changes nothing, so it would hold of any two models")
        such = f"{old[0]}{ARROW}{new[-1]}"
        raise UnknownName(
            f"directions: no direction {way!r}; one is such as {such!r}, of {listed(dict.fromkeys((*old, *new)))}, or * for any"
        )

    def _mass(self, ways: Sequence[str]) -> Between:
        """How probable these directions are together: exactly, or where a model's own bins leave it open, between ends."""
        assert self.difference is not None
        event = self.difference.event(ways)
        if not self.difference.own and (isinstance(self.under, Model) or self.under in ("a", "b")):
            return self.difference.bounds_of(event, self.under)
        measure = self.difference.measure(self.under)
        masses = label_masses(event, measure, exact=True)
        rest, such = (sum((row[place] for row in masses), Fraction(0)) for place in (0, 1))
        p = Fraction(share(such, rest + such))
        return Between(p, p)


def _direction(way: str) -> str:
    """A direction as answers write it: yes->no is yes → no."""
    return ARROW.join(part.strip() for part in way.replace("->", "→").split("→"))
