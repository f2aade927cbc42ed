"""Orders the builds of uploads fairly: owners take turns, and overtake long builds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from polynya_store.bots.upload_rows import Upload

LONG_S: Final = 60.0
"""A build that has taken longer does not make other owners' builds wait."""


class FairOrder:
    """Chooses the next upload: of the owner, then of the bot, whose last turn is longest ago."""

    def __init__(self) -> None:
        self._turn = 0
        self._owners: dict[str, int] = {}
        self._bots: dict[str, int] = {}

    def next(self, waiting: Sequence[Upload], busy: Collection[str] = ()) -> Upload | None:
        """Choose one; its owner and its bot come last from now on.

        Args:
            waiting: the uploads that wait, in the order in which they came.
            busy: the owners of whom one is being built.

        Returns:
            None if none waits, or only those of owners that are busy.
        """
        free = [upload for upload in waiting if upload.owner not in busy]
        if not free:
            return None
        chosen = min(free, key=self._last_turn)  # the first of equal ones
        self._turn += 1
        # An owner of whom nothing waits any more needs no place: the next upload is a later one.
        owners, bots = {one.owner for one in waiting}, {one.bot for one in waiting}
        self._owners = _only(self._owners, owners) | {chosen.owner: self._turn}
        self._bots = _only(self._bots, bots) | {chosen.bot: self._turn}
        return chosen

    def _last_turn(self, upload: Upload) -> tuple[int, int]:
        return self._owners.get(upload.owner, 0), self._bots.get(upload.bot, 0)


class Slots:
    """The uploads that are built at the same time, each of another owner.

    Those that take long do not count, until there are twice as many as slots: a build may wait for
    half an hour, and an owner with a short one need not.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken: dict[int, tuple[str, float]] = {}

    def __contains__(self, number: int) -> bool:
        """Whether the upload of this number is being built."""
        return number in self._taken

    @property
    def owners(self) -> Collection[str]:
        """The owners of the uploads that are being built."""
        return [owner for owner, _ in self._taken.values()]

    def has_room(self, now_s: float) -> bool:
        """Whether another upload may be built."""
        short = sum(now_s < began_s + LONG_S for _, began_s in self._taken.values())
        return short < self._count and len(self._taken) < 2 * self._count

    def take(self, upload: Upload, now_s: float) -> None:
        """Begin to build an upload."""
        self._taken[upload.number] = upload.owner, now_s

    def free(self, upload: Upload) -> None:
        """An upload is not being built any more."""
        del self._taken[upload.number]


def _only(turns: dict[str, int], names: Collection[str]) -> dict[str, int]:
    return {name: turn for name, turn in turns.items() if name in names}
