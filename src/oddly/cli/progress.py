# SPDX-License-Identifier: Apache-2.0
"""A bar on stderr for work that takes a while, and nothing at all where no one watches.

Everything asked `with Bar():` tells it how far it is.
"""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from oddly.runtime import within

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5  # seconds before a bar appears


class ProgressBar:
    """The `progress=` of the library as a bar: called with (what, done, total)."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.shown: tuple[Progress, TaskID] | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self.shown is None:
            if not sys.stderr.isatty() or time.perf_counter() - self.started < PATIENCE:
                return
            self.shown = _start(what, total)
        progress, task = self.shown
        progress.update(task, description=what, completed=done, total=total)

    def __enter__(self) -> Self:
        self.door = within({"progress": self})
        self.door.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.door.__exit__(None, None, None)
        if self.shown is not None:
            self.shown[0].stop()


def _start(what: str, total: int) -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=total)
    progress.start()
    return progress, task
