# SPDX-License-Identifier: Apache-2.0
"""A file's text, and errors that point into it."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from pathlib import Path

from oddly.errors import FormatError

NO_TEXT = {
    BOM_UTF16_LE: "UTF-16 text; save it as UTF-8",
    BOM_UTF16_BE: "UTF-16 text; save it as UTF-8",
    b"\x1f\x8b": "compressed by gzip; unpack it first",
    b"PK\x03\x04": "an Excel workbook or a zip archive; save the sheet as .csv, or unpack it",
    b"PAR1": "a Parquet table, whatever its name says; call it .parquet",
    b"ARROW1": "an Arrow table, whatever its name says; call it .arrow",
    b"\x89ODDLY": "a diagram, whatever its name says; call it .odd",
}
"""How files begin that are no text in UTF-8, and what to do about it."""


@dataclass(frozen=True)
class Source:
    """A text and the name an error calls it by."""

    name: str
    text: str

    def error(self, at: int, message: str) -> FormatError:
        """The message with file, line and column before it, and below it the line with a caret.

        >>> print(Source("clinic.bif", "table 0.2, ;").error(11, "expected a number, found ';'"))
        clinic.bif:1:12  expected a number, found ';'
            table 0.2, ;
                       ^
        """
        at = min(max(at, 0), len(self.text))
        start = self.text.rfind("\n", 0, at) + 1
        column = at - start
        line = self.text[start : start + column + 100].split("\n", 1)[0].rstrip("\r")
        first = max(column - 60, 0)
        shown = line[first : first + 100].replace("\t", " ")
        place = f"{self.name}:{self.text.count(chr(10), 0, at) + 1}:{column + 1}"
        return FormatError(f"{place}  {message}\n    {shown}\n    {' ' * (column - first)}^")

    def offset(self, line: int, column: int) -> int:
        """Where a line (from 1) and column (from 0) lie in the text."""
        start = 0
        for _ in range(line - 1):
            found = self.text.find("\n", start)
            if found < 0:
                break
            start = found + 1
        return start + column


def read_bytes(path: Path) -> bytes:
    """A file's bytes, or an error that says why there are none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise FormatError(f"{str(path)!r}: not a name of a file") from None


def read_text(path: Path) -> str:
    """A file's text, or an error that says what is wrong with it."""
    data = read_bytes(path)
    for magic, what in NO_TEXT.items():
        if data.startswith(magic):
            raise FormatError(f"{path}: {what}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{path}:{line}  not UTF-8 text, at byte {error.start}; save it as UTF-8 (it may be Latin-1)"
        ) from None


def cut(message: str, most: int = 600) -> str:
    """The message, cut if a file's own names make it long."""
    return message if len(message) <= most else message[: most - 1] + "…"


def short(text: str, most: int = 40) -> str:
    """The text in quotes, cut if it is long."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")
