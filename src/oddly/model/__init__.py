# SPDX-License-Identifier: Apache-2.0
"""What a classifier is, as people write it.

Frozen values that keep every probability and every point exactly as it was written.
"""

from oddly.model.naive_bayes import CPT, Learned, NaiveBayes
from oddly.model.numbers import Number
from oddly.model.scorecard import Points, Scorecard
from oddly.model.variable import Variable

Model = NaiveBayes | Scorecard

__all__ = ["CPT", "Learned", "Model", "NaiveBayes", "Number", "Points", "Scorecard", "Variable"]
