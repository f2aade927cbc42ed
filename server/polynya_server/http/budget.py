"""The loop's time that HTTP may take while matches are played, however much is asked for.

Everything that a client can cause without end waits for its turn here: connections, requests, and
what is read of them. While there are matches, turns begin only as fast as their work fits into a
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
"""How much of the time HTTP may take while matches are played."""

BURST_S = 0.3
"""How much time may be taken at once after a pause: some pages with all their parts."""

ACCEPT_S = 0.0003
"""A connection's cost beside the work for its bytes; it cannot be measured apart."""

_LOOK_S = 0.1
"""So often it is looked whether the last match has ended."""

T = TypeVar("T")


class HttpBudget:
    """Gives turns, and counts what was used of the loop's time.

    Args:
        busy: whether matches are being played; if not, nothing waits.
        now: the time in seconds.
    """

    def __init__(
        self, busy: Callable[[], bool], now: Callable[[], float] = trio.current_time
    ) -> None:
        self._busy = busy
        self._now = now
        self._free_s = -math.inf  # when what was used will be paid off
        self._queue = trio.Lock()  # the first in it waits for the time, the others for the first
        self._networks: dict[str, tuple[trio.Lock, int]] = {}

    def spend(self, seconds: float) -> None:
        """This part of the loop's time was used."""
        if self._busy():
            self._free_s = max(self._free_s, self._now() - BURST_S / SHARE) + seconds / SHARE

    async def turn(self, address: str | None = None) -> None:
        """Return when there is time for more work; for the requests of an address with it."""
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
        """One request of a network after the other."""
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
    """Do work, and pass on the seconds of each of its steps, in which it keeps the loop."""
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
