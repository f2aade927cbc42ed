"""The socket side of a peer: frames in, frames out, never waiting for anybody.

Who the peer is, and what its messages mean, is its owner's business; the owner changes when the
peer has said hello.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from polynya_protocol import FrameTooLong, LocalProtocolError, RemoteProtocolError, server_side
from polynya_protocol.errors import printable
from polynya_protocol.framing import LENGTH_SIZE
from polynya_protocol.messages import (
    Error,
    ErrorCode,
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
from polynya_server.services import Services
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.arrival import CHUNK
from polynya_server.transport.handler import DEPARTED, Owner, Phase
from polynya_server.transport.held import Held, Received
from polynya_server.transport.keepalive import Heartbeat, period_ns
from polynya_server.transport.rate_limit import RateLimit
from polynya_server.transport.tls import Transport
from polynya_server.transport.writer import Outbound

OPEN: Final = Phase.OPEN
"""Read here once: a member of an enum takes 76 ns to read (Python 3.11), four times a turn."""

MOST_OF_REASON: Final = 200
"""How many characters of a client's reason for its goodbye are kept."""

ASKED_FOR: Final = (Ready, Steps, Hello)
"""What the server has asked for costs a peer nothing; a move that answers nothing does."""


class Connection:
    """One connection, closed when its peer is gone or was told to go.

    Attributes:
        address: where the peer is, without its port.
        phase: where the connection stands.
        owner: who acts on its messages.
        first_ns, last_ns: when the first and the last byte of the present message arrived.
        kernel: whether the kernel said so.
        heartbeat: its pings.
    """

    __slots__ = (
        "_alarm",
        "_held",
        "_most_read",
        "_on_closed",
        "_outbound",
        "_protocol",
        "_rate_limit",
        "_receive",
        "_services",
        "_sock",
        "address",
        "first_ns",
        "heartbeat",
        "kernel",
        "last_ns",
        "owner",
        "phase",
    )

    def __init__(
        self,
        services: Services,
        sock: Transport,
        address: str,
        owner: Owner,
        on_closed: Callable[[Connection], None],
    ) -> None:
        now_ns = services.now()
        self.address = address
        self.phase = Phase.GREETING
        self.owner = owner
        self.first_ns = self.last_ns = now_ns
        self.kernel = False
        self.heartbeat = Heartbeat(
            period_ns(services.settings.heartbeat_ms, services.measures.accepted)
        )
        self._services = services
        self._receive = services.receive
        self._sock = sock
        self._most_read = 0 if services.tls else CHUNK  # after so many bytes there may be more
        self._protocol = server_side(services.settings.max_frame, services.decoder)
        self._rate_limit = RateLimit(services, self.release)
        self._outbound = Outbound(services, sock, self)
        self._held: Held | None = None
        self._on_closed = on_closed
        self._alarm = services.timekeeper.alarm(self._on_alarm)
        self._alarm.set(now_ns + services.settings.hello_ms * NS_PER_MS)
        services.pump.add(self)

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    @property
    def unsent(self) -> int:
        """How many bytes wait for the peer to take them."""
        return len(self._outbound)

    @property
    def memory(self) -> int:
        """How many bytes of memory the peer makes the server hold, at most.

        They are part of a frame, messages that wait for the end of a pause, and what it has yet to
        take.
        """
        held = 0 if self._held is None else self._held.memory
        return self._protocol.pending + held + len(self._outbound)

    def send(self, message: FromServer, on_flushed: Callable[[], None] | None = None) -> bool:
        """Send a message; see :meth:`send_frames`.

        A frame over the peer's own limit ends the connection: it could not go on without it.
        """
        if self.phase > OPEN:
            return True
        try:
            frame = self._protocol.send(message)
        except FrameTooLong as error:
            self._give_up(f"{name_of(type(message))}: {error}")
            return True
        except LocalProtocolError as error:
            self.drop(str(error))
            return True
        return self._outbound.send(frame, on_flushed)

    def send_frames(
        self, frames: Sequence[bytes], on_flushed: Callable[[], None] | None = None
    ) -> bool:
        """Send whole frames that were made elsewhere; see :meth:`send` for those that are too long.

        Returns:
            whether the operating system has taken them all (or nothing is sent any more); if not,
            ``on_flushed`` is called when it has.
        """
        if self.phase > OPEN:
            return True
        limit = self._protocol.peer_max_frame
        longest = max(map(len, frames), default=0) - LENGTH_SIZE
        if longest > limit:
            self._give_up(f"a frame of {longest} bytes is over the peer's limit of {limit}")
            return True
        return self._outbound.send(b"".join(frames), on_flushed)

    def error(
        self, code: ErrorCode, sentence: str, match: str | None = None, turn: int | None = None
    ) -> None:
        """Tell the peer that a message of it was refused; the connection goes on."""
        self.send(Error(code=code, message=sentence, fatal=False, match=match, turn=turn))

    def on_writable(self) -> None:
        """The operating system takes bytes again."""
        self._outbound.flush()

    def on_readable(self) -> None:
        """Bytes have come, or the end."""
        try:
            data, arrived_ns, self.kernel = self._receive(self._sock)
        except BlockingIOError:
            if not self._most_read:
                self.watch()  # a part of a record was read, and there may be more
            return
        except OSError as error:
            self._on_end(f"the connection broke: {error.strerror}")
            return
        if not data:
            self._on_end("it closed the connection without a goodbye")
            return
        if len(data) >= self._most_read:
            self.watch()
        if self.phase > OPEN:
            return
        pending = self._protocol.pending
        if not pending:
            self.first_ns = arrived_ns
        self.last_ns = arrived_ns
        limit = self._rate_limit
        limit.bytes_left -= len(data)
        if limit.bytes_left < 0 and self._held is None and not limit.refill():
            self.hold()
            self.send(limit.pause_for_bytes())
        received = self._protocol.receive_data(data)
        if received:
            self.heartbeat.silent = 0
            self._handle_all(received, pending + len(data))
        else:
            self._weigh()

    def drain(self) -> None:
        """Deal with what has come already, before a deadline is held against the peer.

        A whole frame is read, however long; and an answer that waits for the end of a pause counts.
        """
        try:
            self._take_answers()
            for _ in range(self._services.settings.max_frame // CHUNK + 2):
                if self.phase > OPEN:
                    return
                self.on_readable()
                self._take_answers()
        except Exception as error:
            self.on_crash(error)

    def _take_answers(self) -> None:
        """Deal with the moves that are held: a pause is the price of other messages."""
        held = self._held
        if held is None:
            return
        answers = [item for item in held.messages if type(item) is Move]
        held.messages = [item for item in held.messages if type(item) is not Move]
        for answer in answers:
            if self.phase <= OPEN:
                self.owner.on_message(self, answer)

    def hold(self) -> None:
        """Read no more and keep what was read, until :meth:`release`."""
        if self._held is None:
            self._held = Held()
            self.watch()

    def release(self) -> None:
        """Deal with what was kept, and read on."""
        held, self._held = self._held, None
        if held is not None and self.phase <= Phase.OPEN:
            self.watch()
            try:
                self._handle_all(held.messages, held.size)
            except Exception as error:
                self.on_crash(error)

    def spend(self) -> None:
        """The peer has sent a message that nobody asked for: too many, and it is not read."""
        if self._held is None and not self._rate_limit.spend():
            self.hold()
            self.send(self._rate_limit.pause())

    def _handle_all(self, received: list[Received], size: int) -> None:
        """Deal with messages that came in ``size`` bytes."""
        for index, item in enumerate(received):
            if self.phase > OPEN:
                return
            if self._held is not None:
                self._held.put(received[index:], size)
                self._weigh()
                return
            if type(item) is Move:
                self.owner.on_message(self, item)
            else:
                self._handle(item)
            self.first_ns = self.last_ns

    def _handle(self, item: Received) -> None:
        if isinstance(item, ASKED_FOR):
            self.owner.on_message(self, item)
        elif isinstance(item, RemoteProtocolError):
            self._refuse(item)
        elif isinstance(item, Pong):
            if not self.heartbeat.pong(item, self.last_ns):
                self.spend()
        elif isinstance(item, Ping):
            self.send(Pong(nonce=item.nonce))
            self.spend()
        elif isinstance(item, Goodbye):
            reason = printable(item.reason[:MOST_OF_REASON]) if item.reason else None
            self.owner.on_goodbye(self, reason)
            self.finish(None)
        else:
            self.owner.on_message(self, item)
            self.spend()

    def _refuse(self, error: RemoteProtocolError) -> None:
        if error.fatal:
            self.owner.on_broken(self, error)
            self.finish(error.reply())
        else:
            self.send(error.reply())
            self.spend()

    def _weigh(self) -> None:
        """More is held for the peer than before; too much ends the connection."""
        limit = self._services.settings.max_memory
        if self.memory > limit:
            sentence = (
                f"what was sent and is not dealt with yet takes {self.memory} bytes of memory, "
                f"over the limit of {limit} for a connection"
            )
            self._refuse(RemoteProtocolError("too_large", sentence, fatal=True))

    def said_hello(self) -> None:
        """The peer has said who it is, and waits for our answer: no more for its hello."""
        self._alarm.clear()

    def open(self) -> None:
        """The peer is welcome, if its welcome could be sent: watch over it by heartbeats."""
        if self.phase > OPEN:
            return
        self.phase = Phase.OPEN
        self._alarm.set(self._services.now() + self.heartbeat.period_ns)

    def ping(self) -> None:
        """Ask whether the peer is there, and measure how long it takes."""
        self.send(self.heartbeat.ping(self._services.now()))

    def finish(self, farewell: Error | Goodbye | None) -> None:
        """Send the last frame, half-close, and read on for a while so that it arrives."""
        if self.phase > Phase.OPEN:
            return
        if farewell is not None:
            self.send(farewell)
        if self.phase > Phase.OPEN:
            return
        self.phase = Phase.CLOSING
        self._held = None
        self.watch()
        self._alarm.set(self._services.now() + self._services.settings.close_ms * NS_PER_MS)
        self._outbound.finish()

    def _give_up(self, why: str) -> None:
        """The peer takes no frame as long as it would have to be sent; one that says so it does."""
        self._lose(why, Error(code="too_large", message=why, fatal=True))

    def _lose(self, why: str, farewell: Error | Goodbye) -> None:
        """The peer is as good as gone, but is told why, in case it hears it."""
        self.owner.on_lost(self, why)
        self.owner = DEPARTED
        self.finish(farewell)

    def drop(self, why: str) -> None:
        """The peer is gone, or as good as gone."""
        if self.phase <= Phase.OPEN:
            self.owner.on_lost(self, why)
        self.close()

    def close(self) -> None:
        """Close the socket now."""
        if self.phase is Phase.CLOSED:
            return
        self.phase = Phase.CLOSED
        self._alarm.close()
        self._rate_limit.close()
        self._outbound.close()
        self._held = None
        self._services.pump.remove(self)
        self._sock.close()
        self.owner = DEPARTED
        self._on_closed(self)

    def on_crash(self, error: Exception) -> None:
        """A bug showed while this peer was served: it goes, the others stay."""
        log.error("a connection crashed", address=self.address, exc_info=error)
        self.drop("the server failed on it")

    def _on_end(self, why: str) -> None:
        self._protocol.receive_end()
        self.drop(why)

    def _on_alarm(self) -> None:
        if self.phase is Phase.GREETING:
            self._refuse(_hello_timeout(self._services.settings.hello_ms))
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
        self._alarm.set(self._services.now() + self.heartbeat.period_ns)

    def watch(self) -> None:
        """Let the pump call for what there is to do now."""
        if self.phase <= Phase.CLOSING:
            writable = len(self._outbound) > 0
            self._services.pump.watch(self, readable=self._held is None, writable=writable)


def _hello_timeout(hello_ms: int) -> RemoteProtocolError:
    sentence = f"no hello came within {hello_ms} ms of the connection"
    return RemoteProtocolError("hello_timeout", sentence, fatal=True)
