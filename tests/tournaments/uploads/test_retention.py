"""Retention of uploads: what is removed, what is not, and what a crash leaves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import sqlalchemy as sa

from polynya_store import Store, schema
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.retention import Removal, plan_removal, remove_old
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder

DAY_MS = 86_400_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> UploadFolder:
    made = UploadFolder(tmp_path / "uploads")
    made.prepare()
    return made


def kept(store: Store, folder: UploadFolder, version: str) -> Upload:
    """An upload with an archive of its own."""
    content = version.encode()
    with folder.growing():
        sha256 = folder.keep(BytesIO(content))
        return store.uploads.receive("fish", version, "c", ["packeis"], sha256, len(content))


def accepted(store: Store, folder: UploadFolder, version: str) -> Upload:
    """One with a program, too."""
    upload = kept(store, folder, version)
    folder.program(version).mkdir()
    (folder.program(version) / "bot").write_text(version)
    store.uploads.accept(upload.number, version)
    return upload


def make_older(store: Store, days: int) -> None:
    table = schema.uploads
    with store.database.writing() as connection:
        older = {"uploaded_ms": table.c.uploaded_ms - days * DAY_MS}
        connection.execute(sa.update(table).values(older))


def what(removal: Removal) -> tuple[list[str], list[str], int, list[str]]:
    return (
        [upload.version for upload in removal.refused],
        [upload.version for upload in removal.forgotten],
        len(removal.archives),
        list(removal.programs),
    )


def test_the_last_refused_versions_are_kept(store: Store, folder: UploadFolder) -> None:
    for version in ("1", "2", "3"):
        store.uploads.refuse(kept(store, folder, version).number, "it does not build")
    make_older(store, 2)

    removed = remove_old(store, folder, UploadSettings(refused=2))

    assert what(removed) == (["1"], [], 1, [])
    assert [upload.version for upload in store.uploads.all()] == ["3", "2"]
    assert len(folder.archives()) == 2


def test_old_refused_versions_are_removed(store: Store, folder: UploadFolder) -> None:
    store.uploads.refuse(kept(store, folder, "1").number, "it does not build")
    make_older(store, 31)

    assert what(remove_old(store, folder, UploadSettings())) == (["1"], [], 1, [])


def test_refused_versions_of_the_last_day_stay_so_that_quotas_count_them(
    store: Store, folder: UploadFolder
) -> None:
    store.uploads.refuse(kept(store, folder, "1").number, "it does not build")

    assert what(remove_old(store, folder, UploadSettings(refused=0))) == ([], [], 0, [])


def test_archive_that_two_versions_name_stays(store: Store, folder: UploadFolder) -> None:
    first = kept(store, folder, "1")
    store.uploads.receive("cod", "1", "c", ["packeis"], first.sha256)
    store.uploads.refuse(first.number, "it does not build")
    make_older(store, 31)

    assert what(remove_old(store, folder, UploadSettings())) == (["1"], [], 0, [])
    assert folder.archives() == [first.sha256]


def test_idle_programs_go_and_are_built_again_when_they_are_chosen(
    store: Store, folder: UploadFolder
) -> None:
    for version in ("1", "2", "3"):
        accepted(store, folder, version)

    removed = remove_old(store, folder, UploadSettings(programs=2))

    assert what(removed) == ([], ["1"], 0, ["1"])
    chosen = store.uploads.prefer("fish", "1")
    assert (chosen.again, chosen.plays) == ("received", False)
    assert store.uploads.playing()["fish"].version == "3"
    assert [upload.version for upload in store.uploads.undecided()] == ["1"]
    store.uploads.accept(chosen.number, "again")
    assert store.uploads.playing()["fish"].version == "1"


def test_the_version_that_plays_stays_built(store: Store, folder: UploadFolder) -> None:
    for version in ("1", "2", "3"):
        accepted(store, folder, version)
    store.uploads.prefer("fish", "1")

    remove_old(store, folder, UploadSettings(programs=1))

    assert folder.programs() == ["1"]
    assert store.uploads.playing()["fish"].version == "1"


def test_program_that_runs_stays(store: Store, folder: UploadFolder) -> None:
    for version in ("1", "2"):
        accepted(store, folder, version)

    with folder.using("1"):
        assert what(remove_old(store, folder, UploadSettings(programs=1))) == ([], ["1"], 0, [])
        assert folder.programs() == ["1", "2"]

    assert what(remove_old(store, folder, UploadSettings(programs=1))) == ([], [], 0, ["1"])


def test_archive_that_is_kept_but_not_recorded_yet_stays(
    store: Store, folder: UploadFolder
) -> None:
    with folder.growing():
        sha256 = folder.keep(BytesIO(b"new"))
        assert what(remove_old(store, folder, UploadSettings())) == ([], [], 0, [])
        store.uploads.receive("fish", "1", "c", ["packeis"], sha256)

    assert what(remove_old(store, folder, UploadSettings())) == ([], [], 0, [])
    assert folder.archives() == [sha256]


def test_removed_version_keeps_its_name_and_nothing_else(
    store: Store, folder: UploadFolder
) -> None:
    upload = accepted(store, folder, "1")
    store.uploads.remove("fish", "1", "its owner removed it")

    remove_old(store, folder, UploadSettings())

    assert (folder.archives(), folder.programs()) == ([], [])
    with pytest.raises(Exception, match="there is a version 1 of fish already"):
        store.uploads.receive("fish", "1", "c", ["packeis"], "another")
    again = store.uploads.receive("fish", "1", "c", ["packeis"], upload.sha256)
    assert (again.number, again.state) == (upload.number, "received")


def test_networks_are_forgotten_after_a_day(store: Store, folder: UploadFolder) -> None:
    store.uploads.receive("fish", "1", "c", ["packeis"], "a", network="192.0.2.1")
    make_older(store, 2)
    store.uploads.receive("fish", "2", "c", ["packeis"], "b", network="192.0.2.1")

    remove_old(store, folder, UploadSettings())

    assert [upload.network for upload in store.uploads.all()] == ["192.0.2.1", None]


def test_the_plan_removes_nothing(store: Store, folder: UploadFolder) -> None:
    for version in ("1", "2"):
        accepted(store, folder, version)
    folder.keep(BytesIO(b"of no version"))

    assert what(plan_removal(store, folder, UploadSettings(programs=1))) == ([], ["1"], 1, ["1"])

    assert len(folder.archives()) == 3
    assert folder.programs() == ["1", "2"]
    assert what(plan_removal(store, folder, UploadSettings(programs=1))) == ([], ["1"], 1, ["1"])


@pytest.mark.parametrize(
    "killed_in", ["forget_refused", "forget_program", "remove_archive", "remove_program"]
)
def test_what_is_named_survives_a_crash_at_any_moment(
    killed_in: str, store: Store, folder: UploadFolder, tmp_path: Path
) -> None:
    store.uploads.refuse(kept(store, folder, "0").number, "it does not build")
    for version in ("1", "2"):
        accepted(store, folder, version)
    make_older(store, 31)
    script = f"""
import os, signal, sys
from pathlib import Path
from polynya_store import Store
from polynya_store.bots.upload_repository import UploadRepository
from polynya_tournaments.uploads.retention import remove_old
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder
of = UploadFolder if hasattr(UploadFolder, {killed_in!r}) else UploadRepository
before = getattr(of, {killed_in!r})
def killed(*words):
    before(*words)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(of, {killed_in!r}, killed)
with Store.open(Path(sys.argv[1])) as store:
    remove_old(store, UploadFolder(Path(sys.argv[2])), UploadSettings(programs=1))
"""

    paths = [str(tmp_path / "contest.sqlite"), str(tmp_path / "uploads")]
    done = subprocess.run([sys.executable, "-c", script, *paths], check=False, timeout=120)

    assert done.returncode == -9
    assert store.uploads.archives() <= set(folder.archives())
    assert store.uploads.programs() <= set(folder.programs())
    remove_old(store, folder, UploadSettings(programs=1))
    assert set(folder.archives()) == store.uploads.archives()
    assert folder.programs() == ["2"]
