# SPDX-License-Identifier: Apache-2.0
"""`oddly`, and `python -m oddly`: the command line, which takes a moment to import."""

import sys


def run() -> int:
    """Run one command; Ctrl-C is heard from the first moment on."""
    try:
        from oddly.cli import main

        return main()
    except KeyboardInterrupt:  # while it was being imported
        print("oddly: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
