"""How a contest ends for a bot: what the server's goodbye means, and SIGTERM."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from polynya_client.errors import Replaced, ServerLeft, Stopped

logger = logging.getLogger("polynya_client")


def take_goodbye(reason: str) -> None:
    """Return if the contest is over; the author is told.

    Raises:
        Replaced: another process plays as this bot now.
        ServerLeft: for any other reason; the bot comes back.
    """
    if reason == "replaced":
        raise Replaced(
            "the server says goodbye (replaced): this bot has connected a second time, and the "
            "other one plays on; this one stays away"
        )
    if reason != "finished":
        raise ServerLeft(f"the server says goodbye ({reason or 'without a reason'})")
    logger.warning("the server says goodbye (finished): this contest is over")


def may_listen_to_sigterm() -> bool:
    """Whether SIGTERM is ours to handle: in the main thread, where the program leaves it alone."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@contextmanager
def stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end what goes on by ``Stopped``, so that it can say goodbye."""
    if not may_listen_to_sigterm():
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stop(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped
