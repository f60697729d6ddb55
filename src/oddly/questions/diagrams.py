# SPDX-License-Identifier: Apache-2.0
"""Whatever the caller has, as a diagram: a diagram, a model, or the path of either."""

import os
from typing import Any

from oddly.compiler import as_model, compile
from oddly.diagram import ODD, load
from oddly.errors import ModelError


def as_diagram(thing: Any, *, like: ODD | None = None, **limits: Any) -> ODD:
    """The diagram of a thing; a model is compiled as `like` was: in its order, what that lacks coming last, and
    with its choice for impossible instances."""
    for name in ("max_nodes", "max_memory"):
        limit = limits.get(name)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
            raise ModelError(f"{name}: expected a number, found {limit!r}")
    if isinstance(thing, ODD):
        return thing
    if is_diagram(thing):
        return load(thing)
    model = as_model(thing)
    if like is None:
        return compile(model, **limits)
    if like.source is not None:
        limits.setdefault("impossible", like.source.impossible)
    names = [v.name for v in model.variables]
    shared = [name for name in like.order if name in names]
    return compile(model, [*shared, *(name for name in names if name not in shared)], **limits)


def is_diagram(thing: Any) -> bool:
    """Whether a thing is a diagram, or the path of one."""
    return isinstance(thing, ODD) or (
        isinstance(thing, str | os.PathLike) and os.fspath(thing).lower().endswith(".odd")
    )
