"""Uploads of an open database: bot versions and their states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError, StoreError
from polynya_common.reasons import Cause, Reason
from polynya_store import schema
from polynya_store.backends.sql import now_ms
from polynya_store.bots.bot_repository import bot_ids
from polynya_store.bots.upload_rows import (
    UNDECIDED,
    Stage,
    Upload,
    arrivals_since,
    is_undecided,
    matches_of,
    upload_rows,
    usage,
)
from polynya_store.database import Repository, reading

_TABLE = schema.uploads


class VersionTakenError(StoreError):
    """Another program of this version was uploaded before."""


class UploadRepository(Repository):
    """Uploads and their states."""

    since = reading(arrivals_since)
    matches_of = reading(matches_of)
    usage = reading(usage)

    def receive(
        self,
        bot: str,
        version: str,
        language: str,
        games: Sequence[str],
        sha256: str,
        archive_bytes: int | None = None,
        network: str | None = None,
        manifest: str | None = None,
    ) -> Upload:
        """Record a new version; the same archive of the same version is recorded once.

        A removed version may come again, but only as the same archive. ``manifest`` is as JSON.

        Raises:
            VersionTakenError: another archive of this version was uploaded, and not refused.
        """
        with self._database.writing() as connection:
            number = None
            for earlier in upload_rows(
                connection, schema.bots.c.name == bot, _TABLE.c.version == version
            ):
                if earlier.state == "refused":
                    continue
                if earlier.sha256 != sha256:
                    raise VersionTakenError(Reason.of("version_exists", version=version, bot=bot))
                if earlier.state != "removed":
                    return earlier
                number = earlier.number
            now = now_ms()
            values = {
                "language": language,
                "games": list(games),
                "uploaded_ms": now,
                "state": "received",
                "detail": None,
                "changed_ms": now,
                "archive_bytes": archive_bytes,
                "network": network,
                "manifest": manifest,
                "strikes": 0,
            }
            if number is None:
                values |= {"bot_id": bot_ids(connection, [bot])[bot]}
                values |= {"version": version, "sha256": sha256}
                inserted = connection.execute(sa.insert(_TABLE).values(values))
                key = inserted.inserted_primary_key
                number = key and key[0]
            else:
                connection.execute(sa.update(_TABLE).where(_TABLE.c.id == number).values(values))
            return upload_rows(connection, _TABLE.c.id == number)[0]

    def all(self, *, logs: bool = False) -> list[Upload]:
        """All uploads, latest first; with their logs, which are long, on request."""
        with self._database.reading() as connection:
            return upload_rows(connection, logs=logs)

    def of_bot(self, bot: str, version: str | None = None, *, logs: bool = False) -> list[Upload]:
        """The uploads of a bot, or of one version; see :meth:`all`."""
        conditions = [schema.bots.c.name == bot]
        if version is not None:
            conditions.append(_TABLE.c.version == version)
        with self._database.reading() as connection:
            return upload_rows(connection, *conditions, logs=logs)

    def get(self, number: int, *, logs: bool = False) -> Upload:
        """One upload; see :meth:`all`.

        Raises:
            NotInStoreError: there is none.
        """
        with self._database.reading() as connection:
            found = upload_rows(connection, _TABLE.c.id == number, logs=logs)
        if not found:
            raise NotInStoreError(Reason.of("no_upload", number=number))
        return found[0]

    def undecided(self) -> list[Upload]:
        """Uploads to build or validate, in order of arrival."""
        with self._database.reading() as connection:
            return upload_rows(connection, is_undecided())[::-1]

    def is_undecided(self, number: int) -> bool:
        """Whether an upload is still to be built or validated."""
        question = sa.select(_TABLE.c.id).where(_TABLE.c.id == number, is_undecided())
        with self._database.reading() as connection:
            return connection.scalar(question) is not None

    def programs(self) -> set[str]:
        """The program folders of all versions that may play."""
        question = sa.select(_TABLE.c.program).where(_TABLE.c.program.is_not(None))
        with self._database.reading() as connection:
            return set(connection.scalars(question.where(_TABLE.c.state == "accepted")))

    def archives(self) -> set[str]:
        """The SHA-256 of all archives to keep."""
        question = sa.select(_TABLE.c.sha256).where(_TABLE.c.state != "removed")
        with self._database.reading() as connection:
            return set(connection.scalars(question))

    def playing(self) -> dict[str, Upload]:
        """The version that each bot plays, by the bot's name, for bots that have one."""
        with self._database.reading() as connection:
            accepted = upload_rows(connection, _TABLE.c.state == "accepted")
        return {upload.bot: upload for upload in accepted if upload.plays}

    def tournaments_of(self, number: int) -> Mapping[str, int | None]:
        """The tournaments that have begun to play with an upload: until when results are hidden."""
        table, tournaments = schema.tournament_uploads.c, schema.tournaments.c
        question = (
            sa.select(tournaments.name, tournaments.results_from_ms)
            .join(schema.tournament_uploads, table.tournament_id == tournaments.id)
            .where(table.upload_id == number)
        )
        with self._database.reading() as connection:
            rows = connection.execute(question)
            return {name: time_ms for name, time_ms in rows}  # noqa: C416

    def of_tournament(self, tournament: str) -> list[Upload]:
        """The uploads that a tournament has begun to play with, the latest first."""
        table, tournaments = schema.tournament_uploads, schema.tournaments
        of_it = (
            sa.select(table.c.upload_id)
            .join(tournaments, tournaments.c.id == table.c.tournament_id)
            .where(tournaments.c.name == tournament)
        )
        with self._database.reading() as connection:
            numbers = set(connection.scalars(of_it))
        return [one for one in self.all() if one.number in numbers]

    def note_tournament(self, tournament: str, numbers: Collection[int]) -> None:
        """Record that a tournament plays with these uploads."""
        table = schema.tournament_uploads
        with self._database.writing() as connection:
            found = connection.scalar(
                sa.select(schema.tournaments.c.id).where(schema.tournaments.c.name == tournament)
            )
            known = set(
                connection.scalars(
                    sa.select(table.c.upload_id).where(table.c.tournament_id == found)
                )
            )
            rows = [
                {"tournament_id": found, "upload_id": number}
                for number in sorted(set(numbers) - known)
            ]
            if rows:
                connection.execute(sa.insert(table), rows)

    def note(self, number: int, stage: Stage) -> None:
        """Record that an upload is being built, or validated."""
        of_number = _TABLE.c.id == number
        with self._database.writing() as connection:
            for condition, column in (
                (_TABLE.c.state.in_(UNDECIDED), "state"),
                (_TABLE.c.again.is_not(None), "again"),
            ):
                values = {column: stage, "changed_ms": now_ms()}
                connection.execute(sa.update(_TABLE).where(of_number, condition).values(values))

    def risk(self, number: int, strikes: int) -> None:
        """Record a strike before work on an upload that might crash the server; 0 afterwards."""
        self._set(number, strikes=strikes)

    def note_manifest(self, number: int, manifest: str) -> None:
        """Record what the manifest of an upload says, as JSON."""
        self._set(number, manifest=manifest)

    def log(self, number: int, build_log: str, replay: bytes | None = None) -> None:
        """Record what building and validating an upload printed, and its last match's replay."""
        self._set(number, build_log=build_log, replay=replay)

    def accept(self, number: int, program: str, program_bytes: int | None = None) -> bool:
        """Accept an upload: its bot plays it from now on, unless it was accepted before.

        Args:
            number: of the upload.
            program: the folder of the program that was built of it.
            program_bytes: how much is in it.

        Returns:
            False if it is no longer to be decided: the host has cancelled it.
        """
        now = now_ms()
        return self._decide(
            number,
            state="accepted",
            program=program,
            program_bytes=program_bytes,
            preferred_ms=sa.func.coalesce(_TABLE.c.preferred_ms, now),
        )

    def refuse(self, number: int, why: Cause) -> bool:
        """Refuse an upload; ``why`` is a sentence for its author. False as of :meth:`accept`.

        A version that is built again is refused, too: the one before it plays then.
        """
        return self._decide(number, state="refused", detail=why, program=None, program_bytes=None)

    def cancel(self, number: int, why: Cause) -> None:
        """Cancel building or validating an upload; an upload that was built before stays as it was.

        Args:
            number: of the upload.
            why: a sentence, which its author reads.

        Raises:
            NotInStoreError: it is not to be built or validated.
        """
        undecided = _TABLE.c.state.in_(UNDECIDED)
        again = _TABLE.c.again.is_not(None)
        if not (
            self._change(number, undecided, state="refused", detail=why, decided_ms=now_ms())
            or self._change(number, again, again=None)
        ):
            raise NotInStoreError(f"the upload {number} waits for nothing: it is decided")

    def disable(self, bot: str, version: str, why: Cause) -> None:
        """Disable a version for the host: it plays no longer.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        number = self.accepted(bot, version).number
        self._change(number, state="disabled", detail=why, again=None)

    def prefer(self, bot: str, version: str) -> Upload:
        """A bot plays this accepted version from now on; built again first if it is not there.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        upload = self.accepted(bot, version)
        again = {"again": "received"} if upload.program is None else {}
        self._change(upload.number, preferred_ms=now_ms(), **again)
        return self.get(upload.number)

    def build_all_again(self) -> int:
        """Build and validate all accepted versions again, as after a change of compilers.

        Until that is done they play what was built before.

        Returns:
            how many there are.
        """
        accepted = (_TABLE.c.state == "accepted") & _TABLE.c.again.is_(None)
        with self._database.writing() as connection:
            changed = connection.execute(
                sa.update(_TABLE).where(accepted).values(again="received", changed_ms=now_ms())
            )
            return changed.rowcount

    def build_again(self, number: int) -> Upload:
        """Build and validate one version again; a refused or disabled version may play then.

        Raises:
            NotInStoreError: there is no such upload, or its archive was removed.
            VersionTakenError: another archive of this version was uploaded, and not refused.
        """
        upload = self.get(number)
        if upload.state == "removed":
            raise NotInStoreError(Reason.of("version_removed", version=upload.label))
        others = self.of_bot(upload.bot, upload.version)
        if any(one.number != number and one.state != "refused" for one in others):
            raise VersionTakenError(f"another program was uploaded as {upload.label} since then")
        if upload.state == "accepted":
            self._change(number, again="received", strikes=0)
        elif not upload.undecided:
            self._change(number, state="received", detail=None, strikes=0)
        return self.get(number)

    def remove(self, bot: str, version: str, why: Cause) -> None:
        """Delete a version; only its name stays reserved.

        Raises:
            NotInStoreError: there is no such version.
            StoreError: a tournament was played with it.
        """
        kept = [one for one in self.of_bot(bot, version) if one.state != "removed"]
        if not kept:
            raise NotInStoreError(Reason.of("no_version", version=version, bot=bot))
        for upload in kept:
            if names := ", ".join(self.tournaments_of(upload.number)):
                raise StoreError(
                    Reason.of("version_in_use", version=upload.label, tournaments=names)
                )
        for upload in kept:
            self._change(
                upload.number,
                state="removed",
                detail=why,
                again=None,
                program=None,
                program_bytes=None,
                archive_bytes=None,
                build_log=None,
                replay=None,
            )

    def forget_program(self, number: int) -> None:
        """Forget the program built of an upload, unless it plays; it can be built again."""
        with self._database.writing() as connection:
            (upload,) = upload_rows(connection, _TABLE.c.id == number)
            if not upload.plays:
                connection.execute(
                    sa.update(_TABLE)
                    .where(_TABLE.c.id == number)
                    .values(program=None, program_bytes=None)
                )

    def forget_refused(self, numbers: Collection[int]) -> None:
        """Delete refused uploads."""
        with self._database.writing() as connection:
            connection.execute(
                sa.delete(_TABLE).where(_TABLE.c.id.in_(numbers), _TABLE.c.state == "refused")
            )

    def forget_networks(self, before_ms: int) -> None:
        """Forget the networks of uploads that came before a time, in ms since 1970."""
        with self._database.writing() as connection:
            connection.execute(
                sa.update(_TABLE)
                .where(_TABLE.c.uploaded_ms < before_ms, _TABLE.c.network.is_not(None))
                .values(network=None)
            )

    def accepted(self, bot: str, version: str) -> Upload:
        """An accepted version of a bot.

        Raises:
            NotInStoreError: no such version was accepted.
        """
        found = [one for one in self.of_bot(bot, version) if one.state == "accepted"]
        if not found:
            raise NotInStoreError(Reason.of("no_accepted_version", version=version, bot=bot))
        return found[0]

    def _set(self, number: int, **values: object) -> None:
        """Set columns other than an upload's state."""
        with self._database.writing() as connection:
            connection.execute(sa.update(_TABLE).where(_TABLE.c.id == number).values(**values))

    def _decide(self, number: int, **values: object) -> bool:
        """Decide an undecided upload; False if it was decided before."""
        now = now_ms()
        decided: dict[str, object] = {
            "detail": None,
            "again": None,
            "decided_ms": now,
            "strikes": 0,
        }
        return self._change(number, is_undecided(), **(decided | values))

    def _change(self, number: int, *conditions: sa.ColumnElement[bool], **values: object) -> bool:
        """Change an upload if conditions hold; False if not."""
        with self._database.writing() as connection:
            changed = connection.execute(
                sa.update(_TABLE)
                .where(_TABLE.c.id == number, *conditions)
                .values(changed_ms=now_ms(), **values)
            )
            return changed.rowcount == 1
