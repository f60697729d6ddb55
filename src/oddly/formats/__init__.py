# SPDX-License-Identifier: Apache-2.0
"""Files to models and back."""

from oddly.formats.files import as_network, chosen, dropped, read, read_classifier, write
from oddly.formats.json_model import canonical_json, model_digest, model_from_json, model_to_json

__all__ = [
    "as_network",
    "canonical_json",
    "chosen",
    "dropped",
    "model_digest",
    "model_from_json",
    "model_to_json",
    "read",
    "read_classifier",
    "write",
]
