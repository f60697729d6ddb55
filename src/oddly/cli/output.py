# SPDX-License-Identifier: Apache-2.0
"""What the commands print: answers to stdout, notes to stderr, styled only on a terminal."""

import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.answers.blocks import Block, Facts
from oddly.answers.terminal import lines

if TYPE_CHECKING:
    from oddly.answers import Answer

NARROWEST = 20  # columns of a terminal that help is laid out for
CLOSED_PIPE = 141  # the exit code of a program that stops because nobody reads on, as after `| head`


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
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data)


def save_text(text: str, path: Path) -> None:
    """Write a text to a file, whole or not at all."""
    from oddly.formats.text import written_safely

    with written_safely(path) as file:
        file.write(text.encode())


def note(sentence: str) -> None:
    """A word to the person, beside the answer; if nobody listens, none."""
    with suppress(OSError):
        print(sentence, file=sys.stderr)


def show(answer: "Answer", most: int | None = None) -> None:
    """An answer as it is laid out; `most` is how many rows or cases a list shows."""
    lay_out(answer.blocks(most))


def lay_out(blocks: Iterable[Block]) -> None:
    """Blocks, line by line."""
    for head, rest in lines(blocks):
        _line(head, rest)


def facts(rows: Iterable[tuple[str, str]]) -> None:
    """One fact a line, its name in the first column."""
    lay_out([Facts("", tuple(rows))])


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
    if not on_terminal():
        print((head + rest).rstrip())
        return
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text.assemble((head, "bold"), rest), soft_wrap=True)
