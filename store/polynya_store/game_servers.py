"""Game servers of a database: their addresses and signs of life."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from time import monotonic

import sqlalchemy as sa

from polynya_common.text import address
from polynya_store import schema
from polynya_store.backends.sql import clock_ms, upsert
from polynya_store.database import Database, Repository

BEAT_S = 5
"""Interval between signs of life."""
MISSED = 3
"""Signs of life that a server may miss before it counts as gone."""

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 -- compared, not listened on
_FORGOTTEN_MS = 24 * 60 * 60 * 1000
_TABLE = schema.game_servers


@dataclass(frozen=True, slots=True)
class GameServer:
    """A game server that listens.

    Attributes:
        id: a random word of its own.
        host, port: where bots and spectators reach it.
        machine: the name of the machine that it runs on.
        certificate: the certificates that it shows, in PEM form; None without TLS.
        game, players: what it plays.
        tournament: the tournament that it plays; None for a ladder.
        live_delay_ms: how much later than it happens it shows what happens.
        began_ms: when it began to listen, ms since 1970 by its clock.
    """

    id: str
    host: str
    port: int
    machine: str
    certificate: str | None
    game: str
    players: int
    tournament: str | None
    live_delay_ms: int
    began_ms: int

    @property
    def listens_everywhere(self) -> bool:
        """Whether it listens on all addresses of its machine."""
        return self.host in _EVERYWHERE

    @property
    def address(self) -> str:
        """Its address, as HOST:PORT."""
        return address(self.machine if self.listens_everywhere else self.host, self.port)


_FIELDS = [field.name for field in fields(GameServer)]


class GameServers(Repository):
    """The servers that play into a database. Each method is one transaction.

    A server is gone when its sign of life has not changed for ``MISSED`` beats. Its time is that of
    the database's clock: those of two machines may differ, and either may be set. So it is compared
    with the present at first sight only. A server that shows matches later is known for that much
    longer.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._changed: dict[str, tuple[int, float]] = {}

    def note(self, server: GameServer) -> None:
        """Write a server's sign of life; forget servers that were silent for a day."""
        with self._database.writing() as connection:
            present_ms = clock_ms(connection)
            put = upsert(_TABLE).values(**asdict(server), seen_ms=present_ms)
            seen = {"seen_ms": present_ms}
            connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=seen))
            forgotten = _TABLE.c.seen_ms < present_ms - _FORGOTTEN_MS
            connection.execute(sa.delete(_TABLE).where(forgotten))

    def forget(self, server: GameServer) -> None:
        """Remove a server that has stopped."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.id == server.id))

    def living(self) -> list[GameServer]:
        """Living servers, oldest first."""
        question = sa.select(_TABLE).order_by(_TABLE.c.began_ms, _TABLE.c.id)
        with self._database.reading() as connection:
            rows, present_ms = connection.execute(question).all(), clock_ms(connection)
        known, now_s = self._changed, monotonic()
        self._changed = {}
        for row in rows:
            seen_ms, since_s = known.get(row.id, (None, 0.0))
            if seen_ms is None:
                since_s = now_s - abs(present_ms - row.seen_ms) / 1000
            elif seen_ms != row.seen_ms:
                since_s = now_s
            self._changed[row.id] = (row.seen_ms, since_s)
        return [
            GameServer(**{name: getattr(row, name) for name in _FIELDS})
            for row in rows
            if now_s - self._changed[row.id][1] < BEAT_S * MISSED + row.live_delay_ms / 1000
        ]
