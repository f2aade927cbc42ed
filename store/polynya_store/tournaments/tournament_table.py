"""The table of a tournament, from its drawn matches and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.formats import Entrant, PlayedBlock, format_of
from polynya_contest.pairing.standings import MatchResult, Standings, Walkover
from polynya_contest.pairing.tabulation import tabulate
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.tournaments.counted_results import (
    counted_results,
    counted_unplayed,
    counted_walkovers,
    last_shown,
    shown,
    state_counts,
)
from polynya_store.tournaments.open_pairings import DROPPED, UNDECIDED, all_missing
from polynya_store.tournaments.recorded_rounds import (
    Outline,
    Recorded,
    outline,
    recorded,
)

_NO_WINNER = Reason.of("all_withdrawn")


@dataclass(frozen=True, slots=True)
class Decided:
    """Results of a tournament's matches for its table.

    Attributes:
        results: each different one, with how often it occurred.
        walkovers: matches that were not played.
        undecided: how many matches may still get a result.
        undrawn: how many are drawn later, as far as this is known.
        over: whether everything is decided, and nothing more is drawn.
        blocks: all that were drawn; empty for a format that only counts results.
    """

    results: Mapping[MatchResult, int]
    walkovers: Iterable[Walkover]
    undecided: int
    undrawn: int
    over: bool
    blocks: tuple[PlayedBlock, ...] = ()


def decided_of(found: Recorded) -> Decided:
    """The same from the drawn blocks."""
    return Decided(
        results=Counter(result for block in found.blocks for result in block.results),
        walkovers=[walkover for block in found.blocks for walkover in block.walkovers],
        undecided=found.undecided,
        undrawn=found.undrawn,
        over=found.over,
        blocks=found.blocks,
    )


def standings_of(
    tournament: str,
    description: Mapping[str, Any],
    entrants: tuple[Entrant, ...],
    decided: Decided,
    ratings: Mapping[str, float],
    unplayed: tuple[Cause, ...],
) -> Standings:
    """The table.

    Args:
        tournament: its name.
        description: what determines its matches.
        entrants: in the order of the seeding.
        decided: what became of the matches.
        ratings: the bots' ratings online, to be shown.
        unplayed: why matches have no result, as :func:`why_unplayed` says it.
    """
    drawn, blocks = format_of(description, entrants), decided.blocks
    played = sum(decided.results.values())
    gone = {entrant.name for entrant in entrants if entrant.withdrawn is not None}
    all_gone = len(gone) == len(entrants)
    rows = tabulate(
        [entrant.name for entrant in entrants],
        decided.results,
        ratings,
        drawn.merits(blocks),
        decided.walkovers,
        gone,
        players=description["players"],
    )
    return Standings(
        tournament=tournament,
        game=description["game"],
        players=description["players"],
        played=played,
        scheduled=played + decided.undecided + decided.undrawn,
        rows=tuple(replace(row, place=None) for row in rows) if all_gone else rows,
        unplayed=unplayed,
        format=description["format"],
        rounds=drawn.rounds(blocks),
        over=decided.over,
        verdict=_NO_WINNER if all_gone else drawn.verdict(blocks),
        test=drawn.figures(blocks),
        rated_by=description.get("rating", "elo"),
    )


def why_unplayed(
    unplayed: Iterable[tuple[Cause | None, Mapping[str, str] | None, int]],
) -> tuple[Cause, ...]:
    """One sentence for each reason, and one for all matches that several bots missed.

    Args:
        unplayed: why matches were not played, the bots that missed them, and how many they are.
    """
    counted: Counter[Cause | None] = Counter()
    several: list[Mapping[str, str]] = []
    missed_by_several = 0
    for detail, missing, number in unplayed:
        if missing and len(missing) > 1:
            several.append(missing)
            missed_by_several += number
        else:
            counted[detail] += number
    sentences = [
        Reason.of("not_played", count=number, why=detail) for detail, number in counted.items()
    ]
    if several:
        sentences.append(Reason.of("not_played", count=missed_by_several, why=all_missing(several)))
    return tuple(sentences)


def standings(connection: sa.Connection, name: str, hidden_since: int | None = None) -> Standings:
    """The table of a tournament as it is now.

    Without the results of matches that began from ``hidden_since`` on, ms since 1970.
    """
    tournament = tournament_row(connection, name)
    found = outline(connection, tournament)
    if found.counts_results:
        decided = _counted(connection, tournament.id, found, hidden_since)
    else:
        decided = decided_of(recorded(connection, tournament, hidden_since))
    last = last_shown(connection, tournament.id, hidden_since)
    return standings_of(
        name,
        found.description,
        found.entrants,
        decided,
        _ratings_of(connection, tournament.id, found.entrants, hidden_since),
        why_unplayed(counted_unplayed(connection, tournament.id, last)),
    )


def is_complete(connection: sa.Connection, name: str) -> bool:
    """Whether every match of a tournament is decided, and no round is to come."""
    tournament = tournament_row(connection, name)
    found = outline(connection, tournament)
    if found.undecided or found.undrawn:
        return False
    return found.counts_results or recorded(connection, tournament).over


def _counted(
    connection: sa.Connection, tournament_id: int, found: Outline, hidden_since: int | None
) -> Decided:
    """Count results in the database, for formats that need only counts."""
    states = state_counts(connection, tournament_id)[tournament_id]
    undecided = sum(states[state] for state in UNDECIDED)
    last = last_shown(connection, tournament_id, hidden_since)
    walkovers = counted_walkovers(connection, tournament_id, last)
    players = found.description["players"]
    results = counted_results(connection, tournament_id, players, hidden_since)
    if hidden_since is not None:
        known = results.total() + sum(number for _, number in walkovers)
        undecided = states.total() - states[DROPPED] - known
    return Decided(
        results=results,
        walkovers=chain.from_iterable(repeat(one, number) for one, number in walkovers),
        undecided=undecided,
        undrawn=found.undrawn,
        over=not undecided and not found.undrawn,
    )


def _ratings_of(
    connection: sa.Connection,
    tournament_id: int,
    entrants: Iterable[Entrant],
    hidden_since: int | None,
) -> dict[str, float]:
    """Each bot's rating after its last rated match here; before one, that of its entry.

    So a published table stays the same, also when its bots play further matches.
    """
    changes, matches, drawn = schema.rating_changes, schema.matches, schema.pairings
    last = (
        sa.select(sa.func.max(changes.c.id))
        .select_from(drawn.join(matches).join(changes))
        .where(drawn.c.tournament_id == tournament_id, *shown(hidden_since))
        .group_by(changes.c.bot_id)
    )
    rows = connection.execute(
        sa.select(schema.bots.c.name, changes.c.after)
        .select_from(changes.join(schema.bots))
        .where(changes.c.id.in_(last))
    )
    return {one.name: one.rating for one in entrants} | {row.name: row.after for row in rows}
