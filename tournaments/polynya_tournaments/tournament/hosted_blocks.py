"""Plays a tournament's blocks on its own server, and runs the processes of their hosted bots.

A bot's process is kept for the next block, or each match has fresh ones, as the description says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

import trio

from polynya_common.reasons import Cause
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.bots.supervisor import (
    HostedBot,
    Restarts,
    possible_at_once,
    processes_of,
    version_of,
)
from polynya_protocol.messages import Software
from polynya_server import ConnectedBot, Server
from polynya_server.records import MatchRecord, MatchSetup
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_tournaments.cancellation import cancelled_by
from polynya_tournaments.tournament.match_runner import Field, plays

_LEAVE_S = 1.0
"""How long a bot may take to exit after the goodbye, before it gets SIGTERM."""


class OpenBlock(Protocol):
    """A block whose matches are being played."""

    async def ready(self, players: Sequence[str], number: int) -> bool:
        """Wait until the next match can begin; False if a bot cannot play, or all is to end.

        Args:
            players: of that match, by seat.
            number: of that match in the schedule.
        """

    async def play(self, setups: Sequence[MatchSetup]) -> Sequence[MatchRecord | None]:
        """Play matches that are recorded as begun: see ``match_runner.Play``."""


class Blocks(Protocol):
    """Opens the blocks of a tournament.

    Attributes:
        whole: whether all matches of a block begin together; else one after another.
    """

    @property
    def whole(self) -> bool:
        """See the class."""

    def open(self, players: Sequence[str]) -> AbstractAsyncContextManager[OpenBlock]:
        """Open a block for playing its matches until the context exits."""

    async def starts(self, name: str, setup: MatchSetup) -> bool:
        """Start a hosted bot without a match, and return whether it connects.

        Args:
            name: the bot's.
            setup: one of its matches; it is not played.
        """


class BlockPlayers(Field, Blocks, Protocol):
    """The bots of a tournament, and the machinery that plays its blocks."""

    def at_once(self) -> int | None:
        """Number of blocks played at the same time; None: as the description says."""

    def let_leave(self) -> None:
        """Expect bots to end from now on: the tournament is over."""


BotSeed = Callable[[str, int | None], int]
"""See :meth:`polynya_contest.secret.Secret.bot_seed`."""


@dataclass(frozen=True, slots=True)
class HostedRun:
    """One run of a tournament, as the starters of its bots see it.

    Attributes:
        configuration: of the tournament.
        bots: the bots to start.
        bot_seed: gives a bot's ``POLYNYA_SEED``, by its name and the number of the match that a
            process is started for, None if it plays many.
        warn: called with sentences about incidents with the bots.
        give_up: called with the name of a bot that is not restarted, and a sentence.
        stop: set when the run is to end.
        grace_s: how long blocks may still take then.
        on_ended: called with the name of a bot whose process ended by itself, and how.
    """

    configuration: TournamentConfiguration
    bots: Sequence[BotConfiguration]
    bot_seed: BotSeed
    warn: Callable[[str], None]
    give_up: Callable[[str, Cause], None]
    stop: trio.Event = field(default_factory=trio.Event)
    grace_s: float = 0.0
    on_ended: Callable[[str, Cause], None] = lambda *_: None


@dataclass(frozen=True, slots=True)
class IdleBot:
    """A hosted bot as the scheduler sees it: present whenever a process of it can be started."""

    name: str
    concurrency: int
    games: frozenset[str] | None = None
    in_play: int = 0
    software: Software | None = None
    connection: object = None


@dataclass(eq=False, slots=True)
class _Running:
    """A bot's process and its supervising task; ``failed`` is set when that gives up."""

    bot: HostedBot
    failed: trio.Event
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    ended: trio.Event = field(default_factory=trio.Event)


