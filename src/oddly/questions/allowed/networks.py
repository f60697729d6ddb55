# SPDX-License-Identifier: Apache-2.0
"""How far may the numbers of a network move?  From sums where there are any, or from a table of all instances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from oddly.diagram import ODD
from oddly.diagram.together import pairs
from oddly.errors import TooLarge
from oddly.lowering import Families
from oddly.model import NetworkClassifier, Node, Probabilistic, Sum
from oddly.model.sums import CROSS
from oddly.questions.allowed.comparison import ClassComparison, Nearness
from oddly.questions.allowed.families import Closest, LeastLeads, share
from oddly.questions.allowed.hidden import hidden_entries
from oddly.questions.allowed.masses import Blocks, InstanceTable, Listed
from oddly.questions.allowed.ranges import Range
from oddly.questions.allowed.slack import Entries, Slack, Weights, entry
from oddly.runtime import current

SMALL = 1 << 16  # instances that a table holds in any case


@dataclass(frozen=True, eq=False)
class NetworkFacts:
    """What is known of a network's numbers."""

    standing: LeastLeads
    entries: Entries
    weights: int
    """How many numbers are added up for an instance: the prior, and one for each group of attributes."""
    entries_unknown: str = ""
    """Why there are no entries, where there should be."""
    points: Weights = field(default_factory=dict)
    """Of tables of points: by their attributes and values."""


def by_sums(odd: ODD, families: Families) -> NetworkFacts:
    """From the families of a diagram; where variables are hidden, each block of tables is one family."""
    if isinstance(families.model, Sum):
        return _of_tables(odd, families, families.model)
    if families.model.probabilistic is None:
        return NetworkFacts(Closest(odd, families, []), {}, 0)
    nodes = _about_class(families)
    if nodes:
        closest = Closest(odd, families, [_scope_of(families, node) for node in nodes])
        return NetworkFacts(closest, _entries_of(closest, nodes), len(nodes))
    model = _network_of(families)
    blocks = Blocks.of(model, odd.places, current().max_memory)
    if blocks.slices.instances <= SMALL:
        return by_table(odd, model)
    try:
        return _by_blocks(odd, families, blocks)
    except TooLarge as error:
        return NetworkFacts(Closest(odd, families, []), {}, blocks.weights, str(error))


def _of_tables(odd: ODD, families: Families, model: Sum) -> NetworkFacts:
    """Of tables of points: each is met by the instances that have its values."""
    scopes = [_depths(families, table.over) for table in model.tables]
    closest = Closest(odd, families, scopes)
    found: Weights = {table.name: {} for table in model.tables}
    for table, scope in zip(model.tables, scopes, strict=True):
        sizes = [len(families.variables[depth].values) for depth in scope]
        axes = [table.over.index(families.names[depth]) for depth in scope]
        for codes, said, now in zip(np.ndindex(*table.shape), model.combinations(table), table.points, strict=True):
            at = int(np.ravel_multi_index([codes[axis] for axis in axes], sizes))
            found[table.name][CROSS.join(said)] = closest.room(1, scope, at).around(now, "points")
    return NetworkFacts(closest, {}, len(model.tables) + 1, points=found)


def _by_blocks(odd: ODD, families: Families, blocks: Blocks) -> NetworkFacts:
    closest = Closest(odd, families, [_depths(families, scope) for scope in blocks.scopes])
    sources = {b: _nearest(closest, blocks, blocks.scopes[b]) for b in {family.block for family in blocks.families}}
    return NetworkFacts(closest, hidden_entries(lambda f: sources[f.block], blocks), blocks.weights)


def by_table(odd: ODD, model: Probabilistic) -> NetworkFacts:
    """From all instances, as the diagram decides them."""
    classifier = model.as_network
    table = InstanceTable(odd, classifier, current().max_memory)
    standing = Nearness(table, ClassComparison(classifier))
    try:
        table.check_work()
        return NetworkFacts(standing, hidden_entries(lambda _: table, table.blocks), table.blocks.weights)
    except TooLarge as error:
        return NetworkFacts(standing, {}, table.blocks.weights, str(error))


def _nearest(closest: Closest, blocks: Blocks, scope: tuple[str, ...]) -> Listed:
    """For all values of a block's attributes and each two classes, the instance that is nearest to going over.

    Whatever a number of the block does, among instances that agree in the block it does the same to all, so the
    nearest is the first to go.
    """
    families, depths = closest.families, _depths(closest.families, scope)
    found: dict[tuple[int, ...], int] = {}
    for i, j in pairs(families) if not closest.fixed else ():
        found |= dict.fromkeys(closest.nearest[i, j].instances(depths).values(), families.labels_of[i])
    codes = np.array(list(found), np.intp).reshape(len(found), len(families.variables))
    columns = {name: codes[:, families.index(name)] for name in blocks.slices.names}
    return Listed(blocks, columns, list(found.values()))


def _depths(families: Families, scope: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted(families.index(name) for name in scope))


# ---- every variable observed: an entry is met by the instances that have its values, and by no others ----


def _about_class(families: Families) -> list[Node]:
    """The variables whose tables mention the class; none where others are hidden, and tables do not stand alone."""
    model = _network_of(families)
    inside = model.relevant.nodes
    if len(inside) > len(model.attributes) + len(model.evidence) + 1:
        return []
    return [node for node in inside if model.class_name in (node.name, *node.parents)]


def _scope_of(families: Families, node: Node) -> tuple[int, ...]:
    """The attributes in a variable's table, by depth."""
    return tuple(sorted(families.index(name) for name in (*node.parents, node.name) if name in families.names))


def _entries_of(closest: Closest, nodes: Sequence[Node]) -> Entries:
    """By variable, row and value; the class's own table without parents is the prior, and left out."""
    model = _network_of(closest.families)
    own = [node for node in nodes if node.name != model.class_name or node.parents]
    return {node.name: _table(closest, model, node) for node in own}


def _network_of(families: Families) -> NetworkClassifier:
    assert families.model.probabilistic
    return families.model.probabilistic.as_network


def _table(closest: Closest, model: NetworkClassifier, node: Node) -> dict[str, dict[str, Range | None]]:
    parents = [model.network.node(parent) for parent in node.parents]
    found = {}
    for said, row, values in zip(model.row_names(node), node.table, product(*(p.values for p in parents)), strict=True):
        known = dict(zip(node.parents, values, strict=True))
        rooms = [_met(closest, model, node, known | {node.name: v}) for v in node.values]
        if node.name == model.class_name:
            found[said] = {v: share(row, i, rooms[i]) for i, v in enumerate(node.values)}
        else:
            found[said] = {v: entry(row, rooms, i) for i, v in enumerate(node.values)}
    return found


def _met(closest: Closest, model: NetworkClassifier, node: Node, values: Mapping[str, str]) -> Slack:
    """The room of an entry's class, where the entry's values are met."""
    families = closest.families
    if any(values.get(name, value) != value for name, value in model.evidence):
        return Slack()  # no instance has these values
    scope = _scope_of(families, node)
    at = 0
    for depth in scope:
        variable = families.variables[depth]
        at = at * len(variable.values) + variable.index(values[variable.name])
    c = model.class_values.index(values[model.class_name])
    if model.positive is not None:
        c = int(model.class_values[c] == model.positive)
    return closest.room(c, scope, at)
