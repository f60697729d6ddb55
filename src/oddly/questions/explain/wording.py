# SPDX-License-Identifier: Apache-2.0
"""Names in a sentence: joined, or only counted where they are many."""

from collections.abc import Sequence

MOST_NAMED = 4  # attributes; of more only the number is told


def listed_and(names: Sequence[str]) -> str:
    """Names with commas and an and between."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted_are(names: list[str], other: str = "") -> str:
    """Names, or only their number, with the verb."""
    if not names:
        return "the instance is"
    if len(names) > MOST_NAMED:
        return f"{other}{len(names)} attributes are" if other else f"the {len(names)} attributes are"
    return f"{listed_and(names)} {'is' if len(names) == 1 else 'are'}"
