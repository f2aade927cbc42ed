"""Matches in the database: begun before they are played, ended with replay and rating at once.

The functions take many matches at a time, because the journal writes them in batches.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.reasons import Cause
from polynya_contest.conduct import faults
from polynya_contest.ratings.book import BOUNDED, IN_FULL
from polynya_contest.ratings.model import (
    RATING_COLUMNS,
    BotStrength,
    RatingSettings,
    initial_strength,
)
from polynya_contest.ratings.pool import Pool, pool_of
from polynya_contest.secret import Secret
from polynya_protocol.messages import Clock, Software
from polynya_server.records import MatchRecord, MatchSetup, encode_replay
from polynya_store import schema
from polynya_store.backends.backend import session_of, void_in_play
from polynya_store.backends.sql import new_ids, now_ms
from polynya_store.bots.bot_repository import bot_ids
from polynya_store.matches import ladder_summaries
from polynya_store.matches.ladder_secrets import ladder_secret
from polynya_store.matches.ladder_summaries import (
    OF_LADDER,
    PREFIX,
    Begun,
    Ladder,
    is_of_ladder,
)
from polynya_store.ratings import applied_ratings, rating_order
from polynya_store.ratings.applied_ratings import RatedBot
from polynya_store.recorded_secret import secret_of_block, secrets_where
from polynya_store.statements import (
    CompiledRead,
    as_list,
    in_list,
    insert_rows,
    update_rows,
)
from polynya_store.tournaments.open_pairings import hold

_LAST = schema.numbers.c.last
_OF_IT = schema.numbers.c.name == PREFIX


def next_numbers(connection: sa.Connection, count: int) -> range:
    """New numbers, each given once.

    Args:
        connection: in a transaction that writes: those follow each other.
        count: how many.
    """
    last = connection.scalar(sa.select(_LAST).where(_OF_IT))
    if last is None:
        last = _greatest(connection)
        connection.execute(sa.insert(schema.numbers).values(name=PREFIX, last=last))
    connection.execute(sa.update(schema.numbers).where(_OF_IT).values(last=last + count))
    return range(last + 1, last + 1 + count)


def _greatest(connection: sa.Connection) -> int:
    """The greatest number of a ladder match, 0 before the first."""
    number = sa.cast(sa.func.substr(schema.matches.c.name, len(PREFIX) + 2), sa.BigInteger)
    return connection.scalar(sa.select(sa.func.max(number)).where(OF_LADDER)) or 0


_MATCH = (
    "id",
    "name",
    "pairing_id",
    "attempt",
    "game",
    "players",
    "options",
    "clock",
    "seed",
    "rated",
    *RATING_COLUMNS,
    "rating_method",
    "clock_class",
    "variant",
    "why",
    "started_ms",
    "server_fault",
    "session_id",
)
_RESULT = ("finished_ms", "reason", "termination", "detail", "server_fault", "server")
_INSERT_MATCHES = insert_rows(schema.matches, _MATCH)
_INSERT_SEATS = insert_rows(schema.seats, ("match_id", "seat", "bot_id", "anchor", "sandbox"))
_INSERT_REPLAYS = insert_rows(schema.replays, ("match_id", "document"))
_UPDATE_MATCHES = update_rows(schema.matches, ["id"], _RESULT)
_UPDATE_SEATS = update_rows(
    schema.seats, ["match_id", "seat"], ["rank", "score", "forfeit", "fault", "software"]
)
_MATCHES = CompiledRead(
    sa.select(
        schema.matches.c.id,
        schema.matches.c.name,
        schema.matches.c.reason,
        schema.matches.c.rated,
        schema.matches.c.pairing_id,
        schema.pairings.c.tournament_id,
        schema.pairings.c.number,
    )
    .select_from(schema.matches.outerjoin(schema.pairings))
    .where(schema.matches.c.name.in_(in_list("names", sa.Text())))
)
_MARK_PLAYED = update_rows(schema.pairings, ["id"], ["state"])


@dataclass(frozen=True, slots=True)
class Attempt:
    """A match to record before it is played.

    Attributes:
        setup: all but the ratings, which are read when it is begun.
        rating: how it will be rated.
        pairing_id: the pairing it belongs to, None on a ladder.
        number: 1 for the first attempt to play the pairing.
        why: why these bots were paired, a sentence; None in a tournament.
        guests: those of the players who are here for matches of people alone.
        of_ladder: whether it is a ladder's: when it is begun, its set-up gets the next number of
            ladder matches as its id, and the seed that follows from it and the month's secret.
        is_dealt: whether its game draws from a secret deal: its set-up gets that of this attempt
            when it is begun, unless it has one.
        is_duplicate: whether that is the deal of all matches of its block.
    """

    setup: MatchSetup
    rating: RatingSettings
    pairing_id: int | None = None
    number: int = 1
    why: Cause | None = None
    guests: frozenset[str] = frozenset()
    of_ladder: bool = False
    is_dealt: bool = False
    is_duplicate: bool = False


def begin_matches(connection: sa.Connection, given: Sequence[Attempt]) -> list[MatchSetup]:
    """Record matches before they are played; their set-ups with the players' present ratings."""
    attempts = _dealt(connection, _numbered(connection, given))
    ids = _insert_begun(connection, attempts)
    present = _present_ratings(connection, attempts, ids)
    return [_with_ratings(attempt, ids, present) for attempt in attempts]


