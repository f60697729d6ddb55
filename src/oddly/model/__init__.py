# SPDX-License-Identifier: Apache-2.0
"""What a classifier is, as people write it.

Frozen values that keep every probability and every point exactly as it was written.
"""

from oddly.model.classifier import Classifier
from oddly.model.classifier import Named as Named
from oddly.model.classifier import Probabilistic as Probabilistic
from oddly.model.classifier import Unit as Unit
from oddly.model.naive_bayes import CPT as CPT
from oddly.model.naive_bayes import Learned as Learned
from oddly.model.naive_bayes import Missing as Missing
from oddly.model.naive_bayes import NaiveBayes as NaiveBayes
from oddly.model.network import Network as Network
from oddly.model.network import Node as Node
from oddly.model.network_classifier import NetworkClassifier as NetworkClassifier
from oddly.model.numbers import Number as Number
from oddly.model.scorecard import Points as Points
from oddly.model.scorecard import Scoreboard as Scoreboard
from oddly.model.scorecard import Scorecard as Scorecard
from oddly.model.scorecard import Tally as Tally
from oddly.model.variable import MISSING_VALUE as MISSING_VALUE
from oddly.model.variable import Bins as Bins
from oddly.model.variable import Variable as Variable

Model = Classifier
