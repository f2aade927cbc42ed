"""Referees a game whose rules run in another process, without ever waiting in the event loop.

Each reply, fault and question goes through one queue. A task of the match takes them one by one: it
first *rehearses* in a thread what the referee is about to do with it, so that the rules are asked
there. A position of such a game remembers the positions that followed from it
(:attr:`~polynya_games.game.Game.waits`); the referee then does the same at once.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic_ns
from typing import TypeVar

import trio

from polynya_games import RulesFailed, State
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault, Reply, Seat
from polynya_server.match.time_control import MatchClock

MOST_LOOKED_UP = 64
"""A question for a seat beyond these is not answered: bots ask the next one after an answer."""

Handler = Callable[[], Awaitable[None]]

_T = TypeVar("_T")


class WaitingReferee(Referee):
    """Plays one match of a game with ``waits``; see :class:`Referee` for its parameters.

    If the rules give no usable answer, the match is annulled.
    """

    def __init__(
        self,
        state: State,
        seats: Sequence[Seat],
        clock: MatchClock,
        began_ns: int,
        game: str = "",
        is_plain: bool = True,
        now: Callable[[], int] = monotonic_ns,
    ) -> None:
        super().__init__(state, seats, clock, began_ns, game, is_plain, now)
        # Each seat has at most one reply under way and few faults, and questions are counted.
        self._queue, self._queued = trio.open_memory_channel[Handler](math.inf)
        self._looked_up = 0
        self._plays = False
        self._limiter = trio.CapacityLimiter(1)

    async def play(self) -> None:
        """See :meth:`Referee.play`."""
        self._plays = True
        try:
            await self._in_thread(self._rehearsal()._settle)
            self.begin()
            while not self._over.is_set():
                await (await self._queued.receive())()
        except RulesFailed as error:
            self._error = error
        finally:
            self._queue.close()
            self._turns.close()
        self._raise_error()

    def report(self, seat: int, fault: Fault) -> None:
        """See :meth:`Referee.report`."""
        if self._plays:
            self._enqueue(partial(self._report, seat, fault))
        else:
            super().report(seat, fault)

    def look_up(self, find: Callable[[], _T], tell: Callable[[_T], None]) -> None:
        """Ask the rules something for a seat; its answer waits until they have replied.

        Args:
            find: asks them, in a thread.
            tell: takes the result, in the event loop.
        """
        if self._looked_up < MOST_LOOKED_UP:
            self._looked_up += 1
            self._enqueue(partial(self._look_up, find, tell))

    def _take(self, seat: int, reply: Reply) -> None:
        self._enqueue(partial(self._take_rehearsed, seat, reply))

    def _enqueue(self, handle: Handler) -> None:
        with contextlib.suppress(trio.ClosedResourceError):  # the match is over
            self._queue.send_nowait(handle)

    async def _report(self, seat: int, fault: Fault) -> None:
        rehearsal = self._rehearsal()
        rehearsal._faults.append((seat, fault))
        await self._in_thread(rehearsal._would_end)
        super().report(seat, fault)

    async def _take_rehearsed(self, seat: int, reply: Reply) -> None:
        rehearsal = self._rehearsal()
        rehearsal._replies[seat] = reply
        if len(rehearsal._replies) == len(self.asked):
            await self._in_thread(rehearsal._rehearse_end)
        elif type(reply) is Fault:
            await self._in_thread(rehearsal._would_end)
        super()._take(seat, reply)

    async def _look_up(self, find: Callable[[], _T], tell: Callable[[_T], None]) -> None:
        self._looked_up -= 1
        tell(await self._in_thread(find))

    async def _in_thread(self, function: Callable[[], _T]) -> _T:
        """Call a function in a thread; one at a time for each match.

        The game itself has a deadline for each question.
        """
        return await trio.to_thread.run_sync(
            function, abandon_on_cancel=True, limiter=self._limiter
        )

    # Rehearsing.

    def _rehearsal(self) -> WaitingReferee:
        """A referee of the same moment; it has no listeners, and asks no seat."""
        other = WaitingReferee(
            self.state, self._seats, self.clock.copy(), self._began_ns, self._game
        )
        other.turn_number, other.asked = self.turn_number, self.asked
        other.annulled, other.aborted = self.annulled, self.aborted
        other._faults, other._replies = list(self._faults), dict(self._replies)
        other._listeners = []
        return other

    def _would_end(self) -> None:
        if self.asked:
            self._ends_by(self._deciding_faults())

    def _rehearse_end(self) -> None:
        self._end_turn(self._replies)
        self._settle()
