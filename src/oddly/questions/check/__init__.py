# SPDX-License-Identifier: Apache-2.0
"""Does it obey these rules, and can someone else verify that?  The question is in `question`; the rest is how it is answered."""
