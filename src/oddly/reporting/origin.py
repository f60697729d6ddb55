# SPDX-License-Identifier: Apache-2.0
"""Where a report comes from: the model's digests, the versions, the date, the command that makes it again."""

import hashlib
import json
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from shlex import join
from typing import Any

import numpy as np

from oddly import native
from oddly.diagram import ODD
from oddly.formats import model_to_json
from oddly.model import Model


def canonical_json(model: Model) -> str:
    """A model as the one text that all files with the same numbers have: sorted keys, no spaces.

    >>> from oddly import examples
    >>> canonical_json(examples.pregnancy())[:40]
    '{"attributes":[{"given":{"no":["0.107","'
    """
    return json.dumps(model_to_json(model), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digests(file: Any, odd: ODD) -> list[tuple[str, str]]:
    """SHA-256 of the file and of the model in it, as far as there is one."""
    found = []
    if file is not None and os.path.isfile(file):
        with open(file, "rb") as data:
            found.append(("SHA-256 of the file", hashlib.file_digest(data, "sha256").hexdigest()))
    if odd.source is not None:
        numbers = canonical_json(odd.source.model).encode()
        found.append(("SHA-256 of the model", hashlib.sha256(numbers).hexdigest()))
    return found


def is_path(thing: Any) -> bool:
    return isinstance(thing, str | os.PathLike)


def named(file: Any, otherwise: str) -> str:
    """A classifier as a page calls it: by its file's name, or by what it is."""
    return otherwise if file is None else os.path.basename(os.fspath(file))


def described(odd: ODD) -> str:
    """What a classifier is, in a sentence."""
    return repr(odd) if odd.source is None else repr(odd.source.model)


def made() -> dict[str, str]:
    """The moment, or what SOURCE_DATE_EPOCH says it is, and the versions."""
    import oddly

    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    return {
        "date": moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "Oddly": str(oddly.__version__),
        "engine": "native, in C++" if native.AVAILABLE else "NumPy",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }


def command(
    model: Any,
    against: Any,
    rules: Any,
    cases: Iterable[Mapping[str, object]],
    protected: Sequence[str],
    under: Any,
    label: str | None,
    more: Sequence[str] = (),
    output: str = "report.html",
) -> str | None:
    """What to type for the same report; None where something came from a program and not from a file."""
    files = [thing for thing in (model, against, under) if thing is not None]
    if not all(map(is_path, files)) or not (rules is None or isinstance(rules, str | os.PathLike | list | tuple)):
        return None
    words = ["oddly", "report", os.fspath(model)]
    words += ["--against", os.fspath(against)] if against is not None else []
    if isinstance(rules, os.PathLike):
        words += ["--rules", os.fspath(rules)]
    else:
        words += [f"--rule={rule}" for rule in ([rules] if isinstance(rules, str) else rules or ())]
    words += [f"--case={case_text(case)}" for case in cases]
    words += [word for name in protected for word in ("--protected", name)]
    words += ["--under", os.fspath(under)] if under is not None else []
    words += ["--label", label] if label is not None else []
    return join([*words, *more, "-o", output])


def case_text(case: Mapping[str, object]) -> str:
    """A case as --case takes it.

    >>> case_text({"U": "+ve", "age": "[30, 40)"})
    'U=+ve,"age=[30, 40)"'
    """
    parts = [f"{name}={value}" for name, value in case.items()]
    return ",".join('"' + part.replace('"', '""') + '"' if set(part) & set(',"\n') else part for part in parts)
