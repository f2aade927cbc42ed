"""Backs off after annulled matches, and gives up on bots that are never ready and on broken rules.

All of them count in a row.
"""

from __future__ import annotations

from collections.abc import Hashable

from polynya_contest.conduct import Streaks
from polynya_server.records import MatchRecord

MAX_WAIT_S = 16
MAX_ANNULLED = 12
"""Give up a tournament's match after this many annulments in a row: after a minute and a half of
waiting, playing time not included. A machine that is busy for a moment recovers long before."""


class AnnulmentBackoff:
    """Exponential back-off for matches that the server annulled because it was late itself.

    Each annulment in a row doubles the wait of the match, or of its bots. So the load falls until
    the server keeps up, as on an Ethernet.

    Args:
        first_wait_s: the wait after the first annulment, in seconds.
        longest_wait_s: the longest wait, in seconds.
    """

    def __init__(self, first_wait_s: float = 0.25, longest_wait_s: float = MAX_WAIT_S) -> None:
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._annulled = Streaks()

    def annulled(self, *keys: Hashable) -> float:
        """Count an annulled match by keys (its id, or its bots); return the wait in seconds."""
        in_a_row = max(self._annulled.note(key, happened=True) for key in keys)
        return float(min(self._longest_wait_s, self._first_wait_s * 2 ** min(in_a_row - 1, 16)))

    def reset(self, *keys: Hashable) -> None:
        """Reset the keys of a match that was not annulled."""
        for key in keys:
            self._annulled.note(key, happened=False)

    def is_exhausted(self, key: Hashable) -> bool:
        """Whether a key's matches were annulled too often in a row to try again."""
        return self._annulled.length(key) >= MAX_ANNULLED


class FailedRules:
    """Counts the pairings in a row at which the rules of the game failed."""

    LIMIT = 3

    def __init__(self) -> None:
        self._pairings: set[Hashable] = set()

    def note(self, pairing: Hashable, *, happened: bool) -> None:
        """Count a match without an answer of the rules; a match with a result ends the row.

        Args:
            pairing: the bots in any order; those of one pairing can provoke a failure.
            happened: whether the rules failed.
        """
        if happened:
            self._pairings.add(pairing)
        else:
            self._pairings.clear()

    @property
    def are_broken(self) -> bool:
        """Whether they failed at three different pairings, which no single bot can have caused."""
        return len(self._pairings) >= self.LIMIT


def not_ready(record: MatchRecord) -> set[str]:
    """List the bots that were not ready for a match."""
    return {
        record.setup.players[forfeit.seat]
        for forfeit in record.forfeits
        if forfeit.reason == "not_ready"
    }


class NotReadyCounter:
    """Counts how often in a row each bot was not ready, and gives up on those that never are."""

    LIMIT = 3

    def __init__(self) -> None:
        self._not_ready = Streaks()

    def gave_up_on(self, record: MatchRecord) -> list[str]:
        """Return the bots that were not ready for this match and the two before it."""
        missing = not_ready(record)
        in_a_row = {
            name: self._not_ready.note(name, happened=name in missing)
            for name in record.setup.players
        }
        return sorted(name for name, length in in_a_row.items() if length >= self.LIMIT)
