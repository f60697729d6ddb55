# SPDX-License-Identifier: Apache-2.0
"""How far may a probability move before any decision changes, where every variable is observed?

Then an entry is met by the instances that have its values, and by no others: it has the room of the nearest of those.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from oddly.lowering import Families
from oddly.model import NetworkClassifier, Node
from oddly.questions.allowed.entries import Entries, entry
from oddly.questions.allowed.families import Closest, share
from oddly.questions.allowed.ranges import Range
from oddly.questions.allowed.room import Slack


def about_class(families: Families) -> list[Node]:
    """The variables whose tables mention the class; none where others are hidden, and tables do not stand alone."""
    model = network_of(families)
    inside = model.relevant.nodes
    if len(inside) > len(model.attributes) + len(model.evidence) + 1:
        return []
    return [node for node in inside if model.class_name in (node.name, *node.parents)]


def scope_of(families: Families, node: Node) -> tuple[int, ...]:
    """The attributes in a variable's table, by depth."""
    return tuple(sorted(families.index(name) for name in (*node.parents, node.name) if name in families.names))


def entries_of(closest: Closest, nodes: Sequence[Node]) -> Entries:
    """By variable, row and value; the class's own table without parents is the prior, and left out."""
    model = network_of(closest.families)
    own = [node for node in nodes if node.name != model.class_name or node.parents]
    return {node.name: _table(closest, model, node) for node in own}


def network_of(families: Families) -> NetworkClassifier:
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
    scope = scope_of(families, node)
    at = 0
    for depth in scope:
        variable = families.variables[depth]
        at = at * len(variable.values) + variable.index(values[variable.name])
    c = model.class_values.index(values[model.class_name])
    if model.positive is not None:
        c = int(model.class_values[c] == model.positive)
    return closest.room(c, scope, at)
