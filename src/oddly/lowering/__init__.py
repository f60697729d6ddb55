# SPDX-License-Identifier: Apache-2.0
"""The form that models beyond the paper's lower to: a whole number per class and family, added up class by class.

A *family* is a table over a few attributes: a naive Bayes has one per attribute, a network one per variable that
bears on the class. The class with the greatest sum is the decision.
"""

from oddly.lowering.distinct import distinct
from oddly.lowering.families import Families, Family, Outline
from oddly.lowering.models import lower_families, lowered
from oddly.lowering.steps import AttributeStep, check_contexts, frontiers, smallest_frontier

__all__ = ["AttributeStep", "Families", "Family", "Outline", "check_contexts", "distinct", "frontiers"]
__all__ += ["lower_families", "lowered", "smallest_frontier"]
