# SPDX-License-Identifier: Apache-2.0
"""Models as JSON: what the file says, taken at its word.

Numbers may be JSON numbers, read as their decimal text, or strings, which may also be fractions.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from oddly.errors import FormatError, ModelError, OddlyError
from oddly.model import CPT, Learned, Model, NaiveBayes, Points, Scorecard
from oddly.model.numbers import exact, written

FORMAT, VERSION = "oddly-model", 1


class _Number(str):
    """A JSON number, kept as its text."""


def model_from_json(text: str, where: str = "model") -> Model:
    """The model that a JSON text describes; `where` is the file an error names."""
    data = _parse(text, where)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'{where}: not a model file; expected {{"format": "{FORMAT}", …}}')
    if data.get("version") != str(VERSION):
        raise FormatError(f"{where}: version {data.get('version')} of the format; this program reads {VERSION}")
    kinds: dict[str, Callable[[dict[str, Any]], Model]] = {
        "naive-bayes": _naive_bayes,
        "scorecard": _scorecard,
    }
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise FormatError(f"{where}: kind {kind!r}; expected one of {', '.join(kinds)}")
    try:
        return kinds[kind](data)
    except OddlyError as error:
        error.args = (f"{where}: {error}",)
        raise


def model_to_json(model: Model) -> dict[str, Any]:
    """The model as a dictionary that json.dumps takes; every number as exact text."""
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    target: dict[str, Any] = {"name": model.class_name, "values": list(model.class_values)}
    if model.positive is not None:
        target["positive"] = model.positive
    ties = {} if model.ties == "positive" else {"ties": model.ties}
    if isinstance(model, Scorecard):
        rows = [
            {"name": a.name, "values": list(a.values), "points": [written(p) for p in a.points]}
            for a in model.attributes
        ]
        card = {"intercept": written(model.intercept), "cutoff": written(model.cutoff)}
        return {**head, "kind": "scorecard", "class": target, **card, **ties, "attributes": rows}
    target["prior"] = [written(p) for p in model.prior]
    attributes = [
        {
            "name": a.name,
            "values": list(a.values),
            "given": {label: [written(p) for p in a.given[label]] for label in model.class_values},
        }
        for a in model.attributes
    ]
    threshold = {"threshold": written(model.threshold)}
    learned = {"learned": _counts(model.learned)} if model.learned else {}
    return {**head, "kind": "naive-bayes", "class": target, **threshold, **ties, "attributes": attributes, **learned}


def _naive_bayes(data: dict[str, Any]) -> NaiveBayes:
    _known(data, "model", {"format", "version", "kind", "class", "threshold", "ties", "attributes", "learned"})
    target = _object(data, "class", "model")
    _known(target, "class", {"name", "values", "positive", "prior"})
    attributes = []
    for i, a in enumerate(_list(data, "attributes", "model")):
        place = _place(a, i)
        _known(a, place, {"name", "values", "given"})
        attributes.append(CPT(_need(a, "name", place), _list(a, "values", place), _object(a, "given", place)))
    return NaiveBayes(
        _need(target, "name", "class"),
        _list(target, "values", "class"),
        _list(target, "prior", "class"),
        attributes,
        target.get("positive"),
        data.get("threshold", "1/2"),
        data.get("ties", "positive"),
        _learned(data, len(target["values"]), len(attributes)),
    )


def _counts(learned: Learned) -> dict[str, Any]:
    rows, observed = list(learned.rows), [list(row) for row in learned.observed]
    return {"alpha": written(learned.alpha), "rows": rows, "observed": observed}


def _learned(data: Mapping[str, Any], classes: int, attributes: int) -> Learned | None:
    if "learned" not in data:
        return None
    found = _object(data, "learned", "model")
    _known(found, "learned", {"alpha", "rows", "observed"})
    try:
        rows = tuple(int(n) for n in _list(found, "rows", "learned"))
        observed = tuple(tuple(int(n) for n in row) for row in _list(found, "observed", "learned"))
    except (TypeError, ValueError):
        raise ModelError("learned: the counts are not whole numbers") from None
    if len(rows) != classes or len(observed) != attributes or any(len(row) != classes for row in observed):
        raise ModelError("learned: expected a count per class, and one per attribute and class")
    return Learned(exact(_need(found, "alpha", "learned"), "learned: alpha"), rows, observed)


def _scorecard(data: dict[str, Any]) -> Scorecard:
    _known(data, "model", {"format", "version", "kind", "class", "intercept", "cutoff", "ties", "attributes"})
    target = _object(data, "class", "model")
    _known(target, "class", {"name", "values", "positive"})
    attributes = []
    for i, a in enumerate(_list(data, "attributes", "model")):
        place = _place(a, i)
        _known(a, place, {"name", "values", "points"})
        attributes.append(Points(_need(a, "name", place), _list(a, "values", place), _list(a, "points", place)))
    return Scorecard(
        attributes,
        _need(data, "cutoff", "model"),
        data.get("intercept", 0),
        _need(target, "name", "class"),
        _list(target, "values", "class"),
        target.get("positive"),
        data.get("ties", "positive"),
    )


def _parse(text: str, where: str) -> Any:
    def refuse(constant: str) -> Any:
        raise FormatError(f"{where}: {constant} is not a number a model can hold")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            names = [name for name, _ in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise FormatError(f"{where}: the key {twice!r} stands twice in one object")
        return found

    try:
        return json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=refuse, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        line = [*text.split("\n"), ""][error.lineno - 1].rstrip("\r")
        start = max(error.colno - 60, 0)
        shown, caret = line[start : start + 100], " " * (error.colno - 1 - start) + "^"
        raise FormatError(f"{where}:{error.lineno}:{error.colno}  {error.msg}\n    {shown}\n    {caret}") from None
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply for a model") from None


def _place(attribute: object, i: int) -> str:
    if not isinstance(attribute, Mapping):
        raise ModelError(f"attribute {i + 1}: expected an object, found {attribute!r}")
    name = attribute.get("name")
    return f"attribute {name}" if isinstance(name, str) else f"attribute {i + 1}"


def _need(data: Mapping[str, Any], key: str, place: str) -> Any:
    if key not in data:
        raise ModelError(f"{place}: {key!r} is missing")
    return data[key]


def _object(data: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    found = _need(data, key, place)
    if not isinstance(found, dict):
        raise ModelError(f"{place}: {key!r} should be an object, found {found!r}")
    return found


def _list(data: Mapping[str, Any], key: str, place: str) -> list[Any]:
    found = _need(data, key, place)
    if not isinstance(found, list):
        raise ModelError(f"{place}: {key!r} should be a list, found {found!r}")
    return found


def _known(data: Mapping[str, Any], place: str, keys: set[str]) -> None:
    for key in data:
        if key not in keys:
            raise ModelError(f"{place}: unknown key {key!r}; expected {', '.join(sorted(keys))}")
