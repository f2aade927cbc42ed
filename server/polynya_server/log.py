"""The server's log: as the program has set structlog up, or warnings on standard error.

structlog prints to standard output unless it is told otherwise; but that belongs to the program
that uses this package.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

from polynya_server.repeated_events import RepeatedEvents


class Log:
    """Writes events with their fields; the program may set structlog up at any time.

    structlog makes a logger anew for each event, or keeps the first one, also after a later set-up.
    This one is made anew when the configuration has changed: each bot that connects is logged, and
    a new logger for it took a tenth of the time of accepting the connection.
    """

    def __init__(self) -> None:
        self.repeated_events = RepeatedEvents()
        self._made_for: dict[str, Any] | None = None
        self._made: Any = None

    def debug(self, event: str, **fields: Any) -> None:
        """An event that helps to look for an error."""
        self._logger().debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        """An event of normal operation."""
        self._logger().info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        """An event that a host should see."""
        self._logger().warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        """A failure."""
        self._logger().error(event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """A failure, with the traceback of the exception that is handled."""
        self._logger().exception(event, **fields)

    def repeated(self, level: str, event: str, **fields: Any) -> None:
        """An event that a peer can cause at will: logged, or counted if it comes too often.

        Each ``bot`` in the fields has a count of its own; see :class:`RepeatedEvents`.
        """
        times = self.repeated_events.count(event, fields.get("bot"))
        if times is not None:
            getattr(self._logger(), level)(event, **fields, **times)

    def _logger(self) -> Any:
        if not structlog.is_configured():
            return structlog.wrap_logger(
                structlog.PrintLogger(sys.stderr),
                wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            )
        configuration = structlog.get_config()
        if configuration != self._made_for:
            self._made_for = configuration
            self._made = structlog.get_logger("polynya_server").bind()
        return self._made


log = Log()
