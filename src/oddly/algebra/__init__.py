# SPDX-License-Identifier: Apache-2.0
"""Diagrams from diagrams: products, quantifiers, expressions, and what hinges on some attributes."""
