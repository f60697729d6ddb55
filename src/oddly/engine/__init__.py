# SPDX-License-Identifier: Apache-2.0
"""A score, or families, in some order become a diagram.

For scores there are three implementations of one function: `two_ended` in NumPy and, array for array, in C++, and
`reference` (Algorithms 1 and 2 of the paper as printed). For families there are two: `frontier` in NumPy and in C++.
All give the same diagram, node for node. `plan` looks at a model and says which of these it takes, or another way.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from oddly import native
from oddly.diagram import ODD
from oddly.diagram.together import fits_kernels
from oddly.engine import frontier, reference, two_ended
from oddly.engine.states import assemble, depths, finite_weights
from oddly.engine.two_ended import Level
from oddly.errors import UnknownName, Unsupported
from oddly.lowering import Families
from oddly.lowering.score import FINITE, Score
from oddly.runtime import Watch

Engine = Literal["auto", "native", "numpy", "reference"]
ENGINES = ("auto", "native", "numpy", "reference")

__all__ = ["ENGINES", "Engine", "build", "checked", "used", "widths"]


def build(score: Score | Families, watch: Watch | None = None, engine: Engine = "auto") -> ODD:
    """The ordered decision diagram that decides as the score does, its attributes in the score's order."""
    watch = watch or Watch()
    watch.attributes = len(score.variables)
    levels: Sequence[Level]
    if isinstance(score, Families):
        build_ = frontier.native_build if used(score, engine) == "native" else frontier.build
        levels, root = build_(score, watch)
    elif checked(engine) == "reference":
        levels, root = reference.build(score, watch)
    elif not score.terms:
        levels, root = [], score.outcomes[score.prior.state] if score.prior.state else int(score.start >= 0)
    else:
        levels, root = assemble(score, _finite_levels(score, watch, engine)), 0
    odd = ODD(score.variables, score.labels, tuple(levels), root, score.places, score)
    watch.done(odd.size)
    return odd


def widths(
    score: Score | Families,
    first: int = 0,
    last: int | None = None,
    watch: Watch | None = None,
    engine: Engine = "auto",
) -> list[int]:
    """The number of nodes at the depths first..last, without keeping the diagram."""
    last = len(score.variables) if last is None else last
    watch = watch or Watch()
    watch.attributes = len(score.variables)
    if isinstance(score, Families):
        return build(score, watch, engine).widths[first : last + 1]
    weights = _finite_part(score)
    if weights and used(score, engine) == "native":
        finite = two_ended.native_widths(score.start, weights, first, min(last, len(weights) - 1), watch)
    else:
        finite = [len(level) for level in _finite_levels(score, watch, engine)]
    return [depth.width for depth in depths(score, finite)[first : last + 1]]


def _finite_levels(score: Score, watch: Watch, engine: Engine) -> Sequence[Level]:
    """The levels of the finite sums: children among finite nodes only, one column per distinct weight."""
    weights = _finite_part(score)
    if weights is not None:
        build = two_ended.native_build if weights and used(score, engine) == "native" else two_ended.build
        return build(score.start, weights, watch)[0]
    levels = []
    live = score.prior.state == FINITE
    for terms in score.terms:  # no finite instance at all: the finite prefixes of a level are one node
        columns = len(finite_weights(terms))
        levels.append(np.zeros((int(live), columns), np.uint32))
        live = live and columns > 0
    return levels


def _finite_part(score: Score) -> list[list[int]] | None:
    """The distinct finite weights of each attribute; None if no instance is finite."""
    weights = [finite_weights(terms) for terms in score.terms]
    return weights if score.prior.state == FINITE and all(weights) else None


def checked(engine: Engine) -> Engine:
    """The engine, if there is one of this name."""
    if engine not in ENGINES:
        raise UnknownName.among("engine", engine, ENGINES)
    return engine


def used(score: Score | Families, engine: Engine = "auto") -> Engine:
    """Which engine builds this: "auto" is the kernels where they are and fit."""
    if checked(engine) == "reference":
        if isinstance(score, Families):
            raise Unsupported(
                "the reference engine adds up one weight per attribute for two classes; networks and many classes are "
                "built by engine='native' or engine='numpy'"
            )
        return "reference"
    fits = fits_kernels(score) if isinstance(score, Families) else score.bits <= 128
    if engine == "native" and not native.AVAILABLE:
        raise Unsupported(native.WHY_NOT)
    if engine == "native" and not fits:
        raise Unsupported(_too_wide(score))
    return "native" if engine != "numpy" and native.AVAILABLE and fits else "numpy"


def _too_wide(score: Score | Families) -> str:
    if isinstance(score, Score):
        return f"the native engine adds up to 128 bits, and this model needs {score.bits}"
    return (
        f"the native engine adds up 64 bits for each of up to {native.MOST_CLASSES} classes, and this model has "
        f"{score.classes} classes of {score.bits} bits"
    )
