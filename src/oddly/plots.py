# SPDX-License-Identifier: Apache-2.0
"""Answers as plots, with matplotlib: each function takes axes or makes them, and returns them.

What moving a number does, what changes decisions (rounding the numbers, changing attributes, counting with small points), and
how large a diagram is. No plot goes through pyplot, so none is shown or kept by itself: `ax.figure.savefig("sweep.png")`, or
`ax.figure` in a notebook. Each takes what its question takes, a diagram, a model or a file of either, or an answer that is
there already.
"""

from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from oddly.answers.lettering import shortened, visible
from oddly.compiler import as_diagram
from oddly.diagram.sources import Tabled
from oddly.draw.style import LIGHT
from oddly.engine.order import BestOf, search
from oddly.errors import Unsupported
from oddly.questions.allowed.families import AllowedZone
from oddly.questions.allowed.flips.layout import Flips, said_share
from oddly.questions.allowed.question import Allowed, allowed
from oddly.questions.allowed.ranges import Range
from oddly.questions.regimes import Regimes, regimes
from oddly.questions.robustness import Robustness
from oddly.questions.robustness import robustness as how_robust
from oddly.questions.rounding import Rounding
from oddly.questions.rounding import rounding as rounded
from oddly.questions.scorecard.curve import Curve
from oddly.questions.scorecard.question import Card
from oddly.questions.scorecard.question import scorecard as smallest_card

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drift", "orders", "ranges", "robustness", "rounding", "scorecard", "sweep", "widths"]

Number = Literal["prior", "threshold"]
WEIGHED = ("intercept", "log-odds", "weight", "points")  # numbers in the unit of sums
BEYOND = 0.35  # how far past the finite ends an open one is drawn, in parts of the whole
LONGEST = 28  # columns of a name beside an axis
MOST = 10**300  # floats end not far above
MOST_NAMES = 24  # attributes that are named beside the axis

(NEGATIVE, _), (POSITIVE, PALE) = LIGHT.labels[:2]
INK, MUTED, LINE = LIGHT.ink, LIGHT.muted, LIGHT.line
BAR: dict[str, Any] = {"color": PALE, "edgecolor": LINE, "linewidth": 0.8}


def sweep(odd_or_model: Any, number: Number = "prior", *, ax: "Axes | None" = None) -> "Axes":
    """How many instances are positive as the prior, or the threshold, moves?

    The step function of `oddly.regimes`, the number as it is now, and the range that changes no decision (`oddly.allowed`).

    >>> import oddly
    >>> sweep(oddly.examples.pregnancy()).get_xlabel()
    'Pr(P=yes)'
    """
    if number not in ("prior", "threshold"):
        raise Unsupported(f"a sweep is of the prior or the threshold, not of {number!r}")
    odd = as_diagram(odd_or_model)
    found, room = regimes(odd), allowed(odd)
    assert isinstance(room, Allowed)
    curve = found.by_prior if number == "prior" else found.by_threshold
    if curve is None:
        raise Unsupported(f"up to {found.count:,} regimes, too many to plot")
    ax = axes(ax)
    now = room.prior if number == "prior" else room.threshold
    edges = _framed(curve.edges, found, now)
    ax.stairs([float(n) for n in curve.positives], edges, baseline=None, color=POSITIVE, linewidth=1.6, zorder=3)
    if now is not None:
        shown = now.probability or now
        low, high = max(shown.low, edges[0]), min(shown.high, edges[-1])
        ax.axvspan(low, high, color=PALE, zorder=1, label="no decision changes")
        if found.now is not None and found.by_prior is not None:
            ax.plot([shown.now], [float(found.by_prior.positives[found.now])], "o", color=INK, markersize=5, zorder=5)
        ax.axvline(shown.now, color=INK, linewidth=1.2, linestyle="--", zorder=4, label=f"now {shown.texts()[2]}")
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
    return _labelled(ax, _named(found, number), f"instances decided {name(found.positive)}")


