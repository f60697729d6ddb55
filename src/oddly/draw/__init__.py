# SPDX-License-Identifier: Apache-2.0
"""Drawings of diagrams: a picture (SVG), a file for Graphviz (DOT), and text for a terminal."""

from oddly.draw.svg import svg

__all__ = ["svg"]
