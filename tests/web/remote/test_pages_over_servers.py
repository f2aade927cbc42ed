"""Pages in a process of their own, over a database into which servers in other processes play."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.folders import ROOT
from tests.postgresql import PostgreSQL
from tests.recorded_matches import launcher
from tests.served import Serving, serving
from tests.web.test_commands import fetched, started

from polynya_common.database_address import DatabaseAddress, address_text

PATIENCE_S = 120
GATED_BOT = ROOT / "tests" / "web" / "gated_bot.py"


@pytest.fixture(params=["file", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> DatabaseAddress:
    if request.param == "file":
        return tmp_path / "contest.sqlite"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new()


class Ladder:
    """A server, and two bots that each take a turn when they are told to."""

    def __init__(self, server: Serving, bots: list[subprocess.Popen[str]]) -> None:
        self.server = server
        self._bots = bots

    def go_on(self) -> None:
        """Let each bot take one turn."""
        for bot in self._bots:
            assert bot.stdin is not None
            bot.stdin.write("\n")
            bot.stdin.flush()


@contextmanager
def ladder(database: DatabaseAddress, game: str = "packeis", *words: str) -> Iterator[Ladder]:
    words = ("--game", game, "--open-registration", "--move", "600000", *words)
    with ExitStack() as stack:
        server = stack.enter_context(serving(launcher(), database, *words))
        bots = [stack.enter_context(gated(server.port, f"{game}-{name}")) for name in "ab"]
        server.read_until("a match begins")
        yield Ladder(server, bots)


@contextmanager
def gated(port: int, name: str) -> Iterator[subprocess.Popen[str]]:
    told = {"POLYNYA_PORT": str(port), "POLYNYA_NAME": name, "POLYNYA_SEED": "7"}
    command = [sys.executable, str(GATED_BOT)]
    with subprocess.Popen(
        command,
        env={**os.environ, **told},
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def web(database: DatabaseAddress) -> Iterator[str]:
    with started("web", "--database", address_text(database), "--port", "0") as address:
        yield address


class Events:
    """The events of an address, one after the other."""

    def __init__(self, answer: httpx2.Response) -> None:
        self._lines = answer.iter_lines()

    def until(self, name: str, match: str | None = None) -> Any:
        """The data of the next event of this name; about a match, if one is named."""
        for line in self._lines:
            if line == f"event: {name}":
                data = json.loads(next(self._lines).removeprefix("data: "))
                if match is None or data["match"] in (match, {"match": match}):
                    return data
        raise AssertionError(f"the events ended without {name}")


@contextmanager
def following(address: str, path: str) -> Iterator[Events]:
    with httpx2.stream("GET", address + path, timeout=PATIENCE_S) as answer:
        assert answer.status_code == 200, answer.read()
        yield Events(answer)


def until_unlisted(address: str, port: int) -> None:
    """Ask for the page until the server is not on it: the pages look every two seconds."""
    end_s = time.monotonic() + PATIENCE_S
    while str(port) in fetched(address, "/live").text:
        assert time.monotonic() < end_s


def test_pages_show_a_match_of_another_process_live(database: DatabaseAddress) -> None:
    with ladder(database) as playing, web(database) as address:
        assert f"127.0.0.1:{playing.server.port}" in fetched(address, "/live").text
        with following(address, "/api/v1/live") as listed:
            [shown] = listed.until("matches")
        assert [seat["name"] for seat in shown["match"]["seats"]] == ["packeis-a", "packeis-b"]
        match = shown["match"]["match"]
        with following(address, f"/api/v1/live/{match}") as events:
            replay = events.until("replay")
            assert (len(replay["frames"]), replay["turns"]) == (1, [])
            playing.go_on()
            turn = events.until("turn")
            assert (turn["turn"]["turn"], turn["turn"]["queued_us"]) == (1, None)
            assert turn["frames"][0]["state"] != replay["frames"][0]["state"]
            playing.server.stop()
            over = events.until("over")
        assert (over["match"]["in_play"], over["match"]["reason"]) == (False, "aborted")
        until_unlisted(address, playing.server.port)


def test_television_and_boards_show_matches_of_other_processes(
    database: DatabaseAddress,
) -> None:
    with ladder(database) as playing, web(database) as address:
        with following(address, "/api/v1/live") as listed:
            [shown] = listed.until("matches")
            before = shown["board"]["state"]
            playing.go_on()
            turn = listed.until("turn")
            while turn["board"] is None or turn["turn"] < 2:  # a board is sent once a second
                turn = listed.until("turn")
        assert turn["board"]["state"] != before
        with following(address, "/api/v1/tv") as events:
            assert events.until("featured") == {"match": shown["match"]["match"]}
            events.until("replay")
            playing.go_on()
            assert events.until("turn")["turn"]["turn"] == 3
            playing.server.stop()
            events.until("over")
            assert events.until("waiting")["next_s"] is not None


def test_pages_that_come_later_show_the_position_as_it_is(database: DatabaseAddress) -> None:
    path = "/api/v1/live/ladder-1"
    with ladder(database) as playing:
        with web(database) as address, following(address, path) as events:
            events.until("replay")
            playing.go_on()
            last = [events.until("turn") for _ in "ab"][-1]
        with web(database) as address, following(address, path) as events:
            replay = events.until("replay")
    assert [frame["state"] for frame in replay["frames"]] == [last["frames"][-1]["state"]]


def test_killing_one_server_leaves_the_pages_of_the_other_alone(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    with ladder(url) as killed, ladder(url, "arktia") as other, web(url) as address:
        with following(address, "/api/v1/live") as listed:
            shown = {one["match"]["game"]: one["match"]["match"] for one in _two(listed)}
            with (
                following(address, f"/api/v1/live/{shown['packeis']}") as of_killed,
                following(address, f"/api/v1/live/{shown['arktia']}") as of_other,
            ):
                of_killed.until("replay")
                of_other.until("replay")
                killed.server.process.send_signal(signal.SIGKILL)
                killed.server.process.wait(PATIENCE_S)
                other.go_on()
                assert [of_other.until("turn")["turn"]["turn"] for _ in "ab"] == [1, 2]
                with serving(launcher(), url, "--game", "packeis"):  # takes over
                    over = of_killed.until("over")
                assert (over["match"]["reason"], over["match"]["in_play"]) == ("aborted", False)
                other.go_on()
                assert [of_other.until("turn")["turn"]["turn"] for _ in "ab"] == [3, 4]
        page = fetched(address, f"/matches/{shown['packeis']}").text
        assert "the server was stopped before the match had ended" in page


def _two(listed: Events) -> list[Any]:
    matches = listed.until("matches")
    while len(matches) < 2:
        matches.append(listed.until("begun"))
    return list(matches)


def test_server_that_misses_its_heartbeats_leaves_the_list(database: DatabaseAddress) -> None:
    with ladder(database) as killed, web(database) as address:
        with following(address, "/api/v1/live") as listed:
            [shown] = listed.until("matches")
            killed.server.process.send_signal(signal.SIGKILL)
            listed.until("over", shown["match"]["match"])
        until_unlisted(address, killed.server.port)


def test_advertised_address_is_the_one_that_pages_use(database: DatabaseAddress) -> None:
    words = ("--advertise", "localhost")
    with ladder(database, "packeis", *words) as playing, web(database) as address:
        assert f"localhost:{playing.server.port}" in fetched(address, "/live").text
        with following(address, "/api/v1/live/ladder-1") as events:
            events.until("replay")


def test_unreachable_server_leaves_the_matches_as_the_database_lists_them(
    database: DatabaseAddress,
) -> None:
    with ladder(database, "packeis", "--advertise", "localhost:1"), web(database) as address:
        answer = fetched(address, "/api/v1/live/ladder-1")
        assert (answer.status_code, list(answer.json())) == (404, ["error", "error_cause"])
        page = fetched(address, "/live").text
    assert "ladder-1" in page
    assert "live.js" not in page
