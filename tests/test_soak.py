# SPDX-License-Identifier: Apache-2.0
"""The soak, short and always the same; and on bugs that were put in on purpose, each of which it must find."""

import subprocess
import sys
from pathlib import Path

import pytest
from soak.attacks import ATTACKS, batch
from soak.planted import PLANTED

TRIES = 5  # batches until a planted bug must have been found
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "starved"])  # memory is not alike on all machines
@pytest.mark.parametrize("number", [0, 1])
def test_a_fixed_number_of_attacks_finds_nothing(name, number):
    _, tally, failures = batch(name, "pinned", number)
    assert not failures
    assert tally.tries == ATTACKS[name][1]


@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_that_is_put_in_is_found_and_made_small(name):
    plant, attack = PLANTED[name]
    with plant():
        found = next((f for number in range(TRIES) for f in batch(attack, "planted", number)[2]), None)
    assert found is not None
    assert found.spec is None or len(found.spec["attributes"]) <= 4


def test_a_run_says_how_to_have_it_again_and_what_it_tried():
    ran = subprocess.run(
        [sys.executable, "-m", "soak", "--rounds", "1", "--seed", "7", "--attack", "engines", "--jobs", "1"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert "make soak SEED=7" in ran.stdout
    assert "--from 1" in ran.stdout
