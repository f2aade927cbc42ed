"""``polynya upload``, against the pages of a server over a real socket."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import trio
from tests.recorded_matches import launcher
from tests.tournaments.uploads.upload_contest import contest, pages, registering_pages
from tests.web.browsing import in_a_thread

from polynya_hosting.kits.templates import write_kit
from polynya_server import MemoryJournal, ServerSettings, hash_token, open_server
from polynya_store import Store
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.upload_client import UploadClient

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


def test_a_folder_is_uploaded(upload: Upload, store: Store) -> None:
    done = upload("fish", **OWNER)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("fish@0.1 has ")
    assert [one.label for one in store.uploads.undecided()] == ["fish@0.1"]


def test_an_archive_is_uploaded_with_the_token_in_a_file(
    upload: Upload, store: Store, tmp_path: Path
) -> None:
    subprocess.run(["tar", "czf", "fish.tar.gz", "fish"], cwd=tmp_path, check=True)
    (tmp_path / "token").write_text("right\n")

    done = upload("fish.tar.gz", POLYNYA_TOKEN_FILE=str(tmp_path / "token"))

    assert done.returncode == 0, done.stderr
    assert [one.label for one in store.uploads.undecided()] == ["fish@0.1"]


def test_folders_that_are_left_out_are_told(upload: Upload, tmp_path: Path) -> None:
    for name in ("build", ".git", "target"):
        (tmp_path / "fish" / name).mkdir()

    done = upload("fish", **OWNER)

    assert done.stdout.splitlines()[:2] == [
        "left out, because no program needs it: .git",
        "left out, because the server builds it: build, target",
    ], done.stderr


@pytest.mark.parametrize("build", ["[]", "['build/bot --generate']"])
def test_program_that_runs_what_is_left_out_is_not_sent(
    build: str, upload: Upload, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "fish" / "build").mkdir()
    (tmp_path / "fish" / "build" / "bot").write_bytes(b"")
    manifest = tmp_path / "fish" / "polynya.toml"
    kept = [
        line for line in manifest.read_text().splitlines() if line[:5] not in ("run =", "build")
    ]
    manifest.write_text("\n".join([*kept, "run = './build/bot'", f"build = {build}"]))

    done = upload("fish", **OWNER)

    assert (done.returncode, store.uploads.all()) == (1, [])
    assert "names build/bot, and polynya upload leaves out build: let build make" in done.stderr


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


def test_new_name_is_registered_and_its_token_kept_for_the_next_upload(
    store: Store, tmp_path: Path
) -> None:
    write_kit("python", "packeis", tmp_path / "cod")
    opening = partial(registering_pages, store, tmp_path / "uploads", open_registration=True)
    with in_a_thread(opening) as address:

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            without = {k: v for k, v in os.environ.items() if not k.startswith("POLYNYA_TOKEN")}
            return subprocess.run(
                [*launcher(), *words, "--server", address],
                cwd=tmp_path,
                env=without | {"XDG_STATE_HOME": str(tmp_path / "state")},
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )

        first = run("upload", "cod", "--no-wait")
        (upload,) = store.uploads.undecided()
        store.uploads.accept(upload.number, "built")
        used = run("uploads", "use", "cod@0.1")
        foreign = run("uploads", "use", "fish@0.1")
        removed = run("uploads", "remove", "cod@0.1")

    (kept,) = (tmp_path / "state" / "polynya" / "tokens").iterdir()
    assert f"cod is registered now; its token is in {kept}" in first.stdout, first.stderr
    assert kept.stat().st_mode & 0o777 == 0o600
    assert store.bots.token_hash("cod") == hash_token(kept.read_text().strip())
    assert (used.returncode, used.stdout) == (0, "cod@0.1 plays from now on\n"), used.stderr
    assert (foreign.returncode, "there is no token of fish in " in foreign.stderr) == (2, True)
    assert (removed.returncode, removed.stdout) == (0, "cod@0.1 is removed\n"), removed.stderr
    assert store.uploads.get(upload.number).state == "removed"


def test_refusal_of_a_large_archive_reaches_its_author(store: Store, tmp_path: Path) -> None:
    with in_a_thread(partial(pages, store, tmp_path / "uploads")) as address:
        client = UploadClient(address, "fish", "wrong")
        with pytest.raises(UploadError, match="this is not the token of fish"):
            client.send(bytes(30 * 2**20))


async def test_an_upload_to_the_port_of_the_bots_names_the_port_of_the_pages() -> None:
    async with open_server(ServerSettings(), MemoryJournal()) as server:
        address = f"http://127.0.0.1:{server.port}"
        client = UploadClient(address, "fish", "token")
        with pytest.raises(UploadError, match="--server takes the address of the pages") as told:
            await trio.to_thread.run_sync(client.send, b"archive")
    assert str(told.value).isprintable()
