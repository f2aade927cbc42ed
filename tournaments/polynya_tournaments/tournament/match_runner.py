"""Matches in play: which bots are free, and each attempt from its start to its record."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import trio

from polynya_server import ConnectedBot, ServerStoppingError
from polynya_server.records.replay import MatchRecord, MatchSetup
from polynya_tournaments.errors import TournamentError
from polynya_tournaments.store import Attempt, StoreJournal
from polynya_tournaments.text import printable
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter


class Referee(Protocol):
    """What playing a match needs of the server."""

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The bots that are there, by name."""

    async def changed(self) -> object:
        """Return when bots came, went or became free."""

    async def play(self, setup: MatchSetup) -> MatchRecord:
        """Play one match to its end; the record is in the journal."""


class MatchRunner:
    """The matches that one tournament or ladder has in play.

    Attributes:
        matches: how many there are.
    """

    def __init__(
        self,
        referee: Referee,
        journal: StoreJournal,
        reporter: Reporter,
        switch: PauseSwitch | None = None,
    ) -> None:
        self.matches = 0
        self._switch = switch or PauseSwitch()
        self._referee = referee
        self._journal = journal
        self._reporter = reporter
        self._busy: Counter[str] = Counter()
        self._resting: Counter[str] = Counter()
        self._wake_sender, self._wake = trio.open_memory_channel[None](1)

    def wake(self) -> None:
        """Let ``wait`` return."""
        # Where a call is waiting already, it does for this one too.
        with contextlib.suppress(trio.WouldBlock):
            self._wake_sender.send_nowait(None)

    async def wait(self) -> None:
        """Return when something may have become possible since ``wait`` last returned."""
        await self._wake.receive()

    async def watch(self) -> None:
        """Wake whenever bots come, go or become free, or the switch is turned; until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._wake_at, self._switch.changed)
            await self._wake_at(self._referee.changed)

    async def _wake_at(self, changed: Callable[[], Awaitable[object]]) -> None:
        while True:
            self.wake()  # first of all for what has changed before this task began to wait
            await changed()

    @property
    def paused(self) -> bool:
        """Whether no matches are begun."""
        return self._switch.paused

    def free(self, game: str) -> set[str]:
        """The names of the connected bots that may begin one more match of ``game``."""
        if self._switch.paused:
            return set()
        return {name for name, bot in self._referee.connected.items() if self._takes(bot, game)}

    def _takes(self, bot: ConnectedBot, game: str) -> bool:
        if self._resting[bot.name]:
            return False
        # It may play elsewhere too: against a person, who is not paired here.
        taken = max(self._busy[bot.name], bot.in_play)
        return _plays(bot, game) and taken < bot.concurrency

    def unwilling(self, game: str) -> set[str]:
        """The names of the connected bots whose hello names other games, but not this one."""
        return {name for name, bot in self._referee.connected.items() if not _plays(bot, game)}

    def in_play(self, name: str) -> int:
        """How many matches a bot has here."""
        return self._busy[name]

    def busy(self) -> set[str]:
        """The names of the bots that are in a match or rest: they will be free again."""
        return {name for name, matches in (self._busy + self._resting).items() if matches}

    def busy_with(self, name: str) -> int:
        """How many matches the bot is in."""
        return self._busy[name]

    def reserve(self, players: Sequence[str]) -> None:
        """A match of these bots is about to begin."""
        self.matches += 1
        self._busy.update(players)

    def release(self, players: Sequence[str]) -> None:
        """It has ended."""
        self.matches -= 1
        self._busy.subtract(players)
        self.wake()

    def rest(self, players: Sequence[str], seconds: float, nursery: trio.Nursery) -> None:
        """These bots are not free for so long; the nursery is that of the caller's matches."""
        if seconds > 0:
            self._resting.update(players)
            nursery.start_soon(self._end_rest, players, seconds)

    async def _end_rest(self, players: Sequence[str], seconds: float) -> None:
        await trio.sleep(seconds)
        self._resting.subtract(players)
        self.wake()

    async def play(self, attempt: Attempt, *, may_wait: bool = True) -> MatchRecord | None:
        """Begin a match in the journal and play it; None when it was broken off.

        That is for an error of ours or, where it may not wait, because one of its bots began a
        match elsewhere while the journal was written.
        """
        setup = await self._journal.begin(attempt)
        if not may_wait and (taken := self._taken_meanwhile(setup.players)) is not None:
            await self._journal.void(setup.match, f"{taken} was in another match by then")
            return None
        try:
            record = await self._referee.play(setup)
        except TournamentError:
            raise
        except ServerStoppingError as error:
            await self._journal.void(setup.match, str(error))
        except Exception as error:  # one match must not end the others
            why = f"an error of the server broke it off: {printable(repr(error))}"
            self._reporter.warning(f"match {setup.match}: {why}")
            await self._journal.void(setup.match, why)
        else:
            if record.server_fault:
                self._reporter.warning(f"match {setup.match} does not count: {record.detail}")
            return record
        return None

    def _taken_meanwhile(self, players: Sequence[str]) -> str | None:
        """The first bot that plays elsewhere now: how long it will, nobody knows."""
        for name in players:
            bot = self._referee.connected.get(name)
            if bot is not None and bot.in_play >= bot.concurrency:
                return name
        return None


def _plays(bot: ConnectedBot, game: str) -> bool:
    return bot.games is None or game in bot.games


def not_ready(record: MatchRecord) -> set[str]:
    """The bots that were not ready for a match."""
    return {
        record.setup.players[forfeit.seat]
        for forfeit in record.forfeits
        if forfeit.reason == "not_ready"
    }


class NotReadyCounter:
    """Counts how often in a row bots were not ready, to find those that are not worth asking."""

    MOST = 3

    def __init__(self) -> None:
        self._in_a_row: Counter[str] = Counter()

    def gave_up_on(self, record: MatchRecord) -> list[str]:
        """The bots that were not ready for this match and for the two before it."""
        missing = not_ready(record)
        for name in record.setup.players:
            self._in_a_row[name] = self._in_a_row[name] + 1 if name in missing else 0
        return [name for name in sorted(missing) if self._in_a_row[name] >= self.MOST]
