"""Tournaments with their progress and terms, without reading matches."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_contest.pairing.formats import Block
from polynya_protocol.messages import Clock
from polynya_store import schema
from polynya_store.recorded_secret import PublicSecret
from polynya_store.rows import TournamentRow
from polynya_store.statements import tournament_row
from polynya_store.tournaments.coming_rounds import coming, coming_after, matches_to_come
from polynya_store.tournaments.counted_results import last_shown, shown, state_counts
from polynya_store.tournaments.open_pairings import (
    ABANDONED,
    DROPPED,
    HELD,
    OPEN,
    PLAYED,
    WALKOVER,
)
from polynya_store.tournaments.recorded_rounds import entrants, last_drawn_round
from polynya_store.tournaments.tournament_secrets import public_secrets
from polynya_store.visibility import hidden_since_of, is_hidden


@dataclass(frozen=True, slots=True)
class Progress:
    """The numbers of matches of a tournament, by their states.

    Attributes:
        drawn: all that were drawn, in any state.
        scheduled: those of them that are played or to be played: neither walkovers nor those that
            a decision made needless.
        played: those with a result.
        abandoned: those that were given up in this run, or wait for the host.
        walkovers: those that are decided without being played, because bots missed them.
        in_play: those that are being played.
        undrawn: those that are drawn later, as far as this is known.
        first_open: the number of the first that is still to be played; None without any.
        round, rounds: the last round that is drawn, and how many there will be; 0 where rounds say
            nothing.
    """

    drawn: int
    scheduled: int
    played: int
    abandoned: int
    walkovers: int
    in_play: int
    undrawn: int = 0
    first_open: int | None = None
    round: int = 0
    rounds: int = 0

    @property
    def to_play(self) -> int:
        """All matches that are played or to be played, drawn or not."""
        return self.scheduled + self.undrawn


def _scheduled(states: Counter[str]) -> int:
    return states.total() - states[DROPPED] - states[WALKOVER]


def progress(connection: sa.Connection, tournament: str) -> Progress:
    """The progress of a tournament.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    pairings, matches = schema.pairings, schema.matches
    states = state_counts(connection, row.id)[row.id]
    of_it = pairings.c.tournament_id == row.id
    in_play = connection.scalar(
        sa.select(sa.func.count())
        .select_from(matches.join(pairings))
        .where(matches.c.reason.is_(None), of_it)
    )
    ahead = coming(connection, row)
    return Progress(
        drawn=states.total(),
        scheduled=_scheduled(states),
        played=states[PLAYED],
        abandoned=states[ABANDONED] + states[HELD],
        walkovers=states[WALKOVER],
        in_play=in_play or 0,
        undrawn=ahead.matches,
        first_open=connection.scalar(
            sa.select(sa.func.min(pairings.c.number)).where(of_it, pairings.c.state == OPEN)
        ),
        round=ahead.round,
        rounds=ahead.rounds,
    )


