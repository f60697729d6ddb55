# SPDX-License-Identifier: Apache-2.0
"""Grammars, and their errors as a person would put them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oddly.errors import FormatError
from oddly.formats.text import Source, short

if TYPE_CHECKING:
    from lark import Lark

NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?![\w.])"
NUMBERS = rf"{NUMBER}(?:(?:\s++,?+\s*+|,\s*+){NUMBER})*+"
"""Numbers with spaces or commas between, as one token: a table of a hundred thousand is one match, not as many."""


def parser(grammar: str, builder: Any) -> "Lark":
    """An LALR parser that calls the builder's methods, named as the grammar's rules, as it goes."""
    from lark import Lark

    return Lark(grammar, parser="lalr", lexer="contextual", transformer=builder)


def parse(parser: "Lark", source: Source, names: Mapping[str, str]) -> Any:
    """What the text says; `names` are what an error calls the grammar's tokens."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    try:
        return parser.parse(source.text)
    except UnexpectedToken as error:
        end = error.token.type == "$END"
        at = len(source.text.rstrip()) if end else int(error.token.start_pos or 0)
        found = "the end of the file" if end else _found(source.text, at)
        raise source.error(at, f"expected {_listed(error.accepts or error.expected, names)}, found {found}") from None
    except UnexpectedCharacters as error:
        at = int(error.pos_in_stream or 0)
        wanted = _listed(error.allowed or (), names)
        raise source.error(at, f"expected {wanted}, found {_found(source.text, at)}") from None
    except UnexpectedInput as error:
        raise FormatError(f"{source.name}: {error}") from None


def _found(text: str, at: int) -> str:
    word = re.compile(r"[\w.+\-]{1,40}|.", re.DOTALL).match(text, at)
    return short(word[0]) if word else "the end of the file"


def _listed(tokens: Iterable[str], names: Mapping[str, str]) -> str:
    known = sorted({names.get(token, token.lower()) for token in tokens if token not in ("$END", "IGNORED")})
    return one_of(known) if known else "the end of the file"


def one_of(phrases: Sequence[str]) -> str:
    """The phrases, as one lists alternatives.

    >>> one_of(["a name", "a number", "the end"])
    'a name, a number or the end'
    """
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"
