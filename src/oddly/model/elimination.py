# SPDX-License-Identifier: Apache-2.0
"""What remains of a network once its hidden variables are summed out, in whole numbers that never round.

Every table of probabilities becomes integers over one denominator. Hidden variables are summed out of their products
(variable elimination; Zhang and Poole, 1994), while the class and the attributes stay. Hidden variables that
share a table form a *block*, and a block becomes one factor over the class and its attributes. What is neither
class, attribute nor evidence, nor above one of these, was left out before.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly.model.contraction import (
    BYTES_EACH,
    MOST_ENTRIES,
    ROW,
    Potential,
    axis_sizes,
    blocks,
    planned,
    summed_out,
    within,
)
from oddly.runtime import current

if TYPE_CHECKING:
    from oddly.model.contraction import Contraction
    from oddly.model.network_classifier import NetworkClassifier

Codes = NDArray[np.integer[Any]]
Block = Sequence[Potential]
MOST_FLOATS = 1 << 26  # entries of a table
COMFORTABLE = 1 << 18  # entries of a table that is not worth breaking up
MOST_CARRIED = 512  # combinations of class and carried variables
MOST_TRIED = 2000  # tables looked at, to see which hidden variable is best carried


@dataclass(frozen=True, eq=False)
class Factor:
    """Whole numbers, one for each combination of some attributes' values and each class value.

    `scope` are places in the classifier's attributes, ascending; the table's last axis is the class. The numbers
    times `scale` are the factor.
    """

    scope: tuple[int, ...]
    table: NDArray[Any]
    scale: Fraction

    def floats(self) -> NDArray[np.float64]:
        """The factor's numbers, each the nearest float or the one beside it."""
        return np.asarray(self.table * self.scale.numerator / self.scale.denominator, np.float64)


def factors(
    classifier: "NetworkClassifier",
    *,
    joint: bool = False,
    over: Sequence[str] | None = None,
    limit: int = MOST_ENTRIES,
) -> list[Factor]:
    """Tables over class and attributes whose product decides as the classifier does; the first has no attribute.

    With `joint` the product is Pr(class, attributes, evidence) exactly. Without, only the shares of the classes are
    kept: a factor without the class says no more than what is possible (0 or 1), and is left out if all is. `over`
    names the attributes that stay, by default all; scopes are places in it. A block whose table has more than
    `limit` entries on the way is TooLarge.
    """
    attributes = classifier.attributes if over is None else tuple(over)
    raw = whole_potentials(classifier)
    kept = {classifier.class_name, *attributes}
    groups = blocks(raw, kept) if joint else bearing(raw, kept, classifier.class_name)
    found = [summed_out(block, kept, limit) for block in groups]
    return _as_factors(found, attributes, {classifier.class_name: len(classifier.class_values)})


def joint_factors(
    classifier: "NetworkClassifier", over: Sequence[str], carried: Sequence[str] = (), *, exact: bool = True
) -> list[Factor]:
    """Factors of Pr(class, carried variables, attributes, evidence): the class's axis is one of all combinations.

    The class changes slowest along it. In whole numbers, or in floats where tables may be larger.
    """
    raw = whole_potentials(classifier)
    sizes = axis_sizes(raw)
    axis = {name: sizes.get(name, 1) for name in (classifier.class_name, *carried)}
    kept = {*axis, *over}
    limit = MOST_ENTRIES if exact else MOST_FLOATS
    groups = blocks(raw if exact else [p.in_floats() for p in raw], kept)
    return _as_factors([summed_out(block, kept, limit) for block in groups], over, axis)


def supports(classifier: "NetworkClassifier", over: Sequence[str]) -> list[Factor]:
    """Factors that are zero where Pr(class, carried variables, attributes, evidence) is, and one elsewhere.

    Hidden variables are summed out as truth values, so that nothing can round or overflow.
    """
    carried = cutset(classifier, over)
    raw = [p.possible() for p in whole_potentials(classifier)]
    sizes = axis_sizes(raw)
    axis = {name: sizes.get(name, 1) for name in (classifier.class_name, *carried)}
    kept = {*axis, *over}
    return _as_factors([summed_out(block, kept) for block in blocks(raw, kept)], over, axis)


