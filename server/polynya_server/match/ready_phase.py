"""The ready phase: before the first turn, finds which seats are ready, refuse, or stay silent.

A bot that says goodbye, resigns or breaks the protocol before the match begins refuses it, and to
refuse a match is to lose it. A bot that is silent until the time is over forfeits too, but no bot
wins by silence alone (wire contract, "Before all are ready").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import trio

from polynya_server.match.seat import Fault, Participant
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS

MIN_READY = 2
"""Number of ready seats that a match needs."""


class Gathered(NamedTuple):
    """The outcome of a ready phase.

    Attributes:
        faults: of the seats that refused or were silent, by seat in their order.
        counts: whether the match has a result: at least two seats are ready, or one is ready and
            another one refused.
    """

    faults: dict[int, Fault]
    counts: bool


class ReadyPhase:
    """Waits for the seats of one match.

    Args:
        seats: the players by seat.
        deadlines: keeps the deadline.
        ready_ms: how long the players may take.

    Attributes:
        is_open: whether it has not ended yet.
    """

    def __init__(
        self, seats: Sequence[Participant], deadlines: DeadlineQueue, ready_ms: int
    ) -> None:
        self.is_open = True
        self._seats = seats
        self._deadlines = deadlines
        self._ready_ms = ready_ms
        self._refused: dict[int, Fault] = {}
        self._over = trio.Event()

    async def run(self) -> Gathered:
        """Invite the seats; wait until each one has answered, or the time is over."""
        deadline = self._deadlines.new(self._end)
        deadline_ns = self._deadlines.now() + self._ready_ms * NS_PER_MS
        deadline.set(deadline_ns)
        for seat in self._seats:
            seat.invite()
        await self._over.wait()
        deadline.close()
        self.is_open = False
        refused = self._refused
        silent = self._silent() if self._deadlines.now() >= deadline_ns else {}
        ready = len(self._seats) - len(refused) - len(silent)
        counts = ready >= MIN_READY or (ready > 0 and len(refused) > 0)
        return Gathered(dict(sorted((refused | silent).items())), counts)

    def on_ready(self) -> None:
        """A seat is ready."""
        if all(seat.ready or index in self._refused for index, seat in enumerate(self._seats)):
            self._over.set()

    def refuse(self, seat_index: int, fault: Fault) -> None:
        """A seat refuses the match; only its first fault counts."""
        self._refused.setdefault(seat_index, fault)
        self.on_ready()

    def abort(self) -> None:
        """Wait no longer: the match is broken off."""
        self._over.set()

    def _end(self) -> None:
        """Handle the timeout; a `ready` that arrived in time but is still unread counts."""
        for seat in self._seats:
            if not seat.ready:
                seat.read_pending()
        self._over.set()

    def _silent(self) -> dict[int, Fault]:
        return {
            seat_index: Fault("not_ready", seat.why_not_ready(self._ready_ms))
            for seat_index, seat in enumerate(self._seats)
            if not seat.ready and seat_index not in self._refused
        }
