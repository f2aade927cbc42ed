"""One match from the first message to the last: who sits where, who is ready, what is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

import trio

from polynya_games import State
from polynya_protocol.errors import printable
from polynya_protocol.messages import MatchResume, MatchStart, RatingChange
from polynya_server.log import log
from polynya_server.match.live_view import MatchInPlay, Position, Present, position_of
from polynya_server.match.referee import Referee
from polynya_server.match.result import match_over, match_record, unrecorded
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import MatchClock
from polynya_server.metrics.counters import MatchMeasures
from polynya_server.records.replay import MatchRecord, MatchSetup, players_of
from polynya_server.services import Services
from polynya_server.sessions.remote_seat import RemoteSeat
from polynya_server.sessions.session import Session
from polynya_server.spectating.broadcast import Gallery
from polynya_server.spectating.delayed_view import Past
from polynya_server.timing.monotonic_clock import NS_PER_MS

MIN_READY = 2
"""With fewer bots than this nothing is played."""


class Match:
    """A match in play.

    Args:
        services: the server's.
        setup: what is to be played.
        state: the initial position.
        options: the game's options with the defaults filled in.
        sessions: the bots by seat.

    Attributes:
        match: its id.
        gallery: its spectators.
        in_play: the match as those see it who only look.
    """

    def __init__(
        self,
        services: Services,
        setup: MatchSetup,
        state: State,
        options: dict[str, Any],
        sessions: Sequence[Session],
    ) -> None:
        self.match = setup.match
        self.gallery = Gallery(setup.match, self._picture)
        self._services = services
        self._setup = setup
        self._options = options
        self._initial = state.to_json()
        self._sessions = sessions
        self._seats = [
            RemoteSeat(services, session, self, seat) for seat, session in enumerate(sessions)
        ]
        clock = MatchClock(setup.clock, len(sessions), setup.untimed)
        began_ns, delay = services.now(), services.delay
        self._past: Past | None = None
        if delay is not None:
            begin = position_of(state, clock)
            self._past = Past(delay, begin, began_ns, lambda: present, self.gallery)
        self._referee = Referee(
            state,
            self._seats,
            clock,
            began_ns,
            [self._past or self.gallery, MatchMeasures(services.measures)],
        )
        present = Present(self._referee, self._seats)
        self._started_ms = time.time_ns() // NS_PER_MS
        self.in_play = MatchInPlay(
            setup, options, self._initial, self._started_ms, sessions, self._past or present
        )
        self._faults: dict[int, Fault] | None = {}  # of who refused; None when all is decided
        self._gathered = trio.Event()
        for session, seat in zip(sessions, self._seats, strict=True):
            session.seats[self.match] = seat

    async def play(self) -> MatchRecord:
        """Play it, record it and tell the bots.

        Raises:
            Exception: what the journal raised; the bots are told that the match was aborted.
        """
        try:
            await self._gather()
            if self._referee.aborted is None:
                await self._referee.play()
        except Exception:
            log.exception("a match crashed", match=self.match)
            self._referee.aborted = "the server failed in this match"
        record = self._record()
        try:
            with self._services.measures.record(record.reason):
                changes = await self._services.journal.finish(record)
        except Exception:
            self._tell_over(unrecorded(record), [])
            raise
        self._tell_over(record, changes)
        return record

    def abort(self, sentence: str) -> None:
        """Break the match off; it ends without a result."""
        self._referee.abort(sentence)
        self._gathered.set()

    @property
    def is_gathering(self) -> bool:
        """See :class:`~polynya_server.sessions.table.Table`."""
        return self._faults is not None

    def show(self, change: Callable[[], None]) -> None:
        """Let those who watch see a change: at once, or later if they see the match as it was."""
        if self._past is None:
            change()
        else:
            self._past.later(change)

    # What seats ask for.

    def start(self, seq: int, seat: int) -> MatchStart:
        """See :class:`~polynya_server.sessions.table.Table`."""
        return MatchStart(
            match=self.match,
            seq=seq,
            game=self._setup.game,
            seat=seat,
            players=players_of(self._setup),
            options=self._options,
            clock=self._setup.clock,
            state=self._initial,
        )

    def resume(self, seq: int, seat: int) -> MatchResume:
        """See :class:`~polynya_server.sessions.table.Table`."""
        return self._resume(seq, seat, position_of(self._referee.state, self._referee.clock))

    def _picture(self, seq: int) -> MatchResume:
        """The match for who watches."""
        return self._resume(seq, None, self.in_play.position)

    def _resume(self, seq: int, seat: int | None, position: Position) -> MatchResume:
        return MatchResume(
            match=self.match,
            seq=seq,
            game=self._setup.game,
            seat=seat,
            players=players_of(self._setup),
            options=self._options,
            clock=self._setup.clock,
            state=position.state.to_json(),
            remaining_ms=position.remaining_ms,
        )

    def on_ready(self) -> None:
        """See :class:`~polynya_server.sessions.table.Table`."""
        self._count_ready()

    def on_fault(self, seat: int, fault: Fault) -> None:
        """See :class:`~polynya_server.sessions.table.Table`."""
        if self._faults is None:
            self._referee.report(seat, fault)
        else:
            self._faults.setdefault(seat, fault)
            self._count_ready()

    # The ready phase.

    async def _gather(self) -> None:
        """Wait until each bot is ready or has refused, or the time for that is over.

        Who refused and who was silent forfeits, in the order of seats. With at least two ready the
        match goes on; with one it has been won if anybody refused, since to refuse a match is to
        lose it. Otherwise nobody lost to anybody (wire contract, "Before all are ready").
        """
        alarm = self._services.timekeeper.alarm(self._end_gathering)
        ready_ms = self._services.settings.ready_ms
        deadline_ns = self._services.now() + ready_ms * NS_PER_MS
        alarm.set(deadline_ns)
        for seat in self._seats:
            seat.start()
        await self._gathered.wait()
        alarm.close()
        refused, self._faults = self._faults or {}, None
        if self._referee.aborted is not None:
            return
        is_over = self._services.now() >= deadline_ns
        silent = self._silent(refused, ready_ms) if is_over else {}
        ready = len(self._seats) - len(refused) - len(silent)
        counts = ready >= MIN_READY or (ready > 0 and len(refused) > 0)
        forfeit = self._referee.report if counts else self._referee.declare
        for number, fault in sorted((refused | silent).items()):
            forfeit(number, fault)
        if not counts:
            self._referee.aborted = "fewer than two bots were ready"

    def _end_gathering(self) -> None:
        """The time is over; but who has said in time that he is ready is, and is read first."""
        for seat in self._seats:
            if not seat.ready:
                seat.drain()
        self._gathered.set()

    def _silent(self, refused: Collection[int], ready_ms: int) -> dict[int, Fault]:
        faults = {}
        for seat, session in zip(self._seats, self._sessions, strict=True):
            if not seat.ready and seat.number not in refused:
                what = "ready" if session.connection else "there"
                why = f": {session.lost}" if session.lost else ""
                sentence = f"{session.name} was not {what} within {ready_ms} ms{why}"
                faults[seat.number] = Fault("not_ready", sentence)
        return faults

    def _count_ready(self) -> None:
        faults = self._faults
        if faults is None:
            return
        if all(seat.ready or seat.number in faults for seat in self._seats):
            self._gathered.set()

    # The end.

    def _tell_over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        self._log(record)
        message = match_over(record, changes)
        for seat, session in zip(self._seats, self._sessions, strict=True):
            seat.over(message)
            session.leave(seat)
        self.show(lambda: self.gallery.over(message))

    def _log(self, record: MatchRecord) -> None:
        for forfeit in record.forfeits:
            log.info(
                "a seat forfeited",
                match=self.match,
                bot=self._setup.players[forfeit.seat],
                reason=forfeit.reason,
                detail=printable(forfeit.detail),
            )
        log.debug("a match is over", match=self.match, reason=record.reason, detail=record.detail)

    def _record(self) -> MatchRecord:
        referee = self._referee
        return match_record(
            self._setup,
            self._options,
            self._initial,
            [session.software for session in self._sessions],
            self._started_ms,
            referee,
        )
