"""The log of a command: no secret value gets into it with a traceback."""

from __future__ import annotations

import io
import sys

import pytest

from polynya_app.console.announcements import configure_logs
from polynya_server.log import log


class Stream(io.StringIO):
    """Standard error that is a terminal, or is none."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def crash(deal: str) -> None:
    raise KeyError(len(deal))


@pytest.mark.parametrize("terminal", [True, False])
def test_tracebacks_in_the_log_show_no_local_variables(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    deal, stderr = "5a" * 32, Stream(terminal)
    monkeypatch.setattr(sys, "stderr", stderr)
    configure_logs()
    try:
        crash(deal)
    except KeyError:
        log.exception("a match crashed", match="m")
    assert "KeyError: 64" in stderr.getvalue()
    assert deal not in stderr.getvalue()
