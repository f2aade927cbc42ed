"""Keeps the sessions of bots that are connected or in a match, by name, guests included."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from polynya_common.reasons import Cause, Reason
from polynya_protocol.messages import Error, Goodbye, Software
from polynya_server.changes import Changes
from polynya_server.sessions.session import Session
from polynya_server.sessions.tokens import Identity, TokenBook
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay

REMEMBERED_BOTS = 1000
"""Number of departed bots whose finished matches are remembered."""


class ConnectedBot(Protocol):
    """A connected bot, as it is now."""

    @property
    def name(self) -> str:
        """Its current name."""

    @property
    def games(self) -> frozenset[str] | None:
        """The games it plays, None for any."""

    @property
    def concurrency(self) -> int:
        """How many matches it plays at the same time."""

    @property
    def in_play(self) -> int:
        """How many it plays now."""

    @property
    def connection(self) -> object:
        """Its connection: a new object after each reconnection."""

    @property
    def software(self) -> Software | None:
        """Its own name and version."""


class Instances:
    """Presents the sessions of a bot's processes as one bot; each process has one session.

    A bot from outside has one process. The bot's concurrency is the sum over its processes.

    Attributes:
        name: the bot's.
        sessions: by the number of the process.
    """

    __slots__ = ("name", "sessions")

    def __init__(self, name: str) -> None:
        self.name = name
        self.sessions: dict[int, Session] = {}

    @property
    def present(self) -> Session | None:
        """The first session that is connected."""
        for session in self.sessions.values():
            if session.connection is not None:
                return session
        return None

    @property
    def games(self) -> frozenset[str] | None:
        """See :class:`ConnectedBot`."""
        return None if self.present is None else self.present.games

    @property
    def software(self) -> Software | None:
        """See :class:`ConnectedBot`."""
        return None if self.present is None else self.present.software

    @property
    def connection(self) -> object:
        """See :class:`ConnectedBot`."""
        return None if self.present is None else self.present.connection

    @property
    def concurrency(self) -> int:
        """See :class:`ConnectedBot`; a process that is away takes no further matches."""
        return sum(
            session.in_play if session.connection is None else session.concurrency
            for session in self.sessions.values()
        )

    @property
    def in_play(self) -> int:
        """See :class:`ConnectedBot`."""
        return sum(session.in_play for session in self.sessions.values())

    @property
    def is_free(self) -> bool:
        """Whether one of them would take one more match."""
        return any(session.is_free for session in self.sessions.values())

    def roomiest(self) -> Session:
        """The session that takes one more match: connected, and with the most room."""
        return max(
            self.sessions.values(),
            key=lambda one: (
                one.is_free,
                one.connection is not None,
                one.concurrency - one.in_play,
            ),
        )


class BotRegistry:
    """Keeps the sessions of all bots that are connected or in a match.

    Attributes:
        bots: each bot's sessions, by name; most have one, see :class:`Instances`.
        changes: notified when a bot connects, leaves, or becomes free.
        watchers: called with the name of each such bot, and of each bot about to begin a match.
    """

    def __init__(
        self, settings: ServerSettings, deadlines: DeadlineQueue, loop_delay: LoopDelay
    ) -> None:
        self.bots: dict[str, Instances] = {}
        self.changes = Changes()
        self.watchers: list[Callable[[str], None]] = []
        self._settings = settings
        self._deadlines = deadlines
        self._loop_delay = loop_delay
        self._departed: dict[Identity, deque[str]] = {}  # the matches that are over, oldest first

    def session(self, identity: Identity) -> Session:
        """The session of a bot's process, created if it has none."""
        session = self._present(identity)
        if session is None:
            session = Session(
                identity, self._settings, self._deadlines, self._loop_delay, self.discard_if_idle
            )
            session.finished = self._departed.pop(identity, None)
            bot = self.bots.setdefault(identity.name, Instances(identity.name))
            bot.sessions[identity.instance] = session
        return session

    def for_match(self, name: str, instance: int | None = None) -> Session:
        """The session of the bot ``name`` that plays one more match.

        That is the session of the process ``instance``; without it, a session that has room.
        """
        self._tell(name)
        if instance is not None:
            return self.session(Identity(name, instance))
        bot = self.bots.get(name)
        return self.session(Identity(name)) if bot is None else bot.roomiest()

    def is_in_play(self, identity: Identity | None) -> bool:
        """Whether this process of a bot is in a match."""
        session = None if identity is None else self._present(identity)
        return session is not None and bool(session.seats)

    def matches_of(self, identity: Identity) -> list[str]:
        """The ids of the matches that this process of a bot is in."""
        session = self._present(identity)
        return [] if session is None else list(session.seats)

    def is_connected(self, identity: Identity) -> bool:
        """Whether this process of a bot is connected."""
        session = self._present(identity)
        return session is not None and session.connection is not None

    def _present(self, identity: Identity) -> Session | None:
        bot = self.bots.get(identity.name)
        return None if bot is None else bot.sessions.get(identity.instance)

    def disconnect(self, name: str, why: Cause) -> None:
        """Close the connections of the bot of this name, and tell it why."""
        bot = self.bots.get(name)
        for session in [] if bot is None else list(bot.sessions.values()):
            connection = session.connection
            if connection is not None:
                session.on_lost(connection, why)
                connection.finish(Error(code="unauthorized", message=str(why), fatal=True))

    def dismiss(self, identity: Identity) -> None:
        """Say goodbye to a process of a bot, if it is connected: it plays no more."""
        session = self._present(identity)
        connection = None if session is None else session.connection
        if session is not None and connection is not None:
            session.on_lost(connection, Reason.of("server_said_goodbye"))
            connection.finish(Goodbye(reason="finished"))

    def discard_if_idle(self, session: Session) -> None:
        """Handle a session's change: discard it if it is idle, and notify."""
        if session.connection is None and not session.seats:
            self._forget(session)
            session.close()
        self.notify(session.name)

    def notify(self, name: str) -> None:
        """Notify all waiting tasks and watchers that this bot has changed."""
        self._tell(name)
        self.changes.notify()

    def _tell(self, name: str) -> None:
        for watcher in self.watchers:
            watcher(name)

    def _forget(self, session: Session) -> None:
        bot = self.bots.get(session.name)
        if bot is None or bot.sessions.get(session.instance) is not session:
            return
        del bot.sessions[session.instance]
        if not bot.sessions:
            del self.bots[session.name]
        if session.finished:
            self._departed[Identity(session.name, session.instance)] = session.finished
            if len(self._departed) > REMEMBERED_BOTS:
                del self._departed[next(iter(self._departed))]


