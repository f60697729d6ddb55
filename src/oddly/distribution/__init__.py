# SPDX-License-Identifier: Apache-2.0
"""How probable instances are: products, mixtures, networks and rows; sampling and listing."""
