"""``python3 -m polynya_foreign.adapters KIND -- PROGRAM``: the same as ``polynya adapt``."""

from __future__ import annotations

import sys

from polynya_foreign.adapters.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
