"""Removes archives, logs and built programs of uploads when their retention ends.

The database is changed first. A file that it names is never removed, so a crash at any moment
leaves at most unreferenced files, which the next run removes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from polynya_store import Store
from polynya_store.backends.sql import now_ms
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.quotas import DAY_S
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder

_DAY_MS: Final = DAY_S * 1000


@dataclass(frozen=True)
class Removal:
    """The uploads, files and folders that are to go, or have gone.

    Attributes:
        refused: refused versions.
        forgotten: versions whose programs go, and that can be built again.
        archives, programs: files and folders that nothing names then.
        size: what these take on the disk, in bytes.
    """

    refused: Sequence[Upload]
    forgotten: Sequence[Upload]
    archives: Sequence[str]
    programs: Sequence[str]
    size: int


def plan_removal(store: Store, folder: UploadFolder, retention: UploadSettings) -> Removal:
    """The removal that is due now; it only reads."""
    uploads = store.uploads.all()
    refused = list(_old_refused(uploads, retention))
    forgotten = [
        upload for upload in _idle_programs(uploads, retention) if not _in_play(store, upload)
    ]
    leaving = {upload.number for upload in refused}
    lost = {upload.number for upload in forgotten}
    archives = {
        one.sha256 for one in uploads if one.state != "removed" and one.number not in leaving
    }
    programs = {
        one.program for one in uploads if one.state == "accepted" and one.number not in lost
    }
    unnamed = sorted(set(folder.archives()) - archives)
    unnamed_programs = sorted(set(folder.programs()) - programs)
    size = sum(folder.archive_bytes(sha256) for sha256 in unnamed)
    size += sum(folder.program_bytes(name) for name in unnamed_programs)
    return Removal(refused, forgotten, unnamed, unnamed_programs, size)


def remove_old(store: Store, folder: UploadFolder, retention: UploadSettings) -> Removal:
    """Remove the finds of :func:`plan_removal`, except those in use; return those removed.

    Raises:
        StoreError: the database cannot be written.
        OSError: the folder cannot be.
    """
    plan = plan_removal(store, folder, retention)
    store.uploads.forget_networks(now_ms() - _DAY_MS)
    store.uploads.forget_refused([upload.number for upload in plan.refused])
    for upload in plan.forgotten:
        store.uploads.forget_program(upload.number)
    archives = _remove_archives(store, folder)
    programs, size = [], sum(size for _, size in archives)
    for name in plan.programs:
        with folder.unused(name) as alone:
            if alone and name not in store.uploads.programs():
                size += folder.program_bytes(name)
                folder.remove_program(name)
                programs.append(name)
    return Removal(plan.refused, plan.forgotten, [sha256 for sha256, _ in archives], programs, size)


def _remove_archives(store: Store, folder: UploadFolder) -> list[tuple[str, int]]:
    """Remove the archives that nothing names; none while one is being kept."""
    with folder.shrinking() as alone:
        if not alone:
            return []
        unnamed = sorted(set(folder.archives()) - store.uploads.archives())
        removed = [(sha256, folder.archive_bytes(sha256)) for sha256 in unnamed]
        for sha256 in unnamed:
            folder.remove_archive(sha256)
        return removed


def _old_refused(uploads: Sequence[Upload], retention: UploadSettings) -> Iterator[Upload]:
    now = now_ms()
    for of_bot in _by_bot(uploads, "refused"):
        for place, upload in enumerate(of_bot):
            age_ms = now - upload.uploaded_ms
            too_old = age_ms > retention.refused_days * _DAY_MS
            if age_ms > _DAY_MS and (too_old or place >= retention.refused):
                yield upload


def _idle_programs(uploads: Sequence[Upload], retention: UploadSettings) -> Iterator[Upload]:
    for of_bot in _by_bot(uploads, "accepted"):
        built = [upload for upload in of_bot if upload.program is not None]
        built.sort(key=lambda one: not one.plays)
        for upload in built[max(1, retention.programs) :]:
            if upload.again is None:
                yield upload


def _by_bot(uploads: Sequence[Upload], state: str) -> Iterator[list[Upload]]:
    """The uploads of each bot in a state, the latest first."""
    found = [upload for upload in uploads if upload.state == state]
    found.sort(key=lambda one: (one.bot, -one.number))
    for _, of_bot in groupby(found, key=attrgetter("bot")):
        yield list(of_bot)


def _in_play(store: Store, upload: Upload) -> bool:
    """Whether a tournament that is not complete plays it."""
    return any(
        not store.tournaments.is_complete(name)
        for name in store.uploads.tournaments_of(upload.number)
    )
