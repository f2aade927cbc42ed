"""Messages for a host while a server runs: announcements, and the log of structlog."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping, Sequence
from functools import partial
from typing import Any

from polynya_app.console.output import console
from polynya_common.reasons import Reason
from polynya_common.text import address, join_words
from polynya_protocol.errors import printable
from polynya_server.log import log
from polynya_tournaments.tournament.progress_events import Reporter


class Announcements(Reporter):
    """Says what a host should know.

    Attributes:
        console: where it is said.
    """

    def __init__(self) -> None:
        self.console = console(sys.stderr)

    def say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        self.console.print(printable(line, limit=2000), soft_wrap=True)

    def listening(self, host: str, port: int) -> None:
        """The one line that programs wait for."""
        self.say(f"listening on {address(host, port)}")

    def pages(self, where: str) -> None:
        """The web pages answer."""
        self.say(f"web pages on {where}")

    def operator_token(self, token: str) -> None:
        """The only time that the operator's token is shown."""
        self.say(
            "token of the operator, for the web pages at /operator "
            f"(it is not kept and not shown again): {token}"
        )

    def committed(self, commitment: str) -> None:
        """A host may publish it elsewhere, too."""
        self.say(f"commitment to all set-ups: {commitment}")

    def token_created(self, name: str, token: str) -> None:
        """The only time that a token is shown."""
        self.say(f"token of {name}, for its author (it is not kept and not shown again): {token}")

    def waiting(self, names: Sequence[str]) -> None:
        """The bots that are still to come."""
        if names:
            self.say(f"waiting for {join_words(names)}")

    def warning(self, sentence: str) -> None:
        """A problem, line by line: a crash comes with the last lines of its log."""
        for line in f"warning: {sentence}".splitlines():
            self.say(line)


def configure_logs(level: int = logging.WARNING) -> None:
    """Log what is at least as serious as ``level`` (of ``logging``)."""
    log.set_up_by(partial(_configure, level), level)


def _configure(level: int) -> None:
    import structlog

    terminal = sys.stderr.isatty()
    # Rich's tracebacks show local variables: deals and tokens would stand in the log
    on_terminal = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    renderer = on_terminal if terminal else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            _harmless,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            *([] if terminal else [structlog.processors.format_exc_info]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _harmless(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Reasons as sentences; texts, which may be a bot's, without what could steer a terminal."""
    for key, value in event.items():
        if isinstance(value, str | Reason):
            event[key] = printable(str(value))
    return event
