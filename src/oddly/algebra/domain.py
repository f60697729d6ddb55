# SPDX-License-Identifier: Apache-2.0
"""Which inputs exist?  What a caller hands over as `within=`, resolved once into a diagram.

Many inputs of the product of all values cannot happen: impossible under the model, two one-hot columns at once, a pregnant
man. A *domain* is a set of inputs: an expression, a file of them, a diagram of two labels, "possible" (of probability above
zero under the model), or several, which is their conjunction. Its product with the classifier has one more label, *outside*.
Questions about single inputs leave that out; questions about pairs walk pairs of inputs neither of which is outside. (Gorji
and Rubin, *Sufficient reasons for classifier decisions in the presence of domain constraints*, 2022, study reasons so.)
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import numpy as np

from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import LONGEST, Expression, expression
from oddly.answers import Scope, as_features
from oddly.compiler import load
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.diagram.passes.sweep import path_sums
from oddly.diagram.refine import refined
from oddly.errors import FormatError, ModelError, OddlyError, TooLarge, UnknownName, Unsupported
from oddly.formats.text import read_text
from oddly.lowering.distinct import as_met
from oddly.model.shared import lying_in
from oddly.runtime import polled, room

OUTSIDE, MEMBERS = "outside", ("outside", "inside")
POSSIBLE = "possible"
CONVENTION = "impossible under the model, so its decision is a convention, and there is no reason for it"
Known = Mapping[int, int]
"""A partial assignment, by places: of attributes in a diagram's order, and of values."""
Within = Any
"""An expression, a file, a diagram, "possible", a domain, several of these, or None: all inputs."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The inputs that a question about a classifier is about."""

    odd: ODD
    """The classifier."""
    members: ODD | None = None
    """Labels "outside" and "inside", in the classifier's order; None: all inputs."""
    words: str | None = None
    """As the caller named it."""
    sides: tuple[ODD, ...] = ()
    """Whose models say what is possible; by default the classifier's."""

    @cached_property
    def product(self) -> ODD:
        """The classifier with one more label, "outside"; the classifier itself if all inputs are inside."""
        return self.cut(self.odd)

    def cut(self, odd: ODD) -> ODD:
        """A diagram over the same attributes with one more label, "outside"; itself if all inputs are inside."""
        if self.members is None:
            return odd
        outside, labels = len(odd.labels), (*odd.labels, OUTSIDE)
        return combine(odd, self.members, lambda i, inside: i if inside else outside, labels)

    def otherwise(self, odd: ODD, place: int) -> ODD:
        """A diagram over the same attributes in which what is outside has this label; itself if nothing is."""
        if self.members is None:
            return odd
        return combine(odd, self.members, lambda i, inside: i if inside else place)

    def narrowed(self, condition: ODD) -> ODD:
        """The inputs inside that a diagram of two labels says yes to, as such a diagram."""
        if self.members is None:
            return condition
        return combine(condition, self.members, lambda i, inside: int(i and inside))

    @cached_property
    def inside(self) -> ODD:
        """The members over all attributes of the classifier, labels "outside" and "inside"."""
        odd = self.odd
        levels = [np.zeros((1, arity), np.uint32) for arity in odd.arities]
        levels[-1:] = [level + np.uint32(1) for level in levels[-1:]]
        everywhere = ODD(odd.variables, MEMBERS, tuple(levels), int(not levels), odd.places)
        return everywhere if self.members is None else combine(everywhere, self.members, lambda _, i: i)

    @cached_property
    def scope(self) -> Scope:
        """What an answer says that it is about; how many inputs are impossible is left unsaid where that is too large."""
        return self.scope_given({})

    def scope_given(self, known: Known) -> Scope:
        """The same of the inputs that agree with what is known, by places."""
        impossible: int | None = None
        with suppress(TooLarge):
            impossible = 0 if self.words == POSSIBLE or self._lost is None else counted(self._lost, known)
        return Scope(self.words, counted(self.inside, known), self.odd.instances, impossible)

    @cached_property
    def _lost(self) -> ODD | None:
        """The inputs inside that are impossible under the model, under each of several; None if there are none."""
        sides = [side for side in self.sides or (self.odd,) if _says_possible(side)]
        if not sides or not all(side.impossible for side in sides):
            return None
        return combine(self.inside, possible_under(sides, self.odd), lambda inside, can: int(inside and not can))

    def size(self, condition: str) -> int:
        """How many inputs inside satisfy a condition; an empty one is always satisfied."""
        found = self.inside if not condition else self.narrowed(expression_diagram(condition, self.odd))
        return found.count(found.labels[1])

    def require(self, instance: Mapping[str, str], known: Known) -> None:
        """Refuse a case of which nothing is inside, with the reason."""
        if self.members is None or counted(self.inside, known):
            return
        why = "impossible under the model" if self.words == POSSIBLE else f"outside {self.words}"
        raise Unsupported(f"{as_features(instance) or 'every input'}: {why}, so there is nothing to say about it")


