"""A spectator's connection to one game server, open while its matches have viewers.

It asks for these matches only. Every wait has a deadline, and a lost connection is made again after
a pause that grows and is shortened at random, so that pages do not all come back at once.
"""

from __future__ import annotations

import math
import random
import socket
import ssl
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import trio

from polynya_games import load
from polynya_protocol import Connection, RemoteProtocolError, client_side
from polynya_protocol.messages import (
    Error,
    Forfeited,
    FromClient,
    FromServer,
    Goodbye,
    Hello,
    MatchOver,
    MatchResume,
    Moved,
    Ping,
    Pong,
    Software,
    Unwatch,
    Watch,
    Welcome,
)
from polynya_server.changes import Changes
from polynya_server.log import log
from polynya_server.version import version
from polynya_store import GameServer, MatchRow
from polynya_web.content.background import RulesThreads
from polynya_web.remote.remote_match import FollowedMatch, followed

CONNECT_S = 5
"""Time limit for the handshake."""
ANSWER_S = 5
"""Time limit for a match's snapshot."""
SEND_S = 10
MOST_SILENCE_S = 120
"""The longest silence of a server, for every heartbeat."""
LINGER_S = 10
"""How long a connection without viewers stays open."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0
_AT_ONCE = 64 * 1024


T = TypeVar("T")
Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class RemoteServer:
    """Shows matches of one server.

    Args:
        server: where it is.

    Attributes:
        server: the same.
        matches: those that it shows, by id; they stand still while the connection is lost.
        connected: whether it is connected.
        unreachable: whether the last attempt to connect failed.
    """

    def __init__(self, server: GameServer) -> None:
        self.server = server
        self.matches: dict[str, FollowedMatch] = {}
        self.connected = False
        self.unreachable = False
        self._wanted: dict[str, MatchRow] = {}
        self._told: set[str] = set()
        self._unknown: set[str] = set()
        self._asked = Changes()
        self._answered = Changes()
        self._rules = RulesThreads()

    def want(self, rows: Mapping[str, MatchRow]) -> None:
        """Show these matches, and no others."""
        if rows.keys() != self._wanted.keys():
            self._wanted = dict(rows)
            for name in self.matches.keys() - rows.keys():
                del self.matches[name]
            self._asked.notify()

    async def answer(self, name: str) -> FollowedMatch | None:
        """One of the wanted matches, when the server shows it; None if it does not."""
        if name in self._unknown:  # not then, but perhaps now
            self._unknown.discard(name)
            self._asked.notify()
        with trio.move_on_after(ANSWER_S):
            while name in self._wanted and name not in self.matches:
                if name in self._unknown:
                    return None
                await self._answered.wait()
        return self.matches.get(name)

    def end(self, name: str) -> None:
        """A match is over, as the database has it or the server says."""
        match = self.matches.pop(name, None)
        self._wanted.pop(name, None)
        if match is not None:
            match.is_over = True

    async def run(self) -> None:
        """Connect while matches are wanted, until cancelled."""
        pause_s = FIRST_PAUSE_S
        while True:
            while not self._wanted:
                await self._asked.wait()
            began = trio.current_time()
            try:
                await self._connected()
            except (OSError, trio.BrokenResourceError, trio.TooSlowError, _LostError) as error:
                self.unreachable = not self.connected
                log.info("a game server is not there", server=self.server.address, why=repr(error))
            finally:
                self.connected = False
            if trio.current_time() - began > LONGEST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            await trio.sleep(pause_s * random.uniform(0.5, 1))  # noqa: S311 -- jitter
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _connected(self) -> None:
        """Run one connection until it is no longer needed.

        Raises:
            OSError, trio.BrokenResourceError, trio.TooSlowError, _LostError: it is lost.
        """
        with trio.fail_after(CONNECT_S):
            stream = await self._open()
        async with stream:
            link = _Link(stream)
            with trio.fail_after(CONNECT_S):
                silence_s = await link.enter()
            self.connected, self.unreachable = True, False
            self._told, self._unknown = set(), set()
            lost: Exception | None = None
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._ask, link, nursery.cancel_scope)
                    while True:
                        with trio.fail_after(silence_s):
                            messages = await link.receive()
                        for message in messages:
                            await self._take(link, message)
                        self._answered.notify()
            except* (OSError, trio.BrokenResourceError, trio.TooSlowError, _LostError) as group:
                lost = _first(group)
            if lost is not None:
                raise _LostError(repr(lost))

    async def _open(self) -> Stream:
        host = _host(self.server)
        stream = await trio.open_tcp_stream(host, self.server.port)
        certificate = self.server.certificate
        if certificate is None:
            return stream
        secured = trio.SSLStream(stream, _trusting(certificate), server_hostname=host)
        try:
            await secured.do_handshake()
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        return secured

    async def _ask(self, link: _Link, scope: trio.CancelScope) -> None:
        """Tell the server which matches are wanted, and leave when none are for a while."""
        while True:
            since, wanted = self._asked.version, set(self._wanted)
            for name in self._told - wanted:
                self._told.discard(name)
                await link.send(Unwatch(match=name))
            for name in wanted - self._told - self._unknown:
                self._told.add(name)
                await link.send(Watch(match=name))
            with trio.move_on_after(math.inf if wanted else LINGER_S) as waited:
                await self._asked.wait(since)
            if waited.cancelled_caught:
                await link.send(Goodbye())
                scope.cancel()

    async def _take(self, link: _Link, message: FromServer) -> None:
        match message:
            case Ping():
                await link.send(Pong(nonce=message.nonce))
            case MatchResume():
                await self._begin(message)
            case Moved() | Forfeited():
                await self._go_on(link, message)
            case MatchOver():
                self.end(message.match)
            case Error(code="unknown_match", match=str(name)):
                self._unknown.add(name)
                self._told.discard(name)
            case Goodbye():
                raise _LostError(message.reason or "it said goodbye")

    async def _begin(self, snapshot: MatchResume) -> None:
        """Show a match from its snapshot on, unless nothing was missed."""
        row, known = self._wanted.get(snapshot.match), self.matches.get(snapshot.match)
        if row is None or (known is not None and known.seq == snapshot.seq):
            return
        try:
            begin = partial(followed, row, snapshot)
            self.matches[snapshot.match] = await self._by_rules(snapshot.game, begin)
        except ValueError as error:
            self._leave(snapshot.match, error)

    async def _go_on(self, link: _Link, message: Moved | Forfeited) -> None:
        match = self.matches.get(message.match)
        if match is None:
            return
        try:
            await self._by_rules(match.setup.game, partial(match.follow, message))
        except ValueError as error:
            self._leave(message.match, error)
            self._told.discard(message.match)
            await link.send(Unwatch(match=message.match))

    async def _by_rules(self, game: str, work: Callable[[], T]) -> T:
        """Call what asks the rules of a game; in a thread if they wait for a process.

        Raises:
            ValueError: as ``work`` does, or the rules give no answer.
        """
        return await self._rules.once(work) if load(game).waits else work()

    def _leave(self, name: str, error: ValueError) -> None:
        """Stop showing a match whose events are invalid."""
        log.warning("a match of another server cannot be shown", match=name, error=str(error))
        self.matches.pop(name, None)
        self._unknown.add(name)


class _LostError(Exception):
    """The connection failed; the message says why."""


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


class _Link:
    """Frames over one stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._connection: Connection[FromServer, FromClient] = client_side()
        self._sending = trio.Lock()

    async def enter(self) -> float:
        """Say hello; how long the server may be silent, in seconds."""
        software = Software(name="polynya web", version=version())
        await self.send(Hello(protocol=1, role="spectator", software=software))
        for message in await self.receive():
            if isinstance(message, Welcome):
                return min(MOST_SILENCE_S, 3 * max(1, message.heartbeat_ms) / 1000 + SEND_S)
            if isinstance(message, Error):
                raise _LostError(message.message)
        raise _LostError("it did not welcome a spectator")

    async def send(self, message: FromClient) -> None:
        """Send one message."""
        data = self._connection.send(message)
        with trio.fail_after(SEND_S):
            async with self._sending:
                await self._stream.send_all(data)

    async def receive(self) -> list[FromServer]:
        """The next messages, one at least."""
        found: list[FromServer] = []
        while not found:
            data = await self._stream.receive_some(_AT_ONCE)
            if not data:
                raise _LostError("it closed the connection")
            for item in self._connection.receive_data(bytes(data)):
                if not isinstance(item, RemoteProtocolError):
                    found.append(item)
                elif item.fatal:
                    raise _LostError(item.message)
        return found


def _host(server: GameServer) -> str:
    """The server's address from here: its machine's name if it listens on all addresses."""
    if not server.listens_everywhere:
        return server.host
    return "localhost" if server.machine == socket.gethostname() else server.machine


def _trusting(certificate: str) -> ssl.SSLContext:
    """TLS context that trusts the certificate in the database, for any host name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=certificate)
    return context
