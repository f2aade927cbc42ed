"""The server: one listening socket, the bots that came through it, and the matches they play."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

import trio

from polynya_common.reasons import Cause, Reason
from polynya_protocol.messages import Goodbye, NoticeCode
from polynya_server.match.pending_turn import PendingTurn
from polynya_server.match.seat import Participant
from polynya_server.match_pool import MatchPool
from polynya_server.metrics.counters import ServerMetrics
from polynya_server.records import MatchRecord, MatchSetup
from polynya_server.sessions.author_notices import Notices
from polynya_server.sessions.bot_registry import BotRegistry, ConnectedBot, Guests
from polynya_server.sessions.handshake import Handshake
from polynya_server.sessions.tokens import Identity, TokenBook
from polynya_server.settings import ServerSettings
from polynya_server.spectating.match_in_play import MatchInPlay
from polynya_server.spectating.spectator_hub import SpectatorHub
from polynya_server.transport.arrival import stamp_arrivals
from polynya_server.transport.listener import Listener

Farewell = Literal["finished", "shutting_down"]
"""Why a server says goodbye (wire contract, ``goodbye.reason``)."""


class Server:
    """A running server, made by :func:`~polynya_server.open_server`.

    Attributes:
        host, port: where it listens.
        settings: the settings that it was opened with.
        connected: the bots that are connected, by name; a live view.
        guests: the same of those that were invited to matches of their own.
        metrics: its figures since its start.
    """

    def __init__(
        self,
        settings: ServerSettings,
        metrics: ServerMetrics,
        listener: Listener,
        listener_of_bot: Callable[[socket.socket, str], Listener],
        registry: BotRegistry,
        handshake: Handshake,
        hub: SpectatorHub,
        tokens: TokenBook,
        notices: Notices,
        pool: MatchPool,
    ) -> None:
        self.host, self.port = listener.address
        self.settings = settings
        self.guests = Guests(registry.bots, tokens)
        self.connected: Mapping[str, ConnectedBot] = self.guests.others
        self.metrics = metrics
        self._listeners = [listener]
        self._listener_of_bot = listener_of_bot
        self._registry = registry
        self._handshake = handshake
        self._hub = hub
        self._tokens = tokens
        self._notices = notices
        self._pool = pool

    @property
    def version(self) -> int:
        """A number that grows whenever a bot came, went, or became free."""
        return self._registry.changes.version

    @property
    def in_play(self) -> int:
        """How many matches are being played."""
        return len(self._pool)

    @property
    def matches(self) -> list[MatchInPlay]:
        """The matches in play, to look at, in the order of beginning.

        With a delay (``live_delay_s``) they are shown that much later, also as begun and as over.
        """
        return list(self._hub.matches.values())

    def match(self, name: str) -> MatchInPlay | None:
        """The one of them with this id, None if there is none."""
        return self._hub.matches.get(name)

    def hide_matches(self, since_ms: int, until_ms: int) -> None:
        """Show no match to spectators that begins in this time, ms since 1970."""
        self._hub.hide_matches(since_ms, until_ms)

    def plays(self, name: str) -> bool:
        """Whether the match of this id is being played, shown or not."""
        return name in self._pool

    @property
    def connections(self) -> int:
        """How many connections there are, those of spectators and of the nameless too."""
        return sum(len(listener.connections) for listener in self._listeners)

    @property
    def unsent(self) -> int:
        """How many bytes wait for peers to take them."""
        return sum(
            connection.unsent for listener in self._listeners for connection in listener.connections
        )

    @property
    def stopping(self) -> bool:
        """Whether it plays no new matches any more."""
        return self._pool.closed

    async def changed(self, since: int | None = None) -> int:
        """Wait until a bot came, went, or became free.

        To miss no change, read :attr:`version` first, look at :attr:`connected`, and pass that
        version as ``since``.

        Returns:
            the version now.
        """
        return await self._registry.changes.wait(since)

    @contextmanager
    def watching_bots(self, changed: Callable[[str], None]) -> Iterator[None]:
        """Call ``changed`` with the name of each bot that comes, goes, or begins or ends a match.

        It is called right before or after the change, so it notes the name and looks at the bot
        later; :meth:`changed` returns when there is something to see.
        """
        self._registry.watchers.append(changed)
        try:
            yield
        finally:
            self._registry.watchers.remove(changed)

    async def register(self, name: str, address: str, registration: str | None = None) -> str:
        """Register a bot that has not connected, within the limits of those that connect.

        Args:
            name: of the bot.
            address: where it is asked for.
            registration: with the same words the same name may be asked for again for ten minutes.

        Returns:
            its token, which is kept nowhere.

        Raises:
            HelloError: it is refused, with the code and the sentence of the wire contract.
        """
        return await self._handshake.register(name, address, registration)

    def add_token(
        self, name: str, token_hash: bytes, instance: int = 1, version: str | None = None
    ) -> None:
        """Let the bot that shows the token with this SHA-256 be ``name``.

        With ``instance`` 2, 3, ... it is a further process of a bot that the host starts several
        times, beside those with the tokens of the smaller numbers: each has a session of its own,
        and to all others they are one bot. A new token of instance 1 replaces all of the bot's.
        """
        self.guests.forget(name)
        self._tokens.add(name, token_hash, instance, version)
        self._registry.notify(name)

    def has_process(self, name: str, instance: int = 1) -> bool:
        """Whether this process of a bot is connected."""
        return self._registry.is_connected(Identity(name, instance))

    def turns_of(self, name: str, instance: int = 1) -> dict[str, int]:
        """The matches that this process of a bot is in, each with the number of its turn."""
        matches = self._registry.matches_of(Identity(name, instance))
        turns = {match: self._pool.turn_number(match) for match in matches}
        return {match: turn for match, turn in turns.items() if turn is not None}

    def has_token(self, name: str, token_hash: bytes) -> bool:
        """Whether the token with this SHA-256 proves ``name`` already."""
        return self._tokens.has(name, token_hash)

    def remove_token(self, name: str) -> None:
        """Let no token prove ``name`` any more; a bot that is connected stays until it leaves."""
        self.guests.forget(name)
        self._tokens.remove(name)

    def close_registration(self) -> None:
        """Let no bot register a new name any more."""
        self._handshake.registers = False

    def disconnect(self, name: str, why: Cause) -> None:
        """End a bot's connection, if it has one, and tell it why; as if it had been lost.

        It forfeits the matches it is in unless it comes back in time, with a token that is good.
        """
        self._registry.disconnect(name, why)

    def set_notice(
        self, name: str, code: NoticeCode, message: str, match: str | None = None
    ) -> None:
        """Tell the author of the bot ``name`` something, now and whenever it connects again.

        It replaces the notice before, and holds until :meth:`clear_notice`. The same notice is
        not sent twice. The bot need not be connected.

        Args:
            name: the bot's.
            code: the contract's word for it.
            message: a sentence that its author can act on; cut after 600 bytes.
            match: the id of the match that it is about.
        """
        self._notices.set(name, code, message, match)

    def clear_notice(self, name: str, message: str = "the notice before no longer holds") -> None:
        """Tell the bot ``name`` that its notice no longer holds, if it has one."""
        self._notices.clear(name, message)

    def dismiss(self, name: str, instance: int) -> None:
        """Say goodbye to one process of a bot, if it is connected: it plays no more.

        It forfeits the matches that it is in, as if its connection had been lost.
        """
        self._registry.dismiss(Identity(name, instance))

    async def play(
        self,
        setup: MatchSetup,
        seats: Mapping[str, Participant] | None = None,
        instances: Mapping[str, int] | None = None,
    ) -> MatchRecord:
        """Play one match to its end.

        It begins as soon as each of its bots has room for one more match; a bot that is not
        connected is given until ``ready_ms`` to come. It goes on if the caller is cancelled.

        Args:
            setup: game, players, clock.
            seats: the seats of players that are not bots with a session here, by name: they need
                no connection and no token. All other players are bots by these names.
            instances: by name which process of a bot plays, of those that its host has started; it
                plays at once, also if it is in a match. All others play in a process that has room.

        Returns:
            the record, which the journal has kept before the bots were told the result.

        Raises:
            ServerStoppingError: the server plays no new matches.
            ValueError: the set-up is impossible; the message says why. The errors of the games
                (``polynya_games.GameError``) are such.
            Exception: raised by the journal.
        """
        return await self._pool.play(setup, seats or {}, instances or {})

    def pending_turn(self, on_deadline: Callable[[], None]) -> PendingTurn:
        """The clock of a seat's turns, for the seats that a caller of :meth:`play` makes.

        Args:
            on_deadline: called when a turn's time is over.
        """
        return self._pool.pending_turn(on_deadline)

    @contextmanager
    def hearing(self, sock: socket.socket, name: str) -> Iterator[None]:
        """Accept connections of the bot ``name`` to ``sock`` until the context exits.

        It is a listening socket for this bot alone, which a host has made here or in the network of
        the bot's sandbox, without TLS. No name is registered over it, and no spectator is
        let in. A connection that is open at the end stays open until the bot closes it.
        """
        sock.setblocking(False)
        stamp_arrivals(sock)
        self._listeners = [each for each in self._listeners if each.is_open or each.connections]
        listener = self._listener_of_bot(sock, name)
        self._listeners.append(listener)
        try:
            yield
        finally:
            listener.shut()

    async def all_shown(self) -> None:
        """Wait until spectators with a delay have been shown everything."""
        await self._pool.wait_all_shown()

    async def stop(self, grace_ms: int, reason: Farewell = "shutting_down") -> None:
        """Play no new matches, end those in play, and say goodbye to all peers.

        Bots that are in a match may still come back. Matches that have not ended within
        ``grace_ms`` are aborted, and recorded as such; spectators with a delay are shown the
        events until then. ``reason`` is that of the goodbye: ``finished`` when the contest is over,
        and bots are to stay away; else they come back.
        """
        self._pool.closed = self._handshake.closed = True
        self._registry.changes.notify()
        with trio.move_on_after(grace_ms / 1000):
            await self._pool.wait_empty()
            await self.all_shown()
        self._pool.abort(Reason.of("server_shuts_down"))
        await self._pool.wait_empty()
        for listener in list(self._listeners):
            await listener.disconnect(Goodbye(reason=reason))

    def close(self) -> None:
        """Close everything now; :func:`~polynya_server.open_server` does so at its end."""
        self._pool.closed = self._handshake.closed = True
        for listener in list(self._listeners):
            listener.close()
        self._registry.changes.notify()
