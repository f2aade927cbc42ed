"""The server's log on standard error: readable in a terminal, JSON lines otherwise."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from polynya_protocol.errors import printable


def configure_logs(level: int = logging.WARNING) -> None:
    """Log what is at least as serious as ``level`` (of ``logging``)."""
    terminal = sys.stderr.isatty()
    renderer = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
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
    """Texts may be a bot's: without characters that could steer a terminal."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = printable(value)
    return event
