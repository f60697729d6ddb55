# SPDX-License-Identifier: Apache-2.0
"""What `oddly.check` answers: a verdict per rule, and all of them together."""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from oddly.answers import ROUNDED, UNTOLD, Answer, Block, Count, Paragraph, Rounded, ScopedAnswer, Table
from oddly.diagram import ODD
from oddly.distribution.cases import Case
from oddly.distribution.coarse import Between
from oddly.distribution.measure import Measure, shown
from oddly.errors import TooLarge
from oddly.questions.check.rules import Rule
from oddly.questions.compare.sides import LeftOut

MARKS = {True: "✓", False: "✗", None: "?"}


@dataclass(frozen=True, repr=False)
class RuleVerdict(Answer):
    """Whether one rule holds, of how much, and what breaks it."""

    rule: str
    holds: bool | None
    """None: undecided within the limits."""
    scope: Count
    """How many there are that could break it."""
    unit: str
    """What they are."""
    count: Count | None
    """How many of them do."""
    case: Case | None
    """The smallest of these."""
    probability: Rounded | None = None
    """For agreement up to a tolerance: how probable a changed decision is."""
    up_to: Annotated[Fraction, ROUNDED] | None = None
    """The tolerance."""
    under: str | None = None
    why: str | None = None
    """Why it is undecided."""
    vacuous: bool = False
    """Whether it holds because there is nothing that could break it."""
    between: Between | None = None
    """Where that probability lies, where the two cut numbers differently and the distribution does not settle it."""
    left_out: LeftOut | None = None
    """What is not compared, because only one of the two has a value for it."""
    settled: Annotated[Rule | None, UNTOLD] = field(default=None, compare=False)
    """The rule with all that it left open filled in."""
    _baseline: ODD | None = field(default=None, compare=False)
    _measure: Measure | None = field(default=None, compare=False)

    def verdict(self) -> bool:
        if self.holds is None:
            raise TooLarge(f"undecided: {self.rule}: {self.why}")
        return self.holds

    @property
    def status(self) -> str:
        """The verdict in a word."""
        if self.holds is None:
            return "undecided"
        return "holds, vacuously" if self.vacuous else "holds" if self.holds else "fails"

    def sentence(self) -> str:
        """The verdict, its scope, how many break it, and the smallest of these."""
        return f"{self.status.capitalize()}: {self.rule}: {self._words()}"

    def summary(self) -> str:
        """The same where the rule and its verdict stand beside it."""
        words = self._words()
        return words[:1].upper() + words[1:]

    def _words(self) -> str:
        rest = (
            f" Not compared are {self.left_out.told(self.unit.split('s ', 1)[0].removesuffix('s'))}."
            if self.left_out is not None
            else ""
        )
        return self._compared() + rest

    def _compared(self) -> str:
        if self.holds is None:
            return str(self.why)
        found = self.between or Between(self.probability or 0.0, self.probability or 0.0)
        ends = shown(found.low) if found.settled else f"between {shown(found.low)} and {shown(found.high)}"
        chance = f"a changed decision has probability {ends} under {self.under}; "
        head = "" if self.under is None else chance
        if not self.scope:
            return f"{head}there are no {self.unit}."
        things, *rest = self.unit.split(" ", 1)  # such as steps, and of what
        one = " ".join([things.removesuffix("s"), *rest])
        every = f"the only {one}" if self.scope == 1 else f"all {self.scope:,} {self.unit}"
        if self.count:
            some = every if self.count == self.scope else f"{self.count:,} of {self.scope:,} {self.unit}"
            return f"{head}{some}. For example {self.case}."
        if self.vacuous:
            if self.scope == 1:
                return f"{head}there is only one {one}."
            return f"{head}no two of {self.scope:,} {self.unit} could differ."
        return f"{head}over {every}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        return (Paragraph(self.sentence()),)  # which has all of it


@dataclass(frozen=True, repr=False)
class Check(ScopedAnswer):
    """Whether all rules hold, and each verdict."""

    holds: bool | None
    """None: no rule fails, and some are undecided."""
    instances: Count
    verdicts: tuple[RuleVerdict, ...]
    _odd: ODD = field(compare=False)

    def __getitem__(self, place: int) -> RuleVerdict:
        return self.verdicts[place]

    @property
    def failed(self) -> tuple[RuleVerdict, ...]:
        """The verdicts of the rules that do not hold."""
        return tuple(v for v in self.verdicts if v.holds is False)

    def verdict(self) -> bool:
        if self.holds is None:
            raise TooLarge(self.sentence())
        return self.holds

    def sentence(self) -> str:
        """How many rules hold; then each verdict on a line."""
        return self.scope.said("\n".join([self.summary(), *(f"  {v.sentence()}" for v in self.verdicts)]))

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((v.rule, f"{MARKS[v.holds]}\u00a0{v.status}", v.summary()) for v in self.verdicts)
        table = Table("Every rule, over all inputs it speaks of", ("rule", "verdict", "in words"), rows)
        return Paragraph(self.scope.said(self.summary())), table.cut(most)

    def summary(self) -> str:
        """How many rules hold."""
        total, failed = len(self.verdicts), len(self.failed)
        open_ = sum(v.holds is None for v in self.verdicts)
        if total == 1:
            return "Holds: the rule." if self.holds else "The rule fails." if failed else "The rule is undecided."
        if self.holds:
            return f"Holds: all {total} rules."
        fail = f"{failed} of {total} rules fail{'s' if failed == 1 else ''}"
        undecided = f", {open_} undecided" if open_ else ""
        return f"{fail}{undecided}." if failed else f"{open_} of {total} rules undecided."

    def save_certificate(self, path: str | os.PathLike[str]) -> None:
        """Write what a small program can check by itself, and the diagrams it is about, beside each other.

        `tools/verify_certificate.py` is that program.
        """
        from oddly.questions.check.proofs import save_certificate

        save_certificate(self, path)
