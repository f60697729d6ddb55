# SPDX-License-Identifier: Apache-2.0
"""Oddly: ask a classifier about every possible input at once, exactly.

import oddly
odd = oddly.compile(oddly.examples.pregnancy())
odd.count("yes"), odd.instances
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oddly import examples
from oddly.adapters import from_estimator, from_network
from oddly.compiler import compile, load
from oddly.diagram import ODD, Certificate, Interval, ReducedODD, Region, Regions, save
from oddly.errors import (
    FormatError,
    ModelError,
    OddlyError,
    TooLarge,
    UnknownName,
    UnknownValue,
    Unsupported,
)
from oddly.formats import read, write
from oddly.learning import learn
from oddly.model import (
    CPT,
    Bins,
    NaiveBayes,
    Network,
    NetworkClassifier,
    Node,
    Points,
    Scoreboard,
    Scorecard,
    Tally,
)
from oddly.order import best_of

if TYPE_CHECKING:
    from oddly import draw, plots
    from oddly.algebra.combine import combine
    from oddly.algebra.expression_diagram import expression_diagram
    from oddly.distribution.listing import instances
    from oddly.distribution.sampling import sample
    from oddly.questions.added_rows.question import added_rows
    from oddly.questions.allowed.question import allowed
    from oddly.questions.change.question import change
    from oddly.questions.check import rules
    from oddly.questions.check.question import check
    from oddly.questions.compare.question import compare
    from oddly.questions.count import count
    from oddly.questions.cross_validate import cross_validate
    from oddly.questions.explain.question import explain
    from oddly.questions.fairness.question import fairness
    from oddly.questions.importance.question import contributions, importance
    from oddly.questions.must_hold import must_hold
    from oddly.questions.regimes import regimes
    from oddly.questions.robustness import robustness
    from oddly.questions.rounding import rounding
    from oddly.questions.same_decision import same_decision
    from oddly.questions.scorecard.question import scorecard
    from oddly.questions.subset.question import subset
    from oddly.reporting import report

    __version__: str

__all__ = [
    "CPT",
    "ODD",
    "Bins",
    "Certificate",
    "FormatError",
    "Interval",
    "ModelError",
    "NaiveBayes",
    "Network",
    "NetworkClassifier",
    "Node",
    "OddlyError",
    "Points",
    "ReducedODD",
    "Region",
    "Regions",
    "Scoreboard",
    "Scorecard",
    "Tally",
    "TooLarge",
    "UnknownName",
    "UnknownValue",
    "Unsupported",
    "added_rows",
    "allowed",
    "best_of",
    "change",
    "check",
    "combine",
    "compare",
    "compile",
    "contributions",
    "count",
    "cross_validate",
    "draw",
    "examples",
    "explain",
    "expression_diagram",
    "fairness",
    "from_estimator",
    "from_network",
    "importance",
    "instances",
    "learn",
    "load",
    "must_hold",
    "plots",
    "read",
    "regimes",
    "report",
    "robustness",
    "rounding",
    "rules",
    "same_decision",
    "sample",
    "save",
    "scorecard",
    "subset",
    "write",
]


LATER = {
    "added_rows": "oddly.questions.added_rows.question",
    "allowed": "oddly.questions.allowed.question",
    "change": "oddly.questions.change.question",
    "check": "oddly.questions.check.question",
    "combine": "oddly.algebra.combine",
    "compare": "oddly.questions.compare.question",
    "contributions": "oddly.questions.importance.question",
    "cross_validate": "oddly.questions.cross_validate",
    "count": "oddly.questions.count",
    "explain": "oddly.questions.explain.question",
    "expression_diagram": "oddly.algebra.expression_diagram",
    "fairness": "oddly.questions.fairness.question",
    "importance": "oddly.questions.importance.question",
    "instances": "oddly.distribution.listing",
    "must_hold": "oddly.questions.must_hold",
    "regimes": "oddly.questions.regimes",
    "report": "oddly.reporting",
    "robustness": "oddly.questions.robustness",
    "rounding": "oddly.questions.rounding",
    "same_decision": "oddly.questions.same_decision",
    "sample": "oddly.distribution.sampling",
    "scorecard": "oddly.questions.scorecard.question",
    "subset": "oddly.questions.subset.question",
}
"""The questions by their modules: imported when they are asked, because importing all of them takes a while."""


ROOMS = {"draw": "oddly.draw", "plots": "oddly.plots", "rules": "oddly.questions.check.rules"}
"""Modules that are public as they are."""


def __getattr__(name: str) -> Any:
    """What few programs ask for is imported when they do."""
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    if name in ROOMS:
        return import_module(ROOMS[name])
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("oddly")
        except PackageNotFoundError:  # run from a source tree that was never installed
            return "0+unknown"
    raise AttributeError(f"module 'oddly' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