class ConnectedBots(Mapping[str, ConnectedBot]):
    """A live view of the connected bots for which ``counts`` is true."""

    def __init__(self, bots: Mapping[str, Instances], counts: Callable[[str], bool]) -> None:
        self._bots = bots
        self._counts = counts

    def __getitem__(self, name: str) -> ConnectedBot:
        bot = self._bots[name]
        if bot.present is None or not self._counts(name):
            raise KeyError(name)
        if len(bot.sessions) == 1:
            return bot.present
        return bot

    def __iter__(self) -> Iterator[str]:
        return (
            name
            for name, bot in self._bots.items()
            if bot.present is not None and self._counts(name)
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Guests(Mapping[str, ConnectedBot]):
    """A live view of the connected guests, by name.

    Guests are bots that were invited to matches of their own, such as those that play against a
    person in the browser; no tournament or ladder pairs them. They connect and play like all
    others, under names with tokens that are valid as long as the invitation.

    Attributes:
        others: the connected bots that are not guests.
    """

    def __init__(self, bots: Mapping[str, Instances], tokens: TokenBook) -> None:
        self._invited: set[str] = set()
        self._tokens = tokens
        self._connected = ConnectedBots(bots, self._invited.__contains__)
        self.others = ConnectedBots(bots, lambda name: name not in self._invited)

    def __getitem__(self, name: str) -> ConnectedBot:
        return self._connected[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._connected)

    def __len__(self) -> int:
        return len(self._connected)

    def is_taken(self, name: str) -> bool:
        """Whether ``name`` has a token: a bot's or a guest's."""
        return name in self._tokens

    def invite(self, name: str, token_hash: bytes) -> None:
        """Let the token with this SHA-256 prove the guest name ``name``.

        Raises:
            ValueError: the name is taken.
        """
        if self.is_taken(name):
            raise ValueError(f"the name {name} is taken")
        self._tokens.add(name, token_hash)
        self._invited.add(name)

    def dismiss(self, name: str) -> None:
        """Release a guest's name after its matches, unless a registered bot has taken it."""
        if name in self._invited:
            self.forget(name)
            self._tokens.remove(name)

    def forget(self, name: str) -> None:
        """Remove the guest: the host gives its name to a bot, or revokes it."""
        self._invited.discard(name)
