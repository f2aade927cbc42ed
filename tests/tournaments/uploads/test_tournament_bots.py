"""Uploaded bots in a tournament: what is started for them, and what is said of mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes

from polynya_tournaments.bots.templates import write_kit
from polynya_tournaments.config.validation import load_configuration
from polynya_tournaments.errors import ConfigurationError
from polynya_tournaments.store import Store
from polynya_tournaments.tournament.runner import run_tournament
from polynya_tournaments.uploads.packing import pack
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.tournament_bots import with_uploads
from polynya_tournaments.uploads.unpacking import Limits, unpack
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
        write_kit("python", "packeis", tmp_path / "fish")
        archive = BytesIO(pack(tmp_path / "fish", Limits()))
        folder = UploadFolder(tmp_path / "uploads")
        upload = Reception(opened, folder, Limits()).receive("fish", archive)
        unpack(archive, folder.program("built"), Limits())
        opened.uploads.accept(upload.number, "built")
        yield opened


def described(folder: Path, text: str = DESCRIPTION) -> Path:
    path = folder / "cup.toml"
    path.write_text(text)
    return path


async def test_an_uploaded_bot_plays_in_a_sandbox(store: Store, tmp_path: Path) -> None:
    require_sandboxes()
    configuration = with_uploads(load_configuration(described(tmp_path)), store)

    standings = await run_tournament(configuration, store)

    assert standings.complete
    assert {row.name: row.forfeits for row in standings.rows} == {"handed-in": 0, "greedy": 0}


def test_a_description_without_uploads_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    text = DESCRIPTION.replace('upload = "fish@0.1"', 'builtin = "random"')
    configuration = load_configuration(described(tmp_path, text))

    assert with_uploads(configuration, store) == configuration


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("fish@0.1", "fish@0.2", r"bots\[0\].upload: there is no accepted version 0.2 of fish"),
        ("fish@0.1", "cod@0.1", r"bots\[0\].upload: there is no accepted version 0.1 of cod"),
        ("fish@0.1", "fish", r"bots\[0\].upload: write it as NAME@VERSION, not 'fish'"),
        ('uploads = "uploads"', "", "uploads: a bot has upload, so name the folder"),
        ('builtin = "greedy"', 'builtin = "greedy"\nupload = "a@1"', "give exactly one of command"),
    ],
)
def test_a_mistake_is_said(
    before: str, after: str, sentence: str, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        with_uploads(
            load_configuration(described(tmp_path, DESCRIPTION.replace(before, after))), store
        )
