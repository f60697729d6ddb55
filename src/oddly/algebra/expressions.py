# SPDX-License-Identifier: Apache-2.0
"""Combinations of features, as a person writes them: `U=+ve or (B=+ve and S=-ve)`.

`GRAMMAR` has the language; the rules of `oddly.check` build on it. Names and values that hold spaces or any of
( ) { } , = ! are written in quotes, and so is one that begins with a quote; \\ before a quote or a backslash takes it as
it is. A word before = or != is a name and one after it a value, even "or" and "not".

What is read is kept without "not" and "->": a feature is a set of allowed values, so its negation is the others.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from oddly.errors import FormatError, OddlyError, UnknownName
from oddly.formats.text import one_of, parser
from oddly.model import Variable

if TYPE_CHECKING:
    from lark import Lark, Token

DEEPEST = 100
"""Parentheses in each other; more is a mistake, and would only cost stack."""
LONGEST = 2_000_000
"""Characters of a text or of a file of rules: some seconds' reading, and far more than people write."""


@dataclass(frozen=True)
class Feature:
    """An attribute has one of these values."""

    variable: Variable
    allowed: tuple[bool, ...]

    def evaluate(self, instance: Mapping[str, str]) -> bool:
        """Whether an instance has it."""
        if self.variable.name not in instance:
            raise UnknownName(f"the instance has no value for {self.variable.name}")
        return self.allowed[self.variable.index(instance[self.variable.name])]

    def negated(self) -> "Feature":
        return Feature(self.variable, tuple(not a for a in self.allowed))

    def __str__(self) -> str:
        name = quoted(self.variable.name)
        yes = [quoted(v) for v, allowed in zip(self.variable.values, self.allowed, strict=True) if allowed]
        no = [quoted(v) for v, allowed in zip(self.variable.values, self.allowed, strict=True) if not allowed]
        if len(yes) == 1 or len(no) == 1:
            return f"{name}={yes[0]}" if len(yes) == 1 else f"{name}!={no[0]}"
        return f"{name} in {{{', '.join(yes)}}}" if yes else f"{name} not in {{{', '.join(no)}}}"


@dataclass(frozen=True)
class All:
    """Every part holds."""

    parts: "tuple[Expression, ...]"

    def evaluate(self, instance: Mapping[str, str]) -> bool:
        """Whether all parts hold of an instance."""
        return all(part.evaluate(instance) for part in self.parts)

    def negated(self) -> "Some":
        return Some(tuple(part.negated() for part in self.parts))

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Some) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Some:
    """Some part holds."""

    parts: "tuple[Expression, ...]"

    def evaluate(self, instance: Mapping[str, str]) -> bool:
        """Whether some part holds of an instance."""
        return any(part.evaluate(instance) for part in self.parts)

    def negated(self) -> All:
        return All(tuple(part.negated() for part in self.parts))

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, All) else str(part) for part in self.parts)


Expression = Feature | All | Some


def expression(text: str, variables: Sequence[Variable]) -> Expression:
    """A text as an expression over these attributes. Cost: linear in the text.

    >>> from oddly import examples
    >>> tests = examples.pregnancy().variables
    >>> print(expression("U=+ve -> not (B=+ve and S=+ve)", tests))
    U=-ve or B=-ve or S=-ve
    >>> expression("U=+ve or (B=+ve", tests)
    Traceback (most recent call last):
    oddly.errors.FormatError: expected 'and', 'or', '->' or ')', found the end
        U=+ve or (B=+ve
                       ^
    """
    found: Expression = Reader(text, variables).read(_parser())
    return found


def quoted(text: str) -> str:
    """A name or value as the language takes it, in quotes if it needs them.

    >>> print(quoted("+ve"), quoted("top left"), quoted('say "x"'))
    +ve "top left" "say \\"x\\""
    """
    if re.fullmatch(WORD, text) and text.lower() not in KEYWORDS:
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


# ---- the grammar ----

KEYWORDS = ("and", "or", "not", "in", "implies")
QUOTED = r""""(?:[^"\\]|\\[\s\S])*+"|'(?:[^'\\]|\\[\s\S])*+'"""
WORD = r"""(?!["'])(?:[^\s=(){},!-]|-(?!>))++"""
ENDS = r"(?![^\s=(){},!])"  # what follows a keyword is no part of a word
BARE = r"(?!\s*!?=)"  # before = even a keyword is a name

GRAMMAR = rf"""
?expression: either (_ARROW either)*
?either: both (_OR both)*
?both: single (_AND single)*
?single: NOT* atom
?atom: "(" expression ")" | feature
feature: NAME SIGN VALUE | NAME MEMBER "{{" VALUE ("," VALUE)* "}}"

_ARROW: /->|implies{ENDS}/i
_OR: /or{ENDS}/i
_AND: /and{ENDS}/i
NOT.2: /not{ENDS}{BARE}/i
SIGN: /!?=/
MEMBER: /(?:not\s+)?in{ENDS}/i
NAME: /{QUOTED}|(?!(?:{"|".join(KEYWORDS)}){ENDS}{BARE}|then{ENDS}{BARE}(?!\s*(?:not\s+)?in{ENDS})){WORD}/i
VALUE: /{QUOTED}|{WORD}/
%ignore /\s++/
"""

ALONE = {
    "NAME": "a feature such as NAME=VALUE",
    "SIGN": "=, != or in after {name}",
    "VALUE": "a value of {variable}",
    "LBRACE": "'{{' after in",
}
"""What is expected where these may come, whatever else may."""
WAITING = {"NAME", "DECIDED"}
"""Words that may turn out to be something else with the next one, and are looked up only then."""
AMONG = {"COMMA": "','", "_AND": "'and'", "_OR": "'or'", "_ARROW": "'->'", "RBRACE": "'}'", "RPAR": "')'"}
END = {"$END": "the end"}

