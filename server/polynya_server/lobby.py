"""Who is there: the bots by name, and a call for those who wait for one to come or become free."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import trio

from polynya_protocol.messages import Error, Software
from polynya_server.services import Services
from polynya_server.session import Session

REMEMBERED_BOTS = 1000
"""Of how many bots that are gone it is known which matches they had, in case they come back."""


class ConnectedBot(Protocol):
    """A bot that is connected, as it is now."""

    @property
    def name(self) -> str:
        """The name in force."""

    @property
    def games(self) -> frozenset[str] | None:
        """The games that it plays, None for any."""

    @property
    def concurrency(self) -> int:
        """How many matches it plays at the same time."""

    @property
    def in_play(self) -> int:
        """How many it plays now."""

    @property
    def connection(self) -> object:
        """What it is connected by: another one when it has connected again."""

    @property
    def software(self) -> Software | None:
        """What it says it runs."""


class Lobby:
    """The sessions of all bots that are connected or in a match.

    Attributes:
        sessions: those by name.
        version: grows with every change that somebody could wait for.
    """

    def __init__(self, services: Services) -> None:
        self.sessions: dict[str, Session] = {}
        self.version = 0
        self._services = services
        self._gone: dict[str, deque[str]] = {}  # by name the matches that are over, oldest first
        self._waiting = trio.lowlevel.ParkingLot()

    def session(self, name: str) -> Session:
        """The session of the bot ``name``, a new one if it has none."""
        session = self.sessions.get(name)
        if session is None:
            session = Session(self._services, name, self.settle)
            session.over = self._gone.pop(name, None)
            self.sessions[name] = session
        return session

    def is_in_play(self, name: str | None) -> bool:
        """Whether the bot of this name has a match that goes on."""
        session = None if name is None else self.sessions.get(name)
        return session is not None and bool(session.seats)

    def send_away(self, name: str, sentence: str) -> None:
        """End the connection of the bot of this name, if it has one, and tell it why."""
        session = self.sessions.get(name)
        connection = None if session is None else session.connection
        if session is not None and connection is not None:
            session.on_lost(connection, sentence)
            connection.finish(Error(code="unauthorized", message=sentence, fatal=True))

    def settle(self, session: Session) -> None:
        """A session has changed: forget it if nothing holds it, and tell those who wait."""
        if session.connection is None and not session.seats:
            if self.sessions.get(session.name) is session:
                self._forget(session)
            session.close()
        self.announce()

    def _forget(self, session: Session) -> None:
        del self.sessions[session.name]
        if session.over:
            self._gone[session.name] = session.over
            if len(self._gone) > REMEMBERED_BOTS:
                del self._gone[next(iter(self._gone))]

    def announce(self) -> None:
        """Something has changed."""
        self.version += 1
        if self._waiting:
            self._waiting.unpark_all()

    async def changed(self, since: int | None = None) -> int:
        """Wait until the version is no longer ``since`` (None: the present one), and return it."""
        if since is None:
            since = self.version
        await trio.lowlevel.checkpoint_if_cancelled()
        while self.version == since:
            await self._waiting.park()
        return self.version


class ConnectedBots(Mapping[str, ConnectedBot]):
    """A live view of the bots that are connected, of those that ``counts`` is true for."""

    def __init__(self, sessions: Mapping[str, Session], counts: Callable[[str], bool]) -> None:
        self._sessions = sessions
        self._counts = counts

    def __getitem__(self, name: str) -> ConnectedBot:
        session = self._sessions[name]
        if session.connection is None or not self._counts(name):
            raise KeyError(name)
        return session

    def __iter__(self) -> Iterator[str]:
        return (
            name
            for name, bot in self._sessions.items()
            if bot.connection is not None and self._counts(name)
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)
