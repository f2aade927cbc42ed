"""A bot that the server refuses ends with a sentence; a bug in a bot keeps its traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REFUSED = {"type": "error", "code": "name_taken", "message": "ada\x1b is taken", "fatal": True}
BOTS = {
    "sync": "from polynya_client import run; run(lambda turn: 1 / 0)",
    "trio": """
import trio
from polynya_client.aio import run
async def choose(turn):
    1 / 0
trio.run(run, choose)
""",
}


@contextmanager
def bot(program: str, port: int | None) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "POLYNYA_NAME": "ada", "POLYNYA_RECONNECT": "0"}
    if port is not None:
        environment["POLYNYA_PORT"] = str(port)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and what was said."""
    _, said = process.communicate(timeout=120)
    return process.returncode, said


@pytest.mark.parametrize("kind", BOTS)
def test_a_refusal_is_a_sentence(kind: str, scripted_server: Any) -> None:
    with bot(BOTS[kind], scripted_server.port) as process:
        peer = scripted_server.accept()
        peer.receive()
        peer.send(REFUSED)
        assert ended(process) == (1, "polynya_client: name_taken: ada\\x1b is taken\n")


@pytest.mark.parametrize("kind", BOTS)
def test_a_port_where_something_else_answers_is_a_sentence(kind: str, scripted_server: Any) -> None:
    with bot(BOTS[kind], scripted_server.port) as process:
        peer = scripted_server.accept()
        peer.receive()
        peer.socket.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        code, said = ended(process)
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith("polynya_client: what answers there is no Polynya server")


@pytest.mark.parametrize("kind", BOTS)
def test_a_server_that_hangs_up_instead_of_a_welcome_may_ask_for_tls(
    kind: str, scripted_server: Any
) -> None:
    with bot(BOTS[kind], scripted_server.port) as process:
        peer = scripted_server.accept()
        peer.receive()
        peer.socket.close()
        assert ended(process) == (
            75,
            "polynya_client: the server closed the connection without a goodbye, before any "
            "welcome; is the port right, and does it ask for TLS (POLYNYA_TLS=1)?; "
            "gave up after 0 s\n",
        )


@pytest.mark.parametrize("kind", BOTS)
def test_missing_settings_are_a_sentence(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYNYA_PORT", raising=False)
    with bot(BOTS[kind], None) as process:
        code, said = ended(process)
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith("polynya_client: ")
    assert "POLYNYA_PORT" in said


@pytest.mark.parametrize("kind", BOTS)
def test_a_bug_keeps_its_traceback(kind: str, scripted_server: Any) -> None:
    with bot(BOTS[kind], scripted_server.port) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask(legal=[["place", 1]], state={})
        code, said = ended(process)
    assert code == 1
    assert "ZeroDivisionError" in said
    assert "Traceback" in said
