"""Ratings in the database: read, applied match by match, and recorded in that order.

The order in which changes were applied is the order of their ids, so that they can be computed
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from polynya_contest.ratings.book import Change, RatingBook, Result
from polynya_contest.ratings.model import RATING_COLUMNS, BotStrength, Strength
from polynya_contest.ratings.opponent_bound import OpponentSum, Pair
from polynya_contest.ratings.pool import Pool
from polynya_protocol.messages import RatingChange
from polynya_store import schema
from polynya_store.statements import (
    CompiledRead,
    as_list,
    in_list,
    insert_rows,
    put_rows,
)
from polynya_store.visibility import is_public, with_tournament


class RatedBot(NamedTuple):
    """The strength of one of a match's bots before the match and after it."""

    name: str
    before: Strength
    after: Strength

    @property
    def change(self) -> RatingChange:
        """The rating change as the protocol's message."""
        return RatingChange(name=self.name, before=self.before.rating, after=self.after.rating)


def _of_pool(table: sa.Table) -> Iterator[sa.ColumnElement[bool]]:
    return (table.c[key] == sa.bindparam(key) for key in Pool._fields)


def _present() -> sa.Select[Any]:
    ratings, known = schema.ratings, schema.version_ratings
    same = [ratings.c[key] == known.c[key] for key in (*Pool._fields, "bot_id")]
    return (
        sa.select(
            known.c.bot_id,
            known.c.version,
            known.c.rating,
            known.c.deviation,
            known.c.games,
            ratings.c.version.label("last"),
            ratings.c.games.label("all_games"),
            ratings.c.last_ms,
        )
        .select_from(known.join(ratings, sa.and_(*same)))
        .where(
            *_of_pool(known),
            sa.or_(
                known.c.version == ratings.c.version,
                known.c.version.in_(in_list("versions", sa.Text())),
            ),
        )
    )


_PRESENT = CompiledRead(_present())
_PRESENT_OF_SOME = CompiledRead(
    _present().where(schema.version_ratings.c.bot_id.in_(in_list("bots", sa.Integer())))
)
_LAST_RECOMPUTED = CompiledRead(
    sa.select(sa.func.max(schema.interventions.c.id)).where(
        schema.interventions.c.action.in_(in_list("actions", sa.Text()))
    )
)
_RESULTS = CompiledRead(
    sa.select(
        schema.matches.c.id,
        schema.matches.c.game,
        schema.matches.c.players,
        schema.matches.c.clock_class,
        schema.matches.c.variant,
        schema.matches.c.finished_ms,
        *(schema.matches.c[name] for name in RATING_COLUMNS),
        schema.matches.c.rating_method,
        schema.seats.c.seat,
        schema.seats.c.bot_id,
        schema.bots.c.name,
        schema.seats.c.rank,
        schema.seats.c.anchor,
        schema.seats.c.software,
    )
    .select_from(schema.matches.join(schema.seats).join(schema.bots))
    .where(schema.matches.c.id.in_(in_list("matches", sa.Integer())))
)
_PAIRS = 2**32
"""Ids are less than this: a bot's id times it, and the opponent's, are a number for the two."""


def _sums() -> sa.Select[Any]:
    known = schema.opponent_sums
    bot, opponent = known.c.bot_id, known.c.opponent_id
    pair = sa.cast(bot, sa.BigInteger) * sa.literal_column(str(_PAIRS)) + opponent
    return sa.select(bot, opponent, known.c.total, known.c.games).where(
        *_of_pool(known),
        # By these two the rows are found.
        bot.in_(in_list("bots", sa.Integer())),
        opponent.in_(in_list("opponents", sa.Integer())),
        pair.in_(in_list("pairs", sa.BigInteger())),
    )


_SUMS = CompiledRead(_sums())
_RATED_BOTS = CompiledRead(
    sa.select(sa.func.count().label("bots"))
    .select_from(schema.ratings)
    .where(*_of_pool(schema.ratings))
)
_REWRITING = ("annul", "recompute", "import")
"""Kinds of interventions that may change ratings."""
_RECOMPUTED = (
    schema.rating_changes,
    schema.ratings,
    schema.version_ratings,
    schema.opponent_sums,
)
_MOST_READ = 1_000
_seat = attrgetter("seat")
_CHANGE = (
    "match_id",
    "seat",
    "bot_id",
    *Pool._fields,
    "before",
    "after",
    "version",
    "deviation",
    "k_factor",
)
_INSERT_CHANGES = insert_rows(schema.rating_changes, _CHANGE)
_PUT_RATINGS = put_rows(schema.ratings, [*Pool._fields, "bot_id"])
_PUT_SUMS = put_rows(schema.opponent_sums, [*Pool._fields, "bot_id", "opponent_id"])
_PUT_VERSIONS = put_rows(
    schema.version_ratings, [*Pool._fields, "bot_id", "version"], keep=["first_match_id"]
)


