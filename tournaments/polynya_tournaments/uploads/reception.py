"""Reception of uploads: an archive is checked, kept and recorded, or refused with a sentence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Literal

from polynya_common.errors import NotInStoreError
from polynya_store import Store
from polynya_store.bots.upload_repository import VersionTakenError
from polynya_store.bots.upload_rows import Upload
from polynya_store.visibility import is_hidden
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.manifest import MANIFEST, Manifest, read_manifest
from polynya_tournaments.uploads.quotas import QuotaGate, Quotas
from polynya_tournaments.uploads.unpacking import Limits, unpack
from polynya_tournaments.uploads.upload_folder import UploadFolder

Sources = Literal["private", "published"]


class Reception:
    """Receives uploads.

    Args:
        store: where they are recorded.
        folder: where they are kept; it is prepared.
        limits: of their archives.
        quotas: of their authors.
        sources: whether the programs that played in a tournament are for all when it is over.

    Attributes:
        folder, limits, quotas, sources: as given.
        gate: lets uploads in within the quotas.

    Raises:
        RunError: the folder cannot be written.
    """

    def __init__(
        self,
        store: Store,
        folder: UploadFolder,
        limits: Limits,
        quotas: Quotas | None = None,
        sources: Sources = "private",
    ) -> None:
        self._store = store
        self.folder = folder
        folder.prepare()
        self.limits = limits
        self.quotas = quotas or Quotas()
        self.sources: Sources = sources
        self.gate = QuotaGate(store, self.quotas)

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
        return self.sources == "published" and any(
            not is_hidden(from_ms) and self._store.tournaments.is_complete(name)
            for name, from_ms in self._store.uploads.tournaments_of(upload.number).items()
        )

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
        with self.gate.let_in(bot, network):
            return self.take(bot, archive, network)

    def take(self, bot: str, archive: BinaryIO, network: str | None = None) -> Upload:
        """The same for an archive that :attr:`gate` has let in."""
        length = archive.seek(0, os.SEEK_END)
        self.gate.check_length(bot, length)
        manifest = self._checked(archive)
        if manifest.name != bot:
            raise UploadError(
                f"{MANIFEST}: name: it is {manifest.name}, and this is the bot {bot}: "
                "write that name, or upload it under the other"
            )
        with self.folder.growing():
            sha256 = self.folder.keep(archive)
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
        with self.folder.temporary() as folder:
            unpack(archive, folder / "program", self.limits)
            return read_manifest(folder / "program")
