# SPDX-License-Identifier: Apache-2.0
"""Rules as a person writes them, on a command line or in a file, one a line.

    rule  = "monotone" ("up" | "down") "in" name [ "for" label ] [ ":" value { "<" value } ] [ "if" condition ]
          | "ignores" name { ("," | "and") name } [ "if" condition ]
          | "if" condition "then" [ "not" ] label
          | ("always" | "never") label [ "if" condition ]
          | label "only" "if" condition
          | "agrees" "with" file [ "within" number ] [ "under" ("model" | "baseline" | "uniform" | file) ]
                [ "if" condition ]

A condition is a combination of features (`oddly.algebra.expressions`). Names, values, labels and files that hold
spaces, or a sign that would end them, are written in quotes.
"""

import re
from pathlib import Path
from typing import Any

from oddly.algebra.expressions import Expression, Parser, Token, pointed_at
from oddly.diagram import ODD
from oddly.errors import FormatError, OddlyError, UnknownName, UnknownValue, listed
from oddly.questions.check.rules import (
    Agrees,
    Ignores,
    Implies,
    Monotone,
    Rule,
    agrees,
    always,
    attribute_of,
    if_then,
    ignores,
    monotone,
    never,
    only_if,
)

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
    words = _Words(text, odd)
    first = words.peek().lower()
    if first == "monotone":
        return words.monotone()
    if first == "ignores":
        return words.ignores()
    if first == "agrees":
        return words.agrees(folder)
    return _Conditional(text, odd).rule()


# ---- rules of words; a condition may come last ----

_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)


