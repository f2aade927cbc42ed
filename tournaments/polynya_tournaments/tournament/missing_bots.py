"""Tracks the bots that miss matches of a tournament: which, since when, and why."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import trio

from polynya_common.reasons import Cause, Reason
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.standings import ABSENT
from polynya_store import OpenPairing
from polynya_tournaments.tournament.match_runner import (
    Field,
    declared_games,
    plays,
    uncount,
)
from polynya_tournaments.tournament.progress_events import Reporter

Missed = dict[Cause, list[tuple[OpenPairing, dict[str, str]]]]
"""By sentence the missed pairings, each with the bots that miss it and the reason."""


class AbsenceClock:
    """Counts how long bots were away while matches waited for them.

    When a bot comes back its count pauses, and is reset only by a match played: so coming and going
    holds a tournament up no longer than staying away. A bot over the limit is absent as long as it
    is away; no further match waits for it.

    Args:
        limit_s: a bot is absent after this many seconds.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._waited_s: defaultdict[str, float] = defaultdict(float)
        self._away: set[str] = set()
        self._noted_s = 0.0

    def note(self, now_s: float, away: Iterable[str]) -> None:
        """Count from now on these bots, and no others, as away while matches wait for them.

        Args:
            now_s: the time by a monotonic clock.
            away: their names; none while the tournament does not play.
        """
        for name in self._away:
            self._waited_s[name] += now_s - self._noted_s
        self._away, self._noted_s = set(away), now_s

    def played(self, names: Iterable[str]) -> None:
        """Reset the counts of bots that have played a match to its end."""
        for name in names:
            self._waited_s.pop(name, None)

    @property
    def absent(self) -> set[str]:
        """The bots that are away and over the limit."""
        return {name for name in self._away if self._waited_s[name] >= self._limit_s}

    @property
    def next_s(self) -> float:
        """Seconds until the next bot is absent; infinity if none is foreseen."""
        left = (self._limit_s - self._waited_s[name] for name in self._away - self.absent)
        return min(left, default=math.inf)


class OpenPairings:
    """The pairings of a tournament that wait to be played, and the bots that they need.

    Args:
        rows: in the order of the schedule.

    Attributes:
        needed: number of pairings by bot; bots without any are omitted.
    """

    def __init__(self, rows: Iterable[OpenPairing] = ()) -> None:
        self._rows = list(rows)
        self.needed = Counter(name for row in self._rows for name in row.pairing.players)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[OpenPairing]:
        """Iterate in the order of the schedule; changes during the iteration are safe."""
        return iter(self._rows.copy())

    def first(self, count: int) -> list[OpenPairing]:
        """The next pairings, at most ``count``."""
        return self._rows[:count]

    def __contains__(self, row: object) -> bool:
        """Whether a pairing waits."""
        return isinstance(row, OpenPairing) and self._at(self._place(row), row)

    def of_block(self, row: OpenPairing) -> list[OpenPairing]:
        """A waiting pairing and the others of its block, which are adjacent."""
        first = last = self._place(row)
        while first > 0 and self._rows[first - 1].pairing.block == row.pairing.block:
            first -= 1
        while last < len(self._rows) and self._rows[last].pairing.block == row.pairing.block:
            last += 1
        return self._rows[first:last]

    def _place(self, row: OpenPairing) -> int:
        return bisect_left(self._rows, row.pairing.number, key=_number)

    def _at(self, place: int, row: OpenPairing) -> bool:
        return self._rows[place : place + 1] == [row]

    def add(self, row: OpenPairing) -> None:
        """Add a pairing at its place in the schedule."""
        insort(self._rows, row, key=_number)
        self.needed.update(row.pairing.players)

    def remove(self, rows: Iterable[OpenPairing]) -> None:
        """Remove pairings; those that do not wait are ignored."""
        for row in rows:
            place = self._place(row)
            if not self._at(place, row):
                continue
            del self._rows[place]
            uncount(self.needed, row.pairing.players)


def _number(row: OpenPairing) -> int:
    return row.pairing.number


