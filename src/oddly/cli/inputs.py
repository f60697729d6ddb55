# SPDX-License-Identifier: Apache-2.0
"""Commands about all inputs at once: how many get which decision, and what they have in common."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Annotated, Any, NotRequired, TypedDict, cast

from cyclopts import Parameter

import oddly
from oddly.answers import Answer, Rounded, as_features
from oddly.answers import as_json as in_json
from oddly.answers.blocks import Table
from oddly.cli.options import (
    BUILD,
    HINGING,
    AsJson,
    BuildOptions,
    DomainOption,
    Error,
    Exact,
    Flag,
    Most,
    Under,
    Word,
    X,
    diagram,
    enclosed,
)
from oddly.cli.output import emit_json, lay_out, show, verdict
from oddly.cli.texts import Number, Text, UsageError, assignments, at_least, instance_of, names_of, no_options, say


class Decided(TypedDict):
    """An instance, and what is decided of it."""

    instance: Mapping[str, str]
    decision: str
    probability: NotRequired[Rounded]
    """How probable the instance is; absent where instances were drawn."""


class Extra(TypedDict, total=False):
    """What `oddly count` adds to the counts."""

    sample: Sequence[Decided]
    """Instances drawn at random (`--sample`)."""
    list: Sequence[Decided]
    """The most probable instances (`--list`)."""


def count(
    diagram_or_model: X,
    /,
    *given: Annotated[Word, say("NAME=VALUE: only the inputs of which this holds.")],
    label: Annotated[Text, say("Only this decision; otherwise each.")] = None,
    under: Under = None,
    exact: Exact = False,
    draw: Annotated[Number, Parameter(name="--sample", help="Also draw this many inputs at random.")] = None,
    seed: Annotated[int, say("Where the drawing starts; the same seed draws the same.")] = 0,
    top: Annotated[Most, say("Also list this many inputs, the most probable first.")] = None,
    within: DomainOption = None,
    error: Error = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Count the inputs of each decision, and say how likely each is.

    Counts are exact, of all possible inputs or of those with some values known.

    Example:
      oddly count model.json
      oddly count model.odd U=+ve B=-ve --under uniform
      oddly count model.json --label yes --list 10
      oddly count model.json --under rows.csv --json
      oddly count large.json --error 0.001
    """
    no_options(given, "count")
    at_least(0, sample=draw, seed=seed, list=top)
    odd = enclosed(diagram_or_model, build, error, under)
    if isinstance(odd, oddly.Pair):
        return _count_pair(odd, given, label, under, exact, within, as_json, alone=draw is None and top is None)
    known = assignments(given, odd.variables)
    counts = oddly.count(odd, label, given=known, under=under, within=within, exact=exact)
    parts: Extra = {}
    if draw is not None:
        parts["sample"] = _cases(odd, oddly.sample(odd, draw, label, under, given=known, within=within, seed=seed))
    if top is not None:
        listed = list(islice(oddly.instances(odd, label, under, given=known, within=within), top))
        cases = _cases(odd, [instance for instance, _ in listed])
        chances = [_chance(odd, i, known, under, within) if exact else p for i, p in listed]
        parts["list"] = [{**case, "probability": p} for case, p in zip(cases, chances, strict=True)]
    if as_json:
        emit_json(counts.to_json() | dict(in_json(parts, Extra, exact)))
    else:
        shown = cast(Mapping[str, Sequence[Decided]], parts)
        lay_out([*counts.blocks(), *(_table(title, cases) for title, cases in shown.items())])
    return 0


def _count_pair(
    pair: "oddly.Pair",
    given: Sequence[str],
    label: str | None,
    under: str | None,
    exact: bool,
    within: Sequence[str] | None,
    as_json: bool,
    *,
    alone: bool,
) -> int:
    """At least and at most how many."""
    if not alone:
        raise UsageError("--sample and --list take the diagram itself, and with this --error there are two around it")
    known = assignments(given, pair.variables)
    show(oddly.count(pair, label, given=known, under=under, within=within, exact=exact), as_json)
    return 0


def _chance(
    odd: "oddly.ODD",
    instance: Mapping[str, str],
    known: Mapping[str, str],
    under: str | None,
    within: Sequence[str] | None,
) -> Fraction:
    """How probable an instance is, given what is known and the domain, exactly."""
    from oddly.algebra.domain import domain_of
    from oddly.distribution.listing import exactly
    from oddly.distribution.masses import masses_within
    from oddly.distribution.measure import known_places, measure_of

    measure = measure_of(odd, under).knowing(known_places(known, odd))
    inside = Fraction(masses_within(domain_of(within, odd), measure)[1])
    return exactly(odd, instance, measure) * measure.mass / inside


def _cases(odd: "oddly.ODD", instances: Sequence[dict[str, str]]) -> list[Decided]:
    """Instances with the decision on each, as JSON says it."""
    labels = odd.classify(instances)
    return [{"instance": i, "decision": str(label)} for i, label in zip(instances, labels, strict=True)]


def _table(title: str, cases: Sequence[Decided]) -> Table:
    from oddly.distribution.measure import shown

    rows = [(as_features(case["instance"]), str(case["decision"])) for case in cases]
    if title == "sample":
        return Table("Drawn at random", ("instance", "decision"), tuple(rows))
    listed = ((*row, shown(case["probability"])) for row, case in zip(rows, cases, strict=True))
    return Table("The most probable first", ("instance", "decision", "probability"), tuple(listed), (2,))


