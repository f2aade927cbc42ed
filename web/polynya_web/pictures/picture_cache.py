"""Cards as PNG: one is drawn at a time, in background slices, and the last ones are kept."""

from __future__ import annotations

from collections import OrderedDict

import trio

from polynya_web.content.background_slices import BackgroundSlices
from polynya_web.content.database_threads import DatabaseThreads
from polynya_web.pictures.card import Card, CardPainter

MAX_KEPT_BYTES = 8 * 1024 * 1024
"""About 500 pictures."""
MAX_WAITING = 16
"""How many requests wait for pictures; a picture takes 20 ms of processor time."""


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
        self._kept: OrderedDict[Card, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._drawing = trio.Lock()

    async def picture(self, card: Card) -> bytes:
        """The picture of a card.

        Raises:
            TooManyPicturesError: try again later.
        """
        kept = self._kept.get(card)
        if kept is not None:
            self._kept.move_to_end(card)
            return kept
        queue = self._drawing.statistics()
        if queue.locked and queue.tasks_waiting >= MAX_WAITING:
            raise TooManyPicturesError
        async with self._drawing:
            return self._kept.get(card) or await self._draw(card)

    async def _draw(self, card: Card) -> bytes:
        painter = CardPainter(card)
        await self._background.each(painter.steps(), lambda _: None)
        picture = await self._ask(painter.png)
        self._kept[card] = picture
        self._kept_bytes += len(picture)
        while self._kept_bytes > MAX_KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest)
        return picture
