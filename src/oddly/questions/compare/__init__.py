# SPDX-License-Identifier: Apache-2.0
"""Are these the same classifier?  The question is in `question`; the rest is how it is answered."""