_FOUND = re.compile(rf"(?P<word>{QUOTED}|{WORD})|->|!=|[=(){{}},]")


class ExpressionBuilder:
    """Called by the parser as it goes, on parts that are read and words that have their meaning."""

    def expression(self, parts: list[Expression]) -> Expression:
        return _flat(Some, [*(part.negated() for part in parts[:-1]), parts[-1]])  # a -> b -> c: not a, or not b, or c

    def either(self, parts: list[Expression]) -> Expression:
        return _flat(Some, parts)

    def both(self, parts: list[Expression]) -> Expression:
        return _flat(All, parts)

    def single(self, parts: list[Any]) -> Expression:
        found: Expression = parts[-1]
        return found if len(parts) % 2 else found.negated()

    def feature(self, words: "list[Token]") -> Feature:
        variable: Any = words[0].value
        places, unlike = {word.value for word in words[2:]}, words[1][0] in "!nN"
        return Feature(variable, tuple((i in places) != unlike for i in range(len(variable.values))))


@cache
def _parser() -> "Lark":
    return parser("?start: expression" + GRAMMAR, ExpressionBuilder())


class Reader:
    """One text, word by word: what each stands for as it comes, and what to say of one that cannot come there."""

    def __init__(self, text: str, variables: Sequence[Variable]) -> None:
        self.text = text
        self.by_name = {v.name: v for v in variables}
        self.alone, self.among = ALONE, AMONG | END
        self.word: Token | None = None
        self.variable = ""
        self.open = 0
        self.meanings: dict[str, Callable[[Token], Any]] = {
            "NAME": self._attribute,
            "VALUE": self._value,
            "LPAR": self._opens,
            "RPAR": self._closes,
        }

    def read(self, parser: "Lark") -> Any:
        """What the builder of the parser makes of the text."""
        from lark.exceptions import UnexpectedInput

        if len(self.text) > LONGEST:
            raise FormatError(f"a text of {len(self.text):,} characters; at most {LONGEST:,} are read")
        try:
            return self._read_to(len(self.text), parser).feed_eof()
        except UnexpectedInput as error:
            ended = getattr(error, "token", None) == ""
            at = len(self.text) if ended else int(error.pos_in_stream or 0)
        # Once more up to there: the parser has closed some of what was open before it found the word wrong.
        raise self.unexpected(at, self._read_to(at, parser).accepts())

    def _read_to(self, at: int, parser: "Lark") -> Any:
        """The parser as it stands before what is at this place."""
        self.word, self.open = None, 0
        reading: Any = parser.parse_interactive(self.text[:at])
        for token in reading.iter_parse():
            if self.word is not None:
                self._give_meaning(self.word)
            self.word = token if token.type in WAITING else None
            if self.word is None:
                self._give_meaning(token)
        return reading

    def _give_meaning(self, token: "Token") -> None:
        if token.type in self.meanings:
            try:
                token.value = self.meanings[token.type](token)
            except OddlyError as error:
                raise pointed_at(self.text, int(token.start_pos or 0), error) from None

    # ---- what words stand for ----

    def _attribute(self, token: "Token") -> Variable:
        self.variable = unquoted(token)
        if self.variable not in self.by_name:
            raise UnknownName.among("attribute", self.variable, self.by_name)
        return self.by_name[self.variable]

    def _value(self, token: "Token") -> int:
        return self.by_name[self.variable].index(unquoted(token))

    def _opens(self, token: "Token") -> str:
        self.open += 1
        if self.open > DEEPEST:
            raise FormatError(f"more than {DEEPEST} parentheses in each other")
        return token

    def _closes(self, token: "Token") -> str:
        self.open -= 1
        return token

    def unexpected(self, at: int, wanted: set[str]) -> OddlyError:
        """The error of something else than the tokens that may come here."""
        found = _FOUND.match(self.text, at)
        if found is None and at < len(self.text):
            what = "a '!' without its '='" if self.text[at] == "!" else "a quote that is not closed"
            return pointed_at(self.text, at, FormatError(what))
        alone = [phrase for token, phrase in self.alone.items() if token in wanted]
        among = [phrase for token, phrase in self.among.items() if token in wanted]
        expected = alone[0].format(name=self.word, variable=self.variable) if alone else one_of(among)
        if "SIGN" in wanted and found and found["word"]:
            expected += " (a name with spaces is written in quotes)"
        shown = repr(found[0][:40]) if found else "the end"
        return pointed_at(self.text, at, FormatError(f"expected {expected}, found {shown}"))


def unquoted(word: str) -> str:
    """What a word says, without its quotes."""
    if word[:1] in ("'", '"') and re.fullmatch(QUOTED, word):
        return re.sub(r"\\([\s\S])", r"\1", word[1:-1])
    return str(word)


def pointed_at(text: str, at: int, error: OddlyError) -> OddlyError:
    """The error with the text below it and a caret under the place."""
    start = max(at - 60, 0)
    line = "".join(c if c.isprintable() else " " for c in text[start : start + 100])
    error.args = (f"{error}\n    {line}\n    {' ' * (at - start)}^",)
    return error


def _flat(kind: type[All] | type[Some], parts: Sequence[Expression]) -> Expression:
    """The parts joined, those of the same kind taken apart first."""
    inner = [p.parts if isinstance(p, kind) else (p,) for p in parts]
    return kind(tuple(part for parts in inner for part in parts))
