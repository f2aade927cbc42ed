"""A server on standby: it names the server that plays, and takes over when that one is gone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.postgresql import PostgreSQL
from tests.served import Serving, bot, free_ports, serving, started

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl

LADDER = "the ladder of packeis for 2 players"
PATIENCE_S = 120


@pytest.fixture
def url(postgresql: PostgreSQL) -> DatabaseUrl:
    return postgresql.new()


@pytest.fixture
def ports() -> tuple[int, int]:
    first, second = free_ports(2)
    return first, second


@contextmanager
def two_bots(ports: tuple[int, int]) -> Iterator[None]:
    """Bots that know both servers."""
    both = ",".join(f"127.0.0.1:{port}" for port in ports)
    environment = {"POLYNYA_HOST": both, "POLYNYA_RECONNECT": "forever"}
    with bot(ports[0], "ada", **environment), bot(ports[0], "bob", **environment):
        yield


KEPT = "results that the database does not take are kept in"


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line of its log, but for the one that names the folder for results."""
    assert process.stderr is not None
    line = process.stderr.readline()
    return process.stderr.readline() if KEPT in line else line


def check(url: DatabaseUrl, postgresql: PostgreSQL) -> None:
    """No server has written after its session was ended, and all that is recorded is in order."""
    name = url.secret.split("/")[3].split("?")[0]
    [(late,)] = postgresql.execute(
        "SELECT count(*) FROM matches JOIN play_sessions ON session_id = play_sessions.id "
        "WHERE reason = 'finished' AND finished_ms > ended_ms",
        name,
    )
    assert late == 0
    for words in (["ratings", "recompute", "--check"], ["replay", "verify", "--all"]):
        assert run([*words, "--database", url.secret]) == 0


def stop_in_order(server: Serving, _postgresql: PostgreSQL) -> None:
    assert server.stop()[0] == 0


def kill(server: Serving, _postgresql: PostgreSQL) -> None:
    server.process.kill()


def stop_and_cut(server: Serving, postgresql: PostgreSQL) -> None:
    """The machine is away for the network, and thinks that it plays."""
    server.process.send_signal(signal.SIGSTOP)
    postgresql.cut()


def stop(server: Serving, _postgresql: PostgreSQL) -> None:
    """The process stands still, with all of its connections."""
    server.process.send_signal(signal.SIGSTOP)


@pytest.mark.parametrize("end", [stop_in_order, kill, stop_and_cut, stop])
def test_standby_plays_on_with_the_same_bots(
    polynya: list[str],
    url: DatabaseUrl,
    postgresql: PostgreSQL,
    ports: tuple[int, int],
    end: Callable[[Serving, PostgreSQL], None],
) -> None:
    words = ("--move", "60000", "--open-registration")
    with (
        serving(polynya, url, *words, port=ports[0]) as first,
        started(polynya, url, *words, "--standby", port=ports[1]) as process,
        two_bots(ports),
    ):
        waits = line_of(process)
        holder = f"standing by: process {first.process.pid} on {socket.gethostname()}"
        assert waits.startswith(f"{holder} plays {LADDER} (")
        assert re.search(r" since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", waits)
        first.read_until("a match is over")
        end(first, postgresql)
        second = Serving(process)
        second.read_until("a match is over")
        if first.process.poll() is None:
            first.process.send_signal(signal.SIGCONT)
            rest = first.log.read()
            if end in {stop, stop_and_cut}:
                assert "another server has taken over" in rest
                assert first.process.wait(PATIENCE_S) == 1
        second.read_until("a match is over")
        assert second.stop()[0] == 0
    check(url, postgresql)


def test_of_two_on_standby_one_takes_over(
    polynya: list[str], url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    with (
        serving(polynya, url) as first,
        started(polynya, url, "--standby") as second,
        started(polynya, url, "--standby") as third,
    ):
        waiting = {process.pid: process for process in (second, third)}
        for process in waiting.values():
            assert f"process {first.process.pid} on" in line_of(process)
        kill(first, postgresql)
        lines = {number: line_of(process) for number, process in waiting.items()}
        [player] = [number for number, line in lines.items() if line.startswith("listening on")]
        [other] = set(waiting) - {player}
        assert f"standing by: process {player} on" in lines[other]
        waiting[other].send_signal(signal.SIGTERM)
        assert waiting[other].wait(PATIENCE_S) == 0
        assert waiting[player].poll() is None


def test_second_server_without_standby_is_told_who_plays(
    polynya: list[str], url: DatabaseUrl
) -> None:
    with serving(polynya, url) as first:
        command = [*polynya, "serve", "--port", "0", "--database", url.secret]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert (
        f"polynya: process {first.process.pid} on {socket.gethostname()} plays {LADDER}"
        in refused.stderr
    )
    assert refused.stderr.endswith(": wait for it, or stop it\n")


def test_standby_waits_for_a_database_that_is_restarted(
    polynya: list[str], postgresql: PostgreSQL
) -> None:
    url = postgresql.empty()  # a copied database forgets its sequences' last numbers in a crash
    with (
        serving(polynya, url) as first,
        started(polynya, url, "--standby") as process,
    ):
        assert "standing by: process" in line_of(process)
        postgresql.kill()
        assert str(url) in line_of(process)
        postgresql.start()
        assert f"standing by: process {first.process.pid} on" in line_of(process)
        kill(first, postgresql)
        assert [line for line in Serving(process).before if KEPT not in line] == []


def test_ladders_of_two_servers_share_a_database(
    polynya: list[str], url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    words = ("--move", "60000")
    with (
        serving(polynya, url, *words) as first,
        serving(polynya, url, *words, "--game", "icecult") as second,
        bot(first.port, "ada"),
        bot(first.port, "bob"),
        bot(second.port, "cid"),
        bot(second.port, "dot"),
    ):
        for server in (first, second):
            for _ in range(5):
                server.read_until("a match is over")
        assert [server.stop()[0] for server in (first, second)] == [0, 0]
    name = os.path.basename(url.secret.split("?")[0])
    numbers = postgresql.execute("SELECT name, game FROM matches ORDER BY id", name)
    assert len({match for match, _ in numbers}) == len(numbers)
    assert [match for match, _ in numbers] == [f"ladder-{n}" for n in range(1, len(numbers) + 1)]
    assert {game for _, game in numbers} == {"packeis", "icecult"}
    check(url, postgresql)
