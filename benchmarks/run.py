# SPDX-License-Identifier: Apache-2.0
"""Every figure of speed, measured in one run and written to docs/benchmarks.md and docs/beyond.md.

make bench              everything: about fifteen minutes
make bench ARGS=quick   the smaller sizes only, not written
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import oddly
from benchmarks import beyond, data, ours, peers, products
from benchmarks.memory import memory_copy_rate
from benchmarks.ours import Repeated
from benchmarks.peers import LeftOut, Peer, Result, within
from benchmarks.problems import Problem, noisy_coarse, noisy_ties, random_naive_bayes, two_decimals

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
LIMIT = 120.0  # seconds for one peer on one problem
REPEATS = {0.05: 50, 0.2: 10, 5.0: 3}  # how often work shorter than that is repeated; the best counts

Row = Sequence[str]


def main() -> None:
    """Measure, print, and write the page."""
    quick = "quick" in sys.argv[1:]
    if not quick:
        data.stop_without(beyond.NEEDED)
    goals: list[Row] = []
    sections = [HEAD, machine()]
    sections += [against_peers(quick, goals), engine_alone(quick, goals), families(quick, goals)]
    sections += [rows(goals), combining(quick, goals)]
    sections.append(table("## Goals", ("goal", "wanted", "measured", "met"), goals))
    page = "\n".join(sections)
    print(page)
    if not quick:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
    beyond.measure(quick, write=not quick)


def machine() -> str:
    """What this was measured on."""
    return (
        f"Measured on {_processor()}, {os.cpu_count()} cores, {_gigabytes()} GB, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Oddly {oddly.__version__}; it copies memory at {memory_copy_rate() / 1e9:.1f} GB/s.\n"
    )


def against_peers(quick: bool, goals: list[Row]) -> str:
    """The same integers to every tool, each in a process of its own, best of several runs where they are short."""
    sizes = (20, 30) if quick else (20, 30, 35, 40)
    found: dict[tuple[str, int], Result] = {}
    contenders: list[Peer] = [ours.native, ours.numpy, ours.reference, *peers.PEERS]
    body = []
    for peer in contenders:
        cells = []
        for n in sizes:
            problem = random_naive_bayes(n, seed=n, bits=30)
            result = measured(peer, problem)
            if isinstance(result, Result):
                found[peer.__name__, n] = result
                times = result.seconds / found["native", n].seconds
                cells.append(f"{result.seconds:.4f} s ({times:,.1f}×)")
            else:
                cells.append(result)
        body.append((NAMES[peer.__name__], *cells))
    for n in sizes:
        counts = {r.positives for (_, size), r in found.items() if size == n and r.positives is not None}
        assert len(counts) == 1, f"the tools disagree at n = {n}: {counts}"

    def ratio(peer: str, n: int, wanted: int) -> None:
        if (peer, n) in found:
            times = found[peer, n].seconds / found["native", n].seconds
            goals.append(
                (f"faster than {NAMES[peer]} at n = {n}", f"{wanted}×", f"{times:.0f}×", _met(times >= wanted))
            )

    ratio("recursion", 30, 20)
    ratio("recursion", 40, 30)
    ratio("graphillion", 35, 50)
    nodes = ", ".join(f"{found['native', n].nodes:,} at n = {n}" for n in sizes)
    return table("## Against other tools", ("", *(f"n = {n}" for n in sizes)), body) + PEERS_NOTE.format(nodes=nodes)


def engine_alone(quick: bool, goals: list[Row]) -> str:
    """From exact fractions to a proven diagram."""
    body = []
    for n in (20, 30, 40) if quick else (20, 30, 40, 44, 50):
        whole = _alone(ours.whole_model, n)
        problem = random_naive_bayes(n, seed=n)
        built = measured(ours.native, problem)
        if isinstance(built, str):
            body.append((str(n), f"{whole.nodes:,}", f"{whole.seconds:.3f} s", "", "", "", built))
            continue
        rate = built.nodes / built.seconds
        body.append(
            (
                str(n),
                f"{whole.nodes:,}",
                f"{whole.seconds:.3f} s",
                f"{whole.bits} bits, {'proven' if whole.proven else 'NOT proven'}",
                f"{whole.memory / 1e6:,.0f} MB",
                f"{rate / 1e6:.1f} M/s",
                f"{rate * 8 / 1e9:.2f} GB/s",
            )
        )
        if n == 44:
            goals.append(("nodes a second at n = 44", "25 M", f"{rate / 1e6:.0f} M", _met(rate >= 25e6)))
        if n == 50:
            good = whole.proven and whole.memory < 4e9
            shown = f"{whole.nodes / 1e6:.0f} M nodes, {whole.memory / 1e9:.1f} GB"
            goals.append(("n = 50 exact, proven, memory", "4 GB", shown, _met(good)))
    head = ("n", "nodes", "model to proof", "certificate", "peak memory", "build alone", "of which children written")
    return table("## From probabilities to a proven diagram", head, body) + ALONE_NOTE


def families(quick: bool, goals: list[Row]) -> str:
    """Other kinds of weights, against the paper's recursion in C++."""
    problems = {
        "3 values, n = 22": random_naive_bayes(22, 22, arity=3),
        "5 values, n = 14": random_naive_bayes(14, 14, arity=5),
        "10 values, n = 10": random_naive_bayes(10, 10, arity=10),
        "two decimals, n = 100": two_decimals(100, 100),
        "two decimals, n = 500": two_decimals(500, 500),
        "tenths with noise, n = 100": noisy_coarse(100, 100),
        "tenths with noise that decides ties, n = 50": noisy_ties(50, 50),
    }
    if not quick:
        problems["tenths with noise that decides ties, n = 100"] = noisy_ties(100, 100)
    body = []
    for name, problem in problems.items():
        here, there = measured(ours.native, problem), measured(peers.recursion, problem)
        if isinstance(here, str):
            return f"## Other weights\n\nLeft out: {here}.\n"
        ratio = f"{there.seconds / here.seconds:.1f}×" if isinstance(there, Result) else there
        body.append(
            (name, f"{here.nodes:,}", f"{here.seconds:.4f} s", f"{here.nodes / here.seconds / 1e6:.1f} M/s", ratio)
        )
        if name in ("two decimals, n = 500", "tenths with noise, n = 100"):
            goals.append((name, "1 s", f"{here.seconds:.3f} s", _met(here.seconds < 1)))
    return table("## Other weights", ("", "nodes", "native", "nodes a second", "recursion in C++ takes"), body)


