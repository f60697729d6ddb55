# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as a sentence and an exit code; nobody sees a traceback for a mistake of their own."""

import os
import re
import traceback
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from shlex import quote

from cyclopts import CycloptsError, MissingArgumentError, UnusedCliTokensError

from oddly.cli.output import emit_json, note
from oddly.errors import OddlyError, TooLarge
from oddly.formats.text import comma_text

WRONG_INPUT, UNDECIDED, OUR_BUG, INTERRUPTED = 2, 3, 70, 130


def report(error: BaseException, tokens: Sequence[str]) -> int:
    """Say what went wrong, to a person on stderr and with --json to a program on stdout."""
    code, sentence = _verdict(error, tokens)
    note(f"oddly: {sentence}")
    if os.environ.get("ODDLY_TRACEBACK"):
        traceback.print_exception(error)
    if "--json" in tokens:
        with suppress(OSError):  # it may be stdout itself that went wrong
            emit_json({"error": sentence, "kind": type(error).__name__, "exit_code": code})
    return code


def _verdict(error: BaseException, tokens: Sequence[str]) -> tuple[int, str]:
    if isinstance(error, OddlyError):
        sentence = str(error)
        return error.exit_code, in_options(sentence, tokens) if isinstance(error, TooLarge) else sentence
    if isinstance(error, CycloptsError):
        return WRONG_INPUT, _usage(error, tokens)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    if isinstance(error, MemoryError):
        return UNDECIDED, "out of memory.  Try --order best-of:100, or a machine with more."
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return WRONG_INPUT, f"{place}{error.strerror or error}"
    hint = "" if os.environ.get("ODDLY_TRACEBACK") else " and what it prints with ODDLY_TRACEBACK=1 set"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return OUR_BUG, f"a bug in Oddly, not in your input ({what}).  Please report it, with the command{hint}."


def _usage(error: CycloptsError, tokens: Sequence[str]) -> str:
    """The parser's sentence; where a value's leading dash misled it, also how to write such a value."""
    sentence = str(error)
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        sentence = f"Unexpected argument {error.unused_tokens[0]!r}."
    for option, following in pairwise(tokens):
        if isinstance(error, MissingArgumentError) and error.keyword == option and following.startswith("-"):
            sentence += f"  A value that starts with a dash is written {option}={following}."
    return f"{sentence}  See {' '.join(['oddly', *(error.command_chain or ())])} --help."


Advice = Mapping[str, str | Callable[[re.Match[str]], str]]
IN_OPTIONS: Advice = {
    r"oddly\.compile\(model, (order=.*?\))\) first": r"\1",
    r"order=oddly\.best_of\((\d+)\)": r"--order best-of:\1",
    r"\bmax_(nodes|memory)=": r"--max-\1 ",
    r"\bseconds=": "--seconds ",
    r"\b(most|jobs)=": r"--\1 ",
    r"\b(order|under)='(\w+)'": r"--\1 \2",
    r"\bodd\.restrict\(\.\.\.\)": "--given NAME=VALUE",
    r"\breduced=True": "without --levels",
    r"(--[a-z-]+ )([\d_]+)\b": lambda found: found[1] + found[2].replace("_", ""),
    r"\battributes=(\['.*?'\])(?=, which)": lambda found: f"--attributes {quote(comma_text(literal_eval(found[1])))}",
}


WITHOUT_ORDER = ("diff", "combine", "rows", "round")


def in_options(sentence: str, tokens: Sequence[str] = ()) -> str:
    """The advice of an error, which names Python's arguments, as one types it here."""
    sentence = rewritten(sentence, IN_OPTIONS)
    if tokens and tokens[0] in WITHOUT_ORDER:
        sentence = re.sub(r"(--order best-of:\d+)", r"oddly compile \1 first", sentence)
    if tokens and tokens[0] == "order":  # which searches by itself
        sentence = re.sub(r"--order best-of:\d+(, or )?", "", sentence)
    return sentence


def rewritten(sentence: str, advice: Advice) -> str:
    """A sentence with each pattern replaced."""
    for argument, option in advice.items():
        sentence = re.sub(argument, option, sentence)
    return sentence
