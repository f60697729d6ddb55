# SPDX-License-Identifier: Apache-2.0
"""A classifier written out for other programs: SQL, source code, and diagrams in other libraries' forms."""
