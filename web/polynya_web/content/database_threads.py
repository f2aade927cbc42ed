"""Questions to the database, asked in threads so that the loop of the game server never waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import ParamSpec, TypeVar

import trio

MOST = 4
"""How many questions are answered at the same time."""

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """The threads of one site; called with a function and its arguments.

    Args:
        spend: told the seconds for which a question kept the interpreter from the loop.
    """

    def __init__(self, spend: Callable[[float], None] = lambda _seconds: None) -> None:
        self._spend = spend
        self._limiter = trio.CapacityLimiter(MOST)

    async def __call__(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``question(*args, **kwargs)``, which waits while all threads are busy."""
        work = partial(_timed, partial(question, *args, **kwargs))
        result, seconds = await trio.to_thread.run_sync(work, limiter=self._limiter)
        self._spend(seconds)
        return result


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = thread_time()
    result = work()
    return result, thread_time() - began
