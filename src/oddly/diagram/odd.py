# SPDX-License-Identifier: Apache-2.0
"""The ordered decision diagram (Definition 3.1 of Chan and Darwiche, 2003), levelled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import combine, store
from oddly.diagram.canonical import canonical, same_function
from oddly.diagram.certificate import Certificate, intervals
from oddly.diagram.levelled import TOO_LONG, Level, Levelled, grouped
from oddly.diagram.passes.sweep import count
from oddly.diagram.possible import POSSIBLE, possible
from oddly.diagram.regions import Regions, regions
from oddly.diagram.rows import checked, decide, label_of, one_row
from oddly.diagram.sources import Source, Tabled, additive, bounds
from oddly.diagram.zones import prove
from oddly.errors import ModelError, UnknownValue, Unsupported
from oddly.learning.engines import stays
from oddly.lowering import Families, lowered
from oddly.lowering.score import Score

Compiler = Callable[..., "ODD"]
"""The diagram of a model, its attributes in an order, `impossible` decided so: `oddly.compile`."""


@dataclass(frozen=True, eq=False, repr=False)
class ODD(Levelled):
    """A classifier as a diagram that makes the same decision on every instance.

    levels[k] has a row per node of depth k and a column per value of its attribute: the place of the child in
    depth k+1, and after the last attribute in `labels`. Every path visits every depth, and no two nodes of a
    depth decide alike. That is the paper's diagram, and its count of nodes: all depths, all sinks.

    >>> import oddly
    >>> oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])
    ODD: 7 nodes deciding P over 8 instances of U, B, S: 5 yes, 3 no
    """

    source: Source | None = None
    """The numbers it was built from; None if it was combined from others."""
    compiler: Compiler | None = None
    """What makes the same again in another order: whoever compiles or loads a diagram leaves it here."""

    # ---- what it is ----

    @property
    def bound(self) -> int:
        """Theorem 3.2: no threshold in (0, 1) over these attributes in this order needs more nodes, sinks counted.

        (At a threshold of 0, zeros in both classes can need more.) Where attributes are tied together it holds in each
        context; where it does not apply at all, a depth has no more nodes than prefixes, or functions of what is left.
        """
        return sum(self.bounds)

    @property
    def bounds(self) -> list[int]:
        """The bound of every depth, the sinks last."""
        source, contexts = self.source, None
        if isinstance(source, Score):
            contexts = [1] * len(self.levels)
        elif isinstance(source, Families) and source.classes == 2 and source.finite:
            contexts = [step.contexts for step in source.steps]
        return bounds(self.arities, len(self.labels), contexts)

    @cached_property
    def certificate(self) -> Certificate:
        """Does every decision follow from the real numbers?  One pass over the diagram.

        Where instances were decided one by one it is known from then; of a file, or once some attributes are known,
        they are decided again.
        """
        if self.source is None:
            raise Unsupported("this diagram was combined from others, so there is no score to check it against")
        if not isinstance(self.source, Tabled):
            return prove(self.levels, self.root, self.source)
        if self.source.certificate is not None:
            return self.source.certificate
        again = combine.compiled_anew(self, self.order)
        return again.certificate if again == self else replace(again.certificate, proven=False)

    @property
    def unproven(self) -> str | None:
        """Why it is not proven to decide as a model does; None if it is."""
        if self.source is None:
            return "it comes with no model; a combination of others has none"
        if self.certificate.proven:
            return None
        return getattr(self.source, "why", None) or "its decisions do not all follow from the numbers"

    @cached_property
    def possible(self) -> "ODD":
        """Which instances have a probability above zero under the model?  Labels "impossible" and "possible"."""
        if self.source is None or self.source.model.probabilistic is None:
            what = "it was combined from others" if self.source is None else "it has points and no probabilities"
            raise Unsupported(f"{what}; which inputs are possible takes a model with probabilities")
        return ODD(self.variables, POSSIBLE, *possible(self.source.model.probabilistic, self.variables), self.places)

    @property
    def impossible(self) -> int:
        """How many instances have probability zero under the model?  None of points, or where there is no model."""
        says = self.source is not None and self.source.model.probabilistic is not None
        return self.possible.count("impossible") if says else 0

    def intervals(self) -> list[NDArray[np.float64]]:
        """The equivalence interval [low, high) of every node, depth by depth: Theorem 3.1, recomputed on demand.

        In log-odds of the prefix, or points: a prefix whose log-odds lie in a node's interval leads to that node.

        >>> import oddly
        >>> oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"]).intervals()[0].round(3)
        array([[0.772, 3.479]])
        """
        if self.source is None:
            raise Unsupported("this diagram was combined from others, so its nodes have no intervals")
        try:
            return intervals(self.levels, additive(self.source, "an interval"))
        except Unsupported as error:
            raise Unsupported(f"{error}.  odd.regions() is for all sums.") from None

    def regions(self) -> list[Regions]:
        """Which scores lead to each node, depth by depth?  Recomputed on demand, for whatever is decided by sums.

        Of two classes an interval of log-odds, or points; of more a zone. Each holds within a context: the values
        above the node that some table still waits for. A score is what the tables give that wait for nothing.

        >>> import oddly
        >>> oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"]).regions()[1]
        Region: node 0: log-odds of yes in [-1.393, 2.692)
        Region: node 1: log-odds of yes in [2.692, 5.399)
        """
        if self.source is None:
            raise Unsupported("this diagram was combined from others, so its nodes have no regions")
        if isinstance(self.source, Tabled):
            raise Unsupported("regions are for sums, and these instances were decided one by one")
        return regions(self.levels, self.root, self.source)

    # ---- what it decides ----

    def classify(self, rows: Any) -> Any:
        """The label of each row: a data frame, a list of mappings, or an array of value indices.

        Columns of an index array follow the model's attributes, not the diagram's order. An unknown or missing value is
        an error that names it. Of a lazy frame or an Arrow dataset it is that table with a column `decision`, null there.

        >>> import oddly
        >>> odd = oddly.compile(oddly.examples.pregnancy())
        >>> odd.classify([{"U": "+ve", "B": "-ve", "S": "-ve"}, {"U": "+ve", "B": "+ve", "S": "-ve"}])
        array(['no', 'yes'], dtype='<U3')
        """
        if stays(rows):
            from oddly.export.tables import decided

            return decided(self, rows)
        return np.array(self.labels)[self._decide(self.encode(rows))]

    def decide(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """The place in `labels` of each row's label, for rows of value indices in the model's order of attributes."""
        return self._decide(checked(codes, self._in_columns))

    def _decide(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """Through the weights where they are proven to decide alike, because that is faster."""
        ranks = np.argsort(np.argsort(self.places))
        score = self.source if isinstance(self.source, Score) else None
        weights = score if score and score.bits == 64 and self.certificate.proven else None
        return decide(codes, self.levels, self.root, ranks, len(self.labels), weights)

    def count(self, label: str) -> int:
        """How many instances get this label?  Exact, at any size.

        >>> import oddly
        >>> oddly.compile(oddly.examples.pregnancy()).count("yes")
        5
        """
        return count(self.levels, self.root, self.label_index(label), len(self.labels), self.instances)

    def label_index(self, label: str) -> int:
        """The place of a label among the labels."""
        if label not in self.labels:
            raise UnknownValue.of(self.source.model.class_name if self.source else "decision", label, self.labels)
        return self.labels.index(label)

    # ---- what can be made of it ----

    def restrict(self, values: Any = None, /, **more: object) -> "ODD":
        """The diagram that remains once these attributes are known; they are removed.

        >>> import oddly
        >>> oddly.compile(oddly.examples.pregnancy()).restrict(S="+ve")
        ODD: 4 nodes deciding P over 4 instances of B, U: all yes
        """
        row = {**({} if values is None else one_row(values, self.order)), **more}
        known = {name: label_of(value, self.attribute(name)) for name, value in row.items()}
        fixed = [v.index(known[v.name]) if v.name in known else None for v in self.variables]
        levels, root = canonical(self.levels, self.root, len(self.labels), fixed)
        kept = [i for i, v in enumerate(self.variables) if v.name not in known]
        places = np.argsort(np.argsort([self.places[i] for i in kept]))
        source = self._observed(known, levels, root)
        return ODD(
            tuple(self.variables[i] for i in kept),
            self.labels,
            levels,
            root,
            tuple(map(int, places)),
            source,
            self.compiler,
        )

    def _observed(self, known: Mapping[str, str], levels: tuple[Level, ...], root: int) -> Source | None:
        """The score of what remains, as precise as that needs; none if the known values are impossible."""
        if self.source is None:
            return None
        try:
            model = self.source.model.observe(known)
        except ModelError:
            return None
        if isinstance(self.source, Tabled):
            return Tabled(model, self.source.impossible, None)
        order = [name for name in self.order if name not in known]
        for bits in (self.source.bits << more for more in range(4)):
            score = lowered(model, bits, self.source.impossible)
            score = score.in_order([score.index(name) for name in order])
            if prove(levels, root, score).proven:
                break
        return score

    def __and__(self, other: "ODD") -> "ODD":
        """Positive where both are."""
        return combine.both(self, other) if getattr(other, "exact", True) else NotImplemented

    def __or__(self, other: "ODD") -> "ODD":
        """Positive where one is, or both."""
        return combine.either(self, other) if getattr(other, "exact", True) else NotImplemented

    def __xor__(self, other: "ODD") -> "ODD":
        """Positive where exactly one is."""
        return combine.one_of(self, other) if getattr(other, "exact", True) else NotImplemented

    def __invert__(self) -> "ODD":
        """Positive where it is negative."""
        return combine.negated(self)

    def implies(self, other: "ODD") -> "ODD":
        """Positive where the other is, or this is not."""
        return combine.implies(self, other)

    def for_all(self, *attributes: str) -> "ODD":
        """Positive where it is, whatever the values of these attributes; they are removed."""
        return combine.for_all(self, *attributes)

    def for_some(self, *attributes: str) -> "ODD":
        """Positive where it is for some values of these attributes; they are removed."""
        return combine.for_some(self, *attributes)

    def is_(self, label: str) -> "ODD":
        """A diagram of two labels: is the decision this one?"""
        return combine.is_label(self, label)

    def save(self, path: str | Path) -> None:
        """Write it to a file that `oddly.load` maps into memory; a save that fails leaves the old file."""
        store.save(self, path)

    def to_sql(self, dialect: str, table: str = "rows", **options: Any) -> str:
        """The decision as a SELECT of the table's columns and one called decision; `oddly.export.to_sql` has the options."""
        from oddly.export import to_sql

        return to_sql(self, dialect, table, **options)

    # ---- how it compares and shows ----

    def __eq__(self, other: object) -> bool:
        """Whether both are diagrams of one function, over the same attributes in the same order."""
        if not isinstance(other, ODD):
            return NotImplemented
        mine, theirs = ((odd.variables, odd.labels, odd.widths) for odd in (self, other))
        return mine == theirs and same_function(self.levels, self.root, other.levels, other.root)

    def __hash__(self) -> int:
        return hash((self.variables, self.labels, *self.widths))

    def __repr__(self) -> str:
        what = f" deciding {self.source.model.class_name}" if self.source else ""
        head = f"ODD: {self.size:,} nodes{what} over {grouped(self.instances)} instance{'' if self.instances == 1 else 's'}"
        of = f" of {', '.join(self.order[:8])}{', …' if len(self.order) > 8 else ''}" if self.order else ""
        if self.size > 1_000_000 or self.instances >= TOO_LONG:  # a repr is no place for a long pass
            return head + of
        counts = [(self.count(label), label) for label in reversed(self.labels)]
        if any(found == self.instances for found, _ in counts):
            return f"{head}{of}: all {max(counts)[1]}"
        return f"{head}{of}: " + ", ".join(f"{found:,} {label}" for found, label in counts)

    def _repr_svg_(self) -> str:
        from oddly.draw import svg

        return svg(self)
