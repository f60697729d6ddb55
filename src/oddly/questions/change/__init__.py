# SPDX-License-Identifier: Apache-2.0
"""What would change this decision?  The question is in `question`; the rest is how it is answered."""
