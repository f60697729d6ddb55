# SPDX-License-Identifier: Apache-2.0
"""Are these the same classifier?  If not, who is decided differently, and how many?

Both diagrams are walked together; the pairs that end in different labels are the disagreement, itself a diagram.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

from oddly.answers import Answer, as_features, of_instances
from oddly.diagram import ODD
from oddly.engine import Progress
from oddly.errors import ModelError, Unsupported
from oddly.model import NaiveBayes
from oddly.questions.boxes import Box, Lift, boxes, lifts
from oddly.questions.combine import combine
from oddly.questions.diagrams import as_diagram, is_diagram
from oddly.questions.listing import instances
from oddly.questions.measure import Measure, joint_masses, measure_of, share

SAME = "same"


@dataclass(frozen=True, repr=False)
class Difference(Answer):
    """Where two classifiers decide differently."""

    equivalent: bool
    count: int
    """How many instances are decided differently."""
    instances: int
    """Of so many."""
    directions: Mapping[str, int]
    """How many in each direction, such as {"no → yes": 2}: the first classifier's label, then the second's."""
    diagram: ODD = field(compare=False)
    """The disagreement: labels "same" and one per direction."""
    _sides: tuple[ODD, ODD] = field(compare=False)

    def probability(self, under: Any = "a") -> float:
        """How likely is an instance that is decided differently?

        `under` is the distribution: "a" or "b" (that side's model), "uniform", or a table of rows.
        """
        if self.equivalent:
            return 0.0
        measure = self._measure(under)
        changed = sum(sum(masses[1:]) for masses in joint_masses(self.diagram, measure))
        return float(share(changed, measure.mass))

    def distribution(self, under: Any = None) -> Any:
        """The distribution asked for, or else the one to prefer: a's model, b's model, the uniform one."""
        return _default(self._sides, self.diagram.order) if under is None else under

    def examples(self, most: int = 5, under: Any = None) -> list[dict[str, str]]:
        """Some instances that are decided differently, the most probable first."""
        return list(islice(self.members(under), max(most, 0)))

    def members(self, under: Any = None) -> Iterator[dict[str, str]]:
        """All instances that are decided differently, lazily, the most probable first."""
        if self.equivalent:
            return
        differ = _differ(self.diagram)
        measure = self._measure(self.distribution(under))
        for instance, _ in instances(differ, "differ", measure):
            yield instance

    def boxes(self, share: float = 0.9, most: int = 20) -> list[Box]:
        """Where it lies: disjoint boxes, largest first, until that share of it is covered."""
        return [] if self.equivalent else boxes(_differ(self.diagram), "differ", share, most)

    def lifts(self, most: int = 5) -> list[Lift]:
        """The attribute values that are most over-represented in it."""
        return [] if self.equivalent else lifts(_differ(self.diagram), "differ", most)

    def verdict(self) -> bool:
        return self.equivalent

    def sentence(self) -> str:
        if self.equivalent:
            return f"The same classifier: both decide alike on {of_instances(self.instances, self.instances)}."
        ways = ", ".join(f"{found:,} {way}" for way, found in self.directions.items() if found)
        case = self.examples(1)[0]
        first, second = (_decision(odd, case, self._sides[0].labels[-1]) for odd in self._sides)
        return (
            f"Not the same classifier: they differ on {of_instances(self.count, self.instances)} ({ways}). "
            f"For example {as_features(case)}: {first} against {second}."
        )

    def to_json(self) -> dict[str, Any]:
        """The verdict, the counts as decimal strings, probabilities where there is a model, examples and boxes."""
        sides = {"a": self._sides[0], "b": self._sides[1]}
        under = {
            name: self.probability(name) for name, odd in sides.items() if _has_distribution(odd, self.diagram.order)
        }
        return {
            "equivalent": self.equivalent,
            "count": str(self.count),
            "instances": str(self.instances),
            "directions": {way: str(found) for way, found in self.directions.items()},
            "probability": {**under, "uniform": self.probability("uniform")},
            "examples": self.examples(5),
            "boxes": [
                {
                    "allowed": {a: list(v) for a, v in box.allowed.items()},
                    "size": str(box.size),
                    "share": float(box.share),
                }
                for box in self.boxes()
            ],
        }

    def _measure(self, under: Any) -> Measure:
        if isinstance(under, str) and under in ("a", "b"):
            source = self._sides["ab".index(under)].source
            if source is None:
                raise Unsupported(f"side {under} was combined from others, so it has no model; name one, or 'uniform'")
            under = source.model
        return measure_of(self.diagram, under)


def compare(
    a: Any,
    b: Any,
    *,
    max_nodes: int | None = None,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> Difference:
    """Do two classifiers decide alike on every instance?

    Each is a model, a diagram, or the path of either. An attribute that one lacks is one it ignores; where their
    orders differ, one is compiled anew. The answer is true iff they are equivalent.

    >>> import oddly
    >>> model = oddly.examples.pregnancy()
    >>> compare(model, model.replace(prior=["0.6", "0.4"]))
    Not the same classifier: they differ on 1 of 8 instances (1 yes → no). For example U=+ve, B=+ve, S=-ve: yes (0.965)
    against no (0.862).
    """
    limits: dict[str, Any] = {"progress": progress, "max_nodes": max_nodes, "max_memory": max_memory}
    if is_diagram(b) and not is_diagram(a):  # a model follows the diagram it is compared with, on either side
        second = as_diagram(b)
        first = as_diagram(a, like=second, **limits)
    else:
        first = as_diagram(a, **limits)
        second = as_diagram(b, like=first, **limits)
    if set(first.labels) != set(second.labels):
        raise ModelError(
            f"the two decide between different labels: {', '.join(first.labels)} and {', '.join(second.labels)}"
        )
    ways = [(i, j) for i in first.labels for j in second.labels if i != j]
    labels = [SAME, *(f"{i} → {j}" for i, j in ways)]
    outcome = {pair: place for place, pair in enumerate(ways, start=1)}
    walked = combine(
        first,
        second,
        lambda i, j: outcome.get((first.labels[i], second.labels[j]), 0),
        labels,
        **limits,
    )
    directions = {label: walked.count(label) for label in labels[1:]}
    found = sum(directions.values())
    return Difference(found == 0, found, walked.instances, directions, walked, (first, second))


def _differ(directions: ODD) -> ODD:
    """The disagreement with its directions taken together: labels "same" and "differ"."""
    return combine(directions, directions, lambda i, _: int(i > 0), [SAME, "differ"])


def _default(sides: tuple[ODD, ODD], order: Sequence[str]) -> str:
    """The distribution that examples are listed by: the first side's model, the second's, or none."""
    return next((name for name, odd in zip("ab", sides, strict=True) if _has_distribution(odd, order)), "uniform")


def _has_distribution(odd: ODD, order: Sequence[str]) -> bool:
    """Whether a side's model says how probable every instance is: an attribute that it lacks it says nothing of."""
    if odd.source is None or not isinstance(odd.source.model, NaiveBayes):
        return False
    return set(order) <= {v.name for v in odd.source.model.variables}


def _decision(odd: ODD, case: Mapping[str, str], positive: str) -> str:
    """What one side decides of a case, with the probability of `positive` where it has one."""
    label = str(odd.classify([case])[0])
    if odd.source is None or not isinstance(odd.source.model, NaiveBayes):
        return label
    posterior = odd.source.model.posterior(case)
    if posterior is None:
        return f"{label} (impossible)"
    model = odd.source.model
    threshold = model.threshold if model.positive == positive else 1 - model.threshold
    return f"{label} ({_apart(posterior[model.class_values.index(positive)], threshold)})"


def _apart(p: Fraction, threshold: Fraction) -> str:
    """A probability with three digits, or as many as tell it from the threshold."""
    digits = next((d for d in range(3, 18) if p == threshold or round(p, d) != round(threshold, d)), 18)
    return f"{float(p):.{digits}f}"
