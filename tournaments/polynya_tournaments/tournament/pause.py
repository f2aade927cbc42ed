"""The switch by which a host pauses a ladder or a tournament."""

from __future__ import annotations

from polynya_server.changes import Changes


class PauseSwitch:
    """Pauses the beginning of matches; matches in play continue.

    A pause ends with the process: after a restart a ladder or a tournament runs.
    """

    def __init__(self) -> None:
        self._paused = False
        self._changes = Changes()

    @property
    def paused(self) -> bool:
        """Whether a pause keeps matches from beginning."""
        return self._paused

    def pause(self) -> None:
        """Begin no matches until ``resume``."""
        self._set(paused=True)

    def resume(self) -> None:
        """Begin matches again."""
        self._set(paused=False)

    async def changed(self, since: int | None = None) -> int:
        """Wait until it is paused or resumed: see :class:`~polynya_server.changes.Changes`."""
        return await self._changes.wait(since)

    def _set(self, *, paused: bool) -> None:
        self._paused = paused
        self._changes.notify()