def cutset(classifier: "NetworkClassifier", over: Sequence[str]) -> tuple[str, ...]:
    """Hidden variables that are better carried along with the class than summed out: given them, blocks fall apart.

    Greedily, from those that stand in most tables, until no block needs a large one (cutset conditioning; Pearl,
    1988). None where all are small.
    """
    raw = whole_potentials(classifier)
    sizes, kept = axis_sizes(raw), {classifier.class_name, *over}
    carried: list[str] = []
    many, largest = len(classifier.class_values), _largest(raw, kept)
    tries = max(8, MOST_TRIED // len(raw))
    while largest > COMFORTABLE:
        tables = Counter(name for p in raw for name in p.names if name not in kept)
        wanted = [name for name, _ in tables.most_common(tries) if many * sizes[name] <= MOST_CARRIED]
        tried = {name: _largest(raw, {*kept, name}) for name in wanted}
        best = min(tried, key=lambda name: tried[name] * sizes[name], default=None)
        if best is None or tried[best] * 4 > largest * 3:
            break
        largest, many = tried[best], many * sizes[best]
        carried.append(best)
        kept.add(best)
    return tuple(carried)


def _largest(potentials: Sequence[Potential], kept: Collection[str]) -> int:
    """The entries of the largest table that summing the others out takes."""
    return max(planned([p.names for p in b], kept, axis_sizes(b)).largest for b in blocks(potentials, kept))


def bearing(potentials: Sequence[Potential], kept: Collection[str], class_name: str) -> list[list[Potential]]:
    """The blocks that bear on the class, and of the others what they say is possible, if that is not everything."""
    found = []
    for block in blocks(potentials, kept):
        if any(class_name in p.names for p in block):
            found.append(block)
        elif not all(np.all(p.table > 0) for p in block):
            found.append([p.possible() for p in block])
    return found


def entries_allowed() -> int:
    """The entries of a table of whole numbers that the question's memory holds, and never more than MOST_ENTRIES."""
    return min(MOST_ENTRIES, current().max_memory // BYTES_EACH)


def class_blocks(classifier: "NetworkClassifier") -> list[list[Potential]]:
    """The blocks of a classifier, with all its attributes, that bear on its class."""
    kept = {classifier.class_name, *classifier.attributes}
    return bearing(whole_potentials(classifier), kept, classifier.class_name)


def class_masses(classifier: "NetworkClassifier", codes: Codes | None = None) -> tuple[NDArray[Any], Fraction]:
    """Pr(class value, row, evidence) for rows of value indices, exactly: whole numbers, and their scale.

    Without rows, attributes are summed out too: one row, of Pr(class value, evidence).
    """
    raw = whole_potentials(classifier)
    columns = {} if codes is None else {name: codes[:, i] for i, name in enumerate(classifier.attributes)}
    found = Potential((), np.array(1, object))
    for block in blocks(raw, {classifier.class_name, *columns}):
        found = found * in_rows(block, columns, classifier.class_name)
    table = found.aligned((ROW, classifier.class_name)).astype(object)
    shape = (1 if codes is None else len(codes), len(classifier.class_values))
    return np.broadcast_to(table, shape), Fraction(1, found.denominator)


def in_rows(block: Block, columns: Mapping[str, Codes], class_name: str, also: Sequence[str] = ()) -> Potential:
    """A block's product at the values of some rows: one axis for all the rows, and one for the class and for what is
    `also` kept. All else is summed out."""
    plan = row_plan(block, columns, (class_name, *also))
    sizes = axis_sizes(block)
    inside = {name: column for name, column in columns.items() if name in sizes}
    rows, step = len(next(iter(inside.values()), ())), MOST_ENTRIES // plan.largest
    pieces = []
    for start in range(0, max(rows, 1), step):
        part = {name: column[start : start + step] for name, column in inside.items()}
        pieces.append(plan([_taken(p, part) for p in block]))
    if len(pieces) == 1:
        return pieces[0]
    axes = (ROW, class_name, *also)
    return replace(pieces[0], names=axes, table=np.concatenate([p.aligned(axes) for p in pieces]))


def row_plan(block: Block, columns: Collection[str], kept: Collection[str]) -> "Contraction":
    """How a block is summed out at the values of a row; TooLarge where that takes too large a table."""
    scopes = [{ROW if name in columns else name for name in p.names} for p in block]
    return within(MOST_ENTRIES, scopes, {ROW, *kept}, {ROW: 1} | axis_sizes(block))


def in_every_row(block: Block, columns: Mapping[str, Codes], class_name: str, also: Sequence[str] = ()) -> NDArray[Any]:
    """As `in_rows`, but worked out once for all rows that agree in the block: by what is `also` kept, class and row."""
    sizes = axis_sizes(block)
    inside = {name: column for name, column in columns.items() if name in sizes}
    key = np.zeros(len(next(iter(inside.values()), ())), np.intp)
    for name, column in inside.items():  # renumbered at every step, so that it stays small
        key = np.unique(key * sizes[name] + column, return_inverse=True)[1]
    _, one, where = np.unique(key, return_index=True, return_inverse=True)
    found = in_rows(block, {name: column[one] for name, column in inside.items()}, class_name, also=also)
    table = found.aligned((*also, class_name, ROW))
    return table[..., where] if inside else table


def _taken(p: Potential, codes: Mapping[str, Codes]) -> Potential:
    """The table's entries at the rows' values: one axis for all the attributes."""
    inside = [name for name in p.names if name in codes]
    if not inside:
        return p
    rest = tuple(name for name in p.names if name not in codes)
    table = p.aligned((*inside, *rest))[tuple(codes[name] for name in inside)]
    return replace(p, names=(ROW, *rest), table=table)


# ---- from probabilities to tables ----


def whole_potentials(classifier: "NetworkClassifier") -> list[Potential]:
    """The tables of what bears on class, attributes and evidence, as whole numbers.

    Evidence has its value, and so has a variable that has only one: neither is an axis of any table.
    """
    inside = classifier.relevant
    known = {node.name: 0 for node in inside.nodes if len(node.values) == 1}
    known |= {name: inside.node(name).variable.index(value) for name, value in classifier.evidence}
    found = []
    for node in inside.nodes:
        names = (*node.parents, node.name)
        table = node.whole.table.reshape([len(inside.node(n).values) for n in names])
        found.append(replace(node.whole, names=names, table=table).at(known))
    return found


def _as_factors(potentials: Sequence[Potential], attributes: Sequence[str], axis: Mapping[str, int]) -> list[Factor]:
    """One factor per scope; the one without attributes comes first. The class, and what is carried, share an axis."""
    places = {name: i for i, name in enumerate(attributes)}
    by_scope: dict[tuple[int, ...], Potential] = {(): Potential((), np.array(1, np.int64))}
    for p in potentials:
        scope = tuple(sorted(places[name] for name in p.names if name not in axis))
        p = Potential(p.names, p.table.astype(np.int64)) if p.table.dtype == bool else p
        by_scope[scope] = by_scope[scope] * p if scope in by_scope else p
    found = []
    for scope, p in by_scope.items():
        table = p.aligned((*(attributes[i] for i in scope), *axis))
        table = table.astype(object) if table.dtype.kind == "i" else table
        arities = table.shape[: len(scope)]
        table = np.broadcast_to(table, (*arities, *axis.values())).reshape(*arities, -1)
        found.append(Factor(scope, table, Fraction(1, p.denominator)))
    return found
