"""Folders that builds have filled: measured, made ours and removed, whatever is in them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import trio
from tests.tournaments.hostile_uploads.hostile_trees import (
    KINDS,
    MANIFESTS,
    hostile_tree,
    long_file,
    nested,
)

from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.settling import digest, settle
from polynya_tournaments.uploads.examination.verdicts import settle_build
from polynya_tournaments.uploads.foreign_trees import (
    TreeBounds,
    TreeTooLargeError,
    measured,
    remove_tree,
    size_up_to,
    walk,
)
from polynya_tournaments.uploads.upload_folder import UploadFolder

TREES = 60
SMALL = TreeBounds(bytes=10**6, entries=200, depth=20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    return made


def test_folders_in_each_other_are_counted_up_to_a_bound(folder: Path) -> None:
    nested(folder, 1_500)

    with pytest.raises(TreeTooLargeError, match="made more than 100 folders in each other"):
        measured(folder, TreeBounds())


def test_their_size_is_known_up_to_a_bound(folder: Path) -> None:
    (folder / "file").write_bytes(bytes(5_000))
    nested(folder, 1_500)

    assert size_up_to(folder, TreeBounds()) >= 5_000


def test_a_file_counts_as_long_as_it_says(folder: Path) -> None:
    long_file(folder)

    with pytest.raises(TreeTooLargeError, match="filled its folder with more than 2,048 MiB"):
        measured(folder, TreeBounds())


def test_a_file_of_two_names_counts_once(folder: Path) -> None:
    (folder / "one").write_bytes(bytes(600_000))
    os.link(folder / "one", folder / "two")

    assert measured(folder, SMALL).bytes < 700_000


def test_links_are_not_followed(folder: Path) -> None:
    (folder / "root").symlink_to("/")

    assert [found.name for found in walk(folder, 3)] == ["root"]


@pytest.mark.parametrize("levels", [1, 1_500])
def test_folders_in_each_other_are_removed(levels: int, folder: Path) -> None:
    nested(folder, levels)

    remove_tree(folder)

    assert not folder.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_folder_is_removed_and_nothing_else(kind: str, folder: Path) -> None:
    beside = folder.with_name("beside")
    beside.mkdir()
    (folder / "beside").symlink_to(beside)
    (beside / "file").write_bytes(b"x")
    KINDS[kind](folder)

    remove_tree(folder)

    assert [path.name for path in folder.parent.iterdir()] == ["beside"]
    assert (beside / "file").read_bytes() == b"x"


def test_a_link_in_place_of_a_folder_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "own")

    remove_tree(tmp_path / "link")

    assert (tmp_path / "own").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_closed_folders_are_removed_by_an_ordinary_user() -> None:
    code = (
        "import os, pathlib, sys; sys.path[:] = eval(sys.argv[2])\n"
        "from tests.tournaments.hostile_uploads.hostile_trees import unreadable\n"
        "from polynya_tournaments.uploads.foreign_trees import TreeBounds, measured, remove_tree\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "home = pathlib.Path(sys.argv[1]); folder = home / 'program'; folder.mkdir()\n"
        "unreadable(folder)\n"
        "assert measured(folder, TreeBounds()).entries == 3\n"
        "unreadable(folder / 'closed' / 'inner')\n"
        "remove_tree(folder)\n"
    )
    home = Path("/tmp") / f"polynya-{os.getpid()}"  # noqa: S108 - others cannot enter pytest's
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    try:
        subprocess.run([sys.executable, "-c", code, str(home), repr(sys.path)], check=True)
        assert list(home.iterdir()) == []
    finally:
        remove_tree(home)


def test_what_is_settled_is_ours_and_nothing_else_than_files(folder: Path) -> None:
    for kind in ("pipe", "socket", "closed folder", "odd names", "links", "setuid"):
        KINDS[kind](folder)

    settle(folder, SMALL)

    for found in walk(folder, 20):
        mode = found.status.st_mode
        assert stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
        assert found.status.st_uid == os.geteuid()
        assert stat.S_ISLNK(mode) or stat.S_IMODE(mode) in (0o644, 0o755)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("nested", "its build made more than 20 folders in each other"),
        ("long file", "its build filled its folder with more than 0 MiB"),
        ("many", "its build made more than 200 files"),
    ],
)
async def test_a_build_that_leaves_too_much_is_refused(
    kind: str, sentence: str, folder: Path
) -> None:
    KINDS[kind](folder)

    with pytest.raises(UploadError, match=sentence):
        await settle_build(folder, SMALL)


@pytest.mark.parametrize("kind", MANIFESTS)
async def test_a_manifest_that_is_not_as_it_was_is_refused_at_once(kind: str, folder: Path) -> None:
    MANIFESTS[kind](folder / "polynya.toml")

    with trio.fail_after(30), pytest.raises(UploadError, match=r"its build changes polynya\.toml"):
        await settle_build(folder, TreeBounds(bytes=2**50), digest(b"name = 'fish'"))


async def test_a_manifest_that_is_as_it_was_is_good(folder: Path) -> None:
    (folder / "polynya.toml").write_bytes(b"name = 'fish'")

    assert await settle_build(folder, SMALL, digest(b"name = 'fish'")) >= 13


def test_a_server_starts_beside_what_a_killed_one_has_left(tmp_path: Path) -> None:
    uploads = UploadFolder(tmp_path / "uploads")
    uploads.prepare()
    for place in (uploads.program("abc-1"), tmp_path / "uploads" / "unfinished" / "x"):
        place.mkdir()
        nested(place, 1_500)

    uploads.prepare()

    assert list((tmp_path / "uploads" / "unfinished").iterdir()) == []
    assert uploads.programs() == ["abc-1"]
    assert uploads.program_bytes("abc-1") == 0
    uploads.remove_program("abc-1")
    assert uploads.programs() == []


def test_random_trees_are_measured_settled_and_removed(tmp_path: Path) -> None:
    for number in range(TREES):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        hostile_tree(folder, Random(f"tree/{number}"))

        try:
            size = measured(folder, SMALL)
        except TreeTooLargeError as error:
            with pytest.raises(UploadError, match=str(error)):
                settle(folder, SMALL)
        else:
            assert settle(folder, SMALL) == size, number
        remove_tree(folder)

        assert not folder.exists(), number
