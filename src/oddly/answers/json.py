# SPDX-License-Identifier: Apache-2.0
"""Answers as JSON, by their types alone, so that a field's JSON never depends on how large its value is.

    int             a number                    Count        how many instances: a decimal text at any size
    Fraction        an exact text               Rounded      a number, or with `exact` an exact text
    float           a number                    Unbounded    a number; null where it is infinite
    Mapping         an object, by name          tuple, list  a list
    a dataclass     an object of its public fields, and of what else is marked `@told`

`JsonName` gives a field another name, UNTOLD leaves it out, and `As` tells a value as another type. The schema is read from
the same types (`tools/answers_schema.py`).

msgspec, which is made for such things, encodes a value by the value's own type: a count would be a number, a fraction
would be told alike in every field, and what is computed would be left out. Each takes a hook that knows the field, and
then the walk over the declared types is all there is.
"""

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import isfinite
from numbers import Integral
from operator import attrgetter, itemgetter, methodcaller
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypeVar, get_args, get_origin, get_type_hints

from oddly.model.numbers import as_float, written

F = TypeVar("F", bound=Callable[..., Any])
Encode = Callable[[Any, bool], Any]
"""From a value, and whether what may be rounded is told exactly, to JSON."""


# ---- what a type may say besides ----


@dataclass(frozen=True)
class JsonName:
    """The name of a field in JSON."""

    name: str


UNTOLD = JsonName("")
"""Of a field that does not belong to the JSON."""


@dataclass(frozen=True, eq=False)
class As:
    """A value that is told as another type: as what is made of it."""

    kind: Any
    made: Callable[[Any], Any]


class Note(str):
    """What else a type says."""


ROUNDED, UNBOUNDED = Note("a number unless exact"), Note("may be infinite")

Count = Annotated[int, As(str, lambda count: str(int(count)))]
"""How many instances, or any number that has no bound: a decimal text, which no reader rounds."""
Rounded = Annotated[Fraction | float, ROUNDED]
"""A probability, say: a number, though computed exactly, unless exact texts are asked for."""
Unbounded = Annotated[float, UNBOUNDED]
"""A float that may be infinite: null then."""


def told(function: F) -> F:
    """Mark a method, or the function of a property, whose value belongs to the JSON: under its name, less an underscore."""
    function.__dict__["told"] = True
    return function


# ---- from values to JSON ----


def as_json(value: Any, kind: Any = None, exact: bool = False) -> Any:
    """A value as json.dumps takes it, by its declared type; an object's is its class.

    >>> as_json({"yes": 5, "no": 3}, Mapping[str, Count]), as_json(Fraction(1, 3), Fraction)
    ({'yes': '5', 'no': '3'}, '1/3')
    """
    declared: Any = type(value) if kind is None else kind
    return encoder(declared)(value, exact)


class TypedJson:
    """What turns into JSON by its type."""

    def to_json(self, exact: bool = False, **instead: Any) -> dict[str, Any]:
        """The public fields and what else is told, counts as decimal texts; rounded numbers are exact texts if `exact`.

        `instead` has values to tell in place of the object's own.
        """
        of: Any = type(self)
        values = ((m, instead[m.name] if m.name in instead else m.get(self)) for m in members(of))
        return {m.name: m.encode(value, exact) for m, value in values}


PLAIN: Mapping[Any, tuple[Any, Callable[[Any], Any]]] = {
    bool: (bool, bool),
    str: (str, str),
    int: (Integral, int),
    Fraction: (Fraction, written),
    float: ((float, Integral), lambda x: float(x) if isfinite(x) else None),
    type(None): (type(None), lambda _: None),
    Any: (object, lambda value: value),
}
"""Which values are told as such a type, and how."""


UNIONS = (types.UnionType, typing.Union)


