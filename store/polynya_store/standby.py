"""Opens a store for play as soon as no other process plays the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import StoreError
from polynya_store.backends.backend import ClaimedError, open_backend
from polynya_store.database import may_pass
from polynya_store.store import Store

_LOOK_S = 1.0
_GRACE_S = 3.0
"""How long a standby waits, after the database is back, for the server that played."""


async def open_when_free(
    address: DatabaseAddress, claims: Sequence[str], tell: Callable[[str], None]
) -> Store:
    """Open a store for play as soon as no other process holds the claims.

    Args:
        address: the database.
        claims: what is to be played, like ``the tournament autumn``.
        tell: is told who is waited for, a line whenever that changes.

    Raises:
        StoreError: see :meth:`Store.open`. A database that goes away while another process is
            waited for may come back, and is waited for, too.
    """
    backend = open_backend(address)
    watch = backend.stand_by(claims)
    told: str | None = None
    was_away = False
    try:
        while True:
            pause_s = _LOOK_S
            try:
                found = await trio.to_thread.run_sync(watch.look, abandon_on_cancel=True)
                if found is None and not was_away:
                    return Store.open(address, for_play=True, claims=claims)
                if found is None:
                    pause_s = _GRACE_S
                was_away = False
            except ClaimedError as error:  # another one on standby was quicker
                found = error.who
            except StoreError as error:
                if told is None or not may_pass(backend, error):
                    raise
                found = told if was_away else str(error)
                was_away = True
            if found is not None and found != told:
                tell(f"standing by: {found}")
                told = found
            await trio.sleep(pause_s)
    finally:
        watch.close()
        backend.engine.dispose()