def combining(quick: bool, goals: list[Row]) -> str:
    """The exclusive or of two diagrams, and the count of the result."""
    body = []
    for n in (26,) if quick else (26, 30, 33):
        found: dict[str, Any] = {}
        for name, work in PRODUCTS.items():
            print(f"  {name}, combining at n = {n}", file=sys.stderr, flush=True)
            try:
                found[name] = _alone(work, n)
            except LeftOut as why:
                body.append((str(n), name, "", str(why), "", ""))
        here = found["Oddly"]
        assert len({f.positives for f in found.values()}) == 1, "the tools disagree"
        for name, f in found.items():
            times, counting = f.seconds / here.seconds, f.counting / here.counting
            cells = (f"{f.seconds:.4f} s ({times:.1f}×)", f"{f.counting:.4f} s ({counting:.1f}×)")
            body.append((str(n), name, f"{f.left:,} and {f.right:,}", f"{f.nodes:,}", *cells))
        others = [f for name, f in found.items() if name != "Oddly"]
        if n == 33 and others:
            best, count = min(f.seconds for f in others) / here.seconds, min(f.counting for f in others) / here.counting
            goals.append(("product against the fastest peer, n = 33", "1× (3× hoped)", f"{best:.1f}×", _met(best >= 1)))
            goals.append(("count against the fastest peer, n = 33", "1× (3× hoped)", f"{count:.1f}×", _met(count >= 1)))
    head = ("n", "", "nodes of the two", "nodes of their xor", "combining", "counting")
    near = _alone(products.related, 30 if quick else 39)
    memory = f"{near.memory / 1e9:.2f} GB"
    goals.append(
        (f"comparing {near.left:,} with {near.right:,} nodes, memory", "2 GB", memory, _met(near.memory < 2e9))
    )
    told = RELATED_NOTE.format(near=near, memory=memory)
    return table("## Combining two diagrams", head, body) + COMBINE_NOTE + told


