# SPDX-License-Identifier: Apache-2.0
"""Drawings as files: the name's ending says what is drawn."""

import os
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args

from oddly.diagram import ODD
from oddly.draw.figure import figure
from oddly.draw.svg import svg
from oddly.draw.text import dot, text
from oddly.errors import FormatError, Unsupported
from oddly.formats.text import written_safely

Format = Literal["text", "svg", "dot", "png", "pdf"]
BY_SUFFIX: dict[str, Format] = {
    ".svg": "svg",
    ".dot": "dot",
    ".gv": "dot",
    ".txt": "text",
    ".png": "png",
    ".pdf": "pdf",
}
DOTS = 200  # an inch, of a PNG


def save(odd: ODD, path: str | os.PathLike[str], **options: Any) -> None:
    """Draw a diagram into a file: .svg, .png, .pdf (these need matplotlib), .dot, .gv or .txt.

    `options` are those of `svg`, `dot` or `text`. A save that fails leaves the old file.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in BY_SUFFIX:
        raise FormatError(f"{os.fspath(path)}: expected a name that ends in {', '.join(BY_SUFFIX)}")
    data = drawing(odd, BY_SUFFIX[suffix], **options)
    with written_safely(path) as file:
        file.write(data)


def drawing(odd: ODD, format: Format, **options: Any) -> bytes:
    """A drawing as the contents of a file; the same diagram always gives the same."""
    if format in ("png", "pdf"):
        return _figure(odd, format, options)
    draw: Any = {"svg": svg, "dot": dot, "text": text}.get(format)
    if draw is None:
        raise Unsupported(f"no drawing {format!r}; there are {', '.join(get_args(Format))}")
    found: str = draw(odd, **options)
    return (found if found.endswith("\n") else found + "\n").encode()


def _figure(odd: ODD, format: str, options: dict[str, Any]) -> bytes:
    drawn = figure(odd, **options)
    data = BytesIO()
    undated = {"CreationDate": None, "Producer": None, "Creator": "oddly"} if format == "pdf" else {"Software": "oddly"}
    drawn.savefig(data, format=format, dpi=DOTS, metadata=undated, facecolor=drawn.get_facecolor())
    return data.getvalue()
