"""The commands that serve web pages, as a host starts and stops them."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
import trio
from tests.recorded_matches import launcher
from tests.web.records import fill, played

from polynya_app.web_pages import pages
from polynya_common.errors import ConfigurationError, RunError
from polynya_server import encode_replay
from polynya_store import Store
from polynya_web.page_sources import PageSources

ANNOUNCED = "web pages on "
PATIENCE_S = 120


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "some.sqlite"
    with Store.open(path, for_play=True) as store:
        trio.run(fill, store)
    return path


@contextmanager
def started(*words: str | Path) -> Iterator[str]:
    """The address of the pages that a command serves; it must end in order after Ctrl-C."""
    command = [*launcher(), *map(str, words)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield address_in(process)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, said
        finally:
            process.kill()


def address_in(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith(ANNOUNCED):
            return line.removeprefix(ANNOUNCED).strip()
    raise AssertionError(f"no pages were announced: {said}")


def fetched(address: str, path: str) -> httpx2.Response:
    return httpx2.get(address + path, timeout=PATIENCE_S, follow_redirects=True)


def test_a_database_is_shown_without_a_game_server(database: Path) -> None:
    with started("web", "--database", database, "--port", "0") as address:
        assert fetched(address, "/").status_code == 200
        assert "packeis-7" in fetched(address, "/matches/packeis-7").text
        assert fetched(address, "/api/v1/matches/packeis-7/frames").status_code == 200


def test_a_replay_file_is_opened_without_a_database(tmp_path: Path) -> None:
    file = tmp_path / "one.replay"
    file.write_bytes(encode_replay(played()))
    with started("replay", "open", file, "--no-browser") as address:
        page, frames = fetched(address, "/"), fetched(address, "/replay/frames").json()
    assert (page.status_code, page.url.path) == (200, "/replay")
    assert frames["match"]["match"] == "packeis-7"


def test_a_standing_server_shows_its_ladder(tmp_path: Path) -> None:
    words: list[str | Path] = ["serve", "--port", "0", "--database", tmp_path / "ladder.sqlite"]
    with started(*words, "--web-port", "0") as address:
        assert fetched(address, "/health").json() == {"status": "ok"}
        assert fetched(address, "/api/v1/matches").json()["matches"] == []


def test_first_bots_play_the_game_of_the_server_unless_another_is_asked_for(tmp_path: Path) -> None:
    words: list[str | Path] = ["serve", "--port", "0", "--database", tmp_path / "ladder.sqlite"]
    with started(*words, "--game", "icecult", "--web-port", "0") as address:
        own = fetched(address, "/connect").text
        other = fetched(address, "/connect?game=arktia").text
    assert ('value="icecult" selected' in own, "python.zip?game=icecult" in own) == (True, True)
    assert 'value="arktia" selected' in other


def test_a_tournament_is_shown_while_it_is_played(tmp_path: Path) -> None:
    description = tmp_path / "cup.toml"
    description.write_text(
        """
        name = "cup"
        game = "packeis"
        players = 2
        seed = 1
        [clock]
        move_ms = 60000
        [[bots]]
        name = "ann"
        external = true
        [[bots]]
        name = "bob"
        external = true
        """,
        encoding="utf-8",
    )
    words = ["tournament", "run", description, "--port", "0", "--web-port", "0"]
    command = [*launcher(), *map(str, words), "--database", str(tmp_path / "cup.sqlite")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = address_in(process)
            names = [
                one["name"] for one in fetched(address, "/api/v1/tournaments").json()["tournaments"]
            ]
        finally:
            process.kill()
    assert names == ["cup"]


def test_settings_of_the_pages_may_stand_in_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "ladder.toml"
    settings.write_text("[server]\nport = 0\n[web]\nport = 0\nhide_info = true\n")
    with started("serve", settings) as address:
        assert fetched(address, "/health").status_code == 200


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"prot": 1}, "unknown key web.prot; did you mean port?"),
        ({"port": 70_000}, "port: 70000 is not in the range 0 to 65535"),
        ({"port": "8080"}, "port"),
    ],
)
async def test_a_setting_that_is_wrong_is_named(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        async with pages(settings, PageSources()):
            pass


async def test_a_port_that_is_taken_is_named() -> None:
    async with pages({"port": 0}, PageSources()) as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(RunError, match="choose another port") as refused:
            async with pages({"port": port}, PageSources()):
                pass
    said = f"cannot serve web pages on 127.0.0.1:{port}: Address already in use: another program"
    assert str(refused.value).startswith(said)