def begin_without_ratings(
    connection: sa.Connection, attempts: Sequence[Attempt]
) -> Sequence[Attempt]:
    """Record a tournament's matches before they are played, where no ratings are kept."""
    _insert_begun(connection, attempts)
    return attempts


def _insert_begun(connection: sa.Connection, attempts: Sequence[Attempt]) -> dict[str, int]:
    """Insert matches that begin; the ids of their bots, by name."""
    ids = bot_ids(
        connection,
        (name for attempt in attempts for name in attempt.setup.players),
        {name for attempt in attempts for name in attempt.guests},
    )
    ids_of_matches = new_ids(connection, schema.matches, len(attempts))
    numbered = list(zip(ids_of_matches, attempts, strict=True))
    session = session_of(connection)
    _INSERT_MATCHES.run(
        connection, (_match_values(number, attempt, session) for number, attempt in numbered)
    )
    _INSERT_SEATS.run(
        connection,
        [
            {
                "match_id": number,
                "seat": seat,
                "bot_id": ids[name],
                "anchor": attempt.rating.anchors.get(name),
                "sandbox": sandbox,
            }
            for number, attempt in numbered
            for seat, (name, sandbox) in enumerate(_players(attempt.setup))
        ],
    )
    ladder_summaries.note_begun(
        connection,
        [
            Begun(number, Ladder.of(_pool(attempt)), attempt.setup.players)
            for number, attempt in numbered
            if _is_of_ladder(attempt)
        ],
        ids,
    )
    return ids


def _numbered(connection: sa.Connection, attempts: Sequence[Attempt]) -> Sequence[Attempt]:
    """Number ladder matches: give them ids and seeds."""
    unnumbered = sum(attempt.of_ladder for attempt in attempts)
    if not unnumbered:
        return attempts
    given = next_numbers(connection, unnumbered)
    secret = ladder_secret(connection, given[0] - 1)
    numbers = iter(given)
    return [
        replace(attempt, setup=_ladder_setup(attempt, secret, next(numbers)))
        if attempt.of_ladder
        else attempt
        for attempt in attempts
    ]


def _ladder_setup(attempt: Attempt, secret: Secret, number: int) -> MatchSetup:
    return msgspec.structs.replace(
        attempt.setup,
        match=f"{PREFIX}-{number}",
        seed=secret.match_seed(str(number)),
        deal=secret.deal(number, attempt.number) if attempt.is_dealt else None,
    )


def _dealt(connection: sa.Connection, attempts: Sequence[Attempt]) -> Sequence[Attempt]:
    """Give the matches of tournaments the deals that they need."""
    return [
        replace(attempt, setup=msgspec.structs.replace(attempt.setup, deal=deal))
        if (deal := _deal(connection, attempt)) is not None
        else attempt
        for attempt in attempts
    ]


