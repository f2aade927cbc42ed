"""``bots rotate`` and ``bots revoke`` reach a tournament that is being played."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.app.test_serve_command import hello

from polynya_app.application import run
from polynya_contest.config.builtin_bots import builtin_command

CUP = """
name = "cup"
game = "packeis"
host = "127.0.0.1"
port = 0
clock = { move_ms = 60000 }
start_ms = 600000
[[bots]]
name = "ada"
external = true
[[bots]]
name = "bob"
external = true
"""


@contextmanager
def tournament(polynya: list[str], folder: Path) -> Iterator[tuple[Path, int]]:
    """The database and the port of a tournament that waits for its bots."""
    (folder / "cup.toml").write_text(CUP, encoding="utf-8")
    database = folder / "cup.sqlite"
    words = ["tournament", "run", str(folder / "cup.toml"), "--database", str(database)]
    with subprocess.Popen([*polynya, *words], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"listening on \S+:(\d+)", line):
                    yield database, int(found[1])
                    return
            raise AssertionError("it does not listen")
        finally:
            process.kill()


def bot(port: int, token: str) -> subprocess.Popen[str]:
    command = builtin_command("random")
    told = {"POLYNYA_PORT": str(port), "POLYNYA_NAME": "ada", "POLYNYA_TOKEN": token}
    return subprocess.Popen(
        command.words,
        env={**os.environ, **command.environment, **told},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("command", ["rotate", "revoke"])
def test_bot_with_an_old_token_is_disconnected(
    command: str, polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bots", "add", "ada", "--database", str(tmp_path / "cup.sqlite")]) == 0
    token = capsys.readouterr().out.strip()
    with tournament(polynya, tmp_path) as (database, port):
        assert hello(port, "ada", token)["bot"] == "ada"
        with bot(port, token) as connected:
            assert run(["bots", command, "ada", "--database", str(database)]) == 0
            fresh = capsys.readouterr().out.strip()
            _, said = connected.communicate(timeout=120)
        assert connected.returncode != 0, said
        assert hello(port, "ada", token)["code"] == "unauthorized"
        if command == "rotate":
            assert hello(port, "ada", fresh)["bot"] == "ada"
