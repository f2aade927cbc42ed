"""The broadcast of one match: the same bytes for all of its spectators.

``seq`` counts the events of the match from 0, and a snapshot has the number of the last event that
it includes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polynya_protocol import encode
from polynya_protocol.messages import RatingChange
from polynya_server.match.match_messages import (
    forfeited_message,
    match_over,
    match_resume,
    moved_message,
)
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord
from polynya_server.spectating.match_in_play import MatchInPlay

if TYPE_CHECKING:
    from polynya_server.spectating.spectator import Spectator


class MatchBroadcast:
    """Sends one match to its spectators; a listener of the match.

    Args:
        match: the match as it is shown.

    Attributes:
        match: the match's id.
    """

    __slots__ = ("_final", "_seq", "_shown", "_spectators", "match")

    def __init__(self, match: MatchInPlay) -> None:
        self.match = match.setup.match
        self._shown: MatchInPlay | None = match
        self._seq = 0
        self._spectators: set[Spectator] = set()
        self._final: list[bytes] = []

    def join(self, spectator: Spectator) -> None:
        """Send the match to ``spectator`` from now on, beginning with a snapshot."""
        if spectator not in self._spectators:
            self._spectators.add(spectator)
            spectator.watched.add(self)
            spectator.send_snapshot(self)

    def leave(self, spectator: Spectator) -> None:
        """Send the match to ``spectator`` no longer."""
        self._spectators.discard(spectator)
        spectator.watched.discard(self)

    def snapshot_frames(self) -> list[bytes]:
        """The frames that show the match as it stands; its result too, if it is over."""
        shown = self._shown
        if shown is None:
            return self._final
        return [encode(match_resume(shown, self._seq, None))]

    def moved(self, turn: TurnRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._spectators:
            self._send(encode(moved_message(self.match, self._seq, turn)))

    def forfeited(self, forfeit: ForfeitRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._spectators:
            self._send(encode(forfeited_message(self.match, self._seq, forfeit)))

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """Send the result and let all spectators go; later snapshots include it."""
        if self._spectators:
            over = encode(match_over(record, changes, self._seq + 1))
            self._final = [*self.snapshot_frames(), over]
            self._send(over)
        for spectator in list(self._spectators):
            self.leave(spectator)
        self._shown = None  # drop the reference so the match can be freed

    def _send(self, frame: bytes) -> None:
        for spectator in list(self._spectators):
            spectator.send(self, frame)
