"""How a standing server starts, stands by and loses its database, as a supervisor sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.postgresql import postgresql_server
from tests.recorded_matches import launcher
from tests.served import Serving, free_ports, serving, started

from polynya_store.backends.sqlite.backend import lock_for_play

PATIENCE_S = 120
SIGNAL_WHILE_LOADED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "polynya_app.application":
            os.kill(os.getpid(), signal.SIGTERM)
sys.meta_path.insert(0, Finder())
from polynya_app import main
main()
"""


def answer(port: int, path: str) -> tuple[int, dict[str, Any]]:
    """The status and the document at a path; status 0 while nothing listens there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, {}


def until_answered(port: int, path: str, status: int) -> dict[str, Any]:
    """The document of the first answer with this status."""
    end_s = time.monotonic() + PATIENCE_S
    while True:
        found, document = answer(port, path)
        if found == status:
            return document
        assert time.monotonic() < end_s, (found, document)


def test_server_that_is_asked_to_stop_while_it_is_loaded_ends_with_0(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SIGNAL_WHILE_LOADED, "serve", "--port", "0"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_server_that_is_asked_to_stop_while_it_opens_its_database_ends_with_0(
    tmp_path: Path,
) -> None:
    database = tmp_path / "ladder.sqlite"
    lock = lock_for_play(database)
    with started(launcher(), database) as process:
        lock_file = str(tmp_path / "ladder.sqlite.lock")
        end_s = time.monotonic() + PATIENCE_S
        while lock_file not in open_files(process.pid):
            assert time.monotonic() < end_s
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    lock.close()


def open_files(number: int) -> list[str]:
    folder = f"/proc/{number}/fd"
    found = []
    for name in os.listdir(folder):
        try:
            found.append(os.readlink(f"{folder}/{name}"))
        except OSError:
            continue  # it was closed meanwhile
    return found


def test_server_that_is_asked_to_stop_while_it_tries_its_sandbox_ends_with_0(
    tmp_path: Path,
) -> None:
    fake, begun = tmp_path / "bwrap", tmp_path / "begun"
    fake.write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 600\n")
    fake.chmod(0o755)
    settings = tmp_path / "ladder.toml"
    settings.write_text('[sandbox]\ndriver = "bubblewrap"\n')
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    words = [*launcher(), "serve", str(settings)]
    with subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PATH": path}) as process:
        end_s = time.monotonic() + PATIENCE_S
        while not begun.exists():
            assert time.monotonic() < end_s
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def figures(port: int) -> dict[str, float]:
    """The metrics without labels, by name."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as found:
        lines = found.read().decode().splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#") and "{" not in line)
    return {name: float(value) for name, value in pairs}


def test_metrics_of_a_standby_say_only_that_it_does_not_play(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    [port] = free_ports(1)
    with (
        serving(launcher(), database) as first,
        started(launcher(), database, "--standby", "--metrics-port", str(port)) as process,
    ):
        until_answered(port, "/health", 200)
        assert figures(port) == {"polynya_active": 0}
        assert first.stop()[0] == 0
        second = Serving(process)
        now = figures(port)
        assert (now["polynya_active"], now["polynya_database_reachable"]) == (1, 1)
        assert second.stop()[0] == 0


def test_metrics_have_the_size_of_a_postgresql_database_and_the_free_space() -> None:
    [port] = free_ports(1)
    with (
        postgresql_server() as postgresql,
        serving(launcher(), postgresql.empty(), "--metrics-port", str(port)) as server,
    ):
        now = figures(port)
        assert now["polynya_database_reachable"] == 1
        assert now["polynya_database_bytes"] > 1_000_000
        assert now["polynya_disk_free_bytes"] > 0
        postgresql.kill()
        until_answered(port, "/health", 503)
        now = figures(port)
        assert (now["polynya_database_reachable"], now["polynya_active"]) == (0, 1)
        assert "polynya_database_bytes" not in now
        postgresql.start()
        until_answered(port, "/health", 200)
        assert server.stop()[0] == 0


def test_standby_lives_and_is_not_ready_until_it_plays(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    [port] = free_ports(1)
    with (
        serving(launcher(), database) as first,
        started(launcher(), database, "--standby", "--metrics-port", str(port)) as process,
    ):
        health = until_answered(port, "/health", 200)
        assert health["active"] is False
        assert health["status"].startswith("standing by")
        assert answer(port, "/ready")[0] == 503
        assert first.stop()[0] == 0
        second = Serving(process)
        assert answer(port, "/ready") == (200, {"status": "ok", "active": True})
        assert second.stop()[0] == 0


def test_health_tells_that_the_database_is_away_also_when_nothing_waits_for_it() -> None:
    [port] = free_ports(1)
    with (
        postgresql_server({"fsync": "on"}) as postgresql,
        serving(launcher(), postgresql.empty(), "--metrics-port", str(port)) as server,
    ):
        assert answer(port, "/health")[0] == 200
        postgresql.kill()
        assert "cannot be reached" in until_answered(port, "/health", 503)["status"]
        assert answer(port, "/ready")[0] == 200
        postgresql.start()
        assert until_answered(port, "/health", 200)["status"] == "ok"
        assert server.stop()[0] == 0
