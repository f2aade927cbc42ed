"""A bot's token is kept in a file from one start to the next."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from polynya_client import Turn

FRESH, OLD, NEW = {"token": "fresh"}, {"token": "of before"}, {"token": "new"}
FINISHED = {"type": "goodbye", "reason": "finished"}


def step(_turn: Turn) -> list[list[Any]]:
    return [["go"]]


def hello(scripted_server: Any, **welcome: Any) -> dict[str, Any]:
    """How a bot that is started now introduces itself."""
    bot = scripted_server.run(step)
    peer = scripted_server.accept()
    found: dict[str, Any] = peer.welcome(**welcome)
    peer.send(FINISHED)
    bot.result(120)
    return found


def test_token_of_a_registration_is_there_at_the_next_start(
    scripted_server: Any, tmp_path: Path
) -> None:
    assert "token" not in hello(scripted_server, **FRESH)
    assert hello(scripted_server).items() >= FRESH.items()
    (file,) = (tmp_path / "state" / "polynya" / "tokens").iterdir()
    assert file.name == f"127.0.0.1_{scripted_server.port}_ada"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_file_for_the_token_may_be_named(
    scripted_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYNYA_TOKEN_FILE", str(tmp_path / "token"))
    hello(scripted_server, **FRESH)
    assert (tmp_path / "token").read_text() == "fresh\n"
    assert hello(scripted_server).items() >= FRESH.items()


def test_kept_token_of_another_server_at_this_address_is_replaced(scripted_server: Any) -> None:
    hello(scripted_server, **OLD)
    bot = scripted_server.run(step)
    refused = scripted_server.accept()
    assert refused.receive().items() >= OLD.items()
    refused.send({"type": "error", "code": "unauthorized", "message": "no", "fatal": True})
    peer = scripted_server.accept()
    assert "token" not in peer.welcome(**NEW)
    peer.send(FINISHED)
    bot.result(120)
    assert hello(scripted_server).items() >= NEW.items()
