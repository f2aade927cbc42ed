"""Tournaments of an open database: their tables, schedules, progress and terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa

from polynya_common.database_address import beside
from polynya_contest.pairing.standings import Standings
from polynya_server.records import Reveal
from polynya_store import schema
from polynya_store.database import Database, Repository, reading, writing
from polynya_store.ratings import rating_order
from polynya_store.rows import PairingRow
from polynya_store.statements import tournament_row
from polynya_store.tournaments import (
    counted_results,
    held_matches,
    open_pairings,
    planning,
    recorded_rounds,
    schedule,
    tournament_progress,
    tournament_secrets,
    tournament_table,
)
from polynya_store.tournaments.counted_results import BlockScore
from polynya_store.tournaments.recorded_rounds import Outline, Recorded
from polynya_store.visibility import LiveDelay, hidden_since_of, is_hidden


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
    all_wait = reading(open_pairings.all_wait)
    held = reading(held_matches.held)
    all_held = reading(held_matches.all_held)
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
    ) -> tuple[schedule.ScheduleRow, ...]:
        """A page of a tournament's schedule, from 1; empty behind its end."""
        with self._database.reading() as connection:
            return schedule.schedule_page(
                connection,
                tournament,
                page=page,
                size=size,
                shown_until_ms=self._live_delay.shown_until_ms(),
            )

    def meeting_of(self, match: str) -> schedule.Meeting | None:
        """The place of a match in its tournament; None of a ladder's match, or an unknown one."""
        with self._database.reading() as connection:
            return schedule.meeting_of(connection, match, self._live_delay.shown_until_ms())

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

    def set_reveal(self, tournament: str, reveal: Reveal) -> None:
        """Record whose end lets the whole of a match with hidden parts be seen."""
        self._set(tournament, reveal=reveal)

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
