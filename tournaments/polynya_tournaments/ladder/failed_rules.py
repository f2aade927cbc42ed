"""Decides what a ladder does with bots in whose matches the rules of the game failed.

A failure is no bot's fault, and still no bot may gain by provoking one. So all bots of the match
rest alike, a minute first and twice as long after each further one in a row. A bot that acted
before failures against three different opponents in its last 20 matches is suspended: it gets no
matches, neither lost nor won, until the host has looked. Three different pairings in a row without
a bot in common mean that the game is broken: the ladder pauses.
"""

from __future__ import annotations

from collections import deque

from polynya_common.reasons import Reason
from polynya_server.records import MatchRecord
from polynya_store.tournaments.held_matches import FailedMatch, failed_match
from polynya_tournaments.tournament.backoff import AnnulmentBackoff

FIRST_REST_S, LONGEST_REST_S = 60, 960
WINDOW = 20
"""The matches of a bot that count."""

LIMIT = 3
"""Opponents of one bot, or pairings in a row, at which the rules fail."""

_MOST_KEPT = 20


class LadderFailures:
    """The failures of the rules in the matches of a ladder, since it was started.

    Attributes:
        recent: the last of these matches, the newest one first.
    """

    def __init__(self) -> None:
        self.recent: deque[FailedMatch] = deque(maxlen=_MOST_KEPT)
        self._rests = AnnulmentBackoff(FIRST_REST_S, LONGEST_REST_S)
        # By bot the opponents in its last matches, None for a match with a result.
        self._last: dict[str, deque[frozenset[str] | None]] = {}
        self._in_a_row: set[frozenset[str]] = set()

    def note(self, record: MatchRecord) -> None:
        """Count a match that has ended, if it has a result or its rules failed."""
        players = record.setup.players
        if record.rules_failed:
            found = failed_match(record)
            self.recent.appendleft(found)
            self._in_a_row.add(frozenset(players))
            for name in found.moved:
                last = self._last.setdefault(name, deque(maxlen=WINDOW))
                last.append(frozenset(players) - {name})
        elif record.ranking is not None:
            self._in_a_row.clear()
            self._rests.reset(*players)
            for name in players:
                self._note_result(name)

    def _note_result(self, name: str) -> None:
        last = self._last.get(name)
        if last is not None:
            last.append(None)
            if not any(last):
                del self._last[name]

    def rest_s(self, record: MatchRecord) -> float:
        """Seconds that all bots of a match rest whose rules failed."""
        return self._rests.annulled(*record.setup.players)

    def suspends(self, record: MatchRecord) -> dict[str, Reason]:
        """The bots that a match suspends which has been noted, each with the reason."""
        if not record.rules_failed:
            return {}
        return {
            name: Reason.of(
                "suspended_for_failed_rules", count=count, all=WINDOW, match=record.setup.match
            )
            for name in self.recent[0].moved
            if (count := len({others for others in self._last[name] if others})) >= LIMIT
        }

    def forget(self, name: str) -> None:
        """Forget the failures of a bot that the host has put back."""
        self._last.pop(name, None)

    def game_is_broken(self) -> bool:
        """Whether the rules failed at different pairings in a row, which no one bot has caused."""
        found = self._in_a_row
        broken = len(found) >= LIMIT and not frozenset.intersection(*found)
        if broken:
            self._in_a_row = set()
        return broken
