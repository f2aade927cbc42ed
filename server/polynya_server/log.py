"""The server's log: as the program has set structlog up, or warnings on standard error.

structlog prints to standard output unless it is told otherwise; but that belongs to the program
that uses this package.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog


class Log:
    """Writes events with their fields; the program may set structlog up at any time."""

    def debug(self, event: str, **fields: Any) -> None:
        """What only those want to know who look for an error."""
        _logger().debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        """What happens."""
        _logger().info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        """What a host should see."""
        _logger().warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        """What has failed."""
        _logger().error(event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """What has failed, with the traceback of the exception that is handled."""
        _logger().exception(event, **fields)


def _logger() -> Any:
    if structlog.is_configured():
        return structlog.get_logger("polynya_server")
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )


log = Log()
