# SPDX-License-Identifier: Apache-2.0
"""From a model to its diagram, raising the precision until every decision is proven."""

import logging
import os
from collections.abc import Iterator
from typing import Any

from oddly import examples, native
from oddly.diagram import ODD
from oddly.engine import Engine, Progress, Watch, build, free_memory
from oddly.errors import ModelError, Unsupported
from oddly.formats import read
from oddly.model import Model, NaiveBayes, NetworkClassifier, Scoreboard, Scorecard
from oddly.order import Order, arrange, is_search
from oddly.score import Impossible, lower

log = logging.getLogger("oddly")

WIDEST = 1 << 13  # bits; no model met so far needed more than a few hundred


def compile(
    model: Any,
    order: Order = "ascending",
    *,
    impossible: Impossible = "negative",
    engine: Engine = "auto",
    max_nodes: int | None = None,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> ODD:
    """The ordered decision diagram that decides as the model does, on every instance.

    `model` is a model, a model file's path, or "example:pregnancy" or "example:tic-tac-toe". `order` is a name (see
    `oddly.order.arrange`), a list of attribute names, or `oddly.best_of(k)`. `impossible` is what an instance of
    probability zero is decided as. Work beyond `max_nodes`, or `max_memory` bytes (three quarters of what is free),
    stops with TooLarge. `progress` is called with (what, done, total) and may raise to stop the work.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.order, odd.size, odd.certificate.proven
    (('B', 'U', 'S'), 7, True)
    """
    model = as_model(model)
    if not native.AVAILABLE and engine == "auto":
        _say_once(native.WHY_NOT)
    limits = {
        "max_nodes": max_nodes,
        "max_memory": free_memory() * 3 // 4 if max_memory is None else max_memory,
        "progress": progress,
    }
    if is_search(order):
        order = _searched(model, order, impossible, engine, limits)
    return _proven(model, order, impossible, engine, limits)


def _proven(model: Model, order: Order, impossible: Impossible, engine: Engine, limits: dict[str, Any]) -> ODD:
    """Build at rising precision until the certificate holds; a margin does not depend on the order."""
    for bits in _precisions():
        score = lower(model, bits, impossible)
        odd = build(score.in_order(arrange(score, order)), Watch(**limits), engine)
        if not score.rounded or odd.certificate.proven:
            return odd
        log.info("%d bits do not settle every instance; trying more", bits)
    raise Unsupported(f"{WIDEST} bits do not settle every instance of this model")


def _searched(
    model: Model, order: Order, impossible: Impossible, engine: Engine, limits: dict[str, Any]
) -> tuple[str, ...]:
    """The order that a search finds. It only compares sizes, so it need not wait for a proof."""
    score = lower(model, 64, impossible)
    searcher: Engine = "auto" if engine == "reference" else engine
    places = arrange(score, order, searcher, limits["progress"], limits["max_memory"])
    return tuple(score.names[i] for i in places)


def as_model(thing: Any) -> Model:
    """Whatever the caller has, as a model."""
    if isinstance(thing, NaiveBayes | Scorecard | Scoreboard | NetworkClassifier):
        return thing
    if isinstance(thing, str | os.PathLike):
        kind, _, name = os.fspath(thing).partition(":")
        return examples.named(name) if kind == "example" else read(thing)
    raise ModelError(f"expected a model or a model file, found {type(thing).__name__}")


def _precisions() -> Iterator[int]:
    bits = 64
    while bits <= WIDEST:
        yield bits
        bits *= 2


def _say_once(sentence: str, said: set[str] = set()) -> None:  # noqa: B006 - the default is the memory
    if sentence not in said:
        said.add(sentence)
        log.warning(sentence)
