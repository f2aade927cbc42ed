"""Limits one peer's rate: token buckets for messages and for bytes; an empty one pauses reading.

Answers that the server asked for (``move``, ``ready``, ``pong``) cost no message: the server itself
sets their pace, and a bot may answer twenty thousand turns a second. Nor do the first queries for
legal steps of a turn, during which the bot's own clock runs. Every byte costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import Error, FromClient
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import Deadline, DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS, NS_PER_S
from polynya_server.transport.arrival import Arrival

Received = FromClient | RemoteProtocolError

MIN_PAUSE_MS: Final = 100

MEMORY_PER_BYTE: Final = 80
"""Upper bound of the memory that a byte of a frame takes as a message: an empty list of one byte
becomes 64 bytes (measured, Python 3.11; ``tests/server/transport/test_message_limits.py``)."""


class PausedInbox:
    """Messages that were read and wait for the end of a pause.

    Attributes:
        messages: in order, with errors in place of bad frames; each with its arrival.
        size: upper bound of the bytes that they came in.
    """

    __slots__ = ("messages", "size")

    def __init__(self) -> None:
        self.messages: list[tuple[Received, Arrival]] = []
        self.size = 0

    def put(self, messages: Sequence[tuple[Received, Arrival]], size: int) -> None:
        """Keep more messages, which came in at most ``size`` bytes."""
        self.messages += messages
        self.size += size


class InboundLimits:
    """The buckets of one connection, full at first, and its pauses.

    Args:
        settings: the rates and bursts.
        deadlines: end pauses, and tell the time.
        on_resume: called when a pause for a rate is over; it calls :meth:`resume`.

    Attributes:
        inbox: where messages wait during a pause; None while there is none.
    """

    __slots__ = (
        "_bytes_at_ns",
        "_bytes_left",
        "_deadline",
        "_deadlines",
        "_messages_at_ns",
        "_messages_left",
        "_on_resume",
        "_settings",
        "inbox",
    )

    def __init__(
        self, settings: ServerSettings, deadlines: DeadlineQueue, on_resume: Callable[[], None]
    ) -> None:
        self.inbox: PausedInbox | None = None
        self._settings = settings
        self._deadlines = deadlines
        self._on_resume = on_resume
        self._messages_at_ns = self._bytes_at_ns = deadlines.now()
        self._messages_left = float(settings.message_burst)
        self._bytes_left = settings.byte_burst
        self._deadline: Deadline | None = None  # most connections never need one

    @property
    def memory(self) -> int:
        """Upper bound of the memory that waiting messages take, in bytes."""
        return 0 if self.inbox is None else MEMORY_PER_BYTE * self.inbox.size

    def charge_message(self) -> Error | None:
        """Charge one message; return an error for the peer if that begins a pause."""
        if self.inbox is not None:
            return None
        settings, now_ns = self._settings, self._deadlines.now()
        rate = settings.messages_per_second
        gained = (now_ns - self._messages_at_ns) * rate / NS_PER_S
        left = min(settings.message_burst, self._messages_left + gained) - 1
        self._messages_left = left
        self._messages_at_ns = now_ns
        if left >= 1:
            return None
        return self._pause_for(int((1 - left) * 1000 / rate), f"more than {rate} messages a second")

    def charge_bytes(self, count: int) -> Error | None:
        """Charge the bytes of one read; return an error for the peer if that begins a pause.

        The clock is read only when the bucket seems empty.
        """
        self._bytes_left -= count
        if self._bytes_left >= 0 or self.inbox is not None:
            return None
        settings, now_ns = self._settings, self._deadlines.now()
        rate = settings.bytes_per_second
        gained = (now_ns - self._bytes_at_ns) * rate // NS_PER_S
        left = min(settings.byte_burst, self._bytes_left + gained)
        self._bytes_left = left
        self._bytes_at_ns = now_ns
        if left >= 0:
            return None
        return self._pause_for(-left * 1000 // rate, f"more than {rate} bytes a second")

    def pause(self) -> None:
        """Keep messages waiting until :meth:`resume`."""
        if self.inbox is None:
            self.inbox = PausedInbox()

    def resume(self) -> PausedInbox | None:
        """End the pause, if there is one; return the messages that waited."""
        inbox, self.inbox = self.inbox, None
        return inbox

    def close(self) -> None:
        """Cancel pauses, and drop waiting messages."""
        self.inbox = None
        if self._deadline is not None:
            self._deadline.close()
        self._on_resume = _nothing

    def _pause_for(self, least_ms: int, sentence: str) -> Error:
        self.pause()
        pause_ms = max(MIN_PAUSE_MS, least_ms)
        if self._deadline is None:
            self._deadline = self._deadlines.new(self._on_resume)
        self._deadline.set(self._deadlines.now() + pause_ms * NS_PER_MS)
        sentence = f"{sentence}; this connection is not read for {pause_ms} ms"
        return Error(code="rate_limited", message=sentence, fatal=False)


def _nothing() -> None:
    """The end of a pause of a closed connection."""
