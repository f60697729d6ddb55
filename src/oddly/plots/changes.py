# SPDX-License-Identifier: Apache-2.0
"""Plots of what changes decisions: rounding the numbers, changing attributes, counting with small points."""

from typing import TYPE_CHECKING, Any

from oddly.plots.axes import LINE, NEGATIVE, PALE, POSITIVE, axes, legend, name
from oddly.questions.robustness import Robustness
from oddly.questions.robustness import robustness as how_robust
from oddly.questions.rounding import Rounding
from oddly.questions.rounding import rounding as rounded
from oddly.questions.scorecard.curve import Curve
from oddly.questions.scorecard.question import Card
from oddly.questions.scorecard.question import scorecard as smallest_card

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def rounding(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """What part of all decisions changes if the numbers are rounded to so many digits?

    >>> import oddly
    >>> ax = rounding(oddly.examples.pregnancy())
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('digits after the point', [0.0])
    """
    found = model if isinstance(model, Rounding) else rounded(model)
    ax = axes(ax)
    parts = found.parts()
    for (label, steps), (style, colour) in zip(parts.items(), (("o-", POSITIVE), ("s--", NEGATIVE)), strict=False):
        ax.plot([step.digits for step in steps], [step.share for step in steps], style, color=colour, label=label)
    ax.set_xticks(range(1, 1 + max(len(steps) for steps in parts.values())))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("digits after the point")
    ax.set_ylabel("decisions that change")
    ax.yaxis.set_major_formatter(_percent)
    legend(ax)
    return ax


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
    ax.bar(
        [x + 0.2 for x in steps],
        shares,
        0.4,
        color=PALE,
        edgecolor=LINE,
        linewidth=0.8,
        label=f"under {name(found.under)}",
    )
    ax.set_xticks(list(steps), [found.needed(step) for step in found.histogram])
    ax.set_xlabel("changes that it takes to change the decision")
    ax.set_ylabel("share")
    ax.yaxis.set_major_formatter(_percent)
    legend(ax)
    return ax


def scorecard(odd_or_model: Any, most: int = 10, *, ax: "Axes | None" = None) -> "Axes":
    """What part of all decisions changes if no value may earn more than 1, 2, 3… points?

    Takes a diagram or a model, what `oddly.scorecard` answered, or its curve.

    >>> import oddly
    >>> scorecard(oddly.examples.pregnancy()).lines[0].get_xdata().tolist()
    [1, 2]
    """
    found = odd_or_model
    if not isinstance(found, Card | Curve):
        found = smallest_card(found)
    curve = found.curve(most) if isinstance(found, Card) else found
    ax = axes(ax)
    budgets = [budget.largest for budget in curve]
    ax.plot(budgets, [budget.share for budget in curve], "o-", color=POSITIVE, label="of all instances")
    under = curve[0].under if len(curve) else ""
    ax.plot(budgets, [b.probability for b in curve], "s--", color=NEGATIVE, label=f"under {name(under)}")
    ax.set_xticks(budgets)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("largest points of any value")
    ax.set_ylabel("decisions that change")
    ax.yaxis.set_major_formatter(_percent)
    legend(ax)
    return ax


def _percent(part: float, _: object) -> str:
    return f"{100 * part:.3g}%"
