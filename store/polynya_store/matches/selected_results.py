"""Selects recorded results, block by block, for an analysis.

The matches of a block of a tournament are one block here, too; each match of a ladder is a block.
Results that the host has annulled are left out, and those that are still hidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.standings import MatchResult
from polynya_store import schema
from polynya_store.visibility import counts, is_public, with_tournament


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter for results; None or empty values filter nothing.

    Attributes:
        game, players, clock_class, variant: of the matches.
        since_ms, until_ms: they ended from then on, and before then, ms since 1970.
        tournaments: those of these only; without any, ladder matches and those of all.
        bots: all bots of a match are among these.
        revealed: whether results that are hidden from the public are looked at, too.
    """

    game: str | None = None
    players: int | None = None
    clock_class: str | None = None
    variant: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    tournaments: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    revealed: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """How matches are played: the key of their pool, but for the system of ratings."""

    game: str
    players: int
    clock_class: str
    variant: str


@dataclass(frozen=True, slots=True)
class SelectedResults:
    """A selection: the bots by name, and the results of each block."""

    names: tuple[str, ...]
    blocks: tuple[tuple[MatchResult, ...], ...]

    @property
    def matches(self) -> int:
        """The number of matches."""
        return sum(map(len, self.blocks))


def kinds(
    connection: sa.Connection, selection: Selection, shown_until_ms: int | None
) -> Mapping[Kind, int]:
    """How many matches of each kind are selected, the most frequent first."""
    matches = schema.matches.c
    keys = (matches.game, matches.players, matches.clock_class, matches.variant)
    number = sa.func.count()
    rows = connection.execute(
        sa.select(*keys, number)
        .select_from(_source())
        .where(*_conditions(selection, shown_until_ms))
        .group_by(*keys)
        .order_by(number.desc(), *keys)
    )
    return {Kind(*row[:-1]): row[-1] for row in rows}


def selected_results(
    connection: sa.Connection,
    selection: Selection,
    shown_until_ms: int | None,
    most_matches: int | None = None,
) -> SelectedResults:
    """The results, in the order in which the matches were begun.

    Args:
        connection: a transaction.
        selection: which; all of them of one number of players.
        shown_until_ms: see ``visibility``.
        most_matches: of more the last ones are taken.
    """
    chosen = newest_matches(selection, shown_until_ms, most_matches)
    seats, bots = schema.seats.c, schema.bots.c
    rows = connection.execute(
        sa.select(chosen, bots.name, seats.rank, seats.forfeit)
        .select_from(
            chosen.join(schema.seats, seats.match_id == chosen.c.id).join(
                schema.bots, bots.id == seats.bot_id
            )
        )
        .order_by(chosen.c.id, seats.seat)
    )
    by_match: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        by_match[row.id].append(row)
    blocks: dict[tuple[Any, ...], list[MatchResult]] = defaultdict(list)
    for match_id, of_match in by_match.items():
        first = of_match[0]
        drawn = first.tournament_id is not None
        blocks[(first.tournament_id, first.block) if drawn else (match_id,)].append(
            MatchResult(
                tuple(row.name for row in of_match),
                tuple(row.rank for row in of_match),
                tuple(row.forfeit is not None for row in of_match),
            )
        )
    names = {row.name for of_match in by_match.values() for row in of_match}
    return SelectedResults(tuple(sorted(names)), tuple(map(tuple, blocks.values())))


def newest_matches(
    selection: Selection, shown_until_ms: int | None, most_matches: int | None
) -> sa.Subquery:
    """Ids, tournaments and blocks of the selected matches with a result: of more the last ones."""
    matches, pairings = schema.matches.c, schema.pairings.c
    return (
        sa.select(matches.id, pairings.tournament_id, pairings.block)
        .select_from(_source())
        .where(*_conditions(selection, shown_until_ms))
        .order_by(matches.id.desc())
        .limit(most_matches)
        .subquery()
    )


def of_most_frequent(found: SelectedResults, most_bots: int) -> SelectedResults:
    """The results between the bots with most matches; all of them if there are no more bots."""
    if len(found.names) <= most_bots:
        return found
    played = Counter(name for block in found.blocks for result in block for name in result.names)
    kept = set(sorted(found.names, key=lambda name: (-played[name], name))[:most_bots])
    blocks = [
        tuple(result for result in block if kept.issuperset(result.names)) for block in found.blocks
    ]
    return SelectedResults(tuple(sorted(kept)), tuple(filter(None, blocks)))


def _source() -> sa.FromClause:
    """Matches with the first seat, and their tournament."""
    matches, seats = schema.matches, schema.seats
    first = sa.and_(seats.c.match_id == matches.c.id, seats.c.seat == 0)
    return with_tournament(matches.join(seats, first))


def _conditions(
    selection: Selection, shown_until_ms: int | None
) -> Sequence[sa.ColumnElement[bool]]:
    matches, tournaments = schema.matches.c, schema.tournaments.c
    found = [
        schema.seats.c.rank.is_not(None),
        counts(),
        sa.or_(matches.rated, matches.pairing_id.is_not(None)),
    ]
    found += [
        matches[key] == value
        for key in ("game", "players", "clock_class", "variant")
        if (value := getattr(selection, key)) is not None
    ]
    if selection.since_ms is not None:
        found.append(matches.finished_ms >= selection.since_ms)
    if selection.until_ms is not None:
        found.append(matches.finished_ms < selection.until_ms)
    if selection.tournaments:
        found.append(tournaments.name.in_(selection.tournaments))
    if selection.bots:
        seat, bots = schema.seats.alias("any_seat"), schema.bots.alias("any_bot")
        other = (
            sa.select(seat.c.seat)
            .join_from(seat, bots, bots.c.id == seat.c.bot_id)
            .where(
                seat.c.match_id == matches.id,
                bots.c.name.not_in(selection.bots),
            )
        )
        found.append(~sa.exists(other.correlate(schema.matches)))
    if not selection.revealed:
        found.append(is_public(shown_until_ms))
    return found
