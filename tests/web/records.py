"""Records of matches that were played at random, without a server."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.recorded_matches import play_at_random

from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, MatchRow, Store, open_journal

played = play_at_random
"""Plays a match at random and gives its record."""


async def fill(store: Store) -> None:
    """A match of each game between three bots; in the third turn one is lost on time."""
    async with open_journal(store) as journal:
        for game in ("packeis", "arktia", "icecult"):
            record = played(game, 3, timeouts=(3,))
            setup = await journal.begin(Attempt(record.setup, RatingSettings()))
            await journal.finish(msgspec.structs.replace(record, setup=setup))


def match_row(**changes: Any) -> MatchRow:
    """A row of a match of Packeis on a ladder, which is in play unless ``changes`` say more."""
    row: dict[str, Any] = {
        "match": "m",
        "tournament": None,
        "block": None,
        "attempt": 1,
        "game": "packeis",
        "options": {},
        "clock": {},
        "seed": 1,
        "rated": True,
        "started_ms": 0,
        "finished_ms": None,
        "reason": None,
        "termination": None,
        "detail": None,
        "server_fault": False,
        "seats": (),
    }
    return MatchRow(**row | changes)
