# SPDX-License-Identifier: Apache-2.0
"""Which attributes can be left out?  The question is in `question`; the rest is how it is answered."""
