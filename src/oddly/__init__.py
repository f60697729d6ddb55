# SPDX-License-Identifier: Apache-2.0
"""Oddly: ask a classifier about every possible input at once, exactly.

import oddly
odd = oddly.compile(oddly.examples.pregnancy())
odd.count("yes"), odd.instances
"""

from typing import TYPE_CHECKING, Any

from oddly import examples
from oddly.compiler import compile
from oddly.diagram import ODD, Certificate, ReducedODD, load, save
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
from oddly.model import CPT, NaiveBayes, Points, Scorecard
from oddly.order import best_of
from oddly.questions.added_rows import added_rows
from oddly.questions.allowed import allowed
from oddly.questions.combine import combine
from oddly.questions.compare import compare
from oddly.questions.counting import count
from oddly.questions.features import expression_diagram, must_hold
from oddly.questions.listing import instances
from oddly.questions.regimes import regimes
from oddly.questions.rounding import rounding
from oddly.questions.sampling import sample

if TYPE_CHECKING:
    from oddly import draw

    __version__: str

__all__ = [
    "CPT",
    "ODD",
    "Certificate",
    "FormatError",
    "ModelError",
    "NaiveBayes",
    "OddlyError",
    "Points",
    "ReducedODD",
    "Scorecard",
    "TooLarge",
    "UnknownName",
    "UnknownValue",
    "Unsupported",
    "added_rows",
    "allowed",
    "best_of",
    "combine",
    "compare",
    "compile",
    "count",
    "draw",
    "examples",
    "expression_diagram",
    "instances",
    "learn",
    "load",
    "must_hold",
    "read",
    "regimes",
    "rounding",
    "sample",
    "save",
    "write",
]


def __getattr__(name: str) -> Any:
    """What few programs ask for is imported when they do."""
    if name == "draw":
        import oddly.draw

        return oddly.draw
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("oddly")
        except PackageNotFoundError:  # run from a source tree that was never installed
            return "0+unknown"
    raise AttributeError(f"module 'oddly' has no attribute {name!r}")
