# SPDX-License-Identifier: Apache-2.0
"""How far may each number move before any decision changes?  The question is in `question`; the rest is how it is answered."""
