# SPDX-License-Identifier: Apache-2.0
"""Would one more row of data change any decision?  The question is in `question`; the rest is how it is answered."""
