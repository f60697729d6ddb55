# SPDX-License-Identifier: Apache-2.0
"""Everything against everything, for as long as asked: `make soak MINUTES=10 SEED=1`.

An *attack* is a function that takes a random generator and a folder, makes something, holds what Oddly says of it
against something worked out another way, and raises `Wrong` where they differ. Each try has a seed of its own, which
the failure names, so that it can be had again. `docs/reliability.md` has the promises that the attacks are about.
"""
