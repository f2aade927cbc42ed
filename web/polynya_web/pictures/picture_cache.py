"""Cards as PNG: one is drawn at a time, in background slices, and the last ones are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

import trio

from polynya_web.content.background_slices import BackgroundSlices
from polynya_web.content.database_threads import DatabaseThreads
from polynya_web.pictures.canvas import as_png
from polynya_web.pictures.card import Card, CardPainter

MAX_KEPT_BYTES = 8 * 1024 * 1024
"""About 300 pictures."""
MAX_WAITING = 16
"""How many requests wait for pictures; a picture takes 40 ms of processor time."""


class TooManyPicturesError(Exception):
    """While this number of requests wait for pictures, one more is refused."""


class PictureCache:
    """The pictures of one site.

    Args:
        ask: the threads in which they become PNG.
        background: the time in which they are drawn.
    """

    def __init__(self, ask: DatabaseThreads, background: BackgroundSlices) -> None:
        self._ask = ask
        self._background = background
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._drawing = trio.Lock()

    async def picture(self, key: Hashable, make: Callable[[], Awaitable[Card]]) -> bytes:
        """The picture of a card.

        Args:
            key: names the contents of the card: equal keys have equal pictures.
            make: gives the card, if it is not kept.

        Raises:
            TooManyPicturesError: try again later.
        """
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        queue = self._drawing.statistics()
        if queue.locked and queue.tasks_waiting >= MAX_WAITING:
            raise TooManyPicturesError
        async with self._drawing:
            return self._kept.get(key) or await self._draw(key, make)

    async def _draw(self, key: Hashable, make: Callable[[], Awaitable[Card]]) -> bytes:
        painter = CardPainter(await make())
        await self._background.each(painter.steps(), lambda _: None)
        picture = await self._ask(as_png, painter.paper)
        self._kept[key] = picture
        self._kept_bytes += len(picture)
        while self._kept_bytes > MAX_KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest)
        return picture
