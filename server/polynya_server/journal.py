"""What the server needs of whoever keeps its records: registrations and results that last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from polynya_protocol.messages import RatingChange
from polynya_server.records import MatchRecord


class Journal(Protocol):
    """A durable record: what a method has returned from survives ``kill -9``."""

    def token_hashes(self) -> Mapping[str, bytes]:
        """SHA-256 of the token of every registered bot, by name; read once at the start."""

    async def register(self, name: str, token_hash: bytes) -> bool:
        """Record a new bot; False if the name is taken."""

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Record a match that has ended, with its replay; the ratings it changed at once."""


class MemoryJournal:
    """A journal that forgets: for tests, benchmarks and unrecorded play."""

    def __init__(self, token_hashes: Mapping[str, bytes] | None = None) -> None:
        self._token_hashes = dict(token_hashes or {})
        self.records: list[MatchRecord] = []

    def token_hashes(self) -> Mapping[str, bytes]:
        """The registered bots."""
        return self._token_hashes

    async def register(self, name: str, token_hash: bytes) -> bool:
        """Remember a new bot; False if the name is taken."""
        return self._token_hashes.setdefault(name, token_hash) is token_hash

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Remember the record; nothing is rated."""
        self.records.append(record)
        return []
