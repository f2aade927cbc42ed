"""Logs through structlog if the program has set it up, else warnings to standard error.

Events that a peer can cause at will are logged in full at first, then counted.

structlog prints to standard output by default, but that belongs to the program that uses this
package.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

WINDOW_S: Final = 60.0
MAX_IN_WINDOW: Final = 50
"""Events of one kind logged in full within ``WINDOW_S``; then the 100th, the 1,000th, the 10,000th
and so on, each with the count so far.
"""

MAX_KINDS: Final = 10_000
"""Number of kinds counted at a time; the least recent is dropped."""


@dataclass(slots=True)
class _Window:
    began: float
    count: int = 0
    next_logged: int = 100


class RepeatedEvents:
    """Decides which events are logged.

    Args:
        now: a clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._windows: OrderedDict[tuple[str, object], _Window] = OrderedDict()

    def count(self, event: str, subject: object = None) -> dict[str, int] | None:
        """Count one more event.

        Args:
            event: the sentence.
            subject: the bot that it is about, each with a count of its own; None for peers that
                have not proven who they are, and share one.

        Returns:
            fields to log with it: how many ``times`` it came in this window, or in the last one if
            it came too often there; None if it is not logged.
        """
        key, now = (event, subject), self._now()
        window = self._windows.get(key)
        if window is None or now - window.began >= WINDOW_S:
            self._windows[key] = _Window(now, 1)
            self._windows.move_to_end(key)
            if len(self._windows) > MAX_KINDS:
                self._windows.popitem(last=False)
            before = 0 if window is None else window.count
            return {"times": before} if before > MAX_IN_WINDOW else {}
        window.count += 1
        if window.count <= MAX_IN_WINDOW:
            return {}
        if window.count < window.next_logged:
            return None
        window.next_logged *= 10
        return {"times": window.count}

    def clear(self) -> None:
        """Begin anew."""
        self._windows.clear()


class Log:
    """Writes events with their fields; the program may set structlog up at any time.

    structlog builds a logger for each event, or caches the first one even after a later set-up.
    This one is rebuilt only when the configuration has changed: each bot that connects is logged,
    and a new logger for it took a tenth of the time of accepting the connection.
    """

    def __init__(self) -> None:
        self.repeated_events = RepeatedEvents()
        self._made_for: dict[str, Any] | None = None
        self._made: Any = None
        self._set_up: Callable[[], None] | None = None
        self._least = 0

    def set_up_by(self, configure: Callable[[], None], level: int) -> None:
        """Set structlog up lazily: by this call, at the first event of this ``logging`` level.

        Until then, events of lower levels are dropped: structlog is large, and most commands log
        nothing.
        """
        self._set_up = configure
        self._least = level

    def debug(self, event: str, **fields: Any) -> None:
        """An event that helps to look for an error."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        """An event of normal operation."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        """An event that a host should see."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        """A failure."""
        self._write(logging.ERROR, event, fields)

    def exception(self, event: str, **fields: Any) -> None:
        """A failure, with the traceback of the exception that is handled."""
        self._write(logging.ERROR, event, {"exc_info": True, **fields})

    def repeated(self, level: str, event: str, **fields: Any) -> None:
        """An event that a peer can cause at will: logged, or counted if it comes too often.

        Each ``bot`` in the fields has a count of its own; see :class:`RepeatedEvents`.
        """
        times = self.repeated_events.count(event, fields.get("bot"))
        if times is not None:
            self._write(logging.getLevelNamesMapping()[level.upper()], event, {**fields, **times})

    def _write(self, level: int, event: str, fields: Mapping[str, Any]) -> None:
        if level < self._least:
            return
        try:
            logger = self._logger()
        except OSError:  # no descriptor is left to read structlog from the disk
            print(event, dict(fields), file=sys.stderr)
        else:
            logger.log(level, event, **fields)

    def _logger(self) -> Any:
        import structlog

        if self._set_up is not None:
            configure, self._set_up, self._least = self._set_up, None, 0
            configure()
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
