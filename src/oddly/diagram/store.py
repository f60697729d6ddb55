# SPDX-License-Identifier: Apache-2.0
"""Diagrams in files, `.odd`: versioned, checksummed, mapped into memory.

    magic     8 bytes   b"\\x89ODDLY\\r\\n"
    header    8 bytes   its length, little-endian, then that many bytes of UTF-8 JSON
    levels              each a table of little-endian 32-bit children, at a multiple of 64 bytes
    digest    32 bytes  BLAKE2b of everything before it

The header holds the labels, the attributes with their values, the shape of each level, and the model the diagram
was built from, so that a loaded diagram can still be asked about its numbers. What a file says of its own proof counts
for nothing: a diagram that comes with a model is held against that model again. Version 2 lists the file's diagrams,
each with its role, so that there is room for two that enclose a third; version 1 had one, without a name.
"""

import hashlib
import json
import mmap
import os
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.certificate import Certificate
from oddly.diagram.sources import Source, Tabled
from oddly.diagram.zones import prove
from oddly.errors import FormatError, TooLarge, Unsupported
from oddly.formats import model_from_json, model_to_json
from oddly.formats.json_values import bins_entry, bins_of
from oddly.formats.text import written_safely
from oddly.lowering import lowered
from oddly.lowering.score import PRECISIONS, Impossible
from oddly.model import Model, Network, Variable
from oddly.model.variable import distinct, variable

if TYPE_CHECKING:
    from oddly.diagram.odd import ODD

File = str | os.PathLike[str]
Level = NDArray[np.uint32]
Variables = tuple[Variable, ...]
Labels = tuple[str, ...]

MAGIC = b"\x89ODDLY\r\n"
VERSION = 2
EXACT = "exact"  # the role of a diagram that decides as its model does
ALIGN = 64
DIGEST = 32
CHUNK = 1 << 24
MOST_LABELS = 1 << 16  # a label's place is two bytes at most


def save(odd: "ODD", path: File) -> None:
    """Write the diagram to a file; a save that fails leaves the old file as it was. The same as `odd.save(path)`."""
    from oddly.diagram.odd import ODD

    if not isinstance(odd, ODD):
        raise Unsupported(f"expected a diagram, found {type(odd).__name__}; oddly.write is for models")
    header = json.dumps(_header(odd), ensure_ascii=False).encode()
    digest = hashlib.blake2b(digest_size=DIGEST)
    with written_safely(path) as file:
        for piece in _pieces(header, odd.levels):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())


def read_diagram(path: File, trusted: bool = False) -> "ODD":
    """The diagram in a file, mapped into memory, and proven against its sums; a table of instances is not looked at.

    The whole file is checked once, every child included, so that no file can lead a kernel astray; `trusted=True`
    skips that, and the proof, for one's own large files. Cost: O(edges).
    """
    from oddly.diagram.odd import ODD

    data = _mapped(Path(path))
    header, start = _parse_header(data, path)
    if not trusted:
        _check_digest(data, path)
    try:
        variables = tuple(_variable(entry) for entry in header["attributes"])
        labels = variable("decision", header["labels"], "labels").values
        places = tuple(map(int, header["places"]))
        widths, root = _shape(header)
        _check_shape(variables, labels, places, widths)
        model = _read_model(header["source"], variables, labels)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"{path}: a damaged header ({error})") from None
    levels = _read_levels(data, start, variables, widths, path)
    if not trusted:
        _check_children(levels, labels, root, path)
    try:
        source = None if model is None else _proven(model, header["source"], (levels, root), variables, trusted)
    except AssertionError:
        raise FormatError(f"{path}: damaged; it contradicts the model it came with") from None
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: a damaged header ({error})") from None
    return ODD(variables, labels, tuple(levels), root, places, source)


def _variable(entry: dict[str, Any]) -> Variable:
    bins = bins_of(entry, f"attribute {entry['name']}")
    return variable(entry["name"], entry["values"], "attribute", bins)


def _shape(header: dict[str, Any]) -> tuple[list[int], int]:
    """How wide each level is, and where the root stands."""
    if header["version"] > 1:
        (header,) = header["diagrams"]
        if header["role"] != EXACT:
            raise ValueError(f"a diagram that is {header['role']!r}")
    return [int(w) for w in header["widths"]], int(header["root"])


def _read_levels(data: Any, at: int, variables: Variables, widths: list[int], path: File) -> list[Level]:
    levels: list[Level] = []
    for width, v in zip(widths, variables, strict=True):
        at += -at % ALIGN
        cells = width * len(v.values)
        if width < 1 or at + 4 * cells > len(data) - DIGEST:
            raise FormatError(f"{path}: a truncated file")
        levels.append(np.frombuffer(data, "<u4", cells, at).reshape(width, len(v.values)))
        at += 4 * cells
    return levels


