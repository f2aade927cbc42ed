"""Bots of an open database: names, tokens, and the host's list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_store import schema
from polynya_store.bots.bot_pages import BotPage, BotState, bot_page
from polynya_store.bots.bot_rows import bot_row
from polynya_store.bots.registered_bots import bot_ids, update_bot
from polynya_store.database import Database
from polynya_store.rows import BotRow
from polynya_store.statements import CompiledRead
from polynya_store.wall_clock import now_ms


@dataclass(frozen=True, slots=True)
class Roster:
    """The bots that may play, as it stands in the database.

    Attributes:
        token_hashes: the SHA-256 of the token of every registered bot, by name.
        suspended: the names of those that get no ladder matches.
        resumed_ms: when bots last got ladder matches again, by name.
    """

    token_hashes: Mapping[str, bytes]
    suspended: frozenset[str]
    resumed_ms: Mapping[str, int]


_ROSTER = CompiledRead(
    sa.select(
        schema.bots.c.name,
        schema.bots.c.token_hash,
        schema.bots.c.suspension,
        schema.bots.c.resumed_ms,
    )
)


class BotRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[BotRow]:
        """All bots by name, without guests."""
        table = schema.bots.c
        question = sa.select(schema.bots).where(table.guest.is_(sa.false())).order_by(table.name)
        with self._database.reading() as connection:
            return [bot_row(row) for row in connection.execute(question)]

    def page(
        self,
        *,
        name: str = "",
        state: BotState | None = None,
        before: str | None = None,
        after: str | None = None,
        size: int = 100,
    ) -> BotPage:
        """A page of the bots by name, see :func:`~.bot_pages.bot_page`."""
        with self._database.reading() as connection:
            return bot_page(
                connection, name=name, state=state, before=before, after=after, size=size
            )

    def get(self, name: str) -> BotRow:
        """A bot by its name.

        Raises:
            NotInStoreError: there is none.
        """
        question = sa.select(schema.bots).where(schema.bots.c.name == name)
        with self._database.reading() as connection:
            row = connection.execute(question).one_or_none()
        if row is None:
            raise NotInStoreError(f"the database holds no bot {name}")
        return bot_row(row)

    def token_hash(self, name: str) -> bytes | None:
        """SHA-256 of a bot's token; None without one."""
        question = sa.select(schema.bots.c.token_hash).where(schema.bots.c.name == name)
        with self._database.reading() as connection:
            found: bytes | None = connection.scalar(question)
        return found

    def token_hashes(self) -> dict[str, bytes]:
        """SHA-256 of the token of every registered bot, by name."""
        with self._database.reading() as connection:
            return _by_name(connection, schema.bots.c.token_hash)

    def set_token(self, name: str, token_hash: bytes) -> None:
        """Register a bot, or give a registered one a new token (only the SHA-256 is kept).

        It is revoked no more.
        """
        with self._database.writing() as connection:
            bot_ids(connection, [name])
            update_bot(connection, name, token_hash=token_hash, revoked_ms=None)

    def revoke(self, name: str) -> bool:
        """Take a bot's token away; its name stays taken. False if there is no such bot."""
        with self._database.writing() as connection:
            return update_bot(connection, name, token_hash=None, revoked_ms=now_ms())

    def roster(self) -> Roster:
        """The bots that have a token, and those that are suspended."""
        with self._database.reading() as connection:
            rows = _ROSTER.rows(connection)
        return Roster(
            {row.name: row.token_hash for row in rows if row.token_hash is not None},
            frozenset(row.name for row in rows if row.suspension is not None),
            {row.name: row.resumed_ms for row in rows if row.resumed_ms is not None},
        )

    def suspensions(self) -> dict[str, str]:
        """Why bots are suspended, a sentence, by name."""
        with self._database.reading() as connection:
            return _by_name(connection, schema.bots.c.suspension)


def _by_name(connection: sa.Connection, column: sa.ColumnElement[Any]) -> dict[str, Any]:
    """The values of a column, by bot; bots for which it is NULL are left out."""
    rows = connection.execute(sa.select(schema.bots.c.name, column).where(column.is_not(None)))
    return {name: value for name, value in rows}  # noqa: C416
