"""Bounds concurrent uploads: a body that trickles gives way to waiting ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from polynya_common.reasons import Reason
from polynya_server.changes import Changes
from polynya_tournaments.uploads.errors import FullError
from polynya_web.http.requests import Refused

FLOOR_BYTES_S: Final = 32 * 1024
"""Minimum rate in bytes a second, half that of a modest line; slower bodies give way."""
GRACE_S: Final = 10.0
"""How long a body may stay below the minimum rate."""
WAIT_S: Final = 15.0
"""How long an upload waits for a place: longer than ``GRACE_S``."""
_LEAST_S: Final = 0.01
_WAITING: Final = 64
_WAITING_OF_NETWORK: Final = 4


class Body:
    """An arriving body.

    Args:
        now: the time in seconds.

    Attributes:
        scope: in which it is read; cancelled when it gives way.
        is_complete: whether all of it is there.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.scope = trio.CancelScope()
        self.is_complete = False
        self._now = now
        self._until_s = now() + GRACE_S

    def received(self, length: int) -> None:
        """Count received bytes."""
        self._until_s = min(self._until_s + length / FLOOR_BYTES_S, self._now() + GRACE_S)

    @property
    def slack_s(self) -> float:
        """How long it may still send nothing; negative for a body below the minimum rate."""
        return self._until_s - self._now()

    def check(self) -> None:
        """Refuse a body that had to give way.

        Raises:
            HTTPException: 408, it had to.
        """
        if self.scope.cancelled_caught:
            raise Refused(
                408,
                Reason.of("upload_gave_way", kibibytes=FLOOR_BYTES_S // 1024),
                {"connection": "close"},
            )


class ArrivingBodies:
    """The bodies that are arriving, and the uploads that wait for a place among them.

    Args:
        now: the time in seconds.
    """

    def __init__(self, now: Callable[[], float] = trio.current_time) -> None:
        self._now = now
        self._bodies: set[Body] = set()
        self._waiting: Counter[str | None] = Counter()
        self._changes = Changes()

    async def begin(self, take: Callable[[], Awaitable[object]], network: str | None) -> Body:
        """Wait for a place and admit a body; :meth:`end` must follow.

        Args:
            take: lets it in.
            network: where it comes from; None where that is not known.

        Raises:
            FullError: ``take`` raises it, and no other body gives way in time.
            QuotaError: ``take`` raises it for another reason.
        """
        try:
            await take()
        except FullError:
            if not self._may_wait(network):
                raise
            self._waiting[network] += 1
            try:
                await self._take_place(take)
            finally:
                self._waiting -= Counter([network])
        body = Body(self._now)
        self._bodies.add(body)
        return body

    def end(self, body: Body) -> None:
        """Free the place of a body."""
        self._bodies.discard(body)
        self._changes.notify()

    def _may_wait(self, network: str | None) -> bool:
        is_many = network is not None and self._waiting[network] >= _WAITING_OF_NETWORK
        return self._waiting.total() < _WAITING and not is_many

    async def _take_place(self, take: Callable[[], Awaitable[object]]) -> None:
        end_s = self._now() + WAIT_S
        while True:
            seen = self._changes.version
            try:
                await take()
            except FullError:
                if self._now() >= end_s:
                    raise
            else:
                return
            wait_s = min(self._give_way(), end_s - self._now())
            with trio.move_on_after(max(wait_s, _LEAST_S)):
                await self._changes.wait(seen)

    def _give_way(self) -> float:
        """End the slowest body if it is below the minimum rate; else the seconds until it is."""
        coming = [body for body in self._bodies if not body.is_complete]
        slowest = min(coming, key=lambda body: body.slack_s, default=None)
        if slowest is None:
            return math.inf
        if slowest.slack_s > 0:
            return slowest.slack_s
        self._bodies.discard(slowest)
        slowest.scope.cancel()
        return math.inf