def present_ratings(
    connection: sa.Connection,
    pool: Pool,
    bots: Iterable[int] | None,
    versions: Iterable[str] = (),
) -> dict[int, BotStrength]:
    """The strengths of bots (by id), None for all; those without games are left out.

    Of each the version that it played last is there, and those of ``versions`` that it has.
    """
    values = {**pool._asdict(), "versions": as_list(versions)}
    if bots is None:
        rows = _PRESENT.rows(connection, **values)
    else:
        rows = _PRESENT_OF_SOME.rows(connection, **values, bots=as_list(bots))
    found: dict[int, BotStrength] = {}
    for row in rows:
        earlier = found[row.bot_id].versions if row.bot_id in found else {}
        strength = Strength(row.rating, row.deviation, row.games)
        found[row.bot_id] = BotStrength(
            row.last, {**earlier, row.version: strength}, row.all_games, row.last_ms
        )
    return found


def rated_results(connection: sa.Connection) -> list[Result]:
    """The results of all rated matches, in the order in which they were rated.

    Those that could not be rated in their turn come last, in the order in which they were begun.
    """
    return list(each_rated_result(connection))


def each_rated_result(connection: sa.Connection) -> Iterator[Result]:
    """The same, read as they are asked for."""
    changes = schema.rating_changes.c
    rated = connection.scalars(
        sa.select(changes.match_id).group_by(changes.match_id).order_by(sa.func.min(changes.id))
    )
    return each_result(connection, [*rated, *_missed(connection)])


def _missed(connection: sa.Connection) -> Iterator[int]:
    """Matches that should be rated but are not: neither waiting, hidden nor annulled."""
    matches, pairings, tournaments = schema.matches, schema.pairings, schema.tournaments
    seats, annulled, changes = schema.seats, schema.annulments, schema.rating_changes
    first_seat = sa.and_(seats.c.match_id == matches.c.id, seats.c.seat == 0)
    joined = with_tournament(matches.join(seats, first_seat))
    annul, rated = annulled.c.match_id == matches.c.id, changes.c.match_id == matches.c.id
    due = sa.or_(matches.c.pairing_id.is_(None), pairings.c.number <= tournaments.c.rated_through)
    yield from connection.scalars(
        sa.select(matches.c.id)
        .select_from(joined)
        .where(
            *(matches.c.rated, seats.c.rank.is_not(None), due, is_public(None)),
            # PostgreSQL would read a list for "not in" once for each match, if it is long.
            *(~sa.exists().where(annul), ~sa.exists().where(rated)),
        )
        .order_by(matches.c.id)
    )


def ended_ms(connection: sa.Connection) -> dict[int, int]:
    """When rated matches ended, ms since 1970, by id."""
    matches = schema.matches.c
    rows = connection.execute(sa.select(matches.id, matches.finished_ms).where(matches.rated))
    return {row.id: row.finished_ms or 0 for row in rows}


def results(connection: sa.Connection, match_ids: Sequence[int]) -> list[Result]:
    """The results of matches by id, in the order given."""
    return list(each_result(connection, match_ids))


def each_result(connection: sa.Connection, match_ids: Sequence[int]) -> Iterator[Result]:
    """The same, read as they are asked for."""
    for begin in range(0, len(match_ids), _MOST_READ):
        some = match_ids[begin : begin + _MOST_READ]
        by_match: dict[int, list[Any]] = defaultdict(list)
        for row in _RESULTS.rows(connection, matches=as_list(some)):
            by_match[row.id].append(row)
        for number in some:
            yield Result.of(sorted(by_match[number], key=_seat))