class MissingBots:
    """Keeps track of the bots that miss their matches, and tells the host.

    A bot misses its matches when it is *set aside* (a hosted bot that is not started again, a bot
    that is never ready), or when it is external and was away for ``absent_after_s``. A bot that
    does not play the game counts as away.

    Only a present bot gets a point for a match that its opponent missed: an external bot must be
    connected, a hosted bot must have played in this run or connected when it was tried.

    Attributes:
        set_aside: why each bot was set aside.
    """

    def __init__(
        self, configuration: TournamentConfiguration, field: Field, reporter: Reporter
    ) -> None:
        self.set_aside: dict[str, Cause] = {}
        self._configuration = configuration
        self._field = field
        self._reporter = reporter
        self._reasons: dict[str, str] = {}
        self._clock = AbsenceClock(configuration.absent_after_s)
        self._external = {bot.name for bot in configuration.bots if bot.external}
        self._came: set[str] = set()
        self._unwilling: set[str] = set()
        self._waiting_for: list[str] = []

    @property
    def next_s(self) -> float:
        """Seconds until the next bot is absent; infinity if none is foreseen."""
        return self._clock.next_s

    def add(self, name: str, why: Cause, reason: str) -> None:
        """Set a bot aside; the first sentence and reason hold."""
        self.set_aside.setdefault(name, why)
        self._reasons.setdefault(name, reason)

    def played(self, names: Iterable[str]) -> None:
        """Note bots that have played a match to its end."""
        self._clock.played(names)
        self.came(names)

    def came(self, names: Iterable[str]) -> None:
        """Note bots that connect when they are started."""
        self._came.update(names)

    def report_unwilling(self, open_: OpenPairings) -> None:
        """Report bots that do not play the game; set hosted ones aside: others may change."""
        unwilling = {name for name in open_.needed if self._is_unwilling(name)}
        for name in sorted(unwilling - self._unwilling):
            why = self._why_unwilling(name)
            if name in self._external:
                self._reporter.warning(f"{why}; its matches wait until it connects with this one")
            else:
                self._reporter.warning(f"{why}; its matches are not played")
                self._reporter.bot_failed(name, self._other_games(name))
                self.add(name, why, ABSENT)
        self._unwilling = unwilling

    def report_waiting(self, open_: OpenPairings) -> None:
        """Report the bots that are not connected, whenever the list changes."""
        absent = [name for name in open_.needed if name not in self._field.connected]
        if absent != self._waiting_for:
            self._reporter.waiting(absent)
            self._waiting_for = absent

    def count_absence(self, open_: OpenPairings, *, paused: bool) -> None:
        """Count the missing external bots of these pairings as away from now on."""
        away = {n for n in open_.needed if n in self._external and not self._is_there(n)}
        self._clock.note(trio.current_time(), () if paused else away)

    def missed(self, open_: OpenPairings, *, others_play: bool) -> Missed:
        """The pairings that can be decided: each of their bots misses them or is present.

        A bot that was set aside misses its matches at once. An external bot may still come, so its
        matches are decided when nothing else is left to be played.
        """
        found: Missed = defaultdict(list)
        for one, gone in self._with_missing(open_, others_play=others_play):
            if all(name in gone or self._has_come(name) for name in one.pairing.players):
                found[self._why(gone)].append((one, gone))
        return found

    def untried(self, open_: OpenPairings, *, others_play: bool) -> dict[str, OpenPairing]:
        """The hosted bots that must be tried before their opponents' absence gives them a point.

        Each comes with a pairing that waits for it.
        """
        return {
            name: one
            for one, gone in self._with_missing(open_, others_play=others_play)
            for name in one.pairing.players
            if name not in gone and not self._has_come(name)
        }

    def _with_missing(
        self, open_: OpenPairings, *, others_play: bool
    ) -> Iterator[tuple[OpenPairing, dict[str, str]]]:
        """The pairings that a bot misses while the others are present, as far as is known."""
        missing = dict(self._reasons)
        if not others_play:
            missing = dict.fromkeys(self._clock.absent, ABSENT) | missing
        for one in open_ if missing else ():
            players = one.pairing.players
            gone = {name: missing[name] for name in players if name in missing}
            if gone and all(name in gone or self._is_there(name) for name in players):
                yield one, gone

    def is_told(self, why: Cause) -> bool:
        """Whether the host was told the reason when the bot was set aside."""
        return why in self.set_aside.values()

    def _why(self, gone: Iterable[str]) -> Cause:
        reasons = [self.set_aside.get(name) or self._why_absent(name) for name in gone]
        if len(reasons) == 1:
            return reasons[0]
        return Reason.of("all_of", reasons=sorted(reasons, key=str))

    def _why_absent(self, name: str) -> Reason:
        if self._is_unwilling(name):
            return self._why_unwilling(name)
        return Reason.of("not_connected", bot=name, seconds=self._configuration.absent_after_s)

    def _why_unwilling(self, name: str) -> Reason:
        games = declared_games(self._field.connected[name])
        return Reason.of("game_not_played", bot=name, game=self._configuration.game, games=games)

    def _other_games(self, name: str) -> Reason:
        games = declared_games(self._field.connected[name])
        return Reason.of("other_games_in_hello", game=self._configuration.game, games=games)

    def _has_come(self, name: str) -> bool:
        return name in self._external or name in self._came

    def _is_there(self, name: str) -> bool:
        bot = self._field.connected.get(name)
        return bot is not None and plays(bot, self._configuration.game)

    def _is_unwilling(self, name: str) -> bool:
        bot = self._field.connected.get(name)
        return bot is not None and not plays(bot, self._configuration.game)
