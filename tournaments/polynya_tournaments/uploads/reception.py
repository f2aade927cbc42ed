"""Receives uploads: checks, stores and records an archive, or refuses it with a sentence."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import BinaryIO

import trio

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Reason
from polynya_store import Store
from polynya_store.bots.upload_repository import VersionTakenError
from polynya_store.bots.upload_rows import Upload
from polynya_store.visibility import is_hidden
from polynya_tournaments.uploads.archives.manifest import Manifest, refuse_unknown_games, written
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.verdicts import examine
from polynya_tournaments.uploads.quotas import QuotaGate
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder


class Reception:
    """Receives uploads.

    Args:
        store: where they are recorded.
        folder: where they are kept; it is prepared.
        limits: of their archives.
        settings: what authors may send, and whether the programs that played in a tournament are
            for all when it is over.

    Attributes:
        folder, limits, settings: as given.
        gate: lets uploads in within the quotas.

    Raises:
        RunError: the folder cannot be written.
    """

    def __init__(
        self,
        store: Store,
        folder: UploadFolder,
        limits: Limits,
        settings: UploadSettings | None = None,
    ) -> None:
        self._store = store
        self.folder = folder
        folder.prepare()
        self.limits = limits
        self.settings = settings or UploadSettings()
        self.gate = QuotaGate(store, self.settings)

    def archive(self, upload: Upload) -> Path:
        """The archive of an upload, as it came.

        Raises:
            NotInStoreError: it is not kept any more.
        """
        path = self.folder.archive(upload.sha256)
        if upload.state == "removed" or not path.is_file():
            raise NotInStoreError(f"the archive of {upload.label} is not kept any more")
        return path

    def is_published(self, upload: Upload) -> bool:
        """Whether its archive is for all: it played in a tournament that is over and shown."""
        return self.settings.sources == "published" and any(
            not is_hidden(from_ms) and self._store.tournaments.is_complete(name)
            for name, from_ms in self._store.uploads.tournaments_of(upload.number).items()
        )

    async def receive(self, bot: str, archive: BinaryIO, network: str | None = None) -> Upload:
        """Check, keep and record an archive.

        The archive is on the disk before it is recorded, and recorded before this returns. The same
        archive twice is one upload.

        Args:
            bot: the name of the bot, whose owner sends it.
            archive: the file, opened.
            network: where it comes from; None where that is not known.

        Raises:
            UploadError: it is refused; the message is for its author.
            RunError: this machine cannot read it now.
            StoreError: the database cannot be written.
            OSError: the folder cannot be written.
        """
        await trio.to_thread.run_sync(self.gate.begin, bot, network)
        try:
            return await self.take(bot, archive, network)
        finally:
            self.gate.end(bot)

    async def take(self, bot: str, archive: BinaryIO, network: str | None = None) -> Upload:
        """The same for an archive that :attr:`gate` has let in."""
        in_thread = trio.to_thread.run_sync
        length = archive.seek(0, os.SEEK_END)
        await in_thread(self.gate.check_length, bot, length)
        async with self._copied(archive) as (copy, sha256):
            manifest = (await examine(copy, self.limits)).manifest
            if manifest.name != bot:
                raise UploadError(Reason.of("manifest_of_other_bot", name=manifest.name, bot=bot))
            await in_thread(refuse_unknown_games, manifest)
            return await in_thread(self._record, bot, manifest, copy, sha256, length, network)

    @asynccontextmanager
    async def _copied(self, archive: BinaryIO) -> AsyncIterator[tuple[Path, str]]:
        """The copy of an archive, made and removed in threads: the disk may be slow."""
        copying = self.folder.copied(archive)
        with ExitStack() as stack:
            try:
                yield await trio.to_thread.run_sync(stack.enter_context, copying)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(stack.close)

    def _record(
        self,
        bot: str,
        manifest: Manifest,
        copy: Path,
        sha256: str,
        length: int,
        network: str | None,
    ) -> Upload:
        with self.folder.growing():
            self.folder.keep_copy(copy, sha256)
            try:
                return self._store.uploads.receive(
                    bot,
                    manifest.version,
                    manifest.language,
                    manifest.games,
                    sha256,
                    length,
                    network,
                    written(manifest),
                )
            except VersionTakenError as error:
                raise UploadError(str(error)) from error
