# SPDX-License-Identifier: Apache-2.0
"""Answers as plots, with matplotlib: each function takes axes or makes them, and returns them.

No plot goes through pyplot, so none is shown or kept by itself: `ax.figure.savefig("sweep.png")`, or `ax.figure` in a
notebook. Each takes what its question takes, a diagram, a model or a file of either, or an answer that is there already.
"""

from oddly.plots.numbers import ranges, robustness, rounding, scorecard, sweep
from oddly.plots.sizes import orders, widths

__all__ = ["orders", "ranges", "robustness", "rounding", "scorecard", "sweep", "widths"]
