"""Tournaments of an open database: their tables, schedules, progress and terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from polynya_common.database_address import beside
from polynya_common.reasons import Cause
from polynya_contest.pairing.formats import Block
from polynya_contest.pairing.standings import Standings
from polynya_store import schema
from polynya_store.database import Database, Repository, reading, writing
from polynya_store.matches.match_list import seats_of
from polynya_store.ratings import rating_order
from polynya_store.rows import PairingRow, SeatRow
from polynya_store.statements import tournament_row
from polynya_store.tournaments import (
    counted_results,
    planning,
    recorded_rounds,
    tournament_progress,
    tournament_secrets,
    tournament_table,
)
from polynya_store.tournaments.counted_results import MOST_NUMBER, BlockScore, last_shown
from polynya_store.tournaments.open_pairings import OPEN, PLAYED
from polynya_store.tournaments.recorded_rounds import Outline, Recorded, last_drawn_round
from polynya_store.visibility import LiveDelay, hidden_seats, hidden_since_of, is_hidden


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A match of a schedule.

    Attributes:
        number: in its tournament, from 1.
        block: the key of its block.
        state: ``open``, ``in_play``, ``played``, ``abandoned``, ``walkover``
            or ``dropped``.
        detail: why it was not played, a sentence.
        match: the id of the attempt that is in play or gave the result; None without one.
        seats: by seat.
        length_ms: how long the match that gave the result was played; None without.
    """

    number: int
    block: str
    state: str
    detail: Cause | None
    match: str | None
    seats: tuple[SeatRow, ...]
    length_ms: int | None = None


