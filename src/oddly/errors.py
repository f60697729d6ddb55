# SPDX-License-Identifier: Apache-2.0
"""Every error a caller may meet.

    OddlyError
    ├── ModelError (ValueError)        a model that makes no sense: a row that does not sum to one, a name twice
    ├── FormatError (ValueError)       a file that cannot be read, with the place in it
    ├── UnknownName (KeyError)         an attribute, class or option that is not there
    ├── UnknownValue (ValueError)      a value its attribute does not have
    ├── Unsupported (TypeError)        a well-formed request that cannot be answered, with the reason
    └── TooLarge (MemoryError)         work stopped at a limit, with how far it got

Each also inherits the built-in a caller would expect. `exit_code` is what the command line returns.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

Found = TypeVar("Found")

LONGEST = 4000  # letters of an error; more is an input's, not ours


class OddlyError(Exception):
    """What all of Oddly's own errors have in common."""

    exit_code = 2

    def __str__(self) -> str:
        """The sentence; of a very long one, which echoes some input, both ends."""
        text = str(self.args[0]) if self.args else ""
        return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} letters) … {text[-200:]}"


class ModelError(OddlyError, ValueError):
    """A model that makes no sense."""


class FormatError(OddlyError, ValueError):
    """A file that cannot be read."""


class UnknownName(OddlyError, KeyError):
    """A name that is not there."""

    @classmethod
    def among(cls, what: str, name: object, known: Iterable[str]) -> "UnknownName":
        close = get_close_matches(str(name), known := list(known), n=1)
        offer = f"Did you mean {close[0]!r}?" if close else f"There are: {listed(known)}."
        return cls(f"no {what} {name!r}.  {offer}")


class UnknownValue(OddlyError, ValueError):
    """A value its attribute does not have."""

    @classmethod
    def of(cls, attribute: str, value: object, values: Iterable[str], where: str = "") -> "UnknownValue":
        shown = value if isinstance(value, str) else repr(value)
        place = f"{where}: " if where else ""
        return cls(f"{place}{attribute}={shown}.  {attribute} is one of {listed(values)}.")


class Unsupported(OddlyError, TypeError):
    """A well-formed request that cannot be answered."""


class TooLarge(OddlyError, MemoryError):
    """Work that stopped at a limit."""

    exit_code = 3


def look_up(known: Mapping[str, Found], name: str, what: str = "attribute") -> Found:
    """What stands under a name, or an error that offers the names there are."""
    if name not in known:
        raise UnknownName.among(what, name, known)
    return known[name]


def listed(names: Iterable[str], most: int = 12) -> str:
    """The names, as a person would list them; a long list is cut.

    >>> listed(["low", "high"]), listed(["<30", "[30, 40)", ">=40"]), listed("abc", 2)
    ('low, high', '<30; [30, 40); >=40', 'a, b, … (3 in all)')
    """
    names = list(names)
    tail = [f"… ({len(names)} in all)"] if len(names) > most else []
    return comma(names).join([*names[:most], *tail])


def comma(names: Iterable[str]) -> str:
    """What stands between names: a comma, unless there is one in a name."""
    return "; " if any("," in name for name in names) else ", "
