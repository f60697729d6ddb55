# SPDX-License-Identifier: Apache-2.0
"""Do the peers build what they should? Every one, on small problems, against plain enumeration.

``python -m benchmarks.peers_check`` says how many diagrams were right, or stops at the first that is not.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable, Iterator
from itertools import product
from random import Random

from benchmarks import peers, problems, threshold
from benchmarks.peers import LeftOut, Peer
from benchmarks.problems import Problem

Outcomes = tuple[bool, ...]  # the decisions of a sub-function, over all values of the attributes still to come


def sub_functions(problem: Problem) -> list[set[Outcomes]]:
    """Which distinct sub-functions are there at each depth? By their truth tables: no intervals."""

    def sums(rows: list[list[int]]) -> list[int]:
        return [sum(values) for values in product(*rows)]

    weights = problem.weights
    return [
        {tuple(problem.prior + v + s >= 0 for s in sums(weights[k:])) for v in sums(weights[:k])}
        for k in range(len(weights) + 1)
    ]


def nodes_of_all_depths(depths: list[set[Outcomes]]) -> int:
    return sum(map(len, depths[:-1])) + 2


def bdd_nodes(depths: list[set[Outcomes]]) -> int:
    """A node is left out if its two halves are equal."""
    return sum(zero != one for zero, one in _halves(depths)) + len(depths[-1])


def complemented_bdd_nodes(depths: list[set[Outcomes]]) -> int:
    """As in a BDD, and a function and its complement share a node."""
    depths = [{min(f, tuple(not bit for bit in f)) for f in depth} for depth in depths]
    return bdd_nodes(depths)


def zdd_nodes(depths: list[set[Outcomes]]) -> int:
    """A node is left out if its upper half is empty. Terminals are not counted."""
    return sum(any(one) for _, one in _halves(depths))


NODES: dict[Peer, Callable[[list[set[Outcomes]]], int]] = {
    peers.recursion: nodes_of_all_depths,
    peers.dd_cudd: complemented_bdd_nodes,
    peers.dd_autoref: complemented_bdd_nodes,
    peers.oxidd: bdd_nodes,
    peers.graphillion: zdd_nodes,
}


def small_problems() -> Iterator[Problem]:
    """Ties, duplicates, attributes without influence, constant decisions, several values, wide weights."""
    random = Random(2003)
    for width in (1, 2, 5, 1000, 2**26):
        for n in range(1, 11):
            yield _random_problem(random, [2] * n, width)
            yield _random_problem(random, [random.randint(1, 4) for _ in range(n % 6 + 1)], width)
    for n in (1, 5, 10):
        yield problems.random_naive_bayes(n, seed=n)
        yield problems.random_naive_bayes(n, seed=n, bits=30)
        yield problems.two_decimals(n, seed=n)
        yield problems.noisy_coarse(n, seed=n)
        yield problems.noisy_ties(n, seed=n)
    yield problems.random_naive_bayes(4, seed=3, arity=5)


def check(peer: Peer, problem: Problem) -> None:
    depths = sub_functions(problem)
    (root,) = depths[0]
    result = peer(problem)
    expected = NODES[peer](depths), sum(root)
    assert (result.nodes, result.positives) == expected, f"{peer.__name__} on {problem}: {result}, not {expected}"


def main() -> None:
    for module in (problems, threshold):
        assert doctest.testmod(module).failed == 0
    for peer in NODES:
        right, left_out = 0, set()
        for problem in small_problems():
            try:
                check(peer, problem)
                right += 1
            except LeftOut as why:
                left_out.add(str(why))
        print(f"{peer.__name__}: {right} diagrams right", *sorted(left_out), sep="; ")


def _halves(depths: list[set[Outcomes]]) -> Iterator[tuple[Outcomes, Outcomes]]:
    for depth in depths[:-1]:
        for f in depth:
            yield f[: len(f) // 2], f[len(f) // 2 :]


def _random_problem(random: Random, arities: list[int], width: int) -> Problem:
    def weight() -> int:
        return random.randint(-width, width)

    return Problem(weight(), [[weight() for _ in range(arity)] for arity in arities])


if __name__ == "__main__":
    main()
