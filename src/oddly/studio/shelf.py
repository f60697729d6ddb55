# SPDX-License-Identifier: Apache-2.0
"""Models and diagrams under the hash of their contents, as many as there is room for.

Whoever has the contents can put them back, so forgetting is harmless; two pages that open the same file share it. A model is
a text, a diagram a file, which the workers map into memory.
"""

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
