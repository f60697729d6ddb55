# SPDX-License-Identifier: Apache-2.0
"""Which whole-number points decide exactly alike, and which small ones nearly?  The question is in `question`; the rest is how it is answered."""
