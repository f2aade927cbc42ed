"""The receiving half of a connection: reads its socket, charges the peer, passes messages on.

During a pause nothing is read, and messages that were read before it wait.
"""

from __future__ import annotations

import errno
from typing import Final, Protocol

from polynya_common.reasons import Cause, Reason
from polynya_protocol import Connection as ProtocolConnection
from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import FromClient, FromServer, Move
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.transport.arrival import CHUNK, Arrival, Receive
from polynya_server.transport.base import Transport
from polynya_server.transport.limits import InboundLimits, Received


class Receiver(Protocol):
    """The connection whose socket is read."""

    @property
    def is_closing(self) -> bool:
        """Whether messages that still arrive are dropped."""

    @property
    def memory(self) -> int:
        """Bytes of memory held for the peer, this reader's included."""

    def on_message(self, item: Received, arrival: Arrival) -> None:
        """A message has arrived, or an error in place of a bad frame."""

    def on_end(self, why: Cause) -> None:
        """The stream has ended, in order or not."""

    def send(self, message: FromServer) -> None:
        """Send a message to the peer."""

    def update_interest(self) -> None:
        """A pause has begun or ended, or there may be more to read."""

    def on_crash(self, error: Exception) -> None:
        """Handling messages raised ``error``: a bug."""


class FrameReader:
    """Reads a socket without waiting, whenever it has become readable."""

    __slots__ = (
        "_first_ns",
        "_full_read",
        "_limits",
        "_protocol",
        "_receive",
        "_receiver",
        "_settings",
        "_sock",
    )

    def __init__(
        self,
        sock: Transport,
        receiver: Receiver,
        protocol: ProtocolConnection[FromClient, FromServer],
        receive: Receive,
        deadlines: DeadlineQueue,
        settings: ServerSettings,
    ) -> None:
        self._first_ns = deadlines.now()  # when the first byte of an incomplete frame arrived
        self._sock = sock
        self._receiver: Receiver | None = receiver
        self._protocol = protocol
        self._receive = receive
        self._settings = settings
        self._full_read = (
            0 if settings.tls_cert else CHUNK
        )  # after this number of bytes more may wait
        self._limits = InboundLimits(settings, deadlines, self.resume)

    @property
    def memory(self) -> int:
        """Upper bound of the memory of an incomplete frame and waiting messages, in bytes."""
        return self._protocol.pending + self._limits.memory

    @property
    def is_paused(self) -> bool:
        """Whether reading is paused."""
        return self._limits.inbox is not None

    def read(self) -> None:
        """Read: bytes or EOF have arrived."""
        receiver = self._receiver
        if receiver is None:
            return
        try:
            data, arrived_ns, by_kernel = self._receive(self._sock)
        except BlockingIOError:
            if not self._full_read:
                receiver.update_interest()  # a part of a record was read, and there may be more
            return
        except OSError as error:
            receiver.on_end(Reason.of("connection_broke", why=_why_broken(error)))
            return
        if not data:
            receiver.on_end(Reason.of("closed_without_goodbye"))
            return
        if len(data) >= self._full_read:
            receiver.update_interest()
        if not receiver.is_closing:
            self._take(data, arrived_ns, by_kernel, receiver)

    def read_arrived(self) -> None:
        """Handle frames that have arrived, before a deadline is held against the peer.

        A complete frame counts, however long, and so does an answer that waits for a pause to end.
        """
        receiver = self._receiver
        if receiver is None:
            return
        try:
            self._pass_answers_on(receiver)
            for _ in range(self._settings.max_frame // CHUNK + 2):
                if receiver.is_closing:
                    return
                self.read()
                self._pass_answers_on(receiver)
        except Exception as error:
            receiver.on_crash(error)

    def pause(self) -> None:
        """Stop reading, and keep the messages that were read, until :meth:`resume`."""
        self._limits.pause()
        if self._receiver is not None:
            self._receiver.update_interest()

    def resume(self) -> None:
        """Handle the kept messages, and read on."""
        receiver, inbox = self._receiver, self._limits.resume()
        if receiver is None or inbox is None or receiver.is_closing:
            return
        receiver.update_interest()
        try:
            self._pass_on(inbox.messages, inbox.size, receiver)
        except Exception as error:
            receiver.on_crash(error)

    def charge_message(self) -> None:
        """Charge the peer for an unrequested message; too many begin a pause."""
        receiver = self._receiver
        if receiver is not None and (error := self._limits.charge_message()):
            receiver.update_interest()
            receiver.send(error)

    def end_pauses(self) -> None:
        """Drop waiting messages, and read on, even if only to discard."""
        self._limits.close()

    def close(self) -> None:
        """Stop reading, and drop the reference to the connection."""
        self._limits.close()
        self._receiver = None

    def _take(self, data: bytes, arrived_ns: int, by_kernel: bool, receiver: Receiver) -> None:
        pending = self._protocol.pending
        if not pending:
            self._first_ns = arrived_ns
        arrival = Arrival(self._first_ns, arrived_ns, by_kernel)
        if error := self._limits.charge_bytes(len(data)):
            receiver.update_interest()
            receiver.send(error)
        messages = self._protocol.receive_data(data)
        if not messages:
            self._enforce_memory_limit(receiver, arrival)
            return
        self._first_ns = arrived_ns  # the bytes after the last complete frame came now
        if len(messages) == 1 and self._limits.inbox is None:  # nearly always
            receiver.on_message(messages[0], arrival)
            return
        at_once = Arrival(arrived_ns, arrived_ns, by_kernel)
        arrived = [(messages[0], arrival), *((item, at_once) for item in messages[1:])]
        self._pass_on(arrived, pending + len(data), receiver)

    def _pass_on(
        self, messages: list[tuple[Received, Arrival]], size: int, receiver: Receiver
    ) -> None:
        """Pass on messages that came in ``size`` bytes, until a pause begins."""
        for index, (item, arrival) in enumerate(messages):
            if receiver.is_closing:
                return
            inbox = self._limits.inbox
            if inbox is not None:
                inbox.put(messages[index:], size)
                self._enforce_memory_limit(receiver, arrival)
                return
            receiver.on_message(item, arrival)

    def _pass_answers_on(self, receiver: Receiver) -> None:
        """Pass on waiting moves: pauses are meant for other messages."""
        inbox = self._limits.inbox
        if inbox is None:
            return
        answers = [each for each in inbox.messages if type(each[0]) is Move]
        inbox.messages = [each for each in inbox.messages if type(each[0]) is not Move]
        for answer, arrival in answers:
            if not receiver.is_closing:
                receiver.on_message(answer, arrival)

    def _enforce_memory_limit(self, receiver: Receiver, arrival: Arrival) -> None:
        """End the connection if its buffers exceed ``max_memory``."""
        limit, memory = self._settings.max_memory, receiver.memory
        if memory > limit:
            sentence = Reason.of("inbox_too_large", size=memory, limit=limit)
            receiver.on_message(RemoteProtocolError("too_large", sentence, fatal=True), arrival)


_WHY_BROKEN: Final = {
    errno.ECONNRESET: Reason.of("connection_reset"),
    errno.ETIMEDOUT: Reason.of("connection_timed_out"),
    errno.EPIPE: Reason.of("broken_pipe"),
}


def _why_broken(error: OSError) -> Cause:
    """Name the usual causes of a broken connection; others in the operating system's words."""
    return _WHY_BROKEN.get(error.errno or 0) or error.strerror or str(error)
