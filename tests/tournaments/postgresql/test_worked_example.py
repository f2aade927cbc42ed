"""The commands of the page about PostgreSQL: two servers, a standby, pages, backup and restore."""

from __future__ import annotations

import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.folders import DOCS
from tests.postgresql import USER, PostgreSQL, require_postgresql
from tests.served import Serving, bot, free_ports

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

AS_ADMINISTRATOR = "sudo -u postgres "
COMMANDS = [
    line.strip()
    for line in (DOCS / "postgresql.md").read_text("utf-8").splitlines()
    if line.startswith("    ")
]


def commands(begin: str) -> list[str]:
    """Those of the page that begin so."""
    found = [line for line in COMMANDS if line.startswith(begin)]
    assert found, begin
    return found


class Machine:
    """A machine with the programs and a folder; its server is on this one.

    Args:
        polynya: how the program is started here.
        server: the database server.
        folder: where commands run.
    """

    def __init__(self, polynya: list[str], server: PostgreSQL, folder: Path) -> None:
        self._polynya = polynya
        self._server = server
        self._folder = folder

    def database(self, name: str) -> DatabaseUrl:
        return self._server.url(name)

    def words(self, command: str) -> list[str]:
        """A command of the page, with the addresses of here."""
        words = [
            re.sub(
                r"postgresql://polynya@db.example/(\w+)", lambda m: self.database(m[1]).secret, word
            )
            for word in command.removeprefix(AS_ADMINISTRATOR).split()
        ]
        if words[0] == "polynya":
            return [*self._polynya, *words[1:]]
        return [str(require_postgresql() / words[0]), *words[1:]]

    @contextmanager
    def started(self, command: str, *more: str) -> Iterator[subprocess.Popen[str]]:
        words = [*self.words(command), *more]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.kill()

    def run(self, command: str) -> str:
        """Run a command of the page; what it prints."""
        environment = {**os.environ, "PGHOST": str(self._server.folder), "PGUSER": USER}
        done = subprocess.run(
            self.words(command),
            check=True,
            cwd=self._folder,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.strip()


@pytest.fixture
def machine(polynya: list[str], postgresql: PostgreSQL, tmp_path: Path) -> Machine:
    machine = Machine(polynya, postgresql, tmp_path)
    machine.run(commands(f"{AS_ADMINISTRATOR}createdb")[0])
    return machine


def line_with(process: subprocess.Popen[str], words: str) -> str:
    assert process.stderr is not None
    return next(line for line in process.stderr if words in line)


def test_servers_pages_backup_and_restore(machine: Machine) -> None:
    first_command, standby_command = commands("polynya serve")
    [pages_command] = commands("polynya web")
    ports = free_ports(2)
    more = ("--pace-ms", "0", "--move", "60000")
    both = ",".join(f"127.0.0.1:{port}" for port in ports)
    known = {"POLYNYA_HOST": both, "POLYNYA_RECONNECT": "forever"}
    [add_ada] = commands("polynya bots add")
    tokens = [machine.run(add_ada), machine.run(add_ada.replace("ada", "bob"))]
    with (
        machine.started(first_command, "--port", str(ports[0]), *more) as one,
        bot(ports[0], "ada", POLYNYA_TOKEN=tokens[0], **known),
        bot(ports[0], "bob", POLYNYA_TOKEN=tokens[1], **known),
    ):
        first = Serving(one)
        with machine.started(standby_command, "--port", str(ports[1]), *more) as two:
            assert f"process {one.pid} on" in line_with(two, "standing by")
            first.read_until("a match is over")
            one.kill()
            second = Serving(two)
            second.read_until("a match is over")
            with machine.started(pages_command, "--port", "0") as pages:
                where = line_with(pages, "web pages on").split()[-1]
                port = where.rstrip("/").rpartition(":")[2]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/?lang=en") as page:
                    assert b"ada" in page.read()
            machine.run(commands("pg_dump")[0])
            second.read_until("a match is over")
            assert second.stop()[0] == 0
    machine.run(commands(f"{AS_ADMINISTRATOR}createdb")[1])
    machine.run(commands("pg_restore")[0])
    for command in ("ratings recompute --check", "replay verify --all"):
        assert run([*command.split(), "--database", machine.database("contest2").secret]) == 0
    with Store.open(machine.database("contest2"), for_play=True) as restored:
        assert {row.reason for row in restored.matches.find()} <= {"finished", "aborted"}
        assert {row.bot for row in restored.ratings.find()} == {"ada", "bob"}