@cache
def encoder(kind: Any) -> Encode:
    """How values of a type become JSON."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind in PLAIN or origin is Literal:
        plain = PLAIN[str if origin is Literal else kind][1]
        return lambda value, exact: plain(value)
    if origin is Annotated:
        return _marked(inside[0], inside[1:])
    if origin in UNIONS:
        ways = [(accepts(one), encoder(one)) for one in inside]
        return lambda value, exact: next(way for class_, way in ways if isinstance(value, class_))(value, exact)
    if origin is tuple and inside[-1] is not Ellipsis:
        each = [encoder(one) for one in inside]
        return lambda value, exact: [way(item, exact) for way, item in zip(each, value, strict=True)]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        way = encoder(inside[1])
        return lambda value, exact: {str(name): way(item, exact) for name, item in value.items()}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        way = encoder(inside[0])
        return lambda value, exact: [way(item, exact) for item in value]
    return lambda value, exact: _object(value, kind, exact)


def _marked(kind: Any, markers: Sequence[Any]) -> Encode:
    told_as = next((m for m in markers if isinstance(m, As)), None)
    if told_as is not None:
        way, made = encoder(told_as.kind), told_as.made
        return lambda value, exact: way(made(value), exact)
    way = encoder(kind)
    if ROUNDED not in markers:
        return way
    number = encoder(float)
    return lambda value, exact: way(value, exact) if exact else number(_near(value), exact)


def _near(value: Fraction | float) -> float:
    return as_float(value) if isinstance(value, Fraction) else value


def _object(value: Any, kind: type, exact: bool) -> dict[str, Any]:
    if isinstance(value, TypedJson):
        return value.to_json(exact)
    present = [m for m in members(kind) if m.always or m.name in value]
    return {m.name: m.encode(m.get(value), exact) for m in present}


def accepts(kind: Any) -> Any:
    """The classes of the values of a type, by which a union tells them apart."""
    if kind in PLAIN:
        return PLAIN[kind][0]
    origin = get_origin(kind)
    if origin is Annotated:
        return accepts(get_args(kind)[0])
    if origin is Literal:
        return str
    if origin in UNIONS:
        return tuple(accepts(one) for one in get_args(kind))
    return dict if typing.is_typeddict(kind) else origin or kind


# ---- what an object consists of ----


@dataclass(frozen=True)
class Member:
    """One part of an object: its name in JSON and in Python, its type, and how to get it."""

    name: str
    source: str
    kind: Any
    get: Callable[[Any], Any]
    always: bool = True
    """Whether it is always there."""

    @cached_property
    def encode(self) -> Encode:
        return encoder(self.kind)


@cache
def members(of: Any) -> tuple[Member, ...]:
    """What is told of an object: its public fields and what is computed, or the entries of a dictionary of declared types."""
    if typing.is_typeddict(of):
        return tuple(_entries(of))
    found = (*_fields(of), *_computed(of))
    if not found:
        raise TypeError(f"no JSON for {of.__name__}")
    return found


def _entries(of: Any) -> Iterator[Member]:
    for name, kind in get_type_hints(of, include_extras=True).items():
        bare = get_args(kind)[0] if get_origin(kind) is NotRequired else kind
        yield Member(name, name, bare, itemgetter(name), name in of.__required_keys__)


def _fields(of: type) -> Iterator[Member]:
    """The fields of a dataclass; and first the class variable `kind`, by which it differs from what may stand in its place."""
    hints = get_type_hints(of, include_extras=True)
    if get_origin(hints.get("kind")) is ClassVar:
        yield Member("kind", "kind", get_args(hints["kind"])[0], attrgetter("kind"))
    for name in [field.name for field in fields(of)] if is_dataclass(of) else ():
        shown = next((mark.name for mark in get_args(hints[name])[1:] if isinstance(mark, JsonName)), name)
        if shown and not shown.startswith("_"):
            yield Member(shown, name, hints[name], attrgetter(name))


def _computed(of: type) -> Iterator[Member]:
    for name in dict.fromkeys(name for base in reversed(of.__mro__) for name in vars(base)):
        found = next(vars(base)[name] for base in of.__mro__ if name in vars(base))
        function = getattr(found, "fget", None) or getattr(found, "func", None) or found
        if "told" in getattr(function, "__dict__", ()):
            kind = get_type_hints(function, include_extras=True)["return"]
            get = methodcaller(name) if function is found else attrgetter(name)
            yield Member(name.lstrip("_"), name, kind, get)
