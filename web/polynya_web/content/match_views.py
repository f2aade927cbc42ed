"""Converts records and rows of matches to the API's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import msgspec

from polynya_common.reasons import Cause, reason_of
from polynya_protocol.messages import Clock, ForfeitReason, OverReason
from polynya_server.records import MatchRecord
from polynya_store import MatchRow
from polynya_web.content.match_types import MatchForfeit, MatchView, Seat, Termination, exact

T = TypeVar("T")


def view_of_record(record: MatchRecord, tournament: str | None = None) -> MatchView:
    """A match that is over, as it was recorded."""
    setup = record.setup
    return MatchView(
        match=setup.match,
        tournament=tournament,
        game=setup.game,
        seats=_seats_of_record(record),
        options=exact(record.options),
        clock=setup.clock,
        rated=setup.rated,
        started_ms=record.started_ms,
        finished_ms=record.finished_ms,
        reason=record.reason,
        termination=record.termination,
        detail=words(record.detail),
        detail_cause=reason_of(record.detail),
        server_fault=record.server_fault,
        forfeits=[
            MatchForfeit(
                turn=forfeit.turn,
                seat=forfeit.seat,
                reason=forfeit.reason,
                detail=str(forfeit.detail),
                detail_cause=reason_of(forfeit.detail),
                limit_ms=forfeit.limit_ms,
                charged_ms=forfeit.charged_ms,
            )
            for forfeit in record.forfeits
        ],
    )


def _seats_of_record(record: MatchRecord) -> list[Seat]:
    setup = record.setup
    seats = len(setup.players)
    forfeits = {forfeit.seat: forfeit.reason for forfeit in record.forfeits}
    return [
        Seat(
            seat=seat,
            name=name,
            rating=rating,
            software=software,
            rank=rank,
            score=score,
            forfeit=forfeits.get(seat),
        )
        for seat, (name, rating, software, rank, score) in enumerate(
            zip(
                setup.players,
                _by_seat(setup.ratings, seats),
                _by_seat(record.software, seats),
                _by_seat(record.ranking, seats),
                _by_seat(record.scores, seats),
                strict=True,
            )
        )
    ]


def with_ratings(seats: list[Seat], changes: Mapping[int, tuple[float, float]]) -> list[Seat]:
    """Seats with their ratings before and after the match, by seat."""
    return [
        msgspec.structs.replace(seat, rating_before=before, rating_after=after)
        for seat in seats
        for before, after in [changes.get(seat.seat, (None, None))]
    ]


def words(cause: Cause | None) -> str | None:
    """The English sentence of a cause, where there is one."""
    return None if cause is None else str(cause)


def _by_seat(values: Sequence[T] | None, seats: int) -> Sequence[T | None]:
    """One value for each seat; empty if the number is wrong, as in a forged file."""
    return values if values is not None and len(values) == seats else [None] * seats


def view_of_row(row: MatchRow) -> MatchView:
    """A match as the database lists it: without ratings and software."""
    return MatchView(
        match=row.match,
        tournament=row.tournament,
        game=row.game,
        seats=[
            Seat(
                seat=seat,
                name=one.name,
                rank=one.rank,
                score=one.score,
                forfeit=cast("ForfeitReason | None", one.forfeit),
            )
            for seat, one in enumerate(row.seats)
        ],
        options=exact(row.options),
        clock=msgspec.convert(row.clock, Clock),
        rated=row.rated,
        started_ms=row.started_ms,
        finished_ms=row.finished_ms,
        in_play=row.reason is None,
        reason=cast("OverReason | None", row.reason),
        termination=cast("Termination | None", row.termination),
        detail=words(row.detail),
        detail_cause=reason_of(row.detail),
        server_fault=row.server_fault,
        annulled=words(row.annulled),
        annulled_cause=reason_of(row.annulled),
        imported=row.imported,
    )
