"""Interventions of hosts, recorded: who did it, when and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from polynya_common.reasons import Cause, Reason
from polynya_store import schema
from polynya_store.backends.sql import now_ms
from polynya_store.bots import bot_repository
from polynya_store.database import Repository, reading
from polynya_store.matches import ladder_summaries
from polynya_store.ratings import applied_ratings
from polynya_store.visibility import counts

HOST, LADDER, OPERATOR = Reason.of("host"), Reason.of("ladder"), Reason.of("operator")
_REINSTATED = Reason.of("host_reinstated")

Action = Literal["annul", "recompute", "suspend", "resume", "import"]


@dataclass(frozen=True, slots=True)
class Intervention:
    """An intervention by a host, or by the ladder in its name.

    Attributes:
        at_ms: when, ms since 1970.
        who: the name that the host's system knows it by, "the ladder", or "the operator" for the
            operator's pages.
        action: ``annul``, ``recompute``, ``suspend``, ``resume`` or ``import``.
        bot: to which bot; None for all.
        why: the reason, a sentence.
        since_ms: of an annulment: matches that ended before then are not concerned.
        matches: how many were annulled, or imported.
    """

    at_ms: int
    who: Cause
    action: str
    bot: str | None
    why: Cause
    since_ms: int | None
    matches: int | None


def note(
    connection: sa.Connection,
    action: Action,
    who: Cause,
    why: Cause,
    *,
    bot_id: int | None = None,
    since_ms: int | None = None,
    matches: int | None = None,
) -> int:
    """Record an intervention; return its id."""
    values = {
        "at_ms": now_ms(),
        "who": who,
        "action": action,
        "bot_id": bot_id,
        "why": why,
        "since_ms": since_ms,
        "matches": matches,
    }
    inserted = sa.insert(schema.interventions).values(values).returning(schema.interventions.c.id)
    number: int = connection.execute(inserted).scalar_one()
    return number


def note_bot(connection: sa.Connection, action: Action, name: str, who: Cause, why: Cause) -> None:
    """Record an intervention on a bot, if there is one of this name."""
    bots = schema.bots.c
    bot_id = connection.scalar(sa.select(bots.id).where(bots.name == name))
    if bot_id is not None:
        note(connection, action, who, why, bot_id=bot_id)


def to_annul(connection: sa.Connection, name: str, since_ms: int) -> Sequence[int]:
    """The rated ladder matches of a bot that ended since then and count: those to annul."""
    bots, matches, seats = schema.bots.c, schema.matches.c, schema.seats.c
    return connection.scalars(
        sa.select(matches.id)
        .join_from(schema.matches, schema.seats)
        .where(
            seats.bot_id == sa.select(bots.id).where(bots.name == name).scalar_subquery(),
            matches.pairing_id.is_(None),
            matches.rated,
            seats.rank.is_not(None),
            matches.finished_ms >= since_ms,
            counts(),
        )
    ).all()


def annul(connection: sa.Connection, name: str, since_ms: int, who: Cause, why: Cause) -> int:
    """Annul the rated ladder matches of a bot that ended since then.

    All ratings are computed again as if they had not been rated.

    Returns:
        how many matches that are; those that were annulled before are not among them.
    """
    bots, changes, annulled = schema.bots.c, schema.rating_changes.c, schema.annulments.c
    found = to_annul(connection, name, since_ms)
    if not found:
        return 0
    bot_id = connection.scalar(sa.select(bots.id).where(bots.name == name))
    number = note(
        connection, "annul", who, why, bot_id=bot_id, since_ms=since_ms, matches=len(found)
    )
    rows = [{"match_id": match, "intervention_id": number} for match in found]
    connection.execute(sa.insert(schema.annulments), rows)
    connection.execute(
        sa.delete(schema.rating_changes).where(
            changes.match_id.in_(
                sa.select(annulled.match_id).where(annulled.intervention_id == number)
            )
        )
    )
    applied_ratings.recompute(connection)
    ladder_summaries.write_conduct_again(connection)
    return len(found)


class InterventionRepository(Repository):
    """Interventions of hosts in an open database; each method is one transaction."""

    last_recomputed = reading(applied_ratings.last_recomputed)

    def suspend(self, name: str, why: Cause, who: Cause = HOST) -> bool:
        """Stop giving a bot ladder matches, for a reason. False if there is no such bot."""
        with self._database.writing() as connection:
            done = bot_repository.suspend(connection, name, why)
            note_bot(connection, "suspend", name, who, why)
            return done

    def resume(self, name: str, why: Cause = _REINSTATED, who: Cause = HOST) -> bool:
        """Give a bot ladder matches again. False if there is no such bot."""
        with self._database.writing() as connection:
            done = bot_repository.resume(connection, name)
            note_bot(connection, "resume", name, who, why)
            return done

    def annul(self, name: str, since_ms: int, why: Cause, who: Cause = HOST) -> int:
        """Annul a bot's rated ladder matches that ended since then; see :func:`annul`."""
        with self._database.writing() as connection:
            return annul(connection, name, since_ms, who, why)

    def count_to_annul(self, name: str, since_ms: int) -> int:
        """How many matches :meth:`annul` would annul now."""
        with self._database.reading() as connection:
            return len(to_annul(connection, name, since_ms))

    def note_recomputed(self, who: Cause) -> None:
        """Record that all ratings were computed again."""
        with self._database.writing() as connection:
            note(connection, "recompute", who, Reason.of("from_recorded_results"))

    def all(self, bot: str | None = None) -> list[Intervention]:
        """The interventions in their order; those on one bot, or all."""
        table, bots = schema.interventions, schema.bots
        question = sa.select(table, bots.c.name).select_from(table.outerjoin(bots))
        if bot is not None:
            question = question.where(bots.c.name == bot)
        with self._database.reading() as connection:
            return [
                Intervention(
                    row.at_ms, row.who, row.action, row.name, row.why, row.since_ms, row.matches
                )
                for row in connection.execute(question.order_by(table.c.id))
            ]
