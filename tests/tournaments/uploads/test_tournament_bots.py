"""Uploaded bots in a tournament: what is started for them, and what is said of mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require_sandboxes

from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_hosting.kits.templates import write_kit
from polynya_store import Store
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.tournament.freeze import fingerprint
from polynya_tournaments.tournament.runner import run_tournament
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits, unpack
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.tournament_bots import with_uploads
from polynya_tournaments.uploads.upload_folder import UploadFolder

DESCRIPTION = """
name = "cup"
game = "packeis"
uploads = "uploads"
database = "contest.sqlite"
clock = { move_ms = 5000 }

[[bots]]
name = "handed-in"
upload = "fish@0.1"

[[bots]]
name = "greedy"
builtin = "greedy"
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with an accepted version of the Python starter kit's bot."""
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        upload = received(opened, tmp_path)
        unpacked(tmp_path, "built")
        opened.uploads.accept(upload.number, "built")
        yield opened


def archive(folder: Path, version: str = "0.1") -> BytesIO:
    if not (folder / "fish").exists():
        write_kit("python", "packeis", folder / "fish")
    manifest = folder / "fish" / "polynya.toml"
    text = re.sub(r"(?m)^version = .*$", f'version = "{version}"', manifest.read_text())
    manifest.write_text(text)
    return BytesIO(pack(folder / "fish", Limits()))


def received(store: Store, folder: Path, version: str = "0.1") -> Upload:
    reception = Reception(store, UploadFolder(folder / "uploads"), Limits())
    return trio.run(reception.receive, "fish", archive(folder, version))


def unpacked(folder: Path, program: str) -> None:
    unpack(archive(folder), UploadFolder(folder / "uploads").program(program), Limits())


def described(folder: Path, text: str = DESCRIPTION) -> Path:
    path = folder / "cup.toml"
    path.write_text(text)
    return path


async def test_an_uploaded_bot_plays_in_a_sandbox(store: Store, tmp_path: Path) -> None:
    require_sandboxes()
    with ExitStack() as held:
        configuration = with_uploads(load_configuration(described(tmp_path)), store, held)
        standings = await run_tournament(configuration, store)

    assert standings.complete
    assert {row.name: row.forfeits for row in standings.rows} == {"handed-in": 0, "greedy": 0}
    versions = {row.version for row in store.ratings.versions(bot="handed-in")}
    assert versions == {"0.1"}
    (upload,) = store.uploads.all()
    assert list(store.uploads.tournaments_of(upload.number)) == ["cup"]


async def test_tournament_keeps_the_version_that_it_began_with(
    store: Store, tmp_path: Path
) -> None:
    require_sandboxes()
    text = DESCRIPTION.replace("fish@0.1", "fish")
    with ExitStack() as held:
        configuration = with_uploads(load_configuration(described(tmp_path, text)), store, held)
        assert configuration.bots[0].upload == "fish@0.1"
        await run_tournament(configuration, store)
        later = await Reception(store, UploadFolder(tmp_path / "uploads"), Limits()).receive(
            "fish", archive(tmp_path, "0.2")
        )
        unpacked(tmp_path, "built2")
        store.uploads.accept(later.number, "built2")
        again = with_uploads(load_configuration(described(tmp_path, text)), store, held)
        assert again.bots[0].upload == "fish@0.1"
        other = text.replace('name = "cup"', 'name = "next"')
        new = with_uploads(load_configuration(described(tmp_path, other)), store, held)
        assert new.bots[0].upload == "fish@0.2"


def test_a_description_without_uploads_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    text = DESCRIPTION.replace('upload = "fish@0.1"', 'builtin = "random"')
    configuration = load_configuration(described(tmp_path, text))

    assert with_uploads(configuration, store, ExitStack()) == configuration


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("fish@0.1", "fish@0.2", r"bots\[0\].upload: there is no accepted version 0.2 of fish"),
        ("fish@0.1", "cod@0.1", r"bots\[0\].upload: there is no accepted version 0.1 of cod"),
        ("fish@0.1", "cod", r"bots\[0\].upload: there is no accepted version of cod"),
        ("fish@0.1", "fish@", r"bots\[0\].upload: write it as NAME@VERSION, or as NAME for"),
        ('uploads = "uploads"', "", "uploads: a bot has upload, so name the folder"),
        ('builtin = "greedy"', 'builtin = "greedy"\nupload = "a@1"', "give exactly one of command"),
    ],
)
def test_a_mistake_is_said(
    before: str, after: str, sentence: str, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        with_uploads(
            load_configuration(described(tmp_path, DESCRIPTION.replace(before, after))),
            store,
            ExitStack(),
        )


def test_program_that_is_not_kept_is_named(store: Store, tmp_path: Path) -> None:
    store.uploads.accept(received(store, tmp_path, version="0.2").number, "newer")
    (older,) = store.uploads.of_bot("fish", "0.1")
    store.uploads.forget_program(older.number)

    with pytest.raises(ConfigurationError, match=r"'polynya uploads rebuild fish@0\.1' builds it"):
        with_uploads(load_configuration(described(tmp_path)), store, ExitStack())


def test_program_of_a_tournament_is_in_use(store: Store, tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    with ExitStack() as held:
        with_uploads(load_configuration(described(tmp_path)), store, held)
        with folder.unused("built") as unused:
            assert not unused

    with folder.unused("built") as unused:
        assert unused


def test_another_version_after_the_close_is_not_the_same_bot(store: Store, tmp_path: Path) -> None:
    store.uploads.accept(received(store, tmp_path, version="0.2").number, "newer")
    unpacked(tmp_path, "newer")
    older = with_uploads(load_configuration(described(tmp_path)), store, ExitStack())
    text = DESCRIPTION.replace("fish@0.1", "fish@0.2")
    newer = with_uploads(load_configuration(described(tmp_path, text)), store, ExitStack())

    assert older.bots[0].command == newer.bots[0].command
    assert fingerprint(older.bots[0]) != fingerprint(newer.bots[0])


def test_a_version_that_is_built_again_after_the_close_is_the_same_bot(
    store: Store, tmp_path: Path
) -> None:
    before = with_uploads(load_configuration(described(tmp_path)), store, ExitStack())
    (upload,) = store.uploads.all()
    store.uploads.build_again(upload.number)
    unpacked(tmp_path, "again")
    store.uploads.accept(upload.number, "again")
    after = with_uploads(load_configuration(described(tmp_path)), store, ExitStack())

    assert before.bots[0].directory != after.bots[0].directory
    assert fingerprint(before.bots[0]) == fingerprint(after.bots[0])
