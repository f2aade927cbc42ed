"""The spectator hub: broadcasts every visible match to its spectators.

A broadcast sends the same bytes to all spectators of its match. ``seq`` counts the events of the
match from 0, and a snapshot has the number of the last event that it includes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from polynya_protocol import encode
from polynya_protocol.messages import RatingChange
from polynya_server.match.match import Match
from polynya_server.match.match_messages import (
    forfeited_message,
    match_over,
    match_resume,
    moved_message,
)
from polynya_server.match.seat import Transition
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord
from polynya_server.spectating.delayed_view import Delay, DelayedListener, DelayedView
from polynya_server.spectating.match_in_play import MatchInPlay
from polynya_server.timing.deadlines import DeadlineQueue

if TYPE_CHECKING:
    from polynya_server.spectating.spectator import Spectator


class MatchBroadcast:
    """Sends one match to its spectators; a listener of the match.

    Args:
        match: the match as it is shown.

    Attributes:
        match: the match's id.
    """

    __slots__ = ("_final", "_seq", "_shown", "_spectators", "_terms", "match")

    def __init__(self, match: MatchInPlay) -> None:
        self.match = match.setup.match
        self._shown: MatchInPlay | None = match
        self._terms = match.terms
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
        """The frames of a snapshot of the match; with its result, if it is over."""
        shown = self._shown
        if shown is None:
            return self._final
        return [encode(match_resume(shown, self._seq, None))]

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._spectators:
            told = moved_message(self.match, self._seq, turn, None, within, self._terms)
            self._send(encode(told))

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._spectators:
            told = forfeited_message(self.match, self._seq, forfeit, None, within, self._terms)
            self._send(encode(told))

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """Send the result and release all spectators; later snapshots include it."""
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


if TYPE_CHECKING:
    from polynya_server.spectating.spectator import Spectator


class SpectatorHub:
    """Shows matches to spectators, live or after a delay.

    Args:
        deadlines: keeps the delays.
        delay_s: delay of everything that is shown; 0 for live.
        on_change: called when a match that was over is shown as over.
    """

    def __init__(
        self, deadlines: DeadlineQueue, delay_s: int, on_change: Callable[[], None]
    ) -> None:
        self._delay = Delay(deadlines, delay_s) if delay_s else None
        self._on_change = on_change
        self._broadcasts: dict[str, MatchBroadcast] = {}
        self._matches: dict[str, MatchInPlay] = {}
        self._everywhere: set[Spectator] = set()
        self._hidden_ms: tuple[int, float] = (0, 0)

    def hide_matches(self, since_ms: int, until_ms: float) -> None:
        """Hide all matches that begin in this period, in ms since 1970."""
        self._hidden_ms = (since_ms, until_ms)

    @property
    def matches(self) -> Mapping[str, MatchInPlay]:
        """The matches that are shown, by id, in the order of beginning.

        A reader sees the whole truth of each. If its ``terms`` are not plain, the reader must
        show it as its spectators are told of it.
        """
        return self._matches

    @property
    def waiting(self) -> int:
        """The number of events that wait to be shown."""
        return 0 if self._delay is None else self._delay.waiting

    @contextmanager
    def showing(self, match: Match) -> Iterator[None]:
        """Show a match from its beginning to its end, which is when the context exits.

        A match that is hidden when it begins stays hidden to its end.
        """
        since_ms, until_ms = self._hidden_ms
        if since_ms <= match.started_ms < until_ms:
            yield
            return
        delayed = None if self._delay is None else DelayedView(self._delay, match)
        in_play = MatchInPlay(match, delayed or match.view)
        broadcast = MatchBroadcast(in_play)
        match.add_listener(DelayedListener(delayed, broadcast) if delayed else broadcast)
        show = delayed.schedule if delayed else _at_once
        show(lambda: self._open(broadcast, in_play))
        try:
            yield
        finally:
            show(lambda: self._close(broadcast))
            show(self._on_change)
            if delayed is not None:
                delayed.end()

    def watch(self, spectator: Spectator, match: str) -> bool:
        """Send a match to ``spectator``; False if it is not shown."""
        broadcast = self._broadcasts.get(match)
        if broadcast is None:
            return False
        broadcast.join(spectator)
        return True

    def watch_all(self, spectator: Spectator) -> None:
        """Send all matches to ``spectator``, future ones too."""
        self._everywhere.add(spectator)
        for broadcast in list(self._broadcasts.values()):
            broadcast.join(spectator)

    def unwatch_all(self, spectator: Spectator) -> None:
        """Send no future matches to ``spectator``."""
        self._everywhere.discard(spectator)

    def _open(self, broadcast: MatchBroadcast, match: MatchInPlay) -> None:
        self._broadcasts[broadcast.match] = broadcast
        self._matches[broadcast.match] = match
        for spectator in list(self._everywhere):
            broadcast.join(spectator)

    def _close(self, broadcast: MatchBroadcast) -> None:
        self._broadcasts.pop(broadcast.match, None)
        self._matches.pop(broadcast.match).is_over = True


def _at_once(change: Callable[[], None]) -> None:
    change()
