"""Heartbeats: detects dead peers and measures their round trip."""

from __future__ import annotations

from typing import Final

from polynya_protocol.messages import Ping, Pong

SILENT_HEARTBEATS: Final = 3
"""A peer that is silent for this number of heartbeats is dropped (wire contract, "Session")."""


class Heartbeat:
    """The pings of one connection.

    Attributes:
        round_trip_ns: the smallest measured round trip, None before the first.
        silent: number of heartbeats since the peer's last frame; its reader resets it.
    """

    __slots__ = ("_nonce", "_pinged_ns", "round_trip_ns", "silent")

    def __init__(self) -> None:
        self._nonce = 0
        self._pinged_ns: int | None = None
        self.silent = 0
        self.round_trip_ns: int | None = None

    @property
    def is_dead(self) -> bool:
        """Whether too many heartbeats have passed without a frame from the peer."""
        return self.silent > SILENT_HEARTBEATS

    @property
    def is_unmeasured(self) -> bool:
        """Whether no round trip has been measured and no measurement is under way."""
        return self.round_trip_ns is None and self._pinged_ns is None

    def beat(self) -> None:
        """Count a heartbeat."""
        self.silent += 1

    def ping(self, now_ns: int) -> Ping:
        """Make the next ping; replies to earlier ones are no longer measured."""
        self._nonce += 1
        self._pinged_ns = now_ns
        return Ping(nonce=self._nonce)

    def pong(self, pong: Pong, arrived_ns: int) -> bool:
        """Measure the round trip by a pong; False if it answers no ping."""
        if pong.nonce != self._nonce or self._pinged_ns is None:
            return False
        taken_ns = max(0, arrived_ns - self._pinged_ns)
        self._pinged_ns = None
        if self.round_trip_ns is None or taken_ns < self.round_trip_ns:
            self.round_trip_ns = taken_ns
        return True
