"""Slot time: a bot that thinks for long rests as long, so that others wait for it half the time.

A match lasts as long as both bots think, so a bot that thinks to the end of its clock holds its
opponent. After such a match it rests for the time that it thought beyond the usual duration of a
match. It also has one match at a time, until it has played one without such a rest. Where all bots
think for long, that is the usual duration, and none of them rests.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from statistics import median_low

from polynya_server.records import MatchRecord

REMEMBERED = 31
"""The usual duration is the median of this number of last matches."""

LONGEST_REST_S = 600.0


class SlotTime:
    """Knows which bots of a ladder hold others, and for how long they rest.

    Args:
        now: seconds on a monotonic clock.

    Attributes:
        slow: bots that thought for long in their last match.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.slow: set[str] = set()
        self._now = now
        self._durations_s: deque[float] = deque(maxlen=REMEMBERED)
        self._rests_until_s: dict[str, float] = {}
        self._held = Counter[str]()

    def begins(self, players: Iterable[str]) -> list[str]:
        """Count a match that begins: those that a slow bot may hold, for ``ends``."""
        names = list(players)
        held = names if self.slow.intersection(names) else []
        self._held.update(held)
        return held

    def ends(self, held: Iterable[str]) -> None:
        """Count the end of a match."""
        self._held.subtract(held)

    def is_late(self, name: str) -> bool:
        """Whether a bot that is busy may be so for long."""
        return name in self.slow or self._held[name] > 0

    def rests(self, record: MatchRecord) -> Mapping[str, float]:
        """Count a match that was played; the seconds from now that its bots rest.

        Rests for matches that a bot played at the same time follow each other.
        """
        duration_s = (record.finished_ms - record.started_ms) / 1000
        self._durations_s.append(duration_s)
        usual_s = median_low(self._durations_s)
        beyond = self._beyond(record, usual_s) if duration_s > usual_s else {}
        self.slow.difference_update(record.setup.players)
        self.slow.update(beyond)
        now = self._now()
        found = {}
        for name, seconds in beyond.items():
            until_s = max(now, self._rests_until_s.get(name, now)) + seconds
            self._rests_until_s[name] = min(until_s, now + LONGEST_REST_S)
            found[name] = self._rests_until_s[name] - now
        return found

    def _beyond(self, record: MatchRecord, usual_s: float) -> dict[str, float]:
        """Seconds that bots thought beyond the usual duration of a whole match."""
        thought_ms = Counter[int]()
        for event in record.events:
            thought_ms[event.seat] += event.charged_ms or 0
        return {
            record.setup.players[seat]: charged_ms / 1000 - usual_s
            for seat, charged_ms in thought_ms.items()
            if charged_ms / 1000 > usual_s
        }
