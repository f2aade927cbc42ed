"""Lets tasks wait for changes: each change raises a version and wakes the waiting tasks."""

from __future__ import annotations

import trio


class Changes:
    """Counts the changes of one subject, and wakes all tasks that wait for the next one.

    To miss no change, a task reads :attr:`version`, looks at the subject, and passes what it read
    to :meth:`wait`. Several changes between two looks are one.

    Attributes:
        version: how many changes there were.
    """

    def __init__(self) -> None:
        self.version = 0
        self._waiting = trio.lowlevel.ParkingLot()

    def notify(self) -> None:
        """Count a change and wake all waiting tasks."""
        self.version += 1
        if self._waiting:
            self._waiting.unpark_all()

    async def wait(self, since: int | None = None) -> int:
        """Wait until the version differs from ``since`` (None: the present one); return it."""
        if since is None:
            since = self.version
        await trio.lowlevel.checkpoint_if_cancelled()
        while self.version == since:
            await self._waiting.park()
        return self.version
