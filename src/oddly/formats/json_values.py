# SPDX-License-Identifier: Apache-2.0
"""JSON, read strictly: numbers stay their text, a key stands once, and what is missing or unknown is named."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from oddly.errors import FormatError, ModelError
from oddly.formats.parts import LONGEST_NAME
from oddly.formats.text import Source, cut, short
from oddly.model import Bins
from oddly.model.numbers import written


class Digits(str):
    """A JSON number, kept as its text."""

    __slots__ = ()


def parse_json(text: str, where: str) -> Any:
    """The value of a JSON text; `where` is the file an error names."""

    def refuse(constant: str) -> Any:
        raise FormatError(f"{where}: {constant} is not a number a model can hold")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            twice = next(name for name, times in Counter(name for name, _ in items).items() if times > 1)
            raise FormatError(f"{where}: the key {short(twice)} stands twice in one object")
        return found

    try:
        data = json.loads(text, parse_float=Digits, parse_int=Digits, parse_constant=refuse, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise FormatError(f"{where}: an empty file") from None
        raise Source(where, text).error(error.pos, error.msg) from None
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply for a model") from None
    waiting = [data]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str) and len(entry) > LONGEST_NAME:
            raise FormatError(f"{where}: a text of {len(entry):,} characters, {short(entry)}")
        waiting += (*entry, *entry.values()) if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    return data


def placed(entry: object, i: int, what: str = "attribute") -> str:
    """What an error calls the i-th of several objects: by its name, if it has one."""
    if not isinstance(entry, Mapping):
        raise ModelError(f"{what} {i + 1}: expected an object, found {shown(entry)}")
    name = entry.get("name")
    return f"{what} {name}" if isinstance(name, str) and len(name) <= 100 else f"{what} {i + 1}"


def need(data: Mapping[str, Any], key: str, place: str, kind: type = object) -> Any:
    """The entry, which must be there and of this kind; a number is no text."""
    if key not in data:
        raise ModelError(f"{place}: {key!r} is missing")
    found = data[key]
    if not isinstance(found, kind) or (kind is str and isinstance(found, Digits)):
        raise ModelError(f"{place}: {key!r} should be {_KINDS[kind]}, found {shown(found)}")
    return found


_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


def need_labels(data: Mapping[str, Any], place: str) -> list[str]:
    """The values of a variable, which must be texts: of a number, 1 and 1.0 would be two labels."""
    found: list[str] = need(data, "values", place, list)
    for value in found:
        if isinstance(value, Digits):
            raise ModelError(f'{place}: values are texts, found {shown(value)}; write "{shown(value)}"')
    return found


def known(data: Mapping[str, Any], place: str, keys: set[str]) -> None:
    """Refuse a key that means nothing: it is likely misspelt."""
    for key in data:
        if key not in keys:
            raise ModelError(f"{place}: unknown key {short(key)}; expected {', '.join(sorted(keys))}")


def bins_of(data: Mapping[str, Any], place: str) -> Bins | None:
    """The cut points of an attribute, if it has any."""
    if "bins" not in data:
        return None
    found = need(data, "bins", place, dict)
    known(found, f"{place}: bins", {"cuts", "closed", "missing", "whole"})
    gaps = need(found, "missing", f"{place}: bins", list) if "missing" in found else None
    if gaps is not None and not all(isinstance(text, str) and not isinstance(text, Digits) for text in gaps):
        raise ModelError(f"{place}: bins: 'missing' should hold texts, found {shown(gaps)}")
    try:
        return Bins(need(found, "cuts", "bins", list), found.get("closed", "left"), gaps, found.get("whole", False))
    except ModelError as error:
        raise ModelError(f"{place}: {error}") from None


def bins_entry(bins: Bins | None) -> dict[str, Any]:
    """The cut points as an entry to put beside the others; none without them."""
    if bins is None:
        return {}
    more = {} if bins.missing is None else {"missing": list(bins.missing)}
    closed = bins.closed if isinstance(bins.closed, str) else list(bins.closed)
    whole = {"whole": True} if bins.whole else {}
    return {"bins": {"cuts": [written(cut) for cut in bins.cuts], "closed": closed, **more, **whole}}


def shown(found: object) -> str:
    """What was found, cut if it is long."""
    return cut(str(found) if isinstance(found, Digits) else repr(found), 60)