class HostedBlocks:
    """The field of a tournament; opens its blocks on a server in this process.

    Args:
        run: the tournament, and the bots that are started here.
        others: the field with the bots from outside.
        server: plays the matches.
        hosting: the same server, as the bots' processes see it.
        nursery: for the bots' processes: they outlive a block that ends by an error, so that its
            matches are aborted first.
        keep_logs: whether the bots' output is written to files.
        pinned: see :class:`~polynya_hosting.bots.supervisor.HostedBot`.
    """

    whole = False

    def __init__(
        self,
        run: HostedRun,
        others: Field,
        server: Server,
        hosting: HostServer,
        nursery: trio.Nursery,
        *,
        keep_logs: bool,
        pinned: bool = True,
    ) -> None:
        self._run = run
        self._configuration = configuration = run.configuration
        self._bots = {bot.name: bot for bot in run.bots}
        self._others = others
        self._server = server
        self._hosting = hosting
        self._nursery = nursery
        self._keep_logs = keep_logs
        self._pinned = pinned
        self._restarts = {name: Restarts(configuration.restarts) for name in self._bots}
        self._most = dict.fromkeys(self._bots, processes_of(configuration))
        self._at_once = possible_at_once(configuration)
        self._games: dict[str, frozenset[str] | None] = {}
        self._running: set[_Running] = set()
        self._kept: dict[tuple[str, int], _Running] = {}
        self._taken: defaultdict[str, set[int]] = defaultdict(set)
        self._tokens = {
            (name, number): new_token()
            for name, most in self._most.items()
            for number in range(1, most + 1)
        }
        for (name, number), token in self._tokens.items():
            hosting.admit(name, hash_token(token), number, version_of(self._bots[name]))

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The bots that may play, by name; bots that are started here count as connected.

        A bot that has not connected yet is tried with one process.
        """
        present = self._others.connected
        self._games |= {name: bot.games for name, bot in present.items() if name in self._bots}
        idle = {
            name: IdleBot(name, most if name in self._games else 1, self._games.get(name))
            for name, most in self._most.items()
        }
        return {**present, **idle}

    async def changed(self, since: int | None = None) -> int:
        """See :class:`~polynya_tournaments.tournament.match_runner.MatchServer`."""
        return await self._others.changed(since)

    @asynccontextmanager
    async def open(self, players: Sequence[str]) -> AsyncIterator[OpenBlock]:
        """See :class:`Blocks`."""
        with self._numbered(players) as numbers:
            opened = _HostedBlock(self, players, numbers)
            yield opened
            await opened.leave()

    async def starts(self, name: str, setup: MatchSetup) -> bool:
        """See :class:`Blocks`."""
        async with self.open([name]) as opened:
            return await opened.ready(setup.players, number_of(setup.match))

    def at_once(self) -> int | None:
        """See :class:`BlockPlayers`."""
        return self._at_once

    def let_leave(self) -> None:
        """Expect bots to end from now on: the server will say goodbye."""
        for one in self._running:
            one.bot.may_leave = True

    async def end_kept(self) -> None:
        """End the processes that are kept for further blocks."""
        kept = [one for one in self._kept.values() if not one.ended.is_set()]
        self._kept.clear()
        await self.end(kept)

    @contextmanager
    def _numbered(self, players: Sequence[str]) -> Iterator[dict[str, int]]:
        """Assign each hosted bot a process number: the smallest that it does not use."""
        numbers: dict[str, int] = {}
        for name in players:
            if name in self._bots:
                numbers[name] = next(n for n in count(1) if n not in self._taken[name])
                self._taken[name].add(numbers[name])
        try:
            yield numbers
        finally:
            for name, number in numbers.items():
                self._taken[name].remove(number)

    # What an open block asks

    @property
    def fresh(self) -> bool:
        """Whether each match has processes of its own."""
        return self._configuration.fresh_processes

    def start(self, name: str, number: int, match: int, failed: trio.Event) -> _Running:
        """A process that an earlier block has left, or a new one.

        Args:
            name: the bot's.
            number: of the process.
            match: the number of the match that it is for.
            failed: set when the bot gives up.
        """
        return self._take_up(name, number, failed) or self._start(name, number, match, failed)

    def keep(self, running: Sequence[_Running]) -> None:
        """Keep processes for the next block."""
        self._kept |= {(one.bot.name, one.bot.number): one for one in running}

    async def can_play(
        self, players: Sequence[str], numbers: Mapping[str, int], failed: trio.Event
    ) -> bool:
        """Wait until the processes are connected; False if a bot cannot play, or all is to end."""
        connected = await self._first_of(lambda: self._all_connected(numbers), failed.wait)
        return connected and self._willing(players)

    async def play(
        self, setups: Sequence[MatchSetup], numbers: Mapping[str, int]
    ) -> Sequence[MatchRecord]:
        """Play matches with these processes, one after another."""
        return [await self._server.play(setup, instances=numbers) for setup in setups]

    # Processes

    def _take_up(self, name: str, number: int, failed: trio.Event) -> _Running | None:
        """Reuse a process left by an earlier block; None if there is none."""
        kept = self._kept.pop((name, number), None)
        if kept is None or kept.ended.is_set():
            return None
        kept.failed = failed
        return kept

    def _start(self, name: str, number: int, match: int, failed: trio.Event) -> _Running:
        bot = HostedBot(
            self._bots[name],
            self._configuration,
            number=number,
            token=self._tokens[name, number],
            seed=self._run.bot_seed(name, match if self.fresh else None),
            restarts=self._restarts[name],
            keep_log=self._keep_logs,
            pinned=self._pinned,
        )
        running = _Running(bot, failed)
        self._nursery.start_soon(self._keep, running)
        return running

    async def _keep(self, running: _Running) -> None:
        bot = running.bot

        def give_up(name: str, why: Cause) -> None:
            if bot.number > 1 and not bot.was_connected:
                self._most[name] = min(self._most[name], bot.number - 1)
                self._run.warn(f"{why}; {name} plays on with {_processes(self._most[name])}")
            else:
                self._run.give_up(name, why)
            running.failed.set()

        self._running.add(running)
        try:
            with running.scope:
                await bot.run(self._hosting, self._run.warn, give_up, on_ended=self._run.on_ended)
        finally:
            self._running.remove(running)
            running.ended.set()

    async def _first_of(
        self, connected: Callable[[], Awaitable[None]], failed: Callable[[], Awaitable[None]]
    ) -> bool:
        """Wait until all are connected; False if one fails, or the tournament ends first."""
        async with cancelled_by(failed, self._run.stop.wait):
            await connected()
            return True
        return False

    async def _all_connected(self, numbers: Mapping[str, int]) -> None:
        while True:
            version = self._server.version
            if all(self._hosting.is_connected(name, n) for name, n in numbers.items()):
                return
            await self._server.changed(version)

    def _willing(self, players: Sequence[str]) -> bool:
        connected = self.connected
        game = self._configuration.game
        return all(name in connected and plays(connected[name], game) for name in players)

    async def count_crashes(self, running: Sequence[_Running]) -> None:
        """Wait until the end of a bot that ended in its last match is counted."""
        with trio.move_on_after(_LEAVE_S):
            for one in running:
                if not self._hosting.is_connected(one.bot.name, one.bot.number):
                    await one.bot.end_counted.wait()

    async def end(self, running: Sequence[_Running]) -> None:
        """Say goodbye to the processes, and return when they are gone."""
        for one in running:
            one.bot.may_leave = True
            self._server.dismiss(one.bot.name, one.bot.number)
        with trio.move_on_after(_LEAVE_S):
            for one in running:
                await one.ended.wait()
        for one in running:
            one.scope.cancel()
        for one in running:
            await one.ended.wait()
            self._server.dismiss(one.bot.name, one.bot.number)  # it may have reconnected meanwhile


class _HostedBlock:
    """Implements :class:`OpenBlock` on a server: has the processes of the match in play."""

    def __init__(
        self,
        blocks: HostedBlocks,
        players: Sequence[str],
        numbers: Mapping[str, int],
    ) -> None:
        self._blocks = blocks
        self._players = players
        self._numbers = numbers
        self._failed = trio.Event()
        self._running: list[_Running] = []
        self._has_played = False

    async def ready(self, players: Sequence[str], number: int) -> bool:
        """See :class:`OpenBlock`; a bot that has crashed is waited for, too."""
        if self._has_played and self._blocks.fresh:
            await self.leave()
        if not self._running:
            self._running = [
                self._blocks.start(name, process, number, self._failed)
                for name in players
                if (process := self._numbers.get(name)) is not None
            ]
        return await self._blocks.can_play(self._players, self._numbers, self._failed)

    async def play(self, setups: Sequence[MatchSetup]) -> Sequence[MatchRecord | None]:
        """See :class:`OpenBlock`."""
        self._has_played = True
        return await self._blocks.play(setups, self._numbers)

    async def leave(self) -> None:
        """End the processes, or keep them for another block."""
        running, self._running = self._running, []
        has_played, self._has_played = self._has_played, False
        if has_played:
            await self._blocks.count_crashes(running)
        if has_played and not self._blocks.fresh:
            self._blocks.keep(running)
        else:
            await self._blocks.end(running)


def number_of(match: str) -> int:
    """The number of a tournament's match in the schedule, from an id like ``NAME-7.2``."""
    return int(match.rpartition("-")[2].partition(".")[0])


def _processes(number: int) -> str:
    return "one process" if number == 1 else f"{number} processes"
