# SPDX-License-Identifier: Apache-2.0
"""From whatever the caller has to a model, and from a model to its diagram."""

import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, nan
from typing import Any, Unpack, overload

from oddly import adapters, examples, native
from oddly.diagram import ODD, Certificate, Pair
from oddly.diagram.combine import combine
from oddly.diagram.sources import Choice, Tabled
from oddly.diagram.store import read_diagram
from oddly.engine import Engine, checked
from oddly.engine.order import Order
from oddly.engine.plan import Plan, plan
from oddly.errors import FormatError, ModelError, TooLarge, Unsupported
from oddly.formats import read_classifier
from oddly.lowering.score import Impossible
from oddly.model import Model
from oddly.model.numbers import Number, portion
from oddly.model.variable import keep
from oddly.runtime import LimitArguments, Limits, limited

log = logging.getLogger("oddly")


EXACT_NODES = 1 << 22  # of a diagram that is tried where two around it would do, unless the caller says
EXACT_MEMORY = 1 << 30  # bytes for that, likewise


@overload
def compile(
    model: Any,
    order: Order = "auto",
    *,
    error: None = None,
    impossible: Choice = "negative",
    engine: Engine = "auto",
    **limits: Unpack[LimitArguments],
) -> ODD: ...
@overload
def compile(
    model: Any,
    order: Order = "auto",
    *,
    error: Number,
    under: Any = None,
    impossible: Choice = "negative",
    engine: Engine = "auto",
    **limits: Unpack[LimitArguments],
) -> ODD | Pair: ...
def compile(
    model: Any,
    order: Order = "auto",
    *,
    error: Number | None = None,
    under: Any = None,
    impossible: Choice = "negative",
    engine: Engine = "auto",
    **limits: Unpack[LimitArguments],
) -> ODD | Pair:
    """The ordered decision diagram that decides as the model does, on every instance.

    `model` is a model, a model file's path, or "example:pregnancy" or "example:tic-tac-toe". `order` is a name (see
    `oddly.engine.order.arrange`), a list of attribute names, or `oddly.best_of(k)`. `impossible` is what an instance of
    probability zero is decided as, where there is a positive label; else it gets the first one. "apart" gives all of them a
    label of their own, "impossible", where there are probabilities. Work beyond the limits
    (`max_nodes`, `max_memory` bytes, `seconds`) stops with TooLarge; `progress` is called with (what, done, total) and
    may raise to stop it.

    With `error`, such as "0.001" or "0.1%", a model whose diagram is too large (by the limits, or beyond some four million
    nodes) becomes a `Pair`: two diagrams around it that differ on at most this share of all instances, by the distribution
    `under` ("model", "uniform", another model or rows, as in `oddly.count`). That is for sums of one weight per attribute.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.order, odd.size, odd.certificate.proven
    (('B', 'U', 'S'), 7, True)
    >>> oddly.compile(oddly.examples.pregnancy(), error="0.001").exact
    True
    """
    if error is None and under is not None:
        raise ModelError(
            "under weighs what two diagrams leave undecided; without error there is one, and it decides all"
        )
    if not native.AVAILABLE and engine == "auto":
        _say_once(native.WHY_NOT)
    with limited(limits, orders=True) as door:
        if error is None:
            return _built(model, order, impossible, engine)
        return _enclosed(as_model(model), order, impossible, engine, portion(error, "error"), under, door, limits)


def _built(model: Any, order: Order, impossible: Choice, engine: Engine) -> ODD:
    if impossible == "apart":
        return _kept(_apart(planned(model, order, engine=engine).build()))
    return _kept(planned(model, order, impossible, engine).build())


def _kept(odd: ODD) -> ODD:
    keep(odd, compiler=compile)
    return odd


def _enclosed(
    model: Model,
    order: Order,
    impossible: Choice,
    engine: Engine,
    error: Fraction,
    under: Any,
    door: Limits,
    limits: LimitArguments,
) -> ODD | Pair:
    """The diagram, if it fits into what the caller allows, or else into what is soon there; or two around it."""
    try:
        with limited(_exactly(door, limits)):
            return _built(model, order, impossible, engine)
    except TooLarge as why:
        if impossible == "apart" or not (model.naive or model).additive:
            sums = "two diagrams around a model are for sums of one weight per attribute that decide between two labels"
            raise TooLarge(f"{why}  ({sums}; this is another kind.)") from None
    from oddly.distribution.enclose import enclose

    found = enclose(model, order, impossible, error, under)
    return _kept(found) if isinstance(found, ODD) else found


def _exactly(door: Limits, limits: LimitArguments) -> LimitArguments:
    """The limits of the diagram itself: half of the time, and as much as the caller says."""
    seconds = limits.get("seconds")
    return {
        "max_nodes": limits.get("max_nodes") or door.max_nodes or EXACT_NODES,
        "max_memory": limits.get("max_memory") or min(door.max_memory, EXACT_MEMORY),
        "seconds": seconds and seconds / 2,
    }


def _apart(odd: ODD) -> ODD:
    """The same with one more label, for what is impossible; points know nothing that is."""
    if odd.source is None or odd.source.model.probabilistic is None:
        return odd
    labels = (*odd.labels, "impossible" if "impossible" not in odd.labels else "impossible input")
    found = combine(odd, odd.possible, lambda i, can: i if can else len(odd.labels), labels)
    return replace(found, source=Tabled(odd.source.model, "apart", odd.certificate))


def planned(model: Any, order: Order = "auto", impossible: Impossible = "negative", engine: Engine = "auto") -> Plan:
    """What `compile` would do; TooLarge if it surely does not fit."""
    if impossible not in ("negative", "positive"):
        raise ModelError(f"impossible: expected 'negative', 'positive' or 'apart', found {impossible!r}")
    return plan(as_model(model), order, impossible, checked(engine))


def as_model(thing: Any) -> Model:
    """Whatever the caller has, as a model."""
    if isinstance(thing, str | os.PathLike):
        kind, _, name = os.fspath(thing).partition(":")
        thing = examples.named(name) if kind == "example" else read_classifier(thing)
    if isinstance(thing, Model):
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
    odd = replace(read_diagram(path, trusted), compiler=compile)
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
    if isinstance(thing, Pair):
        raise Unsupported(
            "this question takes the diagram itself, and here are two around it.  oddly.count and oddly.compare say what a "
            "Pair settles, pair.classify decides single rows; or compile the model without error=, with a higher max_memory"
        )
    if is_diagram(thing):
        return load(thing)
    model = as_model(thing)
    order: Order = "auto"
    if like is not None:
        if like.source is not None:
            options.setdefault("impossible", like.source.impossible)
        order = in_order_of(model, like.order)
    odd: ODD = compile(model, options.pop("order", order), **options)
    return odd


def in_order_of(model: Model, order: Sequence[str]) -> list[str]:
    """The attributes of a model as far as possible in an order; those that it lacks come last."""
    names = [v.name for v in model.variables]
    shared = [name for name in order if name in names]
    return [*shared, *(name for name in names if name not in shared)]


def is_diagram(thing: Any) -> bool:
    """Whether a thing is a diagram, or the path of one."""
    path = os.fspath(thing) if isinstance(thing, str | os.PathLike) else ""
    return isinstance(thing, ODD) or path.lower().endswith(".odd")


def _say_once(sentence: str, said: set[str] = set()) -> None:  # noqa: B006 - the default is the memory
    if sentence not in said:
        said.add(sentence)
        log.warning(sentence)
