"""The bots' present ratings as a ladder knows them, kept in step with the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from polynya_common.errors import StoreError
from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
)
from polynya_store import Pool, Store
from polynya_store.matches.match_recording import PREFIX, FinishedMatch


class KnownRatings:
    """Ratings of a ladder's bots in memory: read once, then kept as matches are recorded.

    All ratings are read again where a host has computed them again.

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
        self._recomputed = self._newest = store.interventions.last_recomputed()
        self._since: dict[str, Strength] = {}
        self.strengths = self._present(store.ratings.strengths(pool))

    def note(self, match: str, finished: FinishedMatch) -> None:
        """A match has been recorded."""
        if match.startswith(f"{PREFIX}-"):
            self.note_recomputed(finished.recomputed)
            after = {bot.name: bot.after for bot in finished.rated}
            known = {name: BotStrength("", {"": one}, one.games) for name, one in after.items()}
            present = self._present(known)
            self.strengths.update(present)
            self._since.update(present)

    def note_recomputed(self, number: int) -> None:
        """A host has computed them again; the number of that intervention."""
        self._newest = max(self._newest, number)

    async def refresh(self) -> None:
        """Read all ratings if a host has computed them again."""
        newest = self._newest
        if newest == self._recomputed:
            return
        before, self._recomputed = self._recomputed, newest
        self._since = {}
        try:
            known = await trio.to_thread.run_sync(self._store.ratings.strengths, self._pool)
        except StoreError as error:
            self._recomputed = before
            self._warn(f"new ratings are not seen for now: {error}")
        else:
            if self._recomputed == newest:
                self.strengths = self._present(known) | self._since

    def _present(self, known: Mapping[str, BotStrength]) -> dict[str, Strength]:
        """Ratings; a new version goes on with that of the one before."""
        anchors = self._rating.anchors
        return {
            name: initial_strength(self._rating, found, anchors.get(name))
            for name, found in known.items()
        }
