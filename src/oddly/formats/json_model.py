# SPDX-License-Identifier: Apache-2.0
"""Models as JSON: what the file says, taken at its word.

Numbers may be JSON numbers, read as their decimal text, or strings, which may also be fractions.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, get_args

from oddly.errors import FormatError, ModelError, OddlyError
from oddly.formats.json_values import Digits, bins_entry, bins_of, known, need, need_labels, parse_json, placed, shown
from oddly.formats.text import cut
from oddly.model import Model
from oddly.model.naive_bayes import CPT, Learned, Missing, NaiveBayes
from oddly.model.network import Network, Node
from oddly.model.network_classifier import NetworkClassifier
from oddly.model.numbers import exact, written
from oddly.model.scorecard import Points, Scoreboard, Scorecard, Tally
from oddly.model.sums import Attribute, Crossed, Sum

FORMAT, VERSION = "oddly-model", 1
HEAD = {"format", "version", "kind"}
Reader = Callable[[dict[str, Any]], Model | Network]
MOST_ROWS = 10**18  # a count of rows beyond this is no count


def model_from_json(text: str, where: str = "model") -> Model | Network:
    """The model that a JSON text describes; `where` is the file an error names."""
    data = parse_json(text, where)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'{where}: not a model file; expected {{"format": "{FORMAT}", …}}')
    if data.get("version") != str(VERSION) or not isinstance(data["version"], Digits):
        raise FormatError(f"{where}: version {shown(data.get('version'))} of the format; this program reads {VERSION}")
    kinds: dict[str, Reader] = {"naive-bayes": _naive_bayes, "scorecard": _scorecard, "sum": _sum, "network": _network}
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
        Network: _network_entries,
        NetworkClassifier: _classifier_entries,
        NaiveBayes: _bayes_entries,
        Scorecard: _card_entries,
        Scoreboard: _board_entries,
        Sum: _sum_entries,
    }
    return {"format": FORMAT, "version": VERSION, "kind": model.kind, **writers[type(model)](model)}


def canonical_json(model: Model) -> str:
    """A model as the one text that all files with the same numbers have: sorted keys, no spaces.

    >>> from oddly import examples
    >>> canonical_json(examples.pregnancy())[:40]
    '{"attributes":[{"given":{"no":["0.107","'
    """
    return json.dumps(model_to_json(model), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def model_digest(model: Model) -> str:
    """The SHA-256 of a model, whichever file holds it."""
    return hashlib.sha256(canonical_json(model).encode()).hexdigest()


def _entry(thing: CPT | Points | Tally | Node | Attribute, **numbers: Any) -> dict[str, Any]:
    return {"name": thing.name, "values": list(thing.values), **numbers, **bins_entry(thing.bins)}


def _class(model: Model, **more: Any) -> dict[str, Any]:
    positive = {} if model.positive is None else {"positive": model.positive}
    return {"name": model.class_name, "values": list(model.class_values), **positive, **more}


def _ties(model: Model) -> dict[str, str]:
    return {} if model.ties == "positive" else {"ties": model.ties}


def _target(data: dict[str, Any], *more: str) -> dict[str, Any]:
    target: dict[str, Any] = need(data, "class", "model", dict)
    known(target, "class", {"name", "values", "positive", *more})
    return target


def _attributes(data: dict[str, Any], make: Callable[..., Any], numbers: str, kind: type) -> list[Any]:
    found = []
    for i, a in enumerate(need(data, "attributes", "model", list)):
        place = placed(a, i)
        known(a, place, {"name", "values", numbers, "bins"})
        values, held = need_labels(a, place), need(a, numbers, place, kind)
        found.append(make(need(a, "name", place, str), values, held, bins_of(a, place)))
    return found


def need_texts(data: Mapping[str, Any], key: str, place: str) -> list[str]:
    """The entry, which must be a list of texts."""
    found: list[str] = need(data, key, place, list)
    for value in found:
        if not isinstance(value, str) or isinstance(value, Digits):
            raise ModelError(f"{place}: {key!r} should hold texts, found {shown(value)}")
    return found


def text_or(data: Mapping[str, Any], key: str, place: str, default: Any) -> Any:
    """The entry, which must be a text if it is there."""
    return need(data, key, place, str) if key in data else default


# ---- naive Bayes ----


def _naive_bayes(data: dict[str, Any]) -> NaiveBayes:
    known(data, "model", HEAD | {"class", "threshold", "ties", "attributes", "learned"})
    target = _target(data, "prior")
    attributes = _attributes(data, CPT, "given", dict)
    name, values = need(target, "name", "class", str), need_labels(target, "class")
    prior = need(target, "prior", "class", list)
    decision = text_or(target, "positive", "class", None), data.get("threshold", "1/2"), data.get("ties", "positive")
    return NaiveBayes(name, values, prior, attributes, *decision, _learned(data, len(values), len(attributes)))


def _bayes_entries(model: NaiveBayes) -> dict[str, Any]:
    attributes = [
        _entry(a, given={c: [*map(written, a.given[c])] for c in model.class_values}) for a in model.attributes
    ]
    learned = {"learned": _counts(model.learned)} if model.learned else {}
    head = {"class": _class(model, prior=[*map(written, model.prior)]), "threshold": written(model.threshold)}
    return {**head, **_ties(model), "attributes": attributes, **learned}


def _counts(learned: Learned) -> dict[str, Any]:
    rows, observed = list(learned.rows), [list(row) for row in learned.observed]
    missing = {} if learned.missing == "skip" else {"missing": learned.missing}
    return {"alpha": written(learned.alpha), "rows": rows, "observed": observed, **missing}


def _learned(data: Mapping[str, Any], classes: int, attributes: int) -> Learned | None:
    if "learned" not in data:
        return None
    found = need(data, "learned", "model", dict)
    known(found, "learned", {"alpha", "rows", "observed", "missing"})
    rows = _whole(need(found, "rows", "learned", list))
    observed = tuple(_whole(row) for row in need(found, "observed", "learned", list))
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
    known(data, "model", HEAD | {"class", "intercept", "cutoff", "ties", "attributes"})
    target = _target(data)
    values, rows = need_labels(target, "class"), need(data, "attributes", "model", list)
    points = [a["points"] for a in rows if isinstance(a, Mapping) and isinstance(a.get("points"), list)]
    per_class = any(isinstance(p, list) for row in points for p in row)
    if len(values) > 2 or isinstance(data.get("intercept"), list) or per_class:
        return _scoreboard(data, target)
    attributes = _attributes(data, Points, "points", list)
    numbers, name = (need(data, "cutoff", "model"), data.get("intercept", 0)), need(target, "name", "class", str)
    positive = text_or(target, "positive", "class", None)
    return Scorecard(attributes, *numbers, name, values, positive, data.get("ties", "positive"))


def _scoreboard(data: dict[str, Any], target: dict[str, Any]) -> Scoreboard:
    wins = "here the class with the most points wins"
    for key in ("cutoff", "ties"):
        if key in data:
            raise ModelError(f"model: {key!r} is for points against a cut-off; {wins}")
    if "positive" in target:
        raise ModelError(f"class: 'positive' is for two classes; {wins}")
    attributes = _attributes(data, Tally, "points", list)
    base = need(data, "intercept", "model", list) if "intercept" in data else None
    return Scoreboard(attributes, need_labels(target, "class"), base, need(target, "name", "class", str))


def _card_entries(model: Scorecard) -> dict[str, Any]:
    rows = [_entry(a, points=[*map(written, a.points)]) for a in model.attributes]
    head = {"class": _class(model), "intercept": written(model.intercept), "cutoff": written(model.cutoff)}
    return {**head, **_ties(model), "attributes": rows}


def _board_entries(model: Scoreboard) -> dict[str, Any]:
    rows = [_entry(a, points=[[*map(written, row)] for row in a.points]) for a in model.attributes]
    return {"class": _class(model), "intercept": [*map(written, model.intercept)], "attributes": rows}


# ---- sums of small tables ----


def _sum(data: dict[str, Any]) -> Sum:
    known(data, "model", HEAD | {"class", "intercept", "cutoff", "ties", "attributes", "tables"})
    target, attributes = _target(data), []
    for i, a in enumerate(need(data, "attributes", "model", list)):
        place = placed(a, i)
        known(a, place, {"name", "values", "bins"})
        attributes.append(Attribute(need(a, "name", place, str), tuple(need_labels(a, place)), bins_of(a, place)))
    tables = []
    for i, table in enumerate(need(data, "tables", "model", list), start=1):
        place = f"table {i}"
        if not isinstance(table, dict):
            raise ModelError(f"{place}: expected an object, found {shown(table)}")
        known(table, place, {"over", "points"})
        tables.append(Crossed(need_texts(table, "over", place), need(table, "points", place, list)))
    numbers, name = (need(data, "cutoff", "model"), data.get("intercept", 0)), need(target, "name", "class", str)
    positive, values = text_or(target, "positive", "class", None), need_labels(target, "class")
    return Sum(attributes, tables, *numbers, name, values, positive, data.get("ties", "positive"))


def _sum_entries(model: Sum) -> dict[str, Any]:
    head = {"class": _class(model), "intercept": written(model.intercept), "cutoff": written(model.cutoff)}
    tables = [{"over": list(t.over), "points": _texts(t.nested())} for t in model.tables]
    return {**head, **_ties(model), "attributes": [_entry(a) for a in model.attributes], "tables": tables}


def _texts(points: Any) -> Any:
    return [*map(_texts, points)] if isinstance(points, list) else written(points)


# ---- networks, with or without the classifier that was made of them ----


def _network(data: dict[str, Any]) -> Network | NetworkClassifier | NaiveBayes:
    """The network, or what it decides. A classifier that is a naive Bayes, and says nothing more, becomes one."""
    known(data, "model", HEAD | {"name", "nodes", "classifier"})
    name = text_or(data, "name", "model", "")
    network = Network([_node(node, i) for i, node in enumerate(need(data, "nodes", "model", list))], name)
    if "classifier" not in data:
        return network
    full = _classifier(network, need(data, "classifier", "model", dict))
    naive = full.naive
    return naive if naive is not None and len(network.nodes) == len(full.attributes) + 1 else full


def _node(data: Any, i: int) -> Node:
    place = placed(data, i, "node")
    known(data, place, {"name", "values", "parents", "table", "bins"})
    table = need(data, "table", place, list)
    for row in table:
        if not isinstance(row, list):
            raise ModelError(f"{place}: 'table' should be a list of rows, each a list of probabilities")
    parents = need_texts(data, "parents", place) if "parents" in data else []
    return Node(need(data, "name", place, str), need_labels(data, place), parents, table, bins_of(data, place))


def _classifier(network: Network, data: dict[str, Any]) -> NetworkClassifier:
    known(data, "classifier", {"class", "positive", "threshold", "attributes", "ties", "evidence"})
    evidence = need(data, "evidence", "classifier", dict) if "evidence" in data else {}
    for name in evidence:
        need(evidence, name, "evidence", str)
    name = need(data, "class", "classifier", str)
    attributes = need_texts(data, "attributes", "classifier") if "attributes" in data else None
    positive, threshold = text_or(data, "positive", "classifier", None), data.get("threshold", "1/2")
    return NetworkClassifier(network, name, attributes, positive, threshold, data.get("ties", "positive"), evidence)


def _network_entries(network: Network) -> dict[str, Any]:
    title = {"name": network.name} if network.name else {}
    tables = [[[*map(written, row)] for row in n.table] for n in network.nodes]
    nodes = [_entry(n, parents=list(n.parents), table=t) for n, t in zip(network.nodes, tables, strict=True)]
    return {**title, "nodes": nodes}


def _classifier_entries(model: NetworkClassifier) -> dict[str, Any]:
    choice = {
        "class": model.class_name,
        **({"positive": model.positive} if model.positive is not None else {}),
        "threshold": written(model.threshold),
        "attributes": list(model.attributes),
        **_ties(model),
        **({"evidence": dict(model.evidence)} if model.evidence else {}),
    }
    return {**_network_entries(model.network), "classifier": choice}
