# SPDX-License-Identifier: Apache-2.0
"""The pieces of SVG that every drawing is made of; whatever they hold is escaped here."""

from collections.abc import Iterator
from html import escape

from oddly.answers.lettering import visible
from oddly.draw.curve import number
from oddly.draw.layout import SINK_HEIGHT, label_text, label_width
from oddly.draw.style import LETTERS, outline, stylesheet


def opening(width: float, height: float, title: str, description: str, labels: int) -> Iterator[str]:
    """What a drawing begins with: its size, itself in words, its style and the paper."""
    wide, high = number(width), number(height)
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" class="oddly" role="img" direction="ltr" '
        f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f"<desc>{escape(description)}</desc>"
    yield f"<style>{stylesheet(labels)}</style>"
    yield f'<rect class="paper" width="{wide}" height="{high}" rx="10"/>'


def row(left: float, y: float, width: float, height: float) -> str:
    """The strip behind a row."""
    return f'<rect class="band" {at(left, y - height / 2)} width="{number(width)}" height="{number(height)}" rx="6"/>'


def sink(label: int, name: str, x: float, y: float, state: str = "", caption: str = "") -> Iterator[str]:
    """A label in its own shape and colour, and perhaps a line below it."""
    yield f'<g transform="translate({number(x)} {number(y)})" data-label="{label}">{hint(name)}'
    yield f'<{outline(label, label_width(name), SINK_HEIGHT)} class="node to{label}{state}"/>'
    below = text("caption", 0, SINK_HEIGHT / 2 + 12, caption) if caption else ""
    yield text(f"label to{label}{state}", 0, 0, label_text(name)) + below + "</g>"


def text(look: str, x: float, y: float, words: str, tip: str | None = None) -> str:
    """Words, their middle at this height; a tip is what a reader sees when pointing at them."""
    baseline = y + 0.35 * LETTERS[look.split()[0]]
    return f'<text class="{look}" {at(x, baseline)}>{hint(tip) if tip else ""}{escape(words)}</text>'


def hint(tip: str) -> str:
    """What a reader sees when pointing at it."""
    return f"<title>{escape(visible(tip))}</title>"


def at(x: float, y: float) -> str:
    return f'x="{number(x)}" y="{number(y)}"'
