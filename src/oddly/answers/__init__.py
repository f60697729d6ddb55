# SPDX-License-Identifier: Apache-2.0
"""What every answer has: a sentence, a verdict, JSON, and its layout in blocks, which every medium renders."""

from oddly.answers.answer import Answer, as_features, as_json, of_instances

__all__ = ["Answer", "as_features", "as_json", "of_instances"]
