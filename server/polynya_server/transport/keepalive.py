"""Whether a peer is still there, and how long bytes take to it and back."""

from __future__ import annotations

from typing import Final

from polynya_protocol.messages import Ping, Pong

SILENT_HEARTBEATS: Final = 3
"""A peer that is silent for this number of heartbeats is dropped (wire contract, "Session")."""


class Heartbeat:
    """The pings of one connection.

    Attributes:
        round_trip_ns: the smallest that was measured by them, None before the first.
        silent: how many heartbeats have passed since the peer's last frame; its reader resets it.
    """

    __slots__ = ("_nonce", "_pinged_ns", "round_trip_ns", "silent")

    def __init__(self) -> None:
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
