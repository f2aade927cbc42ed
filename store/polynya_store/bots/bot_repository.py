"""Bots of an open database: lists, pages and tokens, and the operator's token."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Cause, Reason
from polynya_protocol.names import folded
from polynya_store import schema
from polynya_store.backends.sql import COUNTED, now_ms, upsert
from polynya_store.database import Repository, reading
from polynya_store.rows import BotRow
from polynya_store.statements import CompiledRead, as_list, cut, in_list

_IDS = CompiledRead(
    sa.select(schema.bots.c.name, schema.bots.c.id, schema.bots.c.guest).where(
        schema.bots.c.name.in_(in_list("names", sa.Text()))
    )
)


def bot_ids(
    connection: sa.Connection, names: Iterable[str], guests: Collection[str] = ()
) -> dict[str, int]:
    """Bots' ids by name; unknown bots are added, without a token.

    Those of ``guests`` are added as such; a guest who comes as a bot is one from then on.
    """
    wanted = sorted(set(names))
    found = _known(connection, wanted)
    missing = [name for name in wanted if name not in found]
    if missing:
        rows = [{"name": name, "created_ms": now_ms(), "guest": name in guests} for name in missing]
        connection.execute(sa.insert(schema.bots), rows)
        found |= _known(connection, missing)
    bots = [row.id for row in found.values() if row.guest and row.name not in guests]
    if bots:
        table = schema.bots
        connection.execute(sa.update(table).where(table.c.id.in_(bots)).values(guest=False))
    return {name: row.id for name, row in found.items()}


def _known(connection: sa.Connection, names: list[str]) -> dict[str, Any]:
    return {row.name: row for row in _IDS.rows(connection, names=as_list(names))}


def register(
    connection: sa.Connection, name: str, token_hash: bytes, instead_of: bytes | None = None
) -> str | None:
    """Give a bot this token if it has none and was not revoked, or has that of ``instead_of``.

    Returns:
        None if it has it now; else the taken name that stands in its way: its own, or a name
        that differs in the case of letters only.
    """
    bots = schema.bots
    if name_like(connection, name) is not None:
        return name_like(connection, name)
    statement = upsert(bots).values(name=name, token_hash=token_hash, created_ms=now_ms())
    changed = connection.execute(
        statement.on_conflict_do_update(
            index_elements=[bots.c.name],
            set_={"token_hash": statement.excluded.token_hash, "guest": sa.false()},
            where=bots.c.token_hash.is_not_distinct_from(instead_of) & bots.c.revoked_ms.is_(None),
        ),
        execution_options=COUNTED,
    )
    return None if changed.rowcount == 1 else name


def name_like(connection: sa.Connection, name: str) -> str | None:
    """A known name that differs in the case of letters only, unless ``name`` is known itself."""
    known = schema.bots.c.name
    names = connection.scalars(sa.select(known).where(sa.func.lower(known) == folded(name))).all()
    return None if name in names else next(iter(names), None)


def suspend(connection: sa.Connection, name: str, why: Cause) -> bool:
    """Let the ladder give a bot no matches; ``why`` is the sentence that the host reads.

    False if there is no such bot.
    """
    return update_bot(connection, name, suspended_ms=now_ms(), suspension=why)


def resume(connection: sa.Connection, name: str) -> bool:
    """Let the ladder give it matches again; False if there is no such bot."""
    return update_bot(
        connection, name, suspended_ms=None, suspension=None, resumed_ms=now_ms(), conduct=None
    )


def update_bot(connection: sa.Connection, name: str, **values: object) -> bool:
    """Set columns of a bot; False if there is no such bot."""
    bots = schema.bots
    changed = connection.execute(sa.update(bots).where(bots.c.name == name).values(**values))
    return changed.rowcount == 1


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
    """A page of the bots whose name contains ``name``, by name, both in capitals or not.

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
    by_name = sa.tuple_(sa.func.lower(bots.name), bots.name)
    limit = (before if backwards else after) or ""
    place = by_name < (limit.lower(), limit) if backwards else by_name > (limit.lower(), limit)
    rows = connection.execute(
        sa.select(schema.bots)
        .where(*wanted, place)
        .order_by(*(one.desc() if backwards else one for one in by_name))
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
    """Condition that a bot's name contains ``name``, ignoring case."""
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
    """The operator's token; at most one is valid."""

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
    """The bots that may play, by the database.

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
