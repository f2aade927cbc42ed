"""The table of a tournament, from what was drawn of it and what became of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from polynya_tournaments.pairing.formats import Entrant, format_of
from polynya_tournaments.pairing.standings import Standings, tabulate
from polynya_tournaments.store import schema
from polynya_tournaments.store.lookup import tournament_row
from polynya_tournaments.store.tournaments.drawn_rounds import WALKOVER, Recorded, recorded
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
    nobody = found.rules > 1 and len(gone) == len(found.entrants)
    return Standings(
        tournament=tournament,
        game=description["game"],
        players=description["players"],
        played=len(results),
        scheduled=len(results) + found.undecided + found.undrawn,
        rows=tabulate(
            [entrant.name for entrant in found.entrants],
            results,
            ratings,
            drawn.merits(found.blocks),
            [walkover for block in found.blocks for walkover in block.walkovers],
            gone,
            players=description["players"],
            per_game=found.rules == 1,
        ),
        unplayed=unplayed,
        format=description["format"],
        rounds=drawn.rounds(found.blocks),
        over=found.over,
        verdict=_NO_WINNER if nobody else drawn.verdict(found.blocks),
        test=drawn.figures(found.blocks),
        rated_by=description.get("rating", "elo"),
    )


_NO_WINNER = "all bots have withdrawn: there is no winner"


def why_unplayed(drawn: Iterable[tuple[str, str | None]]) -> tuple[str, ...]:
    """One sentence for each reason; ``drawn`` has each match's state and detail, in order."""
    counted = Counter(detail for state, detail in drawn if state in ("abandoned", WALKOVER))
    return tuple(f"{count} not played: {detail}" for detail, count in counted.items())


def standings(connection: sa.Connection, name: str) -> Standings:
    """The table of a tournament as it is now."""
    tournament = tournament_row(connection, name)
    found = recorded(connection, tournament)
    ratings_ = _ratings_of(connection, tournament.id, found.entrants)
    drawn = ((row.state, row.detail) for row in pairings(connection, name))
    return standings_of(name, found, ratings_, why_unplayed(drawn))


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
