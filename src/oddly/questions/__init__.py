# SPDX-License-Identifier: Apache-2.0
"""One module per question a person asks; each takes diagrams or models and returns an answer."""
