"""Undecided pairings, those that wait, and decisions without play: dropped, walkover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.schedule import Pairing
from polynya_contest.pairing.standings import ABSENT, NOT_READY, WITHDRAWN
from polynya_store import schema
from polynya_store.ratings import rating_order
from polynya_store.statements import tournament_row

OPEN = "open"
"""To be played, or in play."""

PLAYED = "played"
"""With a result."""

ABANDONED = "abandoned"
"""Given up until the tournament is run again."""

WALKOVER = "walkover"
"""Decided unplayed, because bots missed it."""

DROPPED = "dropped"
"""Drawn ahead, and made needless by the verdict."""

HELD = "held"
"""Waits until the host lets it be played, because the rules of the game failed."""

UNDECIDED = (OPEN, ABANDONED, HELD)
"""The states of a match that may still get a result."""


@dataclass(frozen=True, slots=True)
class OpenPairing:
    """A pairing without a result: its id in the database and the attempts made so far."""

    id: int
    pairing: Pairing
    attempts: int


def open_pairings(
    connection: sa.Connection, tournament_id: int, after: int = 0
) -> list[OpenPairing]:
    """The pairings still to be played, in the order of the schedule; abandoned ones count again.

    Those of bots with a match whose rules failed are held. With ``after`` only those that were
    drawn after the match of this number.
    """
    pairings, matches = schema.pairings, schema.matches
    connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state == "abandoned",
            pairings.c.number > after,
        )
        .values(state="open", detail=None)
    )
    _hold_others(connection, tournament_id)
    rows = connection.execute(
        sa.select(pairings, sa.func.count(matches.c.id).label("attempts"))
        .select_from(pairings.outerjoin(matches))
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state == "open",
            pairings.c.number > after,
        )
        .group_by(pairings.c.id)
        .order_by(pairings.c.number)
    )
    return [
        OpenPairing(
            row.id,
            Pairing(row.number, row.block, tuple(row.players), int(row.seed)),
            row.attempts,
        )
        for row in rows
    ]


def hold(
    connection: sa.Connection, tournament_id: int, failed: Sequence[tuple[int, Cause]]
) -> None:
    """Hold pairings because the rules failed, and all other matches between the same bots.

    So a bot that provokes a failure where it loses does not go on where it wins.

    Args:
        connection: in the transaction that records the annulled matches.
        tournament_id: whose pairings.
        failed: the id of each pairing whose match was annulled, with a sentence why.
    """
    _hold(connection, failed)
    hold_others(connection, tournament_id)


def _hold(connection: sa.Connection, held: Sequence[tuple[int, Cause]]) -> None:
    pairings = schema.pairings
    if held:
        connection.execute(
            sa.update(pairings)
            .where(pairings.c.id == sa.bindparam("pairing"))
            .values(state=HELD, detail=sa.bindparam("why")),
            [{"pairing": number, "why": why} for number, why in held],
        )


def hold_others(connection: sa.Connection, tournament_id: int) -> None:
    """Hold the matches that are not in play between bots with a match whose rules failed."""
    _hold_others(connection, tournament_id)
    rating_order.rate_waiting(connection, tournament_id)


def _hold_others(connection: sa.Connection, tournament_id: int) -> None:
    pairings = schema.pairings.c
    failed = failed_bots(connection, tournament_id)
    if not failed:
        return
    rows = connection.execute(
        sa.select(pairings.id, pairings.players).where(
            pairings.tournament_id == tournament_id,
            pairings.state.in_((OPEN, ABANDONED)),
            sa.not_(_in_play()),
        )
    ).all()
    numbered = [(row.id, failed.get(frozenset(row.players))) for row in rows]
    _hold(
        connection,
        [(row, Reason.of("waits_for_rules", number=number)) for row, number in numbered if number],
    )


def _in_play() -> sa.ColumnElement[bool]:
    pairings, matches = schema.pairings.c, schema.matches.c
    return sa.exists().where(matches.pairing_id == pairings.id, matches.reason.is_(None))


def failed_by_rules(detail: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether a recorded reason is that the rules failed."""
    return sa.type_coerce(detail, sa.Text).startswith('{"code":"rules_failed"')


