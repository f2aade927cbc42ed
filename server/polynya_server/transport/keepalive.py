"""Whether a peer is still there, and how long bytes take to it and back.

Bots that came together, when a contest begins or its server is back, must not be pinged together
for ever after: with 2,000 connections at half load the pings and pongs of each heartbeat took the
loop a tenth of a second in one piece, and for half a second one move in a hundred waited for 30 ms
instead of 5. So the heartbeats of most connections are a little longer than the setting says, each
by a share of its own, and drift apart.
"""

from __future__ import annotations

from typing import Final

from polynya_protocol.messages import Ping, Pong
from polynya_server.timing.monotonic_clock import NS_PER_MS

SILENT_HEARTBEATS: Final = 3
"""A peer that sends no frame for so many heartbeats is dropped (wire contract, "Session")."""

_DRIFT: Final = 20
"""A heartbeat lasts for up to a twentieth longer than the setting says, and is never shorter."""

_GOLDEN_RATIO: Final = 0.6180339887498949
"""Its multiples are spread evenly between whole numbers, however many there are."""


def period_ns(heartbeat_ms: int, number: int) -> int:
    """How long a heartbeat of the connection lasts that was let in as the ``number``th, from 1.

    The first connection's is as long as the setting says.
    """
    share = (number - 1) * _GOLDEN_RATIO % 1.0
    return int(heartbeat_ms * NS_PER_MS * (1 + share / _DRIFT))


class Heartbeat:
    """The pings of one connection.

    Args:
        period_ns: how long one heartbeat lasts.

    Attributes:
        period_ns: the same.
        round_trip_ns: the smallest that was measured by them, None before the first.
        silent: how many heartbeats have passed since the peer's last frame; set to 0 by who reads.
    """

    __slots__ = ("_nonce", "_pinged_ns", "period_ns", "round_trip_ns", "silent")

    def __init__(self, period_ns: int) -> None:
        self.period_ns = period_ns
        self._nonce = 0
        self._pinged_ns: int | None = None
        self.silent = 0
        self.round_trip_ns: int | None = None

    @property
    def is_dead(self) -> bool:
        """Whether the peer has let too many heartbeats pass without a frame."""
        return self.silent > SILENT_HEARTBEATS

    @property
    def is_unmeasured(self) -> bool:
        """Whether no round trip was measured, nor is being measured now."""
        return self.round_trip_ns is None and self._pinged_ns is None

    def beat(self) -> None:
        """A heartbeat has passed."""
        self.silent += 1

    def ping(self, now_ns: int) -> Ping:
        """The next ping; an answer to an earlier one is no longer measured."""
        self._nonce += 1
        self._pinged_ns = now_ns
        return Ping(nonce=self._nonce)

    def pong(self, pong: Pong, arrived_ns: int) -> bool:
        """Measure by the answer; False if it answers nothing."""
        if pong.nonce != self._nonce or self._pinged_ns is None:
            return False
        taken_ns = max(0, arrived_ns - self._pinged_ns)
        self._pinged_ns = None
        if self.round_trip_ns is None or taken_ns < self.round_trip_ns:
            self.round_trip_ns = taken_ns
        return True
