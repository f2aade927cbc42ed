"""Questions to the database, asked in threads so that the loop of the game server never waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

import trio

MOST = 4
"""How many questions are answered at the same time."""

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """The threads of one site; called with a function and its arguments."""

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(MOST)

    async def __call__(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``question(*args, **kwargs)``, which waits while all threads are busy."""
        work = partial(question, *args, **kwargs)
        return await trio.to_thread.run_sync(work, limiter=self._limiter)
