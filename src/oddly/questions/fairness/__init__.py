# SPDX-License-Identifier: Apache-2.0
"""Which decisions hinge on protected attributes, how do groups fare, and through what?  The question is in `question`; the rest is how it is answered."""
