"""The evidence behind a report: the description, the draws, and the result of each match.

It is read from the database or from a bundle, and both give the same report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, cast

import msgspec

from polynya_common.reasons import Cause
from polynya_conformance.replay.verify import parse_replay
from polynya_contest.pairing.formats import Entrant, PlayedBlock
from polynya_contest.pairing.standings import NOT_READY, MatchResult, Walkover
from polynya_server.records import MatchRecord
from polynya_store import MatchRow, Store
from polynya_store.ratings.rating_repository import Step
from polynya_store.tournaments.open_pairings import UNDECIDED
from polynya_store.tournaments.recorded_rounds import Recorded

State = Literal["open", "played", "abandoned", "held", "walkover", "dropped"]


class DrawnMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match of the schedule.

    Attributes:
        number: in the schedule, from 1.
        block: the key of its block.
        players: by seat.
        seed: of the set-up, as decimal text, which programs cannot round.
        state: as in the database.
        detail: why it was not played, a sentence; else None.
        missing: of a walkover, the bots that missed it, each with the reason.
        match: the id of the attempt that has the result; None without one.
        online: by seat, what the match did to the ratings; empty as long as it is not rated.
    """

    number: int
    block: str
    players: tuple[str, ...]
    seed: str
    state: State
    detail: Cause | None = None
    missing: dict[str, str] = {}
    match: str | None = None
    online: tuple[Step, ...] = ()


class ScheduleSecret(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A secret of the tournament: see :class:`~polynya_contest.secret.Secret`.

    Attributes:
        after: the number of the last match that was drawn before it.
        commitment: what was published before its first match.
        secret: in hexadecimal; None as long as matches may follow from it.
        beacon: the public value that came after the commitment; None without one.
        made_ms: when it was recorded, ms since 1970.
    """

    after: int
    commitment: str
    secret: str | None = None
    beacon: str | None = None
    made_ms: int = 0


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is known of a tournament but the matches themselves.

    Attributes:
        tournament: its name.
        description: what determines its matches.
        entrants: in the order of the seeding.
        matches: all that were drawn, in the order of their numbers.
        secrets: in the order in which they were recorded; none of a tournament that version 0.3.0
            began.
    """

    tournament: str
    description: dict[str, Any]
    entrants: tuple[Entrant, ...]
    matches: tuple[DrawnMatch, ...]
    secrets: tuple[ScheduleSecret, ...] = ()


class Lost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A forfeit: at which seat, the contract's word for why, and a sentence."""

    seat: int
    reason: str
    detail: Cause


class MatchOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of a match.

    Attributes:
        players, ranking, scores: by seat the bots, their ranks and scores.
        forfeits: those that there were.
        sandboxes: by seat what the bots ran in; see :class:`~polynya_server.records.MatchSetup`.
    """

    players: tuple[str, ...]
    ranking: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[Lost, ...] = ()
    sandboxes: tuple[str | None, ...] = ()

    def result(self) -> MatchResult:
        """The part of it that tables and ratings take."""
        lost = {forfeit.seat: forfeit.reason for forfeit in self.forfeits}
        return MatchResult(
            self.players,
            self.ranking,
            tuple(seat in lost for seat in range(len(self.players))),
            tuple(self.players[seat] for seat, why in sorted(lost.items()) if why == NOT_READY),
        )


class Evidence(msgspec.Struct, frozen=True):
    """Everything: the schedule, and the outcomes by the ids of the matches."""

    schedule: Schedule
    outcomes: Mapping[str, MatchOutcome]

    def recorded(self) -> Recorded:
        """The records that a format draws the next round from."""
        matches = self.schedule.matches
        return Recorded(
            description=self.schedule.description,
            entrants=self.schedule.entrants,
            blocks=tuple(self.blocks(matches)),
            undecided=sum(match.state in UNDECIDED for match in matches),
            last_number=matches[-1].number if matches else 0,
        )

    def blocks(self, matches: Iterable[DrawnMatch]) -> Iterator[PlayedBlock]:
        """These matches as blocks with their results."""
        for block, of_block in groupby(matches, key=lambda match: match.block):
            drawn = list(of_block)
            results = (self.outcomes[one.match].result() for one in drawn if one.match is not None)
            missed = (Walkover(one.players, one.missing) for one in drawn if one.missing)
            yield PlayedBlock(block, drawn[0].players, tuple(results), tuple(missed))


def evidence_of(store: Store, tournament: str) -> Evidence:
    """The records of a tournament in the database as it is now.

    Raises:
        StoreError: there is no such tournament.
    """
    found = store.tournaments.outline(tournament)
    steps = store.ratings.steps(tournament)
    pairings = store.tournaments.pairings(tournament)
    rows = {row.match: row for row in store.matches.find(tournament=tournament)}
    return Evidence(
        Schedule(
            tournament=tournament,
            description=found.description,
            entrants=found.entrants,
            matches=tuple(
                DrawnMatch(
                    number=pairing.number,
                    block=pairing.block,
                    players=pairing.players,
                    seed=str(pairing.seed),
                    state=cast("State", pairing.state),
                    detail=pairing.detail,
                    missing=dict(pairing.missing),
                    match=pairing.match,
                    online=steps.get(pairing.match or "", ()),
                )
                for pairing in pairings
            ),
            secrets=secrets_of(store, tournament),
        ),
        {
            pairing.match: _outcome(store, rows[pairing.match])
            for pairing in pairings
            if pairing.match is not None
        },
    )


def secrets_of(store: Store, tournament: str) -> tuple[ScheduleSecret, ...]:
    """The secrets of a tournament, as far as they are out."""
    return tuple(
        ScheduleSecret(
            after=one.after or 0,
            commitment=one.commitment,
            secret=one.secret,
            beacon=one.beacon,
            made_ms=one.made_ms,
        )
        for one in store.tournaments.public_secrets(tournament)
    )


def _outcome(store: Store, row: MatchRow) -> MatchOutcome:
    """Of a match with a result; the sentences of forfeits are in its replay."""
    if any(seat.forfeit is not None for seat in row.seats):
        return outcome_of(parse_replay(store.matches.replay(row.match), row.match))
    return MatchOutcome(
        tuple(seat.name for seat in row.seats),
        tuple(seat.rank for seat in row.seats if seat.rank is not None),
        tuple(seat.score for seat in row.seats if seat.score is not None),
        sandboxes=tuple(seat.sandbox for seat in row.seats),
    )


def outcome_of(record: MatchRecord) -> MatchOutcome:
    """The outcome in the record of a match with a result."""
    return MatchOutcome(
        record.setup.players,
        tuple(record.ranking or ()),
        tuple(record.scores or ()),
        tuple(Lost(one.seat, one.reason, one.detail) for one in record.forfeits),
        record.setup.sandboxes,
    )
