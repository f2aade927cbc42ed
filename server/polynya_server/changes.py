"""The one way to wait for a change: a version that grows, and tasks that wait for the next one."""

from __future__ import annotations

import trio


class Changes:
    """Changes of one subject, each of which may concern any task that waits.

    To miss no change, a task reads :attr:`version`, looks at the subject, and passes what it read
    to :meth:`wait`. Several changes between two looks are one.

    Attributes:
        version: how many changes there were.
    """

    def __init__(self) -> None:
        self.version = 0
        self._waiting = trio.lowlevel.ParkingLot()

    def notify(self) -> None:
        """The subject has changed: wake all tasks that wait."""
        self.version += 1
        if self._waiting:
            self._waiting.unpark_all()

    async def wait(self, since: int | None = None) -> int:
        """Wait until the version is no longer ``since`` (None: the present one), and return it."""
        if since is None:
            since = self.version
        await trio.lowlevel.checkpoint_if_cancelled()
        while self.version == since:
            await self._waiting.park()
        return self.version
