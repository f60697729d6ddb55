# SPDX-License-Identifier: Apache-2.0
"""The command line: `oddly COMMAND`.

Each command shows the answer of one library call and returns an exit code: 0 it holds, 1 it does not. What
goes wrong on the way becomes a sentence and one of the other codes (`failures`).
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from cyclopts import App

from oddly.cli import (
    allow,
    ask,
    change,
    check,
    classify,
    combine,
    compile,
    convert,
    count,
    demo,
    diff,
    explain,
    failures,
    fair,
    importance,
    info,
    learn,
    must,
    order,
    regimes,
    report,
    robust,
    round,
    rows,
    scorecard,
    show,
    studio,
)
from oddly.cli.options import NO_LIMITS, Limits
from oddly.cli.output import CLOSED_PIPE, prepare_streams, settle_stdout
from oddly.runtime import within

COMMANDS = {
    "demo": demo,
    "learn": learn,
    "info": info,
    "convert": convert,
    "compile": compile,
    "show": show,
    "classify": classify,
    "count": count,
    "explain": explain,
    "change": change,
    "diff": diff,
    "allow": allow,
    "regimes": regimes,
    "round": round,
    "rows": rows,
    "must": must,
    "check": check,
    "fair": fair,
    "robust": robust,
    "ask": ask,
    "importance": importance,
    "scorecard": scorecard,
    "combine": combine,
    "report": report,
    "studio": studio,
    "order": order,
}
"""Each module has its command as `run`, and as `EXAMPLE` what its help ends with."""

OWN_LIMITS = (report.run, scorecard.run)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default the process's own, and return its exit code; no exception leaves here."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    sys.set_int_max_str_digits(0)  # counts are exact, however long
    prepare_streams()
    heard = _hear_endings()
    try:
        code = _run(tokens)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # the latter is what rich makes of the former
        code = CLOSED_PIPE
    except Ended as error:
        code = 128 + error.number
    except BaseException as error:
        code = failures.report(error, tokens)
    for number, before in heard.items():
        signal.signal(number, before)
    settle_stdout()
    if arguments is None and threading.active_count() > 1:
        _leave(code)
    return code


def _run(tokens: Sequence[str]) -> int:
    """One command, within the limits it was given; those of OWN_LIMITS are for each of its parts."""
    command, bound, _ = _app().parse_args(list(tokens), exit_on_error=False, print_error=False)
    options = [getattr(value, "limits", value) for value in bound.arguments.values()]
    limits = next((found for found in options if isinstance(found, Limits)), NO_LIMITS)
    with within({} if command in OWN_LIMITS else limits.arguments(), orders=True):
        return int(command(*bound.args, **bound.kwargs) or 0)


class Ended(BaseException):
    """Somebody asked the process to end: what is half-written is removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _hear_endings() -> dict[int, Any]:
    """End as Ctrl-C does when the terminal closes or the process is told to; what was set before, to be set again."""
    if threading.current_thread() is not threading.main_thread():
        return {}

    def end(number: int, frame: object) -> NoReturn:
        raise Ended(number)

    asked = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    return {number: signal.signal(number, end) for number in asked if signal.getsignal(number) is signal.SIG_DFL}


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
        app.command(module.run, name=name, help=_paragraphs(module.run), help_epilogue=module.EXAMPLE, sort_key=place)
    return app


def _paragraphs(command: Callable[..., int]) -> str:
    """A docstring as paragraphs, for a terminal of any width to break."""
    return "\n\n".join(" ".join(part.split()) for part in (command.__doc__ or "").split("\n\n"))


def _leave(code: int) -> NoReturn:
    """End at once: an orderly exit would wait for, or trip over, threads that are still inside a kernel."""
    sys.stderr.flush()
    os._exit(code)
