"""The list of bots page by page, of those that were asked for.

A page is found by the name at which the last one ended, so it costs the same wherever it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.bots.bot_rows import bot_row
from polynya_store.keyset import cut
from polynya_store.rows import BotRow

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
