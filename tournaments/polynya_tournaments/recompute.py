"""The ratings once more from the recorded results: the same numbers, or a list of differences."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from polynya_tournaments.store import Store, rated, schema


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded rating that the results do not give.

    Attributes:
        match: the match after which it stood; None for the bot's present rating.
        bot, game, players: whose rating, in what.
        recorded, computed: the two numbers; None where there is none.
    """

    match: str | None
    bot: str
    game: str
    players: int
    recorded: float | None
    computed: float | None


@dataclass(frozen=True, slots=True)
class _Ratings:
    """Ratings after each match, by match id and seat, and those that stand, by pool and bot."""

    after: dict[tuple[int, int], float]
    present: dict[tuple[rated.Pool, int], float]


def differences(store: Store) -> list[Difference]:
    """What the recorded ratings and those computed from the results differ in.

    Matches are taken in the order in which they were rated. Those of rated matches come first, in
    this order, then those of present ratings.
    """
    with store.reading() as connection:
        results = rated.rated_results(connection)
        recorded = _recorded(connection)
        computed = _computed(results)
        bots = _names(connection, schema.bots)
        names = _names(connection, schema.matches)
    found = [
        Difference(names[result.match_id], bots[bot], *result.pool, old, new)
        for result in results
        for seat, bot in enumerate(result.bots)
        if (old := recorded.after.get((result.match_id, seat)))
        != (new := computed.after[result.match_id, seat])
    ]
    for pool, bot in sorted(recorded.present.keys() | computed.present.keys()):
        stands, ought = recorded.present.get((pool, bot)), computed.present.get((pool, bot))
        if stands != ought:
            found.append(Difference(None, bots[bot], *pool, stands, ought))
    return found


def recompute(store: Store) -> int:
    """Replace all recorded ratings by computed ones; the number of rating changes written.

    The store must have been opened ``for_play``.

    Raises:
        StoreError: the database cannot be written.
    """
    with store.writing() as connection:
        results = rated.rated_results(connection)
        connection.execute(sa.delete(schema.rating_changes))
        connection.execute(sa.delete(schema.ratings))
        changes = rated.apply(connection, results)
    return sum(len(of_match) for of_match in changes.values())


def _recorded(connection: sa.Connection) -> _Ratings:
    changes, ratings = schema.rating_changes.c, schema.ratings.c
    after = connection.execute(sa.select(changes.match_id, changes.seat, changes.after))
    present = connection.execute(
        sa.select(ratings.game, ratings.players, ratings.bot_id, ratings.rating)
    )
    return _Ratings(
        {(match_id, seat): rating for match_id, seat, rating in after},
        {(rated.Pool(game, players), bot): rating for game, players, bot, rating in present},
    )


def _computed(results: list[rated.Result]) -> _Ratings:
    table = rated.Table()
    after = {
        (result.match_id, seat): rating
        for result in results
        for seat, (_, rating) in enumerate(table.apply(result))
    }
    present = {
        (pool, bot): now.rating for pool, bots in table.present.items() for bot, now in bots.items()
    }
    return _Ratings(after, present)


def _names(connection: sa.Connection, table: sa.Table) -> dict[int, str]:
    rows = connection.execute(sa.select(table.c.id, table.c.name))
    return {row.id: row.name for row in rows}
