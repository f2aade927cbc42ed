"""Bots of an open database: lists, pages and tokens, and the operator's token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Cause, Reason
from polynya_store import schema
from polynya_store.backends.sql import COUNTED, now_ms, upsert
from polynya_store.bots.registered_bots import bot_ids, update_bot
from polynya_store.database import Repository, reading
from polynya_store.rows import BotRow
from polynya_store.statements import CompiledRead, cut


def bot_row(row: Any) -> BotRow:
    """A bot from its row of the table."""
    return BotRow(
        row.name,
        row.created_ms,
        row.token_hash is not None,
        row.revoked_ms is not None,
        row.suspension,
        row.guest,
    )


MOST_ON_PAGE = 200
BotState = Literal["registered", "suspended", "revoked"]


@dataclass(frozen=True, slots=True)
class BotPage:
    """Some bots by name, without guests.

    Attributes:
        rows: the bots.
        total: how many there are of those that were asked for.
        before: the name before which the page before ends; None if there is none.
        after: the name after which the next page begins; None if there is none.
    """

    rows: tuple[BotRow, ...]
    total: int
    before: str | None
    after: str | None


def bot_page(
    connection: sa.Connection,
    *,
    name: str = "",
    state: BotState | None = None,
    before: str | None = None,
    after: str | None = None,
    size: int = 100,
) -> BotPage:
    """A page of the bots whose name contains ``name``, in capitals or not.

    Args:
        connection: a transaction.
        name: a part of the name.
        state: only those that have a token, that the ladder gives no matches, or that lost theirs.
        before: the name that the page ends before.
        after: the name that it begins after; without both it is the first page.
        size: how many bots it has at the most.
    """
    bots = schema.bots.c
    wanted = [bots.guest.is_(sa.false()), named(name)]
    if state is not None:
        wanted.append(_STATES[state])
    size = min(size, MOST_ON_PAGE)
    backwards = before is not None and after is None
    place = bots.name < before if backwards else bots.name > (after or "")
    rows = connection.execute(
        sa.select(schema.bots)
        .where(*wanted, place)
        .order_by(bots.name.desc() if backwards else bots.name)
        .limit(size + 1)
    ).all()
    page = cut(rows, size, place=after, backwards=backwards)
    total = connection.scalar(sa.select(sa.func.count()).select_from(schema.bots).where(*wanted))
    return BotPage(
        tuple(bot_row(row) for row in page.rows),
        total or 0,
        None if page.first is None else page.first.name,
        None if page.last is None else page.last.name,
    )


def named(part: str) -> sa.ColumnElement[bool]:
    """That a bot's name contains this, in capitals or not; it is no pattern."""
    if not part:
        return sa.true()
    return sa.func.lower(schema.bots.c.name).contains(part.lower(), autoescape=True)


_STATES: dict[BotState, sa.ColumnElement[bool]] = {
    "registered": schema.bots.c.token_hash.is_not(None),
    "suspended": schema.bots.c.suspension.is_not(None),
    "revoked": schema.bots.c.revoked_ms.is_not(None),
}


NAME = "operator"


class OperatorToken(Repository):
    """At most one token is valid at a time."""

    def claim(self, token_hash: bytes) -> bool:
        """Let the token with this hash open the operator's pages; False if another one does."""
        with self._database.writing() as connection:
            return _claim(connection, token_hash)

    def replace(self, token_hash: bytes) -> None:
        """Let the token with this hash open the operator's pages, and no earlier one."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(schema.operators))
            _claim(connection, token_hash)

    def token_hash(self) -> bytes | None:
        """SHA-256 of the token that opens the operator's pages; None before there is one."""
        table = schema.operators.c
        with self._database.reading() as connection:
            found: bytes | None = connection.scalar(
                sa.select(table.token_hash).where(table.name == NAME)
            )
        return found


def _claim(connection: sa.Connection, token_hash: bytes) -> bool:
    statement = (
        upsert(schema.operators)
        .inline()
        .values(name=NAME, token_hash=token_hash, created_ms=now_ms())
    )
    claimed = connection.execute(statement.on_conflict_do_nothing(), execution_options=COUNTED)
    return claimed.rowcount == 1


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


class BotRepository(Repository):
    """Each method is one transaction."""

    page = reading(bot_page)

    def all(self) -> list[BotRow]:
        """All bots by name, without guests."""
        table = schema.bots.c
        question = sa.select(schema.bots).where(table.guest.is_(sa.false())).order_by(table.name)
        with self._database.reading() as connection:
            return [bot_row(row) for row in connection.execute(question)]

    def get(self, name: str) -> BotRow:
        """A bot by its name.

        Raises:
            NotInStoreError: there is none.
        """
        question = sa.select(schema.bots).where(schema.bots.c.name == name)
        with self._database.reading() as connection:
            row = connection.execute(question).one_or_none()
        if row is None:
            raise NotInStoreError(Reason.of("bot_not_in_store", bot=name))
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

    def suspensions(self) -> dict[str, Cause]:
        """Why bots are suspended, by name."""
        with self._database.reading() as connection:
            return _by_name(connection, schema.bots.c.suspension)


def _by_name(connection: sa.Connection, column: sa.ColumnElement[Any]) -> dict[str, Any]:
    """The values of a column, by bot; bots for which it is NULL are left out."""
    rows = connection.execute(sa.select(schema.bots.c.name, column).where(column.is_not(None)))
    return {name: value for name, value in rows}  # noqa: C416
