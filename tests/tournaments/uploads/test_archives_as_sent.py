"""Archives as authors make them on Macs, on Windows and elsewhere: what is meant is taken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.tournaments.uploads.archivers import APPLE_DOUBLE, finder_zip, mac_tar, windows_zip

from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination import Examined, examine
from polynya_tournaments.uploads.unpacking import Limits

SCRIPT = b"#!/bin/sh\nexec python3 bot.py\n"
UMLAUT = "m\u00e4in.py"


def manifest(run: str = "python3 bot.py", *build: str) -> bytes:
    return (
        'name = "fish"\nversion = "1"\nlanguage = "python"\ngames = ["packeis"]\n'
        f"run = {run!r}\nbuild = {list(build)!r}\n"
    ).encode()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program"


@pytest.fixture
def examined(tmp_path: Path, program: Path) -> Callable[[bytes], object]:
    async def read(content: bytes) -> Examined:
        archive = tmp_path / "archive"
        archive.write_bytes(content)
        return await examine(archive, Limits(), program)

    return read


def names(folder: Path) -> list[str]:
    """The files in a folder and below it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


async def test_finder_zip_of_a_folder_is_taken_without_the_files_of_finder(
    examined: Callable[..., object], program: Path
) -> None:
    content = finder_zip(
        {
            "my_bot/": b"",
            "my_bot/polynya.toml": manifest(),
            "__MACOSX/my_bot/._polynya.toml": APPLE_DOUBLE,
            "my_bot/.DS_Store": b"\0\0\0\1Bud1",
            "my_bot/bot.py": b"",
            f"my_bot/{unicodedata.normalize('NFD', UMLAUT)}": b"",
            "__MACOSX/._my_bot": APPLE_DOUBLE,
        }
    )

    found: Examined = await examined(content)  # type: ignore[misc]

    assert names(program) == ["bot.py", UMLAUT, "polynya.toml"]
    assert found.notes == (
        "left out, because a file manager made it: __MACOSX/my_bot/._polynya.toml, "
        "my_bot/.DS_Store, __MACOSX/._my_bot",
        f"the name is in UTF-8, though the ZIP file does not say so: "
        f"my_bot/{unicodedata.normalize('NFD', UMLAUT)}",
        f"the name has composed letters now (Unicode NFC): my_bot/{UMLAUT}",
    )
