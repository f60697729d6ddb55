# SPDX-License-Identifier: Apache-2.0
"""`python -m soak --minutes 10 --seed 1`: attack after attack until the time is over; then a table, and every failure made small.

Try number i of an attack has the seed "SEED/attack/i", so a run is resumed with `--from i`, and one try is had again with
`--only attack/i`. Failures are written to build/soak as tests to paste.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from pprint import pformat

from joblib import Parallel, delayed

from soak.attacks import ATTACKS, Failure, Tally, batch

FOLDER = Path("build") / "soak"


def main() -> int:
    """Run what the command line asks for; 1 if anything failed."""
    asked = _arguments()
    print(
        f"seed {asked.seed}, from {asked.start}; the same again: make soak SEED={asked.seed} MINUTES={asked.minutes:g}",
        flush=True,
    )
    tallies = {name: Tally() for name in ATTACKS}
    failures: list[Failure] = []
    start, ends = asked.start, time.monotonic() + 60 * asked.minutes
    rounds = 0
    with Parallel(n_jobs=asked.jobs) as parallel:
        while (asked.rounds and rounds < asked.rounds) or (not asked.rounds and time.monotonic() < ends):
            jobs = [(name, asked.seed, start + k) for k in range(asked.jobs) for name in _names(asked.attack)]
            for name, tally, found in parallel(delayed(batch)(*job) for job in jobs):
                tallies[name] += tally
                failures += found
            start, rounds = start + asked.jobs, rounds + 1
            _progress(tallies, failures, ends)
    _told(tallies, start)
    for i, failure in enumerate(failures):
        _stored(failure, i)
    return bool(failures)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", default=str(int(time.time())), help="default: the time")
    parser.add_argument("--from", dest="start", type=int, default=0, help="the round to resume at")
    parser.add_argument("--rounds", type=int, default=0, help="so many rounds instead of minutes")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--attack", choices=list(ATTACKS), help="only this one")
    return parser.parse_args()


def _names(only: str | None) -> list[str]:
    return list(ATTACKS) if only is None else [only]


def _progress(tallies: dict[str, Tally], failures: list[Failure], ends: float) -> None:
    if sys.stderr.isatty():
        tries = sum(t.tries for t in tallies.values())
        left = max(ends - time.monotonic(), 0) / 60
        print(
            f"\r{tries:,} tries, {len(failures)} failures, {left:.0f} minutes left ",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _told(tallies: dict[str, Tally], start: int) -> None:
    print(f"{'attack':14}{'tries':>12}{'compared':>16}{'failures':>10}")
    for name, tally in [*tallies.items(), ("together", sum(tallies.values(), Tally()))]:
        print(f"{name:14}{tally.tries:>12,}{tally.compared:>16,}{tally.failures:>10,}")
    print(f"to go on from here: --from {start}")


def _stored(failure: Failure, i: int) -> None:
    """The failure, on the screen and as a test."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"failure_{i}.py"
    spec = pformat(failure.spec, width=110, sort_dicts=False)
    path.write_text(
        f'def test_{failure.attack}_{i}(tmp_path):\n    """{failure.message[:200]!r}"""\n'
        f"    from soak.attacks import replay\n\n    spec = {spec}\n    replay({failure.attack!r}, {failure.seed!r}, tmp_path, spec)\n"
    )
    print(f"FAILED {failure.attack}, seed {failure.seed}: {failure.message[:500]}\n  as a test: {path}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory():
        sys.exit(main())
