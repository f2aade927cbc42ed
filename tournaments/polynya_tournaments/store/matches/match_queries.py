"""What the database can be asked: each function one question, answered in plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.errors import NotInStoreError
from polynya_tournaments.pairing.formats import Entrant
from polynya_tournaments.pairing.standings import Standings
from polynya_tournaments.store import schema
from polynya_tournaments.store.rows import (
    BotRow,
    MatchRow,
    PairingRow,
    SeatRow,
    TournamentRow,
)
from polynya_tournaments.store.tournaments import drawn_rounds
from polynya_tournaments.store.tournaments.planning import DROPPED
from polynya_tournaments.store.tournaments.tournament_table import standings_of, why_unplayed
from polynya_tournaments.store.visibility.publicity import is_hidden
from polynya_tournaments.text import listed


def bots(connection: sa.Connection) -> list[BotRow]:
    """All bots by name, without guests."""
    bots_ = schema.bots
    rows = connection.execute(
        sa.select(bots_).where(bots_.c.guest.is_(sa.false())).order_by(bots_.c.name)
    )
    return [bot_row(row) for row in rows]


def bot_row(row: Any) -> BotRow:
    """A bot from its row."""
    return BotRow(
        row.name,
        row.created_ms,
        row.token_hash is not None,
        row.revoked_ms is not None,
        row.suspension,
        row.guest,
    )


def tournaments(connection: sa.Connection) -> list[TournamentRow]:
    """All tournaments, oldest first; walkovers count as little as matches not needed."""
    table, pairings = schema.tournaments, schema.pairings
    state = pairings.c.state
    to_play = sa.func.sum(sa.case((state.not_in((DROPPED, drawn_rounds.WALKOVER)), 1), else_=0))
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


def standings(connection: sa.Connection, name: str) -> Standings:
    """The table of a tournament as it is now."""
    tournament = tournament_row(connection, name)
    found = drawn_rounds.recorded(connection, tournament)
    ratings_ = _ratings_of(connection, tournament.id, found.entrants)
    drawn = ((row.state, row.detail) for row in pairings(connection, name))
    return standings_of(name, found, ratings_, why_unplayed(drawn))


def outline(connection: sa.Connection, name: str) -> drawn_rounds.Outline:
    """What can be said of a tournament without reading its matches."""
    return drawn_rounds.outline(connection, tournament_row(connection, name))


def recorded(connection: sa.Connection, name: str) -> drawn_rounds.Recorded:
    """What was drawn of a tournament, and the results."""
    return drawn_rounds.recorded(connection, tournament_row(connection, name))


def tournament_row(connection: sa.Connection, name: str) -> Any:
    """The row of a tournament.

    Raises:
        NotInStoreError: there is none of this name; the message lists those that there are.
    """
    table = schema.tournaments
    found = connection.execute(sa.select(table).where(table.c.name == name)).one_or_none()
    if found is None:
        names = connection.scalars(sa.select(table.c.name).order_by(table.c.name)).all()
        there_are = f"it holds {listed(names)}" if names else "it holds none"
        raise NotInStoreError(f"the database holds no tournament {name}; {there_are}")
    return found


def _ratings_of(
    connection: sa.Connection, tournament_id: int, entrants: Iterable[Entrant]
) -> dict[str, float]:
    """Each bot's rating after its last rated match here; before one, that of its entry.

    So a table that is published stays what it was, whatever its bots play afterwards.
    """
    changes, matches, drawn = schema.rating_changes, schema.matches, schema.pairings
    last = (
        sa.select(sa.func.max(changes.c.id))
        .select_from(drawn.join(matches).join(changes))
        .where(drawn.c.tournament_id == tournament_id)
        .group_by(changes.c.bot_id)
    )
    rows = connection.execute(
        sa.select(schema.bots.c.name, changes.c.after)
        .select_from(changes.join(schema.bots))
        .where(changes.c.id.in_(last))
    )
    return {one.name: one.rating for one in entrants} | {row.name: row.after for row in rows}


def pairings(connection: sa.Connection, name: str) -> list[PairingRow]:
    """All matches that were drawn up for a tournament, in the order of its schedule."""
    drawn, attempts = schema.pairings, schema.matches
    with_result = sa.and_(
        attempts.c.pairing_id == drawn.c.id, attempts.c.reason.in_(("finished", "forfeit"))
    )
    rows = connection.execute(
        sa.select(drawn, attempts.c.name.label("match"))
        .select_from(drawn.outerjoin(attempts, with_result))
        .where(drawn.c.tournament_id == tournament_row(connection, name).id)
        .order_by(drawn.c.number)
    )
    return [
        PairingRow(
            number=row.number,
            block=row.block,
            players=tuple(row.players),
            seed=int(row.seed),
            state=row.state,
            detail=row.detail,
            match=row.match,
            missing=row.missing or {},
        )
        for row in rows
    ]


def matches(
    connection: sa.Connection, *, tournament: str | None = None, limit: int | None = None
) -> list[MatchRow]:
    """Attempts in the order in which they were begun; with ``limit`` the last ones."""
    question = match_question().order_by(schema.matches.c.id.desc()).limit(limit)
    if tournament is not None:
        number = tournament_row(connection, tournament).id
        question = question.where(schema.pairings.c.tournament_id == number)
    rows = connection.execute(question).all()
    return _match_rows(connection, rows[::-1])


def match(connection: sa.Connection, name: str) -> MatchRow:
    """One attempt by its id."""
    rows = connection.execute(match_question().where(schema.matches.c.name == name)).all()
    if not rows:
        raise NotInStoreError(f"the database holds no match {name}")
    return _match_rows(connection, rows)[0]


def match_question() -> sa.Select[Any]:
    """All attempts, with what ``match_row`` needs of each but its seats."""
    table, pairings, tournaments_ = schema.matches, schema.pairings, schema.tournaments
    return sa.select(
        table,
        pairings.c.block,
        tournaments_.c.name.label("tournament"),
        tournaments_.c.results_from_ms,
        _annulment().label("annulled"),
    ).select_from(table.outerjoin(pairings).outerjoin(tournaments_))


def _annulment() -> sa.ScalarSelect[str]:
    """Why the host has annulled a match."""
    annulments, done = schema.annulments, schema.interventions
    return (
        sa.select(done.c.why)
        .select_from(annulments.join(done))
        .where(annulments.c.match_id == schema.matches.c.id)
        .correlate(schema.matches)
        .scalar_subquery()
    )


def _match_rows(connection: sa.Connection, rows: Sequence[Any]) -> list[MatchRow]:
    if not rows:
        return []
    seats = _seats(connection, min(r.id for r in rows), max(r.id for r in rows))
    return [match_row(row, tuple(seats[row.id])) for row in rows]


def match_row(row: Any, seats: tuple[SeatRow, ...]) -> MatchRow:
    """An attempt from its row of ``match_question`` and its seats."""
    return MatchRow(
        match=row.name,
        tournament=row.tournament,
        block=row.block,
        attempt=row.attempt,
        game=row.game,
        options=row.options,
        clock=row.clock,
        seed=int(row.seed),
        rated=row.rated,
        started_ms=row.started_ms,
        finished_ms=row.finished_ms,
        reason=row.reason,
        termination=row.termination,
        detail=row.detail,
        server_fault=row.server_fault,
        seats=seats,
        why=row.why,
        hidden=is_hidden(row.results_from_ms),
        annulled=row.annulled,
    )


def _seats(connection: sa.Connection, first: int, last: int) -> dict[int, list[SeatRow]]:
    seats = schema.seats.c
    rows = connection.execute(
        sa.select(seats.match_id, schema.bots.c.name, seats.rank, seats.score, seats.forfeit)
        .select_from(schema.seats.join(schema.bots))
        .where(seats.match_id.between(first, last))
        .order_by(seats.match_id, seats.seat)
    )
    by_match: dict[int, list[SeatRow]] = defaultdict(list)
    for row in rows:
        by_match[row.match_id].append(SeatRow(row.name, row.rank, row.score, row.forfeit))
    return by_match


def replay(connection: sa.Connection, name: str) -> bytes:
    """The replay document of a match."""
    found = match(connection, name)
    document: bytes | None = connection.scalar(
        _replay_question().where(schema.matches.c.name == name)
    )
    if document is None:
        why = "it is in play" if found.reason is None else found.detail
        raise NotInStoreError(f"match {name} has no replay: {why}")
    return document


def _replay_question() -> sa.Select[Any]:
    return sa.select(schema.replays.c.document).join(schema.matches)


def replay_names(connection: sa.Connection, tournament: str | None = None) -> list[str]:
    """The ids of the matches with a replay, in the order in which they were begun."""
    table = schema.matches
    question = sa.select(table.c.name).join(schema.replays).order_by(table.c.id)
    if tournament is not None:
        number = tournament_row(connection, tournament).id
        question = question.join(schema.pairings, schema.pairings.c.id == table.c.pairing_id)
        question = question.where(schema.pairings.c.tournament_id == number)
    return list(connection.scalars(question))
