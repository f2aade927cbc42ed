"""Ctrl-C and SIGTERM as an event: the first asks to stop, the second stops at once."""

from __future__ import annotations

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
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if stop.is_set():
                raise KeyboardInterrupt
            stop.set()
            told()
