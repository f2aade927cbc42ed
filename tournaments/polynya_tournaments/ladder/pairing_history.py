"""Keeps the input of a ladder's pairing: past matches and present ratings of its bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import trio

from polynya_common.errors import StoreError
from polynya_contest.pairing.pasts import BotPast
from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
)
from polynya_store import Pool, Store
from polynya_store.matches.ladder_summaries import PREFIX
from polynya_store.matches.match_recording import FinishedMatch


class PairingHistory:
    """Counts begun matches, so a bot that never gets ready has had its turn, too.

    A bot waits while it is free: from ``begin_wait`` to ``end_wait``, and on from there the next
    time. Its wait is counted in matches that are begun without it, and ends when it begins one.

    Args:
        pasts: the bots' matches before. Waits are not recorded: they begin at zero.
        matches: how many these are.

    Attributes:
        matches: the number of all of them.
    """

    def __init__(self, pasts: Iterable[BotPast] = (), matches: int = 0) -> None:
        self.matches = matches
        self._turns = Counter[str]()
        self._bots = {past.name: past for past in pasts}

    def bot(self, name: str) -> BotPast:
        """The matches of a bot."""
        found = self._bots.get(name)
        if found is None:
            found = self._bots[name] = BotPast(name)
        return found

    def add(self, players: Sequence[str]) -> None:
        """Count a begun match of these bots by seat; none of them is waiting."""
        self.matches += 1
        pasts = [self.bot(name) for name in players]
        self._turns.update(players)
        for seat, past in enumerate(pasts):
            past.note(pasts, seat, self.matches)
            past.kept_wait = 0

    def begin_wait(self, name: str) -> None:
        """Start the wait of a free bot."""
        past = self.bot(name)
        past.free_from = self.matches - past.kept_wait

    def end_wait(self, name: str) -> None:
        """End the wait of a bot."""
        past = self.bot(name)
        past.kept_wait, past.free_from = self.waited(name), None

    def waited(self, name: str) -> int:
        """Number of matches begun without a free bot since its last one."""
        past = self.bot(name)
        return past.kept_wait if past.free_from is None else self.matches - past.free_from

    def turns(self, name: str) -> int:
        """The number of a bot's matches, from where it joined the others: see ``join``."""
        return self._turns[name]

    def join(self, name: str, turns: int) -> None:
        """Count a bot's matches from the others' numbers on, if it has fewer.

        So a bot that comes, rests or was held catches up no matches at the cost of others.
        """
        self._turns[name] = max(turns, self._turns[name])

    def has_just_met(self, players: Iterable[str]) -> bool:
        """Whether the last match of all these bots was the same one."""
        [number, *others] = {self.bot(name).last_match for name in players}
        return number > 0 and not others

    def fewest_at_a_seat(self, name: str, seats: int) -> int:
        """Number of a bot's matches in its rarest seat."""
        found = self.bot(name).seats
        return min(found) if len(found) == seats else 0


def games_since(one: BotPast, other: BotPast) -> int | None:
    """Matches that either of two bots played since they met; None if no meeting is remembered."""
    met, met_other = one.met.get(other.name), other.met.get(one.name)
    if met is None:
        return None if met_other is None else other.games - met_other
    since = one.games - met
    return since if met_other is None else min(since, other.games - met_other)


class KnownRatings:
    """Present ratings of a ladder's bots in memory, updated as matches are recorded.

    They are reloaded after a host has recomputed all ratings.

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
        """Update ratings after a recorded match."""
        if match.startswith(f"{PREFIX}-"):
            self.note_recomputed(finished.recomputed)
            after = {bot.name: bot.after for bot in finished.rated}
            known = {name: BotStrength("", {"": one}, one.games) for name, one in after.items()}
            present = self._present(known)
            self.strengths.update(present)
            self._since.update(present)

    def note_recomputed(self, number: int) -> None:
        """Note that a host has recomputed ratings, by the intervention's number."""
        self._newest = max(self._newest, number)

    async def refresh(self) -> None:
        """Reload all ratings if a host has recomputed them."""
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
        """Present ratings; a new version inherits the one of the version before."""
        anchors = self._rating.anchors
        return {
            name: initial_strength(self._rating, found, anchors.get(name))
            for name, found in known.items()
        }
