# SPDX-License-Identifier: Apache-2.0
"""Models under the hash of their contents, as many as there is room for.

Whoever has the contents can put them back, so forgetting is harmless; two pages that open the same file share it.
"""

from collections import OrderedDict
from hashlib import sha256


class Shelf:
    """The texts of models; the least recently used go first, those that are pinned never."""

    def __init__(self, room: int = 256 << 20) -> None:
        self.room = room
        self.used = 0
        self.texts: OrderedDict[str, str] = OrderedDict()
        self.pinned: dict[str, str] = {}

    def put(self, text: str, *, pin: bool = False) -> str:
        """Keep a text; what it is called from now on.

        >>> shelf = Shelf(room=5)
        >>> one, two = shelf.put("aaa"), shelf.put("bbb")
        >>> shelf.get(one), shelf.get(two)
        (None, 'bbb')
        """
        id_ = sha256(text.encode()).hexdigest()
        if pin:
            self.pinned[id_] = text
        elif id_ not in self.texts:
            self.texts[id_] = text
            self.used += len(text)
        while self.used > self.room and len(self.texts) > 1:
            self.used -= len(self.texts.popitem(last=False)[1])
        return id_

    def get(self, id_: str) -> str | None:
        """The text of that name, if it is still here."""
        if id_ in self.pinned:
            return self.pinned[id_]
        if id_ in self.texts:
            self.texts.move_to_end(id_)
        return self.texts.get(id_)
