"""Keeps a tournament's server up to date with tokens that hosts replace and revoke meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import trio

from polynya_common.errors import unwrap_single_error
from polynya_server import Server
from polynya_store import Store, StoreJournal
from polynya_tournaments.ladder.roster_sync import RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.tournament.runner import Companion


def roster_follower(store: Store) -> Companion:
    """Open a context in which a server follows later changes of the roster and of suspensions.

    Args:
        store: with the tokens, before the server reads them.
    """
    seen = store.bots.roster()
    newest = store.interventions.last_recomputed()
    suspensions = Suspensions(0, seen.suspended, recomputed=newest)

    def follow(server: Server, _journal: StoreJournal) -> AbstractAsyncContextManager[None]:
        return _running(RosterPoller(store, server, suspensions, seen=seen))

    return follow


@asynccontextmanager
async def _running(poller: RosterPoller) -> AsyncIterator[None]:
    with unwrap_single_error():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(poller.run)
            yield
            nursery.cancel_scope.cancel()
