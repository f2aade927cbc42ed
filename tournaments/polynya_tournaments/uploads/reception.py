"""Reception of uploads: an archive is checked, kept and recorded, or refused with a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from polynya_tournaments.store import Store
from polynya_tournaments.store.bots.upload_repository import Upload, VersionTakenError
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.manifest import MANIFEST, Manifest, read_manifest
from polynya_tournaments.uploads.unpacking import Limits, unpack
from polynya_tournaments.uploads.upload_folder import UploadFolder


@dataclass(frozen=True)
class Quotas:
    """How much an author may hand in.

    Attributes:
        undecided: uploads of one bot that wait for being built.
        versions: of one bot in all; the host removes old ones.
    """

    undecided: int = 3
    versions: int = 200


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
        self._quotas = quotas or Quotas()

    def receive(self, bot: str, archive: BinaryIO) -> Upload:
        """Check, keep and record an archive; blocking.

        The archive is on the disk before it is recorded, and recorded before this returns. The same
        archive twice is one upload.

        Args:
            bot: the name of the bot, whose owner sends it.
            archive: the file, opened.

        Raises:
            UploadError: it is refused; the message is for its author.
            StoreError: the database cannot be written.
            OSError: the folder cannot be written.
        """
        self._check_quotas(bot)
        manifest = self._checked(archive)
        if manifest.name != bot:
            raise UploadError(
                f"{MANIFEST}: name: it is {manifest.name}, and this is the bot {bot}: "
                "write that name, or upload it under the other"
            )
        sha256 = self._folder.keep(archive)
        try:
            return self._store.uploads.receive(
                bot, manifest.version, manifest.language, manifest.games, sha256
            )
        except VersionTakenError as error:
            raise UploadError(str(error)) from error

    def _check_quotas(self, bot: str) -> None:
        uploads = self._store.uploads.of_bot(bot)
        waiting = sum(upload.decided_ms is None for upload in uploads)
        if waiting >= self._quotas.undecided:
            raise UploadError(
                f"{waiting} uploads of {bot} still wait for being built: wait for their results"
            )
        if len(uploads) >= self._quotas.versions:
            raise UploadError(
                f"{bot} has {len(uploads)} uploads, the most: ask the host to remove old ones"
            )

    def _checked(self, archive: BinaryIO) -> Manifest:
        with self._folder.temporary() as folder:
            unpack(archive, folder / "program", self.limits)
            return read_manifest(folder / "program")
