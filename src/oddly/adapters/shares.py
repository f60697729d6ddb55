# SPDX-License-Identifier: Apache-2.0
"""How the classes share a row, in whole numbers: exact posteriors of many rows, gaps among them."""

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import NaiveBayes, NetworkClassifier
from oddly.model.elimination import class_masses


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
    if isinstance(model, NaiveBayes):
        masses = _naive(model, places, codes)
    else:
        inside = model.replace(attributes=[model.attributes[place] for place in places])
        masses, _ = class_masses(inside, codes[:, places])
    prior = _prior(model)
    return [[int(n) for n in row] if any(row) else prior for row in masses]


def _naive(model: NaiveBayes, places: NDArray[np.intp], codes: NDArray[np.intp]) -> NDArray[Any]:
    found = np.array([_prior(model)] * len(codes), object)
    for place in places:
        attribute = model.attributes[place]
        rows = [attribute.given[c] for c in model.class_values]
        scale = lcm(*(p.denominator for row in rows for p in row))
        table = np.array([[int(p * scale) for p in row] for row in rows], object)
        found = found * table.T[codes[:, place]]
    return found


def _prior(model: NaiveBayes | NetworkClassifier) -> list[int]:
    if isinstance(model, NaiveBayes):
        scale = lcm(*(p.denominator for p in model.prior))
        return [int(p * scale) for p in model.prior]
    return [int(n) for n in class_masses(model.replace(attributes=()))[0][0]]
