"""Ctrl-C, SIGTERM and SIGHUP as an event: the first asks to stop, the second stops at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import trio


async def stop_on_signals(
    stop: trio.Event,
    told: Callable[[], None] = lambda: None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Set ``stop`` and call ``told`` at the first signal, raise KeyboardInterrupt at the second.

    To be started in a nursery (``await nursery.start(stop_on_signals, stop)``) and cancelled with
    its scope when the work is done.
    """
    with trio.open_signal_receiver(*_stopping_signals()) as signals:
        task_status.started()
        async for _ in signals:
            _replace_lost_terminal()
            if stop.is_set():
                raise KeyboardInterrupt
            stop.set()
            told()


def _stopping_signals() -> list[signal.Signals]:
    """The signals that ask to stop; SIGHUP is one unless it is ignored, as under ``nohup``."""
    stopping = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        stopping.append(hang_up)
    return stopping


def _replace_lost_terminal() -> None:
    """Write nowhere instead of to a terminal that has hung up: what follows would fail by it."""
    for descriptor in (1, 2):
        try:
            os.write(descriptor, b"")  # nothing, but a terminal that is gone refuses even that
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
