# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

import oddly
from oddly.cli.texts import File, Number, Text, UsageError, bytes_of, order_of, parts_of, say
from oddly.formats import chosen
from oddly.formats.files import deciding
from oddly.model import Model, Network
from oddly.runtime import LimitArguments

# Engine and Impossible are as in oddly.engine and oddly.lowering.score, which a mere --help need not import; mypy sees to it
# that they agree.
Engine = Literal["auto", "native", "numpy", "reference"]

IMPOSSIBLE = "What an input of probability zero is decided as."
HINGING = (
    "An attribute that decisions should not hinge on, or several with commas between; or groups of one's values: "
    '"sex from status: male = single man, married man; female = woman".'
)

MODEL_ENDINGS = ".json .csv .bif .net .uai .xmlbif .xdsl"  # what is read; a test holds it against the formats
MODEL_OR_DIAGRAM = f"A model ({MODEL_ENDINGS}) or a diagram (.odd)"

Impossible = Annotated[Literal["negative", "positive"], say(IMPOSSIBLE)]
X = Annotated[Path, Parameter(name="X", help=f"{MODEL_OR_DIAGRAM}, or example:pregnancy.")]
ModelFile = Annotated[Path, say(f"A model file ({MODEL_ENDINGS}), or example:pregnancy or example:tic-tac-toe.")]
Word = Annotated[str, Parameter(allow_leading_hyphen=True)]
Words = Annotated[list[str] | None, Parameter(negative="")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
AsJson = Annotated[Flag, Parameter(name="--json", help="Print one JSON object instead of text.")]
Exact = Annotated[Flag, say("Probabilities as exact numbers, in JSON.")]
Under = Annotated[
    Text,
    say(
        "How inputs are distributed: model, uniform, a file of rows (.csv) or of a network (.bif). Default: the model's own."
    ),
]
Error = Annotated[
    Text,
    say(
        "Where the diagram is too large: the share of inputs that two diagrams around it may leave undecided, 0.001 or 0.1%."
    ),
]
DomainOption = Annotated[
    list[str] | None,
    Parameter(
        name="--within",
        negative="",
        allow_leading_hyphen=True,
        help='Only inputs that exist: a condition such as "sex=m -> pregnant=no", a file of conditions, a diagram (.odd), or '
        "possible: of probability above zero under the model. Several are all to hold.",
    ),
]
Most = Annotated[Number, Parameter(name="--list")]
Output = Annotated[File, Parameter(alias="-o")]
Values = Annotated[
    Literal["common", "skip", "error"],
    say("Values that only one side knows: left out, taken as if the other skipped the attribute, or an error."),
]
Labels = Annotated[Text, say("What the first calls the labels of the second: 1=bad,0=good.")]
OddFile = Annotated[Output, say("Keep the diagram in this file (.odd).")]


def words_of(options: Mapping[str, object]) -> list[str]:
    """Options that were given, by their names in Python, as one types them."""
    given = {name.rstrip("_").replace("_", "-"): value for name, value in options.items() if value is not None}
    return [f"--{name}={value}" for name, value in given.items()]


@dataclass(frozen=True)
class Choice:
    """What a network is to decide."""

    class_: Annotated[Text, Parameter(name="--class", help="The variable that is decided.")] = None
    positive: Annotated[Text, say("Its value of interest. Of two, the first is taken otherwise.")] = None
    threshold: Annotated[Text, say("Positive from this probability on: 0.9, 1/2, …")] = None
    attributes: Annotated[Text, say("From which variables, with commas between. Default: those without children.")] = (
        None
    )

    @property
    def names(self) -> list[str] | None:
        """The attributes, one by one."""
        return None if self.attributes is None else parts_of(self.attributes)

    def of(self, path: Path) -> Model | Network:
        """The model in a file, or of `example:NAME`, with these choices made."""
        kind, _, name = str(path).partition(":")
        if path.suffix.lower() == ".odd":
            raise UsageError(f"{path}: compiled already; this needs the model it came from")
        return self._made(oddly.examples.named(name) if kind == "example" else oddly.read(path))

    def words(self) -> list[str]:
        """The choices as a command line has them."""
        return words_of(vars(self))

    def decider(self, path: Path) -> Model:
        """The same, where it must decide."""
        return deciding(self.of(path), str(path))

    def side(self, path: Path) -> Path | Model:
        """One of several operands: the choice is of networks and their like, and leaves diagrams as they are."""
        return self.sides([path])[0] if path.suffix.lower() != ".odd" else path

    def sides(self, paths: Sequence[Path]) -> list[Path | Model]:
        """Several operands. The choice is made of the networks among them that decide nothing yet, or if there are
        none, of all that are probabilities; diagrams and points stay as they are."""
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

    def _made(self, model: Model | Network) -> Model | Network:
        return chosen(model, self.class_, positive=self.positive, threshold=self.threshold, attributes=self.names)


ChoiceOptions = Annotated[Choice, Parameter(name="*", group="What a network decides")]
NO_CHOICE = Choice()


@dataclass(frozen=True)
class Limits:
    """How far a command may go; the same options for every one."""

    max_nodes: Annotated[Number, say("Stop beyond this many nodes.")] = None
    max_memory: Annotated[
        Text, say("Stop beyond this much memory, such as 500M or 4G. Default: 3/4 of what is free.")
    ] = None
    seconds: Annotated[float | None, say("Stop after so long.")] = None

    def arguments(self) -> LimitArguments:
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
class Read:
    """How a model is read; the same options wherever a command takes one and not its diagram."""

    choice: ChoiceOptions = NO_CHOICE
    limits: LimitOptions = NO_LIMITS


ReadOptions = Annotated[Read, Parameter(name="*")]
READ = Read()


@dataclass(frozen=True)
class Build(Read):
    """How a model is compiled; the same options wherever a command compiles one."""

    order: Annotated[
        str,
        say(
            "auto, ascending, descending, ascending-finite, as-given, random:SEED, best-of:TRIES, "
            "or the attributes' names with commas between."
        ),
    ] = "auto"
    impossible: Annotated[Literal["negative", "positive", "apart"], say(f"{IMPOSSIBLE} Apart: a label of its own.")] = (
        "negative"
    )
    engine: Annotated[Engine, say("What builds the diagram; all give the same.")] = "auto"


BuildOptions = Annotated[Build, Parameter(name="*", group="Compiling")]
BUILD = Build()


def compiled(path: Path, build: Build) -> "oddly.ODD":
    """The diagram of the model in a file, or of `example:NAME`."""
    model = build.choice.decider(path)
    order = order_of(build.order, [v.name for v in model.variables])
    return oddly.compile(model, order, impossible=build.impossible, engine=build.engine)


def enclosed(path: Path, build: Build, error: str | None, under: str | None) -> "oddly.ODD | oddly.Pair":
    """The same, or two diagrams around it that differ by no more than an error."""
    if error is None:
        return diagram(path, build)
    if path.suffix.lower() == ".odd":
        raise UsageError(f"{path}: compiled already; --error needs the model it came from")
    model = build.choice.decider(path)
    order = order_of(build.order, [v.name for v in model.variables])
    return oddly.compile(
        model,
        order,
        error=error,
        under=under,
        impossible=build.impossible,
        engine=build.engine,
        **build.limits.arguments(),  # the diagram itself has less, unless these say otherwise
    )


def diagram(path: Path, build: Build) -> "oddly.ODD":
    """The diagram in an .odd file, or of the model in any other."""
    if path.suffix.lower() != ".odd":
        return compiled(path, build)
    if build.choice != NO_CHOICE:
        raise UsageError(f"{path}: compiled already; what it decides is chosen of the model it came from")
    if replace(build, limits=NO_LIMITS) != BUILD:
        raise UsageError(f"{path}: compiled already; --order and its kin need the model it came from")
    return oddly.load(path)
