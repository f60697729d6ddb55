# SPDX-License-Identifier: Apache-2.0
"""Drawings of diagrams: a picture (SVG, PNG, PDF), a file for Graphviz (DOT), and text for a terminal."""

from oddly.draw.files import figure, save
from oddly.draw.svg import svg
from oddly.draw.text import dot, text

__all__ = ["dot", "figure", "save", "svg", "text"]
