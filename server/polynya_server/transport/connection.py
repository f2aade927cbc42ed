"""Connects one peer's socket to its handler: frames in, frames out, never waiting for the peer.

The handler knows who the peer is and what its messages mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from polynya_common.reasons import Cause, Reason
from polynya_protocol import FrameTooLong, LocalProtocolError, RemoteProtocolError, server_side
from polynya_protocol.codec import FrameDecoder
from polynya_protocol.errors import printable
from polynya_protocol.framing import LENGTH_SIZE
from polynya_protocol.messages import (
    Error,
    ErrorCode,
    FromClient,
    FromServer,
    Goodbye,
    Hello,
    Move,
    Ping,
    Pong,
    Ready,
    Steps,
)
from polynya_protocol.states import name_of
from polynya_server.log import log
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.arrival import Arrival, Receive
from polynya_server.transport.base import NULL_HANDLER, ConnectionHandler, Reactor, Transport
from polynya_server.transport.keepalive import Heartbeat
from polynya_server.transport.limits import Received
from polynya_server.transport.reader import FrameReader
from polynya_server.transport.writer import FrameWriter

MAX_REASON: Final = 200
"""Maximum length, in characters, of a client's goodbye reason; the rest is cut."""

FREE_OF_CHARGE: Final = (Move, Ready, Steps, Hello)
"""Answers to the server are free of charge; the handler charges those that answer nothing."""


