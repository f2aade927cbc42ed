"""The numbers of the rules, and those that are agreed before a match."""

from __future__ import annotations

import sys

SEATS = range(2, 5)
"""How many players a match can have."""

COLOURS = 4
"""The colours of pawns, neutral ones included; also the number of blocks and of paths."""

PAWNS = 5
"""The pawns of each colour."""

FIELDS = 5
"""The fields of each path."""

TURN_LIMIT = 200
"""The last turn of a match, unless the host says otherwise."""

MOST_TURNS = sys.maxsize
"""The greatest turn limit, 2**63 - 1: the greatest integer that any bot can read."""
