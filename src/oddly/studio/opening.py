# SPDX-License-Identifier: Apache-2.0
"""A file that was dropped on the page: what is in it, and what there is to choose."""

import base64
import binascii
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from oddly.compiler import load
from oddly.diagram import ODD
from oddly.errors import FormatError, OddlyError
from oddly.formats import model_to_json, read
from oddly.model import Model, NaiveBayes, Network, NetworkClassifier, Variable
from oddly.studio.bench import Bench, Json, digest, text_of

SUFFIXES = (".json", ".csv", ".bif", ".net", ".uai", ".xmlbif", ".bifxml", ".xml", ".xdsl", ".dsl", ".odd")
DIAGRAM = SUFFIXES[-1]
MOST_LEAVES, FIRST_LEAVES = 16, 10


def open_(bench: Bench, asked: Json) -> Json:
    """What is in this file?  Its name serves only to say the format, and to speak of it."""
    name = text_of(asked, "name")
    suffix = next((s for s in SUFFIXES if name.lower().endswith(s)), "")
    if not suffix:
        raise FormatError(
            f"{name}: not a kind of file that Oddly reads; models are read from {' '.join(SUFFIXES[:-2])}, diagrams from .odd"
        )
    try:
        data = base64.b64decode(text_of(asked, "data"), validate=True)
    except binascii.Error:
        raise FormatError(f"{name}: it did not arrive whole") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_bytes(data)
        try:
            if suffix == DIAGRAM:
                said = about(load(path))  # checked, every child of it
                return {"diagram": digest(path), "about": said}
            found = read(path)
        except OddlyError as error:
            raise FormatError(str(error).replace(str(path), name)) from None
    return {"text": json.dumps(model_to_json(found), ensure_ascii=False), "about": about(found)}


def about(model: Model | Network | ODD) -> Json:
    """What there is to choose: the class and attributes of a network or of a naive Bayes, and what is chosen to begin with."""
    has_model = not isinstance(model, ODD) or model.source is not None
    said: Json = {"sentence": repr(model), "kind": type(model).__name__, "model": has_model}
    said |= {"attributes": [v.name for v in model.variables], "network": None, "choice": None}
    if isinstance(model, NaiveBayes):
        return {**said, "network": _naive(model)}  # as it is unless something else is chosen
    if isinstance(model, NetworkClassifier):
        choice: Json = {"class": model.class_name, "positive": model.positive, "attributes": list(model.attributes)}
        network = model.network
    elif isinstance(model, Network):
        inner = [node.name for node in model.nodes if node.name not in model.leaves and len(node.values) > 1]
        class_, network = (inner or [model.nodes[0].name])[0], model
        choice = {"class": class_, "positive": None, "attributes": _begin_with(network, class_)}
    else:
        return said
    return {**said, "network": _network(network.variables, network.leaves), "choice": choice}


def _network(variables: Iterable[Variable], leaves: Iterable[str]) -> Json:
    values = [{"name": v.name, "values": list(v.values)} for v in variables]
    return {"variables": values, "leaves": list(leaves), "own": None}


def _naive(model: NaiveBayes) -> Json:
    """A naive Bayes is a network too, one that says by itself what it decides."""
    class_ = Variable(model.class_name, model.class_values)
    found = _network([class_, *model.variables], [v.name for v in model.variables])
    return {**found, "own": {"class": model.class_name, "positive": model.positive, "attributes": None}}


def _begin_with(network: Network, class_: str) -> list[str] | None:
    """The attributes to begin with: the leaves, unless they are so many that a first look would take long."""
    leaves = [name for name in network.leaves if name != class_]
    return leaves[:FIRST_LEAVES] if len(leaves) > MOST_LEAVES else None
