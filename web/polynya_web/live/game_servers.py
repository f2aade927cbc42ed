"""The game servers whose matches are shown live, seen as one: those of this process, or all.

Pages beside a server show its matches, and those of its tournaments, without a connection. Pages in
a process of their own follow the servers that play into their database: ``remote/``.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Protocol

from polynya_server import Server
from polynya_server.spectating.match_in_play import MatchInPlay
from polynya_tournaments.tournament.manager import TournamentManager
from polynya_web.remote.remote_match import FollowedMatch

LiveMatch = MatchInPlay | FollowedMatch


class LiveServers(Protocol):
    """The game servers that live pages follow."""

    @property
    def in_play(self) -> int:
        """How many matches are being played in this process."""

    @property
    def matches(self) -> list[MatchInPlay] | list[FollowedMatch]:
        """The matches of the list, in the order of beginning."""

    def match(self, name: str) -> LiveMatch | None:
        """The one with this id, None if there is none or it is not followed."""

    async def find(self, name: str) -> LiveMatch | None:
        """The same, and follow it until :meth:`release`."""

    def release(self, name: str) -> None:
        """Stop following a match without viewers."""

    async def list_all(self) -> None:
        """Follow the list, now that it has viewers."""


class LocalServers:
    """The matches in play on all of them; ids are unique, because all share a database.

    Args:
        server: the server of these pages; None where they show a database only.
        tournaments: the tournaments beside its ladder, each with a server that comes and goes.
    """

    def __init__(self, server: Server | None, tournaments: TournamentManager | None = None) -> None:
        self._server = server
        self._tournaments = tournaments

    def __iter__(self) -> Iterator[Server]:
        if self._server is not None:
            yield self._server
        if self._tournaments is not None:
            yield from self._tournaments.servers

    @property
    def in_play(self) -> int:
        """Number of matches in play."""
        return sum(server.in_play for server in self)

    @property
    def matches(self) -> list[MatchInPlay]:
        """The matches in play as spectators see them, in the order of beginning."""
        return list(merge(*(server.matches for server in self), key=lambda one: one.started_ms))

    def match(self, name: str) -> MatchInPlay | None:
        """The one of them with this id, None if there is none."""
        found = (server.match(name) for server in self)
        return next((match for match in found if match is not None), None)

    async def find(self, name: str) -> MatchInPlay | None:
        """The same: all matches are in this process."""
        return self.match(name)

    def release(self, name: str) -> None:
        """Nothing, for the same reason."""

    async def list_all(self) -> None:
        """Nothing, for the same reason."""
