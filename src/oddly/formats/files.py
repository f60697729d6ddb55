# SPDX-License-Identifier: Apache-2.0
"""Reading and writing model files; the name's ending says the format, and a network's class is chosen on reading."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oddly.errors import FormatError, ModelError, Unsupported, listed
from oddly.formats.bif import bif_text, read_bif
from oddly.formats.bin_texts import bins_of_texts
from oddly.formats.hugin import hugin_text, read_hugin
from oddly.formats.json_model import model_from_json, model_to_json
from oddly.formats.scorecard_table import is_scorecard_table, read_scorecard_table, scorecard_table
from oddly.formats.text import Source, named, read_bytes, read_text, written_safely
from oddly.formats.uai import read_uai, uai_text
from oddly.formats.xml import parents_first, read_xml, xdsl_text, xmlbif_text
from oddly.model import Model, Network, Number, Scorecard, Variable

READERS = {".bif": read_bif, ".net": read_hugin, ".uai": read_uai}
XML = dict.fromkeys((".xmlbif", ".bifxml", ".xml"), xmlbif_text) | {".xdsl": xdsl_text}
WRITERS = {".bif": bif_text, ".net": hugin_text, ".uai": uai_text} | XML
READABLE = "models are read from .json .csv .bif .net .uai .xmlbif .xdsl"


def read(
    path: str | os.PathLike[str],
    *,
    class_: str | None = None,
    positive: str | None = None,
    threshold: Number | None = None,
    attributes: Sequence[str] | None = None,
) -> Model | Network:
    """The model in a file: .json, .csv (a scorecard), .bif, .net, .uai, .xmlbif, .xdsl.

    A network file gives a `Network`. With `class_`, and the other choices if wanted, it gives the classifier that
    `Network.classifier` makes of it.

    >>> import oddly, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     oddly.write(oddly.examples.pregnancy(), f"{folder}/model.bif")
    ...     oddly.read(f"{folder}/model.bif", class_="P", positive="yes", threshold="0.9")
    NaiveBayes: P=yes if Pr >= 0.9, prior 0.87, from 3 attributes (U, B, S)
    """
    return chosen(_read(Path(path)), class_, positive=positive, threshold=threshold, attributes=attributes)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a model or a network, and of no table."""
    return Path(path).suffix.lower() in (".json", *READERS, *XML)


def read_classifier(path: str | os.PathLike[str], **choices: Any) -> Model:
    """As `read`, for whoever needs something that decides: a network whose class is not chosen is an error."""
    return deciding(read(path, **choices), os.fspath(path))


def write(model: Model | Network, path: str | os.PathLike[str], *, digits: int | None = None) -> None:
    """Write the model to a file that reads back with the same numbers; the name's ending says the format.

    A number that the format cannot hold exactly is an error that names it. With `digits`, probabilities and points are
    first rounded to so many digits after the point; the threshold or cut-off stays. Network formats have no place for
    what a classifier chose: the class is chosen again on reading.

    >>> import oddly, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     oddly.write(oddly.examples.pregnancy(), f"{folder}/model.json")
    ...     oddly.read(f"{folder}/model.json") == oddly.examples.pregnancy()
    True
    """
    if not isinstance(model, Model | Network):
        raise Unsupported(f"expected a model to write, found {type(model).__name__}; oddly.save is for diagrams")
    text = _text(model if digits is None else model.rounded(digits, zeros=False), named(path))
    with written_safely(path) as file:
        file.write(text.encode())


def dropped(model: Model | Network, path: str | os.PathLike[str]) -> list[str]:
    """What a file of this name has no place for, as sentences; empty if it keeps everything."""
    suffix = Path(path).suffix.lower()
    network = as_network(model, str(path)) if suffix in WRITERS else None
    cut = suffix != ".json" and any(v.bins for v in (network or model).variables if suffix != ".csv" or _loses(v))
    notes = ["the cut points of numeric attributes; their labels are kept"] if cut else []
    if network is not None and not isinstance(model, Network):
        known = ", what is known of others" if model.evidence else ""
        choice = f"the choice of {model.class_name} as class, its threshold and attributes{known}"
        notes.append(f"{choice}; choose again on reading")
        notes += ["the counts it was learned from"] if model.learned else []
    if suffix == ".uai":
        notes.append("the names of variables and values; they become x0, x1, … and 0, 1, …")
    if suffix == ".xdsl" and network is not None and parents_first(network) is not network.nodes:
        notes.append("the order of the variables; parents are written first")
    return notes


