# SPDX-License-Identifier: Apache-2.0
"""Other ways to build the same diagram, each done as well as a user of that tool would do it.

    recursion(problem)                builds; times the building only; counts the positive instances, as a check
    within(60, recursion, problem)    the same in a process of its own, stopped after 60 s

A peer that cannot take part (package not installed, no compiler, weights too wide) raises LeftOut and says why.
``python -m benchmarks.peers 20 30`` runs all of them on random classifiers with so many attributes.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.problems import Problem, random_naive_bayes
from benchmarks.threshold import find_nodes, store


@dataclass(frozen=True)
class Result:
    """What a peer built: nodes as it counts them, seconds of building, and how many instances come out positive."""

    nodes: int
    seconds: float
    positives: int | None  # None where the peer could not count them exactly
    storing: float | None = None  # of those seconds, what a library took to store the nodes that Python found


Peer = Callable[[Problem], Result]


class LeftOut(Exception):
    """Why a peer has no figure here, in one line."""


def recursion(problem: Problem) -> Result:
    """The paper's Algorithms 1 and 2 in C++ (recursion.cpp). Counts nodes at all depths, and both sinks."""
    if problem.reach >= 2**60:
        raise LeftOut("sums must stay below 2**60")
    build_odd = _compiled("recursion").build_odd
    build_odd.restype = _Answer
    answer = build_odd(
        ctypes.c_int64(problem.prior),
        ctypes.c_int32(len(problem.weights)),
        _array(ctypes.c_int32, [len(row) for row in problem.weights]),
        _array(ctypes.c_int64, [w for row in problem.weights for w in row]),
    )
    return Result(answer.nodes, answer.seconds, answer.positives if problem.instances < 2**64 else None)


def dd_cudd(problem: Problem) -> Result:
    """A BDD in CUDD, through dd. Counts reduced nodes with complemented edges, and one terminal."""
    return _dd("dd.cudd", problem)


def dd_autoref(problem: Problem) -> Result:
    """A BDD in dd's pure Python. Counts reduced nodes with complemented edges, and one terminal."""
    return _dd("dd.autoref", problem)


def oxidd(problem: Problem) -> Result:
    """A BDD in OxiDD. Counts reduced nodes, and the terminals."""
    module = _imported("oxidd.bdd")
    _require_binary(problem)
    n = len(problem.weights)
    start = perf_counter()
    nodes = find_nodes(problem)
    found = perf_counter()
    manager = module.BDDManager(inner_node_capacity=len(nodes) + n, apply_cache_capacity=1 << 16, threads=1)
    variables = [manager.var(i) for i in manager.add_vars(n)]
    root = store(nodes, variables, module.BDDFunction.ite, manager.false(), manager.true())
    stored = perf_counter()
    return Result(root.node_count(), stored - start, root.sat_count(n), storing=stored - found)


def graphillion(problem: Problem) -> Result:
    """The ZDD that graphillion's ``cost_le`` cuts out of a power set. Counts reduced nodes, no terminals."""
    setset = _imported("graphillion").setset
    _require_binary(problem)
    if problem.reach >= 2**30:
        raise LeftOut("costs are 32-bit, so sums must stay below 2**30")
    costs = {k: w0 - w1 for k, (w0, w1) in enumerate(problem.weights)}  # element k is chosen: attribute k has value 1
    bound = problem.prior + sum(w0 for w0, _ in problem.weights)
    start = perf_counter()
    setset.set_universe(list(costs))
    power_set = setset({})
    positive = power_set.cost_le(costs, bound)
    seconds = perf_counter() - start
    return Result(_dumped_nodes(positive), seconds, positive.len())


PEERS: list[Peer] = [recursion, dd_cudd, dd_autoref, oxidd, graphillion]


def within(seconds: float, peer: Peer, problem: Problem) -> Result:
    """What does the peer answer, in a process of its own and in the time given?"""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, peer, problem))
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise LeftOut(f"stopped after {seconds:.0f} s")
        answer = receiver.recv()
    except EOFError:
        process.join()
        raise LeftOut(f"died, exit code {process.exitcode}") from None
    finally:
        process.kill()
        process.join()
    if isinstance(answer, Result):
        return answer
    raise answer


def _answer(sender: Connection, peer: Peer, problem: Problem) -> None:
    try:
        sender.send(peer(problem))
    except Exception as error:
        sender.send(error)


def _dd(name: str, problem: Problem) -> Result:
    module = _imported(name)
    _require_binary(problem)
    start = perf_counter()
    nodes = find_nodes(problem)
    found = perf_counter()
    bdd = module.BDD()
    bdd.configure(reordering=False)  # on by default; here the order is given
    names = [f"x{k}" for k in range(len(problem.weights))]
    bdd.declare(*names)
    # Not find_or_add: dd.cudd stores a complemented high edge as it is, which breaks the manager.
    root = store(nodes, [bdd.var(name) for name in names], bdd.ite, bdd.false, bdd.true)
    stored = perf_counter()
    positives = int(bdd.count(root, len(names))) if len(names) <= 53 else None  # CUDD counts in doubles
    return Result(root.dag_size, stored - start, positives, storing=stored - found)


def _dumped_nodes(family: Any) -> int:
    """How many nodes has a graphillion family? It tells only by writing them out, ``node variable low high`` a line."""
    return int(family.dumps().count(" ")) // 3


class _Answer(ctypes.Structure):
    _fields_ = [("nodes", ctypes.c_uint64), ("positives", ctypes.c_uint64), ("seconds", ctypes.c_double)]


def _compiled(name: str) -> ctypes.CDLL:
    """A C++ file of this folder as a library, compiled again whenever the file is newer."""
    source = Path(__file__).with_name(f"{name}.cpp")
    library = source.parent / "build" / f"{name}.so"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        if shutil.which("g++") is None:
            raise LeftOut("no g++ to compile it with")
        library.parent.mkdir(exist_ok=True)
        subprocess.run(["g++", "-std=c++20", "-O3", "-shared", "-fPIC", source, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def _array(type_: Any, values: Sequence[int]) -> Any:
    return (type_ * len(values))(*values)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise LeftOut(f"{name} is not installed") from None


def _require_binary(problem: Problem) -> None:
    if not problem.is_binary:
        raise LeftOut("binary attributes only")


def main(sizes: Sequence[int], limit: float = 60) -> None:
    for n in sizes:
        problem = random_naive_bayes(n, seed=n, bits=30)  # as wide as every peer can take
        positives = set()
        for peer in PEERS:
            try:
                result = within(limit, peer, problem)
            except LeftOut as why:
                print(f"n = {n:<3}{peer.__name__:12}left out: {why}")
                continue
            storing = "" if result.storing is None else f", of which storing {result.storing:.4f} s"
            print(
                f"n = {n:<3}{peer.__name__:12}{result.nodes:>10,} nodes {result.seconds:9.4f} s{storing}",
                flush=True,
            )
            positives.add(result.positives)
        assert len(positives - {None}) <= 1, f"the peers disagree: {positives}"


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [20, 30])
