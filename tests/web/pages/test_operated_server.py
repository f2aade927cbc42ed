"""``polynya serve`` with web pages, operated by its host: over the command line and over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import trio
from tests.recorded_matches import launcher
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store, open_journal

PATIENCE_S = 120
PAGES = "web pages on "

CUP = """
name = "cup"
game = "packeis"
clock = { initial_ms = 600_000 }
start_ms = 60_000
bots = [{ name = "ann", builtin = "random" }, { name = "bob", builtin = "random" }]
"""


@dataclass
class Served:
    """A server that runs: the address of its pages, and all that it said before."""

    address: str
    said: str


@contextmanager
def served(database: Path, *words: str) -> Iterator[Served]:
    """Run the command; it must end in order after Ctrl-C."""
    command = [*launcher(), "serve", "--port", "0", "--web-port", "0"]
    command += ["--pace-ms", "0", *words]
    command += ["--database", str(database)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = []
            for line in process.stderr:
                said.append(line)
                if line.startswith(PAGES):
                    break
            assert said[-1].startswith(PAGES), said
            yield Served(said[-1].removeprefix(PAGES).strip(), "".join(said))
            process.send_signal(signal.SIGINT)
            _, rest = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, rest
        finally:
            process.kill()


def token_in(said: str) -> str | None:
    found = re.search(r"token of the operator, .*: (\S+)\n", said)
    return found[1] if found else None


@contextmanager
def logged_in(server: Served, token: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(
        base_url=server.address, timeout=PATIENCE_S, follow_redirects=True
    ) as client:
        assert "Log out" in client.post("/operator/login", data={"token": token}).text
        yield client


def do(client: httpx2.Client, what: str, action: str, **fields: str) -> str:
    """What the operator's page says after an action."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/operator").text)
    assert found is not None
    form = {"csrf": found[1], "action": action, **fields}
    return client.post(f"/operator/{what}", data=form).text


def test_token_is_created_and_shown_at_the_first_start_only(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    with served(database) as first:
        token = token_in(first.said)
        assert token is not None
        with logged_in(first, token):
            pass
    with served(database) as second:
        assert token_in(second.said) is None
        with logged_in(second, token):
            pass
    assert token.encode() not in database.read_bytes()


def test_a_token_is_shown_only_when_the_pages_are_there(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [*launcher(), "serve", "--port", "0", "--web-port", port]
        refused = subprocess.run(
            [*command, "--database", str(database)],
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert f"cannot serve web pages on 127.0.0.1:{port}" in refused.stderr
    assert token_in(refused.stderr) is None
    with served(database) as server, logged_in(server, token_in(server.said) or ""):
        pass


def test_a_token_from_a_file_opens_the_pages(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("the-operators-own-token\n")
    with served(tmp_path / "ladder.sqlite", "--operator-token-file", str(file)) as server:
        assert token_in(server.said) is None
        with logged_in(server, "the-operators-own-token") as client:
            page = client.get("/operator").text
    assert "operator.token_file" in page
    assert "None" not in page
    assert "the-operators-own-token" not in page


def test_operator_annuls_matches_while_the_server_runs(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"

    async def play() -> None:
        setup = setup_of("ladder-1", "ann", "bob")
        with Store.open(database, for_play=True) as store:
            async with open_journal(store) as journal:
                await journal.begin(Attempt(setup, RatingSettings()))
                await journal.finish(record_of(setup, [1, 2]))

    trio.run(play)
    with (
        served(database) as server,
        logged_in(server, token_in(server.said) or "") as client,
    ):
        query = {"name": "bob", "since": "1970-01-01T00:00"}
        preview = client.get("/operator/bots/annul", params=query).text
        assert ">Annul 1 match</button>" in preview
        assert "1 match of bob is annulled" in do(client, "bots", "annul", why="lag", **query)
        assert "lag" in client.get("/matches/ladder-1").text
    with Store.open(database) as store:
        assert (store.ratings.find(), store.ratings.differences()) == ([], [])
        assert [(str(one.who), one.why) for one in store.interventions.all()] == [
            ("the operator", "lag")
        ]


def test_a_tournament_is_played_beside_the_ladder(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    database = tmp_path / "ladder.sqlite"
    with (
        served(database, "--tournaments", str(tmp_path)) as server,
        logged_in(server, token_in(server.said) or "") as client,
    ):
        assert "cup is started." in do(client, "tournaments", "start", file="cup.toml")
        deadline = time.monotonic() + PATIENCE_S
        while "cup: complete" not in client.get("/operator").text:
            assert time.monotonic() < deadline
    with Store.open(database) as store:
        assert store.tournaments.standings("cup").complete


def gated_cup(folder: Path) -> int:
    """The cup with a bot that plays a turn for each line that is written to what is returned."""
    fifo = folder / "turns"
    os.mkfifo(fifo)
    bot = Path(__file__).parents[1] / "gated_bot.py"
    command = json.dumps(["sh", "-c", f"exec '{sys.executable}' '{bot}' < '{fifo}'"])
    gated = CUP.replace('name = "ann", builtin = "random"', f'name = "ann", command = {command}')
    # One process: two would read each other's lines.
    (folder / "cup.toml").write_text(f"concurrency = 1\n{gated}")
    return os.open(fifo, os.O_RDWR)  # so that neither end waits for the other


def events(client: httpx2.Client, path: str) -> Iterator[tuple[str, Any]]:
    """What a stream of events says, one after the other."""
    kind = ""
    with client.stream("GET", path) as answer:
        for line in answer.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))


def begun(listed: Iterator[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    """The matches that are, or come, onto the list of those in play."""
    for kind, data in listed:
        if kind in ("matches", "begun"):
            yield from (one["match"] for one in (data if kind == "matches" else [data]))


def test_a_tournament_beside_the_ladder_is_shown_live(tmp_path: Path) -> None:
    turns = gated_cup(tmp_path)
    with (
        served(tmp_path / "ladder.sqlite", "--tournaments", str(tmp_path)) as server,
        logged_in(server, token_in(server.said) or "") as client,
    ):
        do(client, "tournaments", "start", file="cup.toml")
        listed = next(begun(events(client, "/api/v1/live")))
        assert listed["tournament"] == "cup"
        assert 'class="tag live"' in client.get(f"/matches/{listed['match']}").text
        seen = events(client, f"/api/v1/live/{listed['match']}")
        kind, replay = next(seen)
        assert (kind, replay["match"]["match"]) == ("replay", listed["match"])
        os.write(turns, b"\n" * 2)
        turn = next(data["turn"] for kind, data in seen if kind == "turn")
        assert turn["turn"] > len(replay["turns"])
        os.write(turns, b"\n" * 1000)
        assert "over" in [kind for kind, _ in seen]
    os.close(turns)


def test_a_tournament_that_is_played_ends_with_the_server(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text("cycles = 400\n" + CUP)
    database = tmp_path / "ladder.sqlite"
    with (
        served(database, "--tournaments", str(tmp_path)) as server,
        logged_in(server, token_in(server.said) or "") as client,
    ):
        do(client, "tournaments", "start", file="cup.toml")
    with Store.open(database) as store:
        assert [row.reason for row in store.matches.find() if row.reason is None] == []
