# SPDX-License-Identifier: Apache-2.0
"""Files to models and back."""

from oddly.formats.files import read, write, written_safely
from oddly.formats.json_model import model_from_json, model_to_json

__all__ = ["model_from_json", "model_to_json", "read", "write", "written_safely"]
