# SPDX-License-Identifier: Apache-2.0
"""How far may a number move before any decision changes?

Theorems 2.1 and 2.3 of Chan and Darwiche (2003), for the prior, the threshold and every weight at once. What
stops a number is always one instance: the positive one that is closest to the threshold, or the negative one.
Those are found in whole numbers on the diagram (`closest`), and each end is then worked out from its instance in
fractions, so that the ends of probabilities and points are exact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, Unpack, overload

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import Count, Scope, Unbounded, every_instance, told
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.sources import Tabled, additive
from oddly.errors import ModelError, Unsupported
from oddly.lowering import Families
from oddly.lowering.score import Score
from oddly.model import Model
from oddly.model.numbers import Number as Share
from oddly.questions.allowed.families import AllowedZone, unknown, zone_of
from oddly.questions.allowed.flips.answer import AllowedFlips, AllowedZoneFlips, share_of, with_budget
from oddly.questions.allowed.flips.prepare import NO_NUMBERS
from oddly.questions.allowed.flips.ranges import FlipRange
from oddly.questions.allowed.flips.usable import usable
from oddly.questions.allowed.layout import Number, Ranges, StoppingCases
from oddly.questions.allowed.networks import NetworkFacts, by_sums, by_table
from oddly.questions.allowed.ranges import End, Range, Unit, log, part_of
from oddly.questions.allowed.slack import Entries, Slack, Slacks, Weights, entries, rooms
from oddly.runtime import LimitArguments, limited


@dataclass(frozen=True, repr=False)
class Allowed(Ranges):
    """Where every number of a classifier may lie without changing any decision, each moving alone.

    Weights, the prior and the threshold are in log-odds (`prior.probability` and `threshold.probability` have them
    as probabilities). Of a scorecard they are in points: its intercept is its `prior`, its cut-off its `threshold`.
    None stands for what cannot move a little: an infinite weight, a probability of 0 or 1.
    """

    class_name: str
    positive: str
    instances: Count
    unit: Unit
    alpha: Unbounded
    """The least log-odds, or points, of a positive instance (Equation 3); infinite if there is none."""
    beta: Unbounded
    """The greatest of a negative one (Equation 4)."""
    prior: Range | None
    threshold: Range | None
    weights: Mapping[str, Mapping[str, Range | None]]
    """By attribute and value."""
    entries: Mapping[str, Mapping[str, Mapping[str, Range | None]]]
    """By attribute, class value and value: Pr(value | class value), while the others of its row keep their
    proportions. Empty for a scorecard. In a network a class value stands with the values of the other parents."""
    together: Range
    """By how much the prior and all weights may move at once, each in any direction."""
    entries_unknown: str = ""
    """Why entries that should be there are not: what would have been too large."""
    _diagram: ODD | None = field(default=None, compare=False)
    """Whose numbers they are, where they are those of one sum."""

    @cached_property
    @told
    def thousandth(self) -> FlipRange | None:
        """The range of `prior` if a thousandth of all cases may change (`flips="0.001"`), where its own is too narrow to be of use."""
        return None if self._diagram is None else usable(self._diagram, self.prior)

    def sentence(self) -> str:
        card = self.unit == "points"
        prior = "the intercept" if card else self._prior
        own = self.prior is None and (self.class_name in self.entries or not self.entries)  # there is no prior
        numbers = "the intercept and all points" if card else "the prior and all weights"
        lines = [f"{every_instance(self.instances, 'stay', 'stays')} as decided while"]
        lines += [] if own else [f"  {prior} is {_alone(self.prior)}"]
        lines += [] if self.thousandth is None else [f"  (if one case in a thousand may change, {self._thousandth()})"]
        lines += [f"  {'' if own else 'or '}the {'cut-off' if card else 'threshold'} is {_alone(self.threshold)}"]
        lines += [f"  or {numbers}, together, each {self._moves()}", *unknown(self.entries_unknown)]
        return self.scope.said("\n".join(lines))

    @property
    def _prior(self) -> str:
        return "intercept" if self.unit == "points" else f"Pr({self.class_name}={self.positive})"

    def summary(self) -> str:
        if self.prior is None:
            return super().summary()
        found = self.prior.probability or self.prior
        place = "anything" if found.any else f"in {found.interval()}"
        return f"{'The ' if self.unit == 'points' else ''}{self._prior} may be {place}, now {found.texts()[2]}."

    def _thousandth(self) -> str:
        return "" if self.thousandth is None else repr(self.thousandth.probability or self.thousandth)

    def weighing(self) -> Iterator[Number]:
        card = self.unit == "points"
        if self.prior is not None or self.class_name not in self.entries:
            yield from _chance("intercept" if card else "prior", self._prior, self.prior)
        yield from _chance(*(("cutoff", "cut-off") if card else ("threshold", "threshold")), self.threshold)
        kind = "points" if card else "weight"
        for name, values in self.weights.items():
            for value, found in values.items():
                yield (kind, name, value), f"{kind} of {name}={value}", found

    def decided(self) -> str:
        return f"{self.class_name}={self.positive}"

    def about(self, cases: StoppingCases) -> Iterator[tuple[str, str]]:
        yield "margins", f"positive from {self.alpha:.6g}, negative up to {self.beta:.6g} {self.unit}"
        if self.thousandth is not None:
            yield "a thousandth", f"{self._prior} is {self._thousandth()}, if one case in a thousand may change"
        numbers = "intercept and points" if self.unit == "points" else "prior and weights"
        ends = f"{cases(self.together.below)} stops them below, {cases(self.together.above)} above"
        yield "together", f"{numbers} may all move by {self.together.interval()} {self.unit} at once ({ends})"

    def _moves(self) -> str:
        """The room of all numbers together, in words."""
        if self.together.any:
            return "move at will"
        low, high, _ = self.together.texts()
        least = "by at most" if self.together.includes_low else "by less than"
        most = "by at most" if self.together.includes_high else "by less than"
        fall, rise = f"fall {least} {low.lstrip('-')}", f"rise {most} {high}"
        if self.together.below and self.together.above:
            return f"{fall} or {rise} {self.unit}"
        return f"{fall} {self.unit} or rise at will" if self.together.below else f"fall at will or {rise} {self.unit}"


@overload
def allowed(
    odd_or_model: Any, *, flips: None = None, within: Within = None, **limits: Unpack[LimitArguments]
) -> Allowed | AllowedZone: ...
@overload
def allowed(
    odd_or_model: Any, *, flips: Share, under: Any = None, **limits: Unpack[LimitArguments]
) -> AllowedFlips | AllowedZoneFlips: ...
def allowed(
    odd_or_model: Any,
    *,
    flips: Share | None = None,
    under: Any = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Allowed | AllowedZone | AllowedFlips | AllowedZoneFlips:
    """How far may each number move before any decision changes?

    Of a diagram, a model, or a file of either; a model is compiled first. Of sums, one pass over the diagram serves
    all numbers, whatever the order of the attributes. Which instance blocks an end is decided in whole numbers, so
    that instances closer to each other than `odd.certificate.error` may stand in for one another. Instances that were
    decided one by one are looked at one by one again, and exactly. Only inputs `within` a domain stop a number, if one is
    named. Where the most probable of many classes is taken, or the one with the most points, the answer is an `AllowedZone`.

    With `flips`, how far until more than this share of all cases changes, such as "0.001" or "0.1%": an `AllowedFlips` of the
    same shape, whose ranges are proven from inside and from outside. `under` is the distribution of cases, as in `oddly.count`; it
    is that of the model before anything moved.

    >>> import oddly
    >>> answer = allowed(oddly.examples.pregnancy())
    >>> answer.prior.probability
    in [0.684, 0.970), now 0.87; below 0.684 the case U=+ve, B=+ve, S=-ve becomes no; from 0.970 the case U=+ve, B=-ve, S=-ve becomes yes
    >>> answer.weights["U"]["-ve"].interval(), answer.entries["U"]["yes"]["+ve"].interval()
    ('[-3.294, 0.791)', '[0.236, 0.967]')
    >>> allowed(oddly.examples.pregnancy(), flips="5%").prior.probability
    in [0.451, 0.979), now 0.87
    """
    with limited(limits):
        if flips is None and under is not None:
            raise ModelError("under weighs the cases that may change; without flips there are none")
        budget = None if flips is None else share_of(flips)
        odd = as_diagram(odd_or_model)
        if odd.source is None:
            raise Unsupported(NO_NUMBERS)
        if budget is not None and within is not None:
            raise Unsupported(
                "flips= is a share of all inputs, and not of those within a domain; leave out flips= or within="
            )
        strict = _without_change(domain_of(within, odd))
        return strict if budget is None else with_budget(odd, strict, budget, under)


def _without_change(domain: Domain) -> Allowed | AllowedZone:
    source = domain.odd.source
    if isinstance(source, Families):
        return _of_network(domain.scope, by_sums(domain.product, source))
    if isinstance(source, Tabled):
        assert source.model.probabilistic
        return _of_network(domain.scope, by_table(domain.product, source.model.probabilistic))
    return _of_sums(domain, additive(source, "how far each number may move"))


def _of_sums(domain: Domain, score: Score) -> Allowed:
    """Of one weight per attribute: Theorems 2.1 and 2.3."""
    found = rooms(domain.product, score)
    table = entries(score.model.naive, found) if score.model.naive else {}
    answer = _answer(domain.scope, score.model, found.overall, _weights(score, found), table, len(score.terms) + 1)
    return replace(answer, _diagram=domain.odd if domain.members is None else None)


def _of_network(scope: Scope, found: NetworkFacts) -> Allowed | AllowedZone:
    """The same for many classes, or where attributes depend on each other: tables take the place of weights."""
    if found.standing.model.positive is None:
        return zone_of(scope, found.standing, found.entries, found.entries_unknown)
    model, room = found.standing.model, found.standing.room(1)
    return _answer(scope, model, room, found.points, found.entries, found.weights, found.entries_unknown)


def _answer(
    scope: Scope, model: Model, room: Slack, weights: Weights, entries: Entries, numbers: int, why: str = ""
) -> Allowed:
    """From the slack of all instances, and how many numbers are added up for each."""
    threshold = _threshold(model, room)
    beta, alpha = (threshold.low, threshold.high) if threshold else (-inf, inf)  # what a threshold must lie between
    about = (model.class_name, model.labels[1], scope.inputs, model.unit, alpha, beta, _prior(model, room), threshold)
    return Allowed(*about, weights, entries, _shared(room, numbers, model.unit), why, scope=scope)


def _chance(kind: str, name: str, found: Range | None) -> Iterator[Number]:
    """The prior or the threshold: as a probability and as log-odds, or in points."""
    yield (kind,), name, found and (found.probability or found)
    if found is not None and found.probability is not None:
        yield ("log-odds", kind), f"log-odds of the {kind}", found


def _prior(model: Model, room: Slack) -> Range | None:
    """Theorem 2.1."""
    if model.start is None:
        return None
    now = model.start[model.class_values.index(model.positive or "")]
    if model.unit == "points":
        return room.around(now, "points")
    rest = sum(model.start) - now
    return _log_odds(now, rest, room) if now and rest else None


def _threshold(model: Model, room: Slack) -> Range | None:
    """A threshold that rises is a prior that falls."""
    if model.limit is None or model.certain:
        return None
    now, falling = model.limit.now, room.reversed()
    return falling.around(now, "points") if model.unit == "points" else _log_odds(now, 1 - now, falling)


def _log_odds(p: Fraction, rest: Fraction, room: Slack) -> Range:
    """The range of log p/rest, and that of p while p + rest stays."""
    low, high = (part_of(end, p + rest) for end in room.scaled(p / rest))
    return room.around(log(p / rest), "log-odds", Range.between(low, high, p, "probability"))


def _weights(score: Score, found: Slacks) -> Weights:
    """Theorem 2.3, for every value of every attribute."""
    model = score.model
    each = zip(model.variables, found.by_value, strict=True)
    rooms = {v.name: dict(zip(v.values, by_value, strict=True)) for v, by_value in each}
    answer: Weights = {name: {} for name in rooms}
    if model.naive is None:
        for number in model.numbers():
            if number.path[0] == "points":
                _, name, value = number.path
                answer[name][value] = rooms[name][value].around(number.now, "points")
        return answer
    for a in model.naive.attributes:
        for value, (p, q) in zip(a.values, model.naive.given_sides(a), strict=True):
            room = rooms[a.name][value]
            answer[a.name][value] = room.around(log(p / q), "log-odds") if p and q else None
    return answer


def _shared(room: Slack, numbers: int, unit: Unit) -> Range:
    """The room of each of so many numbers, if all may move at once."""
    low, high = (End(by.distance / numbers, by.included, by.block) for by in (room.fall, room.rise))
    return Range.between(replace(low, at=-low.at), high, 0.0, unit)


def _alone(number: Range | None) -> str:
    if number is None:
        return "as it is: a probability of 0 or 1 cannot move a little"
    return repr(number.probability or number)
