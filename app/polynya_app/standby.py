"""The database of a command that plays: opened at once or, on standby, when no other one plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import trio

from polynya_app.signals import stop_on_signals
from polynya_common.database_address import DatabaseAddress, DatabaseUrl
from polynya_store import Store, open_when_free
from polynya_store.writer.result_folders import result_place


async def opened_for_play(
    address: DatabaseAddress,
    claims: Sequence[str],
    tell: Callable[[str], None],
    *,
    standby: bool,
) -> Store | None:
    """The store; None if the command was stopped by a signal while it was on standby.

    Args:
        address: the database.
        claims: what is played.
        tell: is told who is waited for, a line whenever that changes, and then where results go
            that the database does not take.
        standby: whether to wait for another process that plays it.

    Raises:
        StoreError: see :meth:`Store.open`.
    """
    store = await _opened(address, claims, tell, standby=standby)
    if store is not None:
        _tell_result_place(address, tell)
    return store


def _tell_result_place(address: DatabaseAddress, tell: Callable[[str], None]) -> None:
    """Say where kept results go, unless that is beside the database."""
    place = result_place(address)
    if isinstance(address, DatabaseUrl) or place.folder != address.absolute().parent:
        tell(place.sentence())


async def _opened(
    address: DatabaseAddress,
    claims: Sequence[str],
    tell: Callable[[str], None],
    *,
    standby: bool,
) -> Store | None:
    if not standby:
        opening = partial(Store.open, address, for_play=True, claims=claims)
        return await trio.to_thread.run_sync(opening, abandon_on_cancel=True)
    stop, store = trio.Event(), None
    async with trio.open_nursery() as nursery:
        await nursery.start(stop_on_signals, stop)
        nursery.start_soon(_cancel, nursery.cancel_scope, stop)
        store = await open_when_free(address, claims, tell)
        nursery.cancel_scope.cancel()
    return store


async def _cancel(scope: trio.CancelScope, stop: trio.Event) -> None:
    await stop.wait()
    scope.cancel()
