# SPDX-License-Identifier: Apache-2.0
"""How the classes share a row, in whole numbers: exact posteriors of many rows, gaps among them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import NaiveBayes, NetworkClassifier


def shares(model: NaiveBayes | NetworkClassifier, codes: NDArray[np.intp]) -> list[list[int]]:
    """For each row of value indices, whole numbers in proportion to the classes' posterior probabilities.

    An index of -1 is a gap, and summed out. A row that is impossible under every class gets the prior.
    """
    distinct, where = np.unique(codes, axis=0, return_inverse=True)
    found: list[list[int]] = [[] for _ in distinct]
    patterns, group = np.unique(distinct >= 0, axis=0, return_inverse=True)
    for p, pattern in enumerate(patterns):
        rows = np.flatnonzero(group.reshape(-1) == p)
        for row, numbers in zip(rows, _products(model, distinct[rows], pattern), strict=True):
            found[row] = numbers
    return [found[i] for i in where.reshape(-1)]


def _products(model: NaiveBayes | NetworkClassifier, codes: NDArray[np.intp], known: NDArray[Any]) -> list[list[int]]:
    places = np.flatnonzero(known)
    inside = model.replace(attributes=[model.attributes[place] for place in places])
    prior = model.replace(attributes=()).masses(codes[:1, :0])[0]
    return [[int(n) for n in (row if any(row) else prior)] for row in inside.masses(codes[:, places])]
