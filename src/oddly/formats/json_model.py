# SPDX-License-Identifier: Apache-2.0
"""Models as JSON: what the file says, taken at its word.

Numbers may be JSON numbers, read as their decimal text, or strings, which may also be fractions.
"""

from collections.abc import Callable, Mapping
from typing import Any, get_args

from oddly.errors import FormatError, ModelError, OddlyError
from oddly.formats.json_network import classifier_to_json, network_from_json, network_to_json
from oddly.formats.json_values import (
    Digits,
    bins_entry,
    bins_of,
    known,
    need,
    need_labels,
    need_list,
    need_object,
    need_text,
    parse_json,
    placed,
    shown,
    text_or,
    texts,
)
from oddly.formats.text import cut
from oddly.model import (
    CPT,
    Learned,
    Missing,
    Model,
    NaiveBayes,
    Network,
    NetworkClassifier,
    Points,
    Scoreboard,
    Scorecard,
    Tally,
)
from oddly.model.numbers import exact, written

FORMAT, VERSION = "oddly-model", 1
MOST_ROWS = 10**18  # a count of rows beyond this is no count


def model_from_json(text: str, where: str = "model") -> Model | Network:
    """The model that a JSON text describes; `where` is the file an error names."""
    data = parse_json(text, where)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'{where}: not a model file; expected {{"format": "{FORMAT}", …}}')
    if data.get("version") != str(VERSION) or not isinstance(data["version"], Digits):
        raise FormatError(f"{where}: version {shown(data.get('version'))} of the format; this program reads {VERSION}")
    kinds: dict[str, Callable[[dict[str, Any]], Model | Network]] = {
        "naive-bayes": _naive_bayes,
        "scorecard": _scorecard,
        "network": network_from_json,
    }
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise FormatError(f"{where}: kind {shown(kind)}; expected one of {', '.join(kinds)}")
    try:
        return kinds[kind](data)
    except OddlyError as error:
        error.args = (f"{where}: {cut(str(error))}",)
        raise
    except OverflowError:
        raise ModelError(f"{where}: a number too large for a probability") from None


def model_to_json(model: Model | Network) -> dict[str, Any]:
    """The model as a dictionary that json.dumps takes; every number as exact text."""
    writers: dict[type, Callable[[Any], dict[str, Any]]] = {
        Network: network_to_json,
        NetworkClassifier: classifier_to_json,
        NaiveBayes: _bayes_entries,
        Scorecard: _card_entries,
        Scoreboard: _board_entries,
    }
    return {"format": FORMAT, "version": VERSION, "kind": model.kind, **writers[type(model)](model)}


def _class(model: Model, **more: Any) -> dict[str, Any]:
    positive = {} if model.positive is None else {"positive": model.positive}
    return {"name": model.class_name, "values": list(model.class_values), **positive, **more}


def _ties(model: Model) -> dict[str, str]:
    return {} if model.ties == "positive" else {"ties": model.ties}


# ---- naive Bayes ----


def _naive_bayes(data: dict[str, Any]) -> NaiveBayes:
    known(data, "model", {"format", "version", "kind", "class", "threshold", "ties", "attributes", "learned"})
    target = need_object(data, "class", "model")
    known(target, "class", {"name", "values", "positive", "prior"})
    attributes = []
    for i, a in enumerate(need_list(data, "attributes", "model")):
        place = placed(a, i)
        known(a, place, {"name", "values", "given", "bins"})
        values, given = need_labels(a, place), need_object(a, "given", place)
        attributes.append(CPT(need_text(a, "name", place), values, given, bins_of(a, place)))
    return NaiveBayes(
        need_text(target, "name", "class"),
        need_labels(target, "class"),
        need_list(target, "prior", "class"),
        attributes,
        text_or(target, "positive", "class", None),
        data.get("threshold", "1/2"),
        data.get("ties", "positive"),
        _learned(data, len(target["values"]), len(attributes)),
    )


def _bayes_entries(model: NaiveBayes) -> dict[str, Any]:
    attributes = [
        {
            "name": a.name,
            "values": list(a.values),
            "given": {label: texts(a.given[label]) for label in model.class_values},
            **bins_entry(a.bins),
        }
        for a in model.attributes
    ]
    learned = {"learned": _counts(model.learned)} if model.learned else {}
    head = {"class": _class(model, prior=texts(model.prior)), "threshold": written(model.threshold)}
    return {**head, **_ties(model), "attributes": attributes, **learned}


