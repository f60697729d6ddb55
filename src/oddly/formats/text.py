# SPDX-License-Identifier: Apache-2.0
"""Files as text: read with errors that point into them, parsed by a grammar, written whole or not at all."""

import errno
import os
import re
import secrets
import time
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oddly.errors import FormatError

if TYPE_CHECKING:
    from lark import Lark

NO_TEXT = {
    **dict.fromkeys((BOM_UTF16_LE, BOM_UTF16_BE), "UTF-16 text; save it as UTF-8"),
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


class Misfit(FormatError):
    """What is wrong at a place inside a text."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


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
        line, advice = data.count(b"\n", 0, error.start) + 1, "save it as UTF-8 (it may be Latin-1)"
        raise FormatError(f"{path}:{line}  not UTF-8 text, at byte {error.start}; {advice}") from None


def cut(message: str, most: int = 600) -> str:
    """The message, cut if a file's own names make it long."""
    return message if len(message) <= most else message[: most - 1] + "…"


def short(text: str, most: int = 40) -> str:
    """The text in quotes, cut if it is long."""
    return repr(cut(text, most))


PREFIX = ".oddly-"  # of a file that is not complete yet
ABANDONED = 3600  # seconds without a write, after which nobody works on such a file any more


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
        if path.is_symlink():  # what remains one leads round in a circle
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        _sweep(path.parent)
        name = path.parent / f"{PREFIX}{secrets.token_hex(8)}"  # known before it is there: no signal finds a gap
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from None
    except ValueError:
        raise FormatError(f"{os.fspath(path)!r}: not a name of a file") from None
    try:
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        name.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FormatError(f"{path}: cannot be written: {error.strerror}") from None
        raise


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed have left."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(PREFIX) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED:
                        os.unlink(entry.path)


def _opened(path: Path) -> IO[Any]:
    try:
        return path.open("wb")
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from None


def _umask() -> int:
    os.umask(mask := os.umask(0))
    return mask


def named(path: Any) -> Path:
    """A path, or an error where it is the name of nothing."""
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise FormatError(f"expected the name of a file, found {path!r}")
    return Path(path)


NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?![\w.])"
NUMBERS = rf"{NUMBER}(?:(?:\s++,?+\s*+|,\s*+){NUMBER})*+"
"""Numbers with spaces or commas between, as one token: a table of a hundred thousand is one match, not as many."""

_MARKS = ("LBRACE", "RBRACE", "LPAR", "RPAR", "LSQB", "RSQB", "SEMICOLON", "COMMA", "VBAR", "EQUAL")
PUNCTUATION = dict(zip(_MARKS, "{}()[];,|=", strict=True))  # by lark's names


@cache
def parser(grammar: str, builder: Any) -> "Lark":
    """An LALR parser that calls the builder's methods, named as the grammar's rules, as it goes."""
    from lark import Lark

    return Lark(grammar, parser="lalr", lexer="contextual", transformer=builder)


def parse(grammar: str, builder: Any, source: Source, names: Mapping[str, str]) -> Any:
    """What the text says; `names` are what an error calls tokens that are neither keywords nor punctuation."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    try:
        return parser(grammar, builder).parse(source.text)
    except Misfit as error:
        raise source.error(error.at, cut(str(error))) from None
    except UnexpectedToken as error:
        end = error.token.type == "$END"
        at = len(source.text.rstrip()) if end else int(error.token.start_pos or 0)
        found = "the end of the file" if end else _found(source.text, at)
        raise source.error(at, f"expected {_listed(error.accepts or error.expected, names)}, found {found}") from None
    except UnexpectedCharacters as error:
        at = int(error.pos_in_stream or 0)
        wanted = _listed(error.allowed or (), names)
        raise source.error(at, f"expected {wanted}, found {_found(source.text, at)}") from None
    except UnexpectedInput as error:
        raise FormatError(f"{source.name}: {error}") from None


def _found(text: str, at: int) -> str:
    word = re.compile(r"[\w.+\-]{1,40}|.", re.DOTALL).match(text, at)
    return short(word[0]) if word else "the end of the file"


def _listed(tokens: Iterable[str], names: Mapping[str, str]) -> str:
    kinds = [token for token in tokens if token not in ("$END", "IGNORED")]
    known = sorted({names.get(kind, f"'{PUNCTUATION.get(kind, kind.lower())}'") for kind in kinds})
    return one_of(known) if known else "the end of the file"


def one_of(phrases: Sequence[str]) -> str:
    """The phrases, as one lists alternatives.

    >>> one_of(["a name", "a number", "the end"])
    'a name, a number or the end'
    """
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


_FORMULA = re.compile(r"'*(?:[=@\t\r]|[+-].*[(|!])", re.DOTALL)


def defused(cell: str) -> str:
    """A cell that no spreadsheet runs: an apostrophe before what would be a formula.

    >>> defused("=cmd|' /C calc'!A0"), defused("+ve"), defused("-1.5"), defused("-1+cmd|x")
    ("'=cmd|' /C calc'!A0", '+ve', '-1.5', "'-1+cmd|x")
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def as_meant(cell: str) -> str:
    """The cell that was defused."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def comma_text(parts: Iterable[str]) -> str:
    """Texts with commas between, as a line of CSV has them and a command takes them.

    >>> comma_text(["B", "U, V"])
    'B,"U, V"'
    """
    special = re.compile(r'[,"\r\n]|^ |^$')
    return ",".join('"' + part.replace('"', '""') + '"' if special.search(part) else part for part in parts)
