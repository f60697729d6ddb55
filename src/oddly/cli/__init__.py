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
from importlib import import_module
from inspect import getdoc
from typing import Any, NoReturn

from cyclopts import App

import oddly
from oddly.cli import failures
from oddly.cli.options import NO_LIMITS, Limits
from oddly.cli.output import CLOSED_PIPE, ProgressBar, prepare_streams, settle_stdout
from oddly.runtime import limited

COMMANDS = {
    "demo": ("demo:run", "Take the tour, on models that come with Oddly."),
    "learn": ("learn:run", "Learn a naive Bayes model, or one with dependencies, from a table."),
    "info": ("files:info", "Say what is in a model file."),
    "convert": ("files:convert", "Write a model in another format."),
    "export": ("export:run", "Write a decision as SQL, source code, or a diagram for other programs."),
    "compile": ("compile:run", "Turn a model into its diagram."),
    "show": ("show:run", "Draw a diagram, as text, a picture (SVG, PNG, PDF) or DOT."),
    "classify": ("classify:run", "Decide every row of a table, or one case."),
    "count": ("inputs:count", "Count the inputs of each decision, and say how likely each is."),
    "explain": ("cases:explain", "Why is this input decided so?"),
    "change": ("cases:change", "What would change this decision?"),
    "diff": ("pairs:diff", "Compare two classifiers on every possible input."),
    "allow": ("numbers:allow", "How far may each number move before any decision changes?"),
    "regimes": ("numbers:regimes", "How many different classifiers can changing the prior make?"),
    "round": ("numbers:rounded", "Round a model's numbers to one digit, two, three…, until no decision changes."),
    "rows": ("numbers:rows", "Would learning from one more row change the decision on any input?"),
    "must": ("inputs:must", "Do all inputs of a decision have these features?"),
    "check": ("check:run", "Does every decision obey these rules?"),
    "gate": ("gate:run", "May the new model take the old one's place?"),
    "fair": ("inputs:fair", "Does any decision hinge on protected attributes, and are groups decided alike?"),
    "robust": ("inputs:robust", "How robust is the classifier?"),
    "ask": ("cases:ask", "May I stop testing, and which test should come next?"),
    "importance": ("inputs:importance", "Which attributes matter?"),
    "scorecard": ("numbers:scorecard", "The smallest whole-number points that make exactly the same decisions."),
    "combine": (
        "pairs:combine",
        "Combine classifiers: positive where both are, where either is, whatever one attribute says.",
    ),
    "report": ("report:run", "Write one page with all that was asked of a classifier."),
    "studio": ("studio:run", "Open a page on this machine to look at a model, change it, compare it and ask it."),
    "order": ("compile:order", "Search for an order of the attributes that makes the diagram smaller."),
}
"""Where each command is, which is imported only to run it, and the first sentence of its help."""

OWN_LIMITS = ("report", "scorecard")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default the process's own, and return its exit code; no exception leaves here."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    sys.set_int_max_str_digits(0)  # counts are exact, however long
    prepare_streams()
    ended: list[int] = []
    heard = _hear_endings(ended)
    try:
        code = _run(tokens)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # the latter is what rich makes of the former
        code = CLOSED_PIPE
    except Ended:
        code = 0
    except BaseException as error:
        code = failures.report(error, tokens)
    for number, before in heard.items():
        signal.signal(number, before)
    code = 128 + ended[0] if ended else code  # even if the word was lost in a destructor or a callback
    settle_stdout()
    if arguments is None and threading.active_count() > 1:
        _leave(code)
    return code


def command(name: str) -> Callable[..., int]:
    """The command of this name."""
    module, _, function = COMMANDS[name][0].partition(":")
    found: Callable[..., int] = getattr(import_module(f"oddly.cli.{module}"), function)
    return found


def _run(tokens: Sequence[str]) -> int:
    """One command, within the limits it was given; those of OWN_LIMITS are for each of its parts."""
    asked = next((token for token in tokens if token in COMMANDS), "")
    run, bound, _ = _app(asked).parse_args(list(tokens), exit_on_error=False, print_error=False)
    options = [getattr(value, "limits", value) for value in bound.arguments.values()]
    limits = next((found for found in options if isinstance(found, Limits)), NO_LIMITS)
    with limited({} if asked in OWN_LIMITS else limits.arguments(), orders=True), ProgressBar():
        return int(run(*bound.args, **bound.kwargs) or 0)


class Ended(BaseException):
    """Somebody asked the process to end: what is half-written is removed on the way out."""


def _hear_endings(ended: list[int]) -> dict[int, Any]:
    """End as Ctrl-C does when the terminal closes or the process is told to; what was set before, to be set again."""
    if threading.current_thread() is not threading.main_thread():
        return {}

    def end(number: int, frame: object) -> NoReturn:
        ended.append(number)
        raise Ended

    asked = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    return {number: signal.signal(number, end) for number in asked if signal.getsignal(number) is signal.SIG_DFL}


def _app(asked: str) -> App:
    """All commands, the one that is asked for with the whole of its help: its docstring, which ends with examples."""
    app = App(
        name="oddly",
        help="Ask a classifier about every possible input at once, exactly.",
        help_epilogue="Start with:  oddly demo\nOne command:  oddly compile --help",
        help_format="plaintext",
        version=f"oddly {oddly.__version__}",
        suppress_keyboard_interrupt=False,
    )
    for place, (name, (home, sentence)) in enumerate(COMMANDS.items()):
        if name != asked:
            app.command(f"oddly.cli.{home}", name=name, help=sentence, sort_key=place)
            continue
        text, _, examples = (getdoc(command(name)) or "").partition("\n\nExample:\n")
        # a terminal of any width breaks the lines of a paragraph
        paragraphs = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
        app.command(command(name), name=name, help=paragraphs, help_epilogue=f"Example:\n{examples}", sort_key=place)
    return app


def _leave(code: int) -> NoReturn:
    """End at once: an orderly exit would wait for, or trip over, threads that are still inside a kernel."""
    sys.stderr.flush()
    os._exit(code)