def public_progress(connection: sa.Connection, tournament: str) -> Progress:
    """The same without what hidden results tell: their matches count as still to be played.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    hidden_since = hidden_since_of(row)
    if hidden_since is None:
        return progress(connection, tournament)
    pairings, matches = schema.pairings, schema.matches
    last = last_shown(connection, row.id, hidden_since)
    last_round = last_drawn_round(connection, row, hidden_since)
    blocks = connection.execute(
        sa.select(pairings.c.block, sa.func.count())
        .where(pairings.c.tournament_id == row.id)
        .group_by(pairings.c.block)
    )
    drawn = [(Block(block, ()).round, number) for block, number in blocks]
    drawn = [(round_, number) for round_, number in drawn if round_ <= last_round]
    shown_blocks = [number for _, number in drawn]
    states = state_counts(connection, row.id, last)[row.id]
    ends = connection.scalars(
        sa.select(matches.c.reason)
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == row.id, *shown(hidden_since))
    ).all()
    ahead = coming_after(
        row.configuration,
        entrants(connection, row.id),
        len(drawn),
        max((round_ for round_, _ in drawn), default=0),
    )
    return Progress(
        drawn=sum(shown_blocks),
        scheduled=sum(shown_blocks) - states[DROPPED] - states[WALKOVER],
        played=sum(reason in ("finished", "forfeit") for reason in ends),
        abandoned=states[ABANDONED] + states[HELD],
        walkovers=states[WALKOVER],
        in_play=sum(reason is None for reason in ends),
        undrawn=ahead.matches,
        round=ahead.round,
        rounds=ahead.rounds,
    )


def tournaments(connection: sa.Connection) -> list[TournamentRow]:
    """All tournaments, oldest first; as in :func:`public_progress`."""
    table = schema.tournaments.c
    states = state_counts(connection)
    return [
        _row(connection, row, states[row.id])
        for row in connection.execute(sa.select(schema.tournaments).order_by(table.id)).all()
    ]


def _row(connection: sa.Connection, row: Any, states: Counter[str]) -> TournamentRow:
    scheduled, played = _scheduled(states), states[PLAYED]
    if hidden_since_of(row) is None:
        to_come = matches_to_come(connection, row, states)
    else:
        found = public_progress(connection, row.name)
        scheduled, played, to_come = found.scheduled, found.played, found.undrawn
    return TournamentRow(
        row.name, row.game, row.players, row.created_ms, scheduled, played, to_come
    )


_RECENT = 50
"""The matches that say how quickly a tournament goes on."""


def pace_ms(connection: sa.Connection, tournament: str) -> float | None:
    """The mean time between the ends of a tournament's latest matches, ms; None before a few.

    It is None while results are hidden.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    pairings, matches = schema.pairings, schema.matches
    if hidden_since_of(row) is not None:
        return None
    ends = connection.scalars(
        sa.select(matches.c.finished_ms)
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == row.id, matches.c.reason.in_(("finished", "forfeit")))
        .order_by(matches.c.id.desc())
        .limit(_RECENT)
    ).all()
    return (max(ends) - min(ends)) / (len(ends) - 1) if len(ends) >= _FEWEST else None


_FEWEST = 4
"""The fewest ends of matches that make a pace."""


def forfeits(connection: sa.Connection, tournament: str) -> dict[str, dict[str, int]]:
    """Each bot's forfeits in a tournament, by the protocol's reason.

    Matches whose results are hidden do not count.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches, seats = schema.pairings, schema.matches, schema.seats
    row = tournament_row(connection, tournament)
    rows = connection.execute(
        sa.select(schema.bots.c.name, seats.c.forfeit, sa.func.count().label("number"))
        .select_from(pairings.join(matches).join(seats).join(schema.bots))
        .where(
            pairings.c.tournament_id == row.id,
            *shown(hidden_since_of(row)),
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


@dataclass(frozen=True, slots=True)
class Terms:
    """A tournament's terms: its description and times, in ms since 1970, without results.

    Attributes:
        clock: of each match.
        closes_ms: when submissions close and matches begin; None without such a time.
        results_from_ms: when results are shown; None for at once.
        freezes_ms: results of matches that began before then are shown earlier; None for none.
        begun: whether a match has begun.
        hidden: whether all results are hidden now.
        frozen: whether those of the matches that began since ``freezes_ms`` are hidden now.
        created_ms: when it was drawn up.
        ended_ms: when the last match that may be shown ended so far; None without any.
        secrets: what may be shown of its secrets, the present one last; none of a tournament that
            version 0.3.0 began.
    """

    clock: Clock
    closes_ms: int | None
    results_from_ms: int | None
    freezes_ms: int | None
    begun: bool
    hidden: bool
    frozen: bool
    created_ms: int
    ended_ms: int | None
    secrets: tuple[PublicSecret, ...]


def terms(connection: sa.Connection, tournament: str) -> Terms:
    """The terms of a tournament.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    pairings, matches = schema.pairings, schema.matches
    begun = sa.select(
        sa.exists()
        .where(matches.c.pairing_id == pairings.c.id, pairings.c.tournament_id == row.id)
        .correlate(None)
    )
    ended = (
        sa.select(sa.func.max(matches.c.finished_ms))
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == row.id, *shown(hidden_since_of(row)))
    )
    hidden = is_hidden(row.results_from_ms, row.freezes_ms)
    return Terms(
        clock=msgspec.convert(json.loads(row.configuration)["clock"], Clock),
        closes_ms=row.closes_ms,
        results_from_ms=row.results_from_ms,
        freezes_ms=row.freezes_ms,
        begun=bool(connection.scalar(begun)),
        hidden=hidden and row.freezes_ms is None,
        frozen=hidden and row.freezes_ms is not None,
        created_ms=row.created_ms,
        ended_ms=connection.scalar(ended),
        secrets=tuple(public_secrets(connection, tournament, hidden=hidden)),
    )
