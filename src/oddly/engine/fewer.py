# SPDX-License-Identifier: Apache-2.0
"""Which attributes to leave out, where hidden variables tie too many together for anything to be made of them?

Only those that the too large tables hold, and of these the ones that tell least about the class: they are ranked by their mutual information with it, under the network, and
taken in turn, each that still fits. That is greedy; but what is found was planned, so it does fit, and it is kept as
large as it can be: any further one was tried and did not. Bounded in seconds; where time runs out, fewer are kept.

Where others could be left out, and fewer of them (`fewest`), these are said too.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from time import monotonic

import numpy as np

from oddly.engine.fewest import Fewest, Names, fewest
from oddly.errors import TooLarge, Unsupported, listed
from oddly.model import NetworkClassifier
from oddly.model.contraction import axis_sizes, within
from oddly.model.elimination import class_blocks, class_masses, entries_allowed
from oddly.runtime import poll

SECONDS = 5.0  # to look for fewer attributes; half of it to rank them
VAGUE = ("fewer of these as attributes", "fewer attributes")  # what is advised before anybody looks for them
Fits = Callable[[NetworkClassifier], object]
"""Makes a plan, or raises what is wrong with it."""


def with_fewer(why: TooLarge, classifier: NetworkClassifier, planned: Fits) -> TooLarge:
    """The error, its advice made ready to be followed: which attributes do fit, as far as some are found."""
    said, vague = str(why), next((words for words in VAGUE if words in str(why)), None)
    if vague is None:
        return why
    search = _Search(classifier, planned)
    tied = tied_attributes(classifier)
    free = [name for name in classifier.attributes if name not in tied]
    if not free or not search.fits(free):  # then it is not only what is tied that is too much
        tied, free = list(classifier.attributes), []
    kept = search.added(tuple(free), search.ranked(tied))
    few = fewest(classifier, search.fits, entries_allowed(), SECONDS)
    advice = [*_most_telling(classifier, kept, search.out_of_time, few), *_fewest(classifier, kept, few)]
    return TooLarge(said.replace(vague, ", or ".join(advice))) if advice else why


def _most_telling(classifier: NetworkClassifier, kept: Names, hasty: bool, few: Fewest | None) -> Iterator[str]:
    """The advice to keep what tells most about the class."""
    if kept:
        more = "; time ran out, so others may fit too" if hasty else ""
        least = few is not None and few.proven and len(few.left_out) + len(kept) == len(classifier.attributes)
        more = "; it does not fit with more attributes than these" if least else more
        reason = f"keeps those that tell most about {classifier.class_name} as long as they fit{more}"
        yield f"{_without(classifier, set(classifier.attributes) - set(kept))} and {reason}"


def _fewest(classifier: NetworkClassifier, kept: Names, few: Fewest | None) -> Iterator[str]:
    """The advice to keep as many as possible, where that is another one."""
    if few is not None and len(few.left_out) + len(kept) < len(classifier.attributes):
        least = ", the fewest that do" if few.proven else ""
        yield f"{_without(classifier, few.left_out)}{least}"


def _without(classifier: NetworkClassifier, left_out: Collection[str]) -> str:
    names = [name for name in classifier.attributes if name not in left_out]
    told = listed([name for name in classifier.attributes if name in left_out])
    return f"attributes={names!r}, which leaves out {len(left_out)} of {len(classifier.attributes)} ({told})"


def tied_attributes(classifier: NetworkClassifier) -> list[str]:
    """The attributes of the blocks that are too large; the others are free to stay."""
    kept = {classifier.class_name, *classifier.attributes}
    found, limit = set[str](), entries_allowed()
    for block in class_blocks(classifier):
        scopes, sizes = [p.names for p in block], axis_sizes(block)
        try:
            within(limit, scopes, kept, sizes)
        except TooLarge:
            found.update(*scopes)
    return [name for name in classifier.attributes if name in found]


class _Search:
    def __init__(self, classifier: NetworkClassifier, planned: Fits) -> None:
        self.classifier, self.planned = classifier, planned
        self.started = monotonic()
        self.tried = 0
        self.out_of_time = False

    def ranked(self, names: Sequence[str]) -> tuple[str, ...]:
        """The attributes that tell most about the class first; those there was no time to ask about last."""
        told: dict[str, float] = {}
        for name in names:
            if self._late(SECONDS / 2):
                break
            told[name] = self._information(name)
        return tuple(sorted(names, key=lambda name: -told.get(name, -1.0)))

    def added(self, kept: tuple[str, ...], more: Sequence[str]) -> tuple[str, ...]:
        """What is kept, with as many more as fit, in turn: all of them at once, or else one half after the other."""
        if not more or self._late(SECONDS):
            return kept
        if self.fits((*kept, *more)):
            return (*kept, *more)
        if len(more) == 1:
            return kept
        half = len(more) // 2
        return self.added(self.added(kept, more[:half]), more[half:])

    def _late(self, seconds: float) -> bool:
        late = monotonic() - self.started > seconds
        self.out_of_time |= late
        return late

    def fits(self, names: Sequence[str]) -> bool:
        self.tried += 1
        poll("attributes", self.tried, self.tried + len(self.classifier.attributes))
        try:
            self.planned(self.classifier.restricted([n for n in self.classifier.attributes if n in names]))
        except (TooLarge, Unsupported):
            return False
        return True

    def _information(self, name: str) -> float:
        """The mutual information of an attribute and the class, in floats, which a ranking does not need to be exact."""
        poll("attributes", 0, len(self.classifier.attributes))
        alone = self.classifier.restricted([name])
        try:
            masses = class_masses(alone, np.arange(len(alone.variables[0].values))[:, None])[0]
        except (TooLarge, Unsupported):
            return 0.0
        whole = sum(masses.flat)
        joint = np.array([[float(m / whole) if whole else 0.0 for m in row] for row in masses])
        apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
        some = joint > 0
        return float((joint[some] * np.log(joint[some] / apart[some])).sum())
