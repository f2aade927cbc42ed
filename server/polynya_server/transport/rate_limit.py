"""How much a peer may send: buckets of messages and of bytes that refill with time.

Answers to what the server asked (``move``, ``ready``, ``pong``) cost nothing: the server itself
sets their pace, and a bot that answers twenty thousand turns a second is as fast as it should be.
So do the first questions for legal steps of each turn, for which the bot's own clock runs. Bytes
cost whatever they are: a number is subtracted for each reading, and time is asked for only when it
has gone below zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from polynya_protocol.messages import Error
from polynya_server.services import Services
from polynya_server.timing.deadlines import Alarm
from polynya_server.timing.monotonic_clock import NS_PER_MS, NS_PER_S

SHORTEST_PAUSE_MS: Final = 100


class RateLimit:
    """The tokens of one connection; it begins with all of them.

    Args:
        services: for the limits and the time.
        on_resume: called when a pause is over.

    Attributes:
        bytes_left: what it may still send at once, as of the last refill; whoever reads subtracts.
    """

    __slots__ = (
        "_alarm",
        "_at_ns",
        "_bytes_at_ns",
        "_on_resume",
        "_services",
        "_tokens",
        "bytes_left",
    )

    def __init__(self, services: Services, on_resume: Callable[[], None]) -> None:
        self._services = services
        self._on_resume = on_resume
        self._tokens = float(services.settings.message_burst)
        self._at_ns = self._bytes_at_ns = services.now()
        self.bytes_left = services.settings.byte_burst
        self._alarm: Alarm | None = None  # most connections never need one

    def spend(self) -> bool:
        """Take the token of one message; False when none is left for a next one."""
        settings, now_ns = self._services.settings, self._services.now()
        gained = (now_ns - self._at_ns) * settings.messages_per_second / NS_PER_S
        self._tokens = min(settings.message_burst, self._tokens + gained) - 1
        self._at_ns = now_ns
        return self._tokens >= 1

    def pause(self) -> Error:
        """Begin a pause until there is a token again; the error that tells the peer."""
        rate = self._services.settings.messages_per_second
        pause_ms = max(SHORTEST_PAUSE_MS, int((1 - self._tokens) * 1000 / rate))
        sentence = f"more than {rate} messages a second"
        return self._pause(self._at_ns, pause_ms, sentence)

    def refill(self) -> bool:
        """Add the bytes that time has brought; False when there are still none left."""
        settings, now_ns = self._services.settings, self._services.now()
        gained = (now_ns - self._bytes_at_ns) * settings.bytes_per_second // NS_PER_S
        self.bytes_left = min(settings.byte_burst, self.bytes_left + gained)
        self._bytes_at_ns = now_ns
        return self.bytes_left >= 0

    def pause_for_bytes(self) -> Error:
        """Begin a pause until the bytes that were too many are made up for."""
        rate = self._services.settings.bytes_per_second
        pause_ms = max(SHORTEST_PAUSE_MS, -self.bytes_left * 1000 // rate)
        return self._pause(self._bytes_at_ns, pause_ms, f"more than {rate} bytes a second")

    def _pause(self, from_ns: int, pause_ms: int, sentence: str) -> Error:
        if self._alarm is None:
            self._alarm = self._services.timekeeper.alarm(self._on_resume)
        self._alarm.set(from_ns + pause_ms * NS_PER_MS)
        sentence = f"{sentence}; this connection is not read for {pause_ms} ms"
        return Error(code="rate_limited", message=sentence, fatal=False)

    def close(self) -> None:
        """No pause ends any more."""
        if self._alarm is not None:
            self._alarm.close()
        self._on_resume = _nothing


def _nothing() -> None:
    """What follows a pause of a connection that is closed."""