def domain_of(within: Within, odd: ODD, *sides: ODD) -> Domain:
    """What a caller means by `within=`, about a classifier; "possible" is under its model, or under one of several.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> domain_of(["S=-ve", "U=+ve or B=+ve"], odd).scope
    Scope(within='S=-ve and (U=+ve or B=+ve)', inputs=3, of=8, impossible=0)
    """
    if isinstance(within, Domain):
        members = within.members and _arranged(within.members, odd)
        return within if within.odd is odd else replace(within, odd=odd, members=members)
    if within is None:
        return Domain(odd, sides=sides)
    several = list(within) if isinstance(within, list | tuple) else [within]
    if not several:
        return Domain(odd, sides=sides)
    found = [_resolved(one, odd, sides or (odd,)) for one in several]
    members = reduce(lambda a, b: combine(a, b, lambda i, j: int(i and j)), [members for members, _ in found])
    return Domain(odd, members, _joined([words for _, words in found]), sides)


def require_possible(odd: ODD, instance: Mapping[str, str], known: Known) -> None:
    """Refuse a case that is impossible under the model: what it is decided as is a convention, without any reason."""
    if is_impossible(odd, known):
        raise Unsupported(f"{as_features(instance) or 'every input'}: {CONVENTION}")


def is_impossible(odd: ODD, known: Known) -> bool:
    """Is nothing possible under the model that agrees with what is known?  No, where that is too large to be told."""
    with suppress(TooLarge):
        return _says_possible(odd) and not counted(odd.possible, known)
    return False


def counted(members: ODD, known: Known) -> int:
    """How many members agree with what is known, by places: a sum over ones. The last label is theirs."""
    kind: Any = np.int64 if members.instances < 1 << 62 else object
    rows = [np.array([int(known.get(k, v) == v) for v in range(n)], kind) for k, n in enumerate(members.arities)]
    return int(path_sums(members.levels, members.root, len(members.labels), rows)[-1])


def possible_under(sides: Sequence[ODD], odd: ODD) -> ODD:
    """What at least one of these calls possible, in the order of a classifier that reads the attributes of all."""
    found = [_arranged(side.possible, odd) for side in sides if _says_possible(side)]
    if not found:
        _ = sides[0].possible  # which says why there is none
    return reduce(lambda a, b: combine(a, b, lambda i, j: int(i or j)), found)


def _says_possible(odd: ODD) -> bool:
    return odd.source is not None and odd.source.model.probabilistic is not None


def _resolved(one: Any, odd: ODD, sides: Sequence[ODD]) -> tuple[ODD, str]:
    """One part of a domain: its members in the classifier's order, and its words."""
    if isinstance(one, str) and one == POSSIBLE:
        return possible_under(sides, odd), one
    if isinstance(one, ODD):
        return _arranged(one, odd), "the given diagram"
    if isinstance(one, Expression):
        return _members(expression_diagram(one, odd)), str(one)
    if isinstance(one, os.PathLike) or (isinstance(one, str) and _names_file(one)):
        return _of_file(Path(one), odd), os.fspath(one)
    if not isinstance(one, str):
        raise ModelError(f"within: expected an expression, a file, a diagram or 'possible', found {one!r}")
    if not any(sign in one for sign in "={"):
        raise FormatError(f"within: {one!r} is no file, no expression such as NAME=VALUE, and not 'possible'")
    return _members(expression_diagram(one, odd)), " ".join(one.split())


