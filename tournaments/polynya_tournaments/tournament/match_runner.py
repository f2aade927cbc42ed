"""Runs matches: knows which bots are free, and takes each attempt from start to record.

Tournaments and the ladder share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Protocol

import trio

from polynya_common.errors import TournamentError, WritingEndedError
from polynya_common.reasons import Cause, Reason
from polynya_common.text import shortened
from polynya_protocol.errors import printable
from polynya_server import ConnectedBot, ServerStoppingError
from polynya_server.changes import Changes
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, StoreJournal
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter

MOST_GAMES = 5
"""Maximum number of a bot's games that a sentence names."""


Play = Callable[[Sequence[MatchSetup]], Awaitable[Sequence[MatchRecord | None]]]
"""Plays matches to their ends; returns their records in the same order, which the journal has kept.
None stands for an aborted match, which the journal marks void."""


class Field(Protocol):
    """The bots that may play."""

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The connected bots, by name."""

    async def changed(self, since: int | None = None) -> int:
        """Wait until bots came, went or became free: see :class:`~polynya_server.Server`."""


class MatchServer(Field, Protocol):
    """A field whose server also plays matches."""

    async def play(self, setup: MatchSetup) -> MatchRecord:
        """Play one match to its end; the record is in the journal."""


class MatchRunner:
    """Runs the matches of one tournament or ladder, and knows which bots are free.

    Args:
        field: the bots.
        journal: records them.
        reporter: receives problems.
        switch: pauses it.
        on_change: called with the names of bots that the runner has made busy or free.

    Attributes:
        matches: number of matches in play or being recorded.
        ending: number of these that are over and being recorded.
    """

    def __init__(
        self,
        field: Field,
        journal: StoreJournal,
        reporter: Reporter,
        switch: PauseSwitch | None = None,
        on_change: Callable[[Iterable[str]], None] = lambda _names: None,
    ) -> None:
        self.matches = 0
        self.ending = 0
        self._on_change = on_change
        self._switch = switch or PauseSwitch()
        self._field = field
        self._journal = journal
        self._reporter = reporter
        self._busy: Counter[str] = Counter()
        self._ending: Counter[str] = Counter()
        self._resting: Counter[str] = Counter()
        self._changes = Changes()
        self._seen = self._changes.version

    def notify(self) -> None:
        """Wake ``wait``."""
        self._changes.notify()

    async def wait(self) -> None:
        """Wait for a notification since the last return."""
        self._seen = await self._changes.wait(self._seen)

    async def watch(self) -> None:
        """Notify whenever bots come, go or become free, or at a pause; until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow, self._switch.changed)
            await self._follow(self._field.changed)

    async def _follow(self, changed: Callable[[int | None], Awaitable[int]]) -> None:
        version = None
        while True:
            self.notify()  # at first for changes before this task began to wait
            version = await changed(version)

    @property
    def paused(self) -> bool:
        """Whether a pause keeps matches from beginning."""
        return self._switch.paused

    def free(self, game: str) -> set[str]:
        """The names of the connected bots that may begin one more match of ``game``."""
        if self._switch.paused:
            return set()
        return {name for name, bot in self._field.connected.items() if self.has_room(bot, game)}

    def is_free(self, name: str, game: str) -> bool:
        """Whether a bot is among those of :meth:`free`."""
        bot = self._field.connected.get(name)
        return bot is not None and not self._switch.paused and self.has_room(bot, game)

    def has_room(self, bot: ConnectedBot, game: str) -> bool:
        """Whether a connected bot may begin one more match of ``game``, ignoring pauses."""
        if self._resting[bot.name]:
            return False
        # It may also play elsewhere: against a person, in a match that is not scheduled here.
        taken = max(self._busy[bot.name], bot.in_play) - self._ending[bot.name]
        return plays(bot, game) and taken < bot.concurrency

    def in_play(self, name: str) -> int:
        """Number of a bot's matches here, without those being recorded."""
        return self._busy[name] - self._ending[name]

    def is_busy(self, name: str) -> bool:
        """Whether a bot is in a match or rests: it will be free again."""
        return self._busy[name] > 0 or self._resting[name] > 0

    def reserve(self, players: Sequence[str]) -> None:
        """Reserve bots for a match that is about to begin."""
        self.matches += 1
        self._busy.update(players)
        self._on_change(players)

    def played(self, players: Sequence[str]) -> None:
        """Free the bots of a played match while it is being recorded.

        Its next match waits until the server has told it this match's result.
        """
        self.ending += 1
        self._ending.update(players)

    def release(self, players: Sequence[str], *, ending: bool = False) -> None:
        """Release the bots of an ended match; ``ending`` if it was ``played`` before."""
        self.matches -= 1
        uncount(self._busy, players)
        if ending:
            self.ending -= 1
            uncount(self._ending, players)
        self._on_change(players)
        self.notify()

    def cool_down(self, players: Sequence[str], seconds: float, nursery: trio.Nursery) -> None:
        """Rest bots for some seconds, in the nursery of the matches."""
        if seconds > 0:
            self._resting.update(players)
            self._on_change(players)
            nursery.start_soon(self._end_cool_down, players, seconds)

    async def _end_cool_down(self, players: Sequence[str], seconds: float) -> None:
        await trio.sleep(seconds)
        uncount(self._resting, players)
        self._on_change(players)
        self.notify()

    async def begin(self, attempt: Attempt) -> MatchSetup | None:
        """Record an attempt before it is played; None if the journal has ended."""
        try:
            return await self._journal.begin(attempt)
        except WritingEndedError:
            return None

    async def play(self, setups: Sequence[MatchSetup], play: Play) -> Sequence[MatchRecord | None]:
        """Play matches that are recorded as begun; None for a match that a server error aborted."""
        try:
            records = await play(setups)
        except TournamentError:
            raise
        except ServerStoppingError as error:
            await self._void(setups, str(error))
        except Exception as error:  # a failed match must not end the others
            why = Reason.of("server_error_broke_off", error=printable(repr(error)))
            for setup in setups:
                self._reporter.warning(f"match {setup.match}: {why}")
            await self._void(setups, why)
        else:
            for record in records:
                if record is not None and record.server_fault:
                    match = record.setup.match
                    self._reporter.warning(f"match {match} does not count: {record.detail}")
            return records
        return [None] * len(setups)

    async def void_if_taken(self, setup: MatchSetup) -> bool:
        """Void a match whose bot was taken elsewhere while it was recorded."""
        taken = self._taken_meanwhile(setup.players)
        if taken is not None:
            await self._void([setup], Reason.of("in_another_match", bots=taken))
        return taken is not None

    async def _void(self, setups: Sequence[MatchSetup], why: Cause) -> None:
        for setup in setups:
            await self._journal.void(setup.match, why)

    def _taken_meanwhile(self, players: Sequence[str]) -> str | None:
        """Find the first bot without room for one more match, because it plays elsewhere."""
        for name in players:
            bot = self._field.connected.get(name)
            if bot is not None and bot.in_play >= bot.concurrency:
                return name
        return None


def played_by(server: MatchServer) -> Play:
    """Plays matches on a server, one after another."""

    async def play(setups: Sequence[MatchSetup]) -> Sequence[MatchRecord]:
        return [await server.play(setup) for setup in setups]

    return play


def uncount(counts: Counter[str], names: Iterable[str]) -> None:
    """Decrement each name's count; drop names at 0."""
    for name in names:
        counts[name] -= 1
        if not counts[name]:
            del counts[name]


def plays(bot: ConnectedBot, game: str) -> bool:
    """Whether a bot plays a game, by its hello."""
    return bot.games is None or game in bot.games


def declared_games(bot: ConnectedBot) -> str:
    """The games in a bot's hello, as words cleaned for display."""
    names = [printable(name, 32) for name in sorted(bot.games or ())]
    return shortened(names, MOST_GAMES) if names else "no game"
