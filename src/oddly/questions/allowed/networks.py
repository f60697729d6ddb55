# SPDX-License-Identifier: Apache-2.0
"""How far may the numbers of a network move?  From sums where there are any, or from a table of all instances."""

from dataclasses import dataclass

import numpy as np

from oddly.diagram import ODD
from oddly.diagram.together import pairs
from oddly.errors import TooLarge
from oddly.lowering import Families
from oddly.model import Probabilistic
from oddly.questions.allowed.contest import ClassComparison, Nearness
from oddly.questions.allowed.entries import Entries
from oddly.questions.allowed.families import Closest, LeastLeads
from oddly.questions.allowed.hidden import hidden_entries
from oddly.questions.allowed.masses import Blocks, InstanceTable, Listed
from oddly.questions.allowed.observed import about_class, entries_of, network_of, scope_of
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


def by_sums(odd: ODD, families: Families) -> NetworkFacts:
    """From the families of a diagram; where variables are hidden, each block of tables is one family."""
    if families.model.probabilistic is None:
        return NetworkFacts(Closest(odd, families, []), {}, 0)
    nodes = about_class(families)
    if nodes:
        closest = Closest(odd, families, [scope_of(families, node) for node in nodes])
        return NetworkFacts(closest, entries_of(closest, nodes), len(nodes))
    model = network_of(families)
    blocks = Blocks.of(model, odd.places, current().max_memory)
    if blocks.slices.instances <= SMALL:
        return by_table(odd, model)
    try:
        return _by_blocks(odd, families, blocks)
    except TooLarge as error:
        return NetworkFacts(Closest(odd, families, []), {}, blocks.weights, str(error))


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


def _depths(families: Families, scope: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted(families.index(name) for name in scope))
