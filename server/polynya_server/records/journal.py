"""The journal: records registrations and results durably in a database, or only in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from polynya_protocol.messages import RatingChange
from polynya_protocol.names import folded
from polynya_server.records.replay import MatchRecord


class Journal(Protocol):
    """Records durably: once a method has returned, its record survives ``kill -9``."""

    def token_hashes(self) -> Mapping[str, bytes]:
        """SHA-256 of the token of every registered bot, by name; read once at the start."""

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        """Record a new bot, or a new token of a bot whose token still is ``instead_of``.

        Returns:
            None if it is recorded; else the registered name that conflicts with it: the same, or
            a name that differs only in case.
        """

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Record an ended match with its replay; return the ratings that it changed immediately."""


class MemoryJournal:
    """A journal that forgets: for tests, benchmarks and unrecorded play."""

    def __init__(self, token_hashes: Mapping[str, bytes] | None = None) -> None:
        self._token_hashes = dict(token_hashes or {})
        self.records: list[MatchRecord] = []

    def token_hashes(self) -> Mapping[str, bytes]:
        """The registered bots."""
        return self._token_hashes

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        """Remember a new bot, or another token; see :class:`Journal`."""
        if name in self._token_hashes and self._token_hashes[name] != instead_of:
            return name
        for other in self._token_hashes:
            if other != name and folded(other) == folded(name):
                return other
        self._token_hashes[name] = token_hash
        return None

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Remember the record; nothing is rated."""
        self.records.append(record)
        return []
