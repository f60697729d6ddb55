# SPDX-License-Identifier: Apache-2.0
"""Which inputs an answer is about, and how many of them cannot happen."""

from dataclasses import dataclass, field

from oddly.answers.answer import Answer
from oddly.answers.json import Count, TypedJson
from oddly.answers.words import percent


@dataclass(frozen=True)
class Scope(TypedJson):
    """The inputs that an answer is about: all there are, or those of a domain."""

    within: str | None
    """The domain, as it was named; null: all inputs."""
    inputs: Count
    """How many inputs there are within it."""
    of: Count
    """How many there are in all."""
    impossible: Count | None = 0
    """How many of the inputs within it have probability zero under the model; null: too many to be counted."""

    def said(self, text: str) -> str:
        """An answer in words, with what it is about before it and what is impossible after it.

        >>> print(Scope("S=-ve", 4, 8).said("Holds."))
        Of the 4 inputs within S=-ve: Holds.
        >>> print(Scope(None, 8, 8, 6).said("Holds."))
        Holds. 6 of these 8 inputs (75.0%) are impossible under the model; 2 are within possible.
        """
        head = "" if self.within is None else f"Of the {_inputs(self.inputs)} within {self.within}: "
        return f"{head}{text}{self._tail(text)}"

    def _tail(self, text: str) -> str:
        note = self.note()
        return f"{chr(10) if chr(10) in text else ' '}{note}" if note else ""

    def note(self) -> str:
        """How many inputs are impossible, as a sentence; nothing if none is."""
        if not self.impossible:
            return ""
        if self.impossible == self.inputs:
            every = (
                "The only one of these inputs is" if self.inputs == 1 else f"All {self.inputs:,} of these inputs are"
            )
            return f"{every} impossible under the model."
        some = f"{self.impossible:,} of these {self.inputs:,} inputs ({percent(self.impossible, self.inputs)})"
        rest = self.inputs - self.impossible
        verb, others = ("is" if n == 1 else "are" for n in (self.impossible, rest))
        return f"{some} {verb} impossible under the model; {rest:,} {others} within possible."

    def facts(self) -> tuple[tuple[str, str], ...]:
        """The same for an answer that is laid out as facts."""
        inside = f"{self.within}: {_inputs(self.inputs)} of {self.of:,}"
        found = [("within", inside)] if self.within is not None else []
        return (*found, *([("impossible", self.note())] if self.note() else []))


@dataclass(frozen=True, repr=False)
class ScopedAnswer(Answer):
    """An answer about all inputs there are, or about those of a domain."""

    scope: Scope = field(default=Scope(None, 0, 0), kw_only=True)
    """Which inputs it is about."""


def _inputs(number: int) -> str:
    return f"{number:,} input{'' if number == 1 else 's'}"
