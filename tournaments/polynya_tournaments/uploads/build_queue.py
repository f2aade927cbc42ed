"""Builds and validates uploaded versions, owners taking turns; a valid version then plays.

The queue follows from the database alone, so a killed server continues it after a restart. An
upload that this machine cannot build now is retried later, and an upload that the host cancels is
dropped at once.

Servers of several ladders may share the uploads: one at a time builds an upload, and none takes an
upload for a ladder of another server.

Nothing that a stranger made decides whether a server runs: what goes wrong in an unforeseen way
with one upload refuses that upload, and one with which two servers in a row have ended is set aside
by the next. Each attempt is recorded before it begins, as a *strike*. One strike is forgiven: a
server may be killed at any moment, and that costs no upload its turn.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import trio

from polynya_common.errors import StoreError, TournamentError, first_of
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_server.changes import Changes
from polynya_server.log import log
from polynya_store import Store
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.archives.manifest import Manifest, refuse_unknown_games, written
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.building.build import Build
from polynya_tournaments.uploads.building.fair_order import FairOrder, Slots
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.verdicts import examine
from polynya_tournaments.uploads.upload_folder import UploadFolder
from polynya_tournaments.uploads.validation.validator import Validators

_LOOK_S: Final = 1.0
_AGAIN_S: Final = 60.0
"""After so long something that this machine could not do is tried again."""
_LADDER_MS: Final = 3_600_000
"""A ladder counts for so long after its server was last there: a standby may take over."""
_SET_ASIDE: Final = 2
"""An upload with this number of strikes is set aside."""


class Builder(Protocol):
    """Makes builds: with a sandbox, limits and mirrors."""

    def __call__(self, folder: Path, manifest: Manifest, digest: str) -> Build:
        """A build of the program in a folder; the digest is that of its manifest."""


class BuildQueue:
    """Builds and validates uploads.

    Args:
        store: has the uploads.
        folder: has their archives, and gets their programs.
        limits: of the archives.
        builder: makes the builds.
        contest: its clock, sandbox and limits hold for the matches of validation.
        on_change: called when a version plays, or is refused.
        at_once: how many are built at the same time; see :class:`Slots`.
    """

    def __init__(
        self,
        store: Store,
        folder: UploadFolder,
        limits: Limits,
        builder: Builder,
        contest: TournamentConfiguration,
        on_change: Callable[[], Awaitable[None]],
        at_once: int = 1,
    ) -> None:
        self._store = store
        self._folder = folder
        self._limits = limits
        self._builder = builder
        self._contest = contest
        self._on_change = on_change
        self._slots = Slots(at_once)
        self._begun: set[int] = set()
        self._not_before_s: dict[int, float] = {}
        self._changes = Changes()
        self._validators = Validators()

    async def run(self) -> None:
        """Work until cancelled."""
        order = FairOrder()
        async with self._validators.kept(), trio.open_nursery() as nursery:
            while True:
                seen = self._changes.version
                upload = None
                if self._slots.has_room(trio.current_time()):
                    upload = order.next(await self._waiting(), self._slots.owners)
                if upload is not None:
                    self._slots.take(upload, trio.current_time())
                    nursery.start_soon(self._attend, upload)
                    continue
                with trio.move_on_after(_LOOK_S):
                    await self._changes.wait(seen)

    async def _waiting(self) -> list[Upload]:
        """The uploads that could be built now."""
        now_s = trio.current_time()
        found = [
            upload
            for upload in await self._undecided()
            if upload.number not in self._slots
            and now_s >= self._not_before_s.get(upload.number, 0)
        ]
        others = [one for one in found if self._contest.game not in one.games]
        left = await self._left_to_others(others) if others else []
        return [one for one in found if one not in left]

    async def _left_to_others(self, uploads: Sequence[Upload]) -> Sequence[Upload]:
        """Uploads for the ladders of other servers, by their games."""
        since_ms = round(time.time() * 1_000) - _LADDER_MS
        try:
            games = await trio.to_thread.run_sync(self._store.ladder.played_games, since_ms)
        except StoreError as error:
            log.warning("ladders cannot be looked for now", error=str(error))
            return uploads
        return [one for one in uploads if not games.isdisjoint(one.games)]

    async def _attend(self, upload: Upload) -> None:
        """Build and validate one version until that is done, fails, or is cancelled by the host."""
        self._not_before_s.pop(upload.number, None)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch, upload, nursery.cancel_scope)
                await self._claim_and_process(upload)
                nursery.cancel_scope.cancel()
        except* Exception as errors:
            await self._note_failure(upload, first_of(errors))
        finally:
            self._slots.free(upload)
            self._changes.notify()

    async def _claim_and_process(self, upload: Upload) -> None:
        """Build and validate one version if no other server does, or has done so meanwhile."""
        with self._folder.claimed(upload.sha256) as is_ours:
            if not is_ours:
                self._not_before_s[upload.number] = trio.current_time() + _LOOK_S
                return
            found = await trio.to_thread.run_sync(self._store.uploads.get, upload.number)
            if not found.undecided:
                return
            try:
                await self.process(found)
            finally:
                with trio.CancelScope(shield=True), suppress(StoreError):
                    await self._record(self._store.uploads.risk, upload.number, 0)

    async def _note_failure(self, upload: Upload, error: Exception) -> None:
        """Try an upload again later if this machine is to blame; refuse it if it may be itself."""
        if isinstance(error, TournamentError | OSError):
            log.warning("an upload cannot be built now", bot=upload.bot, error=str(error))
        else:
            log.error("an upload is set aside", bot=upload.bot, exc_info=error)
            with suppress(StoreError):
                why = _set_aside(upload, "an error of the server's own ended its build")
                await self._record(self._store.uploads.refuse, upload.number, why)
                await self._on_change()
        self._not_before_s[upload.number] = trio.current_time() + _AGAIN_S

    async def _watch(self, upload: Upload, scope: trio.CancelScope) -> None:
        """Leave an upload that the host has decided itself."""
        while True:
            await trio.sleep(_LOOK_S)
            with suppress(StoreError):
                if not await trio.to_thread.run_sync(
                    self._store.uploads.is_undecided, upload.number
                ):
                    log.info("a build is cancelled", bot=upload.bot, version=upload.version)
                    scope.cancel()

    async def _undecided(self) -> list[Upload]:
        try:
            return await trio.to_thread.run_sync(self._store.uploads.undecided)
        except StoreError as error:
            log.warning("uploads cannot be looked for now", error=str(error))
            return []

    async def process(self, upload: Upload) -> None:
        """Build and validate one version, and record the outcome.

        Raises:
            TournamentError: this machine cannot do it now.
            OSError: the same.
        """
        if upload.strikes >= _SET_ASIDE and upload.number not in self._begun:
            log.warning("an upload is set aside", bot=upload.bot, version=upload.version)
            why = _set_aside(upload, "two servers ended while it was built")
            await self._record(self._store.uploads.refuse, upload.number, why)
            await self._on_change()
            return
        self._begun.add(upload.number)
        log.info("an upload is built", bot=upload.bot, version=upload.version)
        program = self._folder.new_program(upload.sha256)
        with self._folder.using(program):
            failure: Cause | None = Reason.of("not_built")
            try:
                failure = await self._failure(upload, program)
            except UploadError as error:
                failure = cause_of(error)
            finally:
                if failure is not None:
                    with trio.CancelScope(shield=True):
                        await trio.to_thread.run_sync(self._folder.remove_program, program)
            if failure is not None:
                await self._record(self._store.uploads.refuse, upload.number, failure)
                log.info(
                    "an upload is refused", bot=upload.bot, version=upload.version, why=str(failure)
                )
        await self._on_change()

    async def _failure(self, upload: Upload, program: str) -> Cause | None:
        """Why a version is not good; None if it is, and then it is built and recorded."""
        uploads, number = self._store.uploads, upload.number
        await self._record(uploads.note, number, "building")
        await self._record(uploads.risk, number, upload.strikes + 1)
        folder = self._folder.program(program)
        found = await examine(self._folder.archive(upload.sha256), self._limits, folder)
        await trio.to_thread.run_sync(refuse_unknown_games, found.manifest)
        if upload.manifest is None:
            await self._record(uploads.note_manifest, number, written(found.manifest))
        built = await self._builder(folder, found.manifest, found.digest).run()
        built_log = "\n".join([*(f"--- {note} ---" for note in found.notes), built.log])
        await self._record(uploads.log, number, built_log)
        if built.failure is not None:
            return built.failure
        await self._record(uploads.note, number, "validating")
        played = await self._validators.validate(
            bot_of(upload, found.manifest, folder), found.manifest, self._contest
        )
        printed = f"what it printed:\n{played.log}" if played.failure and played.log else ""
        log_text = "\n\n".join(filter(None, [built_log, printed]))
        await self._record(uploads.log, number, log_text, played.replay)
        if played.failure is None:
            await self._record(uploads.accept, number, program, built.size)
            log.info("an upload plays", bot=upload.bot, version=upload.version)
        return played.failure

    async def _record(self, write: Callable[..., object], *values: object) -> None:
        """Write to the database, in a thread.

        Raises:
            StoreError: it cannot be written; no work that was done is lost.
        """
        try:
            await trio.to_thread.run_sync(lambda: write(*values))
        except StoreError:
            log.warning("the result of an upload cannot be recorded", values=str(values[0]))
            raise


def _set_aside(upload: Upload, because: str) -> str:
    return (
        f"{because}, so this version is set aside: tell the host of this server, who can build it "
        f"again with 'polynya uploads rebuild {upload.label}'"
    )


def bot_of(upload: Upload, manifest: Manifest, folder: Path) -> BotConfiguration:
    """How a version that was built in a folder is started."""
    return BotConfiguration(
        name=upload.bot,
        command=manifest.run_command,
        directory=str(folder),
        folder=str(folder),
        environment=python_environment(),
    )


def python_environment() -> dict[str, str]:
    """Variables with which ``python3`` is our own, and finds the SDK."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    of_sdk = builtin_command("random").environment
    return {"PATH": os.pathsep.join(folders), **of_sdk}
