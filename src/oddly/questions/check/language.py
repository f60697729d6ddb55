# SPDX-License-Identifier: Apache-2.0
"""Rules as a person writes them, on a command line or in a file, one a line.

`GRAMMAR` has what may be written: it puts the words of a rule around the language of conditions
(`oddly.algebra.expressions`). Names, values, labels and files that hold spaces, or a sign that would end them, are
written in quotes. A file of rules is plain text, one a line, where lines that begin with # are comments; or TOML with a list
`rules` and perhaps a `model`. In a pyproject.toml both stand in the table [tool.oddly.check].
"""

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.algebra import expressions
from oddly.algebra.expressions import ENDS, LONGEST, QUOTED, ExpressionBuilder, Reader, unquoted
from oddly.diagram import ODD
from oddly.errors import FormatError, OddlyError, UnknownName, UnknownValue, listed
from oddly.formats.text import parser, read_text
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
agrees: _AGREES _WITH FILE [_UP_TO TOLERANCE] [_UNDER WEIGHTS] [_IF expression]
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
        for word in ["IF", "THEN", "ALWAYS", "NEVER", "ONLY", "IN", "FOR", "WITH", "UNDER"]
    )
    + rf"""
_UP_TO.2: /up\s++to{ENDS}/i
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
        file, up_to, under, condition = parts
        return rules.agrees(file.value, up_to.value if up_to else 0, under and under.value, condition=condition)

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
SIGNS = {"COLON": ":", "LESSTHAN": "<", "_UP_TO": "up to"}
TOGETHER = ("_IN", "_FOR", "COLON", "LESSTHAN", "_WITH", "_UP_TO", "_UNDER", "_IF", "_THEN")
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
            "TOLERANCE": lambda token: rules.agrees("", unquoted(token)).up_to,
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


# ---- rules in files, and rules of any kind as a list ----


@dataclass(frozen=True)
class Written:
    """A rule's text, and where it stands."""

    text: str
    where: str = ""
    folder: Path | None = None
    """Where its files are looked for; None: where the program runs."""

    def read(self, odd: ODD) -> Rule:
        """The rule, its names those of the diagram."""
        try:
            return rule(self.text, odd, self.folder)
        except OddlyError as error:
            if self.where:
                error.args = (f"{self.where}  {error}",)
            raise


@dataclass(frozen=True)
class RuleFile:
    """What a file says: rules, and perhaps of which model."""

    rules: tuple[Written, ...]
    model: Path | None = None


Rules = str | Written | Rule | os.PathLike[str] | Sequence[str | Written | Rule]
"""One rule, several, or a file of them."""


def as_rules(rules: Rules, odd: ODD) -> list[tuple[str, Rule]]:
    """Rules of any kind, with their texts."""
    if isinstance(rules, os.PathLike):
        rules = read_rules(rules).rules
    elif isinstance(rules, str | Written | Rule):
        rules = [rules]
    if not isinstance(rules, Sequence):
        raise FormatError(f"expected a rule, a list of rules or the path of a file, found {rules!r}")
    found = []
    for one in rules:
        if isinstance(one, Rule):
            found.append((str(one), one))
            continue
        if not isinstance(one, str | Written):
            raise FormatError(f"expected a rule or its text, found {one!r}")
        text = Written(one) if isinstance(one, str) else one
        found.append((" ".join(text.text.split()), text.read(odd)))
    return found


def read_rules(path: str | os.PathLike[str]) -> RuleFile:
    """The rules in a file: TOML by its name, else one a line."""
    path = Path(path)
    text = read_text(path)
    if len(text) > LONGEST:
        raise FormatError(f"{path}: {len(text):,} characters; at most {LONGEST:,} of rules are read.  Split the file.")
    if path.suffix.lower() == ".toml":
        return _of_toml(path, text)
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    found = [Written(line, f"{path}:{n}", path.parent) for n, line in lines if line and not line.startswith("#")]
    return RuleFile(tuple(found))


def _of_toml(path: Path, text: str) -> RuleFile:
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: {error}") from None
    where = str(path)
    if path.name == "pyproject.toml" or "tool" in table:
        where = f"{path}: [tool.oddly.check]"
        for name in ("tool", "oddly", "check"):
            table = table.get(name) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise FormatError(f"{path}: no table [tool.oddly.check]")
    for name in table:
        if name not in ("model", "rules"):
            raise UnknownName(f"{where}: {UnknownName.among('entry', name, ('model', 'rules'))}")
    model, rules = table.get("model"), table.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(r, str) for r in rules):
        raise FormatError(f"{where}: rules: expected a list of texts, found {rules!r}")
    if model is not None and not isinstance(model, str):
        raise FormatError(f"{where}: model: expected the name of a file, found {model!r}")
    found = tuple(Written(r, f"{where}, rule {i}:", path.parent) for i, r in enumerate(rules, start=1))
    return RuleFile(found, None if model is None else Path(beside(model, path.parent)))
