# SPDX-License-Identifier: Apache-2.0
"""Rules as a person writes them, on a command line or in a file, one a line.

`GRAMMAR` has what may be written: it puts the words of a rule around the language of conditions
(`oddly.algebra.expressions`). Names, values, labels and files that hold spaces, or a sign that would end them, are
written in quotes.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.algebra import expressions
from oddly.algebra.expressions import ENDS, QUOTED, ExpressionBuilder, Reader, unquoted
from oddly.diagram import ODD
from oddly.errors import OddlyError, UnknownValue, listed
from oddly.formats.text import parser
from oddly.questions.check import rules
from oddly.questions.check.rules import Implies, Rule

if TYPE_CHECKING:
    from lark import Lark, Token

KINDS = "monotone, ignores, if, always, never, agrees, or a decision with 'only if'"
DISTRIBUTIONS = ("model", "baseline", "uniform")


def rule(text: str, odd: ODD, folder: Path | None = None) -> Rule:
    """A text as a rule about a diagram.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> print(rule("yes only if S=+ve or U=+ve", odd))
    never yes if S=-ve and U=-ve
    >>> rule("monotone up in age", odd)
    Traceback (most recent call last):
    oddly.errors.UnknownName: no attribute 'age'.  There are: B, U, S.
        monotone up in age
                       ^
    """
    found: Rule = RuleReader(text, odd, folder).read(_parser())
    return found


GRAMMAR = (
    r"""
?start: monotone | ignores | agrees | if_then | always | never | only_if
monotone: _MONOTONE WAY _IN TOPIC [_FOR DECISION] [order] [_IF expression]
order: ":" STEP ("<" STEP)*
ignores: _IGNORES topics [_IF expression]
topics: LISTED (("," | _AND) LISTED)*
agrees: _AGREES _WITH FILE [_WITHIN TOLERANCE] [_UNDER WEIGHTS] [_IF expression]
if_then: _IF expression _THEN [NOT] LABEL
always: _ALWAYS LABEL [_IF expression]
never: _NEVER LABEL [_IF expression]
only_if: DECIDED _ONLY _IF expression

_MONOTONE.2: /monotone(?!\S)/i
_IGNORES.2: /ignores(?!\S)/i
_AGREES.2: /agrees(?!\S)/i
"""
    + "\n".join(
        f"_{word}.2: /{word}{ENDS}/i"
        for word in ["IF", "THEN", "ALWAYS", "NEVER", "ONLY", "IN", "FOR", "WITH", "WITHIN", "UNDER"]
    )
    + rf"""
WAY: /(?:up|down){ENDS}/i
LABEL: VALUE
DECIDED: VALUE
TOPIC: /{QUOTED}|[^\s:]+/
DECISION: /{QUOTED}|[^\s:]+/
STEP: /{QUOTED}|[^\s<]+/
LISTED: /{QUOTED}|[^\s,]+/
FILE: /{QUOTED}|\S+/
TOLERANCE: /{QUOTED}|\S+/
WEIGHTS: /{QUOTED}|\S+/
"""
    + expressions.GRAMMAR
)


class RuleBuilder(ExpressionBuilder):
    """Called by the parser as it goes; a part that is left out is None."""

    def monotone(self, parts: list[Any]) -> Rule:
        way, name, label, order, condition = parts
        direction: Any = way.lower()
        return rules.monotone(name.value, direction, order=order, label=label and label.value, condition=condition)

    def order(self, values: "list[Token]") -> list[str]:
        return [value.value for value in values]

    topics = order

    def ignores(self, parts: list[Any]) -> Rule:
        return rules.ignores(*parts[0], condition=parts[1])

    def agrees(self, parts: list[Any]) -> Rule:
        file, within, under, condition = parts
        return rules.agrees(file.value, within.value if within else 0, under and under.value, condition=condition)

    def if_then(self, parts: list[Any]) -> Implies:
        condition, negative, label = parts
        return rules.never(label.value, condition) if negative else rules.if_then(condition, label.value)

    def always(self, parts: list[Any]) -> Implies:
        return rules.always(parts[0].value, parts[1])

    def never(self, parts: list[Any]) -> Implies:
        return rules.never(parts[0].value, parts[1])

    def only_if(self, parts: list[Any]) -> Implies:
        return rules.only_if(parts[0].value, parts[1])


@cache
def _parser() -> "Lark":
    return parser(GRAMMAR, RuleBuilder())


ALONE = {
    "_MONOTONE": KINDS,
    "_ONLY": KINDS,
    "WAY": "'up' or 'down'",
    "TOPIC": "an attribute",
    "LISTED": "an attribute",
    "DECISION": "a decision",
    "LABEL": "a decision",
    "STEP": "a value of {variable}",
    "FILE": "a file",
    "TOLERANCE": "a probability",
    "WEIGHTS": "'model', 'baseline', 'uniform' or a file of rows",
    **expressions.ALONE,
}
SIGNS = {"COLON": ":", "LESSTHAN": "<"}
TOGETHER = ("_IN", "_FOR", *SIGNS, "_WITH", "_WITHIN", "_UNDER", "_IF", "_THEN")
AMONG = expressions.AMONG | {name: f"'{SIGNS.get(name, name[1:].lower())}'" for name in TOGETHER} | expressions.END


class RuleReader(Reader):
    """The reader of conditions, which knows the words of a rule around them."""

    def __init__(self, text: str, odd: ODD, folder: Path | None) -> None:
        super().__init__(text, odd.variables)
        self.alone, self.among = ALONE, AMONG
        self.odd, self.folder = odd, folder
        self.meanings |= {
            "TOPIC": lambda token: self._attribute(token).name,
            "LISTED": lambda token: self._attribute(token).name,
            "DECISION": self._label,
            "LABEL": self._label,
            "DECIDED": self._label,
            "STEP": lambda token: self.by_name[self.variable].values[self._value(token)],
            "FILE": lambda token: beside(unquoted(token), self.folder),
            "TOLERANCE": lambda token: rules.agrees("", unquoted(token)).within,
            "WEIGHTS": self._weights,
        }

    def _label(self, token: "Token") -> str:
        return label_among(self.odd, unquoted(token))

    def _weights(self, token: "Token") -> str:
        name = unquoted(token)
        return name if name in DISTRIBUTIONS else beside(name, self.folder)

    def unexpected(self, at: int, wanted: set[str]) -> OddlyError:
        if self.word is not None and self.word.type == "DECIDED":  # for want of a better explanation
            at = int(self.word.start_pos or 0)
        return super().unexpected(at, wanted)


def beside(name: str, folder: Path | None) -> str:
    """A file's name as seen from a folder; an example is nowhere else."""
    return name if folder is None or name.startswith("example:") else str(folder / name)


def label_among(odd: ODD, label: str) -> str:
    """The label, or an error that says which there are."""
    if label not in odd.labels:
        raise UnknownValue(f"no decision {label!r}.  The decisions are {listed(odd.labels)}.")
    return label
