# SPDX-License-Identifier: Apache-2.0
"""Are these the same classifier?  If not, who is decided differently, and how many?

Both diagrams are walked together; the pairs that end in different labels are the disagreement, itself a diagram.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Unpack

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import UNTOLD, Count, ScopedAnswer, as_features, of_instances, percent, told
from oddly.answers.blocks import MOST_CASES, Block, Facts, Paragraph, Table
from oddly.compiler import as_diagram, is_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine, same_labels
from oddly.distribution.boxes import Box, Lift, boxes, lifts
from oddly.distribution.listing import instances
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Measure, Probability, measure_of, of_model, share, shown
from oddly.errors import UnknownName, Unsupported
from oddly.lowering.score import Impossible
from oddly.questions.compare.counterexample import Counterexample, counterexample
from oddly.runtime import LimitArguments, limited

SAME = "same"
LARGE = 0.01  # of what differs: a box that holds less describes nothing
SCATTERED = 0.2  # of what differs: if the largest boxes hold less, it lies nowhere in particular
MOST_PARTS = 5  # boxes that are shown


@dataclass(frozen=True, repr=False)
class Difference(ScopedAnswer):
    """Where two classifiers decide differently."""

    equivalent: bool
    count: Count
    """How many instances are decided differently."""
    instances: Count
    """Of so many: all there are, or those within the domain."""
    directions: Mapping[str, Count]
    """How many in each direction, such as {"no → yes": 2}: the first classifier's label, then the second's."""
    diagram: Annotated[ODD, UNTOLD] = field(compare=False)
    """The disagreement: labels "same" and one per direction; what is outside the domain counts as the same."""
    sides: Annotated[tuple[ODD, ODD], UNTOLD] = field(compare=False)
    """The diagrams of both, such as to see what each decides of an example."""
    _names: tuple[str, str] = field(default=("model a", "model b"), compare=False)
    """How an error calls each side."""
    _domain: Domain | None = field(default=None, compare=False)
    """What it is about; None: all inputs."""

    def probability(self, under: Any = "a") -> float:
        """How likely is an instance that is decided differently?

        `under` is the distribution: "a" or "b" (that side's model), "uniform", or a table of rows.
        """
        measure = self.measure(under)  # checked even where there is nothing to weigh
        if self.equivalent:
            return 0.0
        changed = sum(sum(masses[1:]) for masses in label_masses(self.diagram, measure, exact=False))
        whole = self._inside(measure)
        if not whole and self._domain:
            raise Unsupported(f"nothing within {self._domain.words} is possible under {measure.name}")
        return float(share(changed, whole))

    def _inside(self, measure: Measure) -> Probability:
        """What all inputs weigh that it is about."""
        if self._among is None:
            return measure.mass
        return float(sum(masses[1] for masses in label_masses(self._among, measure, exact=False)))

    def distribution(self, under: Any = None) -> Any:
        """The distribution asked for, or else the one to prefer: a's model, b's model, the uniform one."""
        return next(iter(self._own), "uniform") if under is None else under

    @cached_property
    @told
    def smallest(self) -> Counterexample | None:
        """The disagreement that needs the fewest attributes to be stated, whatever the values of all others.

        Where `fewest` is not set that none needs fewer is not proven; none of its own can be left out in any case.
        """
        if self.equivalent:
            return None
        return counterexample(self.diagram, _ways(*self.sides), self.sides, self.measure(self.distribution()))

    @told
    def examples(self, most: int = 5, under: Any = None) -> list[dict[str, str]]:
        """Some instances that are decided differently, the most probable first."""
        return list(islice(self.members(under), max(most, 0)))

    def members(self, under: Any = None) -> Iterator[dict[str, str]]:
        """All instances that are decided differently, lazily, the most probable first."""
        if self.equivalent:
            return
        for instance, _ in instances(self._differ, "differ", self.measure(self.distribution(under))):
            yield instance

    @told
    def boxes(self, share: float = 0.9, most: int = 20) -> list[Box]:
        """Where it lies: disjoint boxes, largest first, until that share of it is covered."""
        return [] if self.equivalent else boxes(self._differ, "differ", share, most)

    @told
    def lifts(self, most: int = 5) -> list[Lift]:
        """The attribute values that are most over-represented in it."""
        return [] if self.equivalent else lifts(self._differ, "differ", most, self._among)

    @property
    def _among(self) -> ODD | None:
        return None if self._domain is None else self._domain.inside

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        if self.equivalent:
            every = "they are about no input" if not self.instances else ""
            every = every or f"both decide alike on {of_instances(self.instances, self.instances)}"
            return self.scope.said(f"The same classifier: {every}.")
        ways = ", ".join(f"{found:,} {way}" for way, found in self.directions.items() if found)
        head = f"Not the same classifier: they differ on {of_instances(self.count, self.instances)} ({ways})."
        return self.scope.said(f"{head} For example {self.smallest!r}.")

    def blocks(self, most: int | None = None, under: Any = None) -> tuple[Block, ...]:
        """`most` is how many examples there are, the most probable first by the distribution `under`."""
        if self.equivalent:
            return (Paragraph(self.sentence()),)
        by = self.distribution(under)
        ways = tuple((way, f"{n:,}", percent(n, self.instances)) for way, n in self.directions.items() if n)
        caption = "Decisions that differ: the first classifier's, then the second's"
        return (
            Paragraph(self.sentence()),
            Facts("How probable a disagreement is", tuple(self._chances(by))),
            Table(caption, ("from → to", "instances", "part of all"), ways, (1, 2)),
            *self._where(),
            *self.cases(MOST_CASES if most is None else most, by),
        )

    def _chances(self, by: Any) -> Iterator[tuple[str, str]]:
        """How probable a disagreement is by this distribution, then by all others there are."""
        yield "probability", f"{shown(self.probability(by))} under {named_distribution(by)}"
        for name, p in self._probability().items():
            if not isinstance(by, str) or name != by:
                yield "", f"{shown(p)} under {named_distribution(name)}"

    def _where(self) -> Iterator[Block]:
        """The values that are more frequent in the disagreement than elsewhere, and its largest parts."""
        lifts = tuple((f"{x.attribute}={x.value}", percent(x.share), percent(x.usual)) for x in self.lifts(3))
        if lifts:
            yield Table("Values more frequent than usual", ("value", "of these", "of all"), lifts, (1, 2))
        boxes = self.boxes(0.9, MOST_PARTS)
        held = float(sum(box.share for box in boxes))
        if held < SCATTERED:
            yield Paragraph(f"They lie scattered: the {len(boxes)} largest parts hold only {percent(held)} of them.")
        shares = [(box, percent(float(box.share))) for box in boxes if box.share >= LARGE]
        rows = tuple((box.condition, f"{box.size:,}", share) for box, share in shares)
        if rows:
            yield Table("Where they lie, the largest part first", ("part", "instances", "of these"), rows, (1, 2))

    def cases(self, most: int, under: Any = None) -> Iterator[Block]:
        """The most probable disagreements as a table."""
        rows = tuple((as_features(case), first, second) for case, first, second in self.decided(most, under))
        if rows:
            caption = "Decided differently, the most probable first"
            yield Table(caption, ("instance", "first", "second"), rows, left_out=self.count - len(rows))

    def decided(self, most: int = MOST_CASES, under: Any = None) -> list[tuple[dict[str, str], str, str]]:
        """Some instances that are decided differently, the most probable first, and what each side decides."""
        first, second = self.sides
        return [(case, _decision(first, case), _decision(second, case)) for case in self.examples(most, under)]

    @told
    def _probability(self) -> dict[str, float]:
        """How probable a disagreement is: under a or b, each model that has a distribution, and under the uniform one."""
        return {name: self.probability(name) for name in (*self._own, "uniform")}

    def to_json(self, exact: bool = False, *, examples: int = 5, under: Any = None, **instead: Any) -> dict[str, Any]:
        """The verdict, counts, probabilities and what describes it; so many examples by the distribution `under`."""
        return super().to_json(exact, examples=self.examples(examples, under), **instead)

    @cached_property
    def _own(self) -> list[str]:
        """The sides whose model says how probable every instance is: an attribute that it lacks it says nothing of.

        One that calls all of a domain impossible has no probabilities there.
        """
        sources, order = [odd.source for odd in self.sides], self.diagram.order
        known = [name for name, s in zip("ab", sources, strict=True) if s is not None and s.model.knows(order)]
        return [name for name in known if self._domain is None or self._inside(self.measure(name))]

    @cached_property
    def _differ(self) -> ODD:
        """The disagreement with its directions taken together: labels "same" and "differ"."""
        return combine(self.diagram, self.diagram, lambda i, _: int(i > 0), [SAME, "differ"])

    def measure(self, under: Any) -> Measure:
        """The distribution that `under` names."""
        if isinstance(under, str) and under in ("a", "b"):
            source, name = self.sides["ab".index(under)].source, self._names["ab".index(under)]
            if source is None:
                raise Unsupported(f"{name} was combined from others, so it has no model; name one, or 'uniform'")
            return of_model(source.model, self.diagram.variables, name)
        if isinstance(under, str | os.PathLike) and under != "uniform" and not os.path.exists(under):
            hint = ".  There are two models, a and b" if under == "model" else ", and there is no such file"
            raise UnknownName(f"{os.fspath(under)}: expected 'a', 'b', 'uniform' or a file of rows{hint}")
        return measure_of(self.diagram, under)


def compare(
    a: Any, b: Any, *, within: Within = None, impossible: Impossible | None = None, **limits: Unpack[LimitArguments]
) -> Difference:
    """Do two classifiers decide alike on every instance?

    Each is a model, a diagram, or the path of either. An attribute that one lacks is one it ignores; where their
    orders differ, one is compiled anew. `impossible` is what models decide of an instance of probability zero; by
    default as a diagram they are compared with does, or negative. The answer is true iff they are equivalent: on all
    instances, or on those `within` a domain (`oddly.algebra.domain`), where "possible" is so under at least one of the two.

    >>> import oddly
    >>> model = oddly.examples.pregnancy()
    >>> compare(model, model.replace(prior=["0.6", "0.4"]))
    Not the same classifier: they differ on 1 of 8 instances (1 yes → no). For example U=+ve, B=+ve, S=-ve: yes (0.965)
    against no (0.862).
    """
    with limited(limits):
        first, second = _diagrams(a, b, impossible)
        same_labels(first, second)
        ways = _ways(first, second)
        labels = [SAME, *(f"{i} → {j}" for i, j in ways)]
        outcome = {pair: place for place, pair in enumerate(ways, start=1)}
        walked = combine(first, second, lambda i, j: outcome.get((first.labels[i], second.labels[j]), 0), labels)
        domain = domain_of(within, walked, first, second)
        walked = domain.otherwise(walked, 0)
        directions = {label: walked.count(label) for label in labels[1:]}
        found, names = sum(directions.values()), (_named("a", a), _named("b", b))
        about = found == 0, found, domain.scope.inputs, directions, walked, (first, second), names
        return Difference(*about, None if domain.members is None else domain, scope=domain.scope)


def _decision(odd: ODD, instance: Mapping[str, str]) -> str:
    return str(odd.classify([{name: instance[name] for name in odd.columns}])[0])


def named_distribution(under: Any) -> str:
    """The distribution of a comparison in words."""
    if not isinstance(under, str | os.PathLike):
        return "the given rows"
    names = {"a": "the first model", "b": "the second model", "uniform": "the uniform distribution"}
    return names.get(os.fspath(under), f"the rows of {os.fspath(under)}")


def _diagrams(a: Any, b: Any, impossible: Impossible | None) -> tuple[ODD, ODD]:
    """Both sides; a model follows the diagram it is compared with, on either side."""
    if impossible is not None and is_diagram(a) and is_diagram(b):
        raise Unsupported("both are compiled already; what is impossible was decided then")
    options: dict[str, Any] = {} if impossible is None else {"impossible": impossible}
    if is_diagram(b) and not is_diagram(a):
        second = as_diagram(b)
        return as_diagram(a, like=second, **options), second
    first = as_diagram(a, **options)
    return first, as_diagram(b, like=first, **options)


def _ways(first: ODD, second: ODD) -> list[tuple[str, str]]:
    """The directions in which two sides can differ: one's label, then the other's."""
    return [(i, j) for i in first.labels for j in second.labels if i != j]


def _named(side: str, thing: Any) -> str:
    """A side as an error calls it: by its letter, and its file if it came from one."""
    return f"model {side} ({os.fspath(thing)})" if isinstance(thing, str | os.PathLike) else f"model {side}"
