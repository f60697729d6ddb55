# SPDX-License-Identifier: Apache-2.0
"""A named variable with finitely many values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oddly.errors import ModelError, UnknownValue


@dataclass(frozen=True)
class Variable:
    """A name and its values, in order.

    >>> Variable("U", ("+ve", "-ve"))
    U in {+ve, -ve}
    """

    name: str
    values: tuple[str, ...]

    def index(self, value: object) -> int:
        """The place of a value among the values."""
        try:
            return self.values.index(value)
        except ValueError:
            raise UnknownValue.of(self.name, value, self.values) from None

    def __repr__(self) -> str:
        return f"{self.name} in {{{', '.join(self.values)}}}"


def variable(name: object, values: object, what: str) -> Variable:
    """A checked variable; `what` says in an error what it was meant to be."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{what}: expected a name, found {name!r}")
    _printable(name, what)
    if isinstance(values, str) or not isinstance(values, Sequence | Iterable):
        raise ModelError(f"{what} {name}: expected a list of values, found {values!r}")
    values = tuple(values)
    for value in values:
        if not isinstance(value, str):
            raise ModelError(f"{what} {name}: values are texts, found {value!r}")
        _printable(value, f"{what} {name}")
    if not values:
        raise ModelError(f"{what} {name}: it has no values")
    distinct(values, f"{what} {name}", "value")
    return Variable(name, values)


def _printable(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ModelError(f"{where}: {text!r} is no Unicode text: it holds half of a surrogate pair") from None


def distinct(names: Sequence[str], where: str, what: str) -> None:
    """Refuse a name that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{where}: the {what} {name!r} stands twice")
        seen.add(name)
