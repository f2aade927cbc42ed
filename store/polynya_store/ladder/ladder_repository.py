"""Ladders of an open database: their pages, and the history for matchmaking."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Reason
from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.backends.backend import game_of_ladder
from polynya_store.database import Database, Repository, reading, writing
from polynya_store.ladder.pair_tallies import pair_tallies
from polynya_store.matches import ladder_secrets, ladder_summaries
from polynya_store.ratings.rating_repository import in_pool, ordinal
from polynya_store.rows import Estimate
from polynya_store.visibility import (
    RECENT_MATCHES,
    LiveDelay,
    counts,
    is_public,
    with_tournament,
)


@dataclass(frozen=True, slots=True)
class LadderRow(Estimate):
    """A bot's line on a ladder.

    Attributes:
        rank: 1 the best; bots with the same estimate share one. None while the rating is
            provisional, or without recent results: these stand below all who have a rank.
        place: its line, 1 the best, also while it has no rank.
        bot: its name.
        estimate: its strength from all recent results, which the ladder is ordered by; None
            without any, and on ladders of OpenSkill, which are ordered by their ratings.
        rating: its present one.
        games: rated matches.
        forfeits: matches of this pool that it forfeited, and that count; without those whose
            results are hidden.
        suspended: whether the ladder gives it no matches.
        deviation: the rating's standard deviation, 0 for an anchor.
        provisional: whether its version has played few matches yet.
        anchor: whether the rating is fixed.
        version: what the bot declared in its last match, None for nothing.
    """

    rank: int | None
    place: int
    bot: str
    estimate: LadderEstimate | None
    rating: float
    games: int
    forfeits: int
    suspended: bool
    deviation: float
    provisional: bool
    anchor: bool
    version: str | None


@dataclass(frozen=True, slots=True)
class LadderPage:
    """Some lines of a ladder, the best first, the provisional last, and how many bots it has."""

    pool: Pool
    rows: tuple[LadderRow, ...]
    bots: int


Estimates = Mapping[str, LadderEstimate]
"""By bot; of a ladder that is ordered by its ratings alone: none."""


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where a bot stands on a ladder.

    Attributes:
        bot_id, bot: the bot.
        rank, place, suspended: see ``LadderRow``.
    """

    bot_id: int
    bot: str
    rank: int | None
    place: int
    suspended: bool


def ladder_places(
    connection: sa.Connection, pool: Pool, estimates: Estimates = MappingProxyType({})
) -> list[LadderPlace]:
    """All bots of a ladder, the best first: by their estimates, or without any by their ratings.

    Bots without a rank come last: those whose rating is provisional, and, where there are
    estimates, those without one, which have no recent results. They stand in the same order.
    """
    rows = connection.execute(
        sa.select(
            schema.ratings.c.bot_id,
            schema.bots.c.name,
            schema.bots.c.suspension,
            schema.ratings.c.provisional,
            ordinal(pool).label("ordinal"),
        )
        .join(schema.bots)
        .where(*in_pool(schema.ratings, pool))
    ).all()

    def value(row: Any) -> tuple[bool, float]:
        known = estimates.get(row.name)
        return (known is not None, row.ordinal if known is None else known.value)

    def has_rank(row: Any) -> bool:
        return not row.provisional and (not estimates or row.name in estimates)

    found: list[LadderPlace] = []
    ordered = sorted(rows, key=attrgetter("name"))
    ordered.sort(key=lambda row: (has_rank(row), value(row)), reverse=True)
    rank = 0
    for number, row in enumerate(ordered, start=1):
        if number == 1 or value(row) != value(ordered[number - 2]):
            rank = number
        found.append(
            LadderPlace(
                row.bot_id,
                row.name,
                rank if has_rank(row) else None,
                number,
                row.suspension is not None,
            )
        )
    return found


def ladder_page(
    connection: sa.Connection,
    pool: Pool,
    estimates: Estimates = MappingProxyType({}),
    *,
    page: int = 1,
    size: int = 50,
) -> LadderPage:
    """A page of a ladder, from 1; without lines behind its end."""
    places = ladder_places(connection, pool, estimates)
    shown = places[(page - 1) * size : page * size]
    return LadderPage(pool, _rows(connection, pool, shown, estimates), len(places))


@dataclass(frozen=True, slots=True)
class LadderSearch(LadderPage):
    """The lines of a ladder that were asked for; ``bots`` counts all of these.

    Attributes:
        before: the bot before which the page before ends; None if there is none.
        after: the bot after which the next page begins; None if there is none.
    """

    before: str | None
    after: str | None


LadderState = Literal["ranked", "provisional", "suspended"]


def ladder_search(
    connection: sa.Connection,
    pool: Pool,
    estimates: Estimates = MappingProxyType({}),
    *,
    name: str = "",
    state: LadderState | None = None,
    before: str | None = None,
    after: str | None = None,
    size: int = 50,
) -> LadderSearch:
    """The bots of a ladder whose names contain ``name``, each with its rank among all.

    A page is found by the bot at which the last one ended.

    Args:
        connection: a transaction.
        pool: of the ladder.
        estimates: see :func:`ladder_places`.
        name: a part of the name, in capitals or not.
        state: only those with a rank, those without one, or those that get no matches.
        before: the bot that the page ends before.
        after: the bot that it begins after; without both it is the first page.
        size: how many lines it has at the most.

    Raises:
        NotInStoreError: there is no such bot on the ladder any more.
    """
    places = ladder_places(connection, pool, estimates)
    wanted = [
        number
        for number, place in enumerate(places)
        if name.lower() in place.bot.lower() and (state is None or _STATES[state](place))
    ]
    first, last = 0, size
    if after is not None:
        first = bisect(wanted, _number_of(places, after))
        last = first + size
    elif before is not None:
        last = bisect_left(wanted, _number_of(places, before))
        first = max(0, last - size)
    shown = [places[number] for number in wanted[first:last]]
    return LadderSearch(
        pool,
        _rows(connection, pool, shown, estimates),
        len(wanted),
        shown[0].bot if shown and first > 0 else None,
        shown[-1].bot if shown and last < len(wanted) else None,
    )


