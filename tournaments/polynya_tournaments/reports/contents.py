"""Everything that a report says, gathered from the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polynya_server.records import ForfeitRecord
from polynya_tournaments.replays import parse_replay
from polynya_tournaments.standings import Standings
from polynya_tournaments.statistics import Analysis, analyse
from polynya_tournaments.store import MatchRow, PairingRow, Store


@dataclass(frozen=True, slots=True)
class Forfeit:
    """One forfeit: the match, who at which seat, the contract's word for why, and a sentence."""

    match: str
    bot: str
    seat: int
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match of the schedule.

    Attributes:
        number: in the schedule, from 1.
        match: the id of the attempt that has the result; None without one.
        players: by seat.
        seed: of the set-up, as decimal text, which programs cannot round; None as long as a match
            with this set-up may still be played, for nobody should know it before.
        ranking, scores: the result by seat; None without one.
        state: ``open``, ``played``, ``abandoned`` or ``walkover``.
        detail: why it was not played, a sentence; else None.
    """

    number: int
    match: str | None
    players: tuple[str, ...]
    seed: str | None
    ranking: tuple[int | None, ...] | None
    scores: tuple[int | None, ...] | None
    state: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """All of it; ``dataclasses.asdict`` is the JSON form."""

    standings: Standings
    analysis: Analysis
    forfeits: tuple[Forfeit, ...]
    pairings: tuple[Pairing, ...]


def gather(store: Store, tournament: str) -> Report:
    """What there is to report of a tournament as it is now.

    Raises:
        StoreError: there is no such tournament.
        TournamentError: what the arithmetic needs is not installed.
    """
    standings = store.standings(tournament)
    blocks = [block.results for block in store.recorded(tournament).blocks]
    matches = {row.match: row for row in store.matches(tournament=tournament)}
    drawn = store.pairings(tournament)
    played = [matches[row.match] for row in drawn if row.match is not None]
    return Report(
        standings=standings,
        analysis=analyse([row.name for row in standings.rows], standings.players, blocks),
        forfeits=tuple(forfeit for match in played for forfeit in _forfeits(store, match)),
        pairings=tuple(_pairings(drawn, matches)),
    )


def _forfeits(store: Store, match: MatchRow) -> Iterator[Forfeit]:
    """Those of a match in their order; the sentences are in its replay."""
    if all(seat.forfeit is None for seat in match.seats):
        return
    for event in parse_replay(store.replay(match.match), match.match).events:
        if isinstance(event, ForfeitRecord):
            bot = match.seats[event.seat].name
            yield Forfeit(match.match, bot, event.seat, event.reason, event.detail)


def _pairings(drawn: Sequence[PairingRow], matches: dict[str, MatchRow]) -> Iterator[Pairing]:
    by_block: dict[str, list[PairingRow]] = defaultdict(list)
    for row in drawn:
        by_block[row.block].append(row)
    secret = {
        block
        for block, rows in by_block.items()
        if any(row.state in ("open", "abandoned") for row in rows)
    }
    for row in drawn:
        seats = matches[row.match].seats if row.match is not None else None
        yield Pairing(
            number=row.number,
            match=row.match,
            players=row.players,
            seed=None if row.block in secret else str(row.seed),
            ranking=None if seats is None else tuple(seat.rank for seat in seats),
            scores=None if seats is None else tuple(seat.score for seat in seats),
            state=row.state,
            detail=row.detail,
        )
