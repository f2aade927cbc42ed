"""What a server or a command changes of bots is seen at once by servers of the same database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from tests.postgresql import PostgreSQL

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_common.reasons import Cause
from polynya_store import Store, open_journal
from polynya_tournaments.ladder import roster_sync
from polynya_tournaments.ladder.roster_sync import RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions

PATIENCE_S = 60


class Server:
    """What the poller tells a server, as far as it matters here."""

    def __init__(self) -> None:
        self.tokens: dict[str, bytes] = {}
        self.changed = trio.Event()

    def add_token(self, name: str, token_hash: bytes) -> None:
        self.tokens[name] = token_hash
        self.changed.set()

    def has_token(self, name: str, token_hash: bytes) -> bool:
        return self.tokens.get(name) == token_hash

    def remove_token(self, name: str) -> None:
        del self.tokens[name]
        self.changed.set()

    def disconnect(self, name: str, why: Cause) -> None:
        """Nobody is connected."""

    async def expect(self, holds: Callable[[], bool]) -> None:
        with trio.fail_after(PATIENCE_S):
            while not holds():
                await self.changed.wait()
                self.changed = trio.Event()


@pytest.fixture
def url(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> DatabaseUrl:
    """A database whose servers look by themselves once in an hour."""
    monkeypatch.setattr(roster_sync, "POLL_INTERVAL_S", 3600.0)
    return postgresql.new()


@asynccontextmanager
async def polling(store: Store) -> AsyncIterator[tuple[Server, Suspensions]]:
    server, suspensions = Server(), Suspensions(0)
    suspensions.on_change = lambda _name: server.changed.set()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(RosterPoller(store, server, suspensions).run)
        yield server, suspensions
        nursery.cancel_scope.cancel()


async def test_names_tokens_suspensions_and_ratings_are_seen_at_once(url: DatabaseUrl) -> None:
    with Store.open(url) as here, Store.open(url, for_play=True) as there:
        async with polling(here) as (server, suspensions), open_journal(there) as journal:
            await journal.register("ada", b"1" * 32)
            await server.expect(lambda: server.tokens == {"ada": b"1" * 32})
            await journal.suspend("ada", "it failed")
            await server.expect(lambda: suspensions.names == {"ada"})
            assert run(["bots", "resume", "ada", "--database", url.secret]) == 0
            await server.expect(lambda: suspensions.names == set())
            there.bots.revoke("ada")
            await server.expect(lambda: server.tokens == {})
            suspensions.on_recomputed = lambda _number: server.changed.set()
            there.interventions.note_recomputed("the host")
            await server.expect(lambda: suspensions.recomputed > 0)


async def test_after_a_lost_connection_changes_are_heard_again(
    url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    with Store.open(url) as here, Store.open(url, for_play=True) as there:
        async with polling(here) as (server, _), open_journal(there) as journal:
            await journal.register("ada", b"1" * 32)
            await server.expect(lambda: "ada" in server.tokens)
            postgresql.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE query = 'LISTEN polynya_changes'"
            )
            await journal.register("bob", b"2" * 32)
            await server.expect(lambda: "bob" in server.tokens)
