# SPDX-License-Identifier: Apache-2.0
"""Oddly: ask a classifier about every possible input at once, exactly.

import oddly
odd = oddly.compile(oddly.examples.pregnancy())
odd.count("yes"), odd.instances
"""

from importlib.metadata import PackageNotFoundError, version

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

try:
    __version__ = version("oddly")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

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
    "best_of",
    "compile",
    "examples",
    "learn",
    "load",
    "read",
    "save",
    "write",
]
