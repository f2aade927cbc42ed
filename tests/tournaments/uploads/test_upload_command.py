"""``polynya upload``, against the pages of a server over a real socket."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.tournaments.conftest import launcher
from tests.tournaments.uploads.handing_in import contest, pages
from tests.web.browsing import in_a_thread

from polynya_tournaments.bots.templates import write_kit
from polynya_tournaments.store import Store

PATIENCE_S = 120
OWNER = {"POLYNYA_TOKEN": "right"}
Upload = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contest(tmp_path) as opened:
        yield opened


@pytest.fixture
def upload(store: Store, tmp_path: Path) -> Iterator[Upload]:
    """Runs the command with a token in its environment, where it is given one."""
    write_kit("python", "packeis", tmp_path / "fish")
    with in_a_thread(partial(pages, store, tmp_path / "uploads")) as address:

        def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
            without = {k: v for k, v in os.environ.items() if not k.startswith("POLYNYA_TOKEN")}
            return subprocess.run(
                [*launcher(), "upload", *words, "--server", address, "--no-wait"],
                cwd=tmp_path,
                env=without | environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )

        yield run


def test_a_folder_is_handed_in(upload: Upload, store: Store) -> None:
    done = upload("fish", **OWNER)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("fish@0.1 has ")
    assert [one.label for one in store.uploads.undecided()] == ["fish@0.1"]


def test_an_archive_is_handed_in_with_the_token_in_a_file(
    upload: Upload, store: Store, tmp_path: Path
) -> None:
    subprocess.run(["tar", "czf", "fish.tar.gz", "fish"], cwd=tmp_path, check=True)
    (tmp_path / "token").write_text("right\n")

    done = upload("fish.tar.gz", POLYNYA_TOKEN_FILE=str(tmp_path / "token"))

    assert done.returncode == 0, done.stderr
    assert [one.label for one in store.uploads.undecided()] == ["fish@0.1"]


def test_a_program_without_a_manifest_is_not_sent(
    upload: Upload, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "fish" / "polynya.toml").unlink()

    done = upload("fish", **OWNER)

    assert done.returncode == 1
    assert "polynya: fish: there is no polynya.toml at the top of the folder" in done.stderr
    assert store.uploads.all() == []


@pytest.mark.parametrize(
    ("words", "token", "code", "sentence"),
    [
        (["fish"], "", 2, "set POLYNYA_TOKEN to the bot's token"),
        (["fish"], "wrong", 1, "this is not the token of fish"),
        (["fish", "--name", "cod"], "right", 2, "it is fish, and --name is cod"),
        (["nothing"], "right", 1, "nothing cannot be read: No such file or directory"),
    ],
)
def test_what_stands_in_the_way_is_said(
    words: list[str], token: str, code: int, sentence: str, upload: Upload
) -> None:
    done = upload(*words, POLYNYA_TOKEN=token)

    assert done.returncode == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("server", "code", "sentence"),
    [
        ("http://127.0.0.1:1", 1, "http://127.0.0.1:1 does not answer: "),
        ("contest.example", 2, "--server: contest.example is no address of web pages"),
        ("file:///etc", 2, "--server: file:///etc is no address of web pages"),
    ],
)
def test_an_address_without_a_server_is_said(
    server: str, code: int, sentence: str, tmp_path: Path
) -> None:
    write_kit("python", "packeis", tmp_path / "fish")

    done = subprocess.run(
        [*launcher(), "upload", "fish", "--server", server],
        cwd=tmp_path,
        env=os.environ | OWNER,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, sentence in done.stderr) == (code, True), done.stderr
