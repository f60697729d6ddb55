# SPDX-License-Identifier: Apache-2.0
"""Why is this input decided so?  The question is in `question`; the rest is how it is answered."""
