# SPDX-License-Identifier: Apache-2.0
"""The types of what commands print with --json where it is no question's answer, and of what they add to one.

What a field is stands beneath it; what means the same in all answers, in `answers_schema`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from oddly.answers import Count, Unbounded
from oddly.cli.pairs import ChangedRows
from oddly.distribution.coarse import Between
from oddly.questions.change.question import Change
from oddly.questions.compare.sides import LeftOut
from oddly.questions.cross_validate import Accuracy
from oddly.questions.explain.question import Explanation
from oddly.questions.scorecard.curve import Budget
from oddly.reporting.content import Finding


@dataclass(frozen=True)
class Ref:
    """What another schema describes."""

    place: str


Instance = Mapping[str, str]
Names = Sequence[str]


class Error(TypedDict):
    """Every command, when it cannot answer; the exit code is in it."""

    error: str
    """What went wrong, where, and what would be right."""
    kind: str
    """The kind of error."""
    exit_code: int
    """2 the input is wrong, 3 undecided within the limits, 70 a bug of ours, 130 interrupted."""


# ---- the tour ----


class Runs(TypedDict):
    """What runs here."""

    title: Literal["What runs here"]
    version: str
    """Of Oddly."""
    engine: str


class AsDiagram(TypedDict):
    """A classifier as a diagram."""

    title: Literal["A classifier as a diagram"]
    size: int
    reduced_size: int
    proven: bool


class HowMany(TypedDict):
    """How many inputs get which decision."""

    title: Literal["How many inputs get which decision?"]
    instances: Count
    counts: Mapping[str, Count]
    yes_with_scan: Count
    """How many are yes with a positive scan."""


class LogOdds(TypedDict):
    """A range in log-odds."""

    low: float
    """The least."""
    high: float
    """The end."""


class HowFar(TypedDict):
    """How far the prior may move."""

    title: Literal["How far may the prior move?"]
    least: float
    """The least prior that changes nothing."""
    below: float
    """All priors below this one, too."""
    log_odds: LogOdds
    """The same in log-odds."""


class Same(TypedDict):
    """Whether it is still the same classifier."""

    title: Literal["Is it still the same classifier?"]
    count: Count
    """How many decisions differ."""
    example: Instance
    """One of them."""


class Retrained(TypedDict):
    """A model and its retrained self."""

    title: Literal["And the one that was retrained?"]
    count: Count
    """How many cells are decided otherwise."""
    cells: Count
    """Of so many."""
    share: float
    """Of this year's rows that are decided otherwise."""


class WithBudget(TypedDict):
    """A range with a budget."""

    title: Literal["How far, if a few decisions may change?"]
    strict: str
    """The priors that change no decision."""
    budget: str
    """The share of cases that may change."""
    within_budget: str
    """The priors that change no more than that."""


class OneCase(TypedDict):
    """One case."""

    title: Literal["What about one case?"]
    instance: Instance
    decision: str
    probability: float
    """Of yes."""


class Why(TypedDict):
    """Why, and what would change it."""

    title: Literal["Why, and what would change it?"]
    instance: Instance
    why: Explanation
    """Its reasons."""
    change: Change
    """What would change another one."""
    board: Explanation
    """The reasons of a board of tic-tac-toe."""


class WhichOrder(TypedDict):
    """Which order makes it small."""

    title: Literal["Which order makes it small?"]
    instances: Count
    ascending: int
    descending: int
    best: int
    """The best order found."""
    order: Names


class Large(TypedDict):
    """A large one."""

    title: Literal["And a large one?"]
    instances: Count
    size: int
    counts: Mapping[str, Count]
    proven: bool
    seconds: float


class Demo(TypedDict):
    """The tour, step by step."""

    steps: tuple[Runs, AsDiagram, HowMany, HowFar, Same, Retrained, WithBudget, OneCase, Why, WhichOrder, Large]
    """What each step of the tour found."""


# ---- models and diagrams ----


class LearnedColumn(TypedDict):
    """What a column of the table became."""

    name: str
    became: Literal["class", "labels", "bins", "left out"]
    """What it is to the model: bins are intervals of its numbers."""
    values: NotRequired[Names]
    """The values of the attribute or the class; absent where it was left out, as all below but `why`."""
    bins: NotRequired[Annotated[Any, Ref("model.schema.json#/$defs/bins")]]
    """Where its numbers are cut."""
    missing: NotRequired[int]
    """How many cells are missing, in rows whose class is known; of the class, how many rows lack it."""
    missing_texts: NotRequired[Mapping[str, int]]
    """Texts that stood for missing cells, such as NA, and in how many."""
    treated: NotRequired[Literal["skip", "drop", "value"]]
    """What missing cells do."""
    why: NotRequired[str]
    """Why it was left out."""


