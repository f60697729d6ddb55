# SPDX-License-Identifier: Apache-2.0
"""`python -m oddly` is the command `oddly`."""

import sys

from oddly.cli import main

if __name__ == "__main__":
    sys.exit(main())
