# SPDX-License-Identifier: Apache-2.0
"""Which attributes matter?  The question is in `question`; the rest is how it is answered."""