def ranges(odd_or_model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """How far may each weight move before any decision changes?  One bar a weight, and a dot where it is now.

    A bar that ends in an arrow goes on without end. Where there are no weights, as in a network, the probabilities of
    its tables take their place. Takes a diagram, a model or what `oddly.allowed` answered.

    >>> import oddly
    >>> [label.get_text() for label in ranges(oddly.examples.pregnancy()).get_yticklabels()][:2]
    ['log-odds of the prior', 'weight of U=+ve']
    """
    found = odd_or_model if isinstance(odd_or_model, Allowed | AllowedZone) else allowed(odd_or_model)
    kinds = WEIGHED if found.weights else ("entry",)
    numbers = [(path, said, r) for path, said, r in found.ranges() if r is not None and path[0] in kinds]
    rows = [(name(said, 2 * LONGEST), r) for path, said, r in numbers if path != ("log-odds", "threshold")]
    if not rows:
        raise Unsupported("there is no number here that could move a little")
    ax = axes(ax, height=1.0 + 0.26 * len(rows))
    ends = [x for _, r in rows for x in (r.low, r.high, r.now) if isfinite(x)]
    spread = (max(ends) - min(ends)) or 1.0
    left, right = min(ends) - BEYOND * spread / 4, max(ends) + BEYOND * spread / 4
    for place, (_, r) in enumerate(rows):
        low, high = max(r.low, left), min(r.high, right)
        ax.barh(place, high - low, left=low, height=0.55, **BAR, zorder=2)
        for x, open_, mark in ((low, not isfinite(r.low), "<"), (high, not isfinite(r.high), ">")):
            if open_:
                ax.plot(x, place, mark, color=LINE, markersize=5, zorder=3, clip_on=False)
    ax.plot([r.now for _, r in rows], range(len(rows)), "o", color=POSITIVE, markersize=5, zorder=4, linestyle="none")
    ax.set_yticks(range(len(rows)), [label for label, _ in rows])
    ax.set(xlim=(left, right), ylim=(len(rows) - 0.4, -0.6), xlabel=rows[0][1].unit)
    ax.axvline(0, color=MUTED, linewidth=0.6, zorder=1)
    return ax


def _framed(edges: Any, found: Regimes, now: Range | None) -> list[float]:
    """The edges of a sweep between 0 and 1, or for points a little past the outermost of all that is shown."""
    if found.unit != "points":
        return [0.0, *edges.tolist(), 1.0]
    inside = [*edges.tolist(), *([now.now] if now is not None else [])] or [0.0]
    margin = max((max(inside) - min(inside)) * 0.08, 1.0)
    return [min(inside) - margin, *edges.tolist(), max(inside) + margin]


def _named(found: Regimes, number: Number) -> str:
    if found.unit == "points":
        return "intercept" if number == "prior" else "cut-off"
    return f"Pr({name(found.class_name)}={name(found.positive)})" if number == "prior" else "threshold"


def rounding(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """What part of all decisions changes if the numbers are rounded to so many digits?

    >>> import oddly
    >>> ax = rounding(oddly.examples.pregnancy())
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('digits after the point', [0.0])
    """
    found = model if isinstance(model, Rounding) else rounded(model)
    tried = {what: {s.digits: s.share for s in steps if s.digits is not None} for what, steps in found.parts().items()}
    if not all(tried.values()):
        raise Unsupported("rounding to multiples has no digits to plot.  Plot rounding(model) instead.")
    ax = axes(ax)
    for (label, steps), (style, colour) in zip(tried.items(), (("o-", POSITIVE), ("s--", NEGATIVE)), strict=False):
        ax.plot(list(steps), list(steps.values()), style, color=colour, label=label)
    ax.set_xticks(sorted(set().union(*tried.values())))
    ax.set_ylim(bottom=0)
    return _shares(ax, "digits after the point", "decisions that change")


def robustness(odd_or_model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """How many attributes must change before a decision does?  The part of all instances, and of the population.

    >>> import oddly
    >>> [float(bar.get_height()) for bar in robustness(oddly.examples.pregnancy()).patches[:2]]
    [0.875, 0.125]
    """
    found = odd_or_model if isinstance(odd_or_model, Robustness) else how_robust(odd_or_model)
    ax = axes(ax)
    steps = range(len(found.histogram))
    shares = [float(step.probability) for step in found.histogram]
    ax.bar([x - 0.2 for x in steps], found.shares(), 0.4, color=POSITIVE, label="of all instances")
    ax.bar([x + 0.2 for x in steps], shares, 0.4, **BAR, label=f"under {name(found.under)}")
    ax.set_xticks(list(steps), [found.needed(step) for step in found.histogram])
    return _shares(ax, "changes that it takes to change the decision", "share")


def scorecard(odd_or_model: Any, most: int = 10, *, ax: "Axes | None" = None) -> "Axes":
    """What part of all decisions changes if no value may earn more than 1, 2, 3… points?

    Takes a diagram or a model, what `oddly.scorecard` answered, or its curve.

    >>> import oddly
    >>> scorecard(oddly.examples.pregnancy()).lines[0].get_xdata().tolist()
    [1, 2]
    """
    found = odd_or_model if isinstance(odd_or_model, Card | Curve) else smallest_card(odd_or_model)
    curve = found.curve(most) if isinstance(found, Card) else found
    ax = axes(ax)
    budgets = [budget.largest for budget in curve]
    ax.plot(budgets, [budget.share for budget in curve], "o-", color=POSITIVE, label="of all instances")
    under = curve[0].under if len(curve) else ""
    ax.plot(budgets, [b.probability for b in curve], "s--", color=NEGATIVE, label=f"under {name(under)}")
    ax.set_xticks(budgets)
    ax.set_ylim(bottom=0)
    return _shares(ax, "largest points of any value", "decisions that change")


def drift(odd_or_model: Any, flips: Any = "0.001", *, under: Any = None, ax: "Axes | None" = None) -> "Axes":
    """What share of cases changes if a number moves so far?  All weights in one plot, the prior and the steepest named.

    Each curve is a band between two proven bounds; the dashed line is the budget. Takes a diagram, a model, or what
    `oddly.allowed(…, flips=…)` answered.

    >>> import oddly
    >>> drift(oddly.examples.pregnancy(), "5%").get_xlabel()
    'move of the number, in log-odds'
    """
    found = odd_or_model if isinstance(odd_or_model, Flips) else allowed(odd_or_model, flips=flips, under=under)
    ax, budget = axes(ax, 4.2), float(found.flips) or 0.001
    for place, curve in enumerate(found.steepest()):
        told = place < len(LIGHT.labels) - 1
        look: dict[str, Any] = {"color": LIGHT.labels[place][0] if told else LINE, "zorder": 20 - place if told else 2}
        ax.fill_between(curve.by, curve.least, curve.most, alpha=0.25 if told else 0.1, linewidth=0, **look)
        label = name(curve.name) if told else None
        ax.plot(curve.by, curve.most, linewidth=1.6 if told else 0.7, alpha=1 if told else 0.35, label=label, **look)
    ax.axhline(budget, color=INK, linestyle="--", linewidth=1, zorder=21, label=f"{said_share(found.flips)} of cases")
    ax.axvline(0, color=MUTED, linewidth=0.6, zorder=1)
    ax.set(yscale="log", ylim=(budget / 100, 1))
    return _shares(ax, f"move of the number, in {found.unit}", f"cases that change, under {name(found.under)}")


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
    return _labelled(ax, "depth" if len(odd.order) > MOST_NAMES else ax.get_xlabel(), "nodes")


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
    from matplotlib.ticker import MaxNLocator  # which is there if axes are

    random = [t.size for t in tried if t.name.startswith("random:")]
    if random:
        ax.hist(random, bins=_bins(random), **BAR, label=f"{len(random):,} random orders")
    named = [t for t in tried if not t.name.startswith("random:")]
    for t, style in zip(named, ("--", "-.", ":"), strict=False):
        ax.axvline(t.size, color=NEGATIVE, linestyle=style, linewidth=1.3, label=f"{t.name}: {t.size:,}")
    ax.axvline(odd.size, color=INK, linewidth=1.3, label=f"this one: {odd.size:,}")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _labelled(ax, "nodes", "orders")


def _bins(sizes: list[int]) -> int | list[float]:
    """One bar a size where there are few of them."""
    least, most = min(sizes), max(sizes)
    return [size - 0.5 for size in range(least, most + 2)] if most - least < 30 else 30


# ---- axes ----


def axes(ax: "Axes | None", height: float = 3.8) -> "Axes":
    """The axes given, or new ones of this height in inches, in the house's colours."""
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise Unsupported("plots need matplotlib: pip install 'oddly[plots]'") from None
        ax = Figure(figsize=(6.4, height), layout="constrained").subplots()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _labelled(ax: "Axes", x: str, y: str) -> "Axes":
    """Axes that say what is along them, and a legend without a frame where there is something to tell."""
    ax.set(xlabel=x, ylabel=y)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _shares(ax: "Axes", x: str, y: str) -> "Axes":
    ax.yaxis.set_major_formatter(lambda part, _: f"{100 * part:.3g}%")
    return _labelled(ax, x, y)


def name(text: str, most: int = LONGEST) -> str:
    """A name from the user's model, as matplotlib shows it: dollars are dollars."""
    return shortened(visible(text), most).replace("$", r"\$")
