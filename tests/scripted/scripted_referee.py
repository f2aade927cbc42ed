"""A referee without a server, for tests of its callers: matches end as a script says."""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import trio

from polynya_games import DEFAULT_GAME
from polynya_protocol.messages import Clock, ForfeitReason, NoticeCode, OverReason, Software
from polynya_server import ConnectedBot, Journal
from polynya_server.changes import Changes
from polynya_server.records import ForfeitRecord, MatchRecord, MatchSetup


def setup_of(match: str, *players: str, seed: int = 1, game: str = DEFAULT_GAME) -> MatchSetup:
    """A set-up with these players by seat."""
    clock = Clock(initial_ms=1_000)
    return MatchSetup(match=match, game=game, players=players, clock=clock, seed=seed)


def record_of(
    setup: MatchSetup,
    ranking: list[int] | None,
    *,
    reason: OverReason = "finished",
    forfeits: Mapping[int, ForfeitReason] | None = None,
    server_fault: bool = False,
) -> MatchRecord:
    """The record of a match that ended in this way, without any turns."""
    return MatchRecord(
        setup=setup,
        options={},
        state={},
        software=[Software(name=name, version="1") for name in setup.players],
        server="test",
        started_ms=1,
        finished_ms=2,
        events=[
            ForfeitRecord(turn=1, seat=seat, reason=why, detail="it did")
            for seat, why in (forfeits or {}).items()
        ],
        ranking=ranking,
        scores=[10 - rank for rank in ranking] if ranking is not None else None,
        reason=reason,
        termination="finished" if ranking is not None else None,
        server_fault=server_fault,
    )


@dataclass(slots=True)
class ScriptedBot:
    """A bot that is connected, as the server shows it."""

    name: str
    games: frozenset[str] | None = None
    concurrency: int = 1
    in_play: int = 0
    software: Software | None = None
    connection: object = field(default_factory=object)


Script = Callable[[MatchSetup], MatchRecord]


def first_seat_wins(setup: MatchSetup) -> MatchRecord:
    """A script: the bots are ranked in the order of their seats."""
    return record_of(setup, list(range(1, len(setup.players) + 1)))


class ScriptedReferee:
    """Plays every match at once, to the end that its script gives it.

    Attributes:
        connected: the bots that are there; change it through ``connect`` and ``disconnect``.
        played: the set-ups of all matches so far.
        notices: what bots were told, in this order, as name and code.
        most_at_once: the most matches that were in play at the same time.
    """

    def __init__(
        self, journal: Journal, names: Iterable[str], script: Script = first_seat_wins
    ) -> None:
        self.connected = {name: ScriptedBot(name) for name in names}
        self.played: list[MatchSetup] = []
        self.notices: list[tuple[str, NoticeCode]] = []
        self.most_at_once = 0
        self._held: set[str] = set()
        self._in_play = 0
        self._journal = journal
        self._script = script
        self._changes = Changes()
        self._watchers: list[Callable[[str], None]] = []

    def connect(self, name: str) -> None:
        """A bot comes."""
        self.connected[name] = ScriptedBot(name)
        self._notify(name)

    def disconnect(self, name: str) -> None:
        """A bot goes."""
        del self.connected[name]
        self._notify(name)

    @contextmanager
    def watching_bots(self, changed: Callable[[str], None]) -> Iterator[None]:
        """Call ``changed`` with the name of each bot that comes or goes."""
        self._watchers.append(changed)
        try:
            yield
        finally:
            self._watchers.remove(changed)

    def _notify(self, name: str) -> None:
        for watcher in self._watchers:
            watcher(name)
        self._changes.notify()

    def set_notice(
        self,
        name: str,
        code: NoticeCode,
        message: str,  # noqa: ARG002
        match: str | None = None,  # noqa: ARG002
    ) -> None:
        """Tell a bot something."""
        self._held.add(name)
        self.notices.append((name, code))

    def clear_notice(self, name: str, message: str = "") -> None:  # noqa: ARG002
        """Tell a bot that this no longer holds, if anything did."""
        if name in self._held:
            self._held.remove(name)
            self.notices.append((name, "cleared"))

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._changes.version

    async def changed(self, since: int | None = None) -> int:
        """Wait until ``connect`` or ``disconnect`` is called, or a match ends."""
        return await self._changes.wait(since)

    async def play(self, setup: MatchSetup) -> MatchRecord:
        """One match."""
        self.played.append(setup)
        self._in_play += 1
        self.most_at_once = max(self.most_at_once, self._in_play)
        await trio.lowlevel.checkpoint()
        record = self._script(setup)
        await self._journal.finish(record)
        self._in_play -= 1
        self._changes.notify()
        return record


class ScriptedBlocks:
    """Blocks without processes, whose matches a scripted referee plays.

    Attributes:
        broken: bots that do not come when they are started without a match; ``give_up`` is told.
    """

    whole = False

    def __init__(self, referee: ScriptedReferee) -> None:
        self.broken: set[str] = set()
        self.give_up: Callable[[str], None] = lambda _name: None
        self._referee = referee

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The bots of the referee."""
        return self._referee.connected

    async def changed(self, since: int | None = None) -> int:
        """Wait until the referee's bots came or went."""
        return await self._referee.changed(since)

    def at_once(self) -> None:
        """As many as the description says."""

    def let_leave(self) -> None:
        """It has no processes."""

    async def starts(self, name: str, setup: MatchSetup) -> bool:  # noqa: ARG002
        """Whether a bot is not broken."""
        await trio.lowlevel.checkpoint()
        if name in self.broken:
            self.give_up(name)
        return name not in self.broken

    @asynccontextmanager
    async def open(self, players: Sequence[str]) -> AsyncIterator[ScriptedBlock]:  # noqa: ARG002
        """Plays the matches of a block."""
        yield ScriptedBlock(self._referee)


class ScriptedBlock:
    """One of them."""

    def __init__(self, referee: ScriptedReferee) -> None:
        self._referee = referee

    async def ready(self, players: Sequence[str], number: int) -> bool:  # noqa: ARG002
        """Its bots are always there."""
        return True

    async def play(self, setups: Sequence[MatchSetup]) -> Sequence[MatchRecord]:
        """Play matches, one after another."""
        return [await self._referee.play(setup) for setup in setups]
