# SPDX-License-Identifier: Apache-2.0
"""Combinations of features, as a person writes them: `U=+ve or (B=+ve and S=-ve)`.

    expression  = either [ ("->" | "implies") expression ]
    either      = both { "or" both }
    both        = single { "and" single }
    single      = "not" single | "(" expression ")" | feature
    feature     = name ("=" | "!=") value | name ["not"] "in" "{" value { "," value } "}"

Names and values that hold spaces or any of ( ) { } , = ! ' " are written in quotes, and \\ before a quote or a
backslash takes it as it is. A word before = or != is a name and one after it a value, even "or" and "not".

What is read is kept without "not" and "->": a feature is a set of allowed values, so its negation is the others.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oddly.errors import FormatError, OddlyError, UnknownName, UnknownValue
from oddly.model import Variable

DEEPEST = 100  # parentheses in each other; more is a mistake, and would only cost stack


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
    """A text as an expression over these attributes.

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
    return Parser(text, variables).parse()


def quoted(text: str) -> str:
    """A name or value as the language takes it, in quotes if it needs them.

    >>> print(quoted("+ve"), quoted("top left"), quoted('say "x"'))
    +ve "top left" "say \\"x\\""
    """
    if _WORD.fullmatch(text) and text.lower() not in KEYWORDS:
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


KEYWORDS = ("and", "or", "not", "in", "implies")
BINDS = {"->": 1, "or": 2, "and": 3}  # how closely; "not" binds closest, a parenthesis not at all

_WORD = re.compile(r"""(?!["'])(?:(?!->)[^\s=(){},!])+""")
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(r"->|!=|[=(){},]")
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)


@dataclass(frozen=True)
class Token:
    """A word, a sign or the end, and where it stands."""

    at: int
    text: str = ""
    sign: str = ""
    """The sign or keyword it is; none for other words, for what is quoted and for the end."""
    word: str | None = None
    """As a name or value, keywords too; None for signs and the end."""


class Parser:
    """Operators wait on one stack and what they join on another, so that no text can exhaust Python's own."""

    def __init__(self, text: str, variables: Sequence[Variable]) -> None:
        self.text = text
        self.by_name = {v.name: v for v in variables}
        self.tokens = self._tokens()
        self.place = 0
        self.waiting: list[str] = []
        self.found: list[Expression] = []

    def parse(self) -> Expression:
        """The expression that all the tokens make."""
        while True:
            while self._opens():
                self.waiting.append(self.take().sign)
                if self.last.sign == "(" and self.waiting.count("(") > DEEPEST:
                    raise self.error(FormatError(f"more than {DEEPEST} parentheses in each other"), self.last.at)
            self.found.append(self._feature())
            self._negate()
            while self.now.sign == ")":
                self._join(0)
                if not self.waiting:
                    raise self.expected("'and', 'or', '->' or the end")
                self.take()
                self.waiting.pop()
                self._negate()
            sign = "->" if self.now.sign == "implies" else self.now.sign
            if sign not in BINDS:
                break
            self.take()
            self._join(BINDS[sign])
            self.waiting.append(sign)
        self._join(0)
        if self.now.text or self.waiting:
            raise self.expected("'and', 'or', '->' or " + ("')'" if self.waiting else "the end"))
        return self.found[0]

    def _opens(self) -> bool:
        following = self.tokens[min(self.place + 1, len(self.tokens) - 1)].sign
        return self.now.sign == "(" or (self.now.sign == "not" and following not in ("=", "!="))

    def _negate(self) -> None:
        while self.waiting and self.waiting[-1] == "not":
            self.waiting.pop()
            self.found.append(self.found.pop().negated())

    def _join(self, closeness: int) -> None:
        """Join what binds closer than the operator to come; a run of one operator at once."""
        while self.waiting and BINDS.get(self.waiting[-1], -1) > closeness:
            operator, parts = self.waiting[-1], [self.found.pop()]
            while self.waiting and self.waiting[-1] == operator:
                self.waiting.pop()
                part = self.found.pop()
                parts.append(part.negated() if operator == "->" else part)  # a -> b -> c: not a, or not b, or c
            self.found.append(_flat(All if operator == "and" else Some, parts[::-1]))

    # ---- features ----

    def _feature(self) -> Feature:
        name = self.take()
        if name.word is None or (name.sign and self.now.sign not in ("=", "!=")):
            raise self.expected("a feature such as NAME=VALUE", name)
        sign = self.take()
        unlike = sign.sign in ("!=", "not")
        if sign.sign == "not" and self.now.sign == "in":
            sign = self.take()
        if sign.sign not in ("=", "!=", "in"):
            hint = "" if sign.word is None else " (a name with spaces is written in quotes)"
            raise self.expected(f"=, != or in after {name.text}{hint}", sign)
        if name.word not in self.by_name:
            raise self.error(UnknownName.among("attribute", name.word, self.by_name), name.at)
        variable = self.by_name[name.word]
        places = self._set_of(variable) if sign.sign == "in" else {self._value_of(variable)}
        return Feature(variable, tuple((i in places) != unlike for i in range(len(variable.values))))

    def _set_of(self, variable: Variable) -> set[int]:
        if self.take().sign != "{":
            raise self.expected("'{' after in", self.last)
        found = {self._value_of(variable)}
        while self.take().sign == ",":
            found.add(self._value_of(variable))
        if self.last.sign != "}":
            raise self.expected("',' or '}'", self.last)
        return found

    def _value_of(self, variable: Variable) -> int:
        token = self.take()
        if token.word is None:
            raise self.expected(f"a value of {variable.name}", token)
        if token.word not in variable.values:
            raise self.error(UnknownValue.of(variable.name, token.word, variable.values), token.at)
        return variable.values.index(token.word)

    # ---- tokens, and what is wrong with them ----

    @property
    def now(self) -> Token:
        return self.tokens[self.place]

    @property
    def last(self) -> Token:
        return self.tokens[self.place - 1]

    def take(self) -> Token:
        self.place += 1
        return self.last

    def _tokens(self) -> list[Token]:
        found: list[Token] = []
        at = 0
        while at < len(self.text):
            if match := _SPACE.match(self.text, at):
                pass
            elif match := _SIGN.match(self.text, at):
                found.append(Token(at, match[0], sign=match[0]))
            elif match := _QUOTED.match(self.text, at):
                found.append(Token(at, match[0], word=re.sub(r"\\(.)", r"\1", match[0][1:-1], flags=re.DOTALL)))
            elif match := _WORD.match(self.text, at):
                keyword = match[0].lower() if match[0].lower() in KEYWORDS else ""
                found.append(Token(at, match[0], keyword, match[0]))
            else:
                what = "a '!' without its '='" if self.text[at] == "!" else "a quote that is not closed"
                raise self.error(FormatError(what), at)
            at = match.end()
        return [*found, *[Token(len(self.text))] * 4]  # more ends than any rule looks ahead

    def expected(self, what: str, found: Token | None = None) -> OddlyError:
        token = found or self.now
        shown = repr(token.text[:40]) if token.text else "the end"
        return self.error(FormatError(f"expected {what}, found {shown}"), token.at)

    def error(self, error: OddlyError, at: int) -> OddlyError:
        return pointed_at(self.text, at, error)


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