class Learned(TypedDict):
    """A model from a table."""

    class_name: str
    labels: Names
    attributes: Names
    columns: Sequence[LearnedColumn]
    """Every column of the table, in its order."""
    accuracy: Accuracy | None
    """What cross-validation found, with `--folds`."""
    written: str | None
    model: Annotated[Any, Ref("model.schema.json")]
    """The model, as its file has it."""


class Converted(TypedDict):
    """A model in another format."""

    model: str
    """The model in words."""
    written: str
    digits: int | None
    """To how many digits it was rounded."""
    dropped: Names
    """What the format has no place for."""


class Certificate(TypedDict):
    """How a diagram is proven to decide as its model does."""

    proven: bool
    closest: Unbounded
    """How close any instance comes to the threshold, or to another class; null if there is no such distance."""
    ties: Count
    """How many instances lie exactly on it."""
    bits: int
    """How many bits the sums have."""
    error: float
    """By how much rounding moves an instance at most."""
    text: NotRequired[str]
    """The same in words (`info` only)."""


class Interval(TypedDict):
    """Which priors, or intercepts, leave every decision as it is."""

    low: Unbounded
    """From here; null if there is no end."""
    high: Unbounded
    """To here."""
    closed: Literal["low", "high"]
    """Which end belongs to it."""
    unit: Literal["points", "log-odds"]


class Compiled(TypedDict):
    """The diagram of a model, its size and its certificate."""

    size: int
    reduced_size: int
    widths: Sequence[int]
    """The number of nodes at each depth."""
    bound: Count
    """No diagram of such a model in this order has more nodes."""
    order: Names
    instances: Count
    labels: Names
    counts: Mapping[str, Count]
    impossible: Count | None
    """How many instances have probability zero under the model; null: too many to be counted."""
    certificate: Certificate
    interval: Interval | None
    """Which priors, or intercepts, leave every decision as it is; null where there is more than one such number, or none."""
    engine: str
    seconds: float
    written: str | None


class CompiledPair(TypedDict):
    """Two diagrams around a model whose own is too large."""

    exact: Literal[False]
    error: float
    """The share of all inputs that may be undecided."""
    under: str
    """The distribution by which that is so."""
    sizes: "PairSizes"
    """The number of nodes of each diagram."""
    order: Names
    instances: Count
    labels: Names
    between: Mapping[str, "PairCounts"]
    """How many instances get each decision."""
    seconds: float


class PairSizes(TypedDict):
    """The nodes of the two diagrams."""

    lower: int
    """Of the one that accepts what is surely positive."""
    upper: int
    """Of the one that accepts what is perhaps positive."""


class PairCounts(TypedDict):
    """Between which ends a count lies."""

    least: Count
    """Surely so many."""
    most: Count
    """Perhaps so many."""


class Combined(TypedDict):
    """Two classifiers as one diagram, or one without some of its attributes."""

    size: int
    reduced_size: int
    order: Names
    instances: Count
    labels: Names
    counts: Mapping[str, Count]
    left_out: LeftOut | None
    """Of two classifiers, what is gone because only one of them knows it."""
    impossible: Count | None
    """How many instances have probability zero under the model; null: too many to be counted."""
    written: str | None


class Drawn(TypedDict):
    """A drawing of a diagram."""

    format: str
    """text, dot, svg, png or pdf."""
    size: int
    reduced_size: int
    order: Names
    written: str | None
    drawing: str | None
    """The drawing, if it was not written to a file."""


class Exported(TypedDict):
    """A decision written out for another program."""

    to: Literal["sql", "python", "javascript", "c", "dddmp", "cnf", "graphml"]
    """What was written."""
    dialect: str | None
    """Of SQL, for which engine."""
    digest: str
    """The SHA-256 of the model, as in the file's head; of a combined diagram that of its levels."""
    certificate: str
    """How the decisions are proven, as in the file's head."""
    written: str | None
    text: str | None
    """What was written, if it was not to a file."""


class Classified(TypedDict):
    """The decision on each row of a table, or on one case."""

    labels: Names
    counts: Mapping[str, int]
    """How many rows get each decision."""
    decisions: Names
    """The decision on each row, in the order of the rows."""
    points: NotRequired[Sequence[float]]
    """The points of each row; absent where the model is no scorecard."""
    written: str | None