def apply(connection: sa.Connection, ended: Sequence[Result]) -> dict[int, list[RatedBot]]:
    """Rate matches in the order given and record it.

    Returns:
        Their bots by match id, in seat order; none of a match whose rating cannot be computed.
    """
    if not ended:
        return {}
    table = RatingBook()
    involved: dict[Pool, set[int]] = defaultdict(set)
    declared: dict[Pool, set[str]] = defaultdict(set)
    for result in ended:
        involved[result.pool].update(result.bots)
        declared[result.pool].update(result.versions)
    for pool, bots in involved.items():
        table.present[pool].update(present_ratings(connection, pool, bots, declared[pool]))
    _read_bounds(connection, ended, table)
    changes = _rate(connection, ended, table)
    _write_ratings(connection, table)
    return {
        result.match_id: [
            RatedBot(name, change.before, change.after)
            # Without changes where the rating cannot be computed.
            for name, change in zip(result.names, changes[result.match_id], strict=False)
        ]
        for result in ended
    }


def _read_bounds(connection: sa.Connection, ended: Sequence[Result], table: RatingBook) -> None:
    """Read what bounds the effect of opponents on the ratings of these matches' bots."""
    met: dict[Pool, set[Pair]] = defaultdict(set)
    for result in ended:
        if result.is_bounded:
            met[result.pool].update(result.pairs())
    for pool, pairs in met.items():
        [[table.rated_bots[pool]]] = _RATED_BOTS.rows(connection, **pool._asdict())
        rows = _SUMS.rows(
            connection,
            **pool._asdict(),
            bots=as_list({bot for bot, _ in pairs}),
            opponents=as_list({opponent for _, opponent in pairs}),
            pairs=as_list(bot * _PAIRS + opponent for bot, opponent in pairs),
        )
        table.sums[pool].update(
            {(row.bot_id, row.opponent_id): OpponentSum(row.total, row.games) for row in rows}
        )


def last_recomputed(connection: sa.Connection) -> int:
    """The number of the last intervention that computed ratings again; 0 without one."""
    [[number]] = _LAST_RECOMPUTED.rows(connection, actions=as_list(_REWRITING))
    return number or 0


class Rewritten(NamedTuple):
    """The outcome of computing all ratings again.

    Attributes:
        changes: how many rating changes were written.
        made_up: how many results are rated that could not be before.
    """

    changes: int
    made_up: int


def recompute(connection: sa.Connection) -> Rewritten:
    """Recompute all ratings from the results, and replace the recorded ones."""
    missed = set(_missed(connection))
    return rewrite(connection, each_rated_result(connection), missed)


def rewrite(
    connection: sa.Connection, ordered: Iterable[Result], missed: Set[int] = frozenset()
) -> Rewritten:
    """Replace all recorded ratings by the ratings that these results give, in this order.

    Results are read and rated some at a time, so memory grows with the bots and their opponents.

    Args:
        connection: in a transaction that writes.
        ordered: of matches whose ratings are recorded, and of ``missed``.
        missed: the matches (by id) that had not been rated.
    """
    for table in _RECOMPUTED:
        connection.execute(sa.delete(table))
    book, written, made_up, waiting = RatingBook(), 0, 0, iter(ordered)
    while some := list(islice(waiting, _MOST_READ)):
        changes = _rate(connection, some, book)
        written += sum(map(len, changes.values()))
        made_up += sum(bool(changes[match_id]) for match_id in missed & changes.keys())
    _write_ratings(connection, book)
    return Rewritten(written, made_up)


def _rate(
    connection: sa.Connection, ended: Sequence[Result], book: RatingBook
) -> dict[int, list[Change]]:
    """Rate matches and record their changes: by match id, in seat order."""
    changes = {result.match_id: book.apply(result) for result in ended}
    rated = [result for result in ended if changes[result.match_id]]
    rows = (row for result in rated for row in _change_rows(result, changes[result.match_id]))
    _INSERT_CHANGES.run(connection, rows)
    return changes


def _write_ratings(connection: sa.Connection, table: RatingBook) -> None:
    """Record the ratings that stand after the last match."""
    _PUT_VERSIONS.run(connection, table.version_rows())
    _PUT_RATINGS.run(connection, table.rating_rows())
    _PUT_SUMS.run(connection, table.sum_rows())


def _change_rows(result: Result, changes: Sequence[Change]) -> Iterator[dict[str, Any]]:
    for seat, (bot, change) in enumerate(zip(result.bots, changes, strict=True)):
        yield {
            "match_id": result.match_id,
            "seat": seat,
            "bot_id": bot,
            **result.pool._asdict(),
            "before": change.before.rating,
            "after": change.after.rating,
            "version": result.versions[seat],
            "deviation": change.after.deviation,
            "k_factor": change.k_factor,
        }
