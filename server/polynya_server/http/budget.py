"""Limits the event-loop time that HTTP takes while matches are played.

Work that a client can cause without limit waits for its turn here: connections, requests, and the
bytes read from them. While there are matches, turns begin only as fast as their work fits into a
share of the time. One network has one turn in the queue, so that a flood from one delays only
itself beyond that. The waits of a client that floods cost no other client anything.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, TypeVar, cast

import trio

from polynya_server.rate_limit import network_of

SHARE = 0.2
"""Share of the loop's time that HTTP may take while matches are played."""

BURST_S = 0.3
"""Burst allowed after a pause: enough for some pages with all their parts."""

ACCEPT_S = 0.0003
"""Flat charge for a new connection, on top of the work for its bytes: it cannot be measured."""

_LOOK_S = 0.1
"""Interval of checks whether the last match has ended."""

T = TypeVar("T")


class HttpBudget:
    """Grants turns, and charges the loop time that they use.

    Args:
        busy: whether matches are being played; if not, nothing waits.
        now: the time in seconds.
    """

    def __init__(
        self, busy: Callable[[], bool], now: Callable[[], float] = trio.current_time
    ) -> None:
        self._busy = busy
        self._now = now
        self._free_s = -math.inf  # when the time used so far is paid off
        self._queue = trio.Lock()  # the first in it waits for the time, the others for the first
        self._networks: dict[str, tuple[trio.Lock, int]] = {}

    def spend(self, seconds: float) -> None:
        """Charge loop time that was used."""
        if self._busy():
            self._free_s = max(self._free_s, self._now() - BURST_S / SHARE) + seconds / SHARE

    async def turn(self, address: str | None = None) -> None:
        """Wait until there is time for more work; an ``address`` shares its network's queue."""
        if self._has_time() and not self._queue.locked():
            return
        if address is None:
            await self._wait()
        else:
            async with self._alone(network_of(address)):
                await self._wait()

    def _has_time(self) -> bool:
        return self._free_s <= self._now() or not self._busy()

    async def _wait(self) -> None:
        async with self._queue:
            while not self._has_time():
                wait_s = min(self._free_s - self._now(), _LOOK_S)
                await trio.sleep(max(wait_s, 0))

    @asynccontextmanager
    async def _alone(self, network: str) -> AsyncIterator[None]:
        """Let the requests of a network pass one at a time."""
        lock, users = self._networks.get(network, (trio.Lock(), 0))
        self._networks[network] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._networks.pop(network)
            if users > 1:
                self._networks[network] = lock, users - 1


async def measured(work: Coroutine[Any, Any, T], spend: Callable[[float], None]) -> T:
    """Run ``work``; call ``spend`` with the seconds for which each of its steps held the loop."""
    return cast("T", await _Measured(work, spend))


class _Measured:
    """Awaits a coroutine and measures each of its steps, which nothing interrupts."""

    def __init__(self, work: Coroutine[Any, Any, Any], spend: Callable[[float], None]) -> None:
        self._work = work
        self._spend = spend

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        value: Any = None
        error: BaseException | None = None
        while True:
            began = perf_counter()
            try:
                waits_for = steps.send(value) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            finally:
                self._spend(perf_counter() - began)
            value = error = None
            try:
                value = yield waits_for
            except BaseException as raised:
                error = raised
