# SPDX-License-Identifier: Apache-2.0
"""What the server keeps: models and diagrams under the hash of their contents, as many as there is room for, and a folder.

Whoever has the contents can put them back, so forgetting is harmless; two pages that open the same file share it. A model is
a text, a diagram a file, which the workers map into memory.

The folder is for what is being read; none is left behind for long. It holds a file that this process has locked. The
system gives the lock back however the process ends, so whoever starts a studio later sees which folders are nobody's any
more, and removes them.
"""

import os
import shutil
import tempfile
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path

Kept = str | Path


class Shelf:
    """What was opened; the least recently used goes first, what is pinned never."""

    def __init__(self, room: int = 256 << 20) -> None:
        self.room = room
        self.used = 0
        self.sizes: OrderedDict[str, int] = OrderedDict()
        self.kept: dict[str, Kept] = {}

    def put(self, text: str, *, pin: bool = False) -> str:
        """Keep a text; what it is called from now on.

        >>> shelf = Shelf(room=5)
        >>> one, two = shelf.put("aaa"), shelf.put("bbb")
        >>> shelf.get(one), shelf.get(two)
        (None, 'bbb')
        """
        return self._put(sha256(text.encode()).hexdigest(), text, None if pin else len(text))

    def put_file(self, id_: str, path: Path, *, pin: bool = False) -> str:
        """Keep a file under a name; one that is not pinned is removed when its time has come."""
        return self._put(id_, path, None if pin else path.stat().st_size)

    def get(self, id_: str) -> Kept | None:
        """What has that name, if it is still here."""
        if id_ in self.sizes:
            self.sizes.move_to_end(id_)
        return self.kept.get(id_)

    def _put(self, id_: str, kept: Kept, size: int | None) -> str:
        """Of no size is what stays."""
        if id_ not in self.kept:
            self.kept[id_] = kept
            if size is not None:
                self.sizes[id_] = size
                self.used += size
        while self.used > self.room and len(self.sizes) > 1:
            self._forget(next(iter(self.sizes)))
        return id_

    def _forget(self, id_: str) -> None:
        self.used -= self.sizes.pop(id_)
        forgotten = self.kept.pop(id_)
        if isinstance(forgotten, Path):
            forgotten.unlink(missing_ok=True)


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
