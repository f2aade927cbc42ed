"""The table of a tournament, from what was drawn of it and what became of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

import sqlalchemy as sa

from polynya_tournaments.pairing.formats import Entrant, format_of
from polynya_tournaments.pairing.standings import Standings, tabulate
from polynya_tournaments.store import schema
from polynya_tournaments.store.lookup import tournament_row
from polynya_tournaments.store.tournaments.drawn_rounds import (
    WALKOVER,
    Recorded,
    all_missing,
    recorded,
)
from polynya_tournaments.store.tournaments.schedule_pages import pairings


def standings_of(
    tournament: str, found: Recorded, ratings: Mapping[str, float], unplayed: tuple[str, ...]
) -> Standings:
    """The table.

    Args:
        tournament: its name.
        found: what was drawn and played.
        ratings: the bots' ratings online, to be shown.
        unplayed: why matches have no result, as :func:`why_unplayed` says it.
    """
    description = found.description
    drawn = format_of(description, found.entrants)
    results = [result for block in found.blocks for result in block.results]
    gone = {entrant.name for entrant in found.entrants if entrant.withdrawn is not None}
    all_gone = found.rules > 1 and len(gone) == len(found.entrants)
    rows = tabulate(
        [entrant.name for entrant in found.entrants],
        results,
        ratings,
        drawn.merits(found.blocks),
        [walkover for block in found.blocks for walkover in block.walkovers],
        gone,
        players=description["players"],
        per_game=found.rules == 1,
    )
    return Standings(
        tournament=tournament,
        game=description["game"],
        players=description["players"],
        played=len(results),
        scheduled=len(results) + found.undecided + found.undrawn,
        rows=tuple(replace(row, place=None) for row in rows) if all_gone else rows,
        unplayed=unplayed,
        format=description["format"],
        rounds=drawn.rounds(found.blocks),
        over=found.over,
        verdict=_NO_WINNER if all_gone else drawn.verdict(found.blocks),
        test=drawn.figures(found.blocks),
        rated_by=description.get("rating", "elo"),
    )


_NO_WINNER = "all bots have withdrawn: there is no winner"


class DrawnRow(Protocol):
    """A match of the schedule: what became of it, why, and the bots that missed it."""

    @property
    def state(self) -> str:
        """As in the database."""

    @property
    def detail(self) -> str | None:
        """Why it was not played, a sentence."""

    @property
    def missing(self) -> Mapping[str, str] | None:
        """The bots that missed it, each with the reason."""


def why_unplayed(drawn: Iterable[DrawnRow]) -> tuple[str, ...]:
    """One sentence for each reason, and one for all matches that several bots missed."""
    unplayed = [row for row in drawn if row.state in ("abandoned", WALKOVER)]
    several = [row.missing for row in unplayed if row.missing and len(row.missing) > 1]
    counted = Counter(row.detail for row in unplayed if len(row.missing or ()) < 2)
    sentences = [f"{count} not played: {detail}" for detail, count in counted.items()]
    if several:
        sentences.append(f"{len(several)} not played: {all_missing(several)}")
    return tuple(sentences)


def standings(connection: sa.Connection, name: str) -> Standings:
    """The table of a tournament as it is now."""
    tournament = tournament_row(connection, name)
    found = recorded(connection, tournament)
    ratings_ = _ratings_of(connection, tournament.id, found.entrants)
    return standings_of(name, found, ratings_, why_unplayed(pairings(connection, name)))


def _ratings_of(
    connection: sa.Connection, tournament_id: int, entrants: Iterable[Entrant]
) -> dict[str, float]:
    """Each bot's rating after its last rated match here; before one, that of its entry.

    So a table that is published stays what it was, whatever its bots play afterwards.
    """
    changes, matches, drawn = schema.rating_changes, schema.matches, schema.pairings
    last = (
        sa.select(sa.func.max(changes.c.id))
        .select_from(drawn.join(matches).join(changes))
        .where(drawn.c.tournament_id == tournament_id)
        .group_by(changes.c.bot_id)
    )
    rows = connection.execute(
        sa.select(schema.bots.c.name, changes.c.after)
        .select_from(changes.join(schema.bots))
        .where(changes.c.id.in_(last))
    )
    return {one.name: one.rating for one in entrants} | {row.name: row.after for row in rows}
