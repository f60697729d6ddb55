# SPDX-License-Identifier: Apache-2.0
"""What small changes do: to the numbers of a model, to their digits, and to the inputs."""

from oddly.diagram import ODD
from oddly.errors import TooLarge, Unsupported
from oddly.questions.allowed.question import allowed
from oddly.questions.importance.question import importance as how_important
from oddly.questions.robustness import robustness as how_robust
from oddly.questions.rounding import rounding as rounded
from oddly.reporting.asking import Asked
from oddly.reporting.content import Section

MOST_ROWS = 300
MOST_NODES = 30_000_000  # of diagrams whose numbers, digits and changes are looked at within a page
MOST_DIGITS = 6  # that are tried, one after the other


def ranges(asked: Asked, section: Section) -> Section:
    """Where each number may lie, and the input that stops it."""
    _not_too_large(asked.odd, "oddly allow")
    found = allowed(asked.odd, progress=asked.limits["progress"])
    return section.telling(found, "how far each number may move", most=MOST_ROWS)


def rounding(asked: Asked, section: Section) -> Section:
    """How many digits are needed."""
    _not_too_large(asked.odd, "oddly round")
    if asked.odd.source is None:
        raise Unsupported("the diagram was combined from others, so there are no numbers to round")
    return section.telling(rounded(asked.odd.source.model, MOST_DIGITS), "how many digits are needed")


def robustness(asked: Asked, section: Section) -> Section:
    """How many changes decisions withstand."""
    _not_too_large(asked.odd, "oddly robust")
    return section.telling(how_robust(asked.odd, under=asked.under, **asked.limits), "how robust decisions are")


def importance(asked: Asked, section: Section) -> Section:
    """How often each attribute alone can change the decision."""
    _not_too_large(asked.odd, "oddly importance")
    return section.telling(how_important(asked.odd, under=asked.under, **asked.limits), "which attributes matter")


def _not_too_large(odd: ODD, command: str) -> None:
    if odd.size > MOST_NODES:
        raise TooLarge(f"{odd.size:,} nodes, and a page looks at {MOST_NODES:,}.  `{command}` asks this alone.")
