"""The bots' present ratings as a ladder knows them, kept in step with the database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import trio

from polynya_tournaments.errors import StoreError
from polynya_tournaments.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
)
from polynya_tournaments.store import Pool, Store


class KnownRatings:
    """What is known of the bots of a ladder.

    Args:
        store: what is recorded.
        pool: whose ratings.
        rating: how they are made.
        warn: told in a sentence when the database cannot be read.

    Attributes:
        strengths: by name, of the bots that have played.
    """

    def __init__(
        self, store: Store, pool: Pool, rating: RatingSettings, warn: Callable[[str], None]
    ) -> None:
        self._store = store
        self._pool = pool
        self._rating = rating
        self._warn = warn
        self._recomputed = store.interventions.last_recomputed()
        self.strengths = self._present(store.ratings.strengths(pool))

    async def learn(self, names: Collection[str]) -> None:
        """Look at bots that have been rated, or at all of them if a host computed again."""
        try:
            recomputed, known = await trio.to_thread.run_sync(self._read, names)
        except StoreError as error:
            self._warn(f"new ratings are not seen for now: {error}")
            return
        if recomputed != self._recomputed:
            self._recomputed, self.strengths = recomputed, {}
        self.strengths.update(self._present(known))

    def _read(self, names: Collection[str]) -> tuple[int, Mapping[str, BotStrength]]:
        """When a host last computed again, and what stands then: of all if that is news."""
        recomputed = self._store.interventions.last_recomputed()
        asked = names if recomputed == self._recomputed else None
        return recomputed, self._store.ratings.strengths(self._pool, asked)

    def _present(self, known: Mapping[str, BotStrength]) -> dict[str, Strength]:
        """Ratings; a new version goes on with that of the one before."""
        anchors = self._rating.anchors
        return {
            name: initial_strength(self._rating, found, found.version, anchors.get(name))
            for name, found in known.items()
        }
