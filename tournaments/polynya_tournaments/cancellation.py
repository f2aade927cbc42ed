"""Cancels a context when an event comes first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def cancelled_by(*events: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Cancel the context when the first event comes; the code after it continues.

    Args:
        events: functions that return when their event has come.
    """
    async with trio.open_nursery() as nursery:

        async def end_after(event: Callable[[], Awaitable[None]]) -> None:
            await event()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(end_after, event)
        yield
        nursery.cancel_scope.cancel()
