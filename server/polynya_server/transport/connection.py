"""The socket side of a peer: frames in, frames out, never waiting for the peer.

Who the peer is and what its messages mean is the handler's business.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Final

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
from polynya_server.transport.arrival import CHUNK, Receive
from polynya_server.transport.base import Reactor, Transport
from polynya_server.transport.handler import NULL_HANDLER, ConnectionHandler
from polynya_server.transport.keepalive import Heartbeat
from polynya_server.transport.limits import InboundLimits, Received
from polynya_server.transport.writer import FrameWriter

MAX_REASON: Final = 200
"""How many characters of a client's reason for its goodbye are kept."""

FREE_OF_CHARGE: Final = (Ready, Steps, Hello)
"""Answers to the server cost a peer nothing; the handler charges those that answer nothing."""


class Phase(enum.IntEnum):
    """Where a connection stands."""

    GREETING = 0
    """The peer has yet to say hello, or to be welcomed."""
    OPEN = 1
    """Messages pass both ways."""
    CLOSING = 2
    """Our last frame is on its way; messages that still arrive are dropped."""
    CLOSED = 3
    """The socket is closed."""


OPEN: Final = Phase.OPEN
"""Cached: a member of an enum takes 76 ns to read (Python 3.11), four times a turn."""


class Connection:
    """One connection, closed when its peer is gone or was told to go.

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
        phase: where the connection stands.
        first_ns, last_ns: when the first and the last byte of the present message arrived.
        kernel_timestamp: whether these times are the kernel's.
        heartbeat: its pings.
    """

    __slots__ = (
        "_deadline",
        "_deadlines",
        "_full_read",
        "_limits",
        "_on_closed",
        "_protocol",
        "_reactor",
        "_receive",
        "_settings",
        "_sock",
        "_writer",
        "address",
        "first_ns",
        "handler",
        "heartbeat",
        "kernel_timestamp",
        "last_ns",
        "phase",
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
        now_ns = deadlines.now()
        self.address = address
        self.phase = Phase.GREETING
        self.handler = handler
        self.first_ns = self.last_ns = now_ns
        self.kernel_timestamp = False
        self.heartbeat = Heartbeat()
        self._sock = sock
        self._on_closed = on_closed
        self._settings = settings
        self._deadlines = deadlines
        self._reactor = reactor
        self._receive = receive
        self._full_read = 0 if settings.tls_cert else CHUNK  # after so many bytes more may wait
        self._protocol = server_side(settings.max_frame, decoder)
        self._limits = InboundLimits(settings, deadlines, self.resume_reading)
        self._writer = FrameWriter(sock, self, reactor.batch, deadlines, settings)
        self._deadline = deadlines.new(self._on_deadline)
        self._set_deadline(settings.hello_ms)
        reactor.add(self)

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    @property
    def unsent(self) -> int:
        """How many bytes wait for the peer to take them."""
        return len(self._writer)

    @property
    def memory(self) -> int:
        """How many bytes of memory the peer makes the server hold, at most.

        They are part of a frame, messages that wait for the end of a pause, and unsent frames.
        """
        return self._protocol.pending + self._limits.memory + len(self._writer)

    def send(self, message: FromServer, on_flushed: Callable[[], None] | None = None) -> None:
        """Send a message; see :meth:`FrameWriter.send`, also of a connection that is closing.

        A frame over the peer's own limit ends the connection: it could not go on without it.
        """
        if self.phase <= OPEN:
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
        """Send whole frames that were made elsewhere; see :meth:`send`."""
        if self.phase <= OPEN:
            limit = self._protocol.peer_max_frame
            longest = max(map(len, frames), default=0) - LENGTH_SIZE
            if longest <= limit:
                self._writer.send(b"".join(frames), on_flushed)
                return
            self._give_up(f"a frame of {longest} bytes is over the peer's limit of {limit}")
        if on_flushed is not None:
            on_flushed()

    def error(
        self, code: ErrorCode, sentence: str, match: str | None = None, turn: int | None = None
    ) -> None:
        """Tell the peer that a message of it was refused; the connection goes on."""
        self.send(Error(code=code, message=sentence, fatal=False, match=match, turn=turn))

    def on_writable(self) -> None:
        """The operating system takes bytes again."""
        self._writer.flush()

    def on_readable(self) -> None:
        """Bytes have come, or the end."""
        try:
            data, arrived_ns, self.kernel_timestamp = self._receive(self._sock)
        except BlockingIOError:
            if not self._full_read:
                self.update_interest()  # a part of a record was read, and there may be more
            return
        except OSError as error:
            self._on_end(f"the connection broke: {error.strerror}")
            return
        if not data:
            self._on_end("it closed the connection without a goodbye")
            return
        if len(data) >= self._full_read:
            self.update_interest()
        if self.phase <= OPEN:
            self._receive_data(data, arrived_ns)

    def _receive_data(self, data: bytes, arrived_ns: int) -> None:
        pending = self._protocol.pending
        if not pending:
            self.first_ns = arrived_ns
        self.last_ns = arrived_ns
        if error := self._limits.charge_bytes(len(data)):
            self.update_interest()
            self.send(error)
        received = self._protocol.receive_data(data)
        if received:
            self.heartbeat.silent = 0
            self._handle_all(received, pending + len(data))
        else:
            self._enforce_memory_limit()

    def read_arrived(self) -> None:
        """Deal with what has arrived already, before a deadline is held against the peer.

        A whole frame is read, however long; and an answer that waits for the end of a pause counts.
        """
        try:
            self._take_answers()
            for _ in range(self._settings.max_frame // CHUNK + 2):
                if self.phase > OPEN:
                    return
                self.on_readable()
                self._take_answers()
        except Exception as error:
            self.on_crash(error)

    def _take_answers(self) -> None:
        """Deal with the moves that wait: a pause is the price of other messages."""
        inbox = self._limits.inbox
        if inbox is None:
            return
        answers = [item for item in inbox.messages if type(item) is Move]
        inbox.messages = [item for item in inbox.messages if type(item) is not Move]
        for answer in answers:
            if self.phase <= OPEN:
                self.handler.on_message(self, answer)

    def pause_reading(self) -> None:
        """Read no more and keep what was read, until :meth:`resume_reading`."""
        self._limits.pause()
        self.update_interest()

    def resume_reading(self) -> None:
        """Deal with what was kept, and read on."""
        inbox = self._limits.resume()
        if inbox is not None and self.phase <= OPEN:
            self.update_interest()
            try:
                self._handle_all(inbox.messages, inbox.size)
            except Exception as error:
                self.on_crash(error)

    def charge_message(self) -> None:
        """Charge the peer for a message that was not asked for; after too many it is not read."""
        if error := self._limits.charge_message():
            self.update_interest()
            self.send(error)

    def _handle_all(self, received: list[Received], size: int) -> None:
        """Deal with messages that came in ``size`` bytes."""
        for index, item in enumerate(received):
            if self.phase > OPEN:
                return
            inbox = self._limits.inbox
            if inbox is not None:
                inbox.put(received[index:], size)
                self._enforce_memory_limit()
                return
            if type(item) is Move:
                self.handler.on_message(self, item)
            else:
                self._handle(item)
            self.first_ns = self.last_ns

    def _handle(self, item: Received) -> None:
        if isinstance(item, FREE_OF_CHARGE):
            self.handler.on_message(self, item)
        elif isinstance(item, RemoteProtocolError):
            self._refuse(item)
        elif isinstance(item, Pong):
            if not self.heartbeat.pong(item, self.last_ns):
                self.charge_message()
        elif isinstance(item, Ping):
            self.send(Pong(nonce=item.nonce))
            self.charge_message()
        elif isinstance(item, Goodbye):
            reason = printable(item.reason[:MAX_REASON]) if item.reason else None
            self.handler.on_goodbye(self, reason)
            self.finish(None)
        else:
            self.handler.on_message(self, item)
            self.charge_message()

    def _refuse(self, error: RemoteProtocolError) -> None:
        if error.fatal:
            self.handler.on_broken(self, error)
            self.finish(error.reply())
        else:
            self.send(error.reply())
            self.charge_message()

    def _enforce_memory_limit(self) -> None:
        """Close the connection if its buffers exceed ``max_memory``."""
        limit = self._settings.max_memory
        if self.memory > limit:
            sentence = (
                f"what was sent and is not dealt with yet takes {self.memory} bytes of memory, "
                f"over the limit of {limit} for a connection"
            )
            self._refuse(RemoteProtocolError("too_large", sentence, fatal=True))

    def hello_received(self) -> None:
        """The peer waits for our answer now: its hello has no deadline any more."""
        self._deadline.clear()

    def open(self) -> None:
        """The peer is welcome, if its welcome could be sent: watch over it by heartbeats."""
        if self.phase <= OPEN:
            self.phase = Phase.OPEN
            self._set_deadline(self._settings.heartbeat_ms)

    def ping(self) -> None:
        """Ask whether the peer is there, and measure how long it takes."""
        self.send(self.heartbeat.ping(self._deadlines.now()))

    def finish(self, farewell: Error | Goodbye | None) -> None:
        """Send the last frame, half-close, and read on for a while so that it arrives."""
        if farewell is not None:
            self.send(farewell)
        if self.phase <= OPEN:
            self.phase = Phase.CLOSING
            self._limits.close()
            self.update_interest()
            self._set_deadline(self._settings.close_ms)
            self._writer.finish()

    def _give_up(self, why: str) -> None:
        """The frame exceeds the peer's ``max_frame``; the error message still fits."""
        self._lose(why, Error(code="too_large", message=why, fatal=True))

    def _lose(self, why: str, farewell: Error | Goodbye) -> None:
        """The peer counts as gone, but is told why in case it reads on."""
        self.handler.on_lost(self, why)
        self.handler = NULL_HANDLER
        self.finish(farewell)

    def drop(self, why: str) -> None:
        """The peer is gone, or counts as gone: close without a farewell."""
        if self.phase <= OPEN:
            self.handler.on_lost(self, why)
        self.close()

    def close(self) -> None:
        """Close the socket now."""
        if self.phase is Phase.CLOSED:
            return
        self.phase = Phase.CLOSED
        self._deadline.close()
        self._limits.close()
        self._writer.close()
        self._reactor.remove(self)
        self._sock.close()
        self.handler = NULL_HANDLER
        self._on_closed(self)

    def on_crash(self, error: Exception) -> None:
        """A bug showed while this peer was served: it goes, the others stay."""
        log.error("a connection crashed", address=self.address, exc_info=error)
        self.drop("the server failed on it")

    def update_interest(self) -> None:
        """Let the reactor call for what there is to do now."""
        if self.phase <= Phase.CLOSING:
            readable, writable = self._limits.inbox is None, self._writer.is_blocked
            self._reactor.set_interest(self, readable=readable, writable=writable)

    def _on_end(self, why: str) -> None:
        self._protocol.receive_end()
        self.drop(why)

    def _set_deadline(self, in_ms: int) -> None:
        self._deadline.set(self._deadlines.now() + in_ms * NS_PER_MS)

    def _on_deadline(self) -> None:
        if self.phase is Phase.GREETING:
            sentence = f"no hello came within {self._settings.hello_ms} ms of the connection"
            self._refuse(RemoteProtocolError("hello_timeout", sentence, fatal=True))
        elif self.phase is Phase.OPEN:
            self._beat()
        else:
            self.close()

    def _beat(self) -> None:
        self.heartbeat.beat()
        if self.heartbeat.is_dead:
            self._lose("it answered nothing for three heartbeats", Goodbye(reason="silent"))
            return
        self.ping()
        self._set_deadline(self._settings.heartbeat_ms)
