# SPDX-License-Identifier: Apache-2.0
"""A file that was dropped on the page: what is in it, and what there is to choose."""

import base64
import binascii
import json
import tempfile
from pathlib import Path

from oddly.errors import FormatError, OddlyError
from oddly.formats import model_to_json, read
from oddly.model import Model, Network, NetworkClassifier
from oddly.studio.bench import Bench, Json, text_of

SUFFIXES = (".json", ".csv", ".bif", ".net", ".uai", ".xmlbif", ".bifxml", ".xml", ".xdsl", ".dsl", ".odd")
MOST_LEAVES, FIRST_LEAVES = 16, 10


def open_(bench: Bench, asked: Json) -> Json:
    """What is in this file?  Its name serves only to say the format, and to speak of it."""
    name = text_of(asked, "name")
    suffix = next((s for s in SUFFIXES if name.lower().endswith(s)), "")
    if not suffix:
        raise FormatError(
            f"{name}: not a kind of file that Oddly reads; models are read from {' '.join(SUFFIXES[:-2])}"
        )
    try:
        data = base64.b64decode(text_of(asked, "data"), validate=True)
    except binascii.Error:
        raise FormatError(f"{name}: it did not arrive whole") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_bytes(data)
        try:
            found = read(path)
        except OddlyError as error:
            raise FormatError(str(error).replace(str(path), name)) from None
    return {"text": json.dumps(model_to_json(found), ensure_ascii=False), "about": about(found)}


def about(model: Model | Network) -> Json:
    """What there is to choose: of a network its class and attributes, of anything else nothing."""
    said = {"sentence": repr(model), "kind": type(model).__name__}
    network = model if isinstance(model, Network) else model.network if isinstance(model, NetworkClassifier) else None
    if network is None:
        return {**said, "network": None, "choice": None}
    variables = [{"name": v.name, "values": list(v.values)} for v in network.variables]
    inner = [node.name for node in network.nodes if node.name not in network.leaves and len(node.values) > 1]
    class_ = model.class_name if isinstance(model, NetworkClassifier) else (inner or [network.nodes[0].name])[0]
    choice = {
        "class": class_,
        "positive": model.positive if isinstance(model, NetworkClassifier) else None,
        "attributes": list(model.attributes) if isinstance(model, NetworkClassifier) else _few(network, class_),
    }
    return {**said, "network": {"variables": variables, "leaves": list(network.leaves)}, "choice": choice}


def _few(network: Network, class_: str) -> list[str] | None:
    """The attributes to begin with: the leaves, unless they are so many that a first look would take long."""
    leaves = [name for name in network.leaves if name != class_]
    return leaves[:FIRST_LEAVES] if len(leaves) > MOST_LEAVES else None
