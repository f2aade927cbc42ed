"""How far a tournament has come, and who forfeited in it: counted, without reading its matches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import sqlalchemy as sa

from polynya_tournaments.store import schema
from polynya_tournaments.store.lookup import tournament_row
from polynya_tournaments.store.rows import TournamentRow
from polynya_tournaments.store.tournaments.drawn_rounds import WALKOVER, outline
from polynya_tournaments.store.tournaments.planning import DROPPED


@dataclass(frozen=True, slots=True)
class Progress:
    """Matches of a tournament by what has become of them.

    Attributes:
        scheduled: all that were drawn, without those that a decision made needless.
        played: those with a result.
        abandoned: those that were given up in this run.
        walkovers: those that are never played, because a bot has withdrawn.
        in_play: those that are being played.
        undrawn: those of the schedule that are drawn later, as far as this is known.
        first_open: the number of the first that is still to be played; None without any.
    """

    scheduled: int
    played: int
    abandoned: int
    walkovers: int
    in_play: int
    undrawn: int = 0
    first_open: int | None = None

    @property
    def to_play(self) -> int:
        """All matches that are to be played, drawn or not: walkovers are none."""
        return self.scheduled + self.undrawn - self.walkovers


def progress(connection: sa.Connection, tournament: str) -> Progress:
    """How far a tournament has come.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    number = row.id
    pairings, matches = schema.pairings, schema.matches
    counted = connection.execute(
        sa.select(
            pairings.c.state,
            sa.func.count().label("number"),
            sa.func.min(pairings.c.number).label("first"),
        )
        .where(pairings.c.tournament_id == number)
        .group_by(pairings.c.state)
    ).all()
    by_state = {row.state: row.number for row in counted}
    in_play = connection.scalar(
        sa.select(sa.func.count())
        .select_from(matches.join(pairings))
        .where(matches.c.reason.is_(None), pairings.c.tournament_id == number)
    )
    return Progress(
        scheduled=sum(by_state.values()) - by_state.get(DROPPED, 0),
        played=by_state.get("played", 0),
        abandoned=by_state.get("abandoned", 0),
        walkovers=by_state.get(WALKOVER, 0),
        in_play=in_play or 0,
        undrawn=outline(connection, row).undrawn,
        first_open=next((row.first for row in counted if row.state == "open"), None),
    )


def forfeits(connection: sa.Connection, tournament: str) -> dict[str, dict[str, int]]:
    """How often each bot has forfeited in a tournament, by the contract's word for why.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches, seats = schema.pairings, schema.matches, schema.seats
    rows = connection.execute(
        sa.select(schema.bots.c.name, seats.c.forfeit, sa.func.count().label("number"))
        .select_from(pairings.join(matches).join(seats).join(schema.bots))
        .where(
            pairings.c.tournament_id == tournament_row(connection, tournament).id,
            matches.c.reason.in_(("finished", "forfeit")),
            seats.c.forfeit.is_not(None),
        )
        .group_by(schema.bots.c.name, seats.c.forfeit)
        .order_by(schema.bots.c.name, seats.c.forfeit)
    )
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        found[row.name][row.forfeit] = row.number
    return dict(found)


def tournaments(connection: sa.Connection) -> list[TournamentRow]:
    """All tournaments, oldest first; walkovers count as little as matches not needed."""
    table, pairings = schema.tournaments, schema.pairings
    state = pairings.c.state
    to_play = sa.func.sum(sa.case((state.not_in((DROPPED, WALKOVER)), 1), else_=0))
    played = sa.func.sum(sa.case((state == "played", 1), else_=0))
    rows = connection.execute(
        sa.select(table, to_play.label("scheduled"), played.label("played"))
        .outerjoin(pairings)
        .group_by(table.c.id)
        .order_by(table.c.id)
    )
    return [
        TournamentRow(row.name, row.game, row.players, row.created_ms, row.scheduled, row.played)
        for row in rows
    ]