def _deal(connection: sa.Connection, attempt: Attempt) -> str | None:
    """The deal of a tournament's match from the tournament's secret; None without one."""
    if not attempt.is_dealt or attempt.setup.deal is not None or attempt.pairing_id is None:
        return None
    pairings = schema.pairings.c
    row = connection.execute(
        sa.select(pairings.tournament_id, pairings.number, pairings.block).where(
            pairings.id == attempt.pairing_id
        )
    ).one()
    found = secrets_where(connection, schema.secrets.c.tournament_id == row.tournament_id)
    if found and attempt.is_duplicate:
        return secret_of_block(found, row.block, attempt.setup.seed).block_deal(row.block)
    return found[-1].secret.deal(row.number, attempt.number) if found else None


def _players(setup: MatchSetup) -> Iterator[tuple[str, str | None]]:
    """By seat the players, and what they run in."""
    sandboxes = setup.sandboxes or (None,) * len(setup.players)
    return zip(setup.players, sandboxes, strict=True)


def _match_values(number: int, attempt: Attempt, session: int | None) -> dict[str, Any]:
    setup, pool = attempt.setup, _pool(attempt)
    return {
        "id": number,
        "name": setup.match,
        "pairing_id": attempt.pairing_id,
        "attempt": attempt.number,
        "game": setup.game,
        "players": len(setup.players),
        "options": json.dumps(setup.options),
        "clock": _json(setup.clock),
        "seed": str(setup.seed),
        "rated": setup.rated,
        **attempt.rating.columns,
        "rating_method": BOUNDED if _is_of_ladder(attempt) else IN_FULL,
        "clock_class": pool.clock_class,
        "variant": pool.variant,
        "why": schema.cause_text(attempt.why),
        "started_ms": now_ms(),
        "server_fault": False,
        "session_id": session,
    }


def _is_of_ladder(attempt: Attempt) -> bool:
    return is_of_ladder(attempt.setup.match, attempt.pairing_id)


@lru_cache(maxsize=4096)
def _json(value: Clock | Software | None) -> str | None:
    """As SQLAlchemy writes it; few are different, and most matches have the same."""
    return None if value is None else json.dumps(msgspec.to_builtins(value))


def _pool(attempt: Attempt) -> Pool:
    setup = attempt.setup
    return pool_of(
        setup.game, len(setup.players), attempt.rating.system, setup.clock, setup.options
    )


def _present_ratings(
    connection: sa.Connection, attempts: Sequence[Attempt], ids: dict[str, int]
) -> dict[tuple[Pool, int], BotStrength]:
    """The present strengths of all bots that play, by pool and bot."""
    return {
        (pool, bot): found
        for pool in {_pool(attempt) for attempt in attempts}
        for bot, found in applied_ratings.present_ratings(connection, pool, ids.values()).items()
    }


def _with_ratings(
    attempt: Attempt, ids: dict[str, int], present: dict[tuple[Pool, int], BotStrength]
) -> MatchSetup:
    pool, settings = _pool(attempt), attempt.rating

    def rating(name: str) -> float:
        known = present.get((pool, ids[name]))
        return initial_strength(settings, known, settings.anchors.get(name)).rating

    ratings = tuple(rating(name) for name in attempt.setup.players)
    return msgspec.structs.replace(attempt.setup, ratings=ratings)


class FinishedMatch(NamedTuple):
    """The recorded end of a match.

    Attributes:
        rated: by seat what it made of the ratings; empty if it is not rated, or not yet.
        recomputed: the last intervention before that computed ratings again; 0 for none.
        unratable: whether its rating was due and cannot be computed.
    """

    rated: list[RatedBot]
    recomputed: int
    unratable: bool


def finish_matches(
    connection: sa.Connection, records: Sequence[MatchRecord]
) -> list[FinishedMatch]:
    """Record how matches ended, with their replays, and rate all that can be rated now.

    Returns:
        What was recorded of each match.

    Raises:
        StoreError: a match has not been begun, or has ended already.
    """
    ended = _update_ended(connection, records)
    rated = rating_order.rate_ended(
        connection,
        [row for row, record in zip(ended, records, strict=True) if record.ranking is not None],
    )
    recomputed = applied_ratings.last_recomputed(connection)
    return [
        FinishedMatch(rated.get(row.id, []), recomputed, unratable=rated.get(row.id) == [])
        for row in ended
    ]