def _header(odd: "ODD") -> dict[str, Any]:
    source = None
    if odd.source is not None:
        source = {
            "model": model_to_json(odd.source.model),
            "bits": odd.source.bits,
            "impossible": odd.source.impossible,
            **(_table(odd.source.certificate) if isinstance(odd.source, Tabled) else {}),
        }
    return {
        "version": VERSION,
        "labels": odd.labels,
        "attributes": [{"name": v.name, "values": v.values, **bins_entry(v.bins)} for v in odd.variables],
        "places": odd.places,
        "diagrams": [{"role": EXACT, "root": odd.root, "widths": odd.widths[:-1]}],
        "source": source,
    }


def _pieces(header: bytes, levels: tuple[NDArray[np.uint32], ...]) -> Iterator[Any]:
    head = MAGIC + len(header).to_bytes(8, "little") + header
    yield head
    at = len(head)
    for level in levels:
        padding = -at % ALIGN
        yield bytes(padding)
        yield np.ascontiguousarray(level, "<u4").view(np.uint8).data
        at += padding + 4 * level.size


def _mapped(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < len(MAGIC) + 8 + DIGEST:
                raise FormatError(f"{path}: not an .odd file")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def _parse_header(data: Any, path: File) -> tuple[dict[str, Any], int]:
    if data[: len(MAGIC)] != MAGIC:
        raise FormatError(f"{path}: not an .odd file")
    length = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 8], "little")
    start = len(MAGIC) + 8 + length
    if start + DIGEST > len(data):
        raise FormatError(f"{path}: a truncated file")
    try:
        header = json.loads(bytes(data[len(MAGIC) + 8 : start]))
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: a damaged header") from None
    if not isinstance(header, dict) or header.get("version") not in range(1, VERSION + 1):
        found = header.get("version") if isinstance(header, dict) else None
        raise FormatError(f"{path}: version {found} of the .odd format; this program reads 1 to {VERSION}")
    return header, start


def _read_model(source: dict[str, Any] | None, variables: Variables, labels: Labels) -> Model | None:
    if source is None:
        return None
    model = model_from_json(json.dumps(source["model"]), "its model")
    if isinstance(model, Network):
        raise ValueError("its model is a network without a class")
    own = labels[: -1 if source["impossible"] == "apart" else None]
    if set(model.variables) != set(variables) or model.labels != own:
        raise ValueError("the model has other attributes, values or labels than the diagram")
    if source["impossible"] not in (*get_args(Impossible), "apart"):
        raise ValueError(f"impossible is {source['impossible']!r}")
    return model


def _proven(
    model: Model, source: dict[str, Any], found: tuple[list[Level], int], variables: Variables, trusted: bool
) -> Source:
    """The numbers, lowered again, at a precision that proves the diagram; AssertionError if it decides otherwise.

    How many bits that takes is found out, not believed: with too few, near ties could stand the wrong way round.
    """
    least, impossible = int(source["bits"]), source["impossible"]
    if least not in PRECISIONS:
        raise ValueError(f"{least} bits")
    if "table" in source:
        known = _certificate(source["table"], model.positive is None) if trusted else None
        return Tabled(model, impossible, known)
    for bits in PRECISIONS[PRECISIONS.index(least) :]:
        try:
            score = lowered(model, bits, impossible)
        except (TooLarge, Unsupported):
            return Tabled(model, impossible, None)
        score = score.in_order([score.index(v.name) for v in variables])
        if trusted or prove(*found, score).proven:
            break
    return score


def _table(found: Certificate | None) -> dict[str, Any]:
    """What is kept of a proof that took the table of all instances."""
    if found is None:
        return {"table": None}
    closest = found.closest if isfinite(found.closest) else str(found.closest)  # JSON has neither inf nor nan
    return {"table": {"closest": closest, "ties": found.ties, "error": found.error}}


def _certificate(table: dict[str, Any] | None, many: bool) -> Certificate | None:
    if table is None:
        return None
    return Certificate(True, float(table["closest"]), int(table["ties"]), 64, float(table["error"]), None, many)


def _check_shape(variables: Variables, labels: Labels, places: tuple[int, ...], widths: list[int]) -> None:
    distinct([v.name for v in variables], "attributes", "name")
    if len(widths) != len(variables) or sorted(places) != list(range(len(variables))):
        raise ValueError("levels and attributes do not match")
    if len(labels) > MOST_LABELS or (widths and widths[0] != 1):
        raise ValueError("too many labels, or more than one root")


def _check_digest(data: Any, path: File) -> None:
    digest = hashlib.blake2b(digest_size=DIGEST)
    end = len(data) - DIGEST
    for at in range(0, end, CHUNK):
        digest.update(data[at : min(at + CHUNK, end)])
    if digest.digest() != data[end:]:
        raise FormatError(f"{path}: damaged; its checksum does not match")


def _check_children(levels: list[Level], labels: Labels, root: int, path: File) -> None:
    widths = [*(len(level) for level in levels), len(labels)]
    for depth, (level, below) in enumerate(zip(levels, widths[1:], strict=True)):
        if int(level.max()) >= below:
            raise FormatError(f"{path}: damaged; a child at depth {depth} points nowhere")
    if not 0 <= root < widths[0]:
        raise FormatError(f"{path}: damaged; the root points nowhere")
