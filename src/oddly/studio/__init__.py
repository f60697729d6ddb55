# SPDX-License-Identifier: Apache-2.0
"""The studio: a local page on which a model is opened, changed, compared and asked.

    page (static/) ──► guard ──► app ──► workers ──► worker process: questions, opening, ranges, picture, grouped

The page holds all state. The server keeps only what it can be told again: models, under the hash of their
contents (`shelf`, `folder`). Every question is one request, worked out in a process of its own that can be stopped (`workers`).
"""

from oddly.model.classifier import edited

__all__ = ["edited"]
