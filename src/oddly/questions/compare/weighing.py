# SPDX-License-Identifier: Apache-2.0
"""How probable is a disagreement, and what is decided of rows?  Of the values that both sides know."""

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.coarse import Between, Chance, under_model
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import DataRows, Measure, by_model, measure_of, of_model, share, shown
from oddly.errors import ModelError, UnknownName, Unsupported
from oddly.learning.engines import is_postgres
from oddly.model import Model
from oddly.questions.compare.sides import ComparedSide, Meeting


@dataclass(frozen=True, eq=False)
class Weighing:
    """The disagreement of two sides, to be weighed by any distribution."""

    diagram: ODD
    """With a label per direction."""
    differ: ODD
    """With the labels "same" and "differ", and perhaps "outside"."""
    sides: tuple[ODD, ODD]
    meeting: Meeting
    names: tuple[str, str]
    """How an error calls each side."""
    within: str | None = None
    """The domain it is about, in words: what is outside has the third label of `differ`."""

    def chance(self, under: Any) -> Chance:
        """How probable a disagreement is under a distribution, and what is left out."""
        key = under if isinstance(under, str) else None
        if key not in self._asked:
            found = self.of(self.differ, under)
            if key is None:
                return found
            self._asked[key] = found
        return self._asked[key]

    @cached_property
    def _asked(self) -> dict[str | None, Chance]:
        return {}

    def of(self, event: ODD, under: Any) -> Chance:
        """How probable is the second label of a diagram over the same values, given its first or second?"""
        model = self._model(under)
        if model is not None and not (self.meeting.own and isinstance(under, str)):
            return under_model(event, *model)
        measure, rest = self.measure(under), self.meeting.left_out  # checked even where there is nothing to weigh
        outside = Fraction(rest.count, self.diagram.instances + rest.count)
        if isinstance(measure, DataRows):
            outside = 1 - measure.mass / len(self._coded(under)[1]) if rest.values else Fraction(0)
        masses = [sum(column) for column in zip(*label_masses(event, measure, exact=False), strict=True)]
        whole = measure.mass if len(masses) == 2 else masses[0] + masses[1]
        if not whole and event is self.differ and len(masses) > 2:
            raise Unsupported(f"nothing within {self.within} is possible under {measure.name}")
        p = share(masses[1], whole, exact=False) if whole or len(masses) == 2 else 0.0
        return Chance(Between(p, p), Between(outside, outside))

    def _model(self, under: Any) -> tuple[Model, str] | None:
        """The model whose distribution is asked for, and what it is called; None if that is of rows, or uniform."""
        if isinstance(under, str) and under in ("a", "b"):
            source, name = self.sides["ab".index(under)].source, self.names["ab".index(under)]
            if source is None:
                raise Unsupported(f"{name} was combined from others, so it has no model; name one, or 'uniform'")
            return source.model, name
        return (under, "the model") if isinstance(under, Model) else None

    def order(self, under: Any) -> Measure:
        """What tells which instances come first: the distribution, or how probable the coarser values of a model are."""
        model = self._model(under)
        return self.measure(under) if model is None else by_model(model[0], self.diagram.variables, model[1])

    def measure(self, under: Any) -> Measure:
        """The distribution, over the instances that are compared; an error if it does not say how its values divide."""
        model = self._model(under)
        if model is not None:
            return of_model(model[0], self.diagram.variables, model[1])
        if (
            isinstance(under, str | os.PathLike)
            and under != "uniform"
            and not (os.path.exists(under) or is_postgres(under))
        ):
            hint = ".  There are two models, a and b" if under == "model" else ", and there is no such file"
            raise UnknownName(f"{os.fspath(under)}: expected 'a', 'b', 'uniform' or a file of rows{hint}")
        if not self.meeting.left_out.values or (isinstance(under, str) and under == "uniform"):
            return measure_of(self.diagram, under)
        codes, _ = self._coded(under)
        if not len(codes):
            raise ModelError("no row has only values that both sides know")
        return DataRows(
            f"the rows of {os.fspath(under)}" if isinstance(under, str | os.PathLike) else "the rows", codes
        )

    def _coded(self, rows: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Rows in the diagram's order of attributes, those of which both sides know all values; and which those are."""
        order, places = self.diagram.order, self.diagram.places
        zeros = [np.zeros((1, len(self.meeting.everything[name].values)), np.uint32) for name in order]
        variables = tuple(self.meeting.everything[name] for name in order)
        everything = measure_of(ODD(variables, ("any",), tuple(zeros), 0, places), rows)
        assert isinstance(everything, DataRows)
        kept = [
            np.array(self.meeting.kept[name])[column] for name, column in zip(order, everything.codes.T, strict=True)
        ]
        codes: NDArray[Any] = np.stack(kept, axis=1) if kept else everything.codes
        known: NDArray[np.bool_] = np.all(codes >= 0, axis=1)
        return codes[known], known

    def decisions(self, rows: Any) -> list[tuple[str, str] | None]:
        """What each side decides of rows; None of one with a value that only one side knows."""
        codes, kept = self._coded(rows)
        found = iter(zip(*(self._decided(side, codes) for side in self.meeting.sides), strict=True))
        return [next(found) if row else None for row in kept]

    def _decided(self, side: ComparedSide, codes: NDArray[Any]) -> list[str]:
        """What a side decides of rows in the diagram's order."""
        columns = [self.diagram.order.index(name) for name in side.cells.columns]
        return [side.cells.labels[place] for place in side.cells.decide(codes[:, columns])]


def named_distribution(under: Any) -> str:
    """The distribution of a comparison in words."""
    if not isinstance(under, str | os.PathLike):
        return "the given rows"
    names = {"a": "the first model", "b": "the second model", "uniform": "the uniform distribution"}
    return names.get(os.fspath(under), f"the rows of {os.fspath(under)}")


def in_words(found: Between, under: str | None) -> str:
    """A probability under a distribution, or where it lies."""
    if found.settled:
        return f"{shown(found.low)} under {under}"
    return (
        f"between {shown(found.low)} and {shown(found.high)} under {under}, which does not say how its values divide where "
        "the other cuts them; rows of data settle it (under=rows, or --under rows.csv)"
    )
