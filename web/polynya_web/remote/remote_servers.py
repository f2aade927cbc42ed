"""All game servers that play into one database, for pages in a process of their own.

The database says which servers live and which matches are in play; of these only those are followed
that have viewers: single ones, and the first ones while the list of all is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import trio

from polynya_common.errors import NotInStoreError, StoreError
from polynya_server.log import log
from polynya_store import GameServer, MatchFilter, MatchRow, Store
from polynya_web.content.background import DatabaseThreads
from polynya_web.remote.remote_match import FollowedMatch
from polynya_web.remote.remote_server import ANSWER_S, RemoteServer

LOOK_S = 2.0
"""Poll interval for servers and ends of matches."""
MOST_SERVERS = 64
MOST_LISTED = 100
"""Maximum number of followed matches of the list, latest first."""
LISTED_S = 10.0
"""How long the list is followed after its last viewer."""


class RemoteServers:
    """The matches in play on all servers of a database.

    Args:
        store: the database; its ``live_delay`` follows the servers.
        ask: the threads that read it.

    Attributes:
        living: the servers that live, the oldest first.
    """

    in_play = 0
    """How many matches are played in this process."""

    def __init__(self, store: Store, ask: DatabaseThreads) -> None:
        self.living: Sequence[GameServer] = ()
        self._store = store
        self._ask = ask
        self._servers: dict[str, RemoteServer] = {}
        self._scopes: dict[str, trio.CancelScope] = {}
        self._watched: dict[str, MatchRow] = {}
        self._listed: dict[str, MatchRow] = {}
        self._listed_at = -LISTED_S
        self._nursery: trio.Nursery | None = None
        self._looking = trio.Lock()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow servers and matches until it is cancelled; started after a first look."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            await self._look()
            task_status.started()
            while True:
                await trio.sleep(LOOK_S)
                await self._look()

    async def list_all(self) -> None:
        """Follow the matches of the list from now on, since it has viewers."""
        begins = trio.current_time() - self._listed_at > LISTED_S
        self._listed_at = trio.current_time()
        if begins:
            await self._look()
            with trio.move_on_after(ANSWER_S):
                for name, row in self._listed.items():
                    await self._shown(name, row)

    @property
    def is_live(self) -> bool:
        """Whether there are servers, and they are not all out of reach from here."""
        return any(not server.unreachable for server in self._servers.values())

    @property
    def matches(self) -> list[FollowedMatch]:
        """The matches of the list that are shown, in the order of beginning."""
        found = (self.match(name) for name in self._listed)
        return sorted((one for one in found if one is not None), key=lambda one: one.started_ms)

    def match(self, name: str) -> FollowedMatch | None:
        """The match that is followed under this id, None if there is none."""
        found = (server.matches.get(name) for server in self._servers.values())
        return next((match for match in found if match is not None), None)

    async def find(self, name: str) -> FollowedMatch | None:
        """A match with a viewer, followed until :meth:`release`; None without it."""
        try:
            row = await self._ask(self._store.matches.get_public, name)
        except NotInStoreError:
            return None
        if row.reason is not None:
            return None
        self._watched[name] = row
        found = await self._shown(name, row)
        if found is None:
            self.release(name)
        return found

    def release(self, name: str) -> None:
        """Stop following a match without viewers."""
        if self._watched.pop(name, None) is not None:
            self._share_out()

    async def _shown(self, name: str, row: MatchRow) -> FollowedMatch | None:
        self._share_out()
        for server in self._of(row):
            if (found := await server.answer(name)) is not None:
                return found
        return None

    def _of(self, row: MatchRow) -> list[RemoteServer]:
        """The servers that may play a match: each tournament has one, and each ladder."""
        return [
            server
            for server in self._servers.values()
            if server.server.tournament == row.tournament
        ]

    def _share_out(self) -> None:
        """Distribute the wanted matches over the servers."""
        wanted: Mapping[str, MatchRow] = {**self._listed, **self._watched}
        for server in self._servers.values():
            of = server.server.tournament
            server.want({name: row for name, row in wanted.items() if row.tournament == of})

    async def _look(self) -> None:
        """Poll for living servers, the list, and ended matches."""
        async with self._looking:
            try:
                self._follow(await self._ask(self._store.game_servers.living))
                await self._look_at_list()
                await self._look_for_ends()
            except StoreError as error:
                log.warning("the database cannot be asked for servers", error=str(error))
            self._share_out()

    def _follow(self, living: Sequence[GameServer]) -> None:
        """Connect to new servers, and drop those that are gone."""
        self.living = living
        self._store.live_delay.ms = max((one.live_delay_ms for one in living), default=0)
        present = {one.id: one for one in living[:MOST_SERVERS]}
        for number in self._servers.keys() - present.keys():
            if self._watched.keys() & self._servers[number].matches.keys():
                continue  # until the database says what has become of the match
            del self._servers[number]
            self._scopes.pop(number).cancel()
        for number in present.keys() - self._servers.keys():
            self._servers[number] = RemoteServer(present[number])
            self._scopes[number] = trio.CancelScope()
            if self._nursery is not None:
                self._nursery.start_soon(self._run, self._servers[number], self._scopes[number])

    async def _run(self, server: RemoteServer, scope: trio.CancelScope) -> None:
        with scope:
            while True:
                try:
                    await server.run()
                except Exception:  # what is wrong with one server is nothing to the others
                    log.exception("a game server cannot be followed", server=server.server.address)
                await trio.sleep(LOOK_S)

    async def _look_at_list(self) -> None:
        if trio.current_time() - self._listed_at > LISTED_S:
            self._listed = {}
            return
        page = await self._ask(
            self._store.matches.page, MatchFilter(in_play=True), size=MOST_LISTED
        )
        self._listed = {row.match: row for row in page.rows}

    async def _look_for_ends(self) -> None:
        """End matches that are over in the database although their killed server did not say so."""
        for name in list(self._watched):
            server = next((one for one in self._servers.values() if name in one.matches), None)
            if server is None or server.connected:
                continue
            row = await self._ask(self._store.matches.get_public, name)
            if row.reason is not None:
                server.end(name)