class _Words:
    """A text word by word; a sign ends a word only where the rule has one."""

    def __init__(self, text: str, odd: ODD) -> None:
        self.text, self.odd = text, odd
        self.at = self.last = 0

    def monotone(self) -> Monotone:
        self.keyword("monotone")
        direction: Any = self.keyword("up", "down")
        self.keyword("in")
        name = self.name(":")
        label = self.label(":") if self.follows("for") else None
        if not self.sign(":"):
            return monotone(name, direction, label=label, condition=self.condition("'for', ':', 'if' or the end"))
        values = [self.value(name)]
        while self.sign("<"):
            values.append(self.value(name))
        condition = self.condition("'<', 'if' or the end")
        return monotone(name, direction, order=values, label=label, condition=condition)

    def ignores(self) -> Ignores:
        self.keyword("ignores")
        names = [self.name(",")]
        while self.sign(",") or self.follows("and"):
            names.append(self.name(","))
        return ignores(*names, condition=self.condition("',', 'and', 'if' or the end"))

    def agrees(self, folder: Path | None) -> Agrees:
        self.keyword("agrees")
        self.keyword("with")
        baseline = beside(self.word("a file"), folder)
        within, under = "0", None
        if self.follows("within"):
            within = self.word("a probability")
            try:
                agrees(baseline, within)
            except OddlyError as error:
                raise self.error(error) from None
        if self.follows("under"):
            under = self.word("'model', 'baseline', 'uniform' or a file of rows")
            under = under if under in DISTRIBUTIONS else beside(under, folder)
        return agrees(baseline, within, under, condition=self.condition("'within', 'under', 'if' or the end"))

    def condition(self, what: str) -> Expression | None:
        """All that follows "if"; or else this must be the end."""
        if self.follows("if"):
            return _Last(self.text, self.at, self.odd).parse()
        if self.peek():
            self.last = self.at
            raise self.expected(what)
        return None

    # ---- words ----

    def peek(self, ends: str = "") -> str:
        """The next word as it stands, quotes and all; nothing at the end."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        found = _QUOTED.match(self.text, self.at) or re.compile(rf"[^\s{ends}]*").match(self.text, self.at)
        return found[0] if found else ""

    def word(self, what: str, ends: str = "") -> str:
        found = self.peek(ends)
        self.last = self.at
        if not found:
            raise self.expected(what)
        self.at += len(found)
        if _QUOTED.fullmatch(found):
            return re.sub(r"\\(.)", r"\1", found[1:-1], flags=re.DOTALL)
        return found

    def keyword(self, *words: str) -> str:
        """The one of these words that must follow."""
        found = self.peek(":,").lower()
        if found not in words:
            self.last = self.at
            raise self.expected(" or ".join(f"'{word}'" for word in words))
        return self.word("a word", ":,").lower()

    def follows(self, word: str) -> bool:
        """Whether this word follows; then it is taken."""
        return self.peek(":,").lower() == word and bool(self.keyword(word))

    def sign(self, sign: str) -> bool:
        self.peek()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def name(self, ends: str) -> str:
        found = self.word("an attribute", ends)
        try:
            return attribute_of(self.odd, found).name
        except UnknownName as error:
            raise self.error(error) from None

    def label(self, ends: str) -> str:
        found = self.word("a decision", ends)
        try:
            return label_among(self.odd, found)
        except UnknownValue as error:
            raise self.error(error) from None

    def value(self, name: str) -> str:
        found = self.word(f"a value of {name}", "<")
        try:
            attribute_of(self.odd, name).index(found)
        except UnknownValue as error:
            raise self.error(error) from None
        return found

    def expected(self, what: str) -> OddlyError:
        found = repr(self.peek()[:40]) if self.peek() else "the end"
        return self.error(FormatError(f"expected {what}, found {found}"))

    def error(self, error: OddlyError) -> OddlyError:
        """The error with the text below it and a caret under the last word."""
        return pointed_at(self.text, self.last, error)


# ---- conditions, and rules that begin with one or with a decision ----


class _Last(Parser):
    """The parser of conditions, for the end of a text; mistakes are shown in the whole of it."""

    def __init__(self, text: str, at: int, odd: ODD) -> None:
        self.whole = text
        super().__init__(" " * at + text[at:], odd.variables)

    def error(self, error: OddlyError, at: int) -> OddlyError:
        return pointed_at(self.whole, at, error)


class _Conditional(Parser):
    """The parser of conditions, with the words of a rule around them."""

    def __init__(self, text: str, odd: ODD) -> None:
        super().__init__(text, odd.variables)
        self.odd = odd

    def rule(self) -> Implies:
        first = self.now
        word = "" if first.text != first.word else first.text.lower()
        if word == "if":
            return self._if_then()
        if word in ("always", "never"):
            self.take()
            label = self._label()
            condition = None if self.now.text == "" else self._condition(self._past("if"))
            return (always if word == "always" else never)(label, condition)
        if first.word is None or not self._only_follows():
            raise self.expected(KINDS, first)
        label = self._label()
        self._past("only")
        return only_if(label, self._condition(self._past("if")))

    def _if_then(self) -> Implies:
        start = self._past("if")
        places = [i for i, token in enumerate(self.tokens) if self._is(token, "then")]
        free = [
            i
            for i in places
            if self.tokens[i - 1].sign not in ("=", "!=") and self.tokens[i + 1].sign not in ("=", "!=")
        ]
        if not free:
            raise self.expected("'then' and a decision", self.tokens[-1])
        condition = self._condition(start, free[-1])
        self.place = free[-1] + 1
        negative = self.now.sign == "not"
        if negative:
            self.take()
        label = self._label()
        if self.now.text:
            raise self.expected("the end")
        return never(label, condition) if negative else if_then(condition, label)

    def _condition(self, start: int, stop: int | None = None) -> Expression:
        """The tokens from start to stop, or to the end, as an expression."""
        whole = self.tokens
        stop = len(whole) - 4 if stop is None else stop
        self.tokens = [*whole[start:stop], *[Token(whole[stop].at)] * 4]
        self.place = 0
        found = self.parse()
        self.tokens, self.place = whole, stop
        return found

    def _label(self) -> str:
        token = self.take()
        if token.word is None:
            raise self.expected("a decision", token)
        try:
            return label_among(self.odd, token.word)
        except UnknownValue as error:
            raise self.error(error, token.at) from None

    def _only_follows(self) -> bool:
        return self._is(self.tokens[1], "only")

    def _past(self, word: str) -> int:
        """The place after a word that must come now."""
        if not self._is(self.now, word):
            raise self.expected(f"'{word}'")
        self.take()
        return self.place

    @staticmethod
    def _is(token: Token, word: str) -> bool:
        return token.text == token.word and token.text.lower() == word


def beside(name: str, folder: Path | None) -> str:
    """A file's name as seen from a folder; an example is nowhere else."""
    return name if folder is None or name.startswith("example:") else str(folder / name)


def label_among(odd: ODD, label: str) -> str:
    """The label, or an error that says which there are."""
    if label not in odd.labels:
        raise UnknownValue(f"no decision {label!r}.  The decisions are {listed(odd.labels)}.")
    return label
