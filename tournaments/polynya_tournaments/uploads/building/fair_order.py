"""The order in which uploads are built: owners take turns, so that many of one delay no other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from polynya_store.bots.upload_rows import Upload


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


def _only(turns: dict[str, int], names: Collection[str]) -> dict[str, int]:
    return {name: turn for name, turn in turns.items() if name in names}
