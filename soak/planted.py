# SPDX-License-Identifier: Apache-2.0
"""Bugs put in on purpose: an attack that does not find them is no attack."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np

import oddly
from oddly.questions.explain.reasons import Reasons


@contextmanager
def flipped_leaf() -> Iterator[None]:
    """One edge into the sinks ends at another label."""

    def bug(odd: Any) -> Any:
        if not odd.levels:
            return odd
        last = odd.levels[-1].copy()
        last[-1, -1] = (last[-1, -1] + 1) % len(odd.labels)
        return replace(odd, levels=(*odd.levels[:-1], last))

    with _compiled_with(bug):
        yield


@contextmanager
def dropped_breakpoint() -> Iterator[None]:
    """Two neighbouring nodes of a level are taken for one."""

    def bug(odd: Any) -> Any:
        for depth in range(1, len(odd.levels)):
            if len(odd.levels[depth]) > 2:
                above = np.where(odd.levels[depth - 1] == 1, 2, odd.levels[depth - 1]).astype(np.uint32)
                return replace(odd, levels=(*odd.levels[: depth - 1], above, *odd.levels[depth:]))
        return odd

    with _compiled_with(bug):
        yield


@contextmanager
def strict_threshold() -> Iterator[None]:
    """> for ≥: a tie is decided the other way."""
    real = oddly.compile

    def bug(model: Any, *arguments: Any, **keywords: Any) -> Any:
        if getattr(model, "ties", None) == "positive":
            model = model.replace(ties="negative")
        return real(model, *arguments, **keywords)

    with mock.patch.object(oddly, "compile", bug):
        yield


@contextmanager
def lost_reason() -> Iterator[None]:
    """The last of several reasons is not listed."""
    real = Reasons.__iter__

    def bug(self: Any) -> Any:
        found = list(real(self))
        return iter(found[:-1] if len(found) > 1 else found)

    with mock.patch.object(Reasons, "__iter__", bug):
        yield


PLANTED: dict[str, tuple[Callable[[], Any], str]] = {
    "a flipped leaf": (flipped_leaf, "engines"),
    "a dropped breakpoint": (dropped_breakpoint, "engines"),
    "> for ≥": (strict_threshold, "engines"),
    "a lost reason": (lost_reason, "questions"),
}
"""Each with the attack that must find it."""


@contextmanager
def _compiled_with(bug: Callable[[Any], Any]) -> Iterator[None]:
    real = oddly.compile
    with mock.patch.object(oddly, "compile", lambda *a, **k: bug(real(*a, **k))):
        yield