def _loses(variable: Variable) -> bool:
    """Whether the labels of its intervals do not say where they are cut."""
    found = bins_of_texts(variable.values)
    return found is None or found[0] != variable.bins


def as_network(model: Model | Network, where: str = "model") -> Network:
    """The network of a model: its own, or of a naive Bayes the class as the one parent of every attribute."""
    if isinstance(model, Network):
        return model
    if model.probabilistic is None:
        raise Unsupported(f"{where}: a network file holds probabilities, not points; write .json")
    return model.probabilistic.as_network.network


def _read(path: Path) -> Model | Network:
    suffix = path.suffix.lower()
    if suffix in XML:
        return read_xml(read_bytes(path), str(path))
    if suffix == ".json":
        return model_from_json(read_text(path), str(path))
    if suffix == ".csv":
        return _read_csv(path)
    if suffix in READERS:
        return READERS[suffix](Source(str(path), read_text(path)))
    refused = {".dsl": "GeNIe's old format; save it as .xdsl", ".odd": "a diagram, not a model; oddly.load reads it"}
    if path.is_dir():
        raise FormatError(f"{path}: a directory, not a file")
    if suffix not in refused and not path.exists():
        raise FormatError(f"{path}: no such file")
    raise FormatError(f"{path}: {refused.get(suffix, f'{_kind(suffix)}; {READABLE}')}")


def _read_csv(path: Path) -> Scorecard:
    if not (text := read_text(path)).strip():
        raise FormatError(f"{path}: an empty file")
    if not is_scorecard_table(text):
        no_card = "a table of data, not a model (a scorecard has the columns attribute, value and points)"
        advice = f"Learn a model from it first: oddly learn {path} --target COLUMN -o model.json"
        raise FormatError(f"{path}: {no_card}.  {advice}")
    return read_scorecard_table(text, str(path))


def _text(model: Model | Network, path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix == ".json":
        return json.dumps(model_to_json(model), indent=1, ensure_ascii=False) + "\n"
    if suffix == ".csv":
        if not isinstance(model, Scorecard):  # a table of points has no place for any other kind
            raise Unsupported(f"{path}: only a scorecard with a cut-off is written as .csv; write .json")
        return scorecard_table(model)
    if suffix == ".odd":
        raise FormatError(f"{path}: a diagram, not a model; oddly.compile makes it, and its save writes it")
    if suffix not in WRITERS:
        raise FormatError(f"{path}: {_kind(suffix)}; write .json .csv .bif .net .uai .xmlbif or .xdsl")
    try:
        return WRITERS[suffix](as_network(model))
    except Unsupported as error:
        error.args = (f"{path}: {error}",)
        raise


def _kind(suffix: str) -> str:
    return f"a {suffix} file" if suffix else "a name without an ending, which would say the format"


def chosen(model: Model | Network, class_: str | None = None, **choices: Any) -> Model | Network:
    """The classifier that choices as in `read` make of a network, or of another made so; None leaves as it is."""
    choices = {name: value for name, value in choices.items() if value is not None}
    if class_ is None and not choices:
        return model
    if isinstance(model, Network):
        if class_ is None:
            raise ModelError(f"which variable is the class?  {advice(model)}")
        return model.classifier(class_, **choices)
    return model.choose(class_, **choices)


def deciding(model: Model | Network, where: str) -> Model:
    """The model, if it decides: a network whose class is not chosen is an error."""
    if isinstance(model, Network):
        raise ModelError(f"{where}: a network of {len(model.nodes)} variables decides nothing yet.  {advice(model)}")
    return model


def advice(network: Network) -> str:
    """How to choose, in this network's own names."""
    example = next((node.name for node in network.nodes if node.name not in network.leaves), network.nodes[0].name)
    choice = f"such as class_={example!r} (--class {example}), of: {listed(node.name for node in network.nodes)}"
    return f"Choose its class, {choice}.  Unless you name attributes, they are the leaves: {listed(network.leaves)}."
