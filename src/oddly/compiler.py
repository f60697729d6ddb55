# SPDX-License-Identifier: Apache-2.0
"""From a model to its diagram, raising the precision until every decision is proven."""

import logging
import os
from collections.abc import Iterator
from typing import Any

from oddly import native
from oddly.diagram import ODD
from oddly.engine import Engine, Progress, Watch, build, free_memory
from oddly.errors import ModelError, Unsupported
from oddly.formats import read
from oddly.model import Model, NaiveBayes, Scorecard
from oddly.order import Order, arrange
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

    `model` is a model or a model file's path. `order` is a name (see `oddly.order.arrange`), a list of attribute
    names, or `oddly.best_of(k)`. `impossible` is what an instance of probability zero is decided as. Work beyond
    `max_nodes`, or `max_memory` bytes (three quarters of what is free), stops with TooLarge. `progress` is called
    with (what, done, total) and may raise to stop the work.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.order, odd.size, odd.certificate.proven
    (('B', 'U', 'S'), 7, True)
    """
    model = as_model(model)
    if not native.AVAILABLE and engine == "auto":
        _say_once(native.WHY_NOT)
    names: tuple[str, ...] | None = None
    for bits in _precisions():
        score = lower(model, bits, impossible)
        if names is None:
            names = tuple(score.names[i] for i in arrange(score, order, _search_engine(engine)))
        score = score.in_order([score.index(name) for name in names])
        watch = Watch(
            max_nodes=max_nodes, max_memory=max_memory or free_memory() * 3 // 4, progress=progress
        )
        odd = build(score, watch, engine)
        if not score.rounded or odd.certificate.proven:
            return odd
        log.info("%d bits do not settle every instance; trying more", bits)
    raise Unsupported(f"{WIDEST} bits do not settle every instance of this model")


def as_model(thing: Any) -> Model:
    """Whatever the caller has, as a model."""
    if isinstance(thing, NaiveBayes | Scorecard):
        return thing
    if isinstance(thing, str | os.PathLike):
        return read(thing)
    raise ModelError(f"expected a model or a model file, found {type(thing).__name__}")


def _precisions() -> Iterator[int]:
    bits = 64
    while bits <= WIDEST:
        yield bits
        bits *= 2


def _search_engine(engine: Engine) -> Engine:
    return "auto" if engine == "reference" else engine


def _say_once(sentence: str, said: set[str] = set()) -> None:  # noqa: B006 - the default is the memory
    if sentence not in said:
        said.add(sentence)
        log.warning(sentence)
