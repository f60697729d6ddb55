# SPDX-License-Identifier: Apache-2.0
"""Long chains of hidden variables: intervals again, in two dimensions.

Where at every depth a single two-valued variable H stands between what was read and what follows, an instance is
positive iff Σ_h A_h(prefix)·B_h(rest) >= 0: A holds the prefix's probability with each value of H, weighed by the
threshold, and reading one more value multiplies it by a matrix. Only the direction of A matters. A node is a sector
of directions, cut out by half-planes that its children's are pulled back to: Theorem 3.1 with sectors for intervals,
and the paper's search with whole numbers throughout.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import log2, nan, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.canonical import canonical
from oddly.diagram.passes.sweep import count
from oddly.engine.sectors import Matrices, Matrix, SectorSearch, SectorStep
from oddly.engine.table import Decided, TableProof, decide_table, with_idle
from oddly.engine.two_ended import Level
from oddly.errors import Unsupported
from oddly.model import NetworkClassifier
from oddly.model.contraction import Potential, axis_sizes, summed_out
from oddly.model.elimination import class_blocks
from oddly.runtime import Watch

LONGEST = 300  # attributes, and so the depth of the search


def decide_chain(classifier: NetworkClassifier, order: Sequence[int], watch: Watch | None = None) -> Decided:
    """The levels and the root of the diagram, the attributes in this order of places, and how many ties there are.

    Unsupported where more than one two-valued variable stands between prefix and rest, or a probability is zero.
    How close the closest instance comes is not worked out.
    """
    watch = watch or Watch()
    watch.attributes = len(order)
    names = [classifier.attributes[i] for i in order]
    tables, inside = _read(classifier, order)
    if not inside:
        return decide_table(classifier, order, watch=watch)
    steps, matters = _steps(tables, inside), set(inside)
    strict, again = classifier.ties == "negative", replace(watch)
    found = _searched(steps, strict, watch)
    sizes = [len(classifier.variables[i].values) for i in order]
    levels, root = with_idle(*found, [name not in matters for name in names], sizes)
    ties = abs(_positives(*found) - _positives(*_searched(steps, not strict, again)))
    ties *= prod(size for size, name in zip(sizes, names, strict=True) if name not in matters)
    return levels, root, TableProof(prod(sizes), ties, nan, 0, prod(sizes), 0.0)


def chain_order(classifier: NetworkClassifier) -> list[int]:
    """An order in which the attributes can be read: as given, as the network runs, or backwards."""
    place = {node.name: i for i, node in enumerate(classifier.network.topological)}
    given = list(range(len(classifier.attributes)))
    along = sorted(given, key=lambda i: place[classifier.attributes[i]])
    problem = Unsupported("there are no attributes")
    for order in (given, along, given[::-1], along[::-1]):
        try:
            return check_chain(classifier, order)
        except Unsupported as error:
            problem = error
    raise problem


def check_chain(classifier: NetworkClassifier, order: list[int]) -> list[int]:
    """The order, if a single two-valued variable stands between what was read and the rest; else Unsupported."""
    _waiting(*_read(classifier, order))
    return order


def _read(classifier: NetworkClassifier, order: Sequence[int]) -> tuple[list[Potential], list[str]]:
    """The tables that decide, and the attributes that matter in this order, of a classifier that can be searched."""
    able = classifier.positive is not None and len(classifier.attributes) < LONGEST
    plain = [p for block in class_blocks(classifier) for p in block] if able else []
    if not able or any(np.any(p.table == 0) for p in plain):
        raise Unsupported("a chain is searched with a positive label, no probability of zero, and up to 300 attributes")
    matters = {name for p in plain for name in p.names}
    return [*plain, _sides(classifier)], [name for name in (classifier.attributes[i] for i in order) if name in matters]


def _searched(steps: list[SectorStep], strict: bool, watch: Watch) -> tuple[Sequence[Level], int]:
    search = SectorSearch(steps, strict, watch)
    root = search.node(0, (), (1, 0))[0]
    return canonical(search.levels(), root, 2, [None] * len(steps))


def _positives(levels: Sequence[Level], root: int) -> int:
    return count(tuple(levels), root, 1, 2, prod(level.shape[1] for level in levels))


def _sides(classifier: NetworkClassifier) -> Potential:
    """What each class adds to the comparison, in parts of the threshold: the positive one for it, all others against."""
    p = classifier.threshold
    sign = [p.denominator - p.numerator if v == classifier.positive else -p.numerator for v in classifier.class_values]
    return Potential((classifier.class_name,), np.array(sign, object), p.denominator)


# ---- one matrix per value ----


def _steps(potentials: Sequence[Potential], names: Sequence[str]) -> list[SectorStep]:
    """Every table at the attribute that completes it; what has none, where it keeps the fewest variables waiting."""
    sizes, place = axis_sizes(potentials), {name: k for k, name in enumerate(names)}
    at, waiting = _waiting(potentials, names)
    contexts = [sorted(place[n] for n in alive if n in place) for alive in waiting]
    hidden = [[n for n in alive if n not in place] for alive in waiting]
    found = []
    for k, name in enumerate(names):
        block = [p for p, step in zip(potentials, at, strict=True) if step == k]
        above, below = (alive[0] if alive else None for alive in hidden[k : k + 2])
        axes = [names[i] for i in contexts[k]] + [name]
        matrices = _matrices(block, axes, above, below, sizes)
        here = [*contexts[k], k]
        found.append(SectorStep(tuple(contexts[k]), tuple(here.index(i) for i in contexts[k + 1]), matrices))
    return found


def _waiting(potentials: Sequence[Potential], names: Sequence[str]) -> tuple[list[int], list[list[str]]]:
    """At which attribute each table is taken up, and which variables wait before each for another of their tables."""
    sizes, place = axis_sizes(potentials), {name: k for k, name in enumerate(names)}
    at = _assigned(potentials, place, sizes)
    spans: dict[str, tuple[int, int]] = {}
    for p, k in zip(potentials, at, strict=True):
        for name in p.names:
            first, last = spans.get(name, (k, k))
            spans[name] = min(place.get(name, first), k), max(last, k)
    waiting = [[n for n, (first, last) in spans.items() if first < k <= last] for k in range(len(names) + 1)]
    if any(prod(sizes[n] for n in alive if n not in place) > 2 for alive in waiting):
        raise Unsupported("more than one two-valued variable stands between some attributes and the rest")
    return at, waiting


def _assigned(potentials: Sequence[Potential], place: dict[str, int], sizes: dict[str, int]) -> list[int]:
    found = [max((place[n] for n in p.names if n in place), default=-1) for p in potentials]
    spans: dict[str, tuple[int, int]] = {}

    def cost(p: Potential, k: int) -> float:
        return sum(log2(sizes[n]) * (max(spans[n][0] - k, 0) + max(k - spans[n][1], 0)) for n in p.names if n in spans)

    def assign(i: int, k: int) -> None:
        found[i] = k
        for n in potentials[i].names:
            low, high = spans.get(n, (k, k))
            spans[n] = min(low, k), max(high, k)

    for i, k in enumerate(found):
        if k >= 0:
            assign(i, k)
    free = [i for i, k in enumerate(found) if k < 0]
    while free:  # those first that hang on most of what has its place
        i = max(free, key=lambda i: sum(n in spans for n in potentials[i].names) / max(len(potentials[i].names), 1))
        free.remove(i)
        assign(i, min(range(max(len(place), 1)), key=lambda k: cost(potentials[i], k)))
    return found


def _matrices(
    block: Sequence[Potential], axes: Sequence[str], above: str | None, below: str | None, sizes: dict[str, int]
) -> Matrices:
    ends = list(dict.fromkeys(name for name in (above, below) if name is not None))
    one = Potential((), np.array(1, object))
    table = summed_out([one, *block], {*axes, *ends}).aligned([*axes, *ends]).astype(object)
    table = np.broadcast_to(table, [sizes[name] for name in (*axes, *ends)])
    found: Matrices = {}
    for values in product(*(range(sizes[name]) for name in axes)):
        found.setdefault(values[:-1], []).append(_matrix(np.asarray(table[values], object), above, below))
    return found


def _matrix(numbers: NDArray[Any], above: str | None, below: str | None) -> Matrix:
    """Rows by the variable above, columns by the one below; what is not there has one value, the first."""
    entry = [[0, 0], [0, 0]]
    for i, j in product(range(2 if above else 1), range(2 if below else 1)):
        if above and above == below:
            entry[i][j] = int(numbers[i]) if i == j else 0
        else:
            entry[i][j] = int(numbers[tuple(v for v, name in ((i, above), (j, below)) if name)])
    return (entry[0][0], entry[0][1]), (entry[1][0], entry[1][1])
