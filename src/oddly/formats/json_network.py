# SPDX-License-Identifier: Apache-2.0
"""Networks as JSON, with or without the classifier that was made of them."""

from typing import Any

from oddly.errors import ModelError
from oddly.formats.json_values import (
    bins_entry,
    bins_of,
    known,
    need_labels,
    need_list,
    need_object,
    need_text,
    need_texts,
    placed,
    text_or,
    texts,
)
from oddly.model import NaiveBayes, Network, NetworkClassifier, Node
from oddly.model.numbers import written


def network_from_json(data: dict[str, Any]) -> Network | NetworkClassifier | NaiveBayes:
    """The network, or what it decides if there is a `classifier` entry.

    A classifier that is a naive Bayes, and says nothing more, becomes one.
    """
    known(data, "model", {"format", "version", "kind", "name", "nodes", "classifier"})
    name = text_or(data, "name", "model", "")
    network = Network([_node(node, i) for i, node in enumerate(need_list(data, "nodes", "model"))], name)
    if "classifier" not in data:
        return network
    full = _classifier(network, need_object(data, "classifier", "model"))
    naive = full.naive
    return naive if naive is not None and len(network.nodes) == len(full.attributes) + 1 else full


def network_to_json(network: Network) -> dict[str, Any]:
    """The entries that say what the network is."""
    title = {"name": network.name} if network.name else {}
    nodes = [
        {
            "name": node.name,
            "values": list(node.values),
            "parents": list(node.parents),
            "table": [texts(row) for row in node.table],
            **bins_entry(node.bins),
        }
        for node in network.nodes
    ]
    return {**title, "nodes": nodes}


def _node(data: Any, i: int) -> Node:
    place = placed(data, i, "node")
    known(data, place, {"name", "values", "parents", "table", "bins"})
    table = need_list(data, "table", place)
    for row in table:
        if not isinstance(row, list):
            raise ModelError(f"{place}: 'table' should be a list of rows, each a list of probabilities")
    parents = need_texts(data, "parents", place) if "parents" in data else []
    return Node(need_text(data, "name", place), need_labels(data, place), parents, table, bins_of(data, place))


def _classifier(network: Network, data: dict[str, Any]) -> NetworkClassifier:
    known(data, "classifier", {"class", "positive", "threshold", "attributes", "ties", "evidence"})
    evidence = need_object(data, "evidence", "classifier") if "evidence" in data else {}
    for name in evidence:
        need_text(evidence, name, "evidence")
    return NetworkClassifier(
        network,
        need_text(data, "class", "classifier"),
        need_texts(data, "attributes", "classifier") if "attributes" in data else None,
        text_or(data, "positive", "classifier", None),
        data.get("threshold", "1/2"),
        data.get("ties", "positive"),
        evidence,
    )


def classifier_to_json(model: NetworkClassifier) -> dict[str, Any]:
    """The network's entries, and what is made of it."""
    choice = {
        "class": model.class_name,
        **({"positive": model.positive} if model.positive is not None else {}),
        "threshold": written(model.threshold),
        "attributes": list(model.attributes),
        **({"ties": model.ties} if model.ties != "positive" else {}),
        **({"evidence": dict(model.evidence)} if model.evidence else {}),
    }
    return {**network_to_json(model.network), "classifier": choice}
