"""The server: accepts bots on one listening socket, and plays their matches."""

from __future__ import annotations

import math
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
        guests: the connected guests, by name; a live view (see ``Guests``).
        metrics: its metrics since its start.
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
        """Grows whenever a bot connects, leaves, or becomes free."""
        return self._registry.changes.version

    @property
    def in_play(self) -> int:
        """How many matches are being played."""
        return len(self._pool)

    @property
    def matches(self) -> list[MatchInPlay]:
        """Read-only views of the matches in play, in the order in which they began.

        With a delay (``live_delay_s``) everything is shown that much later, begin and end included.
        """
        return list(self._hub.matches.values())

    def match(self, name: str) -> MatchInPlay | None:
        """The match in play with this id, or None."""
        return self._hub.matches.get(name)

    def hide_matches(self, since_ms: int, until_ms: int) -> None:
        """Hide from spectators all matches that begin in this period, in ms since 1970."""
        self._hub.hide_matches(since_ms, until_ms)

    def hide_all_matches(self) -> None:
        """Show no match to spectators."""
        self._hub.hide_matches(0, math.inf)

    def plays(self, name: str) -> bool:
        """Whether the match of this id is being played, shown or not."""
        return name in self._pool

    @property
    def connections(self) -> int:
        """Number of connections, including spectators and clients before their hello."""
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
        """Wait until a bot connects, leaves, or becomes free.

        To miss no change, read :attr:`version` first, look at :attr:`connected`, and pass that
        version as ``since``.

        Returns:
            the present version.
        """
        return await self._registry.changes.wait(since)

    @contextmanager
    def watching_bots(self, changed: Callable[[str], None]) -> Iterator[None]:
        """Call ``changed`` with the name of a bot that connects, leaves, begins or ends a match.

        The call comes right before or after the change: note the name in it, and look at the bot
        when :meth:`changed` returns.
        """
        self._registry.watchers.append(changed)
        try:
            yield
        finally:
            self._registry.watchers.remove(changed)

    async def register(self, name: str, address: str, registration: str | None = None) -> str:
        """Register a bot that is not connected, within the rate limits for connecting bots.

        Args:
            name: the bot's.
            address: where the request comes from.
            registration: the same value may request the same name again for ten minutes.

        Returns:
            its token, which is stored nowhere.

        Raises:
            HelloError: it is refused, with the code and the sentence of the wire contract.
        """
        return await self._handshake.register(name, address, registration)

    def add_token(
        self, name: str, token_hash: bytes, instance: int = 1, version: str | None = None
    ) -> None:
        """Let the token with this SHA-256 prove the name ``name``.

        With ``instance`` 2, 3, ... it is the token of a further process of a bot that the host
        starts several times: each process has its own session, and to all others they are one bot.
        A new token of instance 1 replaces all tokens of the bot.
        """
        self.guests.forget(name)
        self._tokens.add(name, token_hash, instance, version)
        self._registry.notify(name)

    def has_process(self, name: str, instance: int = 1) -> bool:
        """Whether this process of a bot is connected."""
        return self._registry.is_connected(Identity(name, instance))

    def turns_of(self, name: str, instance: int = 1) -> dict[str, int]:
        """The matches of this process of a bot, each with its turn number."""
        matches = self._registry.matches_of(Identity(name, instance))
        turns = {match: self._pool.turn_number(match) for match in matches}
        return {match: turn for match, turn in turns.items() if turn is not None}

    def has_token(self, name: str, token_hash: bytes) -> bool:
        """Whether the token with this SHA-256 proves ``name`` already."""
        return self._tokens.has(name, token_hash)

    def remove_token(self, name: str) -> None:
        """Revoke the tokens of ``name``; a connected bot stays until it leaves."""
        self.guests.forget(name)
        self._tokens.remove(name)

    def close_registration(self) -> None:
        """Refuse all further registrations of new names."""
        self._handshake.registers = False

    def disconnect(self, name: str, why: Cause) -> None:
        """Close a bot's connection, if it has one, and tell it why; treat the connection as lost.

        The bot forfeits its matches unless it comes back in time, with a valid token.
        """
        self._registry.disconnect(name, why)

    def set_notice(
        self, name: str, code: NoticeCode, message: str, match: str | None = None
    ) -> None:
        """Send the author of the bot ``name`` a notice, now and whenever the bot connects again.

        It replaces the previous notice, and holds until :meth:`clear_notice`. The same notice is
        not sent twice. The bot need not be connected.

        Args:
            name: the bot's.
            code: the notice's code in the wire contract.
            message: a sentence that the author can act on; cut after 600 bytes.
            match: the id of the match that it is about.
        """
        self._notices.set(name, code, message, match)

    def clear_notice(self, name: str, message: str = "the notice before no longer holds") -> None:
        """Clear the notice of the bot ``name``, if it has one, and tell it so."""
        self._notices.clear(name, message)

    def dismiss(self, name: str, instance: int) -> None:
        """Say goodbye to one process of a bot, if it is connected: it plays no more.

        It forfeits its matches, as if its connection had been lost.
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
        connected has ``ready_ms`` to connect. The match continues if the caller is cancelled.

        Args:
            setup: game, players, clock.
            seats: by name the seats of players without a session here: they need no connection
                and no token. All other players are bots with these names.
            instances: by name the process that plays, for bots that the host started several
                times; it plays at once, even if it is in a match. Other bots play in any process
                that has room.

        Returns:
            the record; the journal has stored it before the bots are told the result.

        Raises:
            ServerStoppingError: the server plays no new matches.
            ValueError: the set-up is impossible; the message says why. A game's errors
                (``polynya_games.GameError``) are ValueErrors.
            Exception: raised by the journal.
        """
        return await self._pool.play(setup, seats or {}, instances or {})

    def pending_turn(self, on_deadline: Callable[[], None]) -> PendingTurn:
        """Create the pending turn, with its clock, for a seat that a caller of :meth:`play` makes.

        Args:
            on_deadline: called when a turn's time is over.
        """
        return self._pool.pending_turn(on_deadline)

    @contextmanager
    def hearing(self, sock: socket.socket, name: str) -> Iterator[None]:
        """Accept connections of the bot ``name`` to ``sock`` until the context exits.

        ``sock`` listens for this bot alone, without TLS; the host has made it here or in the
        network namespace of the bot's sandbox. It admits no registrations and no spectators. A
        connection that is open when the context exits stays open until the bot closes it.
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
        """Wait until delayed spectators have been sent everything."""
        await self._pool.wait_all_shown()

    async def stop(self, grace_ms: int, reason: Farewell = "shutting_down") -> None:
        """Begin no new matches, end those in play, and say goodbye to all peers.

        Bots in a match may still reconnect. Matches that have not ended within ``grace_ms`` are
        aborted, and recorded so; delayed spectators are sent the events up to then. ``reason`` goes
        into the goodbye: ``finished`` tells bots that the contest is over and to stay away; after
        any other reason they reconnect.
        """
        self._pool.closed = self._handshake.closed = True
        self._registry.changes.notify()
        with trio.move_on_after(grace_ms / 1000):
            await self._pool.wait_empty()
            await self.all_shown()
        self._pool.abort(Reason.of("server_shuts_down"))
        await self._pool.wait_empty()
        await self._send_away(reason)

    async def leave(self) -> None:
        """Abort all matches, stop listening and say goodbye now, also while results wait.

        For a server that may have a successor: its bots are to go there.
        """
        self._pool.closed = self._handshake.closed = True
        self._pool.abort(Reason.of("server_shuts_down"))
        await self._send_away("shutting_down")

    async def _send_away(self, reason: Farewell) -> None:
        """Stop listening, and say goodbye to all peers; return when they are gone."""
        async with trio.open_nursery() as nursery:
            for listener in list(self._listeners):
                nursery.start_soon(listener.disconnect, Goodbye(reason=reason))

    def close(self) -> None:
        """Close everything now; :func:`~polynya_server.open_server` does so when it exits."""
        self._pool.closed = self._handshake.closed = True
        for listener in list(self._listeners):
            listener.close()
        self._registry.changes.notify()
