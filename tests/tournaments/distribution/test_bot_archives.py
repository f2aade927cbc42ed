"""A bot that was unpacked on a worker is started as on the coordinator, with the same files."""

from __future__ import annotations

import os
import stat
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_tournaments.distribution.bot_archives import BotArchives, UnpackedBots


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """The folder of a bot, with its program."""
    folder = tmp_path / "bots" / "fish"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("print()")
    return folder


def travelled(
    tmp_path: Path, command: Sequence[str], folder: Path | None = None, **more: str
) -> BotConfiguration:
    """The bot as a worker starts it."""
    for name in ("packed", "empty"):
        (tmp_path / name).mkdir()
    archives = BotArchives(tmp_path / "packed")
    given = None if folder is None else str(folder)
    bot = BotConfiguration(
        name="fish", command=list(command), directory=given, folder=given, environment=more
    )
    archives.add(bot, {})
    portable = archives.bots["fish"]
    unpacked = UnpackedBots(tmp_path / "unpacked")
    if portable.archive is not None:
        unpacked.add(portable.archive, archives.content(portable.archive))
    return unpacked.configuration(portable, tmp_path / "empty")


def directory(bot: BotConfiguration) -> Path:
    assert bot.directory is not None
    return Path(bot.directory)


def below(folder: Path) -> dict[str, object]:
    """All that is in a folder, by path: contents of files, targets of links, None for folders."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else None
        if path.is_dir()
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def test_files_of_a_program_arrive_with_all_names(tmp_path: Path, bot: Path) -> None:
    for name in ("build", "dist", "node_modules/.bin", "target/release", "empty"):
        (bot / name).mkdir(parents=True)
    (bot / "target/release/fish").write_bytes(b"\x7fELF")
    (bot / "node_modules/.bin/tool").symlink_to("../../main.py")
    for odd in (b"a\nb", b"a\\b", b"a\xe9b", "Grüße 日本".encode(), b" ", b"x" * 255):
        (bot / os.fsdecode(odd)).write_bytes(odd)
    found = travelled(tmp_path, ["python3", "main.py"], bot)
    assert below(bot) == below(directory(found))


def test_program_in_the_only_folder_of_its_folder_stays_there(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.py").write_text("print()")
    found = travelled(tmp_path, ["python3", "src/main.py"], folder)
    assert below(folder) == below(directory(found))


def test_files_arrive_without_further_rights(tmp_path: Path, bot: Path) -> None:
    (bot / "main.py").chmod(0o6711)
    (bot / "data").write_text("")
    (bot / "data").chmod(0o600)
    found = directory(travelled(tmp_path, ["python3", "main.py"], bot))
    modes = [stat.S_IMODE((found / name).stat().st_mode) for name in ("main.py", "data")]
    assert modes == [0o755, 0o644]


def test_caches_and_virtual_environments_stay(tmp_path: Path, bot: Path) -> None:
    venv.create(bot / "any-name")
    (bot / "__pycache__").mkdir()
    found = travelled(tmp_path, ["python3", "main.py"], bot)
    assert below(directory(found)) == {"main.py": b"print()"}


def test_command_with_a_file_that_does_not_travel_is_refused(tmp_path: Path, bot: Path) -> None:
    venv.create(bot / "any-name")
    with pytest.raises(ConfigurationError, match=r"fish.*any-name/bin/python.*python3"):
        travelled(tmp_path, ["any-name/bin/python", "main.py"], bot)


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret", "../fish/main.py"])
def test_link_out_of_the_folder_is_refused(tmp_path: Path, bot: Path, target: str) -> None:
    (bot / "link").symlink_to(target)
    with pytest.raises(ConfigurationError, match=rf"fish.*link.*{target}"):
        travelled(tmp_path, ["python3", "main.py"], bot)


def test_pipe_in_the_folder_is_refused(tmp_path: Path, bot: Path) -> None:
    os.mkfifo(bot / "pipe")
    with pytest.raises(ConfigurationError, match=r"fish.*pipe"):
        travelled(tmp_path, ["python3", "main.py"], bot)


def test_paths_into_the_folder_and_the_installation_follow(
    tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bot / "lib").mkdir()
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "bots/fish/main.py", "bots/fish/lib", f"--lib={bot}/lib", "9"]
    found = travelled(tmp_path, words, LIB=f"/usr:{bot}/lib:{bot}-2")
    (there,) = (tmp_path / "unpacked").iterdir()
    lib = f"{there}/lib"
    assert [sys.executable, f"{there}/main.py", lib, f"--lib={lib}", "9"] == found.command
    assert {"LIB": f"/usr:{lib}:{bot}-2"} == found.environment
    assert str(tmp_path / "empty") == found.directory


def test_folder_given_by_a_detour_is_the_folder(tmp_path: Path, bot: Path) -> None:
    found = travelled(tmp_path, ["python3", "main.py"], bot / ".." / "fish")
    assert below(bot) == below(directory(found))
    assert found.folder == found.directory
