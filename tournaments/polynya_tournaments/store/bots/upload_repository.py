"""Uploads of an open database: the versions of bots that authors handed in, and their states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import sqlalchemy as sa

from polynya_tournaments.errors import NotInStoreError, StoreError
from polynya_tournaments.store import schema
from polynya_tournaments.store.bots.registered_bots import bot_ids
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.wall_clock import now_ms

State = Literal["received", "building", "validating", "accepted", "refused", "disabled"]

UNDECIDED: Final[tuple[State, ...]] = ("received", "building", "validating")
"""In these states the server still has to do something."""


class VersionTakenError(StoreError):
    """Another program of this version was handed in before."""


@dataclass(frozen=True, slots=True)
class Upload:
    """One version that was handed in.

    Attributes:
        number: ascending in the order in which uploads came, over all bots.
        bot: the name of the bot.
        version, language, games: what its manifest says.
        sha256: of its archive, in hexadecimal.
        uploaded_ms: when it came, in ms since 1970.
        state: how far it is.
        detail: why it was refused or disabled, a sentence.
        build_log: what building it printed; None where logs were not asked for, too.
        program: the folder of what was built of it, below the one of all programs; None before.
        decided_ms: when it was accepted or refused.
        plays: whether it is the version that its bot plays.
    """

    number: int
    bot: str
    version: str
    language: str
    games: tuple[str, ...]
    sha256: str
    uploaded_ms: int
    state: State
    detail: str | None
    build_log: str | None
    program: str | None
    decided_ms: int | None
    plays: bool

    @property
    def label(self) -> str:
        """``NAME@VERSION``."""
        return f"{self.bot}@{self.version}"


class UploadRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def receive(
        self, bot: str, version: str, language: str, games: Sequence[str], sha256: str
    ) -> Upload:
        """Record a new version; the same archive of the same version is recorded once.

        Raises:
            VersionTakenError: another archive of this version was handed in, and not refused.
        """
        with self._database.writing() as connection:
            for earlier in _rows(connection, schema.bots.c.name == bot):
                if earlier.version != version or earlier.state == "refused":
                    continue
                if earlier.sha256 == sha256:
                    return earlier
                raise VersionTakenError(
                    f"there is a version {version} of {bot} already: "
                    "write another version into its manifest"
                )
            values = {
                "bot_id": bot_ids(connection, [bot])[bot],
                "version": version,
                "language": language,
                "games": list(games),
                "sha256": sha256,
                "uploaded_ms": now_ms(),
                "state": "received",
            }
            inserted = connection.execute(sa.insert(schema.uploads).values(values))
            number = inserted.inserted_primary_key
            return _rows(connection, schema.uploads.c.id == (number and number[0]))[0]

    def all(self, *, logs: bool = False) -> list[Upload]:
        """All uploads, the latest first; with their logs, which are long, where these are asked."""
        with self._database.reading() as connection:
            return _rows(connection, logs=logs)

    def of_bot(self, bot: str, *, logs: bool = False) -> list[Upload]:
        """Those of a bot; see :meth:`all`."""
        with self._database.reading() as connection:
            return _rows(connection, schema.bots.c.name == bot, logs=logs)

    def undecided(self) -> list[Upload]:
        """Those that are to be built or validated, in the order in which they came."""
        with self._database.reading() as connection:
            return _rows(connection, schema.uploads.c.state.in_(UNDECIDED))[::-1]

    def programs(self) -> set[str]:
        """The folders of all that was built and accepted."""
        table = schema.uploads.c
        question = sa.select(table.program).where(table.state == "accepted")
        with self._database.reading() as connection:
            return set(connection.scalars(question))

    def playing(self) -> dict[str, Upload]:
        """The version that each bot plays, by the bot's name, for bots that have one."""
        with self._database.reading() as connection:
            accepted = _rows(connection, schema.uploads.c.state == "accepted")
        return {upload.bot: upload for upload in accepted if upload.plays}

    def note(self, number: int, state: State) -> None:
        """An upload is being built, or validated."""
        self._update(number, state=state)

    def log(self, number: int, build_log: str) -> None:
        """What building an upload printed."""
        self._update(number, build_log=build_log)

    def accept(self, number: int, program: str) -> None:
        """An upload is good: its bot plays it from now on, unless it had been accepted before.

        Args:
            number: of the upload.
            program: the folder of what was built of it.
        """
        now = now_ms()
        preferred = sa.func.coalesce(schema.uploads.c.preferred_ms, now)
        self._update(
            number,
            state="accepted",
            detail=None,
            program=program,
            decided_ms=now,
            preferred_ms=preferred,
        )

    def refuse(self, number: int, why: str) -> None:
        """An upload is not good; ``why`` is a sentence for its author."""
        self._update(number, state="refused", detail=why, decided_ms=now_ms())

    def disable(self, bot: str, version: str, why: str) -> None:
        """The host lets a version play no more.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        self._update(self.accepted(bot, version).number, state="disabled", detail=why)

    def prefer(self, bot: str, version: str) -> None:
        """A bot plays this accepted version from now on.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        self._update(self.accepted(bot, version).number, preferred_ms=now_ms())

    def build_again(self) -> int:
        """Build and validate all accepted versions again, as after a change of compilers.

        None of them plays until that is done.

        Returns:
            how many there are.
        """
        table = schema.uploads
        with self._database.writing() as connection:
            changed = connection.execute(
                sa.update(table).where(table.c.state == "accepted").values(state="received")
            )
            return changed.rowcount

    def accepted(self, bot: str, version: str) -> Upload:
        """An accepted version of a bot.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        found = [
            upload
            for upload in self.of_bot(bot)
            if upload.version == version and upload.state == "accepted"
        ]
        if not found:
            raise NotInStoreError(f"there is no accepted version {version} of {bot}")
        return found[0]

    def _update(self, number: int, **values: object) -> None:
        table = schema.uploads
        with self._database.writing() as connection:
            connection.execute(sa.update(table).where(table.c.id == number).values(values))


def _rows(
    connection: sa.Connection, *conditions: sa.ColumnElement[bool], logs: bool = False
) -> list[Upload]:
    """Uploads under conditions, the latest first."""
    table, bots = schema.uploads, schema.bots
    others = table.alias()
    latest = (
        sa.select(sa.func.max(others.c.preferred_ms))
        .where(others.c.bot_id == table.c.bot_id, others.c.state == "accepted")
        .scalar_subquery()
    )
    plays = (table.c.state == "accepted") & (table.c.preferred_ms == latest)
    columns = [column for column in table.c if logs or column.name != "build_log"]
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
    )
