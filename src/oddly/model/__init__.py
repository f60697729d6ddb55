# SPDX-License-Identifier: Apache-2.0
"""What a classifier is, as people write it.

Frozen values that keep every probability and every point exactly as it was written.
"""

from oddly.model.classifier import Classifier, Named, Probabilistic, Unit
from oddly.model.naive_bayes import CPT, Learned, LearnedColumn, Missing, NaiveBayes
from oddly.model.network import Network, Node
from oddly.model.network_classifier import NetworkClassifier
from oddly.model.numbers import Number
from oddly.model.scorecard import Points, Scoreboard, Scorecard, Tally
from oddly.model.sums import Attribute, Crossed, Sum
from oddly.model.variable import MISSING_VALUE, Bins, Variable

Model = Classifier
__all__ = ["CPT", "MISSING_VALUE", "Bins", "Learned", "LearnedColumn", "Missing", "Model", "NaiveBayes"]
__all__ += ["Named", "Network", "NetworkClassifier", "Node", "Number", "Points", "Probabilistic", "Scoreboard"]
__all__ += ["Attribute", "Crossed", "Scorecard", "Sum", "Tally", "Unit", "Variable"]
