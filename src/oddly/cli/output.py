# SPDX-License-Identifier: Apache-2.0
"""What the commands print: answers to stdout, notes and a bar for work that takes a while to stderr, styled only on a
terminal."""

import errno
import io
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from oddly.answers import Answer
from oddly.answers.blocks import Block, Facts
from oddly.answers.terminal import lines
from oddly.runtime import current, limited

NARROWEST = 20  # columns of a terminal that help is laid out for
CLOSED_PIPE = 141  # the exit code of a program that stops because nobody reads on, as after `| head`
PATIENCE = 0.5  # seconds before a bar appears


class ProgressBar:
    """Everything asked `with ProgressBar():` tells it how far it is: a bar on stderr, and nothing where no one watches."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.shown: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """The `progress=` of the library."""
        if self.shown is None:
            if not sys.stderr.isatty() or time.perf_counter() - self.started < PATIENCE:
                return
            self._start()
        self.shown.update(self.shown.task_ids[0], description=what, completed=done, total=total)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.shown.add_task("")
        self.shown.start()

    def stop(self) -> None:
        """Make room for what is printed; work that goes on has a bar again after a while."""
        if self.shown is not None:
            self.shown.stop()
        self.started, self.shown = time.perf_counter(), None

    def __enter__(self) -> Self:
        self.door = limited({"progress": self})
        self.door.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.door.__exit__(None, None, None)
        self.stop()


def _stop_bar() -> None:
    bar = current().progress
    if isinstance(bar, ProgressBar):
        bar.stop()


class _Closed(io.TextIOBase):
    """The place of a standard output that is closed: an answer that nobody can get is an error."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed, so the answer cannot be given")


def prepare_streams() -> None:
    """Make printing safe: notes that nobody hears are swallowed, and a stream that lacks a letter replaces it."""
    if (
        not os.environ.get("COLUMNS", str(NARROWEST)).isdecimal()
        or int(os.environ.get("COLUMNS", NARROWEST)) < NARROWEST
    ):
        del os.environ["COLUMNS"]  # no terminal is so narrow, and tables would be laid out for ever
    sys.stdout = sys.stdout or _Closed()
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def settle_stdout() -> None:
    """Write out what is buffered, or drop it if nobody takes it, so that the flush at exit stays quiet."""
    try:
        sys.stdout.flush()
    except OSError:
        if isinstance(sys.stdout, _Closed):
            return
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_json(answer: Mapping[str, Any]) -> None:
    """The one JSON object of a command."""
    emit(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")


def emit(data: str) -> None:
    """Data for another program to stdout: UTF-8, whatever the terminal speaks."""
    _stop_bar()
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data)


def save(data: bytes, path: Path) -> None:
    """Write a file, whole or not at all."""
    from oddly.formats.text import written_safely

    with written_safely(path) as file:
        file.write(data)


def note(sentence: str) -> None:
    """A word to the person, beside the answer; if nobody listens, none."""
    _stop_bar()
    with suppress(OSError, MemoryError, SystemError):  # the last is what printing without memory can end in
        print(sentence, file=sys.stderr)


def show(answer: Answer, as_json: bool, most: int | None = None, exact: bool = False, **more: Any) -> None:
    """An answer, for a program or as it is laid out; `most` is how many rows or cases a list shows."""
    if as_json:
        emit_json(answer.to_json(exact) | more)
    else:
        lay_out(answer.blocks(most))


def verdict(answer: Answer, as_json: bool, most: int | None = None, exact: bool = False) -> int:
    """Show an answer; the exit code is its verdict."""
    show(answer, as_json, most, exact)
    return 0 if answer else 1


def state(told: Mapping[str, Any], rows: Iterable[tuple[str, str]], as_json: bool) -> None:
    """What is no answer to a question: for a program, or one fact a line, its name in the first column."""
    if as_json:
        emit_json(told)
    else:
        lay_out([Facts("", tuple(rows))])


def lay_out(blocks: Iterable[Block]) -> None:
    """Blocks, line by line."""
    for head, rest in lines(blocks):
        _line(head, rest)


def heading(title: str) -> None:
    """A line that starts a part."""
    _line(title, "")


def bars(numbers: Sequence[int]) -> str:
    """Numbers as a row of bars, for a glance.

    >>> bars([1, 2, 4, 8, 4, 2])
    '▁▂▄█▄▂'
    """
    top = max(numbers, default=1)
    return "".join("▁▂▃▄▅▆▇█"[max(-(-8 * number // top) - 1, 0)] for number in numbers)


def seconds(elapsed: float) -> str:
    """A duration as a person says it."""
    return f"{elapsed:.3f} s" if elapsed < 1 else f"{elapsed:.1f} s"


def on_terminal() -> bool:
    return sys.stdout.isatty()


def _line(head: str, rest: str) -> None:
    _stop_bar()
    if not on_terminal():
        print((head + rest).rstrip())
        return
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text.assemble((head, "bold"), rest), soft_wrap=True)
