# SPDX-License-Identifier: Apache-2.0
"""What is left when the machine fails?  A write, an fsync, a rename or an allocation fails at every place in turn, or the
process is killed in the middle: the old file is there whole, or the new one is; and nothing else lies about."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import oddly
from oddly.formats.text import PREFIX
from soak.deciding import Subject, hold
from soak.specs import spec


def failing(r: Random, folder: Path) -> int:
    """Every call that can fail does so in turn, while a diagram, a model and a report are written."""
    subject = Subject(spec(r))
    name, write = r.choice(
        [
            ("x.odd", lambda path: subject.odd.save(path)),
            ("x.json", lambda path: oddly.write(subject.model, path)),
        ]
    )
    path = folder / name
    path.write_bytes(b"as it was")
    call = r.choice(["os.replace", "os.fsync", "os.open", "os.chmod", "os.fdopen"])
    for place in range(1, 4):
        with mock.patch(call, _fails_at(place, call)):
            try:
                write(path)
            except (oddly.OddlyError, OSError, MemoryError):
                hold(path.read_bytes() == b"as it was", "a failed", call, "left something else")
            else:
                path.write_bytes(b"as it was")
        left = [p.name for p in folder.iterdir() if p.name.startswith(PREFIX)]
        hold(not left, "a failed", call, "left", left)
    return 3


def _fails_at(place: int, call: str) -> Callable[..., Any]:
    module, _, function = call.partition(".")
    real = getattr(sys.modules[module], function)
    seen = [0]

    def fails(*arguments: Any, **keywords: Any) -> Any:
        seen[0] += 1
        if seen[0] == place:
            raise OSError(28, "No space left on device")
        return real(*arguments, **keywords)

    return fails


SAVING = """
import sys
from oddly.cli import main
print("ready", file=sys.stderr, flush=True)
code = 0
while code < 128:
    code = main(["compile", "example:pregnancy", "-o", sys.argv[1]])
"""


def killed(r: Random, folder: Path) -> int:
    """A process that saves without end is ended: by kill -9 the file is whole all the same, by the others nothing is left."""
    path = folder / "killed.odd"
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    process.stderr.readline()
    time.sleep(r.uniform(0, 0.3))
    heard = [s for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN]
    how = r.choice([signal.SIGKILL, *heard])  # under nohup, say, one is not heard
    process.send_signal(how)
    try:
        process.wait(60)
    finally:
        process.kill()
    if path.exists():
        hold(oddly.load(path).size == 7, "a torn file after", how)
    left = [p for p in folder.iterdir() if p.name.startswith(PREFIX)]
    hold(how == signal.SIGKILL or not left, "after", how, "there is", left)
    for p in left:
        os.unlink(p)
    return 1


STARVED = """
import resource, sys
import oddly
from oddly.cli import main
oddly.compile(oddly.examples.pregnancy())  # what is imported late is there
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(["compile", sys.argv[2], "-o", sys.argv[3]]))
"""


def starved(r: Random, folder: Path) -> int:
    """An allocation fails somewhere on the way: exit code 3 and a sentence, or the answer; and no file that is not whole."""
    points = [oddly.Points(f"A{i}", ["x", "y"], [str(r.randint(1, 10**9)), "0"]) for i in range(r.randint(22, 30))]
    oddly.write(oddly.Scorecard(points, 10**9 * len(points) // 4), folder / "card.json")
    path, room = folder / "starved.odd", r.choice([16, 32, 64, 128]) << 20
    ran = subprocess.run(
        [sys.executable, "-c", STARVED, str(room), str(folder / "card.json"), str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    hold(ran.returncode in (0, 3), "with", room, "bytes: exit", ran.returncode, ran.stderr[-300:])
    hold("Traceback" not in ran.stderr, "a traceback", ran.stderr[-300:])
    hold(ran.returncode != 0 or oddly.load(path).unproven is None, "not whole")
    hold(ran.returncode == 0 or not path.exists(), "something was written")
    hold(not [p for p in folder.iterdir() if p.name.startswith(PREFIX)], "something was left")
    return 1
