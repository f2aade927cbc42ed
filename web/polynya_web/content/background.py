"""Work that must not delay a match: in short slices of the server's loop, and in threads.

A thread that computes would hold the interpreter for 5 ms at a time, and a turn that arrives
meanwhile would wait. A slice takes a millisecond, and all slices together get a small share of the
time while matches are played. Threads are for the database, and for games whose rules run in a
process (``Game.waits``): they wait more than they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import perf_counter, thread_time
from typing import ParamSpec, TypeVar

import trio

from polynya_common.reasons import Reason
from polynya_games import Game, RulesFailed
from polynya_protocol.errors import printable

SLICE_S = 0.001
PATIENCE_S = 60.0
"""How long the rules of a game that waits may take for one replay, or for new events of a match."""

T = TypeVar("T")


class BackgroundSlices:
    """Background work beside the matches: callers share its time fairly.

    Args:
        busy: whether matches are being played; if not, the work may use all of the time.
        share: the share of the time that it may use if they are, between 0 and 1.
    """

    def __init__(self, busy: Callable[[], bool], share: float) -> None:
        self._busy = busy
        self._share = share
        self._lock = trio.Lock()
        self._rules = RulesThreads()

    def of_game(self, game: Game) -> BackgroundSlices | RulesThreads:
        """The place for work that follows a match of a game."""
        return self._rules if game.waits else self

    async def once(self, work: Callable[[], T]) -> T:
        """Call ``work`` at once."""
        await trio.lowlevel.checkpoint()
        return work()

    async def each(self, items: Iterable[T], work: Callable[[T], object]) -> None:
        """Call ``work`` with each of the items, one after the other.

        Raises:
            Exception: what ``work`` raises; the items after that one are left out.
        """
        left = iter(items)
        while not await self._slice(left, work):
            pass

    async def _slice(self, left: Iterable[T], work: Callable[[T], object]) -> bool:
        """Work for one slice, then rest by the share; True if nothing is left."""
        async with self._lock:
            began = perf_counter()
            is_done = _slice(left, work)
            if not is_done:
                used = perf_counter() - began
                await trio.sleep(used * (1 / self._share - 1) if self._busy() else 0)
        return is_done


MOST = 4
"""Maximum number of database threads."""


class RulesThreads:
    """The threads that ask the rules of games that wait, in the manner of ``BackgroundSlices``.

    Nothing else waits with them: neither the loop nor the threads of the database.
    """

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(MOST)

    async def once(self, work: Callable[[], T]) -> T:
        """Call ``work`` in a thread.

        Raises:
            ValueError: the rules gave no usable answer, or none in time; the message says so.
            Exception: what ``work`` raises.
        """
        try:
            with trio.fail_after(PATIENCE_S):
                return await trio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=self._limiter
                )
        except RulesFailed as error:
            why = printable(str(error))
            raise ValueError(Reason.of("rules_unanswered", why=why)) from error
        except trio.TooSlowError as error:
            raise ValueError(Reason.of("rules_too_slow", seconds=int(PATIENCE_S))) from error

    async def each(self, items: Iterable[T], work: Callable[[T], object]) -> None:
        """Call ``work`` in threads with each of the items, one after the other.

        Raises:
            ValueError: as of :meth:`once`.
            Exception: what ``work`` raises; the items after that one are left out.
        """
        left = iter(items)
        with trio.move_on_after(PATIENCE_S):
            while not await self.once(partial(_slice, left, work)):
                pass
            return
        raise ValueError(Reason.of("rules_too_slow", seconds=int(PATIENCE_S)))


def _slice(left: Iterable[T], work: Callable[[T], object]) -> bool:
    """Work until a slice is over; True if nothing is left."""
    began = perf_counter()
    for item in left:
        work(item)
        if perf_counter() - began >= SLICE_S:
            return False
    return True


P = ParamSpec("P")


class DatabaseThreads:
    """The threads of one site; called with a function and its arguments.

    Args:
        spend: told the seconds for which a question kept the interpreter from the loop.
    """

    def __init__(self, spend: Callable[[float], None] = lambda _seconds: None) -> None:
        self._spend = spend
        self._limiter = trio.CapacityLimiter(MOST)

    async def __call__(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``question(*args, **kwargs)`` in a thread; wait while all threads are busy."""
        work = partial(_timed, partial(question, *args, **kwargs))
        result, seconds = await trio.to_thread.run_sync(work, limiter=self._limiter)
        self._spend(seconds)
        return result


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = thread_time()
    result = work()
    return result, thread_time() - began
