# SPDX-License-Identifier: Apache-2.0
"""Writing a file whole or not at all; a write that fails leaves the old file as it was."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from oddly.errors import FormatError


@contextmanager
def written_safely(path: str | os.PathLike[str]) -> Iterator[IO[Any]]:
    """A binary file that takes the name `path` only once it is complete and on disk.

    A link is followed; a pipe or a device, which cannot be half-written, is written to as it is.
    """
    path = named(path)
    if os.path.exists(path) and not os.path.isfile(path):  # before links are resolved: those of pipes lead nowhere
        with _opened(path) as file:
            yield file
        return
    try:
        path = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(prefix=".oddly-", dir=path.parent)
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from None
    except ValueError:
        raise FormatError(f"{os.fspath(path)!r}: not a name of a file") from None
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


def named(path: Any) -> Path:
    """A path, or an error where it is the name of nothing."""
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise FormatError(f"expected the name of a file, found {path!r}")
    return Path(path)
