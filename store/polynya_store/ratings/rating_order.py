"""The order in which matches are rated.

A match on a ladder is rated when it ends. A match of a tournament is rated when all that come
before it in the schedule have ended, so that ratings do not depend on which match was quicker. A
match with a hidden result, and those behind it, wait until the results are shown: what is shown of
ratings, drawn by ratings, or told to bots, then follows from no hidden result. A
pairing that was given up does not hold later ones back; if it is played after all, its match is
rated then. Matches from elsewhere come behind all that had been rated when they ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import accumulate
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings.book import Result
from polynya_store import schema
from polynya_store.backends.sql import now_ms
from polynya_store.ratings import applied_ratings
from polynya_store.ratings.applied_ratings import RatedBot
from polynya_store.statements import CompiledRead, as_list, in_list, update_rows
from polynya_store.visibility import hidden_since_ms


def _marks() -> sa.Select[Any]:
    """How far a tournament is rated, its first open pairing, its last one, and what it hides."""
    tournaments, pairings = schema.tournaments.c, schema.pairings.c
    of_tournament = pairings.tournament_id == sa.bindparam("tournament")
    first_open = sa.select(sa.func.min(pairings.number)).where(
        of_tournament, pairings.state == sa.literal_column("'open'")
    )
    last = sa.select(sa.func.max(pairings.number)).where(of_tournament)
    return sa.select(
        tournaments.rated_through,
        tournaments.results_from_ms,
        tournaments.freezes_ms,
        first_open.scalar_subquery().label("first_open"),
        last.scalar_subquery().label("last"),
    ).where(tournaments.id == sa.bindparam("tournament"))


def _first_begun() -> sa.Select[Any]:
    """The first pairing from ``first`` on with a match that began at ``since`` or later."""
    matches, pairings = schema.matches.c, schema.pairings.c
    began = sa.exists().where(
        matches.pairing_id == pairings.id, matches.started_ms >= sa.bindparam("since")
    )
    # Without a join: so the databases read the index only as far as the first one.
    return sa.select(sa.func.min(pairings.number).label("number")).where(
        pairings.tournament_id == sa.bindparam("tournament"),
        pairings.number >= sa.bindparam("first"),
        began,
    )


def _unrated() -> sa.Select[Any]:
    """The matches of some pairings that have a result that counts and is not rated, in order."""
    matches, pairings, seats = schema.matches, schema.pairings, schema.seats
    first_seat = sa.and_(seats.c.match_id == matches.c.id, seats.c.seat == sa.literal_column("0"))
    number = pairings.c.number
    return (
        sa.select(matches.c.id)
        .select_from(pairings.join(matches).join(seats, first_seat))
        .where(
            pairings.c.tournament_id == sa.bindparam("tournament"),
            number.between(sa.bindparam("first"), sa.bindparam("last")),
            matches.c.rated,
            seats.c.rank.is_not(None),
            ~sa.exists().where(schema.rating_changes.c.match_id == matches.c.id),
        )
        .order_by(number)
    )


def _revealed() -> sa.Select[Any]:
    """The tournaments whose results are shown by now, with matches behind their mark."""
    tournaments, pairings = schema.tournaments.c, schema.pairings.c
    return (
        sa.select(tournaments.id)
        .where(
            tournaments.results_from_ms <= sa.bindparam("now"),
            sa.exists().where(
                pairings.tournament_id == tournaments.id,
                pairings.state == sa.literal_column("'played'"),
                pairings.number > tournaments.rated_through,
            ),
        )
        .order_by(tournaments.id)
    )


_MARKS = CompiledRead(_marks())
_MOVE_MARK = update_rows(schema.tournaments, ["id"], ["rated_through"])
_FIRST_BEGUN = CompiledRead(_first_begun())
_UNRATED = CompiledRead(_unrated())
_REVEALED = CompiledRead(_revealed())


def rate_ended(connection: sa.Connection, ended: Sequence[Any]) -> dict[int, list[RatedBot]]:
    """Rate all matches that can be rated now that these have ended.

    Those whose results have become public since the last time come first.

    Args:
        connection: in the transaction that recorded the results.
        ended: rows with ``id``, ``rated``, ``tournament_id`` and ``number`` (of the pairing).

    Returns:
        The bots by match id: of the given matches, and of those that were waiting for them.
    """
    ladder = [row.id for row in ended if row.rated and row.tournament_id is None]
    numbers: dict[int, list[int]] = defaultdict(list)
    for row in ended:
        if row.tournament_id is not None:
            numbers[row.tournament_id].append(row.number)
    revealed = _revealed_tournaments(connection)
    others = sorted(numbers.keys() - set(revealed))

    def due(tournaments: Sequence[int]) -> list[int]:
        return [match for one in tournaments for match in _advance(connection, one, numbers[one])]

    # Each tournament once: what its mark passes now is not yet among the rated matches.
    match_ids = [*due(revealed), *ladder, *due(others)]
    return applied_ratings.apply(connection, applied_ratings.results(connection, match_ids))


def rate_waiting(connection: sa.Connection, tournament_id: int) -> None:
    """Rate the matches of a tournament that nothing holds back any more."""
    match_ids = _advance(connection, tournament_id, [])
    applied_ratings.apply(connection, applied_ratings.results(connection, match_ids))


def rate_revealed(connection: sa.Connection) -> None:
    """Rate the matches whose results were hidden and have become public."""
    rate_ended(connection, [])


def has_revealed(connection: sa.Connection) -> bool:
    """Whether :func:`rate_revealed` may find matches to rate."""
    return bool(_revealed_tournaments(connection))


def withhold(connection: sa.Connection, tournament_id: int) -> None:
    """Compute ratings without the results of a tournament that are hidden now.

    They were rated while they were public; they are rated again when they are revealed.
    """
    matches, pairings, changes = schema.matches, schema.pairings, schema.rating_changes
    [marks] = _MARKS.rows(connection, tournament=tournament_id)
    since_ms = hidden_since_ms(marks.results_from_ms, marks.freezes_ms)
    if since_ms is None:
        return
    rated = sa.exists().where(changes.c.match_id == matches.c.id)
    found = connection.execute(
        sa.select(matches.c.id, pairings.c.number)
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == tournament_id, matches.c.started_ms >= since_ms, rated)
    ).all()
    if not found:
        return
    through = min(row.number for row in found) - 1
    _MOVE_MARK.run(connection, [{"id": tournament_id, "rated_through": through}])
    hidden = in_list("hidden", sa.Integer())
    connection.execute(
        sa.delete(changes).where(changes.c.match_id.in_(hidden)),
        {"hidden": as_list(row.id for row in found)},
    )
    applied_ratings.recompute(connection)


def _revealed_tournaments(connection: sa.Connection) -> list[int]:
    """The ids of the tournaments with matches to rate that were hidden, and are public by now."""
    return [row.id for row in _REVEALED.rows(connection, now=now_ms())]


def _advance(connection: sa.Connection, tournament_id: int, played: Sequence[int]) -> list[int]:
    """Move the tournament's mark behind the pairings that have ended, and before hidden ones.

    Returns:
        The ids of the matches to rate now, in the order of the schedule: those that the mark has
        passed, and those of ``played`` (numbers of pairings) that it had passed before.
    """
    [marks] = _MARKS.rows(connection, tournament=tournament_id)
    mark = marks.rated_through
    ended = (marks.last or 0) if marks.first_open is None else marks.first_open - 1
    first = min([mark + 1, *played])
    through = max(mark, ended)
    since_ms = hidden_since_ms(marks.results_from_ms, marks.freezes_ms)
    if since_ms is not None:
        [begun] = _FIRST_BEGUN.rows(
            connection, tournament=tournament_id, first=first, since=since_ms
        )
        if begun.number is not None:
            through = min(through, begun.number - 1)
    if through != mark:
        _MOVE_MARK.run(connection, [{"id": tournament_id, "rated_through": through}])
    if through < first:
        return []
    rows = _UNRATED.rows(connection, tournament=tournament_id, first=first, last=through)
    return [row.id for row in rows]


def rate_by_time(connection: sa.Connection, added: Sequence[int]) -> bool:
    """Rate imported matches (by id) in the order of their times.

    Returns:
        whether ratings were computed again, because matches that were rated ended later.
    """
    found = applied_ratings.results(connection, added)
    earlier = applied_ratings.rated_results(connection)
    new = set(added)
    recorded = [result for result in earlier if result.match_id not in new]
    ended_ms = applied_ratings.ended_ms(connection)
    ordered = in_order_of_time([timed(recorded, ended_ms), sorted_by_time(found, ended_ms)])
    if ordered[: len(recorded)] == recorded:
        applied_ratings.apply(connection, ordered[len(recorded) :])
        return False
    applied_ratings.rewrite(connection, ordered)
    return True


def in_order_of_time(sequences: Iterable[Sequence[tuple[int, Result]]]) -> list[Result]:
    """Results of several sequences with their times, by time; at one time the first comes first."""
    return [result for _, result in merge(*sequences, key=itemgetter(0))]


def timed(ordered: Sequence[Result], ended_ms: Mapping[int, int]) -> list[tuple[int, Result]]:
    """Results as they were rated, each with the time when it could be: the latest end up to it."""
    ends = accumulate((ended_ms[result.match_id] for result in ordered), max)
    return list(zip(ends, ordered, strict=True))


def sorted_by_time(
    results: Sequence[Result], ended_ms: Mapping[int, int]
) -> list[tuple[int, Result]]:
    """Results with the times when they ended, in this order; equal ones stay as they are."""
    return sorted(((ended_ms[one.match_id], one) for one in results), key=itemgetter(0))
