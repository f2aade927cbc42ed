"""Matches of an open database, and the reports of the host's processes in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.process_report import ProcessReport, decode_report, encode_report
from polynya_common.reasons import Reason
from polynya_store import schema
from polynya_store.database import Database, Repository
from polynya_store.matches import match_list, selected_results
from polynya_store.matches.deals import PublicDeal, deal_of
from polynya_store.matches.match_list import (
    MatchFilter,
    MatchPage,
    match_question,
    match_rows,
)
from polynya_store.matches.recent_results import RecentResult, recent_results
from polynya_store.matches.selected_results import Kind, SelectedResults, Selection
from polynya_store.rows import MatchRow
from polynya_store.statements import CompiledRead, as_list, in_list, tournament_row, update_rows
from polynya_store.visibility import LiveDelay, as_shown, untold_draws

_IDS = CompiledRead(
    sa.select(schema.matches.c.id, schema.matches.c.name).where(
        schema.matches.c.name.in_(in_list("names", sa.Text()))
    )
)
_NOTE = update_rows(schema.seats, ["match_id", "seat"], ["process"])


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """The report of a seat.

    Attributes:
        match: the match's id.
        seat: which.
        bot: the bot's name.
        finished_ms: when the match ended, in ms since 1970; None if it has not.
        report: see :class:`~polynya_common.process_report.ProcessReport`.
    """

    match: str
    seat: int
    bot: str
    finished_ms: int | None
    report: ProcessReport


def note_reports(
    connection: sa.Connection, noted: Sequence[tuple[str, Mapping[int, ProcessReport]]]
) -> list[None]:
    """Record the reports of matches, by id and seat."""
    names = as_list(match for match, _ in noted)
    numbers = {row.name: row.id for row in _IDS.rows(connection, names=names)}
    rows = [
        {"match_id": numbers[match], "seat": seat, "process": encode_report(report).decode()}
        for match, reports in noted
        if match in numbers
        for seat, report in reports.items()
    ]
    _NOTE.run(connection, rows)
    return [None] * len(noted)


class ProcessReportRepository(Repository):
    """The recorded reports of processes.

    Args:
        database: where.
    """

    def of_bot(self, bot: str, most: int = 20) -> list[ProcessRow]:
        """The reports of a bot's last matches that have one, the last match first."""
        return self._rows(schema.bots.c.name == bot, most)

    def of_match(self, match: str) -> list[ProcessRow]:
        """The reports of a match, in the order of the seats."""
        return self._rows(schema.matches.c.name == match, None)

    def _rows(self, where: sa.ColumnElement[bool], most: int | None) -> list[ProcessRow]:
        seats, matches = schema.seats.c, schema.matches.c
        question = (
            sa.select(
                matches.name, seats.seat, schema.bots.c.name, matches.finished_ms, seats.process
            )
            .select_from(schema.seats.join(schema.matches).join(schema.bots))
            .where(where, seats.process.is_not(None))
            .order_by(seats.match_id.desc(), seats.seat)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [_row(*row) for row in connection.execute(question)]


def _row(match: str, seat: int, bot: str, finished_ms: int | None, process: Any) -> ProcessRow:
    return ProcessRow(match, seat, bot, finished_ms, decode_report(process))


_IN_TRANSACTION = 200
"""Replays removed in one transaction, so that a writing server hardly waits."""


@dataclass(frozen=True, slots=True)
class OldReplays:
    """Old replays to remove.

    Attributes:
        replays: how many.
        size: their bytes.
    """

    replays: int
    size: int


def find_old(database: Database, before_ms: int) -> OldReplays:
    """Replays of ladder matches that ended before a time.

    Those of tournaments are not among them: reports and bundles need them.
    """
    size = sa.func.coalesce(sa.func.sum(sa.func.length(schema.replays.c.document)), 0)
    question = sa.select(sa.func.count(), size).select_from(schema.replays.join(schema.matches))
    with database.reading() as connection:
        [row] = connection.execute(question.where(*_are_old(before_ms)))
    return OldReplays(*row)


def remove_old(database: Database, before_ms: int) -> int:
    """Remove the replays that :func:`find_old` finds; return their number."""
    numbers = (
        sa.select(schema.matches.c.id)
        .where(*_are_old(before_ms), schema.replays.c.match_id == schema.matches.c.id)
        .limit(_IN_TRANSACTION)
    )
    removal = sa.delete(schema.replays).where(schema.replays.c.match_id.in_(numbers))
    removed = 0
    while True:
        with database.writing() as connection:
            count = connection.execute(removal).rowcount
        if count == 0:
            return removed
        removed += count


def _are_old(before_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    table = schema.matches.c
    return table.pairing_id.is_(None), table.finished_ms < before_ms


_REMOVED = Reason.of("replays_removed")
_RESULT_ALONE = Reason.of("only_result_imported")


class MatchRepository(Repository):
    """Each method is one transaction.

    Args:
        database: the open database.
        live_delay: how much later than it happens :meth:`page` and :meth:`get_public` show it.
    """

    def __init__(self, database: Database, live_delay: LiveDelay) -> None:
        super().__init__(database)
        self._live_delay = live_delay

    def find(self, *, tournament: str | None = None, limit: int | None = None) -> list[MatchRow]:
        """Attempts in the order in which they were begun; with ``limit`` the last ones.

        Raises:
            NotInStoreError: there is no such tournament.
        """
        question = match_question().order_by(schema.matches.c.id.desc()).limit(limit)
        with self._database.reading() as connection:
            if tournament is not None:
                number = tournament_row(connection, tournament).id
                question = question.where(schema.pairings.c.tournament_id == number)
            rows = connection.execute(question).all()
            return match_rows(connection, rows[::-1])

    def get(self, name: str) -> MatchRow:
        """One attempt by its id.

        Raises:
            NotInStoreError: there is none.
        """
        with self._database.reading() as connection:
            return _match(connection, name)

    def get_public(self, name: str) -> MatchRow:
        """One attempt as pages may show it: delayed, and without a hidden result.

        Raises:
            NotInStoreError: there is none.
        """
        shown_until_ms = self._live_delay.shown_until_ms()
        with self._database.reading() as connection:
            row = _match(connection, name)
            told = connection.scalar(
                sa.select(schema.matches.c.id).where(
                    schema.matches.c.name == name, *untold_draws(connection)
                )
            )
        if told is None or (shown_until_ms is not None and row.started_ms > shown_until_ms):
            raise NotInStoreError(Reason.of("match_not_in_store", match=name))
        return as_shown(row, shown_until_ms)

    def page(
        self,
        wanted: MatchFilter,
        *,
        newer_than: str | None = None,
        older_than: str | None = None,
        size: int = 50,
    ) -> MatchPage:
        """A page of the selected matches, latest first; the next page begins where this one ends.

        Raises:
            NotInStoreError: no such tournament, or no page names this place.
        """
        with self._database.reading() as connection:
            return match_list.match_page(
                connection,
                wanted,
                newer_than=newer_than,
                older_than=older_than,
                size=size,
                shown_until_ms=self._live_delay.shown_until_ms(),
            )

    def named(self, part: str, most: int = 20) -> tuple[MatchRow, ...]:
        """The last matches whose ids contain a part, in capitals or not."""
        with self._database.reading() as connection:
            until_ms = self._live_delay.shown_until_ms()
            return match_list.matches_named(connection, part, most, until_ms)

    def recent_results(
        self, *, game: str | None = None, tournament: str | None = None
    ) -> list[RecentResult]:
        """The last public results that can be played back, the latest first."""
        with self._database.reading() as connection:
            return recent_results(
                connection,
                game=game,
                tournament=tournament,
                shown_until_ms=self._live_delay.shown_until_ms(),
            )

    def kinds(self, selection: Selection) -> Mapping[Kind, int]:
        """How many matches with a result of each kind are selected, the most frequent first."""
        with self._database.reading() as connection:
            return selected_results.kinds(connection, selection, self._live_delay.shown_until_ms())

    def selected(self, selection: Selection, most_matches: int | None = None) -> SelectedResults:
        """Results for an analysis, block by block; of more than ``most_matches`` the last ones."""
        with self._database.reading() as connection:
            return selected_results.selected_results(
                connection, selection, self._live_delay.shown_until_ms(), most_matches
            )

    def public_replay(self, name: str) -> bytes:
        """The replay document of a match that all may see.

        Raises:
            NotInStoreError: as of :meth:`replay`, or it may not be seen yet.
        """
        shown = self.get_public(name)
        why = why_not_seen(shown)
        if why is not None:
            raise NotInStoreError(why)
        return self.replay(name)

    def public_deal(self, name: str) -> PublicDeal | None:
        """The deal of a match that all may see, also after a crash; None without a deal.

        Raises:
            NotInStoreError: there is no such match, or it may not be seen yet.
        """
        why = why_not_seen(self.get_public(name))
        if why is not None:
            raise NotInStoreError(why)
        with self._database.reading() as connection:
            return deal_of(connection, name)

    def replay(self, name: str) -> bytes:
        """The replay document of a match, for the host: also what is not public yet.

        Raises:
            NotInStoreError: there is no such match, or it has none: in play, voided by a crash, or
                old and removed.
        """
        with self._database.reading() as connection:
            found = _match(connection, name)
            document: bytes | None = connection.scalar(
                sa.select(schema.replays.c.document)
                .join(schema.matches)
                .where(schema.matches.c.name == name)
            )
        if document is None:
            why = Reason.of("still_in_play") if found.reason is None else found.detail
            why = why or (_RESULT_ALONE if found.imported else _REMOVED)
            raise NotInStoreError(Reason.of("no_replay", match=name, why=why))
        return document

    def replays(self, tournament: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Match ids with their replay documents, in the order in which they were begun.

        All that there are, or those of one tournament.

        Raises:
            NotInStoreError: there is no such tournament.
        """
        for name in self._replay_names(tournament):
            yield name, self.replay(name)

    def _replay_names(self, tournament: str | None) -> list[str]:
        table = schema.matches
        question = sa.select(table.c.name).join(schema.replays).order_by(table.c.id)
        with self._database.reading() as connection:
            if tournament is not None:
                number = tournament_row(connection, tournament).id
                question = question.join(
                    schema.pairings, schema.pairings.c.id == table.c.pairing_id
                )
                question = question.where(schema.pairings.c.tournament_id == number)
            return list(connection.scalars(question))


def why_not_seen(row: MatchRow) -> Reason | None:
    """Why the whole of a match (a public row) may not be seen; None if it may."""
    why = why_not_seen_by_seats(row)
    if why is None and row.kept_back:
        return Reason.of("match_kept_back", match=row.match, tournament=row.tournament)
    return why


def why_not_seen_by_seats(row: MatchRow) -> Reason | None:
    """Why the owner of a bot may not see what its seat knew in a match either; None if it may."""
    if row.hidden:
        return Reason.of("results_of_tournament_hidden", tournament=row.tournament)
    if row.unwatched:
        return Reason.of("deal_comes_again", match=row.match)
    if row.reason is None:
        return Reason.of("match_in_play", match=row.match)
    return None


def _match(connection: sa.Connection, name: str) -> MatchRow:
    rows = connection.execute(match_question().where(schema.matches.c.name == name)).all()
    if not rows:
        raise NotInStoreError(Reason.of("match_not_in_store", match=name))
    return match_rows(connection, rows)[0]
