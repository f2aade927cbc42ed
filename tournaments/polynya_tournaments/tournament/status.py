"""Builds a tournament's status as one JSON object, and enforces the embargo on its results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from polynya_common.errors import TournamentError
from polynya_common.reasons import Reason, reason_of
from polynya_common.text import moment
from polynya_contest.pairing.standings import Round, Standing, Standings
from polynya_protocol.messages import Clock
from polynya_store import Store
from polynya_store.recorded_secret import PublicSecret
from polynya_store.tournaments.tournament_progress import Terms


class TournamentStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament's terms and its table.

    While its results are hidden, ``rows``, ``rounds``, ``verdict`` and ``test`` are empty.

    Attributes:
        tournament: its name.
        game, players: what is played.
        format: how it is drawn.
        clock: the time limits of each match, ms.
        closes_ms: when submissions close and matches begin, ms since 1970; null without.
        results_from_ms: when results are shown, ms since 1970; null for at once.
        freezes_ms: results of matches that begin before then are shown at once; null for none.
        begun: whether a match has begun.
        hidden: whether all results are hidden now.
        frozen: whether those of matches that began since ``freezes_ms`` are hidden now.
        played, scheduled: matches with a result, and all.
        complete: whether every match has a result, and no round is to come.
        over: whether there is nothing to be drawn any more.
        bots: the names of all entrants, sorted.
        rows: the table, by place.
        unplayed: one sentence for each reason why matches have no result.
        unplayed_cause: the same as codes with fields; null for a sentence without.
        rounds: the meetings of each round, where the format has rounds.
        verdict: what the matches were to decide, in a sentence; empty for most formats.
        verdict_cause: the same as a code with fields.
        test: the same in numbers, by name.
        rated_by: the system of the ratings, ``elo`` or ``openskill``.
        secrets: the commitments to what all set-ups follow from, the present one last; the secret
            itself as soon as the tournament is complete.
    """

    tournament: str
    game: str
    players: int
    format: str
    clock: Clock
    closes_ms: int | None
    results_from_ms: int | None
    freezes_ms: int | None
    begun: bool
    hidden: bool
    frozen: bool
    played: int
    scheduled: int
    complete: bool
    over: bool
    bots: tuple[str, ...]
    rows: tuple[Standing, ...]
    unplayed: tuple[str, ...]
    unplayed_cause: tuple[Reason | None, ...]
    rounds: tuple[Round, ...]
    verdict: str
    verdict_cause: Reason | None
    test: Mapping[str, float | str | list[int]]
    rated_by: str
    secrets: tuple[PublicSecret, ...]


def status_of(standings: Standings, terms: Terms, *, reveal: bool = False) -> TournamentStatus:
    """Build a tournament's status; hidden results are omitted unless they are revealed.

    Args:
        standings: its table; without hidden results, unless they are revealed.
        terms: its other terms.
        reveal: show results even if they are hidden.
    """
    shown = reveal or not terms.hidden
    verdict = standings.verdict if shown else ""
    unplayed = standings.unplayed if shown else ()
    return TournamentStatus(
        tournament=standings.tournament,
        game=standings.game,
        players=standings.players,
        format=standings.format,
        clock=terms.clock,
        closes_ms=terms.closes_ms,
        results_from_ms=terms.results_from_ms,
        freezes_ms=terms.freezes_ms,
        begun=terms.begun,
        hidden=terms.hidden,
        frozen=terms.frozen,
        played=standings.played,
        scheduled=standings.scheduled,
        complete=standings.complete,
        over=standings.over,
        bots=tuple(sorted(row.name for row in standings.rows)),
        rows=standings.rows if shown else (),
        unplayed=tuple(map(str, unplayed)),
        unplayed_cause=tuple(map(reason_of, unplayed)),
        rounds=standings.rounds if shown else (),
        verdict=str(verdict),
        verdict_cause=reason_of(verdict),
        test=standings.test if shown else {},
        rated_by=standings.rated_by,
        secrets=terms.secrets,
    )


def is_active(results_from: datetime | None) -> bool:
    """Whether an embargo until this time is still active."""
    return results_from is not None and datetime.now(UTC) < results_from


def milliseconds(at: datetime | None) -> int | None:
    """Convert a time to ms since 1970."""
    return None if at is None else round(at.timestamp() * 1000)


def hidden_until(store: Store, tournament: str) -> str | None:
    """The time from which results are shown, in UTC; None if they are shown now.

    Raises:
        StoreError: there is no such tournament.
    """
    until_ms = store.tournaments.hidden_until_ms(tournament)
    return None if until_ms is None else moment(until_ms)


def require_revealed(store: Store, tournament: str, *, reveal: bool) -> None:
    """Refuse to show results before their time, unless the host reveals them.

    Raises:
        TournamentError: they are hidden; the message says until when.
    """
    until = hidden_until(store, tournament)
    if until is not None and not reveal:
        raise TournamentError(
            f"the results of {tournament} are hidden until {until}; --reveal shows them to you"
        )
