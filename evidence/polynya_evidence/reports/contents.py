"""Computes the contents of a report from the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polynya_common.reasons import Cause
from polynya_contest.pairing.duplicate_gain import narrowing
from polynya_contest.pairing.formats import format_of
from polynya_contest.pairing.formats.brackets.bracket import Bracket
from polynya_contest.pairing.formats.brackets.knockout import Elimination
from polynya_contest.pairing.standings import Standings
from polynya_evidence.analysis import Analysis, analyse
from polynya_evidence.reports.evidence import DrawnMatch, Evidence
from polynya_store.ratings.rating_repository import Step
from polynya_store.tournaments.open_pairings import ABANDONED, HELD, UNDECIDED, WALKOVER
from polynya_store.tournaments.recorded_rounds import Recorded
from polynya_store.tournaments.tournament_table import (
    decided_of,
    standings_of,
    why_unplayed,
)


@dataclass(frozen=True, slots=True)
class Forfeit:
    """One forfeit: the match, who at which seat, the contract's word for why, and a sentence."""

    match: str
    bot: str
    seat: int
    reason: str
    detail: Cause


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A match of the schedule.

    Attributes:
        number: in the schedule, from 1.
        match: the id of the attempt that has the result; None without one.
        players: by seat.
        seed: of the set-up, as decimal text, which programs cannot round; None as long as a match
            with this set-up may still be played, for no author should know it before.
        ranking, scores: the result by seat; None without one.
        state: ``open``, ``played``, ``abandoned``, ``held``, ``walkover`` or ``dropped``.
        detail: why it was not played, a sentence; else None.
        online: by seat, the online ratings before and after it; empty as long as it is not rated.
            Matches are rated in the order of their numbers.
    """

    number: int
    match: str | None
    players: tuple[str, ...]
    seed: str | None
    ranking: tuple[int, ...] | None
    scores: tuple[int, ...] | None
    state: str
    detail: Cause | None
    online: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All of it; ``dataclasses.asdict`` is the JSON form.

    Attributes:
        standings: the table.
        analysis: what the results say of the bots.
        forfeits: all that there were.
        pairings: the matches of the schedule.
        bracket, seeds: of a knockout or a double elimination its fixtures, and the bots in the
            order of the seeding; None and empty for other formats.
        sandboxes: by bot that the host started what it ran in, in the order of the matches.
        narrowing: with duplicate deals, the part by which they narrow the intervals: see
            :func:`~polynya_contest.pairing.duplicate_gain.narrowing`; else None.
    """

    standings: Standings
    analysis: Analysis
    forfeits: tuple[Forfeit, ...]
    pairings: tuple[ScheduledMatch, ...]
    sandboxes: Mapping[str, tuple[str, ...]]
    bracket: Bracket | None = None
    seeds: tuple[str, ...] = ()
    narrowing: float | None = None


def report_of(evidence: Evidence) -> Report:
    """The report that follows from the evidence.

    Raises:
        TournamentError: what the arithmetic needs is not installed.
    """
    recorded = evidence.recorded()
    table = _table(evidence, recorded)
    blocks = [block.results for block in recorded.blocks]
    drawn = format_of(recorded.description, recorded.entrants)
    elimination = drawn if isinstance(drawn, Elimination) else None
    return Report(
        standings=table,
        analysis=analyse([row.name for row in table.rows], table.players, blocks),
        forfeits=tuple(forfeits_of(evidence)),
        pairings=tuple(_pairings(evidence)),
        sandboxes=sandboxes_of(evidence),
        bracket=elimination.bracket if elimination else None,
        seeds=elimination.seeds if elimination else (),
        narrowing=narrowing(recorded.blocks) if recorded.description.get("duplicate") else None,
    )


def sandboxes_of(evidence: Evidence) -> dict[str, tuple[str, ...]]:
    """The sandboxes of each bot."""
    found: dict[str, dict[str, None]] = {}
    played = (match.match for match in evidence.schedule.matches if match.match is not None)
    for outcome in (evidence.outcomes[match] for match in played if match in evidence.outcomes):
        for name, sandbox in zip(outcome.players, outcome.sandboxes, strict=False):
            if sandbox is not None:
                found.setdefault(name, {})[sandbox] = None
    return {name: tuple(known) for name, known in sorted(found.items())}


def _table(evidence: Evidence, recorded: Recorded) -> Standings:
    """The table; its ratings are those after each bot's last match of the tournament."""
    schedule = evidence.schedule
    ratings = {entrant.name: entrant.rating for entrant in schedule.entrants}
    for match in schedule.matches:
        ratings.update(
            zip(match.players, (step.after.rating for step in match.online), strict=False)
        )
    return standings_of(
        schedule.tournament,
        recorded.description,
        recorded.entrants,
        decided_of(recorded),
        ratings,
        why_unplayed(
            (match.detail, match.missing, 1)
            for match in schedule.matches
            if match.state in (ABANDONED, HELD, WALKOVER)
        ),
    )


def forfeits_of(evidence: Evidence) -> Iterator[Forfeit]:
    """All forfeits in the order of the schedule."""
    for drawn in evidence.schedule.matches:
        if drawn.match is None:
            continue
        for lost in evidence.outcomes[drawn.match].forfeits:
            bot = drawn.players[lost.seat]
            yield Forfeit(drawn.match, bot, lost.seat, lost.reason, lost.detail)


def _pairings(evidence: Evidence) -> Iterator[ScheduledMatch]:
    by_block: dict[str, list[DrawnMatch]] = defaultdict(list)
    for drawn in evidence.schedule.matches:
        by_block[drawn.block].append(drawn)
    secret = {
        block
        for block, matches in by_block.items()
        if any(match.state in UNDECIDED for match in matches)
    }
    for drawn in evidence.schedule.matches:
        outcome = None if drawn.match is None else evidence.outcomes[drawn.match]
        yield ScheduledMatch(
            number=drawn.number,
            match=drawn.match,
            players=drawn.players,
            seed=None if drawn.block in secret else drawn.seed,
            ranking=None if outcome is None else outcome.ranking,
            scores=None if outcome is None else outcome.scores,
            state=drawn.state,
            detail=drawn.detail,
            online=drawn.online,
        )
