# SPDX-License-Identifier: Apache-2.0
"""Axes to plot on: the caller's, or new ones in the house's colours."""

from typing import TYPE_CHECKING

from oddly.answers.lettering import shortened, visible
from oddly.draw.style import LIGHT
from oddly.errors import Unsupported

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEGATIVE, POSITIVE = LIGHT.labels[0][0], LIGHT.labels[1][0]
INK, MUTED, LINE = LIGHT.ink, LIGHT.muted, LIGHT.line
PALE = LIGHT.labels[1][1]

LONGEST = 28  # columns of a name beside an axis


def axes(ax: "Axes | None", width: float = 6.4, height: float = 3.8) -> "Axes":
    """The axes given, or new ones of this size in inches."""
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise Unsupported("plots need matplotlib: pip install 'oddly[plots]'") from None
        ax = Figure(figsize=(width, height), layout="constrained").subplots()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def legend(ax: "Axes") -> None:
    """A legend without a frame, where there is something to tell."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")


def name(text: str, most: int = LONGEST) -> str:
    """A name from the user's model, as matplotlib shows it: dollars are dollars."""
    return shortened(visible(text), most).replace("$", r"\$")