def must(
    diagram_or_model: X,
    label: Annotated[Word, say("The decision.")],
    expression: Annotated[
        Word, say("NAME=VALUE, NAME!=VALUE, NAME in {A, B}, joined by and, or, not, -> and parentheses.")
    ],
    /,
    *,
    under: Under = None,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Do all inputs of a decision have these features?

    If not, how many and how probable the exceptions are, with the most probable one. Exit code 1 then.

    Example:
      oddly must model.json yes "S=+ve or (U=+ve and B=+ve)"
      oddly must model.odd no "S!=+ve and not (U=+ve and B=+ve)" --json
    """
    return verdict(
        oddly.must_hold(diagram(diagram_or_model, build), label, expression, under=under, within=within), as_json
    )


def robust(
    diagram_or_model: X,
    /,
    *,
    under: Under = None,
    max_changes: Annotated[Number, say("Look at no more changes than these.")] = None,
    exact: Exact = False,
    top: Annotated[
        int, Parameter(name="--list", help="Show so many inputs that one change tips, the most probable first.")
    ] = 5,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """How robust is the classifier?

    The robustness of an input is the fewest attributes whose change makes its decision another. Counted over all
    inputs, and weighed over the population.

    Example:
      oddly robust model.json
      oddly robust model.odd --under uniform --max-changes 3
      oddly robust model.json --under rows.csv --list 20 --json
    """
    at_least(0, list=top)
    at_least(1, max_changes=max_changes)
    odd = diagram(diagram_or_model, build)
    answer = oddly.robustness(odd, under=under, within=within, max_changes=max_changes, exact=exact or None)
    if as_json:
        emit_json(answer.to_json(exact, most=top))
    else:
        lay_out(answer.blocks(top))
    return 0


def fair(
    diagram_or_model: X,
    /,
    *,
    protected: Annotated[list[str], Parameter(negative="", help=HINGING)],
    under: Annotated[
        Text,
        Parameter(
            alias="--population",
            help="Whom it is about: model, uniform, a file of rows (.csv) or of a network (.bif). Default: the model's own.",
        ),
    ] = None,
    label: Annotated[Text, say("The decision that groups are compared by; of two, the positive.")] = None,
    target: Annotated[
        Text, say("The column of the rows with the true class; otherwise that of the class's name.")
    ] = None,
    top: Annotated[Most, say("How many values to show through which the gap arises. Default: 8.")] = None,
    exact: Exact = False,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Does any decision hinge on protected attributes, and are groups decided alike?

    A decision hinges on them if the same input with other values of theirs, or in another group of values, is decided
    otherwise. Exit code 0 if none does, 1 if some do. Then how often each group gets the decision, and how often rightly, the gaps, and the values of other
    attributes through which the gap in rates arises.

    Example:
      oddly fair model.json --protected sex
      oddly fair model.odd --protected sex --protected age --label grant
      oddly fair model.json --protected sex --under applicants.csv --target repaid --json
      oddly fair model.json --protected "sex from status: male = single man, married man; female = woman"
      oddly fair model.json --protected "age from years: young = <25; old = >=25" --population town.bif
    """
    from oddly.compiler import is_diagram

    at_least(0, list=top)
    if target is not None and under in (None, "model", "uniform"):
        raise UsageError(f"--target {target} is a column of rows; say which with --under FILE")
    truth: Any = under
    if under in (None, "model") and not is_diagram(diagram_or_model):
        model = build.choice.decider(diagram_or_model)
        truth = model if model.others else under  # it may know variables that its diagram does not
    odd = diagram(diagram_or_model, build)
    names = names_of(protected, odd.order)
    answer = oddly.fairness(odd, names, under=truth, within=within, label=label, target=target, exact=exact or None)
    return verdict(answer, as_json, top, exact)


def importance(
    diagram_or_model: X,
    /,
    *instance: Annotated[Word, say("NAME=VALUE for every attribute: the decision on this input.")],
    label: Annotated[Text, say("Only this decision counts. Default: any, or the one made.")] = None,
    under: Under = None,
    exact: Annotated[Flag, say("The numbers of one input as exact ones, in JSON.")] = False,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Which attributes matter?

    Overall: in how many inputs changing an attribute alone changes the decision. Of one input: what each of its
    values contributes to the decision, others being drawn independently.

    Example:
      oddly importance model.json                             how often each attribute alone tips the decision
      oddly importance model.json U=-ve B=-ve S=+ve           Shapley and Banzhaf values for this input
      oddly importance model.odd --under uniform --json
    """
    no_options(instance, "importance")
    if within and instance:
        raise UsageError("--within is about all inputs; of one, each attribute is drawn by itself, inside or outside")
    if exact and not instance:
        raise UsageError("--exact is about the numbers of one input; give its values")
    odd = diagram(diagram_or_model, build)
    answer: Answer
    if instance:
        answer = oddly.contributions(odd, instance_of(instance, odd), label=label, under=under, exact=exact or None)
    else:
        answer = oddly.importance(odd, label=label, under=under, within=within)
    show(answer, as_json, exact=exact)
    return 0
