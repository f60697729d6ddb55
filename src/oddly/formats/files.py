# SPDX-License-Identifier: Apache-2.0
"""Reading and writing model files; a write that fails leaves the old file as it was."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from oddly.errors import FormatError
from oddly.formats.json_model import model_from_json, model_to_json
from oddly.model import Model


def read(path: str | os.PathLike[str]) -> Model:
    """The model in a file."""
    path = Path(path)
    if path.suffix.lower() != ".json":
        raise FormatError(f"{path}: a {path.suffix or 'nameless'} file; models are read from .json")
    return model_from_json(read_text(path), str(path))


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model to a .json file that reads back equal, number for number."""
    text = json.dumps(model_to_json(model), indent=1, ensure_ascii=False) + "\n"
    with written_safely(path) as file:
        file.write(text.encode())


def read_text(path: Path) -> str:
    """A file's text, or an error that says what is wrong with it."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text, at byte {error.start}") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


@contextmanager
def written_safely(path: str | os.PathLike[str]) -> Iterator[IO[Any]]:
    """A binary file that takes the name `path` only once it is complete and on disk.

    A link is followed; a pipe or a device, which cannot be half-written, is written to as it is.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with _opened(path) as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FormatError(f"{path}: cannot be written: {error.strerror}") from None
        raise


def _opened(path: Path) -> IO[Any]:
    try:
        return path.open("wb")
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
