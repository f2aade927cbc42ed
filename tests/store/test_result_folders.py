"""Where results are kept that the database does not take, and whether they last there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polynya_common.database_address import DatabaseUrl
from polynya_store.writer.result_folders import fleeting_system, result_folders, result_place

URL = DatabaseUrl("postgresql://polynya@db.example/contest")
MEMORY = Path("/dev/shm")  # noqa: S108 - a tmpfs on every Linux
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="mounts are read from /proc")
CONTAINER = """\
600 500 0:50 / / ro,relatime - overlay overlay rw,lowerdir=/a
601 600 0:51 / /tmp rw - tmpfs tmpfs rw
602 600 8:1 /volumes/data/_data /data rw - ext4 /dev/sda1 rw
603 600 8:1 /volumes/x /my\\040data rw shared:1 - ext4 /dev/sda1 rw
"""


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/data", ""),
        ("/data/polynya", ""),
        ("/my data/polynya", ""),
        ("/tmp/polynya", "tmpfs"),  # noqa: S108
        ("/nowhere/.local/state", "the container's own layer"),
    ],
)
def test_folder_in_a_container_lasts_only_on_a_volume(folder: str, expected: str) -> None:
    assert fleeting_system(Path(folder), CONTAINER) == expected


@needs_linux
def test_folder_that_lasts_comes_before_one_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(MEMORY))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if fleeting_system(tmp_path):
        pytest.skip("the folder of tests does not last either")
    assert result_folders(URL) == [tmp_path, MEMORY / "polynya"]


def test_database_file_has_its_results_beside_it(tmp_path: Path) -> None:
    place = result_place(tmp_path / "ladder.sqlite")
    assert place.folder == tmp_path


@needs_linux
def test_folder_in_memory_is_named_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(variable, str(MEMORY))
    place = result_place(URL)
    assert (place.folder, place.lasts) == (MEMORY / "polynya", False)
    assert "is on tmpfs and does not last: let XDG_STATE_HOME name a folder" in place.sentence()


def test_no_folder_at_all_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for variable in ("XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path / "file" / "below"))
    place = result_place(URL)
    assert (place.folder, place.lasts) == (None, False)
    assert "would be lost, for no folder can be written" in place.sentence()