class Best(TypedDict):
    """The best order found."""

    size: int
    name: str
    order: Names


class Random(TypedDict):
    """The sizes in random orders."""

    tries: int
    """How many were tried."""
    mean: float | None
    """The mean number of nodes."""
    deviation: float | None
    """Its standard deviation."""
    least: int | None
    """The least."""
    greatest: int | None
    """The greatest."""


class Ordered(TypedDict):
    """An order of the attributes that makes the diagram small."""

    best: Best
    """The best order found."""
    ascending: int
    descending: int
    random: Random
    """Random orders; null where none was tried."""
    command: str
    """What to type for the best one."""
    seconds: float


class Filed(TypedDict):
    """A report that was written to a file: what it found."""

    written: str
    findings: Sequence[Finding]
    """The summary."""


class Served(TypedDict):
    """Where the page to work in is served."""

    address: str
    """The address, with the token in it."""
    host: str
    """Where it listens."""
    port: int
    """On which port."""
    token: str
    """What keeps others out."""


# ---- what is in a file ----


class Variable(TypedDict):
    """An attribute or a variable of a network."""

    name: str
    values: Names
    bins: NotRequired[Annotated[Any, Ref("model.schema.json#/$defs/bins")]]
    """Where numbers are cut into these values, if they are."""


class Class(TypedDict):
    """What is decided."""

    name: str
    values: Names
    positive: str | None
    """The value of interest; null if there is none."""


OfClass = TypedDict("OfClass", {"class": Class})


class Classifier(OfClass):
    """A classifier: what it decides, from what, and its diagram if that came quickly."""

    kind: Literal["naive-bayes", "scorecard", "network"]
    labels: Names
    attributes: Sequence[Variable]
    instances: Count
    bounds: Mapping[str, Count]
    """The most nodes that Theorem 3.2 allows, by order; empty where it says nothing."""
    plan: str
    """What is done to compile it, and about how large that is; or why it is too large."""
    ties: NotRequired[Literal["positive", "negative"]]
    threshold: NotRequired[str]
    """The probability from which on it is positive, exactly."""
    cutoff: NotRequired[str]
    """The points from which on it is positive, exactly."""
    numbers: NotRequired[int]
    zeros: NotRequired[int]
    hidden: NotRequired[Names]
    """The variables of a network that are summed out."""
    size: int | None
    """The number of nodes of its diagram; null if that did not come quickly."""
    certificate: Certificate | None
    why: NotRequired[str]
    """Why there is no diagram."""
    order: NotRequired[Names]


class LargestTable(TypedDict):
    """The largest table of a network."""

    variable: str
    """Whose it is."""
    numbers: int
    """How many numbers are in it."""


class UnchosenNetwork(TypedDict):
    """A network whose class is not chosen yet."""

    kind: Literal["network"]
    name: str
    variables: Sequence[Variable]
    arcs: int
    """How many arcs it has."""
    largest_table: LargestTable
    """Its largest table."""
    numbers: int
    zeros: int
    leaves: Names
    """The variables without children."""


class CombinedDiagram(TypedDict):
    """A diagram that no model is behind."""

    kind: Literal["diagram"]
    labels: Names
    attributes: Sequence[Variable]
    instances: Count
    size: int
    certificate: None
    """There is no model to prove it against."""
    order: Names


# ---- what commands add to an answer ----


class WithReasons(TypedDict, total=False):
    """What `oddly explain` adds to the reasons of a kind."""

    list: Sequence[Instance]
    """The reasons themselves, the smallest first (`--list`)."""


class WithDifference(TypedDict, total=False):
    """What `oddly diff` adds."""

    under: str
    """The distribution of `changed` and of the examples, in words (the command only)."""
    changed: float | None
    """How probable a changed decision is under that; null where that is not settled (the command only)."""
    changed_between: Between | None
    """Where it lies then; null where it is settled, or was not worked out within the limits (the command only)."""
    max_changed: float
    """How probable it may be (the command only)."""
    holds: bool | None
    """Whether it is no more than that; null if it may be (the command only)."""
    table: ChangedRows | None
    """The rows of `--table` (the command only)."""


class WithFile(TypedDict, total=False):
    """What a command adds that writes its answer to a file."""

    written: str | None


class WithCertificate(TypedDict, total=False):
    """What `oddly check` adds."""

    certificate: str | None
    """The file that the proof was written to, if any (the command only)."""


class WithCurve(WithFile, total=False):
    """What `oddly scorecard` adds."""

    curve: Sequence[Budget]
    """The best cards found with few points (`--curve`)."""