def finish_without_ratings(
    connection: sa.Connection, records: Sequence[MatchRecord]
) -> Sequence[MatchRecord]:
    """Record how matches ended, with their replays, where no ratings are kept.

    Raises:
        StoreError: as for :func:`finish_matches`.
    """
    _update_ended(connection, records)
    return records


def _update_ended(connection: sa.Connection, records: Sequence[MatchRecord]) -> list[Any]:
    """Write the ends of matches; their rows as they were before, in the order of the records."""
    in_play = _in_play(connection, [record.setup.match for record in records])
    keyed = [(in_play[record.setup.match], record) for record in records]
    _UPDATE_MATCHES.run(connection, (_result_values(row.id, r) for row, r in keyed))
    _UPDATE_SEATS.run(connection, (v for row, r in keyed for v in _seat_values(row.id, r)))
    _INSERT_REPLAYS.run(
        connection, ({"match_id": row.id, "document": encode_replay(r)} for row, r in keyed)
    )
    of_ladder = [r for row, r in keyed if is_of_ladder(row.name, row.pairing_id)]
    ladder_summaries.note_ended(connection, of_ladder)
    of_pairings = [
        row.pairing_id
        for row, record in keyed
        if record.ranking is not None and row.pairing_id is not None
    ]
    _MARK_PLAYED.run(connection, [{"id": number, "state": "played"} for number in of_pairings])
    _hold_pairings(connection, keyed)
    return [row for row, _ in keyed]


def _hold_pairings(connection: sa.Connection, ended: Sequence[tuple[Any, MatchRecord]]) -> None:
    """Hold the pairings of tournaments whose matches are annulled because the rules failed."""
    failed: dict[int, list[tuple[int, Cause]]] = {}
    for row, record in ended:
        if record.rules_failed and row.pairing_id is not None:
            why = record.detail or ""
            failed.setdefault(row.tournament_id, []).append((row.pairing_id, why))
    for tournament_id, pairings in failed.items():
        hold(connection, tournament_id, pairings)


def _in_play(connection: sa.Connection, names: Sequence[str]) -> dict[str, Any]:
    rows = _MATCHES.rows(connection, names=as_list(names))
    found = {row.name: row for row in rows if row.reason is None}
    for name in names:
        if name not in found:
            raise StoreError(f"match {name} is not in play: its result is not recorded")
    return found


def _result_values(match_id: int, record: MatchRecord) -> dict[str, Any]:
    return {
        "id": match_id,
        "finished_ms": record.finished_ms,
        "reason": record.reason,
        "termination": record.termination,
        "detail": schema.cause_text(record.detail),
        "server_fault": record.server_fault,
        "server": record.server,
    }


def _seat_values(match_id: int, record: MatchRecord) -> list[dict[str, Any]]:
    forfeits = {forfeit.seat: forfeit.reason for forfeit in record.forfeits}
    at_fault = faults(record)
    return [
        {
            "match_id": match_id,
            "seat": seat,
            "rank": record.ranking[seat] if record.ranking else None,
            "score": record.scores[seat] if record.scores else None,
            "forfeit": forfeits.get(seat),
            "fault": seat in at_fault,
            "software": _json(record.software[seat]),
        }
        for seat in range(len(record.setup.players))
    ]


def void_matches(connection: sa.Connection, voided: Sequence[tuple[str, Cause]]) -> list[None]:
    """Record that matches (by id, with a sentence) ended without a record: aborted."""
    for name, detail in voided:
        void_in_play(connection, schema.matches.c.name == name, detail)
    return [None] * len(voided)


def void_tournaments(connection: sa.Connection, voided: Sequence[tuple[int, Cause]]) -> list[None]:
    """Void the matches in play of tournaments (by id, with a sentence)."""
    for number, detail in voided:
        drawn = sa.select(schema.pairings.c.id).where(schema.pairings.c.tournament_id == number)
        void_in_play(connection, schema.matches.c.pairing_id.in_(drawn), detail)
    return [None] * len(voided)
