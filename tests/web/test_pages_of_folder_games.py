"""Pages show matches of a folder's game, and wait for nothing else if its rules do not answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.recorded_matches import launcher

from polynya_foreign.folders import VARIABLE
from polynya_foreign.game_folder import MANIFEST

NIM = ROOT / "examples" / "games" / "nim-process"
SILENT = "import sys\nfor line in sys.stdin: pass\n"
ENDS = "raise SystemExit(3)\n"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one match of the folder's game."""
    folder = tmp_path_factory.mktemp("nim")
    words = ["match", "random", "random", "--game", str(NIM), "--games", "1"]
    subprocess.run(
        [*launcher(), *words, "--move-ms", "60000", "--database", "nim.sqlite"],
        cwd=folder,
        env={**os.environ, VARIABLE: ""},
        timeout=120,
        check=True,
        capture_output=True,
    )
    return folder / "nim.sqlite"


@contextmanager
def pages(database: Path, folders: str) -> Iterator[str]:
    """The address of the pages of a database, with these folders of games."""
    words = ["web", "--database", str(database), "--port", "0"]
    environment = {**os.environ, VARIABLE: folders}
    with subprocess.Popen(
        [*launcher(), *words], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert "web pages on " in line
            yield line.partition("web pages on ")[2].strip()
        finally:
            process.terminate()


def got(address: str) -> tuple[int, bytes]:
    """The status and the content of an address."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 -- ours
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wait_for(address: str) -> None:
    """Wait for an answer until the server ends."""
    with suppress(OSError):
        got(address)


def with_program(folder: Path, program: str, answer_s: float) -> str:
    """The folder of Nim with another program."""
    shutil.copytree(NIM, folder)
    (folder / "nim.py").write_text(program)
    manifest = folder / MANIFEST
    manifest.write_text(f"answer_s = {answer_s}\n{manifest.read_text()}")
    return str(folder)


def match_of(address: str) -> str:
    name: str = json.loads(got(f"{address}/api/v1/matches")[1])["matches"][0]["match"]
    return name


def test_replay_text_and_file_of_a_match_are_served(database: Path) -> None:
    with pages(database, str(NIM)) as address:
        match = match_of(address)
        status, frames = got(f"{address}/api/v1/matches/{match}/frames")
        assert status == 200
        assert json.loads(frames)["frames"][-1]["state"]["position"]["stones"] == 0
        assert got(f"{address}/matches/{match}/text")[0] == 200
        assert got(f"{address}/matches/{match}/html")[0] == 200


@pytest.mark.parametrize(
    ("program", "said"), [(SILENT, b"rules process is silent"), (ENDS, b"rules process ended")]
)
def test_page_says_that_the_rules_give_no_answer(
    database: Path, tmp_path: Path, program: str, said: bytes
) -> None:
    with pages(database, with_program(tmp_path / "nim", program, 0.5)) as address:
        match = match_of(address)
        assert got(f"{address}/matches/{match}")[0] == 200
        for path in (f"api/v1/matches/{match}/frames", f"matches/{match}/html"):
            status, content = got(f"{address}/{path}")
            assert status == 404
            assert said in content
        status, content = got(f"{address}/matches/{match}/text")
        assert status == 404
        assert said in content


def test_page_of_a_game_whose_folder_is_gone_says_so(database: Path) -> None:
    with pages(database, "") as address:
        match = match_of(address)
        status, content = got(f"{address}/api/v1/matches/{match}/frames")
        assert status == 404
        assert b"'nim_process' is installed" in content


def test_no_other_page_waits_for_silent_rules(database: Path, tmp_path: Path) -> None:
    with pages(database, with_program(tmp_path / "nim", SILENT, 600)) as address:
        frames = f"{address}/api/v1/matches/{match_of(address)}/frames"
        asking = [threading.Thread(target=wait_for, args=[frames]) for _ in range(8)]
        for each in asking:
            each.start()
        assert got(f"{address}/")[0] == 200
        assert got(f"{address}/matches")[0] == 200
        assert all(each.is_alive() for each in asking)
    for each in asking:
        each.join(60)
