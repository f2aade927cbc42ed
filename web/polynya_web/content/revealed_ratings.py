"""Rates results that were hidden once their time has come, also if nothing is played any more."""

from __future__ import annotations

import trio

from polynya_common.errors import StoreError
from polynya_store import Store
from polynya_web.content.background import DatabaseThreads

LOOK_S = 10


async def rate_revealed(store: Store, ask: DatabaseThreads) -> None:
    """Look for revealed results until it is cancelled; a server that plays rates them, too."""
    while True:
        try:
            if await ask(store.ratings.has_revealed):
                await ask(store.ratings.rate_revealed)
        except StoreError:  # it is away, or may not be written: ratings wait
            pass
        await trio.sleep(LOOK_S)
