# SPDX-License-Identifier: Apache-2.0
"""What a worker has at hand: the models that a question names, and the diagrams it has made of them.

A model is named by a *side*: {"id": hash, "choice": {...} or null, "edits": [[path, number], ...]}. Nothing in a
question is ever taken for the name of a file; which files hold diagrams the server says. A diagram from a file is taken as
it is, and its model, if it has one, is where its numbers are changed.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from oddly.compiler import as_diagram, load
from oddly.diagram import ODD
from oddly.draw.bands import Bands, bands
from oddly.errors import FormatError, ModelError, OddlyError, UnknownName, Unsupported
from oddly.formats import chosen, model_from_json
from oddly.formats.files import deciding
from oddly.model import Model, Network
from oddly.model.classifier import edited
from oddly.runtime import Progress

T = TypeVar("T")
Json = dict[str, Any]
KEPT = 8  # models and diagrams that a worker remembers
DIGEST = 32  # bytes at the end of a diagram's file, which say what else is in it


@dataclass
class Bench:
    """Models and diagrams, and how much may be done."""

    max_nodes: int
    progress: Progress | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 60.0
    models: "OrderedDict[str, Model | Network | ODD]" = field(default_factory=OrderedDict)
    diagrams: "OrderedDict[str, ODD]" = field(default_factory=OrderedDict)
    groups: "OrderedDict[str, Bands]" = field(default_factory=OrderedDict)

    @property
    def limits(self) -> Json:
        return {"max_nodes": self.max_nodes, "progress": self.progress}

    def model(self, asked: Json, name: str = "side") -> Model:
        """The model of a side, chosen and changed."""
        side = _side(asked, name)
        opened, choice = self._opened(side), side["choice"]
        if isinstance(opened, ODD):
            return edited(_behind(opened, side["name"]), side["edits"])
        found = chosen(
            opened, choice.get("class"), positive=choice.get("positive"), attributes=choice.get("attributes")
        )
        return edited(deciding(found, side["name"]), side["edits"])

    def diagram(self, asked: Json, name: str = "side") -> ODD:
        side = _side(asked, name)
        opened = self._opened(side)
        if isinstance(opened, ODD) and not side["edits"]:
            return opened
        like = opened if isinstance(opened, ODD) else None

        def made() -> ODD:
            return as_diagram(self.model(asked, name), like=like, **self.limits)

        return _remembered(self.diagrams, _key(side), made)

    def bands(self, asked: Json) -> Bands:
        """The diagram of a side, its nodes in groups."""
        return _remembered(self.groups, _key(_side(asked, "side")), lambda: bands(self.diagram(asked)))

    def operand(self, asked: Json, name: str) -> Model | ODD:
        """A side to be compared with another: a diagram as it is, a model to be compiled like the other."""
        side = _side(asked, name)
        is_diagram = isinstance(self._opened(side), ODD)
        return self.diagram(asked, name) if is_diagram else self.model(asked, name)

    def has_model(self, asked: Json, name: str = "side") -> bool:
        """Whether there are numbers behind a side: a diagram that was combined from others has none."""
        opened = self._opened(_side(asked, name))
        return not isinstance(opened, ODD) or opened.source is not None

    def _opened(self, side: Json) -> Model | Network | ODD:
        """A model or a diagram as it was opened."""
        id_ = side["id"]
        if not any(id_ in known for known in (self.files, self.texts, self.models)):
            raise UnknownName("a model that was never opened")

        def read() -> Model | Network | ODD:
            return _loaded(Path(self.files[id_]), side) if id_ in self.files else model_from_json(self.texts[id_])

        return _remembered(self.models, id_, read)


def digest(path: Path) -> str:
    """What the file of a diagram says that it holds; `load` has checked that it does."""
    with path.open("rb") as file:
        file.seek(-DIGEST, 2)
        return file.read().hex()


def _loaded(path: Path, side: Json) -> ODD:
    try:
        found = load(path)
    except OddlyError as error:
        raise FormatError(str(error).replace(str(path), side["name"])) from None
    if digest(path) != side["id"]:
        raise FormatError(f"{side['name']}: the file has changed since it was opened.  Open it again.")
    return found


def _behind(odd: ODD, name: str) -> Model:
    if odd.source is None:
        raise Unsupported(f"{name}: a diagram that was combined from others; it has no model, and no numbers to change")
    return odd.source.model


def _key(side: Json) -> str:
    return json.dumps([side["id"], side["choice"], side["edits"]], sort_keys=True)


def _remembered(store: "OrderedDict[str, T]", key: str, make: Callable[[], T]) -> T:
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
