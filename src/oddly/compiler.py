# SPDX-License-Identifier: Apache-2.0
"""From a model to its diagram, raising the precision until every decision is proven."""

import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan
from typing import Any, Unpack

from oddly import adapters, examples, native
from oddly.diagram import ODD, Certificate
from oddly.diagram.sources import Tabled
from oddly.diagram.store import read_diagram
from oddly.engine import ENGINES, Engine, build, numpy_only
from oddly.engine.chain import chain_order, decide_chain
from oddly.engine.choice import SMALL, needs_table, outline
from oddly.engine.fold import Level
from oddly.engine.table import MOST_INSTANCES, TableProof, decide_table, fits
from oddly.errors import FormatError, ModelError, TooLarge, UnknownName, Unsupported
from oddly.formats import read_classifier
from oddly.lowering import lowered
from oddly.lowering.score import Impossible
from oddly.model import Model, NaiveBayes, NetworkClassifier, Scoreboard, Scorecard
from oddly.order import Order, arrange, is_search
from oddly.runtime import LimitArguments, Watch, within

log = logging.getLogger("oddly")

WIDEST = 1 << 13  # bits; no model met so far needed more than a few hundred


def compile(
    model: Any,
    order: Order = "auto",
    *,
    impossible: Impossible = "negative",
    engine: Engine = "auto",
    **limits: Unpack[LimitArguments],
) -> ODD:
    """The ordered decision diagram that decides as the model does, on every instance.

    `model` is a model, a model file's path, or "example:pregnancy" or "example:tic-tac-toe". `order` is a name (see
    `oddly.order.arrange`), a list of attribute names, or `oddly.best_of(k)`. `impossible` is what an instance of
    probability zero is decided as, where there is a positive label; else it gets the first one. Work beyond the limits
    (`max_nodes`, `max_memory` bytes, `seconds`) stops with TooLarge; `progress` is called with (what, done, total) and
    may raise to stop it.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.order, odd.size, odd.certificate.proven
    (('B', 'U', 'S'), 7, True)
    """
    model = as_model(model)
    if engine not in ENGINES:
        raise UnknownName.among("engine", engine, ENGINES)
    if impossible not in ("negative", "positive"):
        raise ModelError(f"impossible: expected 'negative' or 'positive', found {impossible!r}")
    if not native.AVAILABLE and engine == "auto":
        _say_once(native.WHY_NOT)
    with within(limits, orders=True):
        if is_search(order) and not needs_table(model):
            order = _searched(model, order, impossible, engine)
        return _proven(model, order, impossible, engine)


def _proven(model: Model, order: Order, impossible: Impossible, engine: Engine) -> ODD:
    """Build at rising precision until the certificate holds; a margin does not depend on the order."""
    if needs_table(model):
        numpy_only(engine)
        return _tabled(model, order, impossible)
    for bits in _precisions():
        try:
            source = lowered(model, bits, impossible)
        except TooLarge as why:
            numpy_only(engine)
            return _chained(model, order, impossible, why)
        odd = build(source.in_order(arrange(source, order)), Watch(), engine)
        if not source.rounded or odd.certificate.proven:
            return odd
        if not source.witnessed and isinstance(model, NaiveBayes | NetworkClassifier):
            if fits(model, SMALL if bits == 64 else MOST_INSTANCES):  # what may be a tie is shown the sooner
                return _tabled(model, order, impossible)
            if bits > 128:
                raise Unsupported(
                    f"some instances lie within {odd.certificate.error:.1g} of a tie, and there are too many different "
                    "probabilities to show that they are ties"
                )
        log.info("%d bits do not settle every instance; trying more", bits)
    raise Unsupported(f"{WIDEST} bits do not settle every instance of this model")


def _tabled(model: Model, order: Order, impossible: Impossible) -> ODD:
    """The diagram of a model whose instances are decided one by one."""
    assert isinstance(model, NaiveBayes | NetworkClassifier)
    if is_search(order):
        raise Unsupported("a search for an order builds many diagrams, and each would take a table of all instances")
    watch = Watch(searches=False)
    places = arrange(outline(model), order)
    levels, root, proof = decide_table(model, places, impossible, watch)
    return _case_by_case(model, places, impossible, (levels, root, proof), watch)


