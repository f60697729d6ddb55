# SPDX-License-Identifier: Apache-2.0
"""One sweep over a diagram, for every kind of number: up from the sinks, down from the root, through every edge.

`semirings` says what numbers are added up with where paths meet and multiplied with along them, `digits` has whole
numbers of any size, `sweep` is the walk over the levels, and `best` names the paths that a least sum takes.
"""
