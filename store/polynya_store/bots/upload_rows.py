"""Reads of uploads: bot versions that authors uploaded, and their states."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, Literal

import sqlalchemy as sa

from polynya_common.reasons import Cause
from polynya_store import schema

State = Literal["received", "building", "validating", "accepted", "refused", "disabled", "removed"]
Stage = Literal["received", "building", "validating"]
UNDECIDED: Final[tuple[Stage, ...]] = ("received", "building", "validating")
"""States in which the server still has work to do."""

_LONG: Final = ("build_log", "replay")


@dataclass(frozen=True, slots=True)
class Upload:
    """One version that was uploaded.

    Attributes:
        number: ascending in the order in which uploads came, over all bots.
        bot: the name of the bot.
        version, language, games: what its manifest says.
        sha256: of its archive, in hexadecimal.
        uploaded_ms: when it came, in ms since 1970.
        state: how far it is.
        detail: why it was refused, disabled or removed, a sentence.
        build_log: what building it printed; None where logs were not asked for, too.
        program: the folder of its built program, below the folder of all programs; None without.
        decided_ms: when it was accepted or refused.
        plays: whether it is the version that its bot plays.
        again: how far building it again is; it may play what was built before.
        changed_ms: when ``state`` or ``again`` changed last.
        archive_bytes, program_bytes: how long its archive is, and what was built of it.
        network: where it came from; None after a day.
        replay: of its last match of validation; None where logs were not asked for, too.
        manifest: as JSON; None where it was not read yet.
        strikes: what servers that worked on it and did not come to an end have left; see
            :meth:`~polynya_store.bots.upload_repository.UploadRepository.risk`.
    """

    number: int
    bot: str
    version: str
    language: str
    games: tuple[str, ...]
    sha256: str
    uploaded_ms: int
    state: State
    detail: Cause | None
    build_log: str | None
    program: str | None
    decided_ms: int | None
    plays: bool
    again: Stage | None
    changed_ms: int | None
    archive_bytes: int | None
    program_bytes: int | None
    network: str | None
    replay: bytes | None
    manifest: str | None = None
    strikes: int = 0

    @property
    def label(self) -> str:
        """``NAME@VERSION``."""
        return f"{self.bot}@{self.version}"

    @property
    def undecided(self) -> bool:
        """Whether the server has to build or validate it."""
        return self.state in UNDECIDED or self.again is not None

    @property
    def owner(self) -> str:
        """Owner of the upload in the queue: one for all names from a network."""
        return self.network or self.bot

    @property
    def kept_bytes(self) -> int:
        """Bytes of its archive and program on the disk, as far as known."""
        return (self.archive_bytes or 0) + (self.program_bytes or 0)


def is_undecided() -> sa.ColumnElement[bool]:
    """Condition that the server has to build or validate an upload."""
    table = schema.uploads.c
    return table.state.in_(UNDECIDED) | table.again.is_not(None)


def upload_rows(
    connection: sa.Connection, *conditions: sa.ColumnElement[bool], logs: bool = False
) -> list[Upload]:
    """Uploads that meet conditions, latest first; with their long fields on request."""
    table, bots = schema.uploads, schema.bots
    others = table.alias()
    latest = (
        sa.select(sa.func.max(others.c.preferred_ms))
        .where(
            others.c.bot_id == table.c.bot_id,
            others.c.state == "accepted",
            others.c.program.is_not(None),
        )
        .scalar_subquery()
    )
    plays = (
        (table.c.state == "accepted")
        & table.c.program.is_not(None)
        & (table.c.preferred_ms == latest)
    )
    columns = [column for column in table.c if logs or column.name not in _LONG]
    question = (
        sa.select(*columns, bots.c.name, plays.label("plays"))
        .join(bots, bots.c.id == table.c.bot_id)
        .where(*conditions)
        .order_by(table.c.id.desc())
    )
    return [_upload(row, logs=logs) for row in connection.execute(question)]


def _upload(row: Any, *, logs: bool) -> Upload:
    return Upload(
        number=row.id,
        bot=row.name,
        version=row.version,
        language=row.language,
        games=tuple(row.games),
        sha256=row.sha256,
        uploaded_ms=row.uploaded_ms,
        state=row.state,
        detail=row.detail,
        build_log=row.build_log if logs else None,
        program=row.program,
        decided_ms=row.decided_ms,
        plays=bool(row.plays),
        again=row.again,
        changed_ms=row.changed_ms,
        archive_bytes=row.archive_bytes,
        program_bytes=row.program_bytes,
        network=row.network,
        replay=row.replay if logs else None,
        manifest=row.manifest,
        strikes=row.strikes,
    )


@dataclass(frozen=True, slots=True)
class BotUsage:
    """Disk use of one bot's versions.

    Attributes:
        bot: its name.
        versions: how many have an archive.
        archive_bytes, program_bytes: of all of them.
    """

    bot: str
    versions: int
    archive_bytes: int
    program_bytes: int


def arrivals_since(
    connection: sa.Connection, bot: str, network: str | None, time_ms: int
) -> tuple[list[int], list[int]]:
    """Arrival times since a time, oldest first: of a bot, and from a network.

    Args:
        connection: a transaction.
        bot: the name of the bot.
        network: None for none.
        time_ms: in ms since 1970.
    """
    table, bots = schema.uploads.c, schema.bots.c
    recent = (
        sa.select(table.uploaded_ms)
        .join(schema.bots, bots.id == table.bot_id)
        .where(table.uploaded_ms > time_ms)
        .order_by(table.uploaded_ms)
    )
    own = list(connection.scalars(recent.where(bots.name == bot)))
    if network is None:
        return own, []
    return own, list(connection.scalars(recent.where(table.network == network)))


def matches_of(connection: sa.Connection, bots: Collection[str]) -> dict[tuple[str, str], int]:
    """How many rated matches versions of these bots have played, by name and version."""
    ratings = schema.version_ratings.c
    question = (
        sa.select(schema.bots.c.name, ratings.version, sa.func.sum(ratings.games))
        .join(schema.bots, schema.bots.c.id == ratings.bot_id)
        .where(schema.bots.c.name.in_(bots))
        .group_by(schema.bots.c.name, ratings.version)
    )
    return {(name, version): int(sum_) for name, version, sum_ in connection.execute(question)}


def usage(connection: sa.Connection) -> list[BotUsage]:
    """Disk use of each bot's uploads, largest first."""
    archives = sa.func.coalesce(sa.func.sum(schema.uploads.c.archive_bytes), 0)
    programs = sa.func.coalesce(sa.func.sum(schema.uploads.c.program_bytes), 0)
    question = (
        sa.select(schema.bots.c.name, sa.func.count(), archives, programs)
        .join(schema.uploads, schema.bots.c.id == schema.uploads.c.bot_id)
        .where(schema.uploads.c.state != "removed")
        .group_by(schema.bots.c.name)
        .order_by((archives + programs).desc(), schema.bots.c.name)
    )
    rows = connection.execute(question)
    return [
        BotUsage(name, count, int(of_archives), int(of_programs))
        for name, count, of_archives, of_programs in rows
    ]