def _chained(model: Model, order: Order, impossible: Impossible, why: TooLarge) -> ODD:
    """The diagram of a network that is too large for sums and tables, if its hidden variables form a chain."""
    if not isinstance(model, NetworkClassifier) or is_search(order):
        raise why
    watch = Watch(searches=False)
    try:
        places = chain_order(model) if order == "auto" else arrange(outline(model), order)
        found = decide_chain(model, places, watch)
    except Unsupported:
        raise why from None
    return _case_by_case(model, places, impossible, found, watch)


def _case_by_case(
    model: NaiveBayes | NetworkClassifier,
    places: list[int],
    impossible: Impossible,
    found: tuple[list[Level], int, TableProof],
    watch: Watch,
) -> ODD:
    levels, root, proof = found
    variables = tuple(model.variables[i] for i in places)
    source = Tabled(model, impossible, replace(proof.certificate, many=model.positive is None))
    odd = ODD(variables, model.labels, tuple(levels), root, tuple(places), source)
    watch.done(odd.size)
    return odd


def _searched(model: Model, order: Order, impossible: Impossible, engine: Engine) -> tuple[str, ...]:
    """The order that a search finds. It only compares sizes, so it need not wait for a proof."""
    score = lowered(model, 64, impossible)
    searcher: Engine = "auto" if engine == "reference" else engine
    places = arrange(score, order, searcher)
    return tuple(score.names[i] for i in places)


def as_model(thing: Any) -> Model:
    """Whatever the caller has, as a model."""
    if isinstance(thing, str | os.PathLike):
        kind, _, name = os.fspath(thing).partition(":")
        thing = examples.named(name) if kind == "example" else read_classifier(thing)
    if isinstance(thing, NaiveBayes | Scorecard | Scoreboard | NetworkClassifier):
        return thing
    return adapters.as_model(thing)


def load(path: str | os.PathLike[str], trusted: bool = False) -> ODD:
    """The diagram in a file, mapped into memory, and proven again to decide as the model it came with.

    The whole file is checked, every child included, and the diagram is held against its model: by its sums, or, where
    instances were decided one by one, by deciding them again. A file without a model, or with one that is too large to
    decide again, loads as *not proven* (`odd.unproven` says why). `trusted=True` skips all that for one's own files.

    >>> import oddly, tempfile
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     odd.save(f"{folder}/model.odd")
    ...     load(f"{folder}/model.odd") == odd
    True
    """
    odd = read_diagram(path, trusted)
    if trusted:
        return odd
    if isinstance(odd.source, Tabled):
        odd = _decided_again(odd, odd.source, path)
    if odd.unproven:
        log.warning("%s: not proven against its model: %s", os.fspath(path), odd.unproven)
    return odd


def _decided_again(odd: ODD, source: Tabled, path: str | os.PathLike[str]) -> ODD:
    """The same with a proof, its instances decided once more; or with the reason why that cannot be."""
    try:
        again = compile(source.model, list(odd.order), impossible=source.impossible)
    except (TooLarge, Unsupported) as error:
        none = Certificate(False, nan, 0, source.bits, inf, None, source.model.positive is None)
        return replace(odd, source=replace(source, certificate=none, why=f"it could not be decided again: {error}"))
    if again != odd:
        raise FormatError(f"{os.fspath(path)}: damaged; it contradicts the model it came with")
    return replace(odd, source=again.source)


def as_diagram(thing: Any, *, like: ODD | None = None, **options: Any) -> ODD:
    """The diagram of a thing; a model is compiled as `like` was: in its order, what that lacks coming last, and
    with its choice for impossible instances."""
    if isinstance(thing, ODD):
        return thing
    if is_diagram(thing):
        return load(thing)
    model = as_model(thing)
    if like is None:
        return compile(model, **options)
    if like.source is not None:
        options.setdefault("impossible", like.source.impossible)
    names = [v.name for v in model.variables]
    shared = [name for name in like.order if name in names]
    return compile(model, [*shared, *(name for name in names if name not in shared)], **options)


def is_diagram(thing: Any) -> bool:
    """Whether a thing is a diagram, or the path of one."""
    return isinstance(thing, ODD) or (
        isinstance(thing, str | os.PathLike) and os.fspath(thing).lower().endswith(".odd")
    )


def _precisions() -> Iterator[int]:
    bits = 64
    while bits <= WIDEST:
        yield bits
        bits *= 2


def _say_once(sentence: str, said: set[str] = set()) -> None:  # noqa: B006 - the default is the memory
    if sentence not in said:
        said.add(sentence)
        log.warning(sentence)
