# SPDX-License-Identifier: Apache-2.0
"""From whatever the caller has to a model, and from a model to its diagram."""

import logging
import os
from dataclasses import replace
from math import inf, nan
from typing import Any, Unpack

from oddly import adapters, examples, native
from oddly.diagram import ODD, Certificate
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
from oddly.model.variable import keep
from oddly.runtime import LimitArguments, limited

log = logging.getLogger("oddly")


def compile(
    model: Any,
    order: Order = "auto",
    *,
    impossible: Choice = "negative",
    engine: Engine = "auto",
    **limits: Unpack[LimitArguments],
) -> ODD:
    """The ordered decision diagram that decides as the model does, on every instance.

    `model` is a model, a model file's path, or "example:pregnancy" or "example:tic-tac-toe". `order` is a name (see
    `oddly.engine.order.arrange`), a list of attribute names, or `oddly.best_of(k)`. `impossible` is what an instance of
    probability zero is decided as, where there is a positive label; else it gets the first one. "apart" gives all of them a
    label of their own, "impossible", where there are probabilities. Work beyond the limits
    (`max_nodes`, `max_memory` bytes, `seconds`) stops with TooLarge; `progress` is called with (what, done, total) and
    may raise to stop it.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> odd.order, odd.size, odd.certificate.proven
    (('B', 'U', 'S'), 7, True)
    """
    if not native.AVAILABLE and engine == "auto":
        _say_once(native.WHY_NOT)
    with limited(limits, orders=True):
        if impossible == "apart":
            odd = _apart(planned(model, order, engine=engine).build())
        else:
            odd = planned(model, order, impossible, engine).build()
        keep(odd, compiler=compile)
        return odd


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
    path = os.fspath(thing) if isinstance(thing, str | os.PathLike) else ""
    return isinstance(thing, ODD) or path.lower().endswith(".odd")


def _say_once(sentence: str, said: set[str] = set()) -> None:  # noqa: B006 - the default is the memory
    if sentence not in said:
        said.add(sentence)
        log.warning(sentence)
