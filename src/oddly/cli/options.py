# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and how their texts are read."""

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from oddly.errors import OddlyError, UnknownName

if TYPE_CHECKING:
    from oddly.diagram import ODD
    from oddly.model import Model, Network, Variable
    from oddly.runtime import LimitArguments

# As in oddly.lowering.score and oddly.engine, which a mere --help need not import; mypy sees to it that they agree.
Impossible = Literal["negative", "positive"]
Engine = Literal["auto", "native", "numpy", "reference"]

AsJson = Annotated[
    bool,
    Parameter(name="--json", negative="", show_default=False, help="Print one JSON object instead of text."),
]

IMPOSSIBLE = "What an input of probability zero is decided as."


# What the last part of a file's name says: this is no expression, even if there is no such file.
SUFFIXES = (".odd", ".json", ".bif", ".net", ".uai", ".xmlbif", ".bifxml", ".xml", ".xdsl", ".dsl", ".csv")


class UsageError(OddlyError):
    """A command line that makes no sense."""


@dataclass(frozen=True)
class Choice:
    """What a network is to decide."""

    class_: Annotated[str | None, Parameter(name="--class", help="The variable that is decided.")] = None
    positive: Annotated[str | None, Parameter(help="Its value of interest. Of two, the first is taken otherwise.")] = (
        None
    )
    threshold: Annotated[str | None, Parameter(help="Positive from this probability on: 0.9, 1/2, …")] = None
    attributes: Annotated[
        str | None, Parameter(help="From which variables, with commas between. Default: those without children.")
    ] = None

    def of(self, path: Path) -> "Model | Network":
        """The model in a file, or of `example:NAME`, with these choices made."""
        import oddly

        kind, _, name = str(path).partition(":")
        if path.suffix.lower() == ".odd":
            raise UsageError(f"{path}: compiled already; this needs the model it came from")
        return self._made(oddly.examples.named(name) if kind == "example" else oddly.read(path))

    def words(self) -> list[str]:
        """The choices as a command line has them."""
        names = {"--class": self.class_, "--positive": self.positive, "--threshold": self.threshold}
        words = {**names, "--attributes": self.attributes}
        return [f"{name}={value}" for name, value in words.items() if value is not None]

    def decider(self, path: Path) -> "Model":
        """The same, where it must decide."""
        from oddly.formats.files import deciding

        return deciding(self.of(path), str(path))

    def side(self, path: Path) -> "Path | Model":
        """One of several operands: the choice is of networks and their like, and leaves diagrams as they are."""
        return self.sides([path])[0] if path.suffix.lower() != ".odd" else path

    def sides(self, paths: Sequence[Path]) -> "list[Path | Model]":
        """Several operands. The choice is made of the networks among them that decide nothing yet, or if there are
        none, of all that are probabilities; diagrams and points stay as they are."""
        from oddly.formats.files import deciding
        from oddly.model import Model, Network

        if self == NO_CHOICE:
            return list(paths)  # which errors then name
        found = [path if path.suffix.lower() == ".odd" else NO_CHOICE.of(path) for path in paths]
        takers = [i for i, model in enumerate(found) if isinstance(model, Network)]
        takers = takers or [i for i, m in enumerate(found) if isinstance(m, Model) and m.probabilistic]
        if not takers:
            raise UsageError("--class and its kin choose what a network decides, and there is none here")
        sides: list[Path | Model] = []
        for i, (path, model) in enumerate(zip(paths, found, strict=True)):
            made = self._made(model) if i in takers and not isinstance(model, Path) else model
            sides.append(made if isinstance(made, Path) else deciding(made, str(path)))
        return sides

    def _made(self, model: "Model | Network") -> "Model | Network":
        from oddly.formats import chosen

        names = None if self.attributes is None else next(csv.reader([self.attributes], skipinitialspace=True), [])
        return chosen(model, self.class_, self.positive, self.threshold, names)


ChoiceOptions = Annotated[Choice, Parameter(name="*", group="What a network decides")]
NO_CHOICE = Choice()


@dataclass(frozen=True)
class Limits:
    """How far a command may go; the same options for every one."""

    max_nodes: Annotated[int | None, Parameter(help="Stop beyond this many nodes.")] = None
    max_memory: Annotated[
        str | None, Parameter(help="Stop beyond this much memory, such as 500M or 4G. Default: 3/4 of what is free.")
    ] = None
    seconds: Annotated[float | None, Parameter(help="Stop after so long.")] = None

    def arguments(self) -> "LimitArguments":
        """The limits as the library takes them, checked."""
        if self.max_nodes is not None and self.max_nodes < 1:
            raise UsageError(f"--max-nodes: expected a positive number, found {self.max_nodes}")
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"--seconds: expected some time, found {self.seconds:g}")
        memory = None if self.max_memory is None else bytes_of(self.max_memory)
        return {"max_nodes": self.max_nodes, "max_memory": memory, "seconds": self.seconds}


LimitOptions = Annotated[Limits, Parameter(name="*", group="Limits")]
NO_LIMITS = Limits()


@dataclass(frozen=True)
class Build:
    """How a model is compiled; the same options wherever a command compiles one."""

    order: Annotated[
        str,
        Parameter(
            help="auto, ascending, descending, ascending-finite, as-given, random:SEED, best-of:TRIES, "
            "or the attributes' names with commas between."
        ),
    ] = "auto"
    impossible: Annotated[Impossible, Parameter(help=IMPOSSIBLE)] = "negative"
    engine: Annotated[Engine, Parameter(help="What builds the diagram; all give the same.")] = "auto"
    choice: ChoiceOptions = NO_CHOICE
    limits: LimitOptions = NO_LIMITS


