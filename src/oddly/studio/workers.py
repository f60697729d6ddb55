# SPDX-License-Identifier: Apache-2.0
"""Worker processes: each question has one to itself, for so long and no longer.

A question that nobody waits for any more is stopped: first politely, so that the worker keeps what it has compiled, then by
ending its process.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

from oddly.studio.shelf import Folder, Kept

Line = dict[str, Any]

LONGEST_LINE = 1 << 28
CLOSED = "The studio is being closed."
POLITELY = 0.3  # seconds that a cancelled worker has to say so


class Workers:
    """At most `most` processes, the one that was used last first, since it remembers most."""

    def __init__(self, most: int = 3, seconds: float = 60.0, max_nodes: int = 2_000_000) -> None:
        self.seconds = seconds
        self.max_nodes = max_nodes
        self.slots = asyncio.Semaphore(most)
        self.idle: list[Process] = []
        self.all: set[Process] = set()
        self.recovering: set[asyncio.Task[None]] = set()
        self.closed = False
        self.folder = Folder()

    async def ask(
        self, question: str, asked: Line, known: Mapping[str, Kept], times: int = 1
    ) -> AsyncGenerator[Line, None]:
        """Progress as it comes, then {"answer": ...} or {"error": ...}; of several parts, each has its time."""
        await self.slots.acquire()
        worker: Process | None = None
        done = False
        try:
            if self.closed:
                done = True
                self._release(None)
                yield {"error": CLOSED, "kind": "Closed"}
                return
            worker = await self._worker()
            with suppress(OSError):  # one that is no more is noticed when it does not answer
                await _send(worker, {"question": question, "asked": asked, **_sorted(known)})
            seconds = self.seconds * times
            deadline = asyncio.get_running_loop().time() + seconds
            while not done:
                line = await self._line(worker, deadline, seconds)
                if "progress" not in line:
                    alive = line.pop("alive", True)
                    if not alive:
                        await self._end(worker)
                    done = True  # and free before the last line is sent, or the next question would wait for its reader
                    self._release(worker if alive else None)
                yield line
        finally:
            if not done:
                self._recover(worker)

    async def start(self) -> None:
        """Have one ready before it is needed."""
        self.idle.append(await self._spawn())

    async def stop(self) -> None:
        """End all of them, for good."""
        self.closed = True
        for task in self.recovering:
            task.cancel()
        await asyncio.gather(*(self._end(worker) for worker in list(self.all)))
        self.folder.close()

    async def _line(self, worker: Process, deadline: float, seconds: float) -> Line:
        assert worker.stdout is not None
        left = deadline - asyncio.get_running_loop().time()
        try:
            text = await asyncio.wait_for(worker.stdout.readline(), max(left, 0))
        except TimeoutError:
            said = f"stopped after {seconds:g} seconds.  oddly studio --seconds allows more."
            return {"error": said, "kind": "TooLarge", "alive": False}
        except ValueError:
            return {"error": "an answer too long to be shown", "kind": "TooLarge", "alive": False}
        if not text:
            said = CLOSED if self.closed else "the process that worked on this ended, perhaps for want of memory."
            return {"error": said, "kind": "TooLarge", "alive": False}
        line: Line = json.loads(text)
        return line

    async def _worker(self) -> Process:
        await asyncio.sleep(0)  # so that the end of one that died in the meantime is heard
        while self.idle:
            worker = self.idle.pop()
            assert worker.stdout is not None
            if worker.returncode is None and not worker.stdout.at_eof():
                return worker
            await self._end(worker)
        return await self._spawn()

    async def _spawn(self) -> Process:
        worker = await asyncio.create_subprocess_exec(
            # -P, or whatever lies in this folder under the name of a module would be run
            *(sys.executable, "-P", "-m", "oddly.studio.worker", str(self.max_nodes), str(self.seconds)),
            stdin=PIPE,
            stdout=PIPE,
            limit=LONGEST_LINE,
            env={**os.environ, "TMPDIR": str(self.folder.path)},
        )
        self.all.add(worker)
        assert worker.stdout is not None
        try:
            await worker.stdout.readline()  # it is ready
        except BaseException:
            await self._end(worker)
            raise
        return worker

    def _release(self, worker: Process | None) -> None:
        if worker is not None:
            self.idle.append(worker)
        self.slots.release()

    def _recover(self, worker: Process | None) -> None:
        """Stop what a worker is at; its slot is free once that is done."""
        task = asyncio.get_running_loop().create_task(self._stopped(worker))
        self.recovering.add(task)
        task.add_done_callback(self.recovering.discard)

    async def _stopped(self, worker: Process | None) -> None:
        try:
            if worker is not None and not await _cancelled(worker):
                await self._end(worker)
                worker = None
        finally:
            self._release(worker)

    async def _end(self, worker: Process) -> None:
        if worker in self.all:  # once is enough
            self.all.discard(worker)
            with suppress(ProcessLookupError):
                worker.kill()
        await worker.wait()


def _sorted(known: Mapping[str, Kept]) -> Line:
    """What a question is about: models as texts, diagrams as the files they are in."""
    return {
        "texts": {id_: kept for id_, kept in known.items() if isinstance(kept, str)},
        "files": {id_: str(kept) for id_, kept in known.items() if not isinstance(kept, str)},
    }


async def _send(worker: Process, line: Line) -> None:
    assert worker.stdin is not None
    worker.stdin.write(json.dumps(line).encode() + b"\n")
    await worker.stdin.drain()


async def _cancelled(worker: Process) -> bool:
    """Whether a worker stopped when asked to."""
    assert worker.stdout is not None
    try:
        await _send(worker, {"cancel": True})
        async with asyncio.timeout(POLITELY):
            while "progress" in (line := json.loads(await worker.stdout.readline() or b"{}")):
                pass
    except (TimeoutError, OSError, ValueError):
        return False
    return bool(line)
