# SPDX-License-Identifier: Apache-2.0
"""What every kind of model answers for itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError, UnknownName, Unsupported, look_up
from oddly.model.numbers import Number, exact, probability, written
from oddly.model.variable import Ties, Variable, two_labels

if TYPE_CHECKING:
    from oddly.model.naive_bayes import Learned, LearnedColumn, NaiveBayes
    from oddly.model.network_classifier import NetworkClassifier

Unit = Literal["log-odds", "points"]
Path = tuple[str, ...]
"""Where a number stands in a model:

    ("prior",)  ("threshold",)  ("entry", "U", "yes", "+ve")          probabilities
    ("intercept",)  ("cutoff",)  ("points", "age", "young")           points
    ("prior", "rain")  ("intercept", "rain")  ("points", "sky", "grey", "rain")    of one of many classes
"""


@dataclass(frozen=True)
class Named:
    """One number of a model: its name, what it is now, and the model with another in its place.

    A probability moves as in `oddly.allowed`: the others of its row keep their proportions, and the row its sum.
    """

    path: Path
    name: str
    now: Fraction
    put: Callable[[Fraction], "Classifier"] = field(repr=False, compare=False)
    points: bool = False

    @property
    def movable(self) -> bool:
        """A probability of 0 or 1 has nothing to keep its proportions with."""
        return self.points or 0 < self.now < 1 or self.path == ("threshold",)

    def becomes(self, to: Number) -> "Classifier":
        """The model with another number in this one's place."""
        return self.put((exact if self.points else probability)(to, self.name))


class Classifier(ABC):
    """What decides. A `Network` does once its class is chosen.

    Callers ask the model and not which kind it is, so that a new kind is one module beside this one with what is
    abstract here, its sums in `lowering/`, and its JSON in `formats/`; everything else follows. What only some kinds
    have is None or empty in the others: `probabilistic`, `naive`, `limit`, `others`.
    """

    kind: ClassVar[str]
    """What its file says it is."""
    unit: ClassVar[Unit]
    """What is added up."""
    class_name: str
    class_values: tuple[str, ...]
    attributes: tuple[Any, ...]
    positive: str | None = None
    """The class that is held against a threshold; None if the most probable one is taken, or that with most points."""
    ties: Ties = "positive"
    evidence: tuple[tuple[str, str], ...] = ()
    """Variables whose values are known once and for all."""
    learned: "Learned | None" = None
    """The counts it was learned from, if they are known."""
    learned_columns: "tuple[LearnedColumn, ...]" = ()
    """What each column of the table became; known only to the model that `oddly.learn` returns, not to its file."""

    # ---- what every kind has ----

    @property
    @abstractmethod
    def start(self) -> tuple[Fraction, ...] | None:
        """The prior or intercept of each class value; None where other variables come before the class."""

    @abstractmethod
    def observe(self, values: Mapping[str, str]) -> "Classifier":
        """The classifier that remains once these attributes are known."""

    @abstractmethod
    def numbers(self) -> Iterator[Named]:
        """What are the numbers of the model?

        >>> from oddly import examples
        >>> [(n.name, str(n.now)) for n in examples.pregnancy().numbers()][:3]
        [('Pr(P=yes)', '87/100'), ('threshold', '9/10'), ('Pr(U=+ve | yes)', '73/100')]
        """

    @abstractmethod
    def leads(self, codes: NDArray[np.intp], i: int, j: int) -> list[Fraction]:
        """The exact lead of one class over another for rows of value indices: in points, or by which factor.

        Where there is a positive value, class 1 is positive, and the lead is what is left beyond the threshold.
        """

    @abstractmethod
    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        """The model with its probabilities, or its points, rounded to so many digits after the point.

        A row of probabilities still sums to what it did, to that many digits (largest remainders up). Without `zeros`,
        one that would become zero is an error: what was possible would not be any more. The threshold or cut-off stays.
        """

    # ---- what only some have ----

    @property
    def additive(self) -> bool:
        """Whether a sum of one weight per attribute is held against a threshold: the paper's kind."""
        return False

    @property
    def certain(self) -> bool:
        """Whether the threshold is 0 or 1: then nothing but probabilities of zero decides."""
        return False

    @property
    def limit(self) -> Named | None:
        """The threshold or cut-off; None where most points win."""
        return None

    @property
    def probabilistic(self) -> "Probabilistic | None":
        """The model itself, if it says how probable an instance is."""
        return None

    @property
    def naive(self) -> "NaiveBayes | None":
        """The same classifier as a naive Bayes, if it is one."""
        return None

    @property
    def hidden(self) -> tuple[str, ...]:
        """Variables that bear on the class and are summed out."""
        return ()

    @property
    def others(self) -> Mapping[str, Variable]:
        """All variables that it has beyond its class and attributes."""
        return {}

    def knows(self, names: Iterable[str]) -> bool:
        """Whether it says how probable the values of these variables are."""
        return False

    def choose(self, class_: str | None = None, **choices: Any) -> "Classifier":
        """Another class, with another `positive` value, `threshold` or `attributes`, those that are named."""
        what = "class, positive value, threshold and attributes"
        raise Unsupported(f"{what} are chosen of a network; this is said by the model: {self!r}")

    def skipping(self, names: Collection[str]) -> "Classifier":
        """The same with one more value, the last, of each of these attributes: one that adds nothing to any sum."""
        needs = f"values='skip' needs a sum of one weight per attribute, and a {self.kind} has none"
        raise Unsupported(f"{needs}; values='common' leaves out what only one side knows")

    def in_multiples(self, unit: Fraction) -> Self:
        """The model with its points and its intercept rounded to multiples of the unit, halfway to the even one."""
        raise Unsupported("probabilities cannot be whole numbers or multiples, only points can.  Try 1 digit.")

    # ---- what follows ----

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The attributes, without their numbers."""
        return tuple(a.variable for a in self.attributes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The decisions: (negative, positive), or the class values where the one with the most is taken."""
        return self.class_values if self.positive is None else two_labels(self.positive, self.class_values)

    def replace(self, **changes: Any) -> Self:
        """The same model with some fields changed, checked again."""
        return dataclass_replace(self, **changes)  # type: ignore[type-var]

    def to_sql(self, dialect: str, table: str = "rows", **options: Any) -> str:
        """The decision as a SELECT of the table's columns and one called decision; `oddly.export.to_sql` has the options."""
        from oddly.export import to_sql

        return to_sql(self, dialect, table, **options)

    def codes(self, instance: Mapping[str, str]) -> list[int]:
        """The places of an instance's values."""
        if missing := [v.name for v in self.variables if v.name not in instance]:
            raise UnknownName(f"the instance has no value for {missing[0]}")
        return [v.index(instance[v.name]) for v in self.variables]

    def _known(self, values: Mapping[str, str]) -> list[tuple[int, int]]:
        """Which attributes are known, and to be which of their values."""
        places = {v.name: (i, v) for i, v in enumerate(self.variables)}
        found = [(*look_up(places, name), value) for name, value in values.items()]
        return [(i, v.index(value)) for i, v, value in found]

    def _from(self) -> str:
        n = len(self.variables)
        names = ", ".join(v.name for v in self.variables[:6]) + (", …" if n > 6 else "")
        return f"from {n} attribute{'' if n == 1 else 's'}" + (f" ({names})" if names else "")


