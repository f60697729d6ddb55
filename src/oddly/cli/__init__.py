# SPDX-License-Identifier: Apache-2.0
"""The command line: `oddly COMMAND`.

Each command shows the answer of one library call and returns an exit code: 0 it holds, 1 it does not. What
goes wrong on the way becomes a sentence and one of the other codes here, in `main`.
"""

import os
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

from cyclopts import App, CycloptsError

from oddly.cli import classify, compile, demo, learn, order, show
from oddly.cli.output import emit_json, note
from oddly.errors import OddlyError

WRONG_INPUT, UNDECIDED, OUR_BUG, INTERRUPTED, CLOSED_PIPE = 2, 3, 70, 130, 141

COMMANDS = {
    "demo": demo,
    "learn": learn,
    "compile": compile,
    "show": show,
    "classify": classify,
    "order": order,
}
"""Each module has its command as `run`, and as `EXAMPLE` what its help ends with."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default the process's own, and return its exit code; no exception leaves here."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    sys.set_int_max_str_digits(0)  # counts are exact, however long
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = int(_app()(tokens, exit_on_error=False, print_error=False, result_action="return_value") or 0)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # the latter is what rich makes of the former
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the flush at exit needs somewhere to go
        code = CLOSED_PIPE
    except BaseException as error:
        code = _report(error, tokens)
    if arguments is None and threading.active_count() > 1:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End at once: an orderly exit would wait for, or trip over, threads that are still inside a kernel."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _app() -> App:
    from oddly import __version__

    app = App(
        name="oddly",
        help="Ask a classifier about every possible input at once, exactly.",
        help_epilogue="Start with:  oddly demo\nOne command:  oddly compile --help",
        help_format="plaintext",
        version=f"oddly {__version__}",
        suppress_keyboard_interrupt=False,
    )
    for place, (name, module) in enumerate(COMMANDS.items()):
        app.command(module.run, name=name, help_epilogue=module.EXAMPLE, sort_key=place)
    return app


def _report(error: BaseException, tokens: Sequence[str]) -> int:
    """Say what went wrong, to a person on stderr and with --json to a program on stdout."""
    code, sentence = _verdict(error, tokens)
    note(f"oddly: {sentence}")
    if os.environ.get("ODDLY_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    if "--json" in tokens:
        emit_json({"error": sentence, "kind": type(error).__name__, "exit_code": code})
    return code


def _verdict(error: BaseException, tokens: Sequence[str]) -> tuple[int, str]:
    if isinstance(error, OddlyError):
        return error.exit_code, _in_options(str(error))
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
    from cyclopts import MissingArgumentError

    sentence = str(error)
    for option, following in pairwise(tokens):
        if isinstance(error, MissingArgumentError) and error.keyword == option and following.startswith("-"):
            sentence += f"  A value that starts with a dash is written {option}={following}."
    return sentence


def _in_options(sentence: str) -> str:
    """The advice of an error, which names Python's arguments, in the command line's words."""
    import re

    sentence = sentence.replace("order=oddly.best_of(", "--order best-of:").replace("), or max_", ", or max_")
    return re.sub(r"max_(nodes|memory)=([\d_]+)", lambda m: f"--max-{m[1]} {m[2].replace('_', '')}", sentence)