def _names_file(text: str) -> bool:
    return text.lower().endswith(".odd") or (os.path.exists(text) and not os.path.isdir(text))


def _of_file(path: Path, odd: ODD) -> ODD:
    """A diagram, or conditions, one a line, that all hold; lines that begin with # are comments."""
    if path.suffix.lower() == ".odd":
        return _arranged(load(path), odd)
    text = read_text(path)
    if len(text) > LONGEST:
        raise FormatError(f"{path}: {len(text):,} characters; at most {LONGEST:,} of conditions are read")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    found = [_condition(line, f"{path}:{number}", odd) for number, line in lines if line and not line.startswith("#")]
    if not found:
        raise FormatError(f"{path}: no conditions")
    return reduce(lambda a, b: combine(a, b, lambda i, j: int(i and j)), found)


def _condition(line: str, where: str, odd: ODD) -> ODD:
    try:
        return _members(expression_diagram(expression(line, odd.variables), odd))
    except OddlyError as error:
        error.args = (f"{where}  {error}",)
        raise


def _members(odd: ODD) -> ODD:
    return replace(odd, labels=MEMBERS, source=None)


def _arranged(found: ODD, odd: ODD) -> ODD:
    """A diagram of two labels, whose last stands for inside, in the classifier's order."""
    if len(found.labels) != 2:
        raise Unsupported(
            f"a domain has two labels, and the diagram has {len(found.labels)}; take odd.is_(label) first"
        )
    for name in found.order:
        if name not in odd.order:
            raise UnknownName.among("attribute", name, odd.columns)
    return _valued(reordered(_members(found), [name for name in odd.order if name in found.order]), odd)


def _valued(found: ODD, odd: ODD) -> ODD:
    """The same members in the classifier's values, which may be finer; one that the diagram does not know is outside."""
    places = {v.name: lying_in(odd.attribute(v.name), v) for v in found.variables}
    own = {name: (odd.attribute(name), [max(at, 0) for at in place]) for name, place in places.items()}
    found = refined(found, own)
    for name, place in places.items():
        if min(place) < 0:
            known = np.array([[int(at >= 0) for at in place]], np.uint32)
            mask = ODD((odd.attribute(name),), MEMBERS, (known,), 0, (0,))
            found = combine(found, mask, lambda i, j: int(i and j))
    return found


def _joined(words: Sequence[str]) -> str:
    several = len(words) > 1
    return " and ".join(f"({text})" if several and (" or " in text or "->" in text) else text for text in words)


def reordered(odd: ODD, order: Sequence[str]) -> ODD:
    """The same function, its attributes read in another order: neighbouring levels change places, one after the other.

    Cost: a pass over two levels for each pair of attributes that stand the other way round; levels may grow on the way.
    """
    names, levels = list(odd.order), list(odd.levels)
    for place, name in enumerate(polled(order, "levels")):
        for k in reversed(range(place, names.index(name))):
            levels[k : k + 2] = _swapped(levels[k], levels[k + 1])
            names[k : k + 2] = names[k + 1], names[k]
    by_name = dict(zip(odd.order, zip(odd.variables, odd.places, strict=True), strict=True))
    variables, places = zip(*(by_name[name] for name in names), strict=True) if names else ((), ())
    return ODD(variables, odd.labels, tuple(levels), odd.root, places)


def _swapped(above: Any, below: Any) -> list[Any]:
    """Two neighbouring levels with their attributes in the other order."""
    paths = below[above]  # [nodes, values of the first, values of the second]
    room(8 * paths.size)
    rows, which = as_met(paths.transpose(0, 2, 1).reshape(-1, above.shape[1]))
    return [which.reshape(len(above), below.shape[1]).astype(np.uint32), rows]