def _counts(learned: Learned) -> dict[str, Any]:
    rows, observed = list(learned.rows), [list(row) for row in learned.observed]
    missing = {} if learned.missing == "skip" else {"missing": learned.missing}
    return {"alpha": written(learned.alpha), "rows": rows, "observed": observed, **missing}


def _learned(data: Mapping[str, Any], classes: int, attributes: int) -> Learned | None:
    if "learned" not in data:
        return None
    found = need_object(data, "learned", "model")
    known(found, "learned", {"alpha", "rows", "observed", "missing"})
    rows = _whole(need_list(found, "rows", "learned"))
    observed = tuple(_whole(row) for row in need_list(found, "observed", "learned"))
    if len(rows) != classes or len(observed) != attributes or any(len(row) != classes for row in observed):
        raise ModelError("learned: expected a count per class, and one per attribute and class")
    alpha = exact(need(found, "alpha", "learned"), "learned: alpha")
    if alpha < 0:
        raise ModelError(f"learned: alpha is not negative, found {written(alpha)}")
    missing = found.get("missing", "skip")
    if missing not in get_args(Missing):
        raise ModelError(f"learned: missing is one of {', '.join(get_args(Missing))}, found {missing!r}")
    return Learned(alpha, rows, observed, missing)


def _whole(counts: Any) -> tuple[int, ...]:
    if not isinstance(counts, list) or not all(isinstance(n, Digits) for n in counts):
        raise ModelError("learned: the counts are not whole numbers")
    numbers = [exact(n, "learned") for n in counts]
    if any(n.denominator != 1 or not 0 <= n <= MOST_ROWS for n in numbers):
        raise ModelError("learned: the counts are not whole numbers from 0 on")
    return tuple(map(int, numbers))


# ---- scorecards, of points against a cut-off or of points per class ----


def _scorecard(data: dict[str, Any]) -> Scorecard | Scoreboard:
    known(data, "model", {"format", "version", "kind", "class", "intercept", "cutoff", "ties", "attributes"})
    target = need_object(data, "class", "model")
    known(target, "class", {"name", "values", "positive"})
    values, rows = need_labels(target, "class"), need_list(data, "attributes", "model")
    for i, a in enumerate(rows):
        known(a, placed(a, i), {"name", "values", "points", "bins"})
    if len(values) > 2 or isinstance(data.get("intercept"), list) or any(map(_per_class, rows)):
        return _scoreboard(data, target)
    attributes = []
    for i, a in enumerate(rows):
        place = placed(a, i)
        points = need_list(a, "points", place)
        attributes.append(Points(need_text(a, "name", place), need_labels(a, place), points, bins_of(a, place)))
    return Scorecard(
        attributes,
        need(data, "cutoff", "model"),
        data.get("intercept", 0),
        need_text(target, "name", "class"),
        values,
        text_or(target, "positive", "class", None),
        data.get("ties", "positive"),
    )


def _per_class(attribute: Mapping[str, Any]) -> bool:
    points = attribute.get("points")
    return isinstance(points, list) and any(isinstance(p, list) for p in points)


def _scoreboard(data: dict[str, Any], target: dict[str, Any]) -> Scoreboard:
    for key in ("cutoff", "ties"):
        if key in data:
            raise ModelError(
                f"model: {key!r} is for points against a cut-off; here the class with the most points wins"
            )
    if "positive" in target:
        raise ModelError("class: 'positive' is for two classes; here the class with the most points wins")
    attributes = []
    for i, a in enumerate(need_list(data, "attributes", "model")):
        place = placed(a, i)
        points = need_list(a, "points", place)
        attributes.append(Tally(need_text(a, "name", place), need_labels(a, place), points, bins_of(a, place)))
    base = need_list(data, "intercept", "model") if "intercept" in data else None
    return Scoreboard(attributes, need_labels(target, "class"), base, need_text(target, "name", "class"))


def _card_entries(model: Scorecard) -> dict[str, Any]:
    rows = [
        {"name": a.name, "values": list(a.values), "points": texts(a.points), **bins_entry(a.bins)}
        for a in model.attributes
    ]
    head = {"class": _class(model), "intercept": written(model.intercept), "cutoff": written(model.cutoff)}
    return {**head, **_ties(model), "attributes": rows}


def _board_entries(model: Scoreboard) -> dict[str, Any]:
    rows = [
        {"name": a.name, "values": list(a.values), "points": [texts(row) for row in a.points], **bins_entry(a.bins)}
        for a in model.attributes
    ]
    return {"class": _class(model), "intercept": texts(model.intercept), "attributes": rows}