def _number_of(places: Sequence[LadderPlace], bot: str) -> int:
    for number, place in enumerate(places):
        if place.bot == bot:
            return number
    raise NotInStoreError(Reason.of("not_on_ladder", bot=bot))


_STATES: Mapping[LadderState, Callable[[LadderPlace], bool]] = {
    "ranked": lambda place: place.rank is not None,
    "provisional": lambda place: place.rank is None,
    "suspended": lambda place: place.suspended,
}


def _rows(
    connection: sa.Connection, pool: Pool, places: Sequence[LadderPlace], estimates: Estimates
) -> tuple[LadderRow, ...]:
    """The lines of some bots, in the order of their places."""
    bots = [place.bot_id for place in places]
    ratings, here = schema.ratings, in_pool(schema.ratings, pool)
    found = connection.execute(sa.select(ratings).where(*here, ratings.c.bot_id.in_(bots)))
    by_bot = {row.bot_id: row for row in found}
    forfeits = _forfeits(connection, pool, bots)
    return tuple(
        LadderRow(
            rank=place.rank,
            place=place.place,
            bot=place.bot,
            estimate=estimates.get(place.bot),
            rating=row.rating,
            games=row.games,
            forfeits=forfeits.get(place.bot_id, 0),
            suspended=place.suspended,
            deviation=row.deviation,
            provisional=row.provisional,
            anchor=row.anchor,
            version=row.version or None,
        )
        for place in places
        for row in [by_bot[place.bot_id]]
    )


def _forfeits(connection: sa.Connection, pool: Pool, bots: Sequence[int]) -> dict[int, int]:
    seats = schema.seats.c
    rows = connection.execute(
        sa.select(seats.bot_id, sa.func.count().label("forfeits"))
        .select_from(with_tournament(schema.seats.join(schema.matches)))
        .where(
            seats.bot_id.in_(bots),
            seats.forfeit.is_not(None),
            counts(),
            is_public(None),
            *in_pool(schema.matches, pool),
        )
        .group_by(seats.bot_id)
    )
    return {row.bot_id: row.forfeits for row in rows}


class LadderRepository(Repository):
    """Each method is one transaction.

    Args:
        database: the open database.
        live_delay: how much later than it happens pages show it.
    """

    def __init__(self, database: Database, live_delay: LiveDelay) -> None:
        super().__init__(database)
        self._live_delay = live_delay

    page = reading(ladder_page)
    search = reading(ladder_search)

    secrets = reading(ladder_secrets.of_ladders)
    public_secrets = reading(ladder_secrets.public_secrets)
    ready_secret = writing(ladder_secrets.ready_for_ladder)
    bring_out_secrets = writing(ladder_secrets.bring_out)

    pasts = reading(ladder_summaries.pasts)
    conduct = reading(ladder_summaries.conduct)
    outcomes = reading(ladder_summaries.outcomes)

    def tallies(self, pool: Pool, most_matches: int) -> list[PairTally]:
        """The results of a pool's last matches, counted by pair of bots."""
        with self._database.reading() as connection:
            return pair_tallies(connection, pool, self._live_delay.shown_until_ms(), most_matches)

    def changes_since(self, pool: Pool, since_ms: int) -> dict[str, float]:
        """By how much the ratings of a pool's bots changed in the matches that ended since then.

        Args:
            pool: of the ladder.
            since_ms: ms since 1970.
        """
        changes, matches = schema.rating_changes, schema.matches
        change = sa.func.sum(changes.c.after - changes.c.before).label("change")
        question = (
            sa.select(schema.bots.c.name, change)
            .select_from(
                with_tournament(changes.join(matches)).join(
                    schema.bots, schema.bots.c.id == changes.c.bot_id
                )
            )
            .where(
                *in_pool(changes, pool),
                matches.c.finished_ms >= since_ms,
                is_public(self._live_delay.shown_until_ms()),
                counts(),
                matches.c.id.in_(
                    sa.select(matches.c.id).order_by(matches.c.id.desc()).limit(RECENT_MATCHES)
                ),
            )
            .group_by(schema.bots.c.id)
        )
        with self._database.reading() as connection:
            return {row.name: float(row.change) for row in connection.execute(question)}

    def scale(self, pool: Pool) -> dict[str, float]:
        """Ratings that fix the scale of estimates: of anchors, or else of all bots with a rank."""
        ratings, bots = schema.ratings.c, schema.bots.c
        question = (
            sa.select(bots.name, ratings.rating, ratings.anchor)
            .join_from(schema.ratings, schema.bots)
            .where(*in_pool(schema.ratings, pool), ratings.provisional.is_(sa.false()))
        )
        with self._database.reading() as connection:
            rows = connection.execute(question).all()
        fixed = [row for row in rows if row.anchor]
        return {row.name: row.rating for row in fixed or rows}

    def played_games(self, since_ms: int) -> set[str]:
        """The games of the ladders whose servers were there since a time, in ms since 1970.

        Empty for a database file: only one process plays into it.
        """
        table = schema.play_sessions.c
        last_ms = sa.func.coalesce(table.seen_ms, table.began_ms)
        with self._database.reading() as connection:
            rows = connection.scalars(sa.select(table.claims).where(last_ms >= since_ms))
            games = {game_of_ladder(claim) for claims in rows for claim in claims}
        return {game for game in games if game is not None}
