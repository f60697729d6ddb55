# SPDX-License-Identifier: Apache-2.0
"""What a classifier may be held to: rules, as values that print as one writes them.

    monotone("age", "up")                  monotone up in age
    ignores("sex", "postcode")             ignores sex, postcode
    if_then("U=+ve and B=+ve", "yes")      if U=+ve and B=+ve then yes
    always("yes", "S=+ve")                 if S=+ve then yes
    never("no", "S=+ve")                   never no if S=+ve
    only_if("yes", "S=+ve or U=+ve")       never yes if S=-ve and U=-ve
    agrees("old.json", "0.001", "model")   agrees with old.json up to 0.001 under model

Each of these takes a condition, of the instances that it is about: `ignores("sex", condition="job=full")` is "ignores sex
if job=full". A rule that compares two instances is then about pairs of which both satisfy it.

`oddly.check` takes these, or the texts (`oddly.questions.check.language` has the grammar). A rule is *settled* on a diagram
once its names are checked and what it leaves open is filled in.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Literal, get_args

from oddly.algebra.expressions import All, Expression, Feature, expression, quoted
from oddly.diagram import ODD
from oddly.diagram.refine import Values
from oddly.errors import ModelError, Unsupported, listed
from oddly.model import MISSING_VALUE, Number
from oddly.model.numbers import as_written, exact, written
from oddly.model.variable import distinct

Direction = Literal["up", "down"]
EVERYTHING = All(())  # the condition that always holds


@dataclass(frozen=True)
class Monotone:
    """A step along an attribute's values, all else equal, never loses a label ("up"), or never gains it ("down")."""

    attribute: str
    direction: Direction
    values: Sequence[str] | None = None
    """In rising order; those left out are not compared. None: as the attribute lists them, without that for missing."""
    label: str | None = None
    """None: the positive one of two."""
    condition: str | Expression = EVERYTHING

    def __post_init__(self) -> None:
        where = f"monotone in {_text(self.attribute, 'monotone', 'an attribute')}"
        if self.direction not in get_args(Direction):
            raise ModelError(f"{where}: expected 'up' or 'down', found {self.direction!r}")
        if self.values is not None:
            if not _is_list(self.values) or not all(isinstance(value, str) for value in self.values):
                raise ModelError(f"{where}: expected a list of values, found {self.values!r}")
            object.__setattr__(self, "values", tuple(self.values))
        if self.label is not None:
            _text(self.label, where, "a decision")
        _given(self.condition, where)

    def settled(self, odd: ODD) -> "Monotone":
        variable = odd.attribute(self.attribute)
        ordered = variable.values if variable.bins is None else variable.values[: len(variable.bins.cuts) + 1]
        every = tuple(v for v in ordered if v != MISSING_VALUE)
        values = every if self.values is None else self.values
        distinct(values, f"the order of {self.attribute}", "value")
        for value in values:
            variable.index(value)
        if self.label is None and len(odd.labels) != 2:
            example = f"'monotone {self.direction} in {_named(self.attribute)} for {_named(odd.labels[0])}'"
            which = f"for which of the {len(odd.labels)} labels"
            raise Unsupported(f"monotone in {self.attribute}: say {which}, as in {example}")
        label = odd.labels[-1] if self.label is None else self.label
        odd.label_index(label)
        return replace(self, values=values, label=label, condition=condition_of(self.condition, odd))

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Neighbouring values of a settled rule, in the direction in which the label is never lost."""
        values = self.values or ()
        return list(pairwise(values if self.direction == "up" else values[::-1]))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All two values of a settled rule, in that direction: where those between may be missing."""
        values = self.values or ()
        return list(combinations(values if self.direction == "up" else values[::-1], 2))

    def __str__(self) -> str:
        label = "" if self.label is None else f" for {_named(self.label)}"
        order = "" if self.values is None else ": " + " < ".join(map(_named, self.values))
        return f"monotone {self.direction} in {_named(self.attribute)}{label}{order}{_where(self.condition)}"


@dataclass(frozen=True)
class Ignores:
    """No decision depends on these attributes."""

    attributes: tuple[str, ...]
    condition: str | Expression = EVERYTHING

    def __post_init__(self) -> None:
        if not self.attributes:
            raise ModelError("ignores: expected an attribute")
        found = self.attributes if _is_list(self.attributes) else (self.attributes,)
        names = tuple(_text(name, "ignores", "an attribute") for name in found)
        distinct(names, "ignores", "attribute")
        object.__setattr__(self, "attributes", names)
        _given(self.condition, "ignores")

    def settled(self, odd: ODD) -> "Ignores":
        for name in self.attributes:
            odd.attribute(name)
        return replace(self, condition=condition_of(self.condition, odd))

    def __str__(self) -> str:
        return f"ignores {', '.join(map(_named, self.attributes))}{_where(self.condition)}"


@dataclass(frozen=True)
class Implies:
    """Where a condition holds every decision is the label; or with `never`, none is."""

    condition: str | Expression
    label: str
    never: bool = False

    def __post_init__(self) -> None:
        where = "never" if self.never else "always"
        _text(self.label, where, "a decision")
        _given(self.condition, where)

    def settled(self, odd: ODD) -> "Implies":
        odd.label_index(self.label)
        return replace(self, condition=condition_of(self.condition, odd))

    def broken_by(self, label: str) -> bool:
        """Whether a decision where the condition holds breaks the rule."""
        return (label == self.label) == self.never

    def __str__(self) -> str:
        if self.never or self.condition == EVERYTHING:
            return f"{'never' if self.never else 'always'} {_named(self.label)}{_where(self.condition)}"
        return f"if {self.condition} then {_named(self.label)}"


