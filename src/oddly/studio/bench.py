# SPDX-License-Identifier: Apache-2.0
"""What a worker has at hand: the models that a question names, and the diagrams it has made of them.

A model is named by a *side*: {"id": hash, "choice": {...} or null, "edits": [[path, number], ...]}. Nothing in a
question is ever taken for the name of a file.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.engine import Progress
from oddly.errors import ModelError, UnknownName
from oddly.formats import chosen, model_from_json
from oddly.formats.choice import needs_class
from oddly.model import Model, Network
from oddly.studio.numbers import edited

Json = dict[str, Any]
KEPT = 8  # models and diagrams that a worker remembers


@dataclass
class Bench:
    """Models and diagrams, and how much may be done."""

    max_nodes: int
    progress: Progress | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    models: "OrderedDict[str, Model | Network]" = field(default_factory=OrderedDict)
    diagrams: "OrderedDict[str, ODD]" = field(default_factory=OrderedDict)

    @property
    def limits(self) -> Json:
        return {"max_nodes": self.max_nodes, "progress": self.progress}

    def model(self, asked: Json, name: str = "side") -> Model:
        """The model of a side, chosen and changed."""
        side = _side(asked, name)
        choice = side["choice"]
        found = chosen(
            self._opened(side["id"]), choice.get("class"), choice.get("positive"), None, choice.get("attributes")
        )
        if isinstance(found, Network):
            raise needs_class(found, side["name"])
        return edited(found, side["edits"])

    def diagram(self, asked: Json, name: str = "side") -> ODD:
        side = _side(asked, name)
        key = json.dumps([side["id"], side["choice"], side["edits"]], sort_keys=True)
        found: ODD = _remembered(self.diagrams, key, lambda: compile(self.model(asked, name), **self.limits))
        return found

    def _opened(self, id_: str) -> Model | Network:
        """A model as it was opened."""
        if id_ not in self.texts and id_ not in self.models:
            raise UnknownName("a model that was never opened")
        found: Model | Network = _remembered(self.models, id_, lambda: model_from_json(self.texts[id_]))
        return found


def _remembered(store: "OrderedDict[str, Any]", key: str, make: Callable[[], Any]) -> Any:
    if key not in store:
        store[key] = make()
        while len(store) > KEPT:
            store.popitem(last=False)
    store.move_to_end(key)
    return store[key]


# ---- questions as they come: anything may be in them ----


def text_of(asked: Json, name: str) -> str:
    found = asked.get(name)
    if not isinstance(found, str):
        raise ModelError(f"{name}: expected a text, found {found!r}")
    return found


def texts_of(asked: Json, name: str, most: int = 10_000) -> list[str]:
    found = asked.get(name) or []
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found) or len(found) > most:
        raise ModelError(f"{name}: expected a list of up to {most:,} texts")
    return found


def instance_of(asked: Json) -> dict[str, str]:
    found = asked.get("instance")
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ModelError("instance: expected a value for each of some attributes")
    return found


def _side(asked: Json, name: str) -> Json:
    """A side with everything in it, checked."""
    side = asked.get(name)
    if not isinstance(side, dict):
        raise ModelError(f"{name}: expected a model, found {side!r}")
    choice, edits = side.get("choice") or {}, side.get("edits") or []
    if not isinstance(choice, dict) or not isinstance(edits, list):
        raise ModelError(f"{name}: expected a choice and edits")
    for edit in edits:
        if not isinstance(edit, list) or len(edit) != 2 or not isinstance(edit[0], list):
            raise ModelError(f"edits: expected a path and a number, found {edit!r}")
        texts_of({"path": edit[0]}, "path")
    picked = {key: text_of(choice, key) for key in ("class", "positive") if choice.get(key) is not None}
    attributes = texts_of(choice, "attributes") or None
    return {
        "id": text_of(side, "id"),
        "name": str(side.get("name") or "the model"),
        "choice": {**picked, "attributes": attributes},
        "edits": edits,
    }
