"""Runs one match from the first message to the last: ready phase, referee, record.

It receives its seats and listeners, and knows neither connections nor spectators.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio

from polynya_common.reasons import Reason
from polynya_games import State
from polynya_protocol.errors import printable
from polynya_protocol.messages import RatingChange
from polynya_server.errors import ServerStoppingError
from polynya_server.log import log
from polynya_server.match.match_setup import PLAIN, MatchTerms
from polynya_server.match.position import LiveView, Position, position_of
from polynya_server.match.ready_phase import ReadyPhase
from polynya_server.match.referee import Referee
from polynya_server.match.result import match_record, unrecorded
from polynya_server.match.seat import Fault, MatchListener, Participant
from polynya_server.match.time_control import MatchClock
from polynya_server.match.waiting_referee import WaitingReferee
from polynya_server.records import MatchRecord, MatchSetup
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.machine_load import LoadMeter
from polynya_server.timing.monotonic_clock import NS_PER_MS

KeepRecord = Callable[[MatchRecord], Awaitable[Sequence[RatingChange]]]
"""Records a match durably; returns the ratings that it changed immediately."""


class Match:
    """A match in play.

    Args:
        setup: game, players, clock.
        state: the initial position.
        options: the game's options with the defaults filled in.
        seats: the players by seat.
        deadlines: keeps the deadline of the ready phase.
        ready_ms: how long the players may take to get ready.
        keep_record: called once, when the match has ended.
        meter: measures how busy the machine is meanwhile.
        terms: what the players may know, and whether several are asked at once.

    Attributes:
        setup, options, terms: as above.
        match: the match's id.
        initial_state: the initial position.
        initial: the same, as JSON.
        began_ns: when it began; the times of its events count from here.
        started_ms: the same moment, ms since 1970.
        seats: the players by seat.
        view: read-only view of the match for its viewers.
    """

    def __init__(
        self,
        setup: MatchSetup,
        state: State,
        options: dict[str, Any],
        seats: Sequence[Participant],
        deadlines: DeadlineQueue,
        ready_ms: int,
        keep_record: KeepRecord,
        meter: LoadMeter,
        terms: MatchTerms = PLAIN,
    ) -> None:
        self.setup = setup
        self.match = setup.match
        self.options = options
        self.terms = terms
        self.initial_state = state
        self.initial = state.to_json()
        self.began_ns = deadlines.now()
        self.started_ms = time.time_ns() // NS_PER_MS
        self.seats = seats
        clock = MatchClock(setup.clock, len(seats), setup.untimed)
        referee = WaitingReferee if terms.waits else Referee
        self._referee = referee(
            state, seats, clock, self.began_ns, setup.game, terms.is_plain, deadlines.now
        )
        self.view = LiveView(self._referee, seats)
        self._ready_phase = ReadyPhase(seats, deadlines, ready_ms)
        self._keep_record = keep_record
        self._meter = meter
        self._load_at_begin = meter.sample()
        self._listeners: list[MatchListener] = []
        self._done = trio.Event()
        self._record: MatchRecord | None = None
        self._error: Exception | None = None
        for seat in seats:
            seat.join(self)

    def add_listener(self, listener: MatchListener) -> None:
        """Send ``listener`` future events, after the seats have them, and the result."""
        self._listeners.append(listener)
        self._referee.add_listener(listener)

    async def run(self) -> None:
        """Play and record the match, and tell the seats; :meth:`result` raises any error."""
        try:
            self._record = await self._play()
        except Exception as error:
            log.exception("a match was not recorded", match=self.match)
            self._error = error
        finally:
            self._done.set()

    async def result(self) -> MatchRecord:
        """The record, once the match is over.

        Raises:
            Exception: raised by ``keep_record``; the seats are told that the match was aborted.
            ServerStoppingError: the server was closed before.
        """
        await self._done.wait()
        if self._error is not None:
            raise self._error
        if self._record is None:
            raise ServerStoppingError(Reason.of("server_closed_before_end"))
        return self._record

    def abort(self, why: Reason) -> None:
        """Abort the match; it ends without a result."""
        self._referee.abort(why)
        self._ready_phase.abort()

    @property
    def turn_number(self) -> int:
        """Number of the current or last turn, from 1; 0 before the first."""
        return self._referee.turn_number

    # Called by the seats.

    @property
    def position(self) -> Position:
        """See :class:`~polynya_server.match.seat.MatchContext`."""
        return position_of(self._referee.state, self._referee.clock)

    @property
    def is_gathering(self) -> bool:
        """See :class:`~polynya_server.match.seat.MatchContext`."""
        return self._ready_phase.is_open

    def look_up(self, seat: int, find: Callable[[], Any], tell: Callable[[Any], None]) -> None:
        """See :class:`~polynya_server.match.seat.MatchContext`."""
        if isinstance(self._referee, WaitingReferee):
            self._referee.look_up(seat, find, tell)

    def on_ready(self) -> None:
        """See :class:`~polynya_server.match.seat.MatchContext`."""
        if self._ready_phase.is_open:
            self._ready_phase.on_ready()

    def on_fault(self, seat_index: int, fault: Fault) -> None:
        """See :class:`~polynya_server.match.seat.MatchContext`."""
        if self._ready_phase.is_open:
            self._ready_phase.refuse(seat_index, fault)
        else:
            self._referee.report(seat_index, fault)

    async def _play(self) -> MatchRecord:
        try:
            await self._gather()
            if self._referee.aborted is None:
                await self._referee.play()
        except Exception:
            log.exception("a match crashed", match=self.match)
            self._referee.aborted = Reason.of("server_failed")
        record = self._make_record()
        try:
            changes = await self._keep_record(record)
        except Exception:
            self._tell_over(unrecorded(record), [])
            raise
        self._tell_over(record, changes)
        return record

    async def _gather(self) -> None:
        """Forfeit the seats that are not ready; with fewer than two ready ones, abort the match."""
        gathered = await self._ready_phase.run()
        if self._referee.aborted is not None:
            return
        forfeit = self._referee.report if gathered.counts else self._referee.declare
        for seat_index, fault in gathered.faults.items():
            forfeit(seat_index, fault)
        if not gathered.counts:
            self._referee.aborted = Reason.of("fewer_than_two_ready")

    def _tell_over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        self._log(record)
        for listener in (*self.seats, *self._listeners):
            listener.over(record, changes)
        self._listeners.clear()
        self._referee.clear_listeners()  # which refer to it: now it can be freed

    def _log(self, record: MatchRecord) -> None:
        for forfeit in record.forfeits:
            log.info(
                "a seat forfeited",
                match=self.match,
                bot=self.setup.players[forfeit.seat],
                reason=forfeit.reason,
                detail=printable(str(forfeit.detail)),
            )
        log.debug(
            "a match is over",
            match=self.match,
            reason=record.reason,
            detail=str(record.detail or ""),
        )

    def _make_record(self) -> MatchRecord:
        software = [seat.software for seat in self.seats]
        load = self._meter.since(self._load_at_begin)
        return match_record(
            self.setup,
            self.options,
            self.initial,
            software,
            self.started_ms,
            self._referee,
            load,
        )