@dataclass(frozen=True)
class Agrees:
    """Decisions are those of a baseline, but for instances of so much probability together."""

    baseline: Any
    """A model, a diagram, or the path of either."""
    up_to: Fraction = Fraction(0)
    """A decision that differs is no more probable than this."""
    under: Any = None
    """"model", "baseline", "uniform", or rows; None is the first of these that there is, if anything is to be weighed."""
    condition: str | Expression = EVERYTHING
    """Only instances that satisfy it count, and are weighed."""
    values: Values = "common"
    labels: Mapping[str, str] | None = field(default=None, hash=False)
    """As in `oddly.compare`, the baseline being the second."""

    def __post_init__(self) -> None:
        tolerance = exact(as_written(self.up_to), "up to")
        if not 0 <= tolerance <= 1:
            raise ModelError(f"up to: expected a probability, found {written(tolerance)}")
        object.__setattr__(self, "up_to", tolerance)
        _given(self.condition, "agrees")

    @property
    def weighed(self) -> bool:
        """Whether it is about probabilities; otherwise about every instance."""
        return bool(self.up_to) or self.under is not None

    def settled(self, odd: ODD) -> "Agrees":
        return replace(self, condition=condition_of(self.condition, odd))

    def __str__(self) -> str:
        files = [_named(os.fspath(x)) if isinstance(x, str | os.PathLike) else "" for x in (self.baseline, self.under)]
        up_to = f" up to {written(self.up_to)}" if self.up_to else ""
        under = f" under {files[1] or 'the given rows'}" if self.under is not None else ""
        return f"agrees with {files[0] or 'the given baseline'}{up_to}{under}{_where(self.condition)}"


Rule = Monotone | Ignores | Implies | Agrees


def monotone(
    attribute: str,
    direction: Direction,
    *,
    order: Sequence[str] | None = None,
    label: str | None = None,
    condition: str | Expression | None = None,
) -> Monotone:
    """With all else equal, a higher value of the attribute never loses the label ("up") or never gains it ("down").

    `order` lists the values from low to high, by default as the attribute does; `label` is the positive one of two.

    >>> print(monotone("age", "up", order=["young", "old"], condition="sex=f"))
    monotone up in age: young < old if sex=f
    """
    return Monotone(attribute, direction, order, label, _or_everything(condition))


def ignores(*attributes: str, condition: str | Expression | None = None) -> Ignores:
    """No decision depends on any of these attributes.

    >>> print(ignores("sex", "post code"))
    ignores sex, "post code"
    """
    return Ignores(attributes, _or_everything(condition))


def if_then(condition: str | Expression, label: str) -> Implies:
    """Where the condition holds, every decision is the label."""
    return Implies(_given(condition, "if … then"), _text(label, "if … then", "a decision"))


def always(label: str, condition: str | Expression | None = None) -> Implies:
    """Every decision is the label, where the condition holds or everywhere."""
    return Implies(_or_everything(condition), label)


def never(label: str, condition: str | Expression | None = None) -> Implies:
    """No decision is the label, where the condition holds or anywhere."""
    return Implies(_or_everything(condition), label, never=True)


def only_if(label: str, condition: str | Expression) -> Implies:
    """Wherever the decision is the label, the condition holds."""
    found = _given(condition, "only if")
    opposite = f"not ({found})" if isinstance(found, str) else found.negated()
    return Implies(opposite, _text(label, "only if", "a decision"), never=True)


def agrees(
    baseline: Any, up_to: Number = 0, under: Any = None, *, condition: str | Expression | None = None, **more: Any
) -> Agrees:
    """Decisions are those of a baseline, or differ with no more probability than `up_to` under a distribution.

    `values` and `labels` are as in `oddly.compare`, the baseline being the second.

    >>> print(agrees("old.json", "0.001", "model"))
    agrees with old.json up to 0.001 under model
    """
    tolerance: Any = up_to  # made exact there
    return Agrees(baseline, tolerance, under, _or_everything(condition), **more)


def _text(found: Any, where: str, what: str) -> str:
    if not isinstance(found, str):
        raise ModelError(f"{where}: expected {what}, found {found!r}")
    return found


def _or_everything(condition: str | Expression | None) -> str | Expression:
    return EVERYTHING if condition is None else condition


def _given(found: Any, where: str) -> str | Expression:
    if not isinstance(found, str | Expression):
        raise ModelError(f"{where}: expected a condition such as 'U=+ve and B=+ve', found {found!r}")
    return found


def _is_list(found: Any) -> bool:
    return isinstance(found, Sequence) and not isinstance(found, str | bytes)


# ---- settling a rule on a diagram ----


def condition_of(condition: str | Expression, odd: ODD) -> Expression:
    """The condition, over the diagram's attributes; those that it has not, or has with other values, are refused."""
    tree = expression(condition, odd.variables) if isinstance(condition, str) else condition
    if not isinstance(tree, Feature):
        for part in tree.parts:
            condition_of(part, odd)
    elif (values := odd.attribute(tree.variable.name).values) != tree.variable.values:
        theirs = f"the condition's {tree.variable.name} is one of {listed(tree.variable.values)}"
        raise ModelError(f"{theirs}; the classifier's is one of {listed(values)}")
    return tree


WORDS = ("always", "never", "monotone", "ignores", "agrees", "if", "then", "only", "for", "up", "under")


def _where(condition: str | Expression) -> str:
    return "" if condition == EVERYTHING else f" if {condition}"


def _named(name: str) -> str:
    """A name, value, label or file as the rules take it: in quotes where it could be taken for something else."""
    if quoted(name) == name and name.lower() not in WORDS and not set(name) & set(":,<\\\"'"):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
