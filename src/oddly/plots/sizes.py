# SPDX-License-Identifier: Apache-2.0
"""Plots of how large a diagram is: depth by depth, and over many orders of its attributes."""

from typing import TYPE_CHECKING, Any

from oddly.compiler import as_diagram
from oddly.diagram.sources import Tabled
from oddly.engine.order import BestOf, search
from oddly.errors import Unsupported
from oddly.plots.axes import INK, LINE, NEGATIVE, PALE, POSITIVE, axes, legend, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 10**300  # floats end not far above
MOST_NAMES = 24  # attributes that are named beside the axis


def widths(odd_or_model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """How many nodes are there at each depth, and how many could there be at most?

    The line is the bound of Theorem 3.2 for this order, as `odd.bound` adds it up: no more than there are prefixes, nor
    than one more than there are instances of what is left.

    >>> import oddly
    >>> [round(bar.get_height()) for bar in widths(oddly.examples.pregnancy()).patches]
    [1, 2, 2, 2]
    """
    odd = as_diagram(odd_or_model)
    ax = axes(ax)
    depths = range(len(odd.widths))
    ax.bar(depths, odd.widths, color=POSITIVE, width=0.72, zorder=2, label=f"{odd.size:,} nodes")
    bounds = [float(min(bound, MOST)) for bound in odd.bounds]
    ax.step(depths, bounds, where="mid", color=NEGATIVE, linewidth=1.4, zorder=3, label=f"bound, {odd.bound:,} in all")
    if max(bounds) > 50:
        ax.set_yscale("log")
    if len(odd.order) <= MOST_NAMES:
        ax.set_xticks(depths, [*map(name, odd.order), "decided"], rotation=45, ha="right")
    else:
        ax.set_xlabel("depth")
    ax.set_ylabel("nodes")
    legend(ax)
    return ax


def orders(odd_or_model: Any, tries: int = 100, *, seed: int = 0, ax: "Axes | None" = None) -> "Axes":
    """How large is the diagram in other orders of the attributes?

    The sizes of ascending, descending and `tries` random orders, as `oddly.best_of` tries them, and of the diagram's own.

    >>> import oddly
    >>> orders(oddly.examples.pregnancy(), 10).get_xlabel()
    'nodes'
    """
    odd = as_diagram(odd_or_model)
    if odd.source is None or isinstance(odd.source, Tabled):
        raise Unsupported("sizes over orders need the sums behind a diagram, and this one has none")
    tried = search(odd.source, BestOf(tries, seed))
    ax = axes(ax)
    random = [t.size for t in tried if t.name.startswith("random:")]
    if random:
        ax.hist(
            random,
            bins=_bins(random),
            color=PALE,
            edgecolor=LINE,
            linewidth=0.8,
            label=f"{len(random):,} random orders",
        )
    named = [t for t in tried if not t.name.startswith("random:")]
    for t, style in zip(named, ("--", "-.", ":"), strict=False):
        ax.axvline(t.size, color=NEGATIVE, linestyle=style, linewidth=1.3, label=f"{t.name}: {t.size:,}")
    ax.axvline(odd.size, color=INK, linewidth=1.3, label=f"this one: {odd.size:,}")
    ax.set_xlabel("nodes")
    ax.set_ylabel("orders")
    ax.yaxis.set_major_locator(_whole())
    legend(ax)
    return ax


def _whole() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True)


def _bins(sizes: list[int]) -> int | list[float]:
    """One bar a size where there are few of them."""
    least, most = min(sizes), max(sizes)
    return [size - 0.5 for size in range(least, most + 2)] if most - least < 30 else 30