class Probabilistic(Classifier):
    """A classifier by the probabilities of its classes, which says how probable an instance is, too."""

    unit = "log-odds"
    threshold: Fraction

    @abstractmethod
    def masses(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        """For rows of value indices, whole numbers in proportion to Pr(class value, row), the same for all rows."""

    @abstractmethod
    def restricted(self, names: Sequence[str]) -> "Probabilistic":
        """The model asked only these attributes: all others summed out."""

    @property
    @abstractmethod
    def as_network(self) -> "NetworkClassifier":
        """The same classifier as a network."""

    @abstractmethod
    def _with_prior(self, row: Sequence[Fraction]) -> "Classifier": ...

    def posterior(self, instance: Mapping[str, str]) -> tuple[Fraction, ...] | None:
        """Pr(class value | instance) for each class value, exactly; None if the instance is impossible."""
        masses = self.masses(np.array([self.codes(instance)], np.intp))[0]
        total = sum(masses)
        return tuple(Fraction(mass, total) for mass in masses) if total else None

    def leads(self, codes: NDArray[np.intp], i: int, j: int) -> list[Fraction]:
        masses, share = self.masses(codes), [Fraction(1)] * len(self.class_values)
        if self.positive is not None:
            at = self.class_values.index(self.positive)
            masses, share = masses[:, [1 - at, at]], [self.threshold, 1 - self.threshold]
        return [Fraction(int(row[i]), int(row[j])) * (share[i] / share[j]) for row in masses]

    @property
    def certain(self) -> bool:
        return self.positive is not None and self.threshold in (0, 1)

    @property
    def limit(self) -> Named:
        return Named(("threshold",), "threshold", self.threshold, lambda to: self.replace(threshold=to))

    @property
    def probabilistic(self) -> "Probabilistic":
        return self

    def _priors(self) -> Iterator[Named]:
        prior = self.start or ()
        for i, (value, p) in enumerate(zip(self.class_values, prior, strict=False)):
            if self.positive in (None, value):
                name, path = f"Pr({self.class_name}={value})", ("prior", value)
                put = moving(prior, i, name, self._with_prior)
                yield Named(path if self.positive is None else path[:1], name, p, put)
        if self.positive is not None:
            yield self.limit

    def _if(self) -> str:
        if self.positive is None:
            return f"the most probable {self.class_name} of {', '.join(self.class_values)}"
        return f"{self.class_name}={self.positive} if Pr {'>=' if self.ties == 'positive' else '>'}"


def moving(
    row: Sequence[Fraction], at: int, name: str, put: Callable[[list[Fraction]], Classifier]
) -> Callable[[Fraction], Classifier]:
    """What becomes of the model if an entry of a row moves and the others keep their proportions."""

    def moved(to: Fraction) -> Classifier:
        total = sum(row, Fraction(0))
        rest = total - row[at]
        if not rest or to > total:
            raise ModelError(f"{name}: it is {written(row[at])} of {written(total)} and cannot become {written(to)}")
        return put([to if i == at else p * (total - to) / rest for i, p in enumerate(row)])

    return moved


def edited(model: Classifier, edits: Iterable[tuple[Sequence[str], Number]]) -> Classifier:
    """The model with some of its numbers changed, one after the other, each named by its path.

    >>> from oddly import examples
    >>> edited(examples.pregnancy(), [(["prior"], "0.6"), (["threshold"], "0.8")])
    NaiveBayes: P=yes if Pr >= 0.8, prior 0.6, from 3 attributes (U, B, S)
    """
    for path, to in edits:
        by_path = {number.path: number for number in model.numbers()}
        if tuple(path) not in by_path:
            raise UnknownName.among("number", " / ".join(path), [" / ".join(known) for known in by_path])
        model = by_path[tuple(path)].becomes(to)
    return model