def rows(goals: list[Row]) -> str:
    """A million rows of value indices."""
    found = _alone(ours.million_rows, 31)
    goals.append(
        ("a million rows from weights", "0.1 s", f"{found.from_weights:.3f} s", _met(found.from_weights < 0.1))
    )
    diagram = found.through_diagram
    goals.append(("a million rows through a diagram", "0.5 s", f"{diagram:.3f} s", _met(diagram < 0.5)))
    return table(
        "## A million rows",
        ("", "seconds"),
        [
            (f"from the weights of {found.attributes} attributes", f"{found.from_weights:.3f}"),
            (f"through the diagram's {found.nodes:,} nodes", f"{diagram:.3f}"),
        ],
    )


def measured(peer: Peer, problem: Problem) -> Result | str:
    """A peer's result, or why there is none; short work is repeated and the best taken."""
    print(f"  {peer.__name__}, {len(problem.weights)} attributes", file=sys.stderr, flush=True)
    try:
        once = within(LIMIT, peer, problem)
        times = next((times for seconds, times in REPEATS.items() if once.seconds < seconds), 1)
        return within(LIMIT, Repeated(peer, times), problem) if times > 1 else once
    except LeftOut as why:
        return str(why)


def table(title: str, head: Row, body: Sequence[Row]) -> str:
    lines = [title + "\n", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body)]) + "\n"


def _alone(work: Callable[[int], Any], argument: int) -> Any:
    """Work in a fresh process, so that its peak memory is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (argument,))


def _met(good: bool) -> str:
    return "yes" if good else "**no**"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _gigabytes() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)


NAMES = {
    "native": "Oddly, C++ engine",
    "numpy": "Oddly, NumPy engine",
    "reference": "Oddly, the paper's recursion in Python",
    "recursion": "the paper's recursion in C++",
    "dd_cudd": "CUDD through dd",
    "dd_autoref": "dd, pure Python",
    "oxidd": "OxiDD",
    "graphillion": "graphillion",
}

PRODUCTS: dict[str, Callable[[int], Any]] = {
    "Oddly": products.with_oddly,
    "OxiDD": products.with_oxidd,
    "CUDD through dd": products.with_dd,
}

COMBINE_NOTE = """
Two random classifiers in one order of attributes; the same functions in every tool, handed over ready-made. Oddly counts the
nodes of all depths, OxiDD those of a reduced BDD, CUDD with complemented edges. In brackets how many times Oddly's.
"""

RELATED_NOTE = """
Comparing a random classifier with one whose probabilities are off by up to one in ten thousand: {near.left:,} against
{near.right:,} nodes, {near.changed:,} decisions changed, in {near.seconds:.2f} s; the whole process peaked at {memory}.
"""

HEAD = """# Benchmarks

Every figure here comes from one run of `make bench`. These machines are noisy: trust ratios, not seconds.
"""

PEERS_NOTE = """
Random binary naive Bayes classifiers (Pr(e|c), Pr(e|¬c) and the prior uniform on (0, 1)), ascending order, integer weights
whose sums stay below 2^30, because graphillion's costs are 32-bit; the same integers go to every tool, and all count the same
positive instances. Seconds of building; in brackets how many times the C++ engine's. Nodes of all depths: {nodes}. The
recursion keeps an ordered map per level; the BDD libraries are handed the nodes that a recursion in Python finds, as their
users would do it (most of their time is that Python); graphillion's is `setset.cost_le`.
"""

ALONE_NOTE = """
*Model to proof* starts at probabilities as exact fractions and ends with the certificate; *build alone* is the C++ engine on
64-bit weights, best of several runs. On a virtual machine the first touch of memory is dear, and large single runs pay it.
"""

if __name__ == "__main__":
    main()
