"""Reception of uploads: an archive is checked, kept and recorded, or refused with a sentence."""

from __future__ import annotations

import os
from typing import BinaryIO

from polynya_tournaments.store import Store
from polynya_tournaments.store.bots.upload_repository import VersionTakenError
from polynya_tournaments.store.bots.upload_rows import Upload
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.manifest import MANIFEST, Manifest, read_manifest
from polynya_tournaments.uploads.quotas import QuotaGate, Quotas
from polynya_tournaments.uploads.unpacking import Limits, unpack
from polynya_tournaments.uploads.upload_folder import UploadFolder


class Reception:
    """Receives uploads.

    Args:
        store: where they are recorded.
        folder: where they are kept; it is prepared.
        limits: of their archives.
        quotas: of their authors.

    Raises:
        RunError: the folder cannot be written.
    """

    def __init__(
        self, store: Store, folder: UploadFolder, limits: Limits, quotas: Quotas | None = None
    ) -> None:
        self._store = store
        self._folder = folder
        folder.prepare()
        self.limits = limits
        self._gate = QuotaGate(store, quotas or Quotas())

    def receive(self, bot: str, archive: BinaryIO, network: str | None = None) -> Upload:
        """Check, keep and record an archive; blocking.

        The archive is on the disk before it is recorded, and recorded before this returns. The same
        archive twice is one upload.

        Args:
            bot: the name of the bot, whose owner sends it.
            archive: the file, opened.
            network: where it comes from; None where that is not known.

        Raises:
            UploadError: it is refused; the message is for its author.
            StoreError: the database cannot be written.
            OSError: the folder cannot be written.
        """
        length = archive.seek(0, os.SEEK_END)
        with self._gate.let_in(bot, network, length):
            manifest = self._checked(archive)
            if manifest.name != bot:
                raise UploadError(
                    f"{MANIFEST}: name: it is {manifest.name}, and this is the bot {bot}: "
                    "write that name, or upload it under the other"
                )
            with self._folder.growing():
                sha256 = self._folder.keep(archive)
                try:
                    return self._store.uploads.receive(
                        bot,
                        manifest.version,
                        manifest.language,
                        manifest.games,
                        sha256,
                        length,
                        network,
                    )
                except VersionTakenError as error:
                    raise UploadError(str(error)) from error

    def _checked(self, archive: BinaryIO) -> Manifest:
        with self._folder.temporary() as folder:
            unpack(archive, folder / "program", self.limits)
            return read_manifest(folder / "program")
