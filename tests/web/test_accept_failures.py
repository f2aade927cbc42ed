"""The pages say in one sentence that no more connections can be accepted."""

from __future__ import annotations

import logging

import pytest
import trio
from structlog.testing import capture_logs
from tests.server.transport.test_listener import no_more_files

from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

PATIENCE_S = 60


async def test_shortage_of_descriptors_is_a_sentence_without_traceback(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        async with open_web(WebSettings(port=0)) as address:
            host, port = address.removeprefix("http://").split(":")
            sock = trio.socket.socket()
            with sock:
                with no_more_files():
                    await sock.connect((host, int(port)))
                    with trio.fail_after(PATIENCE_S):
                        while not logs:
                            await trio.lowlevel.checkpoint()
                await sock.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
                with trio.fail_after(PATIENCE_S):
                    answered = await sock.recv(100)
    assert logs[0]["event"].startswith("a connection over HTTP cannot be accepted: ")
    assert "exc_info" not in logs[0]
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert "Traceback" not in capfd.readouterr().err
    assert answered.startswith(b"HTTP/1.1 200 ")
