# SPDX-License-Identifier: Apache-2.0
"""Can a file be forged so that something false is called proven?  The digests are right, whatever was changed."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import oddly
from soak.deciding import Subject, decided, hold
from soak.specs import spec

TOOL = Path(__file__).parents[1] / "tools" / "verify_certificate.py"


def diagrams(r: Random, folder: Path) -> int:
    """A leaf or an edge is another, and the header is lied about: refused, or decides as the oracle says, or says it is not proven."""
    subject = Subject(spec(r))
    odd, path = subject.odd, folder / "forged.odd"
    odd.save(path)
    header = header_of(path)
    levels = [level.copy() for level in odd.levels]
    if levels and r.random() < 0.9:
        level = r.choice(levels)
        below = len(odd.labels) if level is levels[-1] else len(levels[[x is level for x in levels].index(True) + 1])
        level[tuple(r.randrange(n) for n in level.shape)] = r.randrange(below)
    _lie(r, header)
    rewrite(path, header, levels)
    try:
        loaded = oddly.load(path)
    except oddly.OddlyError:
        return 1
    if (
        loaded.unproven is None
        and loaded.source.model == odd.source.model
        and loaded.source.impossible == odd.source.impossible
    ):
        hold(
            np.array_equal(decided(loaded, subject.codes()), subject.table.reshape(-1)),
            "a forged diagram is called proven",
        )
    return 1


def _lie(r: Random, header: dict[str, Any]) -> None:
    source = header["source"]
    lies = [
        lambda: header.update(source=None),
        lambda: source.update(table=None),
        lambda: source.update(table={"closest": 9, "ties": 0, "error": 0}),
        lambda: source.update(bits=r.choice([64, 128, 256, 0, "64"])),
        lambda: source.pop("bits"),
        lambda: header.update(version=r.choice([1, 2, 3])),
        lambda: header["diagrams"][0].update(role=r.choice(["exact", "lower"])),
        lambda: header.update(labels=header["labels"][::-1]),
        lambda: None,
    ]
    r.choice(lies)()


def certificates(r: Random, folder: Path) -> int:
    """A certificate with some of it changed: the checker rejects it, or what it verifies is true."""
    subject = Subject(spec(r))
    if not subject.names:
        return 0
    odd = subject.odd
    label = r.choice(odd.labels)
    axis = r.randrange(len(subject.names))
    asked = [oddly.rules.never(label), oddly.rules.always(label), oddly.rules.ignores(subject.names[axis])]
    oddly.check(odd, asked).save_certificate(folder / "proof.json")
    text = json.loads((folder / "proof.json").read_text())
    hinges = subject.table.min(axis) != subject.table.max(axis)
    is_label = subject.table == odd.labels.index(label)
    true = [not is_label.any(), bool(is_label.all()), not hinges.any()]
    victim = r.randrange(3)
    entry = text["verdicts"][victim]
    kind = r.randrange(5)
    if kind == 0:
        entry["holds"] = not entry["holds"]
    elif kind == 1:
        entry["count"] = str(max(int(entry["count"]) + r.choice([-1, 1]), 0))
    elif kind == 2:
        entry["holds"], entry["count"], entry["case"] = True, "0", None
    elif kind == 3:
        del text["verdicts"][victim]
    else:
        text["verdicts"] = r.choice([[], {}, "", None])
    (folder / "proof.json").write_text(json.dumps(text))
    ran = subprocess.run([sys.executable, TOOL, folder / "proof.json"], capture_output=True, text=True, check=False)
    hold(ran.returncode in (1, 2) or all(true), "the checker is content:", ran.stdout[-300:])
    return 1


def header_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    found: dict[str, Any] = json.loads(data[16 : 16 + int.from_bytes(data[8:16], "little")])
    return found


def rewrite(path: Path, header: dict[str, Any], levels: list[Any]) -> None:
    """The file with another header and other levels, and with the right digest."""
    text = json.dumps(header).encode()
    body = path.read_bytes()[:8] + len(text).to_bytes(8, "little") + text
    for level in levels:
        body += bytes(-len(body) % 64) + np.ascontiguousarray(level, "<u4").tobytes()
    path.write_bytes(body + hashlib.blake2b(body, digest_size=32).digest())
