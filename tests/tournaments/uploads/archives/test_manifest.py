"""``polynya.toml``: what it may say, and the sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from polynya_hosting.kits.templates import KITS, write_kit
from polynya_tournaments.uploads.archives.manifest import read_manifest, refuse_unknown_games
from polynya_tournaments.uploads.errors import UploadError

GOOD = """
name = "deep_fish"
version = "1.2"
language = "C++"
build = ["cmake -B build", "cmake --build build"]
run = "build/bot --depth '3 or 4'"
games = ["packeis", "arktia"]
"""


def test_commands_are_split_into_words(tmp_path: Path) -> None:
    (tmp_path / "polynya.toml").write_text(GOOD)

    manifest = read_manifest(tmp_path)

    assert manifest.build_commands == [["cmake", "-B", "build"], ["cmake", "--build", "build"]]
    assert manifest.run_command == ["build/bot", "--depth", "3 or 4"]


def test_adapt_needs_no_command_of_its_own_in_a_sandbox(tmp_path: Path) -> None:
    run = "polynya adapt gtp -- /usr/games/gnugo --mode gtp"
    (tmp_path / "polynya.toml").write_text(GOOD.replace("build/bot --depth '3 or 4'", run))

    assert read_manifest(tmp_path).run_command == [
        *("python3", "-m", "polynya_foreign.adapters"),
        *("gtp", "--", "/usr/games/gnugo", "--mode", "gtp"),
    ]


def test_only_the_server_needs_to_have_the_game(tmp_path: Path) -> None:
    (tmp_path / "polynya.toml").write_text(GOOD.replace('"arktia"', '"chess"'))

    manifest = read_manifest(tmp_path)

    assert manifest.games == ("packeis", "chess")
    with pytest.raises(UploadError, match=r"games: .*chess"):
        refuse_unknown_games(manifest)


def test_a_program_may_need_no_build(tmp_path: Path) -> None:
    (tmp_path / "polynya.toml").write_text(GOOD.replace("build = [", "# ["))

    assert read_manifest(tmp_path).build == ()


@pytest.mark.parametrize("language", KITS)
def test_a_starter_kit_has_one(language: str, tmp_path: Path) -> None:
    write_kit(language, "packeis", tmp_path / "my_bot")

    manifest = read_manifest(tmp_path / "my_bot")

    assert (manifest.name, manifest.language) == ("my_bot", language)
    assert manifest.build in (KITS[language].build, KITS[language].hosted_build)
    assert manifest.run in (KITS[language].run, KITS[language].hosted_run)


def test_a_manifest_of_a_hundred_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "polynya.toml").open("wb") as manifest:
        manifest.truncate(100 * 2**20)

    with pytest.raises(UploadError, match=r"polynya\.toml is longer than 65,536 bytes"):
        read_manifest(tmp_path)


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UploadError, match=r"no polynya\.toml at the top of the folder"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("run =", "runs =", r"^polynya.toml: unknown key runs; did you mean run\?"),
        ('run = "build/bot', "# ", "the key run is missing"),
        ('name = "deep_fish"', 'name = "deep fish"', "name: deep fish cannot be a bot's name"),
        ('name = "deep_fish"', 'name = "builtin-x"', "no bot's name begins with"),
        ('version = "1.2"', 'version = ""', "version: use 1 to 32"),
        ('version = "1.2"', "version = 1.2", "version: a text is needed, not 1.2"),
        ('language = "C++"', 'language = "\\u001b[2J"', "language: use 1 to 32"),
        ('["packeis", "arktia"]', "[]", "games: name 1 to 16 games"),
        ('["packeis", "arktia"]', '["packeis", "packeis"]', "games: name 1 to 16 games, each once"),
        ("'3 or 4'", "'3 or 4", "run: No closing quotation"),
        ('"cmake -B build"', '""', r"build\[0\]: it is empty"),
        ('"cmake -B build"', '"a\\u0007"', r"build\[0\]: it has a control character"),
        ('["cmake -B build", "cmake --build build"]', '"make"', "build: a list is needed"),
        ("name =", "name ==", "polynya.toml: is not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_key(
    before: str, after: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "polynya.toml").write_text(GOOD.replace(before, after))

    with pytest.raises(UploadError, match=sentence):
        read_manifest(tmp_path)
