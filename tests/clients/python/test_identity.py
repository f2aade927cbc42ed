"""A person at a terminal sees that the bot is connected, and a log does not."""

from __future__ import annotations

import os
import pty

import pytest

from polynya_client.errors import tell_connected


def test_a_terminal_shows_that_the_bot_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as shown, os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        tell_connected("be\x1bn")
        terminal.flush()
        assert shown.read(200) == b"connected as be\\x1bn; waiting for a match\r\n"


def test_a_log_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    tell_connected("ben")
    assert capsys.readouterr().err == ""