def failed_bots(connection: sa.Connection, tournament_id: int) -> dict[frozenset[str], int]:
    """The bots of held matches whose rules failed, each with the number of the first match."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.number, pairings.players)
        .where(
            pairings.tournament_id == tournament_id,
            pairings.state == HELD,
            failed_by_rules(pairings.detail),
        )
        .order_by(pairings.number.desc())
    )
    return {frozenset(players): number for number, players in rows}


def all_wait(connection: sa.Connection, tournament: str) -> bool:
    """Whether all bots that have met wait for the host because the rules failed."""
    pairings, number = schema.pairings.c, tournament_row(connection, tournament).id
    failed = failed_bots(connection, number)
    if not failed:
        return False
    met = connection.scalars(
        sa.select(pairings.players)
        .where(pairings.tournament_id == number)
        .group_by(pairings.players)
    )
    return all(frozenset(players) in failed for players in met)


def play_held(connection: sa.Connection, tournament_id: int) -> int:
    """Open the pairings of a tournament that are held; return their number."""
    pairings = schema.pairings
    return connection.execute(
        sa.update(pairings)
        .where(pairings.c.tournament_id == tournament_id, pairings.c.state == HELD)
        .values(state=OPEN, detail=None)
    ).rowcount


def drop(connection: sa.Connection, decided: Sequence[tuple[int, Cause]]) -> list[int]:
    """Drop the remaining pairings of tournaments (by id, with a sentence why).

    Matches in play go on. Returns how many pairings were dropped of each tournament.
    """
    return [_drop(connection, tournament_id, why) for tournament_id, why in decided]


def _drop(connection: sa.Connection, tournament_id: int, why: Cause) -> int:
    pairings = schema.pairings
    dropped = connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state.in_(UNDECIDED),
            sa.not_(_in_play()),
        )
        .values(state=DROPPED, detail=why)
    ).rowcount
    rating_order.rate_waiting(connection, tournament_id)
    return dropped


def abandon(
    connection: sa.Connection, given_up: Sequence[tuple[int, Sequence[int], Cause]]
) -> list[None]:
    """Abandon pairings, so that later matches can be rated.

    Each is the tournament's id, the pairings' ids and a sentence why.
    """
    pairings = schema.pairings
    connection.execute(
        sa.update(pairings)
        .where(pairings.c.id == sa.bindparam("pairing"), pairings.c.state == "open")
        .values(state="abandoned", detail=sa.bindparam("why")),
        [{"pairing": number, "why": why} for _, numbers, why in given_up for number in numbers],
    )
    for tournament_id in sorted({number for number, _, _ in given_up}):
        rating_order.rate_waiting(connection, tournament_id)
    return [None] * len(given_up)


def walk_over(
    connection: sa.Connection,
    tournament_id: int,
    missed: Sequence[tuple[int, Mapping[str, str]]],
    why: Cause | None = None,
) -> None:
    """Decide matches as walkovers, because bots missed them.

    A match that has a result by now keeps it. Nothing of it is rated.

    Args:
        connection: in a transaction.
        tournament_id: whose matches.
        missed: the id of each pairing, and the bots that missed it, each with the reason.
        why: where there is more to say of it.
    """
    if not missed:
        return
    pairings = schema.pairings
    connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.id == sa.bindparam("pairing"),
            # Not in_(): one statement for many rows takes no list.
            sa.or_(*(pairings.c.state == state for state in UNDECIDED)),
        )
        .values(
            state=WALKOVER,
            missing=sa.bindparam("who", type_=pairings.c.missing.type),
            detail=sa.bindparam("why"),
        ),
        [
            {
                "pairing": number,
                "who": dict(missing),
                "why": why or why_missed(missing),
            }
            for number, missing in missed
        ],
    )
    rating_order.rate_waiting(connection, tournament_id)


def why_missed(missing: Mapping[str, str]) -> Reason:
    """Why a match was not played."""
    return Reason.of(
        "all_of_them", reasons=[_missed(name, why) for name, why in sorted(missing.items())]
    )


def _missed(bot: str, why: str) -> Reason:
    if why == WITHDRAWN:
        return Reason.of("withdrawn", bot=bot)
    if why == ABSENT:
        return Reason.of("absent", bot=bot)
    return Reason.of("bot_not_ready", bot=bot)


def all_missing(matches: Iterable[Mapping[str, str]]) -> Reason:
    """Why matches were not played that several bots missed, in one sentence for all of them."""
    names: dict[str, set[str]] = {reason: set() for reason in (WITHDRAWN, ABSENT, NOT_READY)}
    for missing in matches:
        for name, reason in missing.items():
            names[reason].add(name)
    return Reason.of(
        "all_of",
        reasons=[_all_missed(sorted(bots), why) for why, bots in names.items() if bots],
    )


def _all_missed(bots: Sequence[str], why: str) -> Reason:
    if why == WITHDRAWN:
        return Reason.of("one_or_several_withdrew", bots=bots)
    if why == ABSENT:
        return Reason.of("one_or_several_absent", bots=bots)
    return Reason.of("one_or_several_not_ready", bots=bots)
