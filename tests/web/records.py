"""Records of matches that were played at random, without a server."""

from __future__ import annotations

import msgspec
from tests.recorded_matches import play_at_random

from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store, open_journal

played = play_at_random
"""Plays a match at random and gives its record."""


async def fill(store: Store) -> None:
    """A match of each game between three bots; in the third turn one is lost on time."""
    async with open_journal(store) as journal:
        for game in ("packeis", "arktia", "icecult"):
            record = played(game, 3, timeouts=(3,))
            setup = await journal.begin(Attempt(record.setup, RatingSettings()))
            await journal.finish(msgspec.structs.replace(record, setup=setup))
