# SPDX-License-Identifier: Apache-2.0
"""A folder of the studio's own, for what is being read; none is left behind for long.

It holds a file that this process has locked. The system gives the lock back however the process ends, so whoever
starts a studio later sees which folders are nobody's any more, and removes them.
"""

import os
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # elsewhere a folder is removed at the end, and what a crash left stays
    fcntl = None  # type: ignore[assignment]

PREFIX = "oddly-studio-"
LOCK = "lock"


class Folder:
    """One that lasts until it is closed, or until a later studio finds that its own has ended."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        new = self.path / f"{LOCK}.new"
        self.held = os.open(new, os.O_CREAT | os.O_RDWR, 0o600)
        _locked(self.held)
        new.rename(self.path / LOCK)  # only now may others try it

    def close(self) -> None:
        """Remove it, with whatever a process was reading when it was ended."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.held >= 0:
            os.close(self.held)
            self.held = -1


def sweep() -> None:
    """Remove the folders of studios that are no more: only this user's, and only those that nobody holds."""
    if fcntl is None:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        try:
            if path.parent.is_symlink() or path.parent.stat().st_uid != os.getuid():
                continue
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # it went away meanwhile
            continue
        try:
            if _locked(lock):
                shutil.rmtree(path.parent, ignore_errors=True)
        finally:
            os.close(lock)


def _locked(file: int) -> bool:
    """Whether the lock could be had."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
