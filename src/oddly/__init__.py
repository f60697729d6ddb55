# SPDX-License-Identifier: Apache-2.0
"""Oddly: ask a classifier about every possible input at once, exactly.

import oddly
odd = oddly.compile(oddly.examples.pregnancy())
odd.count("yes"), odd.instances
"""

from importlib import import_module
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

if TYPE_CHECKING:
    from oddly import draw
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


LATER = {
    "added_rows": "oddly.questions.added_rows",
    "allowed": "oddly.questions.allowed",
    "combine": "oddly.questions.combine",
    "compare": "oddly.questions.compare",
    "count": "oddly.questions.counting",
    "expression_diagram": "oddly.questions.features",
    "instances": "oddly.questions.listing",
    "must_hold": "oddly.questions.features",
    "regimes": "oddly.questions.regimes",
    "rounding": "oddly.questions.rounding",
    "sample": "oddly.questions.sampling",
}
"""The questions by their modules: imported when they are asked, because importing all of them takes a while."""


def __getattr__(name: str) -> Any:
    """What few programs ask for is imported when they do."""
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
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


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
