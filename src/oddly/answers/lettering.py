# SPDX-License-Identifier: Apache-2.0
"""Names as they can be shown: made visible, measured, shortened. Names may be any Unicode."""

import unicodedata
from collections.abc import Callable, Iterable

from oddly.errors import comma

_REORDERING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # would garble the text that follows
_NARROW = frozenset("iIjltf.,:;!|'`()[]{} ")
_BROAD = frozenset("mwMW@%—…+=<>~±")


def visible(name: str) -> str:
    """The name on one line, control characters as pictures: something that XML, DOT and terminals can hold.

    >>> visible("a\\nb"), visible("")
    ('a␊b', '""')
    """
    return "".join(map(_picture, name)) or '""'


def clean(text: str) -> str:
    """A text whose lines any page can hold: control characters as pictures.

    >>> clean("a\\tb\\nc")
    'a␉b\\nc'
    """
    return "\n".join(visible(line) if line else "" for line in text.split("\n"))


def _picture(char: str) -> str:
    if char < " ":
        return chr(0x2400 + ord(char))
    strange = unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) & 0xFFFE == 0xFFFE
    return "\ufffd" if strange or char in _REORDERING else char


def joined(names: Iterable[str]) -> str:
    """Several names as one label."""
    names = list(names)
    return comma(names).join(map(visible, names))


def columns(text: str) -> int:
    """How many columns of a terminal the text fills."""
    return sum(_column(char) for char in text)


def ems(text: str) -> float:
    """About how wide the text is set in a sans-serif typeface, in ems; rather too wide than too narrow."""
    return sum(_em(char) for char in text)


def shortened(text: str, most: float, measure: Callable[[str], float] = columns) -> str:
    """The text, cut to what fits.

    >>> shortened("a long name", 8)
    'a long …'
    """
    if measure(text) <= most:
        return text
    while text and measure(text + "…") > most:
        text = text[:-1]
    return text + "…"


def _column(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _em(char: str) -> float:
    if _column(char) != 1:
        return _column(char) / 2
    if char in _NARROW:
        return 0.33
    return 0.9 if char in _BROAD else 0.7 if char.isupper() else 0.6
