"""Bots of an open database: names, tokens, and the host's list of them."""

from __future__ import annotations

from polynya_tournaments.store.bots import registered_bots
from polynya_tournaments.store.bots.registered_bots import Roster
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.rows import BotRow


class BotRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[BotRow]:
        """All bots by name, without guests."""
        with self._database.reading() as connection:
            return registered_bots.bots(connection)

    def get(self, name: str) -> BotRow:
        """A bot by its name.

        Raises:
            NotInStoreError: there is none.
        """
        with self._database.reading() as connection:
            return registered_bots.bot(connection, name)

    def token_hash(self, name: str) -> bytes | None:
        """SHA-256 of a bot's token; None without one."""
        with self._database.reading() as connection:
            return registered_bots.token_hash(connection, name)

    def token_hashes(self) -> dict[str, bytes]:
        """SHA-256 of the token of every registered bot, by name."""
        with self._database.reading() as connection:
            return registered_bots.token_hashes(connection)

    def set_token(self, name: str, token_hash: bytes) -> None:
        """Register a bot, or give a registered one a new token (only the SHA-256 is kept)."""
        with self._database.writing() as connection:
            registered_bots.set_token(connection, name, token_hash)

    def revoke(self, name: str) -> bool:
        """Take a bot's token away; its name stays taken. False if there is no such bot."""
        with self._database.writing() as connection:
            return registered_bots.revoke(connection, name)

    def roster(self) -> Roster:
        """The bots that have a token, and those that are suspended."""
        with self._database.reading() as connection:
            return registered_bots.roster(connection)

    def suspensions(self) -> dict[str, str]:
        """Why bots are suspended, a sentence, by name."""
        with self._database.reading() as connection:
            return registered_bots.suspensions(connection)
