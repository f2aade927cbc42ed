"""Referees a game whose rules run in another process, without ever waiting in the event loop.

Each reply, fault and question goes through one queue. A task of the match takes them one by one: it
first *rehearses* in a thread what the referee is about to do with it, so that the rules are asked
there. A position of such a game remembers the positions that followed from it
(:attr:`~polynya_games.game.Game.waits`); the referee then does the same at once.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import trio

from polynya_games import RulesFailed
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault, Reply

MOST_LOOKED_UP = 64
"""A question for a seat beyond these is not answered: bots ask the next one after an answer."""

Handler = Callable[[], Awaitable[None]]

_T = TypeVar("_T")


class WaitingReferee(Referee):
    """Plays one match of a game with ``waits``; see :class:`Referee` for its parameters.

    If the rules give no usable answer, the match is annulled.
    """

    # Each seat has at most one reply under way and few faults, and questions are counted.
    _queue: trio.MemorySendChannel[Handler] | None = None
    _looked_up: int = 0

    async def play(self) -> None:
        """See :meth:`Referee.play`."""
        self._queue, queued = trio.open_memory_channel[Handler](math.inf)
        try:
            await in_thread(self._rehearsal()._settle)
            self.begin()
            while not self._over.is_set():
                await (await queued.receive())()
        except RulesFailed as error:
            self._error = error
        finally:
            self._queue.close()
            self._turns.close()
        self._raise_error()

    def report(self, seat: int, fault: Fault) -> None:
        """See :meth:`Referee.report`."""
        if self._queue is not None:
            self._enqueue(partial(self._report, seat, fault))
        else:
            super().report(seat, fault)

    def look_up(self, seat: int, find: Callable[[], _T], tell: Callable[[_T], None]) -> None:
        """Ask the rules something for a seat; its answer waits until they have replied.

        Args:
            seat: the seat.
            find: asks them, in a thread.
            tell: takes the result, in the event loop.
        """
        if self._looked_up < MOST_LOOKED_UP:
            self._looked_up += 1
            self._enqueue(partial(self._look_up, seat, find, tell))

    def _take(self, seat: int, reply: Reply) -> None:
        self._enqueue(partial(self._take_rehearsed, seat, reply))

    def _enqueue(self, handle: Handler) -> None:
        assert self._queue is not None  # noqa: S101 - the match is played
        with contextlib.suppress(trio.ClosedResourceError):  # or is over
            self._queue.send_nowait(handle)

    async def _report(self, seat: int, fault: Fault) -> None:
        rehearsal = self._rehearsal()
        rehearsal._faults.append((seat, fault))
        await self._asked_by({seat}, partial(_end_early, rehearsal))
        super().report(seat, fault)

    async def _take_rehearsed(self, seat: int, reply: Reply) -> None:
        rehearsal = self._rehearsal()
        rehearsal._replies[seat] = reply
        seats = {*rehearsal._replies, *(seat for seat, _ in rehearsal._faults)}
        if len(rehearsal._replies) == len(self.asked):
            await self._asked_by(seats, partial(_end_turn, rehearsal))
        elif type(reply) is Fault:
            await self._asked_by(seats, partial(_end_early, rehearsal))
        super()._take(seat, reply)

    async def _look_up(self, seat: int, find: Callable[[], _T], tell: Callable[[_T], None]) -> None:
        self._looked_up -= 1
        tell(await self._asked_by({seat}, find))

    async def _asked_by(self, seats: set[int], ask: Callable[[], _T]) -> _T:
        """Ask the rules in a thread for some seats; note the seats if the rules fail."""
        try:
            return await in_thread(ask)
        except RulesFailed:
            self._movers = seats
            raise

    def _rehearsal(self) -> Referee:
        """A referee of the same moment; it has no listeners, and asks no seat."""
        other = Referee(self.state, self._seats, self.clock.copy(), self._began_ns, self._game)
        other.turn_number, other.asked = self.turn_number, self.asked
        other.annulled, other.aborted = self.annulled, self.aborted
        other._faults, other._replies = list(self._faults), dict(self._replies)
        other._listeners = []
        return other


def _end_early(rehearsal: Referee) -> None:
    """Ask the rules whether the faults end the match at once."""
    if rehearsal.asked:
        rehearsal._ends_by(rehearsal._deciding_faults())


def _end_turn(rehearsal: Referee) -> None:
    """Ask the rules for the end of a turn that all have answered."""
    rehearsal._end_turn(rehearsal._replies)
    rehearsal._settle()


async def in_thread(function: Callable[[], _T]) -> _T:
    """Call a function of a game with ``waits`` in a thread; each of its questions has a deadline.

    A match has one such call at a time, so matches are the only bound on the number of threads.
    """
    return await trio.to_thread.run_sync(
        function, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
    )
