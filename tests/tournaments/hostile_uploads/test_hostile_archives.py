"""Archives that were made to do harm: each ends in a sentence, in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import resource
from pathlib import Path
from random import Random
from time import monotonic

import pytest
import trio
from tests.tournaments.hostile_uploads.hostile_archives import (
    HOSTILE,
    MANIFEST,
    mutated,
    real_tar,
    with_content,
)

from polynya_common.errors import RunError
from polynya_tournaments.uploads.archives.unpacking import Limits, Unpacked, check, unpack
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.verdicts import ExaminationLimits, examine

SMALL = Limits(packed_bytes=2**20, unpacked_bytes=200_000, entries=200)
QUICKLY = ExaminationLimits(cpu_s=3)
MUTANTS = 400
EXAMINED = 30


@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_archive_is_refused_in_a_process_of_its_own(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE[kind]())
    began = monotonic()

    with pytest.raises(UploadError):
        await examine(tmp_path / "archive", Limits(), tmp_path / "program", QUICKLY)

    assert monotonic() - began < 60
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 400 * 1024  # KiB


async def test_the_loop_goes_on_while_an_archive_is_read(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE["empty parts"]())
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await trio.sleep(0.01)
            beats += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(beat)
        with pytest.raises(UploadError):
            await examine(tmp_path / "archive", Limits(), limits=QUICKLY)
        nursery.cancel_scope.cancel()

    assert beats > 10  # in more than a second of the other process


async def test_a_process_that_reads_for_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE["empty parts"]())

    with pytest.raises(UploadError, match="reading it takes more than 1 s of processor time"):
        await examine(tmp_path / "archive", Limits(), limits=ExaminationLimits(cpu_s=1))


async def test_a_process_that_waits_for_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE["empty parts"]())

    with pytest.raises(UploadError, match=r"1 s or"):
        await examine(tmp_path / "archive", Limits(), limits=ExaminationLimits(wall_s=1))


async def test_a_process_without_memory_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE["a directory of 100,000 entries"]())
    many = Limits(entries=10**6)

    with pytest.raises(UploadError, match="memory"):
        await examine(tmp_path / "archive", many, limits=ExaminationLimits(memory_mb=64))


async def test_a_server_that_leaves_takes_the_process_along(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(HOSTILE["empty parts"]())
    began = monotonic()

    with trio.move_on_after(0.5) as scope:
        await examine(tmp_path / "archive", Limits())

    assert scope.cancelled_caught
    assert monotonic() - began < 30


async def test_what_this_machine_cannot_do_refuses_nobody(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(gzip.compress(real_tar(Random(1))))

    with pytest.raises(RunError, match="cannot be read"):
        await examine(tmp_path / "archive", Limits(), Path("/proc/no/such/folder"))


def checked(archive: bytes, folder: Path | None) -> Unpacked | str:
    """The contents, or the sentence of the refusal."""
    try:
        if folder is None:
            return check(io.BytesIO(archive), SMALL)
        return unpack(io.BytesIO(archive), folder, SMALL)
    except UploadError as error:
        return str(error)


def told(found: Unpacked | str) -> object:
    """What is to be alike, whether or not the files are written."""
    if isinstance(found, str):
        return found
    notes = found.notes.lines()
    return found.manifest, found.files, found.links, found.like_manifest, notes


def test_mutations_of_real_archives_are_read_or_refused(tmp_path: Path) -> None:
    seed = 49
    refused = 0
    for number in range(MUTANTS):
        archive = mutated(Random(f"{seed}/{number}"))
        folder = tmp_path / f"program{number}"

        found = checked(archive, folder)

        assert told(checked(archive, None)) == told(found), number
        assert folder.exists() == (not isinstance(found, str)), number
        refused += isinstance(found, str)
    assert 0 < refused < MUTANTS
    assert {path.name.rstrip("0123456789") for path in tmp_path.iterdir()} == {"program"}


async def test_mutations_of_real_archives_do_not_break_the_process(tmp_path: Path) -> None:
    verdicts: list[str] = []
    free = trio.CapacityLimiter(2)

    async def examined(number: int) -> None:
        path = tmp_path / f"{number}"
        path.write_bytes(mutated(Random(f"process/{number}")))
        async with free:
            try:
                verdicts.append((await examine(path, SMALL)).manifest.name)
            except UploadError as error:
                verdicts.append(str(error))

    async with trio.open_nursery() as nursery:
        for number in range(EXAMINED):
            nursery.start_soon(examined, number)

    assert len(verdicts) == EXAMINED


def test_the_manifest_is_read_where_a_single_folder_is_left_out(tmp_path: Path) -> None:
    packed = gzip.compress(with_content("fish/polynya.toml", MANIFEST) + bytes(1024))

    for folder in (None, tmp_path / "program"):
        found = checked(packed, folder)
        assert isinstance(found, Unpacked), found
        assert found.manifest == MANIFEST
