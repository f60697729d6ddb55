# SPDX-License-Identifier: Apache-2.0
"""Families read attribute by attribute: what must be remembered on the way, and what each value adds.

The *frontier* at a depth is the attributes above it that share an unfinished family with one below. Their values are
the *context*: with it, the sums so far say all that matters. A family's numbers are added with its last attribute.
Contexts after which the same follows are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import listed
from oddly.lowering.distinct import distinct
from oddly.runtime import in_bytes, stopped

if TYPE_CHECKING:
    from oddly.lowering.families import Families

PLAIN, WITNESSED = 48, 112  # bytes that an entry may take while it is made, without a witness of ties and with one
Places = Sequence[int]
FEW = 1 << 10  # contexts that always fit
MOST = 1 << 32  # bytes of a depth's contexts, whatever else is allowed


@dataclass(frozen=True, eq=False)
class AttributeStep:
    """One attribute: for every context above it and each of its values, the next context and what is added."""

    following: NDArray[np.int64]
    """[contexts, values]"""
    weights: NDArray[Any]
    """[contexts, values, classes]"""
    alive: NDArray[np.bool_]
    """[contexts, values, classes]: false where the value makes the class impossible."""
    exact: NDArray[Any] | None
    """[contexts, values, classes]: additive witnesses, where there are any."""

    @property
    def contexts(self) -> int:
        return len(self.following)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """What follows, weights and what is possible, as the kernels take them."""
        following, weights, alive = map(np.ascontiguousarray, (self.following, self.weights, self.alive))
        return following, weights, alive.view(np.uint8)


def frontiers(scopes: Sequence[Sequence[int]], depths: int) -> list[list[int]]:
    """For each depth, the attributes above it that must be remembered."""
    last: dict[int, int] = {}
    for scope in scopes:
        for place in scope:
            last[place] = max(last.get(place, 0), max(scope))
    return [[a for a in range(k) if last.get(a, 0) >= k] for k in range(depths + 1)]


def check_contexts(families: "Families", memory: int) -> None:
    """TooLarge if the contexts of some depth would not fit, with the attributes that would have to be remembered."""
    arities = [len(v.values) for v in families.variables]
    each = families.classes * (WITNESSED if families.witnessed else PLAIN)
    for k, front in enumerate(frontiers(families.scopes, len(arities))[:-1]):
        contexts = prod(arities[a] for a in front)
        if contexts * (arities[k] * each + 8 * len(front)) > memory and contexts > FEW:
            names = listed(families.names[a] for a in front)
            needed = f"{contexts:,} combinations of the values of {names} to be told apart at attribute {k + 1} of "
            needed += f"{len(arities)}, more than {in_bytes(memory)} hold"
            raise stopped(needed, "", "order='auto'", "fewer attributes")


def steps(families: "Families") -> list[AttributeStep]:
    """The steps of all depths; contexts that make no difference are merged, unless they are to be kept apart."""
    check_contexts(families, MOST)
    arities = [len(v.values) for v in families.variables]
    fronts = frontiers(families.scopes, len(arities))
    found: list[AttributeStep] = []
    merged = np.zeros(1, np.int64)  # for each context of the depth below, the one that stands for it
    for k in range(len(arities) - 1, -1, -1):
        step = _step(families, k, arities, fronts[k], fronts[k + 1])
        following = merged[step.following]
        first, merged = (np.arange(step.contexts),) * 2 if families.apart else _alike(following, step)
        exact = None if step.exact is None else step.exact[first]
        found.append(AttributeStep(following[first], step.weights[first], step.alive[first], exact))
    return found[::-1]


def _step(families: "Families", k: int, arities: Places, here: Places, below: Places) -> AttributeStep:
    """The step of depth k, with a context for every combination of the frontier's values."""
    contexts = prod(arities[a] for a in here)
    grid = np.indices([arities[a] for a in here]).reshape(len(here), contexts)
    value = dict(zip(here, grid[:, :, None], strict=True)) | {k: np.arange(arities[k])[None, :]}
    following = np.zeros((contexts, arities[k]), np.int64)
    for a in below:
        following = following * arities[a] + value[a]
    shape = (contexts, arities[k], families.classes)
    weights, alive = np.zeros(shape, families.kind), np.ones(shape, bool)
    exact = np.zeros(shape, object) if families.witnessed else None
    for family in families.families:
        if family.scope[-1] == k:
            at = tuple(value[a] for a in family.scope)
            weights = weights + family.weights[at]
            alive &= family.alive[at]
            if exact is not None and family.exact is not None:
                exact = exact + family.exact[at]
    return AttributeStep(following, weights, alive, exact)


def _alike(following: NDArray[np.int64], step: AttributeStep) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contexts after which the same follows: the first of each kind, and the kind of every context."""
    if len(following) == 1:
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    tables = [following, step.weights, step.alive] + ([] if step.exact is None else [step.exact])
    return distinct([column for table in tables for column in table.reshape(len(following), -1).T])
