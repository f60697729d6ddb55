# SPDX-License-Identifier: Apache-2.0
"""The UAI format of the inference competitions: `.uai`.

Numbers only: how many values each variable has, which variables each function is over (the child last), and its
table, the last variable changing fastest. Variables have no names, so they are read as x0, x1… with values 0, 1….
"""

import re

from oddly.formats.parts import DeclaredVariable, WrittenTable, assemble, child_fastest, decimals
from oddly.formats.text import Source, short
from oddly.model import Network

_TOKEN = re.compile(r"#[^\n]*|([^\s#]+)")


def read_uai(source: Source) -> Network:
    """The network in a UAI text."""
    tokens = _Tokens(source)
    kind, at = tokens.next("BAYES")
    if kind.upper() != "BAYES":
        markov = "a Markov network: its factors are no probabilities of a child given its parents"
        raise source.error(at, markov if kind.upper() == "MARKOV" else f"expected BAYES, found {short(kind)}")
    sizes = [tokens.whole("a number of values") for _ in tokens.counted("the number of variables")]
    if sum(size for size, _ in sizes) > len(tokens.found):  # every value needs a number of its own
        raise source.error(sizes[0][1], "more values than the file has entries")
    variables = [DeclaredVariable(f"x{i}", tuple(map(str, range(size))), at) for i, (size, at) in enumerate(sizes)]
    scopes = []
    for _ in tokens.counted("the number of functions"):
        at = tokens.place
        scope = [tokens.whole("a variable") for _ in tokens.counted("the number of variables of a function")]
        for i, place in scope:
            if i >= len(variables):
                raise source.error(place, f"variable {i} of {len(variables)}; they are counted from 0")
        if not scope:
            raise source.error(at, "a function of no variables")
        scopes.append([f"x{i}" for i, _ in scope])
    potentials = []
    for *parents, child in scopes:
        at = tokens.place
        numbers = [tokens.next("a number")[0] for _ in tokens.counted("the number of entries")]
        potentials.append(WrittenTable(child, tuple(parents), child_fastest(numbers), at))
    if tokens.i < len(tokens.found):
        raise source.error(tokens.place, f"expected the end of the file, found {short(tokens.next('')[0])}")
    return assemble(source, variables, potentials)


def uai_text(network: Network) -> str:
    """The network as UAI, every digit kept; what the format has no place for is the names."""
    places = {node.name: i for i, node in enumerate(network.nodes)}
    lines = ["BAYES", str(len(places)), " ".join(str(len(node.values)) for node in network.nodes), str(len(places))]
    for node in network.nodes:
        scope = [places[name] for name in (*node.parents, node.name)]
        lines.append(" ".join(map(str, [len(scope), *scope])))
    for node in network.nodes:
        lines += ["", str(len(node.table) * len(node.values)), *(" ".join(row) for row in decimals(node, ".uai"))]
    return "\n".join(lines) + "\n"


class _Tokens:
    """The words of the file, one after the other."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found = [(m[1], m.start()) for m in _TOKEN.finditer(source.text) if m[1]]
        self.i = 0

    @property
    def place(self) -> int:
        return self.found[self.i][1] if self.i < len(self.found) else len(self.source.text)

    def next(self, what: str) -> tuple[str, int]:
        if self.i >= len(self.found):
            raise self.source.error(len(self.source.text.rstrip()), f"expected {what}, found the end of the file")
        self.i += 1
        return self.found[self.i - 1]

    def whole(self, what: str) -> tuple[int, int]:
        text, at = self.next(what)
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
            raise self.source.error(at, f"expected {what}, found {short(text)}")
        if int(text) > len(self.found):  # whatever it counts, the file is too short for that many
            raise self.source.error(at, f"{what}: {int(text):,}, more than the file has entries")
        return int(text), at

    def counted(self, what: str) -> range:
        return range(self.whole(what)[0])