def schedule_page(
    connection: sa.Connection,
    tournament: str,
    *,
    page: int = 1,
    size: int = 50,
    shown_until_ms: int | None = None,
) -> tuple[ScheduleRow, ...]:
    """A page of a tournament's schedule, from 1; empty behind its end.

    Results that are hidden are not on it, nor rounds that follow from those.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches = schema.pairings, schema.matches
    found = tournament_row(connection, tournament)
    hidden_since, told = hidden_since_of(found), MOST_NUMBER
    first = (page - 1) * size + 1
    last_try = sa.and_(
        matches.c.pairing_id == pairings.c.id,
        sa.or_(matches.c.reason.is_(None), matches.c.reason.in_(("finished", "forfeit"))),
    )
    rows = connection.execute(
        sa.select(
            pairings,
            matches.c.id.label("match_id"),
            matches.c.name,
            matches.c.reason,
            matches.c.started_ms,
            matches.c.finished_ms,
        )
        .select_from(pairings.outerjoin(matches, last_try))
        .where(
            pairings.c.tournament_id == found.id,
            pairings.c.number.between(first, first + size - 1),
        )
        .order_by(pairings.c.number)
    ).all()
    seats = seats_of(connection, [row.match_id for row in rows if row.match_id is not None])
    if hidden_since is not None:
        last = last_drawn_round(connection, found, hidden_since)
        rows = [row for row in rows if Block(row.block, ()).round <= last]
        told = last_shown(connection, found.id, hidden_since)
        began = {row.match_id: row.started_ms for row in rows}
        seats = {
            number: hidden_seats(of_match) if began[number] >= hidden_since else of_match
            for number, of_match in seats.items()
            if number in began
        }
    return tuple(_schedule_row(row, seats, shown_until_ms, told, hidden_since) for row in rows)


def _schedule_row(
    row: Any,
    seats: dict[int, tuple[SeatRow, ...]],
    shown_until_ms: int | None,
    told: int,
    hidden_since: int | None,
) -> ScheduleRow:
    """A line of the schedule; ``told`` is the last match whose absences may be shown."""
    match, shown, in_play = row.name, seats.get(row.match_id), row.reason is None
    hidden = match is not None and hidden_since is not None and row.started_ms >= hidden_since
    if match is not None and shown_until_ms is not None:
        if row.started_ms > shown_until_ms:
            match = shown = None
        elif in_play or row.finished_ms > shown_until_ms:
            in_play, shown = True, None
    state = row.state if match == row.name else "open"
    if hidden and match is not None:
        in_play, state = False, PLAYED
    length_ms = None
    if shown is not None and not hidden and not in_play and row.finished_ms is not None:
        length_ms = max(0, row.finished_ms - row.started_ms)
    untold = state != PLAYED and row.number > told
    return ScheduleRow(
        number=row.number,
        block=row.block,
        state="in_play" if match is not None and in_play else OPEN if untold else state,
        detail=None if untold else row.detail,
        match=match,
        seats=shown or tuple(SeatRow(name, None, None, None) for name in row.players),
        length_ms=length_ms,
    )


def pairings(connection: sa.Connection, name: str) -> list[PairingRow]:
    """All drawn matches of a tournament, in the order of its schedule."""
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


class TournamentRepository(Repository):
    """Each method is one transaction.

    Those that take the name of a tournament and return something raise ``NotInStoreError`` if there
    is no such tournament; the message lists those that there are.

    Args:
        database: the open database.
        live_delay: how much later than it happens :meth:`schedule_page` shows it.
    """

    all = reading(tournament_progress.tournaments)
    is_complete = reading(tournament_table.is_complete)
    pairings = reading(pairings)
    progress = reading(tournament_progress.progress)
    public_progress = reading(tournament_progress.public_progress)
    pace_ms = reading(tournament_progress.pace_ms)
    forfeits = reading(tournament_progress.forfeits)
    submissions = reading(planning.submissions)
    secrets = reading(tournament_secrets.of_tournament)
    present_secret = reading(tournament_secrets.present_secret)
    public_secrets = reading(tournament_secrets.public_secrets)
    enter_beacon = writing(tournament_secrets.enter_beacon)
    terms = reading(tournament_progress.terms)

    def __init__(self, database: Database, live_delay: LiveDelay) -> None:
        super().__init__(database)
        self._live_delay = live_delay

    def standings(
        self, tournament: str, *, public: bool = False, hidden_since_ms: int | None = None
    ) -> Standings:
        """The table of a tournament as it is now.

        Args:
            tournament: its name.
            public: leave out results that are hidden now.
            hidden_since_ms: leave out those of matches that began from then on, ms since 1970.
        """
        with self._database.reading() as connection:
            row = tournament_row(connection, tournament)
            if public:
                hidden_since_ms = hidden_since_of(row)
            return tournament_table.standings(connection, tournament, hidden_since_ms)

    def missed(self, tournament: str) -> set[tuple[str, str]]:
        """The bots that missed matches of a tournament, with the reasons."""
        with self._database.reading() as connection:
            number = tournament_row(connection, tournament).id
            walkovers = counted_results.counted_walkovers(connection, number)
        return {pair for walkover, _ in walkovers for pair in walkover.missing.items()}

    def block_scores(self, tournament: str) -> Mapping[str, Counter[BlockScore]]:
        """By bot each different score in a block, with how often it occurred."""
        with self._database.reading() as connection:
            row = tournament_row(connection, tournament)
            players = recorded_rounds.outline(connection, row).description["players"]
            return counted_results.block_scores(connection, row.id, players)

    def recorded(self, tournament: str, *, public: bool = False) -> Recorded:
        """The draws of a tournament and their results: the next round follows from it.

        If it is ``public``, as far as it may be shown.
        """
        with self._database.reading() as connection:
            row = tournament_row(connection, tournament)
            return recorded_rounds.recorded(
                connection, row, hidden_since_of(row) if public else None
            )

    def outline(self, tournament: str) -> Outline:
        """The same without its blocks, in constant time."""
        with self._database.reading() as connection:
            return recorded_rounds.outline(connection, tournament_row(connection, tournament))

    def schedule_page(
        self, tournament: str, *, page: int = 1, size: int = 50
    ) -> tuple[ScheduleRow, ...]:
        """A page of a tournament's schedule, from 1; empty behind its end."""
        with self._database.reading() as connection:
            return schedule_page(
                connection,
                tournament,
                page=page,
                size=size,
                shown_until_ms=self._live_delay.shown_until_ms(),
            )

    def is_planned(self, tournament: str, configuration: str, late_entry: str = "no") -> bool:
        """Whether a tournament is recorded, with ``configuration`` as what determines its matches.

        Raises:
            StoreError: there is one of this name with another description; the message says in
                what it differs.
        """
        with self._database.reading() as connection:
            return planning.planned(connection, tournament, configuration, late_entry) is not None

    def hidden_until_ms(self, tournament: str) -> int | None:
        """Until when results are hidden now, ms since 1970; None if all may be shown."""
        with self._database.reading() as connection:
            row = tournament_row(connection, tournament)
        hidden = is_hidden(row.results_from_ms, row.freezes_ms)
        found: int | None = row.results_from_ms if hidden else None
        return found

    def hide_results(
        self, tournament: str, until_ms: int | None, freezes_ms: int | None = None
    ) -> None:
        """Make results public at this time, ms since 1970; None for at once.

        Those of matches that begin before ``freezes_ms`` are public at once. Ratings follow:
        without the results that are hidden now, and with those that are public.
        """
        table = schema.tournaments
        with self._database.writing() as connection:
            number = connection.scalar(
                sa.update(table)
                .where(table.c.name == tournament)
                .values(results_from_ms=until_ms, freezes_ms=freezes_ms)
                .returning(table.c.id)
            )
            if number is not None:
                rating_order.withhold(connection, number)
                rating_order.rate_waiting(connection, number)

    def set_closes(self, tournament: str, closes_ms: int | None) -> None:
        """Record when submissions close, ms since 1970; None for never."""
        self._set(tournament, closes_ms=closes_ms)

    def set_logs(self, tournament: str, folder: Path | None) -> None:
        """Record where the logs of its bots are; None for the folder beside the database."""
        self._set(tournament, logs=None if folder is None else str(folder))

    def log_folders(self, bot: str) -> list[Path]:
        """Folders that may hold a bot's logs: beside the database, and those of its tournaments."""
        table, bots, entrants = schema.tournaments, schema.bots, schema.entrants
        with self._database.reading() as connection:
            folders = connection.scalars(
                sa.select(table.c.logs)
                .distinct()
                .join(entrants, entrants.c.tournament_id == table.c.id)
                .join(bots, bots.c.id == entrants.c.bot_id)
                .where(bots.c.name == bot, table.c.logs.is_not(None))
            ).all()
        return [
            beside(self._database.address, "-logs"),
            *(Path(folder) for folder in folders if folder is not None),
        ]

    def _set(self, tournament: str, **values: str | int | None) -> None:
        table = schema.tournaments
        with self._database.writing() as connection:
            connection.execute(sa.update(table).where(table.c.name == tournament).values(**values))