class Connection:
    """One connection; closed when its peer is gone or was disconnected.

    Args:
        sock: its socket.
        address: where the peer is, without its port.
        on_closed: called when the socket has been closed.
        handler: acts on its messages.
        settings: times and limits.
        deadlines: its time, and the deadlines of hello, heartbeats and closing.
        reactor: calls it when its socket is ready.
        receive: reads its socket.
        decoder: of frames from clients.

    Attributes:
        is_open: whether the peer has been welcomed.
        is_closing: whether the server's last frame is queued; incoming messages are dropped.
        is_closed: whether the socket is closed.
        reader: reads its messages.
        heartbeat: its pings.
    """

    __slots__ = (
        "_deadline",
        "_deadlines",
        "_on_closed",
        "_protocol",
        "_reactor",
        "_settings",
        "_sock",
        "_writer",
        "address",
        "handler",
        "heartbeat",
        "is_closed",
        "is_closing",
        "is_open",
        "reader",
    )

    def __init__(
        self,
        sock: Transport,
        address: str,
        on_closed: Callable[[Connection], None],
        *,
        handler: ConnectionHandler,
        settings: ServerSettings,
        deadlines: DeadlineQueue,
        reactor: Reactor,
        receive: Receive,
        decoder: FrameDecoder[FromClient],
    ) -> None:
        self.address = address
        self.handler = handler
        self.is_open = self.is_closing = self.is_closed = False
        self.heartbeat = Heartbeat()
        self._sock = sock
        self._on_closed = on_closed
        self._settings = settings
        self._deadlines = deadlines
        self._reactor = reactor
        self._protocol = server_side(settings.max_frame, decoder)
        self.reader = FrameReader(sock, self, self._protocol, receive, deadlines, settings)
        self._writer = FrameWriter(sock, self, reactor.batch, deadlines, settings)
        self._deadline = deadlines.new(self._on_deadline)
        self._set_deadline(settings.hello_ms)
        reactor.add(self)

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    @property
    def unsent(self) -> int:
        """Bytes queued for the peer that it has not taken yet."""
        return len(self._writer)

    @property
    def memory(self) -> int:
        """Upper bound of the memory that the server holds for the peer, in bytes."""
        return self.reader.memory + len(self._writer)

    def send(self, message: FromServer, on_flushed: Callable[[], None] | None = None) -> None:
        """Send a message; see :meth:`FrameWriter.send`, also of a connection that is closing.

        A frame over the peer's own limit ends the connection: the peer cannot do without it.
        """
        if not self.is_closing:
            try:
                frame = self._protocol.send(message)
            except FrameTooLong as error:
                self._give_up(f"{name_of(type(message))}: {error}")
            except LocalProtocolError as error:
                self.drop(str(error))
            else:
                self._writer.send(frame, on_flushed)
                return
        if on_flushed is not None:
            on_flushed()

    def send_frames(
        self, frames: Sequence[bytes], on_flushed: Callable[[], None] | None = None
    ) -> None:
        """Send whole frames that are encoded already; see :meth:`send`."""
        if not self.is_closing:
            limit = self._protocol.peer_max_frame
            longest = max(map(len, frames), default=0) - LENGTH_SIZE
            if longest <= limit:
                self._writer.send(b"".join(frames), on_flushed)
                return
            self._give_up(f"a frame of {longest} bytes is over the peer's limit of {limit}")
        if on_flushed is not None:
            on_flushed()

    def error(
        self, code: ErrorCode, sentence: Cause, match: str | None = None, turn: int | None = None
    ) -> None:
        """Tell the peer that one of its messages was refused; the connection stays open."""
        self.send(Error(code=code, message=str(sentence), fatal=False, match=match, turn=turn))

    def on_writable(self) -> None:
        """Write queued bytes: the operating system takes some again."""
        self._writer.flush()

    def on_readable(self) -> None:
        """Read: bytes or EOF have arrived."""
        self.reader.read()

    def charge_message(self) -> None:
        """See :meth:`FrameReader.charge_message`."""
        self.reader.charge_message()

    def on_message(self, item: Received, arrival: Arrival) -> None:
        """See :class:`~polynya_server.transport.reader.Receiver`."""
        self.heartbeat.silent = 0
        if isinstance(item, FREE_OF_CHARGE):
            self.handler.on_message(self, item, arrival)
        elif isinstance(item, RemoteProtocolError):
            self._refuse(item)
        elif isinstance(item, Pong):
            if not self.heartbeat.pong(item, arrival.last_ns):
                self.charge_message()
        elif isinstance(item, Ping):
            self.send(Pong(nonce=item.nonce))
            self.charge_message()
        elif isinstance(item, Goodbye):
            reason = printable(item.reason[:MAX_REASON]) if item.reason else None
            self.handler.on_goodbye(self, reason)
            self.finish(None)
        else:
            self.handler.on_message(self, item, arrival)
            self.charge_message()

    def _refuse(self, error: RemoteProtocolError) -> None:
        if error.fatal:
            self.handler.on_broken(self, error)
            self.finish(error.reply())
        else:
            self.send(error.reply())
            self.charge_message()

    def hello_received(self) -> None:
        """Clear the hello's deadline: the peer waits for the server now."""
        self._deadline.clear()

    def open(self) -> None:
        """Open the connection if its welcome could be sent: start heartbeats."""
        if not self.is_closing:
            self.is_open = True
            # Spread over the period by descriptor, so bots that connect together are pinged apart
            self._set_deadline(self._settings.heartbeat_ms * (1 + self.fileno() % 100) // 100)

    def ping(self) -> None:
        """Send a ping, and measure the round trip."""
        self.send(self.heartbeat.ping(self._deadlines.now()))

    def finish(self, farewell: Error | Goodbye | None) -> None:
        """Send the last frame, half-close, and keep reading for a while so that it arrives."""
        if farewell is not None:
            self.send(farewell)
        if not self.is_closing:
            self.is_closing = True
            self.reader.end_pauses()
            self.update_interest()
            self._set_deadline(self._settings.close_ms)
            self._writer.finish()

    def _give_up(self, why: Cause) -> None:
        """The frame exceeds the peer's ``max_frame``; the error message still fits."""
        self._lose(why, Error(code="too_large", message=str(why), fatal=True))

    def _lose(self, why: Cause, farewell: Error | Goodbye) -> None:
        """Treat the peer as lost, but tell it why in case it still reads."""
        self.handler.on_lost(self, why)
        self.handler = NULL_HANDLER
        self.finish(farewell)

    def drop(self, why: Cause) -> None:
        """Close without a farewell: the peer is gone or counts as gone."""
        if not self.is_closing:
            self.handler.on_lost(self, why)
        self.close()

    def close(self) -> None:
        """Close the socket now."""
        if self.is_closed:
            return
        self.is_closing = self.is_closed = True
        self._deadline.close()
        self.reader.close()
        self._writer.close()
        self._reactor.remove(self)
        self._sock.close()
        self.handler = NULL_HANDLER
        self._on_closed(self)

    def on_crash(self, error: Exception) -> None:
        """Drop this peer after a bug in serving it; others are unaffected."""
        log.error("a connection crashed", address=self.address, exc_info=error)
        self.drop(Reason.of("server_failed_on_it"))

    def update_interest(self) -> None:
        """Register with the reactor for the events that are needed now."""
        if not self.is_closed:
            readable, writable = not self.reader.is_paused, self._writer.is_blocked
            self._reactor.set_interest(self, readable=readable, writable=writable)

    def on_end(self, why: Cause) -> None:
        """See :class:`~polynya_server.transport.reader.Receiver`."""
        self._protocol.receive_end()
        self.drop(why)

    def _set_deadline(self, in_ms: int) -> None:
        self._deadline.set(self._deadlines.now() + in_ms * NS_PER_MS)

    def _on_deadline(self) -> None:
        if self.is_closing:
            self.close()
        elif self.is_open:
            self._beat()
        else:
            sentence = f"no hello came within {self._settings.hello_ms} ms of the connection"
            self._refuse(RemoteProtocolError("hello_timeout", sentence, fatal=True))

    def _beat(self) -> None:
        self.heartbeat.beat()
        if self.heartbeat.is_dead:
            self._lose(Reason.of("silent"), Goodbye(reason="silent"))
            return
        self.ping()
        self._set_deadline(self._settings.heartbeat_ms)