BuildOptions = Annotated[Build, Parameter(name="*", group="Compiling")]
DEFAULT_BUILD = Build()


def compiled(path: Path, build: Build) -> "ODD":
    """The diagram of the model in a file, or of `example:NAME`."""
    import oddly

    model = build.choice.decider(path)
    return oddly.compile(
        model,
        order_of(build.order, [v.name for v in model.variables]),
        impossible=build.impossible,
        engine=build.engine,
    )


def diagram(path: Path, build: Build) -> "ODD":
    """The diagram in an .odd file, or of the model in any other."""
    import oddly

    if path.suffix.lower() != ".odd":
        return compiled(path, build)
    if build.choice != NO_CHOICE:
        raise UsageError(f"{path}: compiled already; what it decides is chosen of the model it came from")
    if replace(build, limits=NO_LIMITS) != DEFAULT_BUILD:
        raise UsageError(f"{path}: compiled already; --order and its kin need the model it came from")
    return oddly.load(path)


def order_of(text: str, attributes: Sequence[str]) -> str | list[str]:
    """An order as `oddly.compile` takes it: a name, or a list if there is a comma or an attribute so named.

    >>> order_of("random:7", ["U", "B"]), order_of("B,U", ["U", "B"]), order_of('B,"U, V"', ["U, V", "B"])
    ('random:7', ['B', 'U'], ['B', 'U, V'])
    """
    if "," not in text and text not in attributes:
        return text
    return next(csv.reader([text], skipinitialspace=True))


def order_text(names: Iterable[str]) -> str:
    """The names as --order takes them.

    >>> order_text(["B", "U, V"])
    'B,"U, V"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def names_of(texts: Iterable[str], attributes: Iterable[str]) -> list[str]:
    """Attributes, each given by itself or several with commas between.

    >>> names_of(["age,sex", "income, €"], ["age", "sex", "income, €"])
    ['age', 'sex', 'income, €']
    """
    known = set(attributes)
    parts = [[text] if text in known else next(csv.reader([text], skipinitialspace=True), []) for text in texts]
    return [name for part in parts for name in part]


def names_file(text: str) -> bool:
    """Whether a text is the name of a model or a diagram, and not an expression.

    >>> names_file("old.json"), names_file("example:pregnancy"), names_file("U=+ve or B=1.5")
    (True, True, False)
    """
    return text.startswith("example:") or text.lower().endswith(SUFFIXES) or os.path.isfile(text)


def bytes_of(text: str) -> int:
    """A size of memory.

    >>> bytes_of("4G"), bytes_of("500MB"), bytes_of("1000")
    (4294967296, 524288000, 1000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < 1:
        raise UsageError(f"--max-memory: expected a size such as 500M or 4G, found {text!r}")
    return size


def assignments(texts: Iterable[str], variables: "Sequence[Variable]") -> dict[str, str]:
    """NAME=VALUE texts as a mapping, every name and value checked."""
    from oddly.diagram.rows import label_of

    by_name = {v.name: v for v in variables}
    found: dict[str, str] = {}
    for text in texts:
        fitting = [name for name in by_name if text.startswith(f"{name}=")]
        name = max(fitting, key=len, default=text.partition("=")[0])
        if "=" not in text:
            raise UsageError(f"expected NAME=VALUE, found {text!r}")
        if name not in by_name:
            raise UnknownName.among("attribute", name, by_name)
        if name in found:
            raise UsageError(f"{name} is given twice")
        found[name] = label_of(text[len(name) + 1 :], by_name[name])
    return found


def case_of(texts: Iterable[str], odd: "ODD") -> dict[str, str]:
    """NAME=VALUE texts about one input. What they say about the class is no part of it: a row copied from a table has it."""
    from oddly.cli.output import note

    target = f"{odd.source.model.class_name}=" if odd.source is not None else ""
    kept = []
    for text in texts:
        if target and text.startswith(target) and not any(text.startswith(f"{name}=") for name in odd.order):
            note(f"{text} is left aside: {target[:-1]} is what is decided")
        else:
            kept.append(text)
    return assignments(kept, odd.variables)


def no_options(texts: Iterable[str], command: str) -> None:
    """Refuse what stands among NAME=VALUE texts and looks like an option; values themselves may start with a dash."""
    for text in texts:
        if text.startswith("-") and "=" not in text.lstrip("-"):
            raise UsageError(f"unknown option {text}.  See oddly {command} --help.")


def complete(instance: dict[str, str], variables: "Sequence[Variable]") -> dict[str, str]:
    """The instance, if it has a value for every variable."""
    for v in variables:
        if v.name not in instance:
            raise UnknownName(f"no value for {v.name}.  Add {v.name}={v.values[0]}, or another of its values.")
    return instance


def output_beside(output: Path | None, *inputs: Path, suffixes: Sequence[str] = ()) -> None:
    """Refuse an output that is one of the inputs, or whose name says it is something else."""
    if output is None:
        return
    if suffixes and output.suffix.lower() not in suffixes:
        raise UsageError(f"-o {output}: expected a name that ends in {' or '.join(suffixes)}")
    if os.path.realpath(output) in map(os.path.realpath, inputs):
        raise UsageError(f"-o {output}: that is the input; choose another name")
