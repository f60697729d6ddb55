# SPDX-License-Identifier: Apache-2.0
"""What every answer has: a sentence, a verdict, JSON, and its layout in blocks, which every medium renders."""

from oddly.answers.answer import Answer
from oddly.answers.blocks import MOST_CASES, Block, Facts, Paragraph, Table
from oddly.answers.json import ROUNDED, UNTOLD, As, Count, JsonName, Rounded, TypedJson, Unbounded, as_json, told
from oddly.answers.scope import Scope, ScopedAnswer
from oddly.answers.words import (
    apart,
    as_features,
    decided_alike,
    every_instance,
    many_instances,
    of_instances,
    percent,
    signed,
)

__all__ = ["ROUNDED", "UNTOLD", "Answer", "As", "Count", "JsonName", "Rounded", "Scope", "ScopedAnswer"]
__all__ += ["apart", "as_features", "as_json", "decided_alike", "every_instance", "many_instances", "of_instances"]
__all__ += ["MOST_CASES", "Block", "Facts", "Paragraph", "Table", "percent", "signed", "told"]
__all__ += ["TypedJson", "Unbounded"]
