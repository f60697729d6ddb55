# SPDX-License-Identifier: Apache-2.0
"""How far may each number move, if a few decisions may change?  The answer is in `answer`; what a move changes in `moves` and what makes them."""
