# SPDX-License-Identifier: Apache-2.0
"""The process that works things out: a question a line on stdin, on stdout progress and then the answer.

It ends when stdin does, so that none is left behind. A line {"cancel": true} stops the question at hand at the next
step of its progress; whoever cannot wait for that ends the process.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any, TextIO

from oddly.studio.bench import Bench
from oddly.studio.questions import answered

TELL_EVERY = 0.1  # seconds


class Cancelled(Exception):
    """The question is no longer asked."""


class Desk:
    """The two ends of a worker's pipes."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.cancelled = threading.Event()
        self.told = 0.0

    def listen(self) -> None:
        """Read questions and cancellations as they come; without anyone to answer, end at once."""
        for line in sys.stdin:
            job = json.loads(line)
            if job.get("cancel"):
                self.cancelled.set()
            else:
                self.cancelled.clear()  # it was meant for a question that was answered meanwhile
                self.waiting.put(job)
        os._exit(0)

    def say(self, line: dict[str, Any]) -> None:
        try:
            self.out.write(json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n")
            self.out.flush()
        except BrokenPipeError:  # nobody is there to be answered
            os._exit(0)

    def progress(self, what: str, done: int, total: int) -> None:
        if self.cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self.told >= TELL_EVERY:
            self.told = now
            self.say({"progress": [what, done, total]})


def main() -> None:
    """Answer questions until there are none to come."""
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this by closing stdin
    _bounded()
    sys.set_int_max_str_digits(0)  # counts are exact, however long
    desk = Desk(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # whatever else prints must not get between the lines
    bench = Bench(int(sys.argv[1]), desk.progress, seconds=float(sys.argv[2]))
    threading.Thread(target=desk.listen, daemon=True).start()
    desk.say({"ready": True})
    while True:
        job = desk.waiting.get()
        bench.texts, bench.files = job.get("texts", {}), job.get("files", {})
        try:
            line = answered(bench, job["question"], job["asked"])
        except Cancelled:
            line = {"cancelled": True}
        except Exception as error:
            line = {"error": f"a bug in Oddly, not in your input ({type(error).__name__}: {error}).", "kind": "Bug"}
        desk.say(line)


def _bounded() -> None:
    """Take no more than half of the machine's memory: better an answer that fails than a machine that stands still."""
    try:
        import resource

        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))
    except (ImportError, OSError, ValueError):  # not every system has such limits
        return


if __name__ == "__main__":
    main()
