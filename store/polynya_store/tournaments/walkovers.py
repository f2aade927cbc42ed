"""Walkovers: matches that are decided without being played, because bots missed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from polynya_common.text import join_words
from polynya_contest.pairing.standings import (
    ABSENT,
    NOT_READY,
    WITHDRAWN,
)
from polynya_store import schema
from polynya_store.ratings import rating_order
from polynya_store.tournaments.pairing_states import (
    WALKOVER,
)


def walk_over(
    connection: sa.Connection,
    tournament_id: int,
    missed: Sequence[tuple[int, Mapping[str, str]]],
    why: str = "",
) -> None:
    """Record that matches are decided without being played, because bots missed them.

    A match that has a result by now keeps it. Nothing of it is rated.

    Args:
        connection: in a transaction.
        tournament_id: whose matches.
        missed: the id of each pairing, and the bots that missed it, each with the reason.
        why: the same in a sentence, where there is more to say of it.
    """
    if not missed:
        return
    pairings = schema.pairings
    connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.id == sa.bindparam("pairing"),
            # Not in_(): one statement for many rows takes no list.
            sa.or_(pairings.c.state == "open", pairings.c.state == "abandoned"),
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


_MISSED = {WITHDRAWN: "has withdrawn", ABSENT: "was absent", NOT_READY: "was not ready"}


def why_missed(missing: Mapping[str, str]) -> str:
    """Why a match was not played, a sentence."""
    return " and ".join(f"bot {name} {_MISSED[why]}" for name, why in sorted(missing.items()))


_MISSED_BY_SEVERAL = {
    WITHDRAWN: "have withdrawn",
    ABSENT: "were absent",
    NOT_READY: "were not ready",
}


def all_missing(matches: Iterable[Mapping[str, str]]) -> str:
    """Why matches were not played that several bots missed, in one sentence for all of them."""
    names: dict[str, set[str]] = {reason: set() for reason in _MISSED}
    for missing in matches:
        for name, reason in missing.items():
            names[reason].add(name)
    return "; ".join(
        f"{join_words(sorted(names[reason]))} {_MISSED_BY_SEVERAL[reason]}"
        if len(names[reason]) > 1
        else f"{min(names[reason])} {_MISSED[reason]}"
        for reason in _MISSED
        if names[reason]
    )
