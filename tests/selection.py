"""How much of a long comparison runs: a selection, or all of it with ``POLYNYA_LONG=1``.

``make test-all-long`` runs all.
"""

import os
from typing import Final

IS_LONG: Final = os.environ.get("POLYNYA_LONG") == "1"


def most(selection: int, everything: int) -> int:
    """How many cases run."""
    return everything if IS_LONG else selection
