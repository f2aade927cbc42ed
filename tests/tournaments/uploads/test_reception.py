"""Receiving uploads: what is kept and recorded, and what is refused."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
import trio

from polynya_store import Store
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder

MANIFEST = """
name = "fish"
version = "{version}"
language = "python"
run = "python3 bot.py"
games = ["packeis"]
"""
Program = Callable[..., BinaryIO]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        yield opened


@pytest.fixture
def reception(store: Store, tmp_path: Path) -> Reception:
    return Reception(store, UploadFolder(tmp_path / "uploads"), Limits())


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes an archive of a program."""

    def packed(version: str = "1", code: str = "print()") -> BinaryIO:
        folder = tmp_path / "source"
        folder.mkdir(exist_ok=True)
        (folder / "polynya.toml").write_text(MANIFEST.format(version=version))
        (folder / "bot.py").write_text(code)
        return io.BytesIO(pack(folder, Limits()))

    return packed


async def test_an_upload_is_recorded_and_waits(
    reception: Reception, store: Store, program: Program
) -> None:
    upload = await reception.receive("fish", program())

    assert (upload.label, upload.language, upload.games) == ("fish@1", "python", ("packeis",))
    assert [upload] == store.uploads.undecided()
    assert upload.state == "received"


async def test_its_archive_is_kept_as_it_came(
    reception: Reception, program: Program, tmp_path: Path
) -> None:
    upload = await reception.receive("fish", program())

    kept = UploadFolder(tmp_path / "uploads").archive(upload.sha256)
    assert kept.read_bytes() == program().read()


async def test_the_same_archive_twice_is_one_upload(reception: Reception, program: Program) -> None:
    assert await reception.receive("fish", program()) == await reception.receive("fish", program())


async def test_another_program_of_the_same_version_is_refused(
    reception: Reception, program: Program
) -> None:
    await reception.receive("fish", program())

    with pytest.raises(UploadError, match="there is a version 1 of fish already"):
        await reception.receive("fish", program(code="print(2)"))


async def test_a_version_that_was_refused_may_come_again(
    reception: Reception, store: Store, program: Program
) -> None:
    store.uploads.refuse((await reception.receive("fish", program())).number, "it does not build")

    assert (await reception.receive("fish", program(code="print(2)"))).state == "received"


async def test_the_program_of_another_name_is_refused(
    reception: Reception, program: Program
) -> None:
    with pytest.raises(UploadError, match="it is fish, and this is the bot cod"):
        await reception.receive("cod", program())


async def test_refused_uploads_leave_no_objects(reception: Reception, program: Program) -> None:
    async def objects_after(uploads: int) -> Counter[str]:
        for _ in range(uploads):
            with pytest.raises(UploadError):
                await reception.receive("cod", program())
        gc.collect()
        return Counter(type(each).__name__ for each in gc.get_objects())

    await objects_after(5)  # caches are filled
    before = await objects_after(0)
    after = await objects_after(20)
    assert {name: count for name, count in (after - before).items() if count >= 20} == {}


async def test_a_refused_archive_leaves_nothing(
    reception: Reception, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(UploadError):
        await reception.receive("fish", io.BytesIO(b"PK"))

    assert store.uploads.all() == []
    files = [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()]
    assert [path for path in files if path.parent.name != "locks"] == []


async def test_an_author_waits_for_results_before_uploading_more(
    store: Store, program: Program, tmp_path: Path
) -> None:
    reception = Reception(
        store, UploadFolder(tmp_path / "uploads"), Limits(), UploadSettings(undecided=1)
    )
    first = await reception.receive("fish", program("1"))

    with pytest.raises(UploadError, match="1 uploads of fish still wait"):
        await reception.receive("fish", program("2"))

    store.uploads.accept(first.number, "built")
    assert (await reception.receive("fish", program("2"))).version == "2"


async def test_the_last_accepted_version_plays(
    reception: Reception, store: Store, program: Program
) -> None:
    for version in ("1", "2"):
        store.uploads.accept((await reception.receive("fish", program(version))).number, "built")
    store.uploads.refuse(
        (await reception.receive("fish", program("3"))).number, "it does not build"
    )

    assert store.uploads.playing()["fish"].version == "2"


async def test_an_older_version_plays_when_it_is_preferred(
    reception: Reception, store: Store, program: Program
) -> None:
    for version in ("1", "2"):
        store.uploads.accept((await reception.receive("fish", program(version))).number, "built")

    store.uploads.prefer("fish", "1")

    assert store.uploads.playing()["fish"].version == "1"


async def test_a_disabled_version_does_not_play(
    reception: Reception, store: Store, program: Program
) -> None:
    store.uploads.accept((await reception.receive("fish", program())).number, "built")

    store.uploads.disable("fish", "1", "it fills the disk")

    assert store.uploads.playing() == {}


async def test_building_all_again_keeps_the_version_that_is_preferred(
    reception: Reception, store: Store, program: Program
) -> None:
    for version in ("1", "2"):
        store.uploads.accept((await reception.receive("fish", program(version))).number, "built")
    store.uploads.prefer("fish", "1")

    assert store.uploads.build_all_again() == 2
    assert store.uploads.playing()["fish"].version == "1"
    for upload in store.uploads.undecided():
        store.uploads.note(upload.number, "building")
        assert store.uploads.playing()["fish"].version == "1"
        store.uploads.accept(upload.number, "built")

    assert store.uploads.playing()["fish"].version == "1"


_KILLED = """
import os, pathlib, signal, sys, trio
from polynya_store import Store
from polynya_tournaments.uploads import reception, upload_folder
from polynya_tournaments.uploads.archives.unpacking import Limits

home, moment = pathlib.Path(sys.argv[1]), sys.argv[2]
kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with Store.open(home / "contest.sqlite", for_play=True) as store:
    received = reception.Reception(store, upload_folder.UploadFolder(home / "uploads"), Limits())
    if moment == "unpacking":
        reception.examine = kill
    elif moment == "keeping":
        upload_folder._sync_folder = kill
    else:
        store.uploads.receive = kill
    trio.run(received.receive, "fish", (home / "1.tar.gz").open("rb"))
"""


@pytest.mark.parametrize("moment", ["unpacking", "keeping", "recording"])
def test_nothing_half_accepted_is_left_by_a_kill(
    moment: str, program: Program, tmp_path: Path
) -> None:
    (tmp_path / "1.tar.gz").write_bytes(program().read())

    subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path), moment], check=False)

    with Store.open(tmp_path / "contest.sqlite", for_play=True) as store:
        assert store.uploads.all() == []
        again = Reception(store, UploadFolder(tmp_path / "uploads"), Limits())
        assert trio.run(again.receive, "fish", program()).state == "received"
        assert list((tmp_path / "uploads" / "unfinished").iterdir()) == []
